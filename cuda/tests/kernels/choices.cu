// Functions of libraries that are chosen by types, with kernels in which the wrong choice is a race.
#include <cassert>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

template <class A, class B> __device__ auto plus(A a, B b) -> decltype(a + b) { return a + b; }
extern "C" __global__ void trailing(int *o) {
  auto x = plus(1, 2.5f);
  assert(x == 3.5f);
  assert(plus('a', 1) == 98);
}
// policy class
template <class T> struct SumOp {
  static constexpr T zero = 0;
  __device__ T operator()(T a, T b) const { return a + b; }
};
template <class T> struct MaxOp {
  static constexpr T zero = -1000;
  __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};
template <class T, template <class> class O> __device__ T fold(const T *p, int n, O<T> op) {
  T r = O<T>::zero;
  for (int i = 0; i < n; ++i) r = op(r, p[i]);
  return r;
}
extern "C" __global__ void policy(int *o) {
  int a[3] = {3, 9, 4};
  assert(fold(a, 3, SumOp<int>{}) == 16);
  assert(fold(a, 3, MaxOp<int>{}) == 9);
}
// crtp
template <class D> struct Base {
  __device__ int run() { return static_cast<D *>(this)->step() + 1; }
  __device__ int crun() const { return static_cast<const D &>(*this).cstep(); }
};
struct Der : Base<Der> {
  int s = 4;
  __device__ int step() { return s; }
  __device__ int cstep() const { return s * 2; }
};
extern "C" __global__ void crtp(int *o) {
  Der d;
  assert(d.run() == 5);
  assert(d.crun() == 8);
}
// dim-like vector types
__device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ float2 &operator+=(float2 &a, const float2 &b) {
  a.x += b.x;
  a.y += b.y;
  return a;
}
__device__ float2 operator*(float s, float2 a) { return make_float2(s * a.x, s * a.y); }
__device__ float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x, a.y * b.y); }
__device__ float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
__device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
extern "C" __global__ void vectors(int *o) {
  float2 a = make_float2(1, 2), b = make_float2(3, 4);
  float2 c = a + 2.f * b;
  assert(c.x == 7 && c.y == 10);
  c += a;
  assert(c.x == 8);
  assert(dot(a, b) == 11);
  float3 d = make_float3(1, 2, 3);
  assert(dot(d, d) == 14);
  assert((a * b).y == 8);
}
// smart pointer-ish, explicit bool, arrow
template <class T> struct Ptr {
  T *p;
  __device__ T &operator*() const { return *p; }
  __device__ T *operator->() const { return p; }
  __device__ explicit operator bool() const { return p != nullptr; }
  __device__ T &operator[](int i) const { return p[i]; }
  __device__ Ptr operator+(int n) const { return {p + n}; }
  __device__ bool operator!=(const Ptr &q) const { return p != q.p; }
  __device__ Ptr &operator++() {
    ++p;
    return *this;
  }
};
struct Item {
  int v;
  __device__ int get() const { return v; }
  __device__ int get() { return v + 100; }
};
extern "C" __global__ void pointers(int *o) {
  Item it[3] = {{1}, {2}, {3}};
  Ptr<Item> p{it};
  Ptr<const Item> q{it};
  assert(p->get() == 101);
  assert(q->get() == 1);
  assert((*(p + 1)).v == 2);
  assert(p[2].get() == 103 && q[2].get() == 3);
  int s = 0;
  for (auto r = p; r != p + 3; ++r) s += r->v;
  assert(s == 6);
  if (!p) assert(0);
}
// iterators begin/end const overload
struct Range {
  int d[3];
  __device__ int *begin() { return d; }
  __device__ int *end() { return d + 3; }
  __device__ const int *begin() const { return d; }
  __device__ const int *end() const { return d + 3; }
};
__device__ int total(const Range &r) {
  int s = 0;
  for (int x : r) s += x;
  return s;
}
extern "C" __global__ void ranges(int *o) {
  Range r{{1, 2, 3}};
  for (int &x : r) x *= 2;
  assert(total(r) == 12);
  for (auto x : r) x = 0;
  assert(total(r) == 12);
}
// operator, shift stream, call
struct Acc {
  int v = 0;
  __device__ Acc &operator<<(int x) {
    v = v * 10 + x;
    return *this;
  }
  __device__ Acc &operator<<(float x) {
    v = v * 10 + 9;
    return *this;
  }
  __device__ int operator()(int a) const { return v + a; }
  __device__ int operator()(int a, int b) const { return v * a + b; }
  __device__ bool operator<(const Acc &o) const { return v < o.v; }
  __device__ bool operator!() const { return v == 0; }
};
extern "C" __global__ void streams(int *o) {
  Acc a;
  assert(!a);
  a << 1 << 2.f << 3;
  assert(a.v == 193);
  assert(a(1) == 194);
  assert(a(2, 1) == 387);
  Acc b;
  assert(b < a);
  assert(!(a < b));
}
// nested templates & static members & friend
namespace lib {
template <class T> class Stack {
  T d[4];
  int n = 0;

public:
  __device__ void push(const T &x) { d[n++] = x; }
  __device__ T pop() { return d[--n]; }
  __device__ const T &top() const { return d[n - 1]; }
  __device__ T &top() { return d[n - 1]; }
  __device__ friend int count(const Stack &s) { return s.n; }
  template <class U> __device__ U as() const { return U(top()); }
};
} // namespace lib
extern "C" __global__ void stacks(int *o) {
  lib::Stack<int> s;
  s.push(3);
  s.push(4);
  s.top() = 9;
  assert(s.top() == 9);
  assert(count(s) == 2);
  assert(s.as<float>() == 9.f);
  const auto &c = s;
  assert(c.top() == 9);
  assert(s.pop() == 9 && count(s) == 1);
}
// shared via reference struct; race variants
struct Tile {
  int (&t)[4];
  __device__ int &at(int i) { return t[i]; }
  __device__ int at(int i) const { return t[i & 0]; }
};
extern "C" __global__ void tile_const(int *o) {
  __shared__ int t[4];
  Tile x{t};
  x.at(threadIdx.x) = 1;
  const Tile &c = x;
  o[threadIdx.x] = c.at(threadIdx.x);
}
extern "C" __global__ void tile_own(int *o) {
  __shared__ int t[4];
  Tile x{t};
  x.at(threadIdx.x) = 1;
  o[threadIdx.x] = x.at(threadIdx.x);
}
// atomic vs plain overload on volatile pointer
__device__ int rd(int *p) { return *p; }
__device__ int rd(volatile int *p) { return *p; }
__device__ int cell;
extern "C" __global__ void vplain(int *o) {
  if (blockIdx.x) atomicExch(&cell, 1);
  else
    o[0] = rd(&cell);
}
extern "C" __global__ void vvol(int *o) {
  volatile int *v = &cell;
  if (blockIdx.x) *v = 1;
  else
    o[0] = rd(v);
}
// tag dispatch selects barrier
struct sync_tag {};
struct nosync_tag {};
__device__ void sy(sync_tag) { __syncthreads(); }
__device__ void sy(nosync_tag) {}
template <bool B> __device__ void phase(int *s, int *o) {
  s[threadIdx.x] = 1;
  sy(cuda::std::conditional_t<B, sync_tag, nosync_tag>{});
  o[threadIdx.x] = s[1 - threadIdx.x];
}
extern "C" __global__ void tag_sync(int *o) {
  __shared__ int s[2];
  phase<true>(s, o);
}
extern "C" __global__ void tag_nosync(int *o) {
  __shared__ int s[2];
  phase<false>(s, o);
}
// user conversions chosen
struct Id {
  int v;
  __device__ operator int() const { return v; }
  __device__ operator unsigned() const { return v + 1; }
};
__device__ int pick(int x) { return x; }
__device__ int pickf(float x) { return (int)x; }
extern "C" __global__ void conv2(int *o) {
  Id i{5};
  assert(pick(i) == 5);
  unsigned u = i;
  assert(u == 6);
  int a[8];
  a[(int)i] = 1;
  o[0] = a[5];
  assert(static_cast<unsigned>(i) == 6u);
}
// base-class slicing, hidden, overloaded through pointer
struct Sh {
  int a = 1;
  __device__ int area() const { return a; }
};
struct Sq : Sh {
  int b = 2;
  __device__ int area() const { return b * b; }
};
__device__ int ar(const Sh &s) { return s.area(); }
__device__ int ar2(Sh s) { return s.area(); }
template <class T> __device__ int ar3(const T &s) { return s.area(); }
extern "C" __global__ void slices(int *o) {
  Sq q;
  assert(q.area() == 4 && ar(q) == 1 && ar2(q) == 1 && ar3(q) == 4);
  Sh *p = &q;
  assert(p->area() == 1);
}
// template vs non template, explicit args
template <class T> __device__ int tv(T) { return 1; }
__device__ int tv(int) { return 2; }
template <> __device__ int tv<float>(float) { return 3; }
template <class T, class U> __device__ T cast_to(U u) { return T(u); }
extern "C" __global__ void explicits(int *o) {
  assert(tv(1) == 2);
  assert(tv<>(1) == 1);
  assert(tv<int>(1) == 1);
  assert(tv(1.f) == 3);
  assert(tv('c') == 1);
  assert(cast_to<int>(2.9f) == 2);
}
// concepts
template <class T>
concept Num = cuda::std::is_arithmetic_v<T>;
template <class T>
concept Int = Num<T> && cuda::std::is_integral_v<T>;
template <class T> __device__ int cn(T) { return 1; }
template <Num T> __device__ int cn(T) { return 2; }
template <Int T> __device__ int cn(T) { return 3; }
extern "C" __global__ void concepts(int *o) {
  assert(cn(o) == 1);
  assert(cn(1.f) == 2);
  assert(cn(1) == 3);
}
// variadic recursion
__device__ int summ() { return 0; }
template <class T, class... R> __device__ int summ(T t, R... r) { return t + summ(r...); }
template <class T> __device__ T mx(T a) { return a; }
template <class T, class... R> __device__ T mx(T a, R... r) {
  T b = mx(r...);
  return a > b ? a : b;
}
extern "C" __global__ void variadic(int *o) {
  assert(summ(1, 2, 3) == 6);
  assert(mx(3, 9, 4) == 9);
}
// unsigned char / char / bool overloads
__device__ int cc(char) { return 1; }
__device__ int cc(unsigned char) { return 2; }
__device__ int cc(bool) { return 3; }
extern "C" __global__ void chars(int *o) {
  assert(cc((unsigned char)1) == 2);
  assert(cc(true) == 3);
  assert(cc(1 < 2) == 3);
  assert(cc('x') == 1);
}
// long/long long
__device__ int ll(int) { return 1; }
__device__ int ll(long long) { return 3; }
__device__ int ll(unsigned long long) { return 4; }
extern "C" __global__ void longs(int *o) {
  assert(ll(1) == 1);
  assert(ll(sizeof(int) > 0 ? 1ull : 2ull) == 4);
}
// initializer braces select
struct Pt {
  int x, y;
};
struct Seg {
  Pt a, b;
};
__device__ int br(Pt p) { return 1; }
__device__ int br(int) { return 2; }
__device__ int br(Seg) { return 3; }
extern "C" __global__ void braces(int *o) {
  assert(br(Pt{1, 2}) == 1);
  assert(br(Seg{{1, 2}, {3, 4}}) == 3);
}
// lambda passed to overloaded
template <class F> __device__ auto ap(F f, int x) -> decltype(f(x)) { return f(x); }
template <class F> __device__ auto ap(F f, int x) -> decltype(f()) { return f() + 1000; }
extern "C" __global__ void lambdas3(int *o) {
  assert(ap([](int q) { return q * 2; }, 4) == 8);
  assert(ap([] { return 5; }, 4) == 1005);
}
// inherit constructors, delegating, default args
struct Cfg {
  int a, b;
  __device__ Cfg(int x) : Cfg(x, 7) {}
  __device__ Cfg(int x, int y) : a(x), b(y) {}
  __device__ Cfg(const Cfg &o, int extra) : Cfg(o.a + extra, o.b) {}
};
__device__ int da(int x, int y = 5) { return x + y; }
__device__ int da(float x) { return 99; }
extern "C" __global__ void delegating(int *o) {
  Cfg c(1);
  assert(c.a == 1 && c.b == 7);
  Cfg d(c, 2);
  assert(d.a == 3 && d.b == 7);
  assert(da(1) == 6 && da(1.f) == 99);
}
