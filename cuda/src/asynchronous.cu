// Barriers, latches, semaphores, asynchronous copies and pipelines, as libcu++ 3.5 and the library of CUDA 13.5 make them; read behind library.cu.

__device__ inline int __isShared(const void *p) { int r; asm("{ .reg .pred p; isspacep.shared p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(r) : "l"(p)); return r; }
__device__ inline int __isGlobal(const void *p) { int r; asm("{ .reg .pred p; isspacep.global p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(r) : "l"(p)); return r; }
__device__ inline int __isLocal(const void *p) { int r; asm("{ .reg .pred p; isspacep.local p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(r) : "l"(p)); return r; }
__device__ inline int __isConstant(const void *p) { int r; asm("{ .reg .pred p; isspacep.const p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(r) : "l"(p)); return r; }

// Copies by cp.async, of 4, 8 or 16 bytes, and groups of them.
template <int Size> __device__ inline void __margay_copy_async(void *to, const void *from) {
  unsigned shared = (unsigned)__cvta_generic_to_shared(to);
  unsigned long long global = (unsigned long long)__cvta_generic_to_global(from);
  if constexpr (Size == 4) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared), "l"(global) : "memory");
  else if constexpr (Size == 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared), "l"(global) : "memory");
  else asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
}
// As many bytes as are there; the others are zeros.
template <int Size> __device__ inline void __margay_copy_async(void *to, const void *from, unsigned some) {
  unsigned shared = (unsigned)__cvta_generic_to_shared(to);
  unsigned long long global = (unsigned long long)__cvta_generic_to_global(from);
  if constexpr (Size == 4) asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(global), "r"(some) : "memory");
  else if constexpr (Size == 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared), "l"(global), "r"(some) : "memory");
  else asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global), "r"(some) : "memory");
}
__device__ inline void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t zeros = 0) {
  if (zeros > size) __trap();
  else if (zeros != 0) {
    if (size == 16) __margay_copy_async<16>(to, from, (unsigned)(size - zeros));
    else if (size == 8) __margay_copy_async<8>(to, from, (unsigned)(size - zeros));
    else if (size == 4) __margay_copy_async<4>(to, from, (unsigned)(size - zeros));
    else __trap();
  }
  else if (size == 16) __margay_copy_async<16>(to, from);
  else if (size == 8) __margay_copy_async<8>(to, from);
  else if (size == 4) __margay_copy_async<4>(to, from);
  else __trap();
}
__device__ inline void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
__device__ inline void __pipeline_wait_prior(size_t prior) {
  if (prior == 0) asm volatile("cp.async.wait_group 0;" ::: "memory");
  else if (prior == 1) asm volatile("cp.async.wait_group 1;" ::: "memory");
  else if (prior == 2) asm volatile("cp.async.wait_group 2;" ::: "memory");
  else if (prior == 3) asm volatile("cp.async.wait_group 3;" ::: "memory");
  else if (prior == 4) asm volatile("cp.async.wait_group 4;" ::: "memory");
  else if (prior == 5) asm volatile("cp.async.wait_group 5;" ::: "memory");
  else if (prior == 6) asm volatile("cp.async.wait_group 6;" ::: "memory");
  else if (prior == 7) asm volatile("cp.async.wait_group 7;" ::: "memory");
  else asm volatile("cp.async.wait_group 8;" ::: "memory");
}

namespace cuda {
namespace std {
}
// How the cache keeps what is accessed says nothing of what is read.
struct access_property {
  struct normal {};
  struct streaming {};
  struct persisting {};
  struct global {};
  struct shared {};
};
template <class T, class Property> struct annotated_ptr {
  T *__margay_pointer;
  __device__ annotated_ptr(T *p) : __margay_pointer(p) {}
  template <class P> __device__ annotated_ptr(T *p, P) : __margay_pointer(p) {}
  __device__ T &operator[](ptrdiff_t n) const { return __margay_pointer[n]; }
  __device__ T &operator*() const { return *__margay_pointer; }
  __device__ T *operator->() const { return __margay_pointer; }
  __device__ T *get() const { return __margay_pointer; }
  __device__ explicit operator bool() const { return __margay_pointer != nullptr; }
};
template <class T, class P> __device__ T *associate_access_property(T *p, P) { return p; }
template <class P> __device__ void apply_access_property(const volatile void *p, size_t n, P) {}
template <size_t Alignment> struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  __device__ explicit aligned_size_t(size_t n) : value(n) {}
  __device__ operator size_t() const { return value; }
};
enum class async_contract_fulfillment { none, async };

