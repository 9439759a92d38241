// A block of exactly this size, and a cluster of two.
extern "C" __global__ void __block_size__((64, 2, 1), (2, 1, 1)) sized(int* out) { out[threadIdx.x] = 1; }
