// Functions of CUDA and of cooperative groups, by what they return, and accesses by vectors. Each kernel traps where one returns something else.
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/std/cmath>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
#define EXTERN extern "C" __global__ void

EXTERN magnitudes(int *p) {
  if (abs(-0.5f) != 0.5f || abs(-2.5) != 2.5 || abs(-(1ll << 40)) != 1ll << 40 || cuda::std::abs(-3) != 3) __trap();
  unsigned u = 5;
  int i = 3;
  if (max(u, i) != 5 || min(i, u) != 3 || max(1.0f, 2.0) != 2.0 || min(7ll, 9ull) != 7) __trap();
  if (roundf(2.5f) != 3.0f || roundf(-2.5f) != -3.0f || round(0.49999999999999994) != 0.0 || rintf(2.5f) != 2.0f) __trap();
  *p = 1;
}
EXTERN products(int *p) {
  if (__mul24(0x01000003, 2) != 6 || __umul24(0xff000003u, 2) != 6 || __mul24(0x00ffffff, 3) != -3) __trap();
  if (__dp4a(0x01020304, 0x01010101, 5) != 15 || __dp4a(-1, 1, 0) != -1) __trap();
  if (__mul64hi(1ll << 62, 4) != 1 || __umul64hi(1ull << 63, 2) != 1) __trap();
  if (__hadd(-3, -4) != -4 || __rhadd(3, 4) != 4 || __uhadd(0xffffffffu, 1) != 0x80000000u || __sad(-3, 5, 1) != 9) __trap();
  if (__funnelshift_lc(1, 2, 32) != 1 || __funnelshift_rc(1, 2, 32) != 2) __trap();
  *p = 1;
}
template <class T> struct Kind { static constexpr int value = 1; };
template <> struct Kind<signed char> { static constexpr int value = 2; };
EXTERN vectors(int *p) {
  char4 c = make_char4(1, 2, 3, 4);
  if (Kind<decltype(c.x)>::value != 2 || decltype(Kind<signed char>{})::value != 2) __trap();
  *p = make_uint1(1).x;
}
EXTERN read_misaligned(float *p, float4 *q) { *q = *(float4 *)(p + 1); }
EXTERN written_misaligned(float *p, float4 *q) { *(float4 *)(p + 1) = *q; }
EXTERN cached_misaligned(float *p, float2 *q) { *q = __ldcg((float2 *)(p + 1)); }
struct alignas(16) Own { int values[4]; };
EXTERN own_misaligned(int *p, Own *q) { *q = *(Own *)(p + 2); }
EXTERN aligned(float *p, float4 *q) { *(float4 *)(p + 4) = *q; }
EXTERN read_member(float *p, float *q) { *q = ((float4 *)(p + 1))->x; }

EXTERN matched(int *p) {
  int is_one;
  __match_all_sync(3u, threadIdx.x * 0.25f, &is_one);
  if (is_one || __match_any_sync(3u, (int)threadIdx.x) != 1u << threadIdx.x) __trap();
  p[threadIdx.x] = 1;
}
// What is compared in 64 bits is not cut to 32.
EXTERN matched_in_64_bits(int *p) {
  int is_one;
  __match_all_sync(3u, (unsigned long long)threadIdx.x << 32, &is_one);
  if (is_one) __trap();
  p[threadIdx.x] = 1;
}
EXTERN tiles_of_tiles(int *p) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto tile = cg::tiled_partition<4>(warp);
  if (tile.meta_group_size() != 8 || tile.meta_group_rank() != threadIdx.x % 32 / 4) __trap();
  p[threadIdx.x] = 1;
}
__device__ int sum(cg::thread_group group, int *words, int value) {
  int lane = group.thread_rank();
  for (int i = group.size() / 2; i > 0; i /= 2) {
    words[lane] = value;
    group.sync();
    if (lane < i) value += words[lane + i];
    group.sync();
  }
  return value;
}
__device__ int sum_without_sync(cg::thread_group group, int *words, int value) {
  words[group.thread_rank()] = value;
  return words[0];
}
EXTERN any_group(int *p) {
  __shared__ int words[4];
  int value = sum(cg::this_thread_block(), words, threadIdx.x);
  if (threadIdx.x == 0 && value != 6) __trap();
  p[threadIdx.x] = value;
}
EXTERN any_tile(int *p) {
  __shared__ int words[4];
  auto tile = cg::tiled_partition(cg::this_thread_block(), 2);
  int value = sum(tile, words + threadIdx.x / 2 * 2, threadIdx.x);
  if (tile.thread_rank() == 0 && value != (threadIdx.x == 0 ? 1 : 5)) __trap();
  p[threadIdx.x] = value;
}
EXTERN any_group_without_sync(int *p) {
  __shared__ int words[4];
  p[threadIdx.x] = sum_without_sync(cg::this_thread_block(), words, threadIdx.x);
}
EXTERN chosen_thread(int *p) {
  auto grid = cg::this_grid();
  cg::invoke_one(cg::this_thread_block(), [&] { p[grid.block_index().x] = grid.dim_blocks().x; });
}
EXTERN filled(int4 *p, int *o) {
  __shared__ int4 s[1];
  __pipeline_memcpy_async(&s[0], p, 16, 8);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  o[0] = s[0].x;
}
EXTERN filled_without_wait(int4 *p, int *o) {
  __shared__ int4 s[1];
  __pipeline_memcpy_async(&s[0], p, 16, 8);
  __pipeline_commit();
  o[0] = s[0].x;
}
EXTERN counted_by_compiler(unsigned *p) { __nv_atomic_add(p, 1u, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE); }
EXTERN counted_in_block(unsigned *p) { __nv_atomic_add(p, 1u, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK); }
EXTERN fence_of_thread(int *d, int *f, int *o) {
  if (blockIdx.x == 0) {
    *d = 1;
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_thread);
    atomicExch(f, 1);
  } else {
    while (atomicAdd(f, 0) == 0) {}
    __threadfence();
    *o = *d;
  }
}
EXTERN halves(half2 *q, int *o) {
  half2 a = q[0], b = q[1];
  o[0] = __hbeq2(a, b);
  q[1] = __hgt2(a, b);
  q[2] = half2(__ushort2half_rn(3), __float2half(1.0f));
}
EXTERN lanes(int *p) {
  unsigned lane;
  asm volatile("mov.u32 %0, %laneid;" : "=r"(lane));
  p[lane] = 1;
}
// A pointer to a pointer is one to what is constant only where what is between is constant as well.
__device__ int deep(int **) { return 1; }
__device__ int deep(const int *const *) { return 2; }
template <class T> __device__ int deep_of(T **) { return 1; }
template <class T> __device__ int deep_of(const T **) { return 2; }
EXTERN pointers_to_pointers(int *p, int *o) {
  const int *q = p;
  const int **qq = &q;
  int *r = p, **rr = &r;
  if (deep(rr) != 1 || deep(qq) != 2 || deep_of(qq) != 2 || deep_of(rr) != 1) __trap();
  *o = 1;
}
EXTERN scanned(int *p) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int through = cg::inclusive_scan(tile, 1), before = cg::exclusive_scan(tile, 2, cg::plus<int>());
  if (through != (int)tile.thread_rank() + 1 || before != 2 * (int)tile.thread_rank()) __trap();
  p[threadIdx.x] = through;
}
