#include <cuda/atomic>
extern "C" __global__ void P0(void* x, void* o0, void* flag) {
  int r0 = 1;
  *(bool*)flag = cuda::atomic_ref<int, cuda::thread_scope_device>(*(int*)x).compare_exchange_strong(r0, 2, cuda::std::memory_order_acquire, cuda::std::memory_order_acquire);
  *(int*)o0 = r0;
}
extern "C" __global__ void P1(void* x, void* o1, void* flag) {
  int r1 = 9;
  *(bool*)flag = cuda::atomic_ref<int, cuda::thread_scope_block>(*(int*)x).compare_exchange_strong(r1, 10, cuda::std::memory_order_acq_rel, cuda::std::memory_order_relaxed);
  *(int*)o1 = r1;
  cuda::atomic_ref<int, cuda::thread_scope_device>(*(int*)x).store(1, cuda::std::memory_order_release);
}
