// A program without relocatable device code: its first fatbin comes from the linker and holds no kernel.
extern "C" __global__ void __launch_bounds__(32) fill(int* out) { out[threadIdx.x] = 1; }

int main() { fill<<<1, 32>>>(nullptr); }
