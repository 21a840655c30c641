// A reduction that the last block finishes: each block writes its sum, counts itself, and the last one adds the sums up.

template <bool fence_behind>
__device__ void sum(const int* in, int* partial, int* out, unsigned int* count) {
  __shared__ int cell[64];
  __shared__ bool last;
  cell[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    int total = 0;
    for (unsigned int i = 0; i < blockDim.x; i++) total += cell[i];
    partial[blockIdx.x] = total;
    __threadfence();
    unsigned int before = atomicAdd(count, 1u);
    last = before == gridDim.x - 1;
    if (fence_behind) __threadfence();
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int total = 0;
    for (unsigned int i = 0; i < gridDim.x; i++) total += partial[i];
    *out = total;
  }
}

// The reader of the sums has no fence behind the counter: it may read sums of before.
extern "C" __global__ void last_block_without_fence(const int* in, int* partial, int* out, unsigned int* count) {
  sum<false>(in, partial, out, count);
}

extern "C" __global__ void last_block(const int* in, int* partial, int* out, unsigned int* count) {
  sum<true>(in, partial, out, count);
}
