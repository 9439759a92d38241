// Kernels of a program whose device code is linked: what they call is in device.cu.

__device__ float mean(const float* values, int n);

// Registers, barriers, stack and shared memory are those of `mean`, once it is linked.
extern "C" __global__ void calling(float* out, int n) {
  out[threadIdx.x] = mean(out, n);
}

// Shared memory of a template counts after the link only.
template <int size>
__global__ void shift(float* data) {
  __shared__ float copy[size];
  copy[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = copy[(threadIdx.x + 1) % size];
}

extern "C" __global__ void __launch_bounds__(64) alone(int* out) {
  __shared__ int turned[64];
  turned[63 - threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = turned[threadIdx.x];
}

int main() {
  calling<<<1, 64>>>(nullptr, 1);
  shift<128><<<1, 128>>>(nullptr);
  alone<<<1, 64>>>(nullptr);
}
