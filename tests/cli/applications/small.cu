// Small applications whose answers are known: tests/cli/small_applications.rs says them.
#include <cuda/atomic>
using device_ref = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
using block_ref = cuda::atomic_ref<unsigned, cuda::thread_scope_block>;

extern "C" __global__ void ticket(unsigned *next, unsigned *serving, unsigned *count) {
  unsigned mine = atomicAdd(next, 1);
  device_ref s(*serving);
  while (s.load(cuda::memory_order_acquire) != mine) {}
  *count = *count + 1;
  s.store(mine + 1, cuda::memory_order_release);
}
extern "C" __global__ void message(unsigned *data, unsigned *flag, unsigned *out) {
  device_ref f(*flag);
  if (blockIdx.x == 0) { for (int i = 0; i < 4; i++) data[i] = i + 1; f.store(1, cuda::memory_order_release); }
  else { while (f.load(cuda::memory_order_acquire) == 0) {} unsigned s = 0; for (int i = 0; i < 4; i++) s += data[i]; out[blockIdx.x] = s; }
}
extern "C" __global__ void dekker(unsigned *flags, unsigned *won) {
  device_ref mine(flags[blockIdx.x]), other(flags[1 - blockIdx.x]);
  mine.store(1, cuda::memory_order_relaxed);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
  if (other.load(cuda::memory_order_relaxed) == 0) atomicAdd(won, 1);
}
extern "C" __global__ void grid_barrier(unsigned *arrived, unsigned *data, unsigned *out) {
  data[blockIdx.x] = blockIdx.x + 1;
  __threadfence();
  atomicAdd(arrived, 1);
  while (atomicAdd(arrived, 0) != gridDim.x) {}
  __threadfence();
  out[blockIdx.x] = data[(blockIdx.x + 1) % gridDim.x];
}
extern "C" __global__ void seqlock(unsigned *seq, unsigned *data, unsigned *bad) {
  device_ref s(*seq), a(data[0]), b(data[1]);
  if (blockIdx.x == 0) {
    for (unsigned n = 1; n <= 4; n++) {
      s.store(2 * n - 1, cuda::memory_order_relaxed);
      cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
      a.store(n, cuda::memory_order_relaxed); b.store(n, cuda::memory_order_relaxed);
      s.store(2 * n, cuda::memory_order_release);
    }
  } else {
    for (int n = 0; n < 8; n++) {
      unsigned before = s.load(cuda::memory_order_acquire);
      unsigned x = a.load(cuda::memory_order_relaxed), y = b.load(cuda::memory_order_relaxed);
      cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
      if (before % 2 == 0 && s.load(cuda::memory_order_relaxed) == before && x != y) *bad = 1;
    }
  }
}
extern "C" __global__ void seqlock_relaxed(unsigned *seq, unsigned *data, unsigned *bad) {
  device_ref s(*seq), a(data[0]), b(data[1]);
  if (blockIdx.x == 0) {
    for (unsigned n = 1; n <= 4; n++) {
      s.store(2 * n - 1, cuda::memory_order_relaxed);
      a.store(n, cuda::memory_order_relaxed); b.store(n, cuda::memory_order_relaxed);
      s.store(2 * n, cuda::memory_order_relaxed);
    }
  } else {
    for (int n = 0; n < 8; n++) {
      unsigned before = s.load(cuda::memory_order_relaxed);
      unsigned x = a.load(cuda::memory_order_relaxed), y = b.load(cuda::memory_order_relaxed);
      if (before % 2 == 0 && s.load(cuda::memory_order_relaxed) == before && x != y) *bad = 1;
    }
  }
}
extern "C" __global__ void warp_sum(const unsigned *in, unsigned *out) {
  unsigned v = in[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}
extern "C" __global__ void tree_sum(const unsigned *in, unsigned *out) {
  extern __shared__ unsigned s[];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d /= 2) { if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d]; __syncthreads(); }
  if (threadIdx.x == 0) *out = s[0];
}
extern "C" __global__ void tree_sum_unsynced(const unsigned *in, unsigned *out) {
  extern __shared__ unsigned s[];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d /= 2) { if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d]; }
  if (threadIdx.x == 0) *out = s[0];
}
extern "C" __global__ void block_lock(unsigned *lock, unsigned *count) {
  if (threadIdx.x % 32 != 0) return;
  block_ref l(*lock);
  unsigned zero = 0;
  while (!l.compare_exchange_weak(zero, 1, cuda::memory_order_acquire)) zero = 0;
  *count = *count + 1;
  l.store(0, cuda::memory_order_release);
}
extern "C" __global__ void ring(unsigned *slots, unsigned *head, unsigned *tail, unsigned *out) {
  device_ref h(*head), t(*tail);
  if (blockIdx.x == 0) {
    for (unsigned n = 0; n < 8; n++) {
      while (n - t.load(cuda::memory_order_acquire) >= 2) {}
      slots[n % 2] = n + 10;
      h.store(n + 1, cuda::memory_order_release);
    }
  } else {
    for (unsigned n = 0; n < 8; n++) {
      while (h.load(cuda::memory_order_acquire) == n) {}
      out[n] = slots[n % 2];
      t.store(n + 1, cuda::memory_order_release);
    }
  }
}
extern "C" __global__ void ring_relaxed_head(unsigned *slots, unsigned *head, unsigned *tail, unsigned *out) {
  device_ref h(*head), t(*tail);
  if (blockIdx.x == 0) {
    for (unsigned n = 0; n < 8; n++) {
      while (n - t.load(cuda::memory_order_acquire) >= 2) {}
      slots[n % 2] = n + 10;
      h.store(n + 1, cuda::memory_order_relaxed);
    }
  } else {
    for (unsigned n = 0; n < 8; n++) {
      while (h.load(cuda::memory_order_acquire) == n) {}
      out[n] = slots[n % 2];
      t.store(n + 1, cuda::memory_order_release);
    }
  }
}
extern "C" __global__ void lock_of_a_block(unsigned *lock, unsigned *count) {
  for (int i = 0; i < 2; i++) {
    while (atomicCAS_block(lock, 0, 1) != 0) {}
    __threadfence();
    *count = *count + 1;
    __threadfence();
    atomicExch_block(lock, 0);
  }
}
extern "C" __global__ void counter_of_a_block(unsigned *count) { for (int i = 0; i < 4; i++) atomicAdd_block(count, 1); }
extern "C" __global__ void last_by_block(unsigned *part, unsigned *count, unsigned *out) {
  part[blockIdx.x] = blockIdx.x + 1;
  __threadfence();
  if (atomicAdd_block(count, 1) == gridDim.x - 1) { __threadfence(); unsigned s = 0; for (unsigned i = 0; i < gridDim.x; i++) s += part[i]; *out = s; }
}
extern "C" __global__ void dekker_acq_rel(unsigned *flags, unsigned *won) {
  device_ref mine(flags[blockIdx.x]), other(flags[1 - blockIdx.x]);
  mine.store(1, cuda::memory_order_relaxed);
  cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
  if (other.load(cuda::memory_order_relaxed) == 0) atomicAdd(won, 1);
}
extern "C" __global__ void plain_flag(unsigned *data, unsigned *flag, unsigned *out) {
  if (blockIdx.x == 0) { data[0] = 1; cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device); flag[0] = 1; }
  else { while (((volatile unsigned *)flag)[0] == 0) {} cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device); out[0] = data[0]; }
}
extern "C" __global__ void fence_of_a_block(unsigned *data, unsigned *flag, unsigned *out) {
  volatile unsigned *f = flag;
  if (blockIdx.x == 0) { data[0] = 1; __threadfence_block(); f[0] = 1; }
  else { while (f[0] == 0) {} __threadfence(); out[0] = data[0]; }
}
extern "C" __global__ void lost_count(unsigned *count) { *count = *count + 1; }
extern "C" __global__ void beyond_shared(const unsigned *in, unsigned *out) {
  __shared__ unsigned s[64]; __shared__ unsigned t[64];
  t[threadIdx.x] = 1; s[threadIdx.x + 1] = in[threadIdx.x]; __syncthreads(); out[threadIdx.x] = s[threadIdx.x] + t[threadIdx.x];
}
extern "C" __global__ void beyond_local(const unsigned *in, unsigned *out) {
  unsigned a[4], b[4];
  for (int i = 0; i < 4; i++) { a[i] = in[i]; b[i] = 1; }
  unsigned s = 0;
  for (unsigned i = 0; i <= in[4]; i++) s += a[i];
  *out = s + b[in[0] % 4];
}
extern "C" __global__ void beyond_global(unsigned *a, unsigned *b) { a[threadIdx.x * 64] = 1; b[threadIdx.x] = 2; }
extern "C" __global__ void one_comes(unsigned *out) { if (threadIdx.x < 32) asm volatile("barrier.sync 1, 64;"); *out = 1; }
extern "C" __global__ void unwritten_shared(const unsigned *in, unsigned *out) {
  __shared__ unsigned s[64];
  if (threadIdx.x % 2 == 0) s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  atomicAdd(out, s[threadIdx.x]);
}
extern "C" __global__ void unwritten_local(const unsigned *in, unsigned *out) {
  unsigned a[4];
  for (unsigned i = 1; i < 4; i++) a[i] = in[i];
  unsigned s = 0;
  for (unsigned i = 0; i < 4; i++) s += a[(i + in[0]) % 4];
  *out = s;
}
