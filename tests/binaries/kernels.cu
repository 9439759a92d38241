// Kernels whose resources differ, for the binaries in this folder.

extern "C" __global__ void empty() {}

// Static shared memory, one barrier.
extern "C" __global__ void tile(float* out, const float* in) {
  __shared__ float rows[32][33];
  rows[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = rows[threadIdx.x][threadIdx.y];
}

// Barriers 0 to 5 are reserved, since 5 is the highest that is named.
extern "C" __global__ void named_barriers(int* out) {
  asm volatile("bar.sync 2, 64;" ::: "memory");
  out[threadIdx.x] = 1;
  asm volatile("bar.sync 5, 64;" ::: "memory");
}

// Which barrier is known only when it runs: all 16.
extern "C" __global__ void any_barrier(int* out, int barrier) {
  asm volatile("bar.sync %0;" ::"r"(barrier) : "memory");
  out[threadIdx.x] = 1;
}

extern "C" __global__ void __launch_bounds__(192) bounded(int* out) { out[threadIdx.x] = 1; }
extern "C" __global__ void __launch_bounds__(128, 5) bounded_twice(int* out) { out[threadIdx.x] = 1; }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
extern "C" __global__ void __launch_bounds__(128, 2, 4) bounded_in_clusters(int* out) { out[threadIdx.x] = 1; }
extern "C" __global__ void __cluster_dims__(4, 2) clustered(int* out) { out[threadIdx.x] = 1; }
extern "C" __global__ void __block_size__((32, 4, 1)) sized(int* out) { out[threadIdx.x] = 1; }
extern "C" __global__ void __block_size__((64, 2, 1), (2, 1, 1)) sized_cluster(int* out) { out[threadIdx.x] = 1; }
#endif

// Launch bounds that leave too few registers: spills.
extern "C" __global__ void __launch_bounds__(1024, 2) spilling(float* data, int n) {
  float values[36];
#pragma unroll
  for (int i = 0; i < 36; ++i) {
    values[i] = data[i * 1024 + threadIdx.x];
  }
  for (int round = 0; round < n; ++round) {
#pragma unroll
    for (int i = 0; i < 36; ++i) {
      values[i] = values[i] * values[(i + 7) % 36] + values[(i + 13) % 36];
    }
  }
#pragma unroll
  for (int i = 0; i < 36; ++i) {
    data[i * 1024 + threadIdx.x] = values[i];
  }
}

// A stack frame of its own: an array that is indexed by what is not known before.
extern "C" __global__ void on_the_stack(int* out, int at) {
  int copy[24];
#pragma unroll 1
  for (int i = 0; i < 24; ++i) {
    copy[(i * 7 + at) % 24] = out[i];
  }
  out[threadIdx.x] = copy[threadIdx.x % 24];
}

// A device function that is no kernel, with a stack of its own.
__device__ __noinline__ float look_up(const float* table, int at) {
  float copy[32];
  for (int i = 0; i < 32; ++i) {
    copy[(i * 7 + at) % 32] = table[i];
  }
  return copy[at % 32];
}

extern "C" __global__ void calling(float* out, const float* table) {
  out[threadIdx.x] = look_up(table, static_cast<int>(out[threadIdx.x]));
}

// How deep it goes is not known: there is no cumulative stack.
__device__ __noinline__ int ackermann(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

extern "C" __global__ void recursive(int* out) { out[threadIdx.x] = ackermann(out[0], out[1]); }

// The dynamic memory has no size here, but its alignment makes one byte of static memory 128.
extern __shared__ __align__(128) char pool[];
extern "C" __global__ void dynamic(char* out) {
  __shared__ char first;
  if (threadIdx.x == 0) {
    first = out[0];
  }
  pool[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = pool[(threadIdx.x + 1) % 32] + first;
}

// Weak, with types and a value in its name.
template <class T, int size>
__global__ void shift(T* data) {
  __shared__ T copy[size];
  copy[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = copy[(threadIdx.x + 1) % size];
}
template __global__ void shift<float, 256>(float*);
template __global__ void shift<double, 512>(double*);

// A name of more than 1,500 characters.
template <int... values>
__global__ void long_name(int* out) {
  out[threadIdx.x] = (values + ...);
}
#define TEN(n) n##0, n##1, n##2, n##3, n##4, n##5, n##6, n##7, n##8, n##9
#define FIFTY(n) TEN(n##0), TEN(n##1), TEN(n##2), TEN(n##3), TEN(n##4)
template __global__ void long_name<FIFTY(10), FIFTY(11), FIFTY(12), FIFTY(13), TEN(140), TEN(141)>(int*);

// Local to the file.
static __global__ void file_local(int* out) { out[threadIdx.x] = 1; }
namespace {
__global__ void hidden(int* out) { out[threadIdx.x] = 2; }
}  // namespace
void launch_local(int* out) {
  file_local<<<1, 32>>>(out);
  hidden<<<1, 32>>>(out);
}
