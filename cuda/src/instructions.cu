// `cuda::ptx`: the instructions of synchronisation and of asynchronous copies as functions; read behind asynchronous.cu.

namespace cuda {
namespace ptx {
enum class dot_sem { acq_rel, acquire, relaxed, release, sc, weak };
enum class dot_space { global, cluster, shared };
enum class dot_scope { cta, cluster, gpu, sys };
template <dot_sem S> struct sem_t { static constexpr dot_sem value = S; };
template <dot_space S> struct space_t { static constexpr dot_space value = S; };
template <dot_scope S> struct scope_t { static constexpr dot_scope value = S; };
template <int N> struct n32_t { static constexpr int value = N; };
template <int N> inline constexpr n32_t<N> n32{};
#define MARGAY_TAG(KIND, NAME)                                                                             \
  typedef KIND##_t<dot_##KIND::NAME> KIND##_##NAME##_t;                                                     \
  inline constexpr KIND##_##NAME##_t KIND##_##NAME{};
MARGAY_TAG(sem, acq_rel)
MARGAY_TAG(sem, acquire)
MARGAY_TAG(sem, relaxed)
MARGAY_TAG(sem, release)
MARGAY_TAG(sem, sc)
MARGAY_TAG(sem, weak)
MARGAY_TAG(space, global)
MARGAY_TAG(space, cluster)
MARGAY_TAG(space, shared)
MARGAY_TAG(scope, cta)
MARGAY_TAG(scope, cluster)
MARGAY_TAG(scope, gpu)
MARGAY_TAG(scope, sys)
#define MARGAY_SHARED(P) (unsigned)__cvta_generic_to_shared(P)
#define MARGAY_GLOBAL(P) (unsigned long long)__cvta_generic_to_global(P)

// Fences.
#define MARGAY_FENCES(SEM)                                                                                 \
  template <class S> __device__ inline void fence(sem_##SEM##_t, S) {                                       \
    if constexpr (S::value == dot_scope::cta) asm volatile("fence." #SEM ".cta;" ::: "memory");             \
    else if constexpr (S::value == dot_scope::cluster) asm volatile("fence." #SEM ".cluster;" ::: "memory"); \
    else if constexpr (S::value == dot_scope::gpu) asm volatile("fence." #SEM ".gpu;" ::: "memory");        \
    else asm volatile("fence." #SEM ".sys;" ::: "memory");                                                  \
  }
MARGAY_FENCES(sc)
MARGAY_FENCES(acq_rel)
MARGAY_FENCES(acquire)
MARGAY_FENCES(release)
__device__ inline void fence_mbarrier_init(sem_release_t, scope_cluster_t) { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ inline void fence_proxy_alias() { asm volatile("fence.proxy.alias;" ::: "memory"); }
__device__ inline void fence_proxy_async() { asm volatile("fence.proxy.async;" ::: "memory"); }
__device__ inline void fence_proxy_async(space_global_t) { asm volatile("fence.proxy.async.global;" ::: "memory"); }
__device__ inline void fence_proxy_async(space_shared_t) { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ inline void fence_proxy_async(space_cluster_t) { asm volatile("fence.proxy.async.shared::cluster;" ::: "memory"); }
#define MARGAY_TENSORMAP(SCOPE)                                                                            \
  __device__ inline void fence_proxy_tensormap_generic(sem_release_t, scope_##SCOPE##_t) { asm volatile("fence.proxy.tensormap::generic.release." #SCOPE ";" ::: "memory"); } \
  __device__ inline void fence_proxy_tensormap_generic(sem_acquire_t, scope_##SCOPE##_t, const void *p, n32_t<128>) { asm volatile("fence.proxy.tensormap::generic.acquire." #SCOPE " [%0], 128;" ::"l"(p) : "memory"); }
MARGAY_TENSORMAP(cta)
MARGAY_TENSORMAP(cluster)
MARGAY_TENSORMAP(gpu)
MARGAY_TENSORMAP(sys)

// Barriers of a cluster.
__device__ inline void barrier_cluster_arrive() { asm volatile("barrier.cluster.arrive;" ::: "memory"); }
__device__ inline void barrier_cluster_wait() { asm volatile("barrier.cluster.wait;" ::: "memory"); }
__device__ inline void barrier_cluster_arrive(sem_release_t) { asm volatile("barrier.cluster.arrive.release;" ::: "memory"); }
__device__ inline void barrier_cluster_arrive(sem_relaxed_t) { asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory"); }
__device__ inline void barrier_cluster_wait(sem_acquire_t) { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }

// mbarriers.
__device__ inline void mbarrier_init(uint64_t *b, unsigned count) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(MARGAY_SHARED(b)), "r"(count) : "memory"); }
__device__ inline void mbarrier_inval(uint64_t *b) { asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(MARGAY_SHARED(b)) : "memory"); }
__device__ inline uint64_t mbarrier_arrive(uint64_t *b) { uint64_t state; asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(MARGAY_SHARED(b)) : "memory"); return state; }
__device__ inline uint64_t mbarrier_arrive(uint64_t *b, unsigned count) { uint64_t state; asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(MARGAY_SHARED(b)), "r"(count) : "memory"); return state; }
__device__ inline uint64_t mbarrier_arrive_no_complete(uint64_t *b, unsigned count) { uint64_t state; asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;" : "=l"(state) : "r"(MARGAY_SHARED(b)), "r"(count) : "memory"); return state; }
#define MARGAY_ARRIVALS(SEM, SCOPE)                                                                        \
  __device__ inline uint64_t mbarrier_arrive(sem_##SEM##_t, scope_##SCOPE##_t, space_shared_t, uint64_t *b) { uint64_t state; asm volatile("mbarrier.arrive." #SEM "." #SCOPE ".shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(MARGAY_SHARED(b)) : "memory"); return state; } \
  __device__ inline uint64_t mbarrier_arrive(sem_##SEM##_t, scope_##SCOPE##_t, space_shared_t, uint64_t *b, unsigned n) { uint64_t state; asm volatile("mbarrier.arrive." #SEM "." #SCOPE ".shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(MARGAY_SHARED(b)), "r"(n) : "memory"); return state; } \
  __device__ inline uint64_t mbarrier_arrive_drop(sem_##SEM##_t, scope_##SCOPE##_t, space_shared_t, uint64_t *b, unsigned n) { uint64_t state; asm volatile("mbarrier.arrive_drop." #SEM "." #SCOPE ".shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(MARGAY_SHARED(b)), "r"(n) : "memory"); return state; } \
  __device__ inline uint64_t mbarrier_arrive_expect_tx(sem_##SEM##_t, scope_##SCOPE##_t, space_shared_t, uint64_t *b, unsigned bytes) { uint64_t state; asm volatile("mbarrier.arrive.expect_tx." #SEM "." #SCOPE ".shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(MARGAY_SHARED(b)), "r"(bytes) : "memory"); return state; }
MARGAY_ARRIVALS(release, cta)
MARGAY_ARRIVALS(release, cluster)
MARGAY_ARRIVALS(relaxed, cta)
MARGAY_ARRIVALS(relaxed, cluster)
// At an mbarrier of another block of the cluster.
#define MARGAY_REMOTE_ARRIVALS(SEM)                                                                        \
  __device__ inline void mbarrier_arrive(sem_##SEM##_t, scope_cluster_t, space_cluster_t, uint64_t *b) { asm volatile("mbarrier.arrive." #SEM ".cluster.shared::cluster.b64 _, [%0];" ::"r"(MARGAY_SHARED(b)) : "memory"); } \
  __device__ inline void mbarrier_arrive(sem_##SEM##_t, scope_cluster_t, space_cluster_t, uint64_t *b, unsigned n) { asm volatile("mbarrier.arrive." #SEM ".cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(MARGAY_SHARED(b)), "r"(n) : "memory"); } \
  __device__ inline void mbarrier_arrive_expect_tx(sem_##SEM##_t, scope_cluster_t, space_cluster_t, uint64_t *b, unsigned bytes) { asm volatile("mbarrier.arrive.expect_tx." #SEM ".cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(MARGAY_SHARED(b)), "r"(bytes) : "memory"); }
MARGAY_REMOTE_ARRIVALS(release)
MARGAY_REMOTE_ARRIVALS(relaxed)
#define MARGAY_EXPECTATIONS(SCOPE)                                                                         \
  __device__ inline void mbarrier_expect_tx(sem_relaxed_t, scope_##SCOPE##_t, space_shared_t, uint64_t *b, unsigned bytes) { asm volatile("mbarrier.expect_tx.relaxed." #SCOPE ".shared::cta.b64 [%0], %1;" ::"r"(MARGAY_SHARED(b)), "r"(bytes) : "memory"); } \
  __device__ inline void mbarrier_expect_tx(sem_relaxed_t, scope_##SCOPE##_t, space_cluster_t, uint64_t *b, unsigned bytes) { asm volatile("mbarrier.expect_tx.relaxed." #SCOPE ".shared::cluster.b64 [%0], %1;" ::"r"(MARGAY_SHARED(b)), "r"(bytes) : "memory"); }
MARGAY_EXPECTATIONS(cta)
MARGAY_EXPECTATIONS(cluster)
#define MARGAY_WAIT(NAME, OP, TYPE, LETTER)                                                                \
  __device__ inline bool NAME(uint64_t *b, TYPE state) { int done; asm volatile("{ .reg .pred p; mbarrier." OP ".shared::cta.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(MARGAY_SHARED(b)), LETTER(state) : "memory"); return done != 0; }
#define MARGAY_WAIT_BY(NAME, OP, TYPE, LETTER, SEM, SCOPE)                                                 \
  __device__ inline bool NAME(sem_##SEM##_t, scope_##SCOPE##_t, uint64_t *b, TYPE state) { int done; asm volatile("{ .reg .pred p; mbarrier." OP "." #SEM "." #SCOPE ".shared::cta.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(MARGAY_SHARED(b)), LETTER(state) : "memory"); return done != 0; }
#define MARGAY_WAITS(NAME, OP, TYPE, LETTER)                                                               \
  MARGAY_WAIT(NAME, OP, TYPE, LETTER)                                                                      \
  MARGAY_WAIT_BY(NAME, OP, TYPE, LETTER, acquire, cta)                                                     \
  MARGAY_WAIT_BY(NAME, OP, TYPE, LETTER, acquire, cluster)                                                 \
  MARGAY_WAIT_BY(NAME, OP, TYPE, LETTER, relaxed, cta)                                                     \
  MARGAY_WAIT_BY(NAME, OP, TYPE, LETTER, relaxed, cluster)
MARGAY_WAITS(mbarrier_test_wait, "test_wait", uint64_t, "l")
MARGAY_WAITS(mbarrier_test_wait_parity, "test_wait.parity", unsigned, "r")
MARGAY_WAITS(mbarrier_try_wait, "try_wait", uint64_t, "l")
MARGAY_WAITS(mbarrier_try_wait_parity, "try_wait.parity", unsigned, "r")
// How long it may wait says nothing of what it sees.
__device__ inline bool mbarrier_try_wait(uint64_t *b, uint64_t state, unsigned) { return mbarrier_try_wait(b, state); }
__device__ inline bool mbarrier_try_wait_parity(uint64_t *b, unsigned parity, unsigned) { return mbarrier_try_wait_parity(b, parity); }
template <class S, class C> __device__ inline bool mbarrier_try_wait(S sem, C scope, uint64_t *b, uint64_t state, unsigned) { return mbarrier_try_wait(sem, scope, b, state); }
template <class S, class C> __device__ inline bool mbarrier_try_wait_parity(S sem, C scope, uint64_t *b, unsigned parity, unsigned) { return mbarrier_try_wait_parity(sem, scope, b, parity); }
__device__ inline void cp_async_mbarrier_arrive(uint64_t *b) { asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(MARGAY_SHARED(b)) : "memory"); }
__device__ inline void cp_async_mbarrier_arrive_noinc(uint64_t *b) { asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(MARGAY_SHARED(b)) : "memory"); }

// Copies in bulk.
__device__ inline void cp_async_bulk(space_cluster_t, space_global_t, void *to, const void *from, unsigned size, uint64_t *b) { asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(MARGAY_SHARED(to)), "l"(MARGAY_GLOBAL(from)), "r"(size), "r"(MARGAY_SHARED(b)) : "memory"); }
__device__ inline void cp_async_bulk(space_shared_t, space_global_t, void *to, const void *from, unsigned size, uint64_t *b) { asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(MARGAY_SHARED(to)), "l"(MARGAY_GLOBAL(from)), "r"(size), "r"(MARGAY_SHARED(b)) : "memory"); }
__device__ inline void cp_async_bulk(space_cluster_t, space_global_t, void *to, const void *from, unsigned size, uint64_t *b, uint16_t blocks) { asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(MARGAY_SHARED(to)), "l"(MARGAY_GLOBAL(from)), "r"(size), "r"(MARGAY_SHARED(b)), "h"(blocks) : "memory"); }
__device__ inline void cp_async_bulk(space_cluster_t, space_shared_t, void *to, const void *from, unsigned size, uint64_t *b) { asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(MARGAY_SHARED(to)), "r"(MARGAY_SHARED(from)), "r"(size), "r"(MARGAY_SHARED(b)) : "memory"); }
__device__ inline void cp_async_bulk(space_global_t, space_shared_t, void *to, const void *from, unsigned size) { asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(MARGAY_GLOBAL(to)), "r"(MARGAY_SHARED(from)), "r"(size) : "memory"); }
__device__ inline void cp_async_bulk_commit_group() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int N> __device__ inline void cp_async_bulk_wait_group(n32_t<N>) { asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory"); }
template <int N> __device__ inline void cp_async_bulk_wait_group_read(n32_t<N>) { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory"); }
// Parts of tensors.
#define MARGAY_TENSOR(DIMENSION, PLACES, BAR, ...)                                                         \
  __device__ inline void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int (&c)[DIMENSION], uint64_t *b) { asm volatile("cp.async.bulk.tensor." #DIMENSION "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" PLACES "}], [" BAR "];" ::"r"(MARGAY_SHARED(to)), "l"(map), __VA_ARGS__, "r"(MARGAY_SHARED(b)) : "memory"); } \
  __device__ inline void cp_async_bulk_tensor(space_shared_t, space_global_t, void *to, const void *map, const int (&c)[DIMENSION], uint64_t *b) { asm volatile("cp.async.bulk.tensor." #DIMENSION "d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" PLACES "}], [" BAR "];" ::"r"(MARGAY_SHARED(to)), "l"(map), __VA_ARGS__, "r"(MARGAY_SHARED(b)) : "memory"); } \
  __device__ inline void cp_async_bulk_tensor(space_global_t, space_shared_t, const void *map, const int (&c)[DIMENSION], const void *from) { asm volatile("cp.async.bulk.tensor." #DIMENSION "d.global.shared::cta.tile.bulk_group [%1, {" PLACES "}], [%0];" ::"r"(MARGAY_SHARED(from)), "l"(map), __VA_ARGS__ : "memory"); }
MARGAY_TENSOR(1, "%2", "%3", "r"(c[0]))
MARGAY_TENSOR(2, "%2, %3", "%4", "r"(c[0]), "r"(c[1]))
MARGAY_TENSOR(3, "%2, %3, %4", "%5", "r"(c[0]), "r"(c[1]), "r"(c[2]))
MARGAY_TENSOR(4, "%2, %3, %4, %5", "%6", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]))
MARGAY_TENSOR(5, "%2, %3, %4, %5, %6", "%7", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]))
// Stores to the memory of another block of the cluster.
__device__ inline void st_async(int *p, int v, uint64_t *b) { asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(MARGAY_SHARED(p)), "r"(v), "r"(MARGAY_SHARED(b)) : "memory"); }
__device__ inline void st_async(unsigned *p, unsigned v, uint64_t *b) { st_async((int *)p, (int)v, b); }
__device__ inline void st_async(float *p, float v, uint64_t *b) { st_async((int *)p, __float_as_int(v), b); }
__device__ inline void st_async(uint64_t *p, uint64_t v, uint64_t *b) { asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(MARGAY_SHARED(p)), "l"(v), "r"(MARGAY_SHARED(b)) : "memory"); }

__device__ inline bool elect_sync(unsigned mask) { int r; asm volatile("{ .reg .pred p; elect.sync _|p, %1; selp.b32 %0, 1, 0, p; }" : "=r"(r) : "r"(mask) : "memory"); return r != 0; }
template <class T> __device__ inline T *mapa(space_cluster_t, T *p, unsigned rank) { unsigned long long r; asm("mapa.u64 %0, %1, %2;" : "=l"(r) : "l"(p), "r"(rank)); return (T *)r; }
__device__ inline unsigned getctarank(space_cluster_t, const void *p) { unsigned r; asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(r) : "r"(MARGAY_SHARED(p))); return r; }
#define MARGAY_REGISTER(NAME, REGISTER) __device__ inline unsigned get_sreg_##NAME() { unsigned r; asm("mov.u32 %0, %%" REGISTER ";" : "=r"(r)); return r; }
#define MARGAY_REGISTERS(NAME) MARGAY_REGISTER(NAME##_x, #NAME ".x") MARGAY_REGISTER(NAME##_y, #NAME ".y") MARGAY_REGISTER(NAME##_z, #NAME ".z")
MARGAY_REGISTERS(tid)
MARGAY_REGISTERS(ntid)
MARGAY_REGISTERS(ctaid)
MARGAY_REGISTERS(nctaid)
MARGAY_REGISTERS(clusterid)
MARGAY_REGISTERS(nclusterid)
MARGAY_REGISTERS(cluster_ctaid)
MARGAY_REGISTERS(cluster_nctaid)
MARGAY_REGISTER(laneid, "laneid")
MARGAY_REGISTER(warpid, "warpid")
MARGAY_REGISTER(nwarpid, "nwarpid")
MARGAY_REGISTER(smid, "smid")
MARGAY_REGISTER(cluster_ctarank, "cluster_ctarank")
MARGAY_REGISTER(cluster_nctarank, "cluster_nctarank")
MARGAY_REGISTER(lanemask_eq, "lanemask_eq")
MARGAY_REGISTER(lanemask_lt, "lanemask_lt")
MARGAY_REGISTER(lanemask_le, "lanemask_le")
MARGAY_REGISTER(lanemask_gt, "lanemask_gt")
MARGAY_REGISTER(lanemask_ge, "lanemask_ge")
MARGAY_REGISTER(dynamic_smem_size, "dynamic_smem_size")
MARGAY_REGISTER(total_smem_size, "total_smem_size")
}
}