// All but barriers of a block: two counts, and the phase in the highest bit.
template <thread_scope Scope = thread_scope_system, class Completion = void> struct barrier {
  alignas(8) unsigned long long __margay_word;
  typedef unsigned long long arrival_token;
  constexpr barrier() = default;
  __device__ barrier(ptrdiff_t expected) { __margay_init(expected); }
  __device__ void __margay_init(ptrdiff_t expected) { __margay_word = (0x80000000ull - expected) << 32 | (0x80000000ull - expected); }
  __device__ arrival_token arrive(ptrdiff_t update = 1) {
    const unsigned long long more = (unsigned long long)update << 32;
    const unsigned long long old = __margay_atomic_add(&__margay_word, more, memory_order_acq_rel, Scope);
    if (((old ^ (old + more)) & 0x8000000000000000ull) != 0) __margay_atomic_add(&__margay_word, (old & 0xffffffffull) << 32, memory_order_relaxed, Scope);
    return old & 0x8000000000000000ull;
  }
  __device__ void wait(arrival_token phase) const { while ((__margay_atomic_load(&__margay_word, memory_order_acquire, Scope) & 0x8000000000000000ull) == phase) {} }
  __device__ void wait_parity(bool parity) const { wait(parity ? 0x8000000000000000ull : 0ull); }
  __device__ void arrive_and_wait() { wait(arrive()); }
  __device__ void arrive_and_drop() { __margay_atomic_add(&__margay_word, 1ull, memory_order_relaxed, Scope); arrive(); }
};
// Those of a block are mbarriers where they are in shared memory.
template <class Completion> struct barrier<thread_scope_block, Completion> {
  alignas(8) unsigned long long __margay_word;
  typedef unsigned long long arrival_token;
  constexpr barrier() = default;
  __device__ barrier(ptrdiff_t expected) { __margay_init(expected); }
  __device__ barrier<thread_scope_thread> *__margay_other() const { return (barrier<thread_scope_thread> *)&__margay_word; }
  __device__ unsigned __margay_address() const { return (unsigned)__cvta_generic_to_shared(&__margay_word); }
  __device__ void __margay_init(ptrdiff_t expected) {
    if (__isShared(&__margay_word)) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(__margay_address()), "r"((unsigned)expected) : "memory");
    else __trap();
  }
  __device__ arrival_token arrive(ptrdiff_t update = 1) {
    arrival_token state;
    // The library asks for it: not in the shared memory of another block.
    if (!__isShared(&__margay_word)) __trap();
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(__margay_address()), "r"((unsigned)update) : "memory");
#else
    if (update > 1) asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;" : "=l"(state) : "r"(__margay_address()), "r"((unsigned)(update - 1)) : "memory");
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(__margay_address()) : "memory");
#endif
    return state;
  }
  __device__ void wait(arrival_token state) const {
    int done;
    do {
#if __CUDA_ARCH__ >= 900
      asm volatile("{ .reg .pred p; mbarrier.try_wait.shared::cta.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(__margay_address()), "l"(state) : "memory");
#else
      asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(__margay_address()), "l"(state) : "memory");
#endif
    } while (!done);
  }
  __device__ void wait_parity(bool parity) const {
    int done;
    do {
#if __CUDA_ARCH__ >= 900
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(__margay_address()), "r"((unsigned)parity) : "memory");
#else
      asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(__margay_address()), "r"((unsigned)parity) : "memory");
