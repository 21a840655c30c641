// Coherence-7-events-source: forbidden (axiom Coherence) by rc11-scoped
// exists (0:r0=1 /\ 2:r0=3 /\ 2:r1=0 /\ [x]=3)
#include <cstdio>
#include <cuda/atomic>

__device__ void P0(int* x, int* result) {
  int r0 = 0;
  r0 = cuda::atomic_ref<int, cuda::thread_scope_device>(*x).exchange(2, cuda::std::memory_order_seq_cst);
  if (r0 == 1) {
    cuda::atomic_ref<int, cuda::thread_scope_device>(*x).store(3, cuda::std::memory_order_relaxed);
  }
  result[0] = r0;
}

__device__ void P1(int* x, int* y, int* result) {
  *y = 1;
  cuda::atomic_ref<int, cuda::thread_scope_device>(*x).store(1, cuda::std::memory_order_release);
}

__device__ void P2(int* x, int* y, int* result) {
  int r0 = 0, r1 = 0;
  r0 = cuda::atomic_ref<int, cuda::thread_scope_device>(*x).load(cuda::std::memory_order_acquire);
  if (r0 == 3) {
    r1 = *y;
  }
  result[0] = r0;
  result[1] = r1;
}

__global__ void test(int* memory, int* result) {
  int* x = memory + 0;
  int* y = memory + 64;
  if (blockIdx.x == 0 && threadIdx.x == 0) P0(x, result + 0);
  if (blockIdx.x == 1 && threadIdx.x == 0) P1(x, y, result + 1);
  if (blockIdx.x == 2 && threadIdx.x == 0) P2(x, y, result + 1);
}

int main() {
  int *memory, *result;
  if (cudaMallocManaged(&memory, 128 * sizeof(int)) != cudaSuccess) return 3;
  if (cudaMallocManaged(&result, 3 * sizeof(int)) != cudaSuccess) return 3;
  memory[0] = 0;
  memory[64] = 0;
  test<<<3, 32>>>(memory, result);
  if (cudaDeviceSynchronize() != cudaSuccess) return 3;
  std::printf("0:r0=%d 2:r0=%d 2:r1=%d [x]=%d [y]=%d\n", result[0], result[1], result[2], memory[0], memory[64]);
}
