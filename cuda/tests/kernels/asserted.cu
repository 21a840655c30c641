// Assertions between barriers, macros within macros, structures within templates, what kind of number a float is.
#include <cassert>
#include <cooperative_groups.h>
#include <cuda/std/utility>

// Whoever fails here would let the others pass, whose next writes it then reads: that proves nothing.
extern "C" __global__ void written_again(int *a) {
  __shared__ int s[4];
  s[threadIdx.x] = 1;
  __syncthreads();
  assert(s[(threadIdx.x + 1) % blockDim.x] == 1);
  __syncthreads();
  s[threadIdx.x] = 2;
}
extern "C" __global__ void written_too_early(int *a) {
  __shared__ int s[4];
  s[threadIdx.x] = 1;
  __syncthreads();
  assert(s[(threadIdx.x + 1) % blockDim.x] == 1);
  s[threadIdx.x] = 2;
}
extern "C" __global__ void asserted_in_vain(int *a) {
  __shared__ int s[4];
  s[threadIdx.x] = 1;
  __syncthreads();
  assert(s[(threadIdx.x + 1) % blockDim.x] == 2);
  __syncthreads();
  s[threadIdx.x] = 2;
}
extern "C" __global__ void warp_written_again(int *a) {
  __shared__ int s[4];
  s[threadIdx.x] = 1;
  __syncwarp();
  if (s[(threadIdx.x + 1) % blockDim.x] != 1) asm volatile("trap;");
  __syncwarp();
  s[threadIdx.x] = 2;
}

// An argument is replaced before it is joined by the next macro, and a macro may be its own argument.
#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#define SCOPE _block
#define ADD JOINED(atomicAdd, SCOPE)
#define LEAST(a, b) ((a) < (b) ? (a) : (b))
#define TEXT_(x) #x
#define WORDS(x) TEXT_(x)
extern "C" __global__ void added_by_name(int *c) { ADD(c + blockIdx.x, 1); }
extern "C" __global__ void added_by_name_wrong(int *c) { ADD(c, 1); }
extern "C" __global__ void least(int *o) {
  assert(LEAST(LEAST(3, 2), LEAST(4, 1)) == 1);
  assert(sizeof(WORDS(SCOPE)) == 7 && sizeof(TEXT_(SCOPE)) == 6);
}

// The parameters of a template are known to structures within it.
template <int Threads, int Items> struct Policy {
  enum { TILE = Threads * Items, ITEMS = Items };
};
template <class T, class P> struct Exchange {
  struct Storage {
    T kept[P::TILE];
    struct Count { T n; } count;
  };
  Storage &storage;
  __device__ Exchange(Storage &storage) : storage(storage) {}
  __device__ void put(T v) { storage.kept[threadIdx.x] = v; }
  __device__ T get(int of) const { return storage.kept[of]; }
};
extern "C" __global__ void within_template(int *o) {
  using Own = Exchange<int, Policy<2, 1>>;
  __shared__ typename Own::Storage storage;
  static_assert(sizeof(storage) == 12 && sizeof(Exchange<char, Policy<2, 3>>::Storage) == 7, "");
  Own own(storage);
  own.put(threadIdx.x);
  __syncthreads();
  assert(own.get(1 - threadIdx.x) == 1 - threadIdx.x);
}
extern "C" __global__ void within_template_wrong(int *o) {
  __shared__ Exchange<int, Policy<2, 1>>::Storage storage;
  Exchange<int, Policy<2, 1>> own(storage);
  own.put(threadIdx.x);
  o[threadIdx.x] = own.get(1 - threadIdx.x);
}

// What kind of number it is decides who writes.
extern "C" __global__ void kinds(float *x, double *y, int *o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (isnan(x[i]) || isinf(y[i])) o[0] = 1;
  if (signbit(x[i]) || !isfinite(y[i])) o[0] = 2;
  assert(!isnan(0.0f) && !isinf(1.0) && signbit(-1.0f) && isfinite(1e300));
}
extern "C" __global__ void kinds_wrong(float *x, int *o) {
  if (!isnan(x[threadIdx.x])) o[0] = threadIdx.x;
}

extern "C" __global__ void exchanged(int *o) {
  int a = 1, b = 2;
  cuda::std::swap(a, b);
  assert(a == 2 && b == 1);
  assert(cuda::std::exchange(a, 9) == 2 && a == 9);
}

// A tile is one whatever it is a part of.
template <int N> __device__ int tile_sum(cooperative_groups::thread_block_tile<N> tile, int v) {
  for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);
  return v;
}
extern "C" __global__ void tile_handed_on(int *o) {
  auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  int sum = tile_sum<32>(tile, 1);
  if (tile.thread_rank() == 0) assert(sum == 32);
}