#endif
    } while (!done);
  }
  __device__ void arrive_and_wait() { wait(arrive()); }
  __device__ void arrive_and_drop() { asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" ::"r"(__margay_address()) : "memory"); }
  // What was copied by cp.async is complete when the phase is.
  __device__ void __margay_follow() { asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(__margay_address()) : "memory"); }
};
template <thread_scope S, class C> __device__ void init(barrier<S, C> *b, ptrdiff_t expected) { b->__margay_init(expected); }
namespace device {
template <class C> __device__ unsigned long long *barrier_native_handle(barrier<thread_scope_block, C> &b) { return &b.__margay_word; }
template <class C> __device__ unsigned long long barrier_arrive_tx(barrier<thread_scope_block, C> &b, ptrdiff_t arrivals, ptrdiff_t bytes) {
  unsigned long long state;
  if (arrivals > 1) asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(b.__margay_address()), "r"((unsigned)bytes) : "memory");
  if (arrivals > 1) return b.arrive(arrivals);
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(b.__margay_address()), "r"((unsigned)bytes) : "memory");
  return state;
}
template <class C> __device__ void barrier_expect_tx(barrier<thread_scope_block, C> &b, ptrdiff_t bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(b.__margay_address()), "r"((unsigned)bytes) : "memory");
}
template <class C> __device__ void memcpy_async_tx(void *to, const void *from, size_t bytes, barrier<thread_scope_block, C> &b) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"((unsigned long long)__cvta_generic_to_global(from)), "r"((unsigned)bytes), "r"(b.__margay_address()) : "memory");
}
}

template <thread_scope Scope = thread_scope_system> struct latch {
  alignas(8) ptrdiff_t __margay_count;
  constexpr latch() = default;
  __device__ latch(ptrdiff_t expected) : __margay_count(expected) {}
  __device__ void count_down(ptrdiff_t update = 1) { __margay_atomic_sub(&__margay_count, update, memory_order_release, Scope); }
  __device__ bool try_wait() const { return __margay_atomic_load(&__margay_count, memory_order_acquire, Scope) == 0; }
  __device__ void wait() const { while (__margay_atomic_load(&__margay_count, memory_order_acquire, Scope) != 0) {} }
  __device__ void arrive_and_wait(ptrdiff_t update = 1) { count_down(update); wait(); }
};
template <thread_scope S> __device__ void init(latch<S> *l, ptrdiff_t expected) { l->__margay_count = expected; }
template <thread_scope Scope = thread_scope_system, ptrdiff_t Most = 0x7fffffffffffffffll> struct counting_semaphore {
  alignas(8) ptrdiff_t __margay_count;
  constexpr counting_semaphore() = default;
  __device__ counting_semaphore(ptrdiff_t count) : __margay_count(count) {}
  __device__ void release(ptrdiff_t update = 1) { __margay_atomic_add(&__margay_count, update, memory_order_release, Scope); }
  __device__ bool try_acquire() {
    const ptrdiff_t old = __margay_atomic_load(&__margay_count, memory_order_acquire, Scope);
    return old != 0 && __margay_atomic_cas(&__margay_count, old, old - 1, memory_order_acquire, memory_order_relaxed, Scope) == old;
  }
  __device__ void acquire() {
    while (true) {
      while (__margay_atomic_load(&__margay_count, memory_order_relaxed, Scope) == 0) {}
      if (try_acquire()) break;
    }
  }
};
template <thread_scope S, ptrdiff_t M> __device__ void init(counting_semaphore<S, M> *s, ptrdiff_t count) { s->__margay_count = count; }
template <thread_scope Scope = thread_scope_system> struct binary_semaphore {
  counting_semaphore<Scope, 1> __margay_of;
  constexpr binary_semaphore() = default;
  __device__ binary_semaphore(ptrdiff_t count) : __margay_of(count) {}
  __device__ void release(ptrdiff_t update = 1) { __margay_of.release(update); }
  __device__ bool try_acquire() { return __margay_of.try_acquire(); }
  __device__ void acquire() { __margay_of.acquire(); }
};

