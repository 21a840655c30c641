// Cooperative groups, warps, and inline PTX, right and wrong.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
using namespace cooperative_groups;

extern "C" __global__ void group_sync(int *out) {
  __shared__ int s[64];
  cg::thread_block block = cg::this_thread_block();
  s[block.thread_rank()] = block.group_index().x;
  block.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = s[block.size() - 1 - block.thread_rank()];
}
extern "C" __global__ void group_without_sync(int *out) {
  __shared__ int s[64];
  auto block = cg::this_thread_block();
  s[block.thread_rank()] = 1;
  out[threadIdx.x] = s[block.size() - 1 - block.thread_rank()];
}
extern "C" __global__ void tile_sum(const int *in, int *out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int v = in[threadIdx.x];
  for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);
  if (tile.thread_rank() == 0) atomicAdd(out, v);
}
extern "C" __global__ void tile_sync(int *out) {
  __shared__ int box[32];
  thread_block_tile<4> tile = tiled_partition<4>(this_thread_block());
  box[threadIdx.x] = threadIdx.x;
  tile.sync();
  out[threadIdx.x] = box[threadIdx.x ^ 1];
}
extern "C" __global__ void tile_sync_too_small(int *out) {
  __shared__ int box[32];
  auto tile = tiled_partition<2>(this_thread_block());
  box[threadIdx.x] = threadIdx.x;
  tile.sync();
  out[threadIdx.x] = box[threadIdx.x ^ 2];
}
extern "C" __global__ void grid_sync(int *data, int *out) {
  data[blockIdx.x] = 1;
  cg::this_grid().sync();
  out[blockIdx.x] = data[(blockIdx.x + 1) % gridDim.x];
}
extern "C" __global__ void grid_without_sync(int *data, int *out) {
  data[blockIdx.x] = 1;
  cg::this_thread_block().sync();
  out[blockIdx.x] = data[(blockIdx.x + 1) % gridDim.x];
}
extern "C" __global__ void voted(const int *in, int *out) {
  unsigned who = __ballot_sync(0xffffffffu, in[threadIdx.x] == 0);
  int all = __all_sync(0xffffffffu, 1), first = __ffs(who) - 1;
  out[threadIdx.x] = __popc(who) + all + first;
}
extern "C" __global__ void synced_warp(int *out) {
  __shared__ volatile int s[32];
  s[threadIdx.x] = 1;
  __syncwarp();
  out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

// Inline PTX: a release and an acquire by hand.
__device__ inline void store_release(int *p, int v) { asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory"); }
__device__ inline int load_acquire(const int *p) {
  int v;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__device__ inline int load_relaxed(const int *p) {
  int v;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
extern "C" __global__ void inline_message(int *data, int *flag, int *out) {
  if (blockIdx.x == 0) {
    *data = 1;
    store_release(flag, 1);
  } else {
    while (load_acquire(flag) == 0)
      ;
    out[blockIdx.x] = *data;
  }
}
extern "C" __global__ void inline_message_relaxed(int *data, int *flag, int *out) {
  if (blockIdx.x == 0) {
    *data = 1;
    store_release(flag, 1);
  } else {
    while (load_relaxed(flag) == 0)
      ;
    out[blockIdx.x] = *data;
  }
}
extern "C" __global__ void inline_message_fenced(int *data, int *flag, int *out) {
  if (blockIdx.x == 0) {
    *data = 1;
    store_release(flag, 1);
  } else {
    while (load_relaxed(flag) == 0)
      ;
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    out[blockIdx.x] = *data;
  }
}
extern "C" __global__ void inline_computes(int *out) {
  int a = 5, b;
  asm("add.s32 %0, %1, 3;" : "=r"(b) : "r"(a));
  asm("{ .reg .pred p; setp.gt.s32 p, %1, 7; selp.s32 %0, %0, 0, p; }" : "+r"(a) : "r"(b));
  if (a != 5 || b != 8) __trap();
  out[threadIdx.x] = a;
}

// A reduction of a tile, and the compiler's own atomics.
extern "C" __global__ void tile_reduce(const int *in, int *out) {
  auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  int sum = 0;
  for (int d = 2; d > 0; d /= 2) sum += tile.shfl_xor(in[threadIdx.x] + sum, d);
  if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = sum;
}
extern "C" __global__ void own_atomics(int *data, int *flag, int *out) {
  if (blockIdx.x == 0) {
    *data = 1;
    __nv_atomic_store_n(flag, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  } else {
    while (__nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 0) {}
    out[blockIdx.x] = *data;
  }
}
extern "C" __global__ void own_atomics_relaxed(int *data, int *flag, int *out) {
  if (blockIdx.x == 0) {
    *data = 1;
    __nv_atomic_store_n(flag, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  } else {
    while (__nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 0) {}
    out[blockIdx.x] = *data;
  }
}
