// Queue locks: whoever comes waits for the one in front, by a node of its own (Mellor-Crummey and Scott) or by that of the one in front
// (Craig; Landin and Hagersten). Each block adds 1 to a counter that the lock guards.

#include <cuda/atomic>

using order = cuda::memory_order;
constexpr int blocks = 4;

struct Node {
  cuda::atomic<Node*, cuda::thread_scope_device> next;
  cuda::atomic<int, cuda::thread_scope_device> waits;
};

__device__ Node nodes[blocks];
__device__ cuda::atomic<Node*, cuda::thread_scope_device> tail;
__device__ int counter;

template <order released>
__device__ void by_mcs() {
  Node* mine = &nodes[blockIdx.x];
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
  next->waits.store(0, released);
}

extern "C" __global__ void mcs_lock() { by_mcs<cuda::memory_order_release>(); }
extern "C" __global__ void mcs_lock_relaxed() { by_mcs<cuda::memory_order_relaxed>(); }

// Node 0 is free at the start; that of block b is b + 1.
__device__ cuda::atomic<int, cuda::thread_scope_device> locked[blocks + 1];
__device__ cuda::atomic<int, cuda::thread_scope_device> last;

template <order released>
__device__ void by_clh() {
  int mine = blockIdx.x + 1;
  locked[mine].store(1, cuda::memory_order_relaxed);
  int before = last.exchange(mine, cuda::memory_order_acq_rel);
  while (locked[before].load(cuda::memory_order_acquire)) {}
  counter++;
  locked[mine].store(0, released);
}

extern "C" __global__ void clh_lock() { by_clh<cuda::memory_order_release>(); }
extern "C" __global__ void clh_lock_relaxed() { by_clh<cuda::memory_order_relaxed>(); }
