// A kernel of 160 threads whose warps have roles: the first one copies, the four others compute, and one lane of each releases a stage for all.

#include <cstdint>

__device__ __forceinline__ uint32_t address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void init(uint64_t *bar, uint32_t count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(bar)), "r"(count) : "memory"); }
__device__ __forceinline__ void arrive(uint64_t *bar) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(bar)) : "memory"); }
__device__ __forceinline__ void expect(uint64_t *bar, uint32_t bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(bar)), "r"(bytes) : "memory"); }
__device__ __forceinline__ void wait(uint64_t *bar, uint32_t parity) {
  asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@done bra.uni over;\nbra.uni again;\nover:\n}\n" ::"r"(address(bar)), "r"(parity) : "memory");
}
__device__ __forceinline__ void load(void *to, const void *from, uint32_t bytes, uint64_t *bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(to)), "l"(from), "r"(bytes), "r"(address(bar)) : "memory");
}
struct Params { const float *in; float *out; int rounds; };
template <bool synced>
__device__ void summed(Params p) {
  __shared__ alignas(128) float tile[2][128];
  __shared__ alignas(8) uint64_t full[2], empty[2];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < 2; s++) { init(&full[s], 1); init(&empty[s], 4); }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (warp == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (lane == 0) for (int i = 0; i < p.rounds; i++) {
      int s = i % 2;
      wait(&empty[s], i / 2 % 2 ^ 1);
      expect(&full[s], sizeof(tile[s]));
      load(tile[s], p.in + i * 128, sizeof(tile[s]), &full[s]);
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float sum = 0; int t = threadIdx.x - 32;
    for (int i = 0; i < p.rounds; i++) {
      int s = i % 2;
      wait(&full[s], i / 2 % 2);
      sum += tile[s][t];
      if (synced) __syncwarp();
      if (lane == 0) arrive(&empty[s]);
    }
    p.out[blockIdx.x * 128 + t] = sum;
  }
}
extern "C" __global__ void __launch_bounds__(160) specialised(const float *in, float *out) { summed<true>(Params{in, out, 3}); }
extern "C" __global__ void __launch_bounds__(160) specialised_unsynced(const float *in, float *out) { summed<false>(Params{in, out, 3}); }
extern "C" __global__ void __launch_bounds__(160) specialised_params(const __grid_constant__ Params p) { summed<true>(p); }
