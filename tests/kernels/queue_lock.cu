// A queue lock (Mellor-Crummey and Scott): whoever comes puts a node behind the last one and waits for it to be told. Pointers are in
// shared memory.

#include <cuda/atomic>

struct Node {
  cuda::atomic<Node*, cuda::thread_scope_device> next;
  cuda::atomic<int, cuda::thread_scope_device> waits;
};

__device__ Node nodes[2];
__device__ cuda::atomic<Node*, cuda::thread_scope_device> tail;
__device__ int counter;

template <bool released>
__device__ void locked_increment() {
  Node* mine = &nodes[blockIdx.x * blockDim.x + threadIdx.x];
  mine->next.store(nullptr, cuda::memory_order_relaxed);
  mine->waits.store(1, cuda::memory_order_relaxed);
  Node* before = tail.exchange(mine, cuda::memory_order_acq_rel);
  if (before) {
    before->next.store(mine, cuda::memory_order_release);
    while (mine->waits.load(cuda::memory_order_acquire)) {}
  }
  counter++;
  Node* next = mine->next.load(cuda::memory_order_acquire);
  if (!next) {
    Node* expected = mine;
    if (tail.compare_exchange_strong(expected, nullptr, cuda::memory_order_acq_rel, cuda::memory_order_relaxed)) return;
    while (!(next = mine->next.load(cuda::memory_order_acquire))) {}
  }
  next->waits.store(0, released ? cuda::memory_order_release : cuda::memory_order_relaxed);
}

extern "C" __global__ void queue_lock() { locked_increment<true>(); }

// The lock is handed on by a relaxed store.
extern "C" __global__ void queue_lock_without_release() { locked_increment<false>(); }
