// Structures without locks between blocks, right and with one order weakened.

#include <cuda/atomic>

using order = cuda::memory_order;
template <class T>
using device_ref = cuda::atomic_ref<T, cuda::thread_scope_device>;
constexpr order relaxed = cuda::memory_order_relaxed, acquire = cuda::memory_order_acquire, release = cuda::memory_order_release;

// A sequence lock: block 0 writes two values, the others read both and take them if the number did not change (Boehm 2012).
__device__ unsigned int number;
__device__ int first, second;

template <bool fenced>
__device__ void sequence() {
  device_ref<unsigned int> n(number);
  device_ref<int> a(first), b(second);
  if (blockIdx.x == 0) {
    n.store(1, relaxed);
    cuda::atomic_thread_fence(release, cuda::thread_scope_device);
    a.store(1, relaxed);
    b.store(1, relaxed);
    n.store(2, release);
  } else {
    unsigned int before = n.load(acquire);
    int x = a.load(relaxed), y = b.load(relaxed);
    if (fenced) cuda::atomic_thread_fence(acquire, cuda::thread_scope_device);
    unsigned int after = n.load(relaxed);
    if (before == after && before % 2 == 0 && x != y) __trap();
  }
}

extern "C" __global__ void sequence_lock() { sequence<true>(); }
extern "C" __global__ void sequence_lock_without_fence() { sequence<false>(); }

// A deque of work (Chase and Lev; orders of Le, Pop, Cohen and Zappa Nardelli, 2013): block 0 pushes two and takes one, the others steal.
__device__ int top, bottom;
__device__ int slots[2];
__device__ int work[2];

template <order pushed, bool fenced>
__device__ void chase_lev(int* out) {
  device_ref<int> t(top), b(bottom);
  int got = -1;
  if (blockIdx.x == 0) {
    for (int i = 0; i < 2; i++) {
      work[i] = i + 1;
      device_ref<int>(slots[i]).store(i, relaxed);
      cuda::atomic_thread_fence(pushed, cuda::thread_scope_device);
      b.store(i + 1, relaxed);
    }
    b.store(1, relaxed);
    if (fenced) cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    int at = t.load(relaxed);
    if (at <= 1) {
      got = device_ref<int>(slots[1]).load(relaxed);
      if (at == 1) {
        if (!t.compare_exchange_strong(at, at + 1, cuda::memory_order_seq_cst, relaxed)) got = -1;
        b.store(2, relaxed);
      }
    } else {
      b.store(2, relaxed);
    }
  } else {
    int at = t.load(acquire);
    if (fenced) cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    int end = b.load(acquire);
    if (at < end) {
      got = device_ref<int>(slots[at]).load(relaxed);
      if (!t.compare_exchange_strong(at, at + 1, cuda::memory_order_seq_cst, relaxed)) got = -1;
    }
  }
  // Nobody gets what another one has: a second one to write here races.
  if (got >= 0) work[got] += 10;
}

extern "C" __global__ void deque(int* out) { chase_lev<release, true>(out); }
extern "C" __global__ void deque_relaxed_push(int* out) { chase_lev<relaxed, true>(out); }
extern "C" __global__ void deque_without_sc(int* out) { chase_lev<release, false>(out); }

// A stack (Treiber): each block pushes a node of its own and pops one. Nodes are not used again.
struct Item {
  Item* next;
  int value;
};
__device__ Item items[4];
__device__ cuda::atomic<Item*, cuda::thread_scope_device> head;

template <order pushed>
__device__ void stack(int* out) {
  Item* mine = &items[blockIdx.x];
  mine->value = blockIdx.x + 1;
  Item* old = head.load(relaxed);
  do {
    mine->next = old;
  } while (!head.compare_exchange_weak(old, mine, pushed, relaxed));
  Item* got = head.load(acquire);
  while (got && !head.compare_exchange_weak(got, got->next, acquire, acquire)) {}
  if (got) out[blockIdx.x] = got->value;
}

extern "C" __global__ void treiber_stack(int* out) { stack<release>(out); }
extern "C" __global__ void treiber_stack_relaxed(int* out) { stack<relaxed>(out); }

// A queue (Michael and Scott): the first two blocks put a node in, the others take one out.
struct Cell {
  cuda::atomic<Cell*, cuda::thread_scope_device> next;
  int value;
};
__device__ Cell cells[5];
__device__ cuda::atomic<Cell*, cuda::thread_scope_device> front, back;

template <order linked>
__device__ void michael_scott(int* out) {
  if (blockIdx.x != 1) {
    Cell* mine = &cells[blockIdx.x + 1];
    mine->value = blockIdx.x + 1;
    mine->next.store(nullptr, relaxed);
    while (true) {
      Cell* end = back.load(acquire);
      if (!end) end = &cells[0];
      Cell* next = end->next.load(acquire);
      if (next == nullptr) {
        if (end->next.compare_exchange_strong(next, mine, linked, relaxed)) break;
      }
      Cell* same = end == &cells[0] ? nullptr : end;
      back.compare_exchange_strong(same, next, release, relaxed);
    }
  } else {
    Cell* begin = front.load(acquire);
    if (!begin) begin = &cells[0];
    Cell* next = begin->next.load(acquire);
    if (next) {
      Cell* same = begin == &cells[0] ? nullptr : begin;
      if (front.compare_exchange_strong(same, next, release, relaxed)) out[blockIdx.x] = next->value;
    }
  }
}

extern "C" __global__ void michael_scott_queue(int* out) { michael_scott<release>(out); }
extern "C" __global__ void michael_scott_queue_relaxed(int* out) { michael_scott<relaxed>(out); }

// A scan with decoupled look-back (Merrill and Garland): a block publishes its sum, then adds up those in front until it finds a prefix.
template <order published>
__device__ void look_back(const int* in, int* out, int* sums, int* prefixes, unsigned int* states) {
  __shared__ int before;
  __shared__ int cell[2];
  int b = blockIdx.x;
  cell[threadIdx.x] = in[b * blockDim.x + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < blockDim.x; i++) sum += cell[i];
    int exclusive = 0;
    if (b > 0) {
      sums[b] = sum;
      device_ref<unsigned int>(states[b]).store(1, published);
      for (int i = b - 1; i >= 0; i--) {
        unsigned int state;
        while ((state = device_ref<unsigned int>(states[i]).load(acquire)) == 0) {}
        if (state == 2) {
          exclusive += prefixes[i];
          break;
        }
        exclusive += sums[i];
      }
    }
    prefixes[b] = exclusive + sum;
    device_ref<unsigned int>(states[b]).store(2, published);
    before = exclusive;
  }
  __syncthreads();
  out[b * blockDim.x + threadIdx.x] = before + cell[threadIdx.x];
}

extern "C" __global__ void scan(const int* in, int* out, int* sums, int* prefixes, unsigned int* states) {
  look_back<release>(in, out, sums, prefixes, states);
}
extern "C" __global__ void scan_relaxed(const int* in, int* out, int* sums, int* prefixes, unsigned int* states) {
  look_back<relaxed>(in, out, sums, prefixes, states);
}
