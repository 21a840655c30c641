// The lock of the book "CUDA by Example", and its two clients of PLDI 2016, Table 4: a dot product (cbe-dot) and a hash table (cbe-ht).
// Written anew from the description, with numbers for floats, so that sums have one value. ASPLOS 2015, Fig. 2, is the lock.

template <bool behind_lock, bool before_unlock>
struct Lock {
  static __device__ void lock(int* mutex) {
    while (atomicCAS(mutex, 0, 1) != 0) {}
    if (behind_lock) __threadfence();
  }
  static __device__ void unlock(int* mutex) {
    if (before_unlock) __threadfence();
    atomicExch(mutex, 0);
  }
};

// Each block adds its sum to the result. Here a block has one product, so the sum is that.
template <bool behind_lock, bool before_unlock>
__device__ void dot(int* mutex, const int* a, const int* b, int* c) {
  int sum = a[blockIdx.x] * b[blockIdx.x];
  if (threadIdx.x == 0) {
    Lock<behind_lock, before_unlock>::lock(mutex);
    *c += sum;
    Lock<behind_lock, before_unlock>::unlock(mutex);
  }
}

// As in the book.
extern "C" __global__ void cbe_dot(int* mutex, const int* a, const int* b, int* c) { dot<false, false>(mutex, a, b, c); }
// The one fence that testing found on Titan: in front of the unlock.
extern "C" __global__ void cbe_dot_titan(int* mutex, const int* a, const int* b, int* c) { dot<false, true>(mutex, a, b, c); }
// Both fences of the erratum (ASPLOS 2015, Fig. 2).
extern "C" __global__ void cbe_dot_fences(int* mutex, const int* a, const int* b, int* c) { dot<true, true>(mutex, a, b, c); }

// A hash table with one bucket: each block puts an entry of its own in front of the list. Entries have numbers from 1, 0 is none.
template <bool behind_lock, bool before_unlock>
__device__ void insert(int* mutex, int* bucket, int* next) {
  Lock<behind_lock, before_unlock>::lock(mutex);
  next[blockIdx.x] = *bucket;
  *bucket = blockIdx.x + 1;
  Lock<behind_lock, before_unlock>::unlock(mutex);
}

extern "C" __global__ void cbe_ht(int* mutex, int* bucket, int* next) { insert<false, false>(mutex, bucket, next); }
extern "C" __global__ void cbe_ht_titan(int* mutex, int* bucket, int* next) { insert<false, true>(mutex, bucket, next); }
extern "C" __global__ void cbe_ht_fences(int* mutex, int* bucket, int* next) { insert<true, true>(mutex, bucket, next); }
