// The reduction of the CUDA SDK (sdk-red of PLDI 2016; `threadFenceReduction`) at full size: each block writes its sum and counts itself; the
// last one adds the sums with all of its threads. No block waits for another one.
#include "sum.h"

template <bool before_counter, bool behind_counter>
__device__ void reduce(const int* in, int* sums, unsigned int* retired, int* out, int elements) {
  __shared__ bool last;
  int mine = 0;
#pragma unroll 1
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < elements; i += blockDim.x * gridDim.x) mine += in[i];
  int sum = sum_of_block(mine);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
    if (before_counter) __threadfence();
    unsigned int ticket = atomicInc(retired, gridDim.x);
    last = ticket == gridDim.x - 1;
    if (behind_counter) __threadfence();
  }
  __syncthreads();
  if (last) {
    mine = 0;
#pragma unroll 1
    for (unsigned int i = threadIdx.x; i < gridDim.x; i += blockDim.x) mine += sums[i];
    sum = sum_of_block(mine);
    if (threadIdx.x == 0) {
      *out = sum;
      *retired = 0;
    }
  }
}

extern "C" __global__ void sdk_red_nf(const int* in, int* sums, unsigned int* retired, int* out, int elements) {
  reduce<false, false>(in, sums, retired, out, elements);
}
// As in the SDK: one fence, in front of the counter.
extern "C" __global__ void sdk_red(const int* in, int* sums, unsigned int* retired, int* out, int elements) {
  reduce<true, false>(in, sums, retired, out, elements);
}
extern "C" __global__ void sdk_red_fences(const int* in, int* sums, unsigned int* retired, int* out, int elements) {
  reduce<true, true>(in, sums, retired, out, elements);
}
