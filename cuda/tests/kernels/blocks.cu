// Kernels of one block as suites of race checkers have them, right and wrong.
#include <cstdio>
#define N 64
#define AT(r, c) ((r) * 4 + (c))
#define SWAP(T, a, b) \
  do {                \
    T t = a;          \
    a = b;            \
    b = t;            \
  } while (0)
#ifdef __CUDA_ARCH__
#define ON_GPU 1
#else
#error this is for the GPU
#endif

extern "C" __global__ void shifted(int *A, int n) {
  __shared__ int s[N + 1];
  int t = threadIdx.x;
  s[t] = A[t];
  __syncthreads();
  int v = s[t + 1 < blockDim.x ? t + 1 : 0];
  __syncthreads();
  s[t] = v;
  A[t] = s[t];
}
extern "C" __global__ void shifted_wrong(int *A, int n) {
  __shared__ int s[N + 1];
  int t = threadIdx.x;
  s[t] = A[t];
  __syncthreads();
  s[t] = s[t + 1 < blockDim.x ? t + 1 : 0];
  A[t] = s[t];
}
extern "C" __global__ void own_elements(int *A) {
  A[threadIdx.x] = threadIdx.x;
  A[threadIdx.x] += 1;
}
extern "C" __global__ void neighbour(int *A) { A[threadIdx.x] = A[threadIdx.x + 1]; }
extern "C" __global__ void divergent(int *A) {
  if (threadIdx.x == 0) {
    A[0] = 1;
    __syncthreads();
  } else {
    A[threadIdx.x] = 2;
    __syncthreads();
  }
}
extern "C" __global__ void early_end(int *A, int n) {
  __shared__ int s[N];
  if (threadIdx.x >= 1) return;
  s[threadIdx.x] = 1;
  __syncthreads();
  A[0] = s[0];
}
extern "C" __global__ void two_dimensions(int *out) {
  __shared__ int tile[4][4];
  tile[threadIdx.y][threadIdx.x] = AT(threadIdx.y, threadIdx.x);
  __syncthreads();
  out[AT(threadIdx.y, threadIdx.x)] = tile[threadIdx.x][threadIdx.y];
}
extern "C" __global__ void two_dimensions_wrong(int *out) {
  __shared__ int tile[4][4];
  tile[threadIdx.y][threadIdx.x] = AT(threadIdx.y, threadIdx.x);
  out[AT(threadIdx.y, threadIdx.x)] = tile[threadIdx.x][threadIdx.y];
}
extern "C" __global__ void dynamic(float *out) {
  extern __shared__ float buffer[];
  buffer[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void dynamic_wrong(float *out) {
  extern __shared__ float buffer[];
  buffer[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void cases(int *out) {
  int v = 0;
  switch (threadIdx.x & 3) {
    case 0:
      v = 1;
      break;
    case 1:
    case 2: v = 2;
    // falls through
    default: v += 3;
  }
  out[threadIdx.x] = v;
  if (v != 1 && v != 3 && v != 5) __trap();
}
// Each thread of a pair writes the same place.
extern "C" __global__ void cases_wrong(int *out) {
  switch (threadIdx.x % 2) {
    case 0: out[0] = 1; break;
    case 1: out[0] = 2; break;
  }
}
extern "C" __global__ void swapped(int *A) {
  int i = 2 * threadIdx.x, a = A[i], b = A[i + 1];
  SWAP(int, a, b);
  A[i] = a, A[i + 1] = b;
}
extern "C" __global__ void loops(int *A) {
  int sum = 0;
#pragma unroll
  for (int i = 0; i < 10; ++i) {
    if (i == 3) continue;
    if (i == 6) break;
    sum += i;
  }
  int n = 3;
  do sum += n--;
  while (n > 0);
  while (1) {
    if (++n > 4) break;
  }
  A[threadIdx.x] = sum + n;
  if (sum + n != 1 + 2 + 4 + 5 + 3 + 2 + 1 + 5) __trap();
}
extern "C" __global__ void types(unsigned char *bytes, short *shorts, long long *wide, bool *truth) {
  int i = threadIdx.x;
  unsigned char c = (unsigned char)(250 + 10);
  signed char s = (signed char)200;
  short h = (short)70000;
  unsigned u = 3000000000u;
  long long w = (long long)u * 2 - 1;
  bool b = w;
  if (c != 4 || s != -56 || h != 4464 || w != 5999999999ll || !b || sizeof(h) != 2 || -1 > 0u == false) __trap();
  if ((u >> 31) != 1 || ((int)u >> 31) != -1 || (7 / -2) != -3 || (-7 % 3) != -1 || (1 << 4 | 1) != 17) __trap();
  bytes[i] = c, shorts[i] = h, wide[i] = w, truth[i] = b;
}
extern "C" __global__ void pointers(int *A) {
  int local[4] = {1, 2};
  int *p = local, **pp = &p;
  *p++ = 5;
  (*pp)[0] += 7;
  int *end = &local[4];
  if (end - p != 3 || local[0] != 5 || local[1] != 9 || local[2] != 0 || p[-1] != 5) __trap();
  A[threadIdx.x] = *(p - 1);
}
extern "C" __global__ void printed(const int *A) { printf("%d %d\n", threadIdx.x, A[threadIdx.x]); }
