// What compilers other than nvcc have as their own, and copies of memory.
__device__ int data; __device__ int flag; __device__ unsigned count;
__global__ void mp(int *out) {
  if (blockIdx.x == 0) { data = 1; __atomic_store_n(&flag, 1, __ATOMIC_RELEASE); }
  else { while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 0) {} out[0] = data; }
}
__global__ void mp_bad(int *out) {
  if (blockIdx.x == 0) { data = 1; __scoped_atomic_store_n(&flag, 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_WRKGRP); }
  else { while (__scoped_atomic_load_n(&flag, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE) == 0) {} out[0] = data; }
}
__global__ void lock(int *x) {
  int e = 0;
  while (!__atomic_compare_exchange_n(&flag, &e, 1, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) e = 0;
  *x += 1;
  __scoped_atomic_store_n(&flag, 0, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
}
__global__ void sum(unsigned *x) { __scoped_atomic_fetch_add(&count, 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
__global__ void copies(int *p, int *q) { int t[4]; memcpy(t, p + 4 * threadIdx.x, 16); memset(p + 4 * threadIdx.x, 0, 16); memcpy(q + 4 * threadIdx.x, t, sizeof(t)); }
__global__ void copies_bad(int *p, int *q) { memcpy(q, p + 4 * threadIdx.x, 16); }
