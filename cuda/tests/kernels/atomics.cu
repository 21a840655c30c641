// The library's atomics in all their forms, right and wrong.
#include <cuda/atomic>
#include <cuda/std/atomic>

using namespace cuda;

__device__ int data;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};
__device__ cuda::std::atomic<int> system_flag;
__device__ int plain_word;

extern "C" __global__ void message() {
  if (blockIdx.x == 0) {
    data = 42;
    flag.store(1, cuda::memory_order_release);
  } else {
    while (flag.load(cuda::memory_order_acquire) == 0) {}
    if (data != 42) __trap();
  }
}
extern "C" __global__ void message_relaxed() {
  if (blockIdx.x == 0) {
    data = 42;
    flag.store(1, cuda::memory_order_relaxed);
  } else {
    while (flag.load(cuda::memory_order_acquire) == 0) {}
    if (data != 42) __trap();
  }
}
// Conversions and assignments are seq_cst.
extern "C" __global__ void message_by_operators() {
  if (blockIdx.x == 0) {
    data = 42;
    system_flag = 1;
  } else {
    while (!system_flag) {}
    if (data != 42) __trap();
  }
}
extern "C" __global__ void waited() {
  if (blockIdx.x == 0) {
    data = 42;
    flag.store(1, cuda::std::memory_order_release);
    flag.notify_all();
  } else {
    flag.wait(0, cuda::std::memory_order_acquire);
    if (data != 42) __trap();
  }
}
extern "C" __global__ void waited_relaxed() {
  if (blockIdx.x == 0) {
    data = 42;
    flag.store(1, cuda::std::memory_order_release);
    flag.notify_all();
  } else {
    flag.wait(0, cuda::std::memory_order_relaxed);
    if (data != 42) __trap();
  }
}
// A scope that is too narrow.
extern "C" __global__ void message_of_block() {
  cuda::atomic_ref<int, cuda::thread_scope_block> word(plain_word);
  if (blockIdx.x == 0) {
    data = 42;
    word.store(1, cuda::memory_order_release);
  } else {
    while (word.load(cuda::memory_order_acquire) == 0) {}
    if (data != 42) __trap();
  }
}
extern "C" __global__ void message_by_reference() {
  cuda::atomic_ref<int, cuda::thread_scope_device> word{plain_word};
  if (blockIdx.x == 0) {
    data = 42;
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    word.store(1, cuda::memory_order_relaxed);
  } else {
    while (word.load(cuda::memory_order_relaxed) == 0) {}
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    if (data != 42) __trap();
  }
}
extern "C" __global__ void message_by_reference_without_fence() {
  cuda::atomic_ref<int, cuda::thread_scope_device> word{plain_word};
  if (blockIdx.x == 0) {
    data = 42;
    word.store(1, cuda::memory_order_relaxed);
  } else {
    while (word.load(cuda::memory_order_relaxed) == 0) {}
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    if (data != 42) __trap();
  }
}
// Store buffering: with seq_cst not both see 0.
__device__ cuda::atomic<int, cuda::thread_scope_device> x, y;
template <cuda::std::memory_order order>
__device__ void buffered(int *out) {
  if (blockIdx.x == 0) {
    x.store(1, order);
    out[0] = y.load(order);
  } else {
    y.store(1, order);
    out[1] = x.load(order);
  }
}
extern "C" __global__ void buffering(int *out) { buffered<cuda::std::memory_order_seq_cst>(out); }
extern "C" __global__ void buffering_relaxed(int *out) { buffered<cuda::std::memory_order_relaxed>(out); }

// A compare-and-swap in a loop that computes.
extern "C" __global__ void maximum(int *most) {
  cuda::atomic_ref<int, cuda::thread_scope_device> m(*most);
  int mine = blockIdx.x + 1, old = m.load(cuda::memory_order_relaxed);
  while (old < mine && !m.compare_exchange_weak(old, mine, cuda::memory_order_relaxed)) {}
}
extern "C" __global__ void maximum_wrong(int *most) {
  int mine = blockIdx.x + 1;
  if (*most < mine) *most = mine;
}
extern "C" __global__ void counted(unsigned *count) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> c(*count);
  c++;
  ++c;
  c += 2;
  c.fetch_sub(1u, cuda::memory_order_relaxed);
}
// Bits of a word, and 64 bits.
extern "C" __global__ void bits(unsigned *word, unsigned long long *wide) {
  atomicOr(word, 1u << blockIdx.x);
  atomicAnd(word, ~(1u << blockIdx.x));
  atomicXor(word, 4u);
  atomicAdd(wide, 1ull << 40);
  atomicMax(wide, 5ull);
}
extern "C" __global__ void of_block_between_blocks(int *count, int *out) {
  if (atomicAdd_block(count, 1) == 1) out[0] = 1;
}
// An atomic flag of one byte.
__device__ cuda::atomic<bool, cuda::thread_scope_device> ready;
extern "C" __global__ void boolean() {
  if (blockIdx.x == 0) {
    data = 7;
    ready.store(true, cuda::memory_order_release);
  } else {
    while (!ready.load(cuda::memory_order_acquire)) {}
    if (data != 7) __trap();
  }
}
