// Coherence-5-events-source: forbidden (axiom Coherence) by rc11-scoped
// exists (0:r0=0 /\ 1:r0=1 /\ 1:r1=0)
#include <cstdio>
#include <cuda/atomic>

__device__ void P0(int* x, int* y, int* result) {
  int r0 = 0;
  *x = 1;
  r0 = cuda::atomic_ref<int, cuda::thread_scope_device>(*y).exchange(1, cuda::std::memory_order_release);
  result[0] = r0;
}

__device__ void P1(int* x, int* y, int* result) {
  int r0 = 0, r1 = 0;
  r0 = -1;
  cuda::atomic_ref<int, cuda::thread_scope_device>(*y).compare_exchange_strong(r0, 0, cuda::std::memory_order_acquire, cuda::std::memory_order_acquire);
  if (r0 == 1) {
    r1 = *x;
  }
  result[0] = r0;
  result[1] = r1;
}

__global__ void test(int* memory, int* result) {
  int* x = memory + 0;
  int* y = memory + 64;
  if (blockIdx.x == 0 && threadIdx.x == 0) P0(x, y, result + 0);
  if (blockIdx.x == 1 && threadIdx.x == 0) P1(x, y, result + 1);
}

int main() {
  int *memory, *result;
  if (cudaMallocManaged(&memory, 128 * sizeof(int)) != cudaSuccess) return 3;
  if (cudaMallocManaged(&result, 3 * sizeof(int)) != cudaSuccess) return 3;
  memory[0] = 0;
  memory[64] = 0;
  test<<<2, 32>>>(memory, result);
  if (cudaDeviceSynchronize() != cudaSuccess) return 3;
  std::printf("0:r0=%d 1:r0=%d 1:r1=%d [x]=%d [y]=%d\n", result[0], result[1], result[2], memory[0], memory[64]);
}
