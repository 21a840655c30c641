// What is computed when the program is compiled: by functions with loops, of structures and tables.
#include <cassert>

__host__ __device__ constexpr int log2_of(int n) {
  int r = 0;
  while (n > 1) { n >>= 1; ++r; }
  return r;
}
struct Tile {
  int rows, columns;
  bool padded = false;
  __host__ __device__ constexpr int area() const { return rows * (columns + (padded ? 1 : 0)); }
};
struct Table {
  int at[8];
};
__host__ __device__ constexpr Table squares() {
  Table t{};
  for (int i = 0; i < 8; ++i) t.at[i] = i * i;
  return t;
}
__device__ constexpr Tile tile{4, 8, true};
__device__ constexpr Table table = squares();
__device__ constexpr int small[] = {3, 5, 7};
constexpr float half = 1.0f / 2;
__device__ Tile of_device = {2, 3};
struct Counter {
  int next;
  __host__ __device__ constexpr Counter(int from) : next(from) { ++next; }
};
__device__ Counter of_constructor(4);
template <int N> struct Sized { static constexpr int size = 1 << log2_of(N); static constexpr Tile shape{N, 2}; };

// A size that a function with a loop computes; each thread has its own element.
extern "C" __global__ void comp_size(int *a) {
  constexpr int size = 1 << log2_of(70);
  __shared__ int s[size];
  static_assert(size == 64);
  s[threadIdx.x + size / 2] = 1;
  a[threadIdx.x] = s[threadIdx.x + size / 2] + sizeof(s);
}
// Two threads have one element, since the size of a tile says so.
extern "C" __global__ void comp_size_wrong(int *a) {
  __shared__ int s[tile.area()];
  s[threadIdx.x % (tile.area() / 36 + 1)] = 1;
  a[threadIdx.x] = s[0];
}
extern "C" __global__ void comp_members(int *a) {
  constexpr Tile own{3, 3};
  int s[own.area()], more[Sized<33>::size], third[Sized<5>::shape.area()];
  assert(sizeof(s) == 36 && sizeof(more) == 128 && sizeof(third) == 40);
  assert(table.at[5] == 25 && small[1] == 5 && half == 0.5f);
  // An index that is not known reads memory.
  assert(table.at[a[threadIdx.x] + 3] == 9);
  const Tile *p = &tile;
  assert(p->columns == 8);
  assert(of_device.columns == 3 && !of_device.padded && of_constructor.next == 5);
  a[threadIdx.x] = small[threadIdx.x % 3];
}
template <class T> __device__ void comp_branch(T *a) {
  // What is left out need not be understood.
  if constexpr (log2_of(sizeof(T)) == 2) a[threadIdx.x] = 1;
  else a->nothing();
}
extern "C" __global__ void comp_if(int *a) { comp_branch(a); }
extern "C" __global__ void comp_case(int *a) {
  switch (threadIdx.x) {
    case log2_of(4) - 2: a[threadIdx.x] = 1; break;
    case small[0] - 2: a[threadIdx.x] = 2; break;
    default: a[threadIdx.x] = 3;
  }
}
// What is in a table of constants is read; the table is not shared memory, and nothing is written.
extern "C" __global__ void comp_local(int *a) {
  constexpr int weights[4] = {4, 3, 2, 1};
  int sum = 0;
  for (int i = 0; i < 4; ++i) sum += weights[i];
  assert(sum == 10);
  a[threadIdx.x] = weights[threadIdx.x & 3];
}
