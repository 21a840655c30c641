// Locks between blocks, right and with one order weakened. Each block adds 1 to a counter that the lock guards, once or twice.

#include <cuda/atomic>

using order = cuda::memory_order;
template <class T>
using device_ref = cuda::atomic_ref<T, cuda::thread_scope_device>;

__device__ unsigned int word;
__device__ unsigned int counter;

struct Tickets {
  unsigned int next;
  unsigned int turn;
};
__device__ Tickets tickets;

template <int times, order release>
__device__ void by_ticket() {
  for (int i = 0; i < times; i++) {
    unsigned int mine = device_ref<unsigned int>(tickets.next).fetch_add(1, cuda::memory_order_relaxed);
    while (device_ref<unsigned int>(tickets.turn).load(cuda::memory_order_acquire) != mine) {}
    counter++;
    device_ref<unsigned int>(tickets.turn).store(mine + 1, release);
  }
}

template <int times, order acquire>
__device__ void by_cas() {
  for (int i = 0; i < times; i++) {
    unsigned int free = 0;
    while (!device_ref<unsigned int>(word).compare_exchange_strong(free, 1, acquire, cuda::memory_order_relaxed)) free = 0;
    counter++;
    device_ref<unsigned int>(word).store(0, cuda::memory_order_release);
  }
}

template <int times, order release>
__device__ void by_test_and_test() {
  for (int i = 0; i < times; i++) {
    unsigned int free;
    do {
      while (device_ref<unsigned int>(word).load(cuda::memory_order_relaxed) != 0) {}
      free = 0;
    } while (!device_ref<unsigned int>(word).compare_exchange_strong(free, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed));
    counter++;
    device_ref<unsigned int>(word).store(0, release);
  }
}

extern "C" __global__ void ticket_lock() { by_ticket<1, cuda::memory_order_release>(); }
extern "C" __global__ void ticket_lock_twice() { by_ticket<2, cuda::memory_order_release>(); }
extern "C" __global__ void ticket_lock_relaxed() { by_ticket<1, cuda::memory_order_relaxed>(); }

extern "C" __global__ void cas_lock() { by_cas<1, cuda::memory_order_acquire>(); }
extern "C" __global__ void cas_lock_twice() { by_cas<2, cuda::memory_order_acquire>(); }
extern "C" __global__ void cas_lock_relaxed() { by_cas<1, cuda::memory_order_relaxed>(); }

extern "C" __global__ void ttas_lock() { by_test_and_test<1, cuda::memory_order_release>(); }
extern "C" __global__ void ttas_lock_twice() { by_test_and_test<2, cuda::memory_order_release>(); }
extern "C" __global__ void ttas_lock_relaxed() { by_test_and_test<1, cuda::memory_order_relaxed>(); }

// The same with a pause between two tries.
extern "C" __global__ void cas_lock_with_backoff() {
  unsigned int pause = 8;
  while (atomicCAS(&word, 0u, 1u) != 0u) {
    __nanosleep(pause);
    if (pause < 256) pause *= 2;
  }
  __threadfence();
  counter++;
  __threadfence();
  atomicExch(&word, 0u);
}
