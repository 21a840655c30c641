// Forms of the language: lambdas, functions by address, specialisations, types within functions, operators, labels, loops over arrays.

#include <assert.h>

namespace of_op_mix {
struct V {
  int x, y;
};
__device__ V operator+(V a, V b) {
  V r = {a.x + b.x, a.y + b.y};
  return r;
}
__device__ V operator*(int s, V a) {
  V r = {s * a.x, s * a.y};
  return r;
}
__device__ V operator-(V a) {
  V r = {-a.x, -a.y};
  return r;
}
__device__ V &operator+=(V &a, V b) {
  a.x += b.x;
  a.y += b.y;
  return a;
}
__device__ float4 operator+(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
extern "C" __global__ void op_mix(V *a, float4 *f) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  V v = {1, 2};
  v += 2 * v + -v;
  assert(v.x == 2 && v.y == 4);
  a[t] = v;
  f[t] = f[t] + f[t];
}
}

extern "C" __global__ void goto_nested(int *a) {
  int n = 0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      n++;
      if (j == 1 && i == 1) goto done;
    }
  }
  done: assert(n == 5);
  a[threadIdx.x + blockIdx.x * blockDim.x] = n;
}

extern "C" __global__ void lam_nested(int *a) {
  int q = 1;
  auto f = [&](int i) {
    q += i;
    auto g = [=]() {
      return q * 2;
    };
    if (i > 5) return g();
    return 7;
  };
  int r = f(6);
  assert(r == 14 && q == 7);
  assert(f(1) == 7);
  a[threadIdx.x + blockIdx.x * blockDim.x] = r;
}

extern "C" __global__ void lam_copy(int *a) {
  int q = 1;
  auto f = [=] {
    return q;
  };
  q = 2;
  assert(f() == 1);
  auto g = [x = q + 1](auto y) {
    return x + y;
  };
  assert(g(3) == 6);
  auto h = [&q] {
    q = 9;
  };
  h();
  assert(q == 9);
  a[threadIdx.x + blockIdx.x * blockDim.x] = [](int z) {
    return z;
  }
  (4);
}

namespace of_lam_barrier {
template <class F> __device__ void when(bool c, F f) {
  if (c) f();
}
extern "C" __global__ void lam_barrier(int *a) {
  when(threadIdx.x == 0, [&] { __syncthreads(); a[0] = 1; });
  a[threadIdx.x + 10] = 1;
}
}

namespace of_fn_table {
__device__ int add(int a, int b) {
  return a + b;
}
__device__ int mul(int a, int b) {
  return a * b;
}
__device__ int sub(int a, int b) {
  return a - b;
}
typedef int (*op)(int, int);
__device__ op table[3] = {add, mul, sub};
extern "C" __global__ void fn_table(int *a) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  op f = table[t % 3];
  int r = f(6, 3);
  assert(r == (t % 3 == 0 ? 9 : t % 3 == 1 ? 18 : 3));
  a[t] = r;
}
}

namespace of_fn_tmpl {
template <class T> __device__ T twice(T x) {
  return x + x;
}
template <class F, class T> __device__ T apply(F f, T x) {
  return f(x);
}
__device__ int neg(int x) {
  return -x;
}
extern "C" __global__ void fn_tmpl(int *a) {
  assert(apply(neg, 3) == -3);
  assert(apply(twice<int>, 3) == 6);
  int (*p)(int) = neg;
  assert((*p)(2) == -2 && p(1) == -1);
  a[threadIdx.x + blockIdx.x * blockDim.x] = 1;
}
}

namespace of_spec_all {
template <class T> struct Shared;
template <> struct Shared<int> {
  __device__ int *get() {
    extern __shared__ int s_int[];
    return s_int;
  }
};
template <> struct Shared<double> {
  __device__ double *get() {
    extern __shared__ double s_double[];
    return s_double;
  }
};
template <class T> struct is_pointer {
  static constexpr bool value = false;
};
template <class T> struct is_pointer<T *> {
  static constexpr bool value = true;
};
template <int N> struct Fact {
  enum {
    value = N * Fact<N - 1>::value
  };
};
template <> struct Fact<0> {
  enum {
    value = 1
  };
};
template <class T> __device__ T zero() {
  return 5;
}
template <> __device__ int zero<int>() {
  return 0;
}
template <> __device__ float zero() {
  return 1.0f;
}
extern "C" __global__ void spec_all(int *a) {
  Shared<int> sm;
  int *s = sm.get();
  s[threadIdx.x] = 1;
  __syncthreads();
  assert(is_pointer<int *>::value && !is_pointer<int>::value);
  assert(Fact<4>::value == 24);
  assert(zero<int>() == 0 && zero<char>() == 5);
  a[threadIdx.x + blockIdx.x * blockDim.x] = s[0];
}
}

extern "C" __global__ void range_ref(int *a) {
  __shared__ int s[4];
  if (threadIdx.x == 0) for (auto &x : s) x = 3;
  __syncthreads();
  int n = 0;
  for (const int x : s) {
    if (x == 0) continue;
    n += x;
  }
  assert(n == 12);
  a[threadIdx.x + blockIdx.x * blockDim.x] = n;
}

