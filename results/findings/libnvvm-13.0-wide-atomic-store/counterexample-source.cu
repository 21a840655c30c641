// Coherence-3-events-source: forbidden (axiom Coherence) by rc11-scoped
// exists (0:r0=2 /\ [x]=2)
#include <cstdio>
#include <cuda/atomic>

__device__ void P0(int* x, int* result) {
  int r0 = 0;
  r0 = cuda::atomic_ref<int, cuda::thread_scope_device>(*x).exchange(1, cuda::std::memory_order_relaxed);
  result[0] = r0;
}

__device__ void P1(int* x, int* result) {
  cuda::atomic_ref<int, cuda::thread_scope_device>(*x).store(2, cuda::std::memory_order_relaxed);
}

__global__ void test(int* memory, int* result) {
  int* x = memory + 0;
  if (blockIdx.x == 0 && threadIdx.x == 0) P0(x, result + 0);
  if (blockIdx.x == 1 && threadIdx.x == 0) P1(x, result + 1);
}

int main() {
  int *memory, *result;
  if (cudaMallocManaged(&memory, 64 * sizeof(int)) != cudaSuccess) return 3;
  if (cudaMallocManaged(&result, 1 * sizeof(int)) != cudaSuccess) return 3;
  memory[0] = 0;
  test<<<2, 32>>>(memory, result);
  if (cudaDeviceSynchronize() != cudaSuccess) return 3;
  std::printf("0:r0=%d [x]=%d\n", result[0], memory[0]);
}
