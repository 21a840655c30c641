// Kernels for Hopper in the launches for which they are written: a tile that is changed where it lies and copied back, halves of a tile that two blocks
// of a cluster multicast to each other, tiles of a grid that are stored through a tensor map, and a sum of several devices through multimem addresses.

#include <cstdint>
#include <cuda.h>

__device__ __forceinline__ uint32_t address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void init(uint64_t *bar, uint32_t count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(bar)), "r"(count) : "memory"); }
__device__ __forceinline__ void expect(uint64_t *bar, uint32_t bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(bar)), "r"(bytes) : "memory"); }
__device__ __forceinline__ void arrive(uint64_t *bar) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(bar)) : "memory"); }
__device__ __forceinline__ void arrive_at(uint64_t *bar, uint32_t block) {
  asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(address(bar)), "r"(block) : "memory");
}
__device__ __forceinline__ void wait(uint64_t *bar, uint32_t parity) {
  asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n@done bra.uni over;\nbra.uni again;\nover:\n}\n" ::"r"(address(bar)), "r"(parity) : "memory");
}
__device__ __forceinline__ void load(void *to, const void *from, uint32_t bytes, uint64_t *bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(to)), "l"(from), "r"(bytes), "r"(address(bar)) : "memory");
}
__device__ __forceinline__ void load_to_both(void *to, const void *from, uint32_t bytes, uint64_t *bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(address(to)), "l"(from), "r"(bytes), "r"(address(bar)), "h"((uint16_t)3) : "memory");
}
__device__ __forceinline__ void store(void *to, const void *from, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(address(from)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void stored() { asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory"); }
__device__ __forceinline__ void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ __forceinline__ void all_of_the_cluster() { asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory"); }

// One warp copies, the other one changes the tile where it lies and copies it back.
template <bool fenced, int arrivals = 1>
__device__ void changed_in_place(const float *in, float *out) {
  __shared__ alignas(128) float tile[32];
  __shared__ alignas(8) uint64_t full;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) { init(&full, arrivals); asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
  __syncthreads();
  if (warp == 0) {
    if (lane == 0) { expect(&full, 128); load(tile, in + blockIdx.x * 32, 128, &full); }
  } else {
    wait(&full, 0);
    float a = tile[lane];
    tile[lane] = a + 1;
    if (fenced) fence_async();
    __syncwarp();
    if (lane == 0) { store(out + blockIdx.x * 32, tile, 128); stored(); }
  }
}
extern "C" __global__ void __launch_bounds__(64) in_place(const float *in, float *out) { changed_in_place<true>(in, out); }
extern "C" __global__ void __launch_bounds__(64) in_place_without_fence(const float *in, float *out) { changed_in_place<false>(in, out); }
extern "C" __global__ void __launch_bounds__(64) in_place_of_two(const float *in, float *out) { changed_in_place<true, 2>(in, out); }

// Each block brings one half of a tile to both; a stage is released at both, too.
enum Halves { right, released_at_home, begun_too_early };
template <Halves how>
__device__ void halves_of_both(const float *in, float *out) {
  __shared__ alignas(128) float tile[2][32];
  __shared__ alignas(8) uint64_t full, empty, unused;
  uint32_t rank; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    init(&full, 1); init(&empty, how == released_at_home ? 1 : 2); init(&unused, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  if (how == begun_too_early) __syncthreads(); else all_of_the_cluster();
  for (int i = 0; i < (how == right ? 1 : 2); i++) {
    if (warp == 0) {
      if (lane == 0) {
        wait(&empty, i ^ 1);
        expect(&full, 256);
        load_to_both(tile[rank], in + (i * 2 + rank) * 32, 128, &full);
      }
    } else {
      wait(&full, i);
      out[(blockIdx.x * 2 + i) * 32 + lane] = tile[0][lane] + tile[1][lane];
      __syncwarp();
      if (how == released_at_home) { if (lane == 0) arrive(&empty); } else if (lane < 2) arrive_at(&empty, lane);
    }
  }
  __syncwarp();
  all_of_the_cluster();
}
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(64) halves(const float *in, float *out) { halves_of_both<right>(in, out); }
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(64) halves_released_at_home(const float *in, float *out) { halves_of_both<released_at_home>(in, out); }
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(64) halves_begun_too_early(const float *in, float *out) { halves_of_both<begun_too_early>(in, out); }

// Each block stores a tile of its own, or all the same one.
template <bool own>
__device__ void stored_tile(const CUtensorMap &to, float *sum) {
  __shared__ alignas(128) float tile[32];
  __shared__ alignas(8) uint64_t bar;
  if (threadIdx.x == 0) init(&bar, 32);
  __syncthreads();
  sum[blockIdx.x * 32 + threadIdx.x] = 0;
  tile[threadIdx.x] = 1;
  fence_async();
  arrive(&bar);
  wait(&bar, 0);
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&to), "r"(address(tile)), "r"(own ? blockIdx.x * 8 : 0), "r"(0) : "memory");
    stored();
  }
}
extern "C" __global__ void __launch_bounds__(32) tiles_of_blocks(const __grid_constant__ CUtensorMap to, float *sum) { stored_tile<true>(to, sum); }
extern "C" __global__ void __launch_bounds__(32) tiles_at_one_place(const __grid_constant__ CUtensorMap to, float *sum) { stored_tile<false>(to, sum); }

// A device tells the others that its part is there, waits for theirs, and sums up; two threads share what is summed.
template <bool waits>
__device__ void summed(float *parts, uint32_t *told, const float *mine, uint32_t devices) {
  parts[threadIdx.x] = mine[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("multimem.red.release.sys.global.add.u32 [%0], 1;" ::"l"(told) : "memory");
    uint32_t come;
    do asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(come) : "l"(told) : "memory"); while (come < devices);
  }
  if (waits) __syncthreads();
  float sum;
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f32 %0, [%1];" : "=f"(sum) : "l"(parts + (threadIdx.x ^ 1)) : "memory");
  if (waits) __syncthreads();
  asm volatile("multimem.st.weak.global.f32 [%0], %1;" ::"l"(parts + threadIdx.x), "f"(sum) : "memory");
}
extern "C" __global__ void all_reduced(float *parts, uint32_t *told, const float *mine, uint32_t devices) { summed<true>(parts, told, mine, devices); }
extern "C" __global__ void all_reduced_too_early(float *parts, uint32_t *told, const float *mine, uint32_t devices) { summed<false>(parts, told, mine, devices); }
