// Descriptors that are copied by `memcpy`, ranges of one's own, annotated pointers, pointers to rows.
#include <cassert>
#include <cstring>
#include <cuda/annotated_ptr>
#include <cuda/atomic>

// Decoupled look-back: status and value in one word. What is beside the word is not handed on.
enum class Status : unsigned { Invalid, Partial, Inclusive };
struct TileDescriptor { Status status; int value; };
struct TileState {
  TileDescriptor *d;
  __device__ void set(int i, Status s, int v) {
    TileDescriptor t{s, v};
    unsigned long long bits;
    memcpy(&bits, &t, 8);
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> r(*reinterpret_cast<unsigned long long *>(d + i));
    r.store(bits, cuda::memory_order_relaxed);
  }
  __device__ TileDescriptor wait(int i) {
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> r(*reinterpret_cast<unsigned long long *>(d + i));
    TileDescriptor t;
    do {
      unsigned long long bits = r.load(cuda::memory_order_relaxed);
      memcpy(&t, &bits, 8);
    } while (t.status == Status::Invalid);
    return t;
  }
};
template <bool Beside> __device__ void look_back(TileDescriptor *d, int *out, int *extra) {
  TileState ts{d};
  int tile = blockIdx.x;
  if (Beside) extra[tile] = 5;
  if (tile == 0) {
    ts.set(0, Status::Inclusive, 1);
    out[0] = 1;
    return;
  }
  ts.set(tile, Status::Partial, 1);
  int sum = 0;
  for (int p = tile - 1; p >= 0; --p) {
    auto t = ts.wait(p);
    if (Beside) sum += extra[p];
    sum += t.value;
    if (t.status == Status::Inclusive) break;
  }
  ts.set(tile, Status::Inclusive, sum + 1);
  assert(Beside || sum + 1 == tile + 1);
  out[tile] = sum + 1;
}
extern "C" __global__ void piece_look_back(TileDescriptor *d, int *out, int *extra) { look_back<false>(d, out, extra); }
extern "C" __global__ void piece_look_back_wrong(TileDescriptor *d, int *out, int *extra) { look_back<true>(d, out, extra); }

struct grid_stride {
  unsigned n;
  struct iterator {
    unsigned i, step;
    __device__ unsigned operator*() const { return i; }
    __device__ iterator &operator++() { i += step; return *this; }
    __device__ friend bool operator!=(const iterator &a, const iterator &b) { return a.i < b.i; }
  };
  __device__ iterator begin() const { return {blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x}; }
  __device__ iterator end() const { return {n, 0}; }
};
extern "C" __global__ void piece_range(int *a) {
  for (auto i : grid_stride{6}) a[i] = i;
}
extern "C" __global__ void piece_range_wrong(int *a) {
  for (auto i : grid_stride{6}) a[i / 2] = i;
}
extern "C" __global__ void piece_annotated(int *in, int *out) {
  cuda::annotated_ptr<const int, cuda::access_property::streaming> p{in};
  cuda::annotated_ptr<int, cuda::access_property::persisting> q{out};
  q[threadIdx.x] = p[threadIdx.x] + *p;
}
extern "C" __global__ void piece_rows(int *a, int v) {
  int (*m)[2] = reinterpret_cast<int (*)[2]>(a);
  m[threadIdx.y][threadIdx.x] = v;
}
extern "C" __global__ void piece_rows_wrong(int *a, int v) {
  auto &m = reinterpret_cast<int (&)[2][2]>(*a);
  m[threadIdx.y][0] = threadIdx.x;
}
