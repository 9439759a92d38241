// One small kernel, C = A x B of n x n floats, in three versions that differ in what a thread keeps in registers.
// n is a multiple of 128, the block is 16 x 16 threads.

constexpr int block = 16;

// Plain: a thread computes one element; one sum in a register.
__global__ void matmul_plain(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * block + threadIdx.y;
  const int column = blockIdx.x * block + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    sum += a[row * n + k] * b[k * n + column];
  }
  c[row * n + column] = sum;
}

// More intermediate values: a thread computes size x size elements from size + size loaded values. Each loaded value is
// used `size` times, and the sums do not depend on each other: fewer loads, and independent work within one thread.
template <int size>
__device__ void multiply_tile(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[block][block * size + 1];
  __shared__ float tile_b[block][block * size];
  const int first_row = blockIdx.y * block * size;
  const int first_column = blockIdx.x * block * size;
  float sums[size][size] = {};
  for (int k0 = 0; k0 < n; k0 += block) {
    for (int i = 0; i < size; ++i) {
      const int along = i * block + threadIdx.y;
      tile_a[threadIdx.x][along] = a[(first_row + along) * n + k0 + threadIdx.x];
      tile_b[threadIdx.y][i * block + threadIdx.x] = b[(k0 + threadIdx.y) * n + first_column + i * block + threadIdx.x];
    }
    __syncthreads();
    for (int k = 0; k < block; ++k) {
      float of_a[size];
      float of_b[size];
      for (int i = 0; i < size; ++i) {
        of_a[i] = tile_a[k][threadIdx.y * size + i];
        of_b[i] = tile_b[k][threadIdx.x * size + i];
      }
      for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
          sums[i][j] += of_a[i] * of_b[j];
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      c[(first_row + threadIdx.y * size + i) * n + first_column + threadIdx.x * size + j] = sums[i][j];
    }
  }
}

__global__ void matmul_4x4(const float* a, const float* b, float* c, int n) { multiply_tile<4>(a, b, c, n); }

// Register-heavy: 64 sums a thread.
__global__ void matmul_8x8(const float* a, const float* b, float* c, int n) { multiply_tile<8>(a, b, c, n); }

// The same, forced to a register count with which twice as many blocks fit: the sums no longer do.
__global__ void __launch_bounds__(256, 4) matmul_8x8_bounded(const float* a, const float* b, float* c, int n) {
  multiply_tile<8>(a, b, c, n);
}
