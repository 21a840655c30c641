// A barrier between blocks of several threads, and a reduction that the last block finishes: every thread writes, and every thread reads what
// another block wrote.

__device__ void sync_blocks(unsigned int* arrived, bool release, bool acquire) {
  if (release) __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    if (release) __threadfence();
    atomicAdd(arrived, 1u);
    while (*(volatile unsigned int*)arrived < gridDim.x) {}
    if (acquire) __threadfence();
  }
  __syncthreads();
}

template <bool release, bool acquire>
__device__ void pass_on(int* data, int* out, unsigned int* arrived) {
  unsigned int at = blockIdx.x * blockDim.x + threadIdx.x;
  data[at] = at;
  sync_blocks(arrived, release, acquire);
  out[at] = data[(at + blockDim.x) % (gridDim.x * blockDim.x)];
}

extern "C" __global__ void grid_barrier(int* data, int* out, unsigned int* arrived) { pass_on<true, true>(data, out, arrived); }
extern "C" __global__ void grid_barrier_without_release(int* data, int* out, unsigned int* arrived) {
  pass_on<false, true>(data, out, arrived);
}
extern "C" __global__ void grid_barrier_without_acquire(int* data, int* out, unsigned int* arrived) {
  pass_on<true, false>(data, out, arrived);
}

template <bool behind, bool barrier>
__device__ void last_of(const int* in, int* partial, int* out, unsigned int* count) {
  __shared__ int cell[64];
  __shared__ bool last;
  cell[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned int step = 32; step > 0; step /= 2) {
    if (threadIdx.x < step && threadIdx.x + step < blockDim.x) cell[threadIdx.x] += cell[threadIdx.x + step];
    if (barrier) __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = cell[0];
    __threadfence();
    last = atomicAdd(count, 1u) == gridDim.x - 1;
    if (behind) __threadfence();
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int total = 0;
    for (unsigned int i = 0; i < gridDim.x; i++) total += partial[i];
    *out = total;
  }
}

extern "C" __global__ void last_of_many(const int* in, int* partial, int* out, unsigned int* count) {
  last_of<true, true>(in, partial, out, count);
}
extern "C" __global__ void last_of_many_without_fence(const int* in, int* partial, int* out, unsigned int* count) {
  last_of<false, true>(in, partial, out, count);
}
// Without a barrier between the steps of the sum within a block.
extern "C" __global__ void last_of_many_without_barrier(const int* in, int* partial, int* out, unsigned int* count) {
  last_of<true, false>(in, partial, out, count);
}
