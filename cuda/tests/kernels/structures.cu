// Locks as structures and classes, with the right fences and without them. Each block adds 1 to a counter that the lock guards.
#include <cuda/atomic>

class SpinLock {
  int state;

 public:
  __device__ void lock() {
    while (atomicCAS(&state, 0, 1) != 0) {}
    __threadfence();
  }
  __device__ void unlock() {
    __threadfence();
    atomicExch(&state, 0);
  }
  __device__ void unlock_without_fence() { atomicExch(&state, 0); }
  __device__ bool try_lock() {
    bool taken = atomicCAS(&this->state, 0, 1) == 0;
    if (taken) __threadfence();
    return taken;
  }
};

// A guard that gives the lock back at the end of its scope.
template <class L>
struct Guard {
  L &of;
  __device__ explicit Guard(L &lock) : of(lock) { of.lock(); }
  __device__ ~Guard() { of.unlock(); }
};

__device__ SpinLock lock;
__device__ int counter;

extern "C" __global__ void class_lock() {
  lock.lock();
  counter++;
  lock.unlock();
}
extern "C" __global__ void class_lock_without_fence() {
  lock.lock();
  counter++;
  lock.unlock_without_fence();
}
extern "C" __global__ void guarded(int n) {
  Guard<SpinLock> guard(lock);
  if (n == 0) return;
  counter += n;
}
// The guard's scope ends before the counter is changed.
extern "C" __global__ void guarded_too_little() {
  { Guard<SpinLock> guard(lock); }
  counter++;
}
extern "C" __global__ void tried() {
  if (lock.try_lock()) {
    counter = counter + 1;
    lock.unlock();
  }
}

// A lock that is passed by pointer, of the library's atomics; the order is a parameter of the template.
namespace locks {
template <cuda::memory_order Release>
struct TicketLock {
  cuda::atomic<unsigned, cuda::thread_scope_device> next;
  cuda::atomic<unsigned, cuda::thread_scope_device> turn;

  __device__ void acquire() {
    unsigned mine = next.fetch_add(1, cuda::memory_order_relaxed);
    while (turn.load(cuda::memory_order_acquire) != mine) {
    }
  }
  __device__ void release() { turn.store(turn.load(cuda::memory_order_relaxed) + 1, Release); }
};
using Right = TicketLock<cuda::memory_order_release>;
using Wrong = TicketLock<cuda::memory_order_relaxed>;
}  // namespace locks

template <typename L>
__device__ void increment(L *lock, int *value) {
  lock->acquire();
  *value += 1;
  lock->release();
}
__device__ locks::Right right_lock;
__device__ locks::Wrong wrong_lock;
extern "C" __global__ void ticket_class(int *value) { increment(&right_lock, value); }
extern "C" __global__ void ticket_class_relaxed(int *value) { increment(&wrong_lock, value); }

// A flag of the library.
struct FlagLock {
  cuda::std::atomic_flag flag;
};
__device__ FlagLock flag_lock;
extern "C" __global__ void flag_of_library() {
  while (flag_lock.flag.test_and_set(cuda::std::memory_order_acquire)) {
  }
  counter++;
  flag_lock.flag.clear(cuda::std::memory_order_release);
}

// A structure with a base, a member that is an array, and a constant of all.
struct Base {
  int first;
  __device__ int twice() const { return 2 * first; }
};
struct Derived : Base {
  static constexpr int size = 4;
  int rest[size];
  __device__ Derived(int a) { first = a; for (int i = 0; i < size; i++) rest[i] = a + i; }
  __device__ int &operator[](int i) { return rest[i]; }
  __device__ Derived operator+(const Derived &other) const { return Derived(first + other.first); }
};
extern "C" __global__ void derived(int *out) {
  Derived a(blockIdx.x), b(3);
  Derived c = a + b;
  c[1] = c.twice();
  out[blockIdx.x] = c[1] + Derived::size;
}
extern "C" __global__ void derived_wrong(int *out) {
  Derived a(1);
  out[a[1] - 2] = a.twice();
}

// Initial values by members and constructors.
class Semaphore {
  cuda::atomic<int, cuda::thread_scope_device> count{1};
  int most;

 public:
  constexpr Semaphore() : most(7) {}
  __device__ bool try_acquire() { return count.fetch_sub(1, cuda::memory_order_acquire) > 0; }
  __device__ int limit() const { return most; }
};
__device__ Semaphore semaphore;
extern "C" __global__ void initialised(int *out) {
  if (semaphore.limit() != 7) __trap();
  if (semaphore.try_acquire()) counter++;
}

// A template whose members are defined outside of it, and a word of two halves.
template <typename T, unsigned Size>
class Ring {
  T items[Size];
  unsigned head, tail;

 public:
  __device__ bool push(const T &v);
  __device__ bool pop(T *v);
};
template <typename T, unsigned Size>
__device__ bool Ring<T, Size>::push(const T &v) {
  unsigned t = *(volatile unsigned *)&tail;
  if (t - *(volatile unsigned *)&head == Size) return false;
  items[t % Size] = v;
  __threadfence();
  *(volatile unsigned *)&tail = t + 1;
  return true;
}
template <typename T, unsigned Size>
__device__ bool Ring<T, Size>::pop(T *v) {
  unsigned h = *(volatile unsigned *)&head;
  if (h == *(volatile unsigned *)&tail) return false;
  __threadfence();
  *v = items[h % Size];
  __threadfence();
  *(volatile unsigned *)&head = h + 1;
  return true;
}
__device__ Ring<int, 2> ring;
extern "C" __global__ void handed_on(int *out) {
  if (blockIdx.x == 0) {
    ring.push(7);
  } else {
    int v = 7;
    ring.pop(&v);
    if (v != 7) __trap();
  }
}
union Packed {
  struct {
    int status;
    int value;
  };
  unsigned long long word;
};
extern "C" __global__ void packed(volatile unsigned long long *word) {
  Packed p;
  if (blockIdx.x == 0) {
    p.status = 1;
    p.value = 42;
    *word = p.word;
  } else {
    p.word = *word;
    if (p.status == 1 && p.value != 42) __trap();
  }
}
