void P0(void* x, void* y, void* flag) {
  *(int*)x = 1;
  __atomic_store_n((int*)y, 1, __ATOMIC_RELEASE);
}
void P1(void* x, void* y, void* o2, void* o3, void* flag) {
  int r2 = 8;
  *(unsigned char*)flag = __atomic_compare_exchange_n((int*)y, &r2, 9, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE);
  *(int*)o2 = r2;
  if (r2 != 1) return;
  int r3 = *(int*)x;
  *(int*)o3 = r3;
}
