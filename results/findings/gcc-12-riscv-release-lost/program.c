void P0(void* x, void* y, void* o1, void* flag) {
  *(int*)x = 1;
  int r1 = 0;
  *(unsigned char*)flag = __atomic_compare_exchange_n((int*)y, &r1, 1, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
  *(int*)o1 = r1;
}
void P1(void* x, void* y, void* o2, void* o3, void* flag) {
  int r2 = __atomic_load_n((int*)y, __ATOMIC_ACQUIRE);
  *(int*)o2 = r2;
  if (r2 != 1) return;
  int r3 = *(int*)x;
  *(int*)o3 = r3;
}
