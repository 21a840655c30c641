// Which of several functions a call means: by references, ranks, templates, conversions, operators, bases and namespaces.
#include <cassert>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

// reference kinds
struct V {
  int x;
};
__device__ int kind(V &) { return 1; }
__device__ int kind(const V &) { return 2; }
__device__ int kind(V &&) { return 3; }
__device__ V make() { return V{1}; }
extern "C" __global__ void refs(int *o) {
  V v{1};
  const V c{2};
  assert(kind(v) == 1);
  assert(kind(c) == 2);
  assert(kind(make()) == 3);
  assert(kind(cuda::std::move(v)) == 3);
  assert(kind(static_cast<V &&>(v)) == 3);
  assert(kind(V{4}) == 3);
  const V &r = v;
  assert(kind(r) == 2);
}
__device__ int num(int &) { return 1; }
__device__ int num(const int &) { return 2; }
__device__ int num(int &&) { return 3; }
extern "C" __global__ void nums(int *o) {
  int a = 1;
  const int b = 2;
  constexpr int c = 3;
  assert(num(a) == 1);
  assert(num(b) == 2);
  assert(num(c) == 2);
  assert(num(7) == 3);
  assert(num(a + 1) == 3);
  assert(num(o[0]) == 1);
  const int *p = o;
  assert(num(p[0]) == 2);
  assert(num(cuda::std::move(a)) == 3);
}
// const methods
struct Arr {
  int d[4];
  __device__ int at(int i) { return 10 + d[i]; }
  __device__ int at(int i) const { return d[i]; }
  __device__ int &operator[](int i) { return d[i]; }
  __device__ int operator[](int i) const { return d[i] + 100; }
};
__device__ int through(const Arr &a) { return a.at(1); }
__device__ int index_through(const Arr *a) { return (*a)[1]; }
extern "C" __global__ void methods(int *o) {
  Arr a{{1, 2, 3, 4}};
  const Arr c{{1, 2, 3, 4}};
  assert(a.at(1) == 12);
  assert(c.at(1) == 2);
  assert(through(a) == 2);
  assert(a[1] == 2);
  assert(c[1] == 102);
  assert(index_through(&a) == 102);
  a[1] = 5;
  assert(a.d[1] == 5);
}
// pointers
__device__ int ptr(int *) { return 1; }
__device__ int ptr(const int *) { return 2; }
__device__ int ptr(volatile int *) { return 3; }
__device__ int ptr(void *) { return 4; }
__device__ int ptr(bool) { return 5; }
extern "C" __global__ void ptrs(int *o, const int *c, volatile int *v, float *f) {
  assert(ptr(o) == 1);
  assert(ptr(c) == 2);
  assert(ptr(v) == 3);
  assert(ptr(f) == 4);
  __shared__ int s[4];
  assert(ptr(s) == 1);
  assert(ptr(&s[1]) == 1);
  const float *g = f;
  assert(ptr(g) == 5);
}
// ranks
__device__ int rank(int) { return 1; }
__device__ int rank(long long) { return 2; }
__device__ int rank(double) { return 3; }
__device__ int rank(unsigned) { return 4; }
extern "C" __global__ void ranks(int *o) {
  assert(rank('a') == 1);
  assert(rank((short)1) == 1);
  assert(rank(1.0f) == 3);
  assert(rank(1u) == 4);
  assert(rank(1ll) == 2);
  assert(rank(true) == 1);
  assert(rank(true ? 1 : 1ll) == 2);
  assert(rank(true ? 1 : 1.0) == 3);
  assert(rank((unsigned char)1 + 1) == 1);
}
// templates, partial ordering
template <class T> __device__ int t(T) { return 1; }
template <class T> __device__ int t(T *) { return 2; }
template <class T> __device__ int t(const T *) { return 3; }
__device__ int t(float) { return 4; }
template <class T> struct W {
  T v;
};
template <class T> __device__ int t(W<T>) { return 5; }
template <class T> __device__ int t(W<T *>) { return 6; }
extern "C" __global__ void tmpl(int *o, const int *c) {
  assert(t(1) == 1);
  assert(t(o) == 2);
  assert(t(c) == 3);
  assert(t(1.f) == 4);
  assert(t(1.) == 1);
  assert(t(W<int>{1}) == 5);
  assert(t(W<int *>{o}) == 6);
}
template <class A, class B> __device__ int u(A, B) { return 1; }
template <class A> __device__ int u(A, A) { return 2; }
template <class A> __device__ int u(A, int) { return 3; }
template <class... A> __device__ int u(A...) { return 4; }
template <class T, int N> __device__ int len(T (&)[N]) { return N; }
template <class T> __device__ int len(T *) { return -1; }
template <class T> __device__ int sz(T &) { return 1; }
template <class T, int N> __device__ int sz(T (&)[N]) { return N; }
extern "C" __global__ void tmpl2(int *o) {
  assert(u(1, 2.f) == 1);
  assert(u(1.f, 2.f) == 2);
  assert(u(1.f, 2) == 3);
  assert(u(1) == 4);
  assert(u(1, 2, 3) == 4);
  int a[5];
  assert(sz(a) == 5);
  assert(sz(a[0]) == 1);
}
// enable_if and if constexpr
template <class T, cuda::std::enable_if_t<cuda::std::is_integral_v<T>, int> = 0> __device__ int ei(T) { return 1; }
template <class T, cuda::std::enable_if_t<cuda::std::is_floating_point_v<T>, int> = 0> __device__ int ei(T) { return 2; }
template <class T> __device__ auto ej(T x) -> cuda::std::enable_if_t<sizeof(T) == 4, int> { return 4; }
template <class T> __device__ auto ej(T x) -> cuda::std::enable_if_t<sizeof(T) == 8, int> { return 8; }
template <class T> __device__ int ic(T x) {
  if constexpr (cuda::std::is_pointer_v<T>) return *x;
  else if constexpr (cuda::std::is_same_v<T, float>)
    return 2;
  else
    return x;
}
extern "C" __global__ void sfinae(int *o) {
  assert(ei(1) == 1);
  assert(ei(1.f) == 2);
  assert(ej(1) == 4);
  assert(ej(1.) == 8);
  o[0] = 9;
  assert(ic(o) == 9);
  assert(ic(1.f) == 2);
  assert(ic(3) == 3);
}
// conversions
struct Len {
  int v;
  __device__ Len(int x) : v(x) {}
  __device__ operator int() const { return v; }
};
struct Dbl {
  float v;
  __device__ explicit Dbl(float x) : v(x) {}
  __device__ explicit operator bool() const { return v != 0; }
  __device__ operator float() const { return v; }
};
struct Two {
  __device__ operator int() const { return 1; }
  __device__ operator float() const { return 2.5f; }
  __device__ operator int *() const { return nullptr; }
};
__device__ int conv(Len) { return 1; }
__device__ int conv(double) { return 2; }
__device__ int exact(Dbl) { return 1; }
__device__ int exact(long long) { return 2; }
extern "C" __global__ void convs(int *o) {
  assert(conv(1) == 2);
  assert(conv(Len(1)) == 1);
  Len l = 3;
  int i = l;
  assert(i == 3 && l + 1 == 4);
  assert(exact(1.f) == 2);
  Dbl d(2.f);
  if (d) {
    assert(d * 2 == 4.f);
  } else
    assert(0);
  Two t;
  int a = t;
  float b = t;
  assert(a == 1 && b == 2.5f);
  int *p = t;
  assert(p == nullptr);
}
// operators
struct M {
  int v;
  __device__ M &operator=(int x) {
    v = x * 2;
    return *this;
  }
  __device__ M &operator=(const M &o) {
    v = o.v + 1;
    return *this;
  }
  __device__ M &operator+=(const M &o) {
    v += o.v;
    return *this;
  }
  __device__ M &operator+=(int x) {
    v += 10 * x;
    return *this;
  }
  __device__ M operator-() const { return M{-v}; }
  __device__ M operator-(int x) const { return M{v - x}; }
  __device__ M &operator++() {
    ++v;
    return *this;
  }
  __device__ M operator++(int) {
    M o{v};
    v += 5;
    return o;
  }
  __device__ bool operator==(const M &o) const { return v == o.v; }
};
__device__ M operator*(int a, const M &b) { return M{a * b.v}; }
__device__ M operator*(const M &b, int a) { return M{a + b.v}; }
extern "C" __global__ void ops(int *o) {
  M a{1}, b{5};
  a = 3;
  assert(a.v == 6);
  a = b;
  assert(a.v == 6);
  a += b;
  assert(a.v == 11);
  a += 1;
  assert(a.v == 21);
  assert((-a).v == -21);
  assert((a - 1).v == 20);
  ++a;
  assert(a.v == 22);
  M c{a++.v};
  assert(c.v == 22 && a.v == 27);
  assert((2 * a).v == 54);
  assert((a * 2).v == 29);
  assert(!(a == b));
  a = M{1};
  assert(a.v == 2);
}
// inheritance
struct B {
  int k = 1;
  __device__ int f(int) { return 1; }
  __device__ int f(float) { return 2; }
  __device__ int g() { return 7; }
};
struct D : B {
  int k = 2;
  using B::f;
  __device__ int f(double) { return 3; }
  __device__ int f(float) { return 4; }
  __device__ int g() { return 8; }
};
struct E : B {
  __device__ int f(double) { return 5; }
};
__device__ int h(B &) { return 1; }
__device__ int h(D &) { return 2; }
__device__ int hp(const B *) { return 1; }
__device__ int hp(const void *) { return 2; }
extern "C" __global__ void inherit(int *o) {
  D d;
  E e;
  assert(d.f(1) == 1);
  assert(d.f(1.f) == 4);
  assert(d.f(1.) == 3);
  assert(e.f(1) == 5);
  assert(d.k == 2 && d.B::k == 1 && d.B::g() == 7 && d.g() == 8);
  D *p = &d;
  assert(p->B::k == 1);
  assert(h(d) == 2);
  assert(h(e) == 1);
  assert(hp(&d) == 1);
  assert(d.B::f(1.f) == 2);
}
// ADL, namespaces
namespace geo {
struct P {
  int x;
};
__device__ int area(P p) { return p.x; }
__device__ P operator+(P a, P b) { return P{a.x + b.x}; }
namespace in {
__device__ int area(int) { return 50; }
} // namespace in
} // namespace geo
namespace other {
__device__ int area(int) { return 60; }
__device__ int only(int) { return 61; }
} // namespace other
__device__ int area(float) { return 70; }
using namespace other;
extern "C" __global__ void adl(int *o) {
  geo::P p{3};
  assert(area(p) == 3);
  assert((p + p).x == 6);
  assert(area(1) == 60);
  assert(area(1.f) == 70);
  assert(geo::in::area(1) == 50);
  assert(only(1) == 61);
  {
    using geo::in::area;
    assert(area(1) == 50);
  }
}
