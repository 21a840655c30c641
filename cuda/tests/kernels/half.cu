// Numbers of 16 bits, and pairs of them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void half_own(__half *a, const __half *b, float *o) {
  int i = threadIdx.x;
  a[i] = __hadd(a[i], b[i]) * __float2half(2.0f);
  o[i] = __half2float(a[i]);
}
extern "C" __global__ void half_neighbour(half *a) {
  int i = threadIdx.x;
  a[i] = a[i] + a[i + 1];
}
extern "C" __global__ void half_pairs(__half2 *a, const __half2 *b, float *o) {
  int i = threadIdx.x;
  a[i] = __hfma2(a[i], b[i], __float2half2_rn(2.0f));
  float2 f = __half22float2(a[i]);
  o[i] = f.x + f.y;
}
// Two threads have two halves of one pair.
extern "C" __global__ void half_of_pair(half *a) {
  int i = threadIdx.x;
  half2 *p = (half2 *)a;
  p[i] = __float2half2_rn(0.f);
  a[i] = __float2half(1.f);
}
extern "C" __global__ void half_added(__half *a, __half2 *b, __nv_bfloat16 *c) {
  atomicAdd(a, (__half)1.0f);
  atomicAdd(b, __half2half2((__half)1.0f));
  atomicAdd(c, __float2bfloat16(2.0f));
}
// An addition of both is one of each: it is no guard of what is read beside it.
extern "C" __global__ void half_added_and_read(__half *a, float *o) {
  atomicAdd(a, (__half)1.0f);
  o[threadIdx.x] = __half2float(*a);
}
extern "C" __global__ void half_shared(half *a) {
  __shared__ half s[64];
  int i = threadIdx.x;
  s[i] = a[i];
  __syncthreads();
  a[i] = s[i ^ 1];
}
extern "C" __global__ void half_shared_without_barrier(half *a) {
  __shared__ half s[64];
  int i = threadIdx.x;
  s[i] = a[i];
  a[i] = s[i ^ 1];
}
extern "C" __global__ void brain(__nv_bfloat16 *a, float *o) {
  int i = threadIdx.x;
  nv_bfloat16 v = a[i];
  v *= __float2bfloat16(2.f);
  o[i] = (float)v + __bfloat162float(hexp(-v));
  __nv_bfloat162 w = __halves2bfloat162(v, v);
  o[i] += __low2float(w);
}
extern "C" __global__ void half_reduced(half *o) {
  half v = __float2half((float)threadIdx.x);
  for (int d = 16; d > 0; d /= 2) v = __hadd(v, __shfl_down_sync(0xffffffff, v, d));
  if (threadIdx.x == 0) o[blockIdx.x] = v;
}
extern "C" __global__ void half_cached(const half *__restrict__ a, half *o) { o[threadIdx.x] = __ldg(&a[threadIdx.x]); }
extern "C" __global__ void half_compared(int *o) {
  __shared__ half s[2];
  __shared__ __nv_bfloat16 b[2];
  if (threadIdx.x == 0) {
    s[0] = __ushort_as_half(0xbc00);
    s[1] = __ushort_as_half(0x4000);
    b[0] = __ushort_as_bfloat16(0x7f80);
    b[1] = __ushort_as_bfloat16(0x7fc0);
  }
  __syncthreads();
  if (!(s[0] < s[1]) || __hmax(s[0], s[1]) != s[1] || !(-s[0] > s[0])) __trap();
  if (b[1] == b[1] || !(b[0] == b[0]) || b[0] < b[1]) __trap();
  o[threadIdx.x] = 1;
}
