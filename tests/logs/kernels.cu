// Kernels whose resources differ, for the logs in this folder.

extern "C" __global__ void empty() {}

// Barriers and static shared memory.
extern "C" __global__ void tile(float* out, const float* in) {
  __shared__ float rows[32][33];
  rows[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = rows[threadIdx.x][threadIdx.y];
}

// Mangled, with types and a value in its name.
template <class T, int size>
__global__ void reduce(const T* in, T* out, int n) {
  __shared__ T partial[size];
  T sum = 0;
  for (int i = threadIdx.x; i < n; i += size) {
    sum += in[i];
  }
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = size / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      partial[threadIdx.x] += partial[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    *out = partial[0];
  }
}
template __global__ void reduce<float, 256>(const float*, float*, int);
template __global__ void reduce<double, 512>(const double*, double*, int);

// Launch bounds that leave too few registers: spills.
extern "C" __global__ void __launch_bounds__(1024, 2) spilling(double* data, int n) {
  double values[48];
  for (int i = 0; i < 48; ++i) {
    values[i] = data[i * 1024 + threadIdx.x];
  }
  for (int round = 0; round < n; ++round) {
#pragma unroll
    for (int i = 0; i < 48; ++i) {
      values[i] = values[i] * values[(i + 7) % 48] + values[(i + 13) % 48];
    }
  }
  for (int i = 0; i < 48; ++i) {
    data[i * 1024 + threadIdx.x] = values[i];
  }
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

__constant__ float factors[16];
extern "C" __global__ void scaled(float* out) { out[threadIdx.x] *= factors[threadIdx.x % 16]; }

// Local to the file.
namespace {
__global__ void hidden(int* out) { out[threadIdx.x] = 1; }
}  // namespace
void launch_hidden(int* out) { hidden<<<1, 32>>>(out); }

// The linker keeps only kernels that the host launches.
void launch_all(float* out, double* data) {
  empty<<<1, 32>>>();
  tile<<<1, dim3(32, 32)>>>(out, out);
  reduce<float, 256><<<1, 256>>>(out, out, 1);
  reduce<double, 512><<<1, 512>>>(data, data, 1);
  spilling<<<1, 1024>>>(data, 1);
  calling<<<1, 32>>>(out, out);
  scaled<<<1, 32>>>(out);
}
