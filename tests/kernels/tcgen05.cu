// A product of matrices into tensor memory: 128 by 64 elements, three rounds of two stages.

#include <cstdint>
#include <cuda.h>
__device__ __forceinline__ uint32_t address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void init(uint64_t *bar, uint32_t count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(bar)), "r"(count) : "memory"); }
__device__ __forceinline__ void arrive(uint64_t *bar) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(bar)) : "memory"); }
__device__ __forceinline__ void expect(uint64_t *bar, uint32_t bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(bar)), "r"(bytes) : "memory"); }
__device__ __forceinline__ void wait(uint64_t *bar, uint32_t parity) {
  asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@done bra.uni over;\nbra.uni again;\nover:\n}\n" ::"r"(address(bar)), "r"(parity) : "memory");
}
__device__ __forceinline__ void tma_load(void *to, const CUtensorMap *map, int x, int y, uint64_t *bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(address(to)), "l"(map), "r"(address(bar)), "r"(x), "r"(y) : "memory");
}
__device__ __forceinline__ void tma_store(const CUtensorMap *map, const void *from, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map), "r"(address(from)), "r"(x), "r"(y) : "memory");
}

__device__ __forceinline__ uint64_t descriptor(const void *p) {
  uint64_t d = 0;
  d |= (uint64_t)((address(p) & 0x3FFFF) >> 4);
  d |= (uint64_t)1 << 16;
  d |= (uint64_t)64 << 32;
  d |= (uint64_t)1 << 46;
  d |= (uint64_t)2 << 61;
  return d;
}
enum Mistake { none, no_commit_wait, no_fill_wait, early_fill, no_store_fence };
constexpr int K = 3, S = 2, M = 128, N = 64;
template <Mistake m>
__device__ void gemm(const CUtensorMap &a, const CUtensorMap &b, float *c) {
  extern __shared__ __align__(1024) unsigned char smem[];
  __shared__ __align__(8) uint64_t full[S], empty[S], done;
  __shared__ uint32_t tmem;
  unsigned char *A = smem, *B = A + S * M * 128;
  int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < S; s++) { init(&full[s], 1); init(&empty[s], 1); }
    init(&done, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  if (warp == 0) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(address(&tmem)) : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
  }
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  uint32_t d = tmem;
  if (threadIdx.x == 128) {
    for (int k = 0; k < K; k++) {
      int s = k % S;
      if (m != early_fill) wait(&empty[s], k / S % 2 ^ 1);
      expect(&full[s], (M + N) * 128);
      tma_load(A + s * M * 128, &a, k * 64, blockIdx.x * M, &full[s]);
      tma_load(B + s * N * 128, &b, k * 64, blockIdx.y * N, &full[s]);
    }
  } else if (threadIdx.x == 160) {
    uint32_t idesc = 1u << 4 | (N / 8) << 17 | (M / 16) << 24;
    for (int k = 0; k < K; k++) {
      int s = k % S;
      if (m != no_fill_wait) wait(&full[s], k / S % 2);
      asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
      for (int j = 0; j < 4; j++) {
        uint32_t acc = k > 0 || j > 0;
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\ntcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}\n" ::"r"(d), "l"(descriptor(A + s * M * 128 + j * 32)), "l"(descriptor(B + s * N * 128 + j * 32)), "r"(idesc), "r"(acc) : "memory");
      }
      asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(address(&empty[s])) : "memory");
    }
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(address(&done)) : "memory");
  }
  __syncwarp();
  if (warp < 4) {
    if (m != no_commit_wait) wait(&done, 0);
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
#pragma unroll 1
    for (int n = 0; n < N; n += 4) {
      uint32_t r[4];
      asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(d + (warp << 21) + n));
      asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
      for (int i = 0; i < 4; i++) c[(blockIdx.x * M + threadIdx.x) * N + n + i] = __uint_as_float(r[i]);
    }
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  }
  __syncthreads();
  if (warp == 0) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(d));
}
#define KERNEL(name, m) extern "C" __global__ void __launch_bounds__(192) name(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c) { gemm<m>(a, b, c); }
KERNEL(tcgen05_right, none)
KERNEL(tcgen05_no_commit_wait, no_commit_wait)
KERNEL(tcgen05_no_fill_wait, no_fill_wait)
KERNEL(tcgen05_early_fill, early_fill)
