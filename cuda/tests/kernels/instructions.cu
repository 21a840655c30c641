// Instructions of synchronisation as `cuda::ptx` has them.
#include <cassert>
#include <cuda/barrier>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

// A tile that comes in bulk, is changed, and goes back.
template <bool Fenced, bool Waits> __device__ void tile(int *g) {
  __shared__ alignas(16) int s[4];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, g, sizeof(s), &bar);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof(s));
  }
  __syncthreads();
  if constexpr (Waits)
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
  s[threadIdx.x] += 1;
  if constexpr (Fenced) ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, g, s, sizeof(s));
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
  __syncthreads();
}
extern "C" __global__ void ins_tile(int *g) { tile<true, true>(g); }
extern "C" __global__ void ins_tile_without_fence(int *g) { tile<false, true>(g); }
extern "C" __global__ void ins_tile_without_wait(int *g) { tile<true, false>(g); }

// A message between blocks, by fences of a scope.
template <class S> __device__ void message(int *data, volatile int *flag, S scope) {
  if (blockIdx.x == 0) {
    *data = 42;
    ptx::fence(ptx::sem_acq_rel, scope);
    *flag = 1;
  } else {
    while (*flag == 0) {}
    ptx::fence(ptx::sem_acq_rel, scope);
    assert(*data == 42);
  }
}
extern "C" __global__ void ins_message(int *data, volatile int *flag) { message(data, flag, ptx::scope_gpu); }
extern "C" __global__ void ins_message_of_block(int *data, volatile int *flag) { message(data, flag, ptx::scope_cta); }

// An arrival with a state, and one that waits for it.
extern "C" __global__ void ins_state(int *a) {
  __shared__ uint64_t bar;
  __shared__ int s[4];
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, blockDim.x);
  __syncthreads();
  s[threadIdx.x] = ptx::get_sreg_tid_x();
  uint64_t state = ptx::mbarrier_arrive(&bar);
  while (!ptx::mbarrier_test_wait(&bar, state)) {}
  a[threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x];
}
extern "C" __global__ void ins_state_relaxed(int *a) {
  __shared__ uint64_t bar;
  __shared__ int s[4];
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, blockDim.x);
  __syncthreads();
  s[threadIdx.x] = ptx::get_sreg_tid_x();
  uint64_t state = ptx::mbarrier_arrive(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar);
  while (!ptx::mbarrier_try_wait(ptx::sem_relaxed, ptx::scope_cta, &bar, state)) {}
  a[threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x];
}
