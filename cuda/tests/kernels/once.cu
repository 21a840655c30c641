// Variables of functions that are there once, and what macros declare.
#include <cassert>
#include <cstdio>

// `static` in a function is one variable for all threads, and not one for each.
__device__ int next_of_all() {
  static int n = 3;
  return atomicAdd(&n, 1);
}
__device__ int next_of_each() {
  static int n = 3;
  return n++;
}
template <int N> __device__ int *own_table() {
  static int table[4] = {N};
  return table;
}
extern "C" __global__ void once_counted(int *a) { a[threadIdx.x] = next_of_all(); }
extern "C" __global__ void once_counted_wrong(int *a) { a[threadIdx.x] = next_of_each(); }
extern "C" __global__ void once_tables(int *a) {
  static const int few[] = {1, 2};
  static constexpr int more[] = {3, 4, 5};
  assert(own_table<1>()[0] == 1 && own_table<7>()[0] == 7 && own_table<1>() != own_table<7>());
  own_table<2>()[threadIdx.x & 3] = 1;
  a[threadIdx.x] = few[threadIdx.x & 1] + more[threadIdx.x % 3];
}
extern "C" __global__ void once_tables_wrong(int *a) {
  for (int i = 0; i < 2; ++i) own_table<3>()[i] = threadIdx.x;
}

// Variables that one macro declares are two, also where one macro declares both by another one.
#define BUFFERS __shared__ int p[4], q[4];
#define BUFFER(name) __shared__ int name[4];
#define TWO(a, b) BUFFER(a) BUFFER(b)
extern "C" __global__ void once_macros(int *a) {
  BUFFERS
  {
    TWO(r, s)
    r[threadIdx.x] = 1;
    s[threadIdx.x ^ 1] = 2;
    assert(r[threadIdx.x] == 1);
  }
  p[threadIdx.x] = 1;
  q[threadIdx.x ^ 1] = 2;
  a[threadIdx.x] = p[threadIdx.x];
}
// The name of a macro in what it stands for stays, also where that is the argument of another one.
#define more more + 1
#define same(x) x
#define LOGGED(text, rest...) printf(text, ##rest)
#define SUM(first, ...) (first __VA_OPT__(+ SUM_OF(__VA_ARGS__)))
#define SUM_OF(x) (x)
extern "C" __global__ void once_named(int *a) {
#undef more
  int more = 1;
#define more more + 1
  assert(same(more) == 2);
  assert(SUM(1) == 1 && SUM(1, 2) == 3);
  LOGGED("none");
  LOGGED("%d", 1);
  a[threadIdx.x] = 1;
}
