// Copies by the library of CUDA: cuda::memcpy_async with a barrier, a pipeline, and cooperative groups.

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int most = 64;

template <bool awaited, bool initialised_once>
__device__ void by_barrier(const int *in, int *out) {
  __shared__ int tile[most];
  __shared__ barrier bar;
  int t = threadIdx.x;
  if (t == 0) init(&bar, blockDim.x);
  if (initialised_once) __syncthreads();
  cuda::memcpy_async(&tile[t], &in[t], sizeof(int), bar);
  barrier::arrival_token token = bar.arrive();
  if (awaited) bar.wait(std::move(token));
  out[blockDim.x * blockIdx.x + t] = tile[(t + 1) % blockDim.x];
}
extern "C" __global__ void copied_by_barrier(const int *in, int *out) { by_barrier<true, true>(in, out); }
extern "C" __global__ void copied_and_not_awaited(const int *in, int *out) { by_barrier<false, true>(in, out); }
extern "C" __global__ void copied_init_not_awaited(const int *in, int *out) { by_barrier<true, false>(in, out); }

template <bool awaited, bool together>
__device__ void by_thread(const int *in, int *out) {
  __shared__ int tile[most];
  int t = threadIdx.x;
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&tile[t], &in[t], sizeof(int), pipe);
  pipe.producer_commit();
  if (awaited) pipe.consumer_wait();
  if (together) __syncthreads();
  out[blockDim.x * blockIdx.x + t] = tile[(t + 1) % blockDim.x];
}
extern "C" __global__ void copied_by_pipeline(const int *in, int *out) { by_thread<true, true>(in, out); }
extern "C" __global__ void copied_and_awaited_alone(const int *in, int *out) { by_thread<true, false>(in, out); }
extern "C" __global__ void copied_pipeline_not_awaited(const int *in, int *out) { by_thread<false, true>(in, out); }

template <bool awaited>
__device__ void by_group(const int *in, int *out) {
  __shared__ int tile[most];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in, sizeof(int) * blockDim.x);
  if (awaited) cg::wait(block);
  out[blockDim.x * blockIdx.x + threadIdx.x] = tile[(threadIdx.x + 1) % blockDim.x];
}
extern "C" __global__ void copied_by_group(const int *in, int *out) { by_group<true>(in, out); }
extern "C" __global__ void copied_by_group_not_awaited(const int *in, int *out) { by_group<false>(in, out); }

// Two copies in flight: the first one is used when all but one are complete.
template <int left>
__device__ void two(const int *in, int *out) {
  __shared__ int tile[2];
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(&tile[0])), "l"(in) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(&tile[1])), "l"(in + 1) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
  out[blockIdx.x] = tile[0];
}
extern "C" __global__ void first_of_two(const int *in, int *out) { two<1>(in, out); }
extern "C" __global__ void first_of_two_too_early(const int *in, int *out) { two<2>(in, out); }
