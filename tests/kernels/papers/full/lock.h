// The lock of the book "CUDA by Example", with the fences of its erratum (ASPLOS 2015, Fig. 2) or without.
#pragma once

template <bool fences>
struct Lock {
  static __device__ void lock(int* mutex) {
    while (atomicCAS(mutex, 0, 1) != 0) {}
    if (fences) __threadfence();
  }
  static __device__ void unlock(int* mutex) {
    if (fences) __threadfence();
    atomicExch(mutex, 0);
  }
};
