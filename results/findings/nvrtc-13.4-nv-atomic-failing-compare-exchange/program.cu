extern "C" __global__ void P0(void* x, void* y, void* flag) {
  *(int*)x = 1;
  int r1 = 1;
  __nv_atomic_store((int*)y, &r1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
}
extern "C" __global__ void P1(void* x, void* y, void* o2, void* o3, void* flag) {
  int r2 = 8, r2_new = 9;
  *(bool*)flag = __nv_atomic_compare_exchange((int*)y, &r2, &r2_new, false, __NV_ATOMIC_RELEASE, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
  *(int*)o2 = r2;
  if (r2 != 1) return;
  int r3 = *(int*)x;
  *(int*)o3 = r3;
}
