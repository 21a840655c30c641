void P0(void* x, void* y, void* o1, void* flag) {
  __atomic_store_n((int*)x, 1, __ATOMIC_SEQ_CST);
  int r1 = 7;
  *(unsigned char*)flag = __atomic_compare_exchange_n((int*)y, &r1, 8, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  *(int*)o1 = r1;
}
void P1(void* x, void* y, void* o3, void* flag) {
  __atomic_store_n((int*)y, 1, __ATOMIC_SEQ_CST);
  int r3 = __atomic_load_n((int*)x, __ATOMIC_SEQ_CST);
  *(int*)o3 = r3;
}