namespace of_local_types {
__device__ int f() {
  struct P {
    int x;
    __device__ int twice() const {
      return 2 * x;
    }
  };
  P p{4};
  return p.twice();
}
extern "C" __global__ void local_types(int *a) {
  struct P {
    float y;
    int z[2];
  } q = {1.0f, {2, 3}}, r;
  enum {
    A = 3, B
  };
  enum class C {
    X = 9
  };
  r = q;
  union {
    int i;
    float f;
  } u;
  u.f = 1.0f;
  assert(f() == 8 && r.z[1] == 3 && B == 4 && u.i == 0x3f800000);
  C c = C::X;
  assert((int)c == 9);
  typedef int (*fp)(int);
  using T = int[3];
  T t = {1, 2, 3};
  assert(t[2] == 3);
  a[threadIdx.x + blockIdx.x * blockDim.x] = 1;
}
}

namespace of_auto_ret {
__device__ auto f(int x) {
  if (x > 2) {
    int y = x;
    return y;
  }
  return 3;
}
template <class T> __device__ auto g(T x) {
  auto y = x * 2;
  return y;
}
extern "C" __global__ void auto_ret(int *a) {
  assert(f(7) == 7 && f(1) == 3 && g(2) == 4);
  a[threadIdx.x + blockIdx.x * blockDim.x] = 1;
}
}

namespace of_ref_arr {
__device__ void fill(int (&s)[4], int v) {
  for (int &x : s) x = v;
}
extern "C" __global__ void ref_arr(int *a) {
  int b[4];
  fill(b, 2);
  int (*p)[4] = &b;
  int (&r)[4] = b;
  r[1] = 5;
  a[threadIdx.x + blockIdx.x * blockDim.x] = (*p)[1];
}
}

namespace of_kernel_ptr {
typedef void (*fn)(int *, int);
__device__ void f0(int *a, int i) {
  a[i] = 0;
}
__device__ void f1(int *a, int i) {
  a[i] = 1;
}
extern "C" __global__ void kernel_ptr(int *a) {
  fn t[2] = {f0, f1};
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  t[i & 1](a, i);
}
}

namespace of_op_over {
struct V {
  int x, y;
  __device__ V operator+(const V &o) const {
    V r;
    r.x = x + o.x;
    r.y = y + o.y;
    return r;
  }
  __device__ V &operator+=(const V &o) {
    x += o.x;
    y += o.y;
    return *this;
  }
};
__device__ bool operator==(const V &a, const V &b) {
  return a.x == b.x && a.y == b.y;
}
extern "C" __global__ void op_over(V *a) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  V v = a[t];
  v += a[t];
  a[t] = v + v;
  if (a[t] == v) a[t].x = 1;
}
}

extern "C" __global__ void goto_ok(int *a) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  int i = 0;
  again: a[t] = i;
  i++;
  if (i < 3) goto again;
  a[t] = 7;
}

extern "C" __global__ void goto_bar(int *a) {
  if (threadIdx.x == 0) goto end;
  __syncthreads();
  a[blockIdx.x] = 1;
  end: a[blockIdx.x + 100 + threadIdx.x * 64] = 1;
}

namespace of_tmpl_partial {
template <typename T, int N> struct A {
  static const int v = 0;
};
template <typename T> struct A<T, 2> {
  static const int v = 2;
};
template <typename T> struct A<T *, 3> {
  static const int v = 3;
};
extern "C" __global__ void tmpl_partial(int *a) {
  a[(threadIdx.x + blockIdx.x * blockDim.x) * 8 + A<int, 2>::v + A<int *, 3>::v] = A<int, 1>::v;
}
}

namespace of_lambda2 {
template <class F> __device__ void each(int n, F f) {
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) f(i);
}
extern "C" __global__ void lambda2(int *a, int n) {
  each(n, [&](int i) { a[i] = i; });
}
}

namespace of_lambda3 {
template <class F> __device__ void each(int n, F f) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) f(i);
}
extern "C" __global__ void lambda3(int *a, int n) {
  int q = 1;
  each(n, [&](int i) { a[i + q] = a[i]; });
}
}

namespace of_fnptr {
__device__ int add(int a, int b) {
  return a + b;
}
__device__ int mul(int a, int b) {
  return a * b;
}
typedef int (*op_t)(int, int);
extern "C" __global__ void fnptr(int *a, int n) {
  op_t f = n > 1 ? add : mul;
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  a[t] = f(a[t], 2);
}
}

namespace of_fnptr2 {
__device__ int add(int a, int b) {
  return a + b;
}
__device__ int apply(int (*f)(int, int), int x) {
  return f(x, x);
}
extern "C" __global__ void fnptr2(int *a) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  a[t] = apply(add, 2);
  int (*g)(int, int) = &add;
  a[t] += (*g)(1, 2);
}
}

namespace of_local_type {
extern "C" __global__ void local_type(int *a) {
  struct P {
    int x;
    int y;
  };
  P p = {1, 2};
  enum {
    N = 3
  };
  a[threadIdx.x + blockIdx.x * blockDim.x] = p.x + p.y + N;
}
}

namespace of_static_sh {
__device__ int *get() {
  __shared__ int s[64];
  return s;
}
extern "C" __global__ void static_sh(int *a) {
  int *s = get();
  s[threadIdx.x] = 1;
  __syncthreads();
  a[threadIdx.x + blockIdx.x * blockDim.x] = s[0];
}
}

namespace of_linked {
struct N {
  int v;
  N *next;
};
extern "C" __global__ void linked(N *n) {
  n[threadIdx.x].next = &n[0];
  n[threadIdx.x].next->v = threadIdx.x;
}
}
