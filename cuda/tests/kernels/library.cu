// The library: barriers, copies, pipelines, clusters, groups, and programs that have names of its own.

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/atomic>
#include <cuda_pipeline.h>
#include <utility>
namespace cg = cooperative_groups;

extern "C" __global__ void bar_basic(int *o) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  s[threadIdx.x] = threadIdx.x;
  b.arrive_and_wait();
  o[threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x];
}

extern "C" __global__ void bar_split(int *o) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  for (int i = 0; i < 2; i++) {
    s[threadIdx.x] = threadIdx.x;
    auto t = b.arrive();
    b.wait(std::move(t));
    o[threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x];
    b.arrive_and_wait();
  }
}

extern "C" __global__ void bar_split_bad(int *o) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  for (int i = 0; i < 2; i++) {
    s[threadIdx.x] = threadIdx.x;
    b.arrive_and_wait();
    o[threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x];
  }
}

extern "C" __global__ void bar_noinit(int *o) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&b, blockDim.x);
  s[threadIdx.x] = threadIdx.x;
  b.arrive_and_wait();
  o[threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x];
}

extern "C" __global__ void sem_bad(cuda::counting_semaphore<cuda::thread_scope_device, 4> *b, int *a) {
  if (blockIdx.x == 0) {
    b->release();
    a[0] = 1;
  } else {
    b->acquire();
    a[1] = a[0];
  }
}

extern "C" __global__ void pipe_shared(int *in, int *o) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st;
  __shared__ int s[2][4];
  auto g = cg::this_thread_block();
  auto p = cuda::make_pipeline(g, &st);
  int n = 0;
  for (int i = 0; i < 2; i++) {
    p.producer_acquire();
    cuda::memcpy_async(&s[i][threadIdx.x], &in[i * 4 + threadIdx.x], sizeof(int), p);
    p.producer_commit();
  }
  for (int i = 0; i < 2; i++) {
    p.consumer_wait();
    n += s[i][(threadIdx.x + 1) % 4];
    p.consumer_release();
  }
  o[threadIdx.x] = n;
}

extern "C" __global__ void pipe_shared_bad(int *in, int *o) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st;
  __shared__ int s[2][4];
  auto g = cg::this_thread_block();
  auto p = cuda::make_pipeline(g, &st);
  int n = 0;
  for (int i = 0; i < 2; i++) {
    p.producer_acquire();
    cuda::memcpy_async(&s[0][threadIdx.x], &in[i * 4 + threadIdx.x], sizeof(int), p);
    p.producer_commit();
  }
  for (int i = 0; i < 2; i++) {
    p.consumer_wait();
    n += s[0][(threadIdx.x + 1) % 4];
    p.consumer_release();
  }
  o[threadIdx.x] = n;
}

extern "C" __global__ void prim_pipe(int *in, int *o) {
  __shared__ int s[4];
  __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  o[threadIdx.x] = s[3 - threadIdx.x];
}

extern "C" __global__ void prim_pipe_bad(int *in, int *o) {
  __shared__ int s[4];
  __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  o[threadIdx.x] = s[3 - threadIdx.x];
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_ok(int *o) {
  __shared__ int s[4];
  cg::cluster_group c = cg::this_cluster();
  unsigned r = c.block_rank();
  s[threadIdx.x] = r;
  c.sync();
  int *other = c.map_shared_rank(s, r ^ 1);
  o[blockIdx.x * 2 + threadIdx.x] = other[threadIdx.x];
  c.sync();
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_bad(int *o) {
  __shared__ int s[4];
  cg::cluster_group c = cg::this_cluster();
  unsigned r = c.block_rank();
  s[threadIdx.x] = r;
  int *other = c.map_shared_rank(s, r ^ 1);
  o[blockIdx.x * 2 + threadIdx.x] = other[threadIdx.x];
  c.sync();
}

extern "C" __global__ void tiles(int *o) {
  auto b = cg::this_thread_block();
  auto t = cg::tiled_partition<8>(b);
  int v = cg::reduce(t, (int)threadIdx.x, cg::plus<int>());
  if (t.thread_rank() == 0) o[t.meta_group_rank()] = v;
  auto w = cg::tiled_partition<32>(b);
  w.sync();
  unsigned m = w.ballot(threadIdx.x & 1);
  if (w.thread_rank() == 3) o[40] = m;
  cg::sync(b);
}

extern "C" __global__ void tile_race(int *o) {
  __shared__ int s[32];
  auto t = cg::tiled_partition<16>(cg::this_thread_block());
  s[threadIdx.x] = 1;
  t.sync();
  o[threadIdx.x] = s[31 - threadIdx.x];
}

namespace of_own_names {
__device__ void barrier(int *x) {
  __syncthreads();
  *x = 1;
}
__device__ int latch(int x) {
  return x + 1;
}
__device__ int init(int x) {
  return x;
}
__device__ int move(int x) {
  return x;
}
__device__ float wait(float x) {
  return x;
}
extern "C" __global__ void own_names(int *a) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  barrier(a + t);
  a[t] = latch(init(2)) + move(3);
  int pipeline = 3;
  a[t] += pipeline;
  int sync = 1;
  a[t] += sync;
}
}

extern "C" __global__ void memcpy_grp(float *in, float *o) {
  __shared__ float s[8];
  auto b = cg::this_thread_block();
  cg::memcpy_async(b, s, in, sizeof(float) * 8);
  cg::wait(b);
  o[threadIdx.x] = s[7 - threadIdx.x];
}

extern "C" __global__ void bulk_aligned(int *in, int *o) {
  __shared__ alignas(16) int s[8];
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  auto g = cg::this_thread_block();
  if (g.thread_rank() == 0) init(&b, g.size());
  g.sync();
  cuda::memcpy_async(g, s, in, cuda::aligned_size_t<16>(sizeof(s)), b);
  b.arrive_and_wait();
  o[threadIdx.x] = s[7 - threadIdx.x];
}

extern "C" __global__ void drop(int *o) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  if (threadIdx.x == 3) {
    b.arrive_and_drop();
    return;
  }
  s[threadIdx.x] = threadIdx.x;
  b.arrive_and_wait();
  o[threadIdx.x] = s[(threadIdx.x + 1) % 3];
}

extern "C" __global__ void cstd_atomic(cuda::std::atomic<int> *f, int *d) {
  if (blockIdx.x == 0) {
    *d = 1;
    f->store(1, cuda::std::memory_order_release);
  } else {
    while (f->load(cuda::std::memory_order_acquire) == 0) {
    }
    d[1] = *d;
  }
}

extern "C" __global__ void aref(int *f, int *d) {
  cuda::atomic_ref<int, cuda::thread_scope_device> r(*f);
  if (blockIdx.x == 0) {
    *d = 1;
    r.store(1, cuda::memory_order_release);
    r.notify_all();
  } else {
    r.wait(0, cuda::memory_order_acquire);
    d[1] = *d;
  }
}
