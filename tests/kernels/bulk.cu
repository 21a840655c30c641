// Bulk copies that complete on mbarriers or in groups: a tile comes from global memory, is doubled in shared memory, and goes back.

#include <cstdint>

__device__ __forceinline__ uint32_t address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ __forceinline__ void init(uint64_t *bar, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(bar)), "r"(count) : "memory");
}
__device__ __forceinline__ void expect(uint64_t *bar, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(bar)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void wait(uint64_t *bar, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra.uni over;\n"
      "bra.uni again;\n"
      "over:\n"
      "}\n" ::"r"(address(bar)), "r"(parity) : "memory");
}
__device__ __forceinline__ void load(void *to, const void *from, uint32_t bytes, uint64_t *bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(to)),
               "l"(from), "r"(bytes), "r"(address(bar)) : "memory");
}
__device__ __forceinline__ void store(void *to, const void *from, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(address(from)), "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

constexpr int threads = 4;

// What a version leaves out or gets wrong.
enum Mistake { none, no_fence, fence_behind, wrong_parity, no_init_barrier, too_few_bytes, no_wait, overwritten };

template <Mistake mistake>
__device__ void doubled(const int *in, int *out) {
  __shared__ alignas(128) int tile[threads];
  __shared__ alignas(8) uint64_t full;
  if (threadIdx.x == 0) {
    init(&full, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  if (mistake != no_init_barrier) __syncthreads();
  if (threadIdx.x == 0) {
    expect(&full, mistake == too_few_bytes ? sizeof(tile) / 2 : sizeof(tile));
    load(tile, in + threads * blockIdx.x, sizeof(tile), &full);
  }
  if (mistake != no_wait) wait(&full, mistake == wrong_parity ? 1 : 0);
  tile[threadIdx.x] *= 2;
  if (mistake != no_fence && mistake != fence_behind) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    store(out + threads * blockIdx.x, tile, sizeof(tile));
    if (mistake == fence_behind) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if (mistake != overwritten) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    tile[0] = 0;
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

extern "C" __global__ void bulk(const int *in, int *out) { doubled<none>(in, out); }
extern "C" __global__ void bulk_without_fence(const int *in, int *out) { doubled<no_fence>(in, out); }
extern "C" __global__ void bulk_fence_behind(const int *in, int *out) { doubled<fence_behind>(in, out); }
extern "C" __global__ void bulk_wrong_parity(const int *in, int *out) { doubled<wrong_parity>(in, out); }
extern "C" __global__ void bulk_init_not_awaited(const int *in, int *out) { doubled<no_init_barrier>(in, out); }
extern "C" __global__ void bulk_too_few_bytes(const int *in, int *out) { doubled<too_few_bytes>(in, out); }
extern "C" __global__ void bulk_not_awaited(const int *in, int *out) { doubled<no_wait>(in, out); }
extern "C" __global__ void bulk_overwritten(const int *in, int *out) { doubled<overwritten>(in, out); }

// Shared memory that was written before a copy fills it: the fence stands between the two as well.
template <bool fenced>
__device__ void filled(const int *in, int *out) {
  __shared__ alignas(128) int tile[threads];
  __shared__ alignas(8) uint64_t full;
  tile[threadIdx.x] = -1;
  if (threadIdx.x == 0) init(&full, 1);
  if (fenced) asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(&full, sizeof(tile));
    load(tile, in, sizeof(tile), &full);
  }
  wait(&full, 0);
  out[threads * blockIdx.x + threadIdx.x] = tile[threadIdx.x];
}
extern "C" __global__ void bulk_filled(const int *in, int *out) { filled<true>(in, out); }
extern "C" __global__ void bulk_filled_without_fence(const int *in, int *out) { filled<false>(in, out); }
