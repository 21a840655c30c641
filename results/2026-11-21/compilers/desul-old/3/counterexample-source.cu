// Coherence-4-events-source: forbidden (axiom Coherence) by rc11-lb
// exists (0:r0=1 /\ 1:r0=1)
#include <cstdio>
#include <cuda/atomic>

__device__ void P0(int* x, int* y, int* result) {
  int r0 = 0;
  r0 = cuda::atomic_ref<int, cuda::thread_scope_system>(*x).load(cuda::std::memory_order_acquire);
  *y = 1;
  result[0] = r0;
}

__device__ void P1(int* x, int* y, int* result) {
  int r0 = 0;
  r0 = *y;
  cuda::atomic_ref<int, cuda::thread_scope_system>(*x).store(1, cuda::std::memory_order_release);
  result[0] = r0;
}

__global__ void test(int* memory, int* result) {
  int* x = memory + 0;
  int* y = memory + 64;
  if (blockIdx.x == 0 && threadIdx.x == 0) P0(x, y, result + 0);
  if (blockIdx.x == 0 && threadIdx.x == 32) P1(x, y, result + 1);
}

int main() {
  int *memory, *result;
  if (cudaMallocManaged(&memory, 128 * sizeof(int)) != cudaSuccess) return 3;
  if (cudaMallocManaged(&result, 2 * sizeof(int)) != cudaSuccess) return 3;
  memory[0] = 0;
  memory[64] = 0;
  test<<<1, 64>>>(memory, result);
  if (cudaDeviceSynchronize() != cudaSuccess) return 3;
  std::printf("0:r0=%d 1:r0=%d [x]=%d [y]=%d\n", result[0], result[1], memory[0], memory[64]);
}
