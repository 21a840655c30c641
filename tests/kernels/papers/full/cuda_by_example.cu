// The two clients of the lock of "CUDA by Example" (PLDI 2016, Table 4) at full size: many blocks of many threads, as in the book, with numbers
// for floats, so that a sum has one value. No block waits for one that has not begun.
#include "lock.h"
#include "sum.h"

// The dot product (A1.2 of the book; Fig. 1 of the paper): each block adds its sum to the result.
template <bool fences>
__device__ void dot(int* mutex, const int* a, const int* b, int* c, int elements) {
  int mine = 0;
#pragma unroll 1
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < elements; i += blockDim.x * gridDim.x) mine += a[i] * b[i];
  int sum = sum_of_block(mine);
  if (threadIdx.x == 0) {
    Lock<fences>::lock(mutex);
    *c += sum;
    Lock<fences>::unlock(mutex);
  }
}

extern "C" __global__ void cbe_dot(int* mutex, const int* a, const int* b, int* c, int elements) {
  dot<false>(mutex, a, b, c, elements);
}
extern "C" __global__ void cbe_dot_fences(int* mutex, const int* a, const int* b, int* c, int elements) {
  dot<true>(mutex, a, b, c, elements);
}

__device__ int bucket_of(int key, int buckets) { return ((unsigned int)key * 0x9e3779b1u >> 12) % buckets; }

// The hash table (A1.3): a lock for each bucket, whose entries are a list. Entries have numbers from 1, 0 is none. The threads of a warp insert
// one after the other, as in the book.
template <bool fences>
__device__ void add_to_table(const int* keys, int* mutex, int* bucket, int* key, int* next, int elements, int buckets) {
#pragma unroll 1
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < elements; i += blockDim.x * gridDim.x) {
    int of = keys[i];
    int b = bucket_of(of, buckets);
#pragma unroll 1
    for (int lane = 0; lane < 32; lane++) {
      if (i % 32 == lane) {
        key[i] = of;
        Lock<fences>::lock(mutex + b);
        next[i] = bucket[b];
        bucket[b] = i + 1;
        Lock<fences>::unlock(mutex + b);
      }
    }
  }
}

extern "C" __global__ void cbe_ht(const int* keys, int* mutex, int* bucket, int* key, int* next, int elements, int buckets) {
  add_to_table<false>(keys, mutex, bucket, key, next, elements, buckets);
}
extern "C" __global__ void cbe_ht_fences(const int* keys, int* mutex, int* bucket, int* key, int* next, int elements,
                                         int buckets) {
  add_to_table<true>(keys, mutex, bucket, key, next, elements, buckets);
}

// All elements are in the table, each once and in its bucket. A thread walks through the list of a bucket.
extern "C" __global__ void cbe_ht_verify(const int* keys, const int* bucket, const int* key, const int* next, int* found,
                                         int* wrong, int elements, int buckets) {
  for (int b = threadIdx.x + blockIdx.x * blockDim.x; b < buckets; b += blockDim.x * gridDim.x) {
    int entry = bucket[b];
    for (int steps = 0; entry != 0 && steps < elements; steps++) {
      if (entry < 0 || entry > elements) break;
      if (key[entry - 1] != keys[entry - 1] || bucket_of(key[entry - 1], buckets) != b) atomicAdd(wrong, 1);
      atomicAdd(&found[entry - 1], 1);
      entry = next[entry - 1];
    }
    if (entry != 0) atomicAdd(wrong, 1);
  }
}