struct __margay_one_thread {
  static __device__ void sync() {}
  static __device__ size_t size() { return 1; }
  static __device__ size_t thread_rank() { return 0; }
};
// How a copy is done: by cp.async (1), by a copy in bulk that an mbarrier counts (2), or at once (0).
template <int Align, class G> __device__ int __margay_copy(const G &group, char *to, const char *from, size_t size, unsigned mbarrier) {
  const size_t rank = group.thread_rank(), count = group.size();
  if (__isGlobal(from) && __isShared(to)) {
#if __CUDA_ARCH__ >= 900
    if constexpr (Align >= 16) {
      if (mbarrier != 0) {
        if (rank == 0) {
          asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"((unsigned long long)__cvta_generic_to_global(from)), "r"((unsigned)size), "r"(mbarrier) : "memory");
          asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(mbarrier), "r"((unsigned)size) : "memory");
        }
        return 2;
      }
    }
#endif
    if constexpr (Align >= 4) {
      constexpr int step = Align > 16 ? 16 : Align;
      for (size_t at = rank * step; at < size; at += count * step) __margay_copy_async<step>(to + at, from + at);
      return 1;
    }
  }
  if constexpr (Align >= 8) for (size_t at = rank * 8; at < size; at += count * 8) *(unsigned long long *)(to + at) = *(const unsigned long long *)(from + at);
  else if constexpr (Align == 4) for (size_t at = rank * 4; at < size; at += count * 4) *(unsigned *)(to + at) = *(const unsigned *)(from + at);
  else if constexpr (Align == 2) for (size_t at = rank * 2; at < size; at += count * 2) *(unsigned short *)(to + at) = *(const unsigned short *)(from + at);
  else for (size_t at = rank; at < size; at += count) to[at] = from[at];
  return 0;
}
template <int Align, class G, class C> __device__ void __margay_copy_to(const G &group, void *to, const void *from, size_t size, barrier<thread_scope_block, C> &b) {
  if (__margay_copy<Align>(group, (char *)to, (const char *)from, size, b.__margay_address()) == 1) b.__margay_follow();
}
template <int Align, class G, thread_scope S, class C> __device__ void __margay_copy_to(const G &group, void *to, const void *from, size_t size, barrier<S, C> &b) {
  if (__margay_copy<Align>(group, (char *)to, (const char *)from, size, 0u) == 1) asm volatile("cp.async.wait_all;" ::: "memory");
}

template <thread_scope Scope> struct __margay_stage { barrier<Scope> produced; barrier<Scope> consumed; };
template <thread_scope Scope, unsigned Stages> struct pipeline_shared_state {
  __margay_stage<Scope> __margay_stages[Stages];
  unsigned __margay_count;
};
enum class pipeline_role { producer, consumer };
template <thread_scope Scope> struct pipeline {
  unsigned __margay_head, __margay_tail, __margay_number;
  bool __margay_consumed, __margay_produced;
  __margay_stage<Scope> *__margay_stages;
  __device__ pipeline(__margay_stage<Scope> *stages, unsigned number) : __margay_head(0), __margay_tail(0), __margay_number(number), __margay_consumed(true), __margay_produced(false), __margay_stages(stages) {}
  __device__ void producer_acquire() { __margay_stages[__margay_head].consumed.wait_parity(__margay_consumed); }
  __device__ void producer_commit() {
    __margay_stages[__margay_head].produced.__margay_follow();
    __margay_stages[__margay_head].produced.arrive();
    if (++__margay_head == __margay_number) { __margay_head = 0; __margay_consumed = !__margay_consumed; }
  }
  __device__ void consumer_wait() { __margay_stages[__margay_tail].produced.wait_parity(__margay_produced); }
  __device__ void consumer_release() {
    __margay_stages[__margay_tail].consumed.arrive();
    if (++__margay_tail == __margay_number) { __margay_tail = 0; __margay_produced = !__margay_produced; }
  }
  // What it invalidates nobody uses any more.
  __device__ bool quit() { return true; }
};
template <> struct pipeline<thread_scope_thread> {
  unsigned __margay_head, __margay_tail;
  __device__ pipeline() : __margay_head(0), __margay_tail(0) {}
  __device__ void producer_acquire() {}
  __device__ void producer_commit() { __pipeline_commit(); ++__margay_head; }
  __device__ void consumer_wait() {
    if (__margay_head == __margay_tail) return;
    __pipeline_wait_prior(__margay_head - __margay_tail - 1);
    ++__margay_tail;
  }
  __device__ void consumer_release() {}
  __device__ bool quit() { return true; }
};
__device__ inline pipeline<thread_scope_thread> make_pipeline() { return pipeline<thread_scope_thread>(); }
template <class G, thread_scope S, unsigned N> __device__ pipeline<S> __margay_pipeline(const G &group, pipeline_shared_state<S, N> *state, unsigned producers, unsigned consumers) {
  if (group.thread_rank() == 0)
    for (unsigned n = 0; n < N; ++n) {
      init(&state->__margay_stages[n].consumed, consumers);
      init(&state->__margay_stages[n].produced, producers);
    }
  group.sync();
  return pipeline<S>(state->__margay_stages, N);
}
template <class G, thread_scope S, unsigned N> __device__ pipeline<S> make_pipeline(const G &group, pipeline_shared_state<S, N> *state) {
  return __margay_pipeline(group, state, (unsigned)group.size(), (unsigned)group.size());
}
template <class G, thread_scope S, unsigned N> __device__ pipeline<S> make_pipeline(const G &group, pipeline_shared_state<S, N> *state, size_t producers) {
  return __margay_pipeline(group, state, (unsigned)producers, (unsigned)(group.size() - producers));
}
template <class G, thread_scope S, unsigned N> __device__ pipeline<S> make_pipeline(const G &group, pipeline_shared_state<S, N> *state, pipeline_role role) {
  if (group.thread_rank() == 0) __margay_atomic_store(&state->__margay_count, 0u, memory_order_relaxed, S);
  group.sync();
  if (role == pipeline_role::producer) __margay_atomic_add(&state->__margay_count, 1u, memory_order_relaxed, S);
  group.sync();
  const unsigned producers = __margay_atomic_load(&state->__margay_count, memory_order_relaxed, S);
  return __margay_pipeline(group, state, producers, (unsigned)group.size() - producers);
}
template <unsigned Prior> __device__ void pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &p) {
  __pipeline_wait_prior(Prior);
  p.__margay_tail = p.__margay_head - Prior;
}
template <int Align, class G, thread_scope S> __device__ void __margay_copy_to(const G &group, void *to, const void *from, size_t size, pipeline<S> &p) {
  __margay_copy<Align>(group, (char *)to, (const char *)from, size, 0u);
}

