// What calling.cu calls: shared memory, barriers and a stack of its own.

__device__ __noinline__ float mean(const float* values, int n) {
  __shared__ float partial[96];
  float copy[20];
#pragma unroll 1
  for (int i = 0; i < 20; ++i) {
    copy[(i * 7 + n) % 20] = values[i];
  }
  partial[threadIdx.x] = copy[threadIdx.x % 20];
  asm volatile("bar.sync 3;" ::: "memory");
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += partial[i] / values[i];
  }
  return sum / static_cast<float>(n);
}

// Nobody launches it: the linker leaves it out.
extern "C" __global__ void unused(int* out) { out[threadIdx.x] = 1; }
