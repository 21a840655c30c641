// Programs within one warp: MAGMA's sum, the warp vote, and the one of section 5.3 of the thesis (Sorensen 2013), written anew and cut down
// from 64 threads to four. Each as it was found, with the thesis's repair (`__threadfence_block`), and with `__syncwarp`.

enum Repair { none, fence_block, sync_warp };

template <Repair repair>
__device__ void mend() {
  if (repair == fence_block) __threadfence_block();
  if (repair == sync_warp) __syncwarp();
}

// The first threads add what the others hold; then the first of all adds up.
template <Repair repair>
__device__ void magma(int* out) {
  __shared__ volatile int sum[4];
  int me = threadIdx.x;
  sum[me] = me + 1;
  __syncthreads();
  if (me < 2) sum[me] = sum[me] + sum[me + 2];
  mend<repair>();
  if (me == 0) out[0] = sum[0] + sum[1];
}
extern "C" __global__ void magma_sum(int* out) { magma<none>(out); }
extern "C" __global__ void magma_sum_fence_block(int* out) { magma<fence_block>(out); }
extern "C" __global__ void magma_sum_sync_warp(int* out) { magma<sync_warp>(out); }

// All threads write one place; who reads its own number is elected. One must be.
template <Repair repair>
__device__ void vote(int* elected) {
  __shared__ volatile int chosen;
  chosen = threadIdx.x;
  mend<repair>();
  if (chosen == (int)threadIdx.x) atomicAdd(elected, 1);
}
extern "C" __global__ void warp_vote(int* elected) { vote<none>(elected); }
extern "C" __global__ void warp_vote_fence_block(int* elected) { vote<fence_block>(elected); }
extern "C" __global__ void warp_vote_sync_warp(int* elected) { vote<sync_warp>(elected); }

// Section 5.3: each thread adds to its own element, and then marks that of the next thread.
template <Repair repair>
__device__ void mark(const int* x, int* y) {
  int index = threadIdx.x;
  y[index] = x[index] + y[index];
  mend<repair>();
  if (index != 3) y[index + 1] = 1111;
}
extern "C" __global__ void thesis_mark(const int* x, int* y) { mark<none>(x, y); }
extern "C" __global__ void thesis_mark_fence_block(const int* x, int* y) { mark<fence_block>(x, y); }
extern "C" __global__ void thesis_mark_sync_warp(const int* x, int* y) { mark<sync_warp>(x, y); }