template <class T> struct __margay_alignment { static constexpr int value = alignof(T); };
template <> struct __margay_alignment<void> { static constexpr int value = 1; };
template <class G, class T, class U, size_t A, class B> __device__ async_contract_fulfillment memcpy_async(const G &group, T *to, const U *from, aligned_size_t<A> size, B &by) {
  __margay_copy_to<(A > __margay_alignment<T>::value ? A : __margay_alignment<T>::value)>(group, to, from, size.value, by);
  return async_contract_fulfillment::async;
}
template <class G, class T, class U, class B> __device__ async_contract_fulfillment memcpy_async(const G &group, T *to, const U *from, size_t size, B &by) {
  __margay_copy_to<__margay_alignment<T>::value>(group, to, from, size, by);
  return async_contract_fulfillment::async;
}
template <class T, class U, size_t A, class B> __device__ async_contract_fulfillment memcpy_async(T *to, const U *from, aligned_size_t<A> size, B &by) {
  __margay_one_thread one;
  return memcpy_async(one, to, from, size, by);
}
template <class T, class U, class B> __device__ async_contract_fulfillment memcpy_async(T *to, const U *from, size_t size, B &by) {
  __margay_one_thread one;
  return memcpy_async(one, to, from, size, by);
}
}

namespace cooperative_groups {
// Copies by pieces of the type's alignment; the library takes larger pieces where addresses let it.
template <class G, class T, class U, class N> __device__ void memcpy_async(const G &group, T *to, const U *from, const N &bytes) {
  cuda::__margay_copy<cuda::__margay_alignment<T>::value>(group, (char *)to, (const char *)from, (size_t)bytes, 0u);
  __pipeline_commit();
}
template <class G, class T, class U> __device__ void memcpy_async(const G &group, T *to, size_t room, const U *from, size_t count) {
  cuda::__margay_copy<cuda::__margay_alignment<T>::value>(group, (char *)to, (const char *)from, (room < count ? room : count) * sizeof(T), 0u);
  __pipeline_commit();
}
template <unsigned Stage, class G> __device__ void wait_prior(const G &group) { __pipeline_wait_prior(Stage); group.sync(); }
template <class G> __device__ void wait(const G &group) { __pipeline_wait_prior(0); group.sync(); }

struct cluster_group {
  static __device__ void sync() { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
  static __device__ void barrier_arrive() { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
  static __device__ void barrier_wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
  static __device__ unsigned block_rank() { unsigned r; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
  static __device__ unsigned num_blocks() { unsigned r; asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(r)); return r; }
  static __device__ unsigned thread_rank() { return block_rank() * thread_block::size() + thread_block::thread_rank(); }
  static __device__ unsigned num_threads() { return num_blocks() * thread_block::size(); }
  static __device__ unsigned size() { return num_threads(); }
  static __device__ dim3 block_index() { return dim3(block_rank(), 0, 0); }
  static __device__ dim3 dim_blocks() { return dim3(num_blocks(), 1, 1); }
  template <class T> __device__ T *map_shared_rank(T *p, int rank) const { unsigned long long r; asm("mapa.u64 %0, %1, %2;" : "=l"(r) : "l"(p), "r"(rank)); return (T *)r; }
  template <class T> __device__ unsigned query_shared_rank(const T *p) const { unsigned r; asm("getctarank.u64 %0, %1;" : "=r"(r) : "l"(p)); return r; }
};
__device__ inline cluster_group this_cluster() { cluster_group g; return g; }

// The threads of a warp that a mask names.
struct coalesced_group {
  unsigned __margay_mask;
  __device__ void sync() const { __syncwarp(__margay_mask); }
  __device__ unsigned size() const { return __popc(__margay_mask); }
  __device__ unsigned num_threads() const { return size(); }
  __device__ unsigned thread_rank() const { unsigned below; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below)); return __popc(__margay_mask & below); }
  // The lane of a rank.
  __device__ unsigned __margay_lane(unsigned rank) const {
    unsigned lane = 0;
    for (unsigned n = 0; n < 32; ++n) {
      if ((__margay_mask >> n & 1) == 0) continue;
      if (rank == 0) lane = n;
      --rank;
    }
    return lane;
  }
  template <class T> __device__ T shfl(T v, unsigned rank) const { return __shfl_sync(__margay_mask, v, __margay_lane(rank)); }
  template <class T> __device__ T shfl_down(T v, unsigned by) const { unsigned to = thread_rank() + by; return __shfl_sync(__margay_mask, v, __margay_lane(to < size() ? to : thread_rank())); }
  template <class T> __device__ T shfl_up(T v, int by) const { int to = (int)thread_rank() - by; return __shfl_sync(__margay_mask, v, __margay_lane(to >= 0 ? to : thread_rank())); }
  __device__ int any(int p) const { return __any_sync(__margay_mask, p); }
  __device__ int all(int p) const { return __all_sync(__margay_mask, p); }
  __device__ unsigned ballot(int p) const {
    unsigned all = __ballot_sync(__margay_mask, p), packed = 0, rank = 0;
    for (unsigned n = 0; n < 32; ++n)
      if (__margay_mask >> n & 1) packed |= (all >> n & 1) << rank++;
    return packed;
  }
};
__device__ inline coalesced_group coalesced_threads() { coalesced_group g; g.__margay_mask = __activemask(); return g; }
template <class T, class F> __device__ T reduce(const coalesced_group &group, T v, F by) {
  T sum = group.shfl(v, 0);
  for (unsigned n = 1; n < group.size(); ++n) sum = by(sum, group.shfl(v, n));
  return sum;
}
template <unsigned Size, class P, class T, class F> __device__ T inclusive_scan(const thread_block_tile<Size, P> &tile, T v, F by) {
  for (unsigned d = 1; d < Size; d *= 2) {
    T other = tile.shfl_up(v, d);
    if (tile.thread_rank() >= d) v = by(other, v);
  }
  return v;
}
template <unsigned Size, class P, class T> __device__ T inclusive_scan(const thread_block_tile<Size, P> &tile, T v) { return inclusive_scan(tile, v, plus<T>()); }
// What stands in front of the first thread is nothing, as the library makes it.
template <unsigned Size, class P, class T, class F> __device__ T exclusive_scan(const thread_block_tile<Size, P> &tile, T v, F by) {
  T before = tile.shfl_up(inclusive_scan(tile, v, by), 1);
  return tile.thread_rank() == 0 ? T() : before;
}
template <unsigned Size, class P, class T> __device__ T exclusive_scan(const thread_block_tile<Size, P> &tile, T v) { return exclusive_scan(tile, v, plus<T>()); }
}
