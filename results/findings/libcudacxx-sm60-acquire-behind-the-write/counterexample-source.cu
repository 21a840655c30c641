// Coherence-4-events-source: forbidden (axiom Coherence) by rc11-scoped
// exists (0:r0=1 /\ 1:r0=2 /\ [x]=2)
#include <cstdio>
#include <cuda/atomic>

__device__ void P0(int* x, int* result) {
  int r0 = 0;
  r0 = 1;
  cuda::atomic_ref<int, cuda::thread_scope_device>(*x).compare_exchange_strong(r0, 2, cuda::std::memory_order_acquire, cuda::std::memory_order_acquire);
  result[0] = r0;
}

__device__ void P1(int* x, int* result) {
  int r0 = 0;
  r0 = -1;
  cuda::atomic_ref<int, cuda::thread_scope_block>(*x).compare_exchange_strong(r0, 0, cuda::std::memory_order_acq_rel, cuda::std::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_device>(*x).store(1, cuda::std::memory_order_release);
  result[0] = r0;
}

__global__ void test(int* memory, int* result) {
  int* x = memory + 0;
  if (blockIdx.x == 0 && threadIdx.x == 0) P0(x, result + 0);
  if (blockIdx.x == 1 && threadIdx.x == 0) P1(x, result + 1);
}

int main() {
  int *memory, *result;
  if (cudaMallocManaged(&memory, 64 * sizeof(int)) != cudaSuccess) return 3;
  if (cudaMallocManaged(&result, 2 * sizeof(int)) != cudaSuccess) return 3;
  memory[0] = 0;
  test<<<2, 32>>>(memory, result);
  if (cudaDeviceSynchronize() != cudaSuccess) return 3;
  std::printf("0:r0=%d 1:r0=%d [x]=%d\n", result[0], result[1], memory[0]);
}
