// The sum of a block.
#pragma once

// The first thread gets the sum of what all threads bring. A block has a power of two of threads, at most 256, and all of them come.
__device__ inline int sum_of_block(int value) {
  __shared__ int cache[256];
  cache[threadIdx.x] = value;
  __syncthreads();
#pragma unroll 1
  for (unsigned int half = blockDim.x / 2; half != 0; half /= 2) {
    if (threadIdx.x < half) cache[threadIdx.x] += cache[threadIdx.x + half];
    __syncthreads();
  }
  return cache[0];
}
