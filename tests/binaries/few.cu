// Few kernels, for the files that hold them many times.

extern "C" __global__ void tile(float* out, const float* in) {
  __shared__ float rows[32][33];
  rows[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = rows[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void __launch_bounds__(256, 2) bounded(int* out) { out[threadIdx.x] = 1; }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(2, 1, 1) clustered(int* out) { out[threadIdx.x] = 1; }
#endif
