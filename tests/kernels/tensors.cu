// A product of matrices as kernels with tensor maps make it: one elected lane copies parts of two tensors, two warps compute, and one thread copies the
// result out of shared memory.

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
constexpr int K = 2, S = 1;
enum Mistake { none, no_fence, no_barrier, early_release };
template <Mistake m>
__device__ void gemm(const CUtensorMap &a, const CUtensorMap &b, const CUtensorMap &c) {
  extern __shared__ __align__(1024) unsigned char smem[];
  float *A = (float *)smem, *B = A + S * 64, *C = B + S * 64;
  uint64_t *full = (uint64_t *)(C + 64), *empty = full + S;
  int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&a));
    for (int s = 0; s < S; s++) { init(&full[s], 1); init(&empty[s], 64); }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (warp == 0) {
    uint32_t leader; asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(leader));
    if (leader) for (int k = 0; k < K; k++) {
      int s = k % S;
      wait(&empty[s], k / S % 2 ^ 1);
      expect(&full[s], 512);
      tma_load(A + s * 64, &a, k, blockIdx.x, &full[s]);
      tma_load(B + s * 64, &b, k, blockIdx.y, &full[s]);
    }
  } else {
    float sum = 0; int t = threadIdx.x - 32;
    for (int k = 0; k < K; k++) {
      int s = k % S;
      wait(&full[s], k / S % 2);
      if (m == early_release) arrive(&empty[s]);
      sum += A[s * 64 + t] * B[s * 64 + (t ^ 1)];
      if (m != early_release) arrive(&empty[s]);
    }
    C[t] = sum;
    if (m != no_fence) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if (m != no_barrier) asm volatile("bar.sync 1, 64;" ::: "memory");
    if (t == 0) {
      tma_store(&c, C, 0, blockIdx.x);
      asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
    }
  }
}
extern "C" __global__ void __launch_bounds__(96) product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c) { gemm<none>(a, b, c); }
extern "C" __global__ void __launch_bounds__(96) product_without_fence(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c) { gemm<no_fence>(a, b, c); }
extern "C" __global__ void __launch_bounds__(96) product_without_barrier(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c) { gemm<no_barrier>(a, b, c); }
extern "C" __global__ void __launch_bounds__(96) product_released_too_early(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c) { gemm<early_release>(a, b, c); }
