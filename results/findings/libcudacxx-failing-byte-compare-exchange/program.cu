#include <cuda/atomic>
extern "C" __global__ void P0(void* x, void* y, void* o1, void* flag) {
  *(int*)x = 1;
  short r1 = cuda::atomic_ref<short, cuda::thread_scope_device>(*(short*)y).exchange(1, cuda::std::memory_order_release);
  *(short*)o1 = r1;
}
extern "C" __global__ void P1(void* x, void* y, void* o2, void* o3, void* flag) {
  short r2 = 8;
  *(bool*)flag = cuda::atomic_ref<short, cuda::thread_scope_device>(*(short*)y).compare_exchange_strong(r2, 9, cuda::std::memory_order_acquire, cuda::std::memory_order_acquire);
  *(short*)o2 = r2;
  if (r2 != 1) return;
  int r3 = *(int*)x;
  *(int*)o3 = r3;
}
