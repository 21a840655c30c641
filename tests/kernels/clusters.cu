// Blocks of a cluster that write each other's shared memory.

#include <cooperative_groups.h>
#include <cstdint>

namespace cg = cooperative_groups;

__device__ __forceinline__ uint32_t address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

template <bool awaited>
__device__ void exchanged(int *out) {
  __shared__ int mine;
  auto cluster = cg::this_cluster();
  int *theirs = cluster.map_shared_rank(&mine, cluster.block_rank() ^ 1);
  *theirs = blockIdx.x + 1;
  if (awaited) cluster.sync();
  out[blockIdx.x] = mine;
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) neighbours(int *out) { exchanged<true>(out); }
extern "C" __global__ void __cluster_dims__(2, 1, 1) neighbours_without_barrier(int *out) { exchanged<false>(out); }

// An arrival that orders nothing, with a fence in front of it or without one.
template <bool fenced>
__device__ void relaxed(int *out) {
  __shared__ int mine;
  auto cluster = cg::this_cluster();
  int *theirs = cluster.map_shared_rank(&mine, cluster.block_rank() ^ 1);
  *theirs = blockIdx.x + 1;
  if (fenced) asm volatile("fence.acq_rel.cluster;" ::: "memory");
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  out[blockIdx.x] = mine;
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) neighbours_fenced(int *out) { relaxed<true>(out); }
extern "C" __global__ void __cluster_dims__(2, 1, 1) neighbours_relaxed(int *out) { relaxed<false>(out); }

// The block of rank 1 stores asynchronously into shared memory of the block of rank 0, and tells its mbarrier. It must see that the mbarrier is one.
template <bool init_seen, bool awaited>
__device__ void sent(int *out) {
  __shared__ alignas(8) uint64_t bar;
  __shared__ int box;
  auto cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank();
  if (rank == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&bar)) : "memory");
    if (init_seen) asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4;" ::"r"(address(&bar)) : "memory");
  }
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  if (rank == 1) {
    uint32_t far_box, far_bar;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(far_box) : "r"(address(&box)));
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(far_bar) : "r"(address(&bar)));
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(far_box), "r"(7), "r"(far_bar)
                 : "memory");
  } else {
    if (awaited)
      asm volatile(
          "{\n"
          ".reg .pred done;\n"
          "again:\n"
          "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], 0;\n"
          "@!done bra.uni again;\n"
          "}\n" ::"r"(address(&bar)) : "memory");
    out[blockIdx.x] = box;
  }
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) sent_to_neighbour(int *out) { sent<true, true>(out); }
extern "C" __global__ void __cluster_dims__(2, 1, 1) sent_without_init_fence(int *out) { sent<false, true>(out); }
extern "C" __global__ void __cluster_dims__(2, 1, 1) sent_and_not_awaited(int *out) { sent<true, false>(out); }
