// A product of matrices with a warpgroup: two stages of tiles, and a result that goes out of two buffers in turn.

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
  d |= (uint64_t)1 << 62;
  return d;
}
__device__ __forceinline__ void mma(float (&d)[4], uint64_t a, uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b));
}
enum Mistake { none, no_store_fence, wait_read_reuse, wait_one, no_wgmma_wait };
constexpr int K = 3, S = 2;
template <Mistake m>
__device__ void gemm(const CUtensorMap &a, const CUtensorMap &b, const CUtensorMap &c) {
  extern __shared__ __align__(1024) unsigned char smem[];
  unsigned char *A = smem, *B = A + S * 8192, *C = B + S * 1024;
  uint64_t *full = (uint64_t *)(C + 2 * 2048), *empty = full + S;
  int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < S; s++) { init(&full[s], 1); init(&empty[s], 1); }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (warp == 4) {
    if (threadIdx.x == 128) for (int k = 0; k < K; k++) {
      int s = k % S;
      wait(&empty[s], k / S % 2 ^ 1);
      expect(&full[s], 8192 + 1024);
      tma_load(A + s * 8192, &a, k * 64, blockIdx.x * 64, &full[s]);
      tma_load(B + s * 1024, &b, k * 64, blockIdx.y * 8, &full[s]);
    }
  } else {
    float d[4] = {};
    for (int k = 0; k < K; k++) {
      int s = k % S;
      wait(&full[s], k / S % 2);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      for (int j = 0; j < 4; j++) mma(d, descriptor(A + s * 8192 + j * 32), descriptor(B + s * 1024 + j * 32));
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      if (m == no_wgmma_wait) asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
      else asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      asm volatile("bar.sync 1, 128;" ::: "memory");
      if (threadIdx.x == 0) arrive(&empty[s]);
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int part = 0; part < 3; part++) {
      float *out = (float *)(C + (m == wait_read_reuse ? 0 : part % 2) * 2048);
      if (part > 1 || m == wait_read_reuse || m == wait_one) {
        if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
      }
      asm volatile("bar.sync 1, 128;" ::: "memory");
      out[threadIdx.x] = d[part];
      if (m != no_store_fence) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      asm volatile("bar.sync 1, 128;" ::: "memory");
      if (threadIdx.x == 0) {
        tma_store(&c, out, part, blockIdx.x);
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      }
    }
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
#define KERNEL(name, m) extern "C" __global__ void __launch_bounds__(160) name(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c) { gemm<m>(a, b, c); }
KERNEL(wgmma_right, none)
KERNEL(wgmma_no_store_fence, no_store_fence)
KERNEL(wgmma_wait_read_reuse, wait_read_reuse)
KERNEL(wgmma_no_wait, no_wgmma_wait)
