// Enumerations, closures, addresses of functions, volatile and mutable members, `decltype(auto)`, constructors, and what is forwarded.
#include <cassert>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

// enum classes
enum class Op : unsigned char { Add, Sub };
enum class Order { Relaxed, Strong };
enum Plain { P0, P1 };
__device__ int eo(Op) { return 1; }
__device__ int eo(Order) { return 2; }
__device__ int eo(int) { return 3; }
__device__ int eo(Plain) { return 4; }
extern "C" __global__ void enums(int *o) {
  assert(eo(Op::Sub) == 1);
  assert(eo(Order::Strong) == 2);
  assert(eo(1) == 3);
  assert(eo(P1) == 4);
  Plain p = P0;
  assert(eo(p) == 4);
}
template <class T> __device__ int isz() { return cuda::std::is_enum_v<T> ? 1 : 0; }
extern "C" __global__ void enums2(int *o) {
  assert(!(cuda::std::is_same_v<Op, unsigned char>));
  assert(sizeof(Op) == 1);
  assert(static_cast<int>(Op::Sub) == 1);
  switch (Op::Add) {
  case Op::Add:
    break;
  case Op::Sub:
    assert(0);
  }
}
template <Op K> struct Do;
template <> struct Do<Op::Add> {
  __device__ static int run(int a, int b) { return a + b; }
};
template <> struct Do<Op::Sub> {
  __device__ static int run(int a, int b) { return a - b; }
};
extern "C" __global__ void enums3(int *o) {
  assert(Do<Op::Add>::run(3, 1) == 4);
  assert(Do<Op::Sub>::run(3, 1) == 2);
}
// lambdas
extern "C" __global__ void lambdas(int *o) {
  int a = 1, b = 2;
  auto byv = [=](int x) { return a + x; };
  auto byr = [&](int x) {
    a += x;
    return a;
  };
  a = 10;
  assert(byv(1) == 2);
  assert(byr(1) == 11);
  assert(a == 11);
  auto mut = [b]() mutable { return ++b; };
  assert(mut() == 3);
  assert(mut() == 4);
  assert(b == 2);
  auto gen = [](auto x) { return sizeof(x); };
  assert(gen(1.0) == 8);
  assert(gen('c') == 1);
  auto init = [c = a + b] { return c; };
  a = 0;
  assert(init() == 13);
}
// function pointers
__device__ int add(int a, int b) { return a + b; }
__device__ int mul(int a, int b) { return a * b; }
typedef int (*Fn)(int, int);
__device__ int apply(Fn f, int a, int b) { return f(a, b); }
extern "C" __global__ void fptr(int *o) {
  Fn f = threadIdx.x ? add : mul;
  int r = apply(f, 3, 4);
  assert(r == (threadIdx.x ? 7 : 12));
  o[threadIdx.x] = r;
}
// volatile
struct Flag {
  int v;
  __device__ int get() volatile { return v; }
  __device__ int get() const { return 100; }
  __device__ void set(int x) volatile { v = x; }
};
extern "C" __global__ void vol(volatile Flag *f) {
  if (blockIdx.x == 0) f->set(1);
  else {
    int r = f->get();
    assert(r == 0 || r == 1 || r != 100 || true);
  }
}
extern "C" __global__ void vol2(Flag *f) {
  if (blockIdx.x == 0) f->v = 1;
  else
    f->set(2);
}
__device__ Flag shared_flag;
extern "C" __global__ void vol3(int *o) {
  volatile Flag &f = shared_flag;
  if (blockIdx.x == 0) f.v = 1;
  else
    o[0] = f.v;
}
// unions and bit fields
union U {
  unsigned u;
  float f;
  unsigned char b[4];
};
struct Bits {
  unsigned a : 3, b : 5;
  int c : 4;
  __device__ void set(int x) {
    a = x;
    c = x;
  }
};
extern "C" __global__ void unions(int *o) {
  U u;
  u.f = 1.0f;
  assert(u.u == 0x3f800000u && u.b[3] == 0x3f);
  Bits b{};
  b.set(9);
  assert(b.a == 1 && b.c == -7 && b.b == 0);
}
// references to shared
__device__ void bump(int &x) { x += 1; }
__device__ int peek(const int &x) { return x; }
extern "C" __global__ void shref(int *o) {
  __shared__ int s[2];
  int &r = s[threadIdx.x];
  r = 1;
  bump(r);
  assert(peek(s[threadIdx.x]) == 2);
  __syncthreads();
  o[threadIdx.x] = s[1 - threadIdx.x];
}
extern "C" __global__ void shref2(int *o) {
  __shared__ int s[2];
  int &r = s[threadIdx.x];
  r = 1;
  o[threadIdx.x] = s[1 - threadIdx.x];
}
// decltype(auto), perfect forwarding
struct Hold {
  int v;
  __device__ decltype(auto) ref() { return (v); }
  __device__ decltype(auto) val() { return v; }
};
template <class F, class... A> __device__ decltype(auto) call(F &&f, A &&...a) { return cuda::std::forward<F>(f)(cuda::std::forward<A>(a)...); }
extern "C" __global__ void dauto(int *o) {
  Hold h{1};
  h.ref() = 5;
  assert(h.v == 5);
  auto x = h.val();
  assert(x == 5);
  int y = 2;
  decltype(auto) z = (y);
  z = 9;
  assert(y == 9);
  decltype(auto) w = y;
  w = 1;
  assert(y == 9);
  assert(call(add, 2, 3) == 5);
  call([](int &q) { q = 77; }, y);
  assert(y == 77);
}
__device__ int fw(int &) { return 1; }
__device__ int fw(const int &) { return 2; }
__device__ int fw(int &&) { return 3; }
template <class T> __device__ int pass(T &&x) { return fw(cuda::std::forward<T>(x)); }
extern "C" __global__ void forwards(int *o) {
  int a = 1;
  const int b = 2;
  assert(pass(a) == 1);
  assert(pass(b) == 2);
  assert(pass(3) == 3);
}
// defaults, ellipsis
struct Def {
  int x = 2;
  int y = x + 1;
  int z = y * x;
};
struct DefB {
  int a : 4 = 3;
  int b : 4 = a + 1;
};
__device__ int caught(...) { return 1; }
__device__ int caught(int) { return 2; }
struct Opaque {
  int a;
};
extern "C" __global__ void defaults(int *o) {
  Def d;
  assert(d.y == 3 && d.z == 6);
  Def e{4};
  assert(e.y == 5 && e.z == 20);
  DefB b;
  assert(b.b == 4);
  assert(caught(1) == 2);
  assert(caught(o) == 1);
}
// detection idiom
template <class T> __device__ auto has(int) -> decltype(cuda::std::declval<T>().size(), int()) { return 1; }
template <class T> __device__ int has(...) { return 0; }
struct S1 {
  __device__ int size() const { return 1; }
};
extern "C" __global__ void detect(int *o) {
  assert(has<S1>(0) == 1);
  assert(has<int>(0) == 0);
}
// tag dispatch
struct fast_tag {};
struct slow_tag {};
struct faster_tag : fast_tag {};
__device__ int run(fast_tag) { return 1; }
__device__ int run(slow_tag) { return 2; }
template <class T> struct traits {
  using tag = slow_tag;
};
template <> struct traits<float> {
  using tag = faster_tag;
};
template <class T> struct traits<T *> {
  using tag = fast_tag;
};
template <class T> struct traits<const T> : traits<T> {};
extern "C" __global__ void tags(int *o) {
  assert(run(traits<int>::tag{}) == 2);
  assert(run(traits<float>::tag{}) == 1);
  assert(run(traits<int *>::tag{}) == 1);
  assert(run(traits<const float>::tag{}) == 1);
  assert(run(cuda::std::true_type{} ? fast_tag{} : fast_tag{}) == 1);
}
__device__ int tf(cuda::std::true_type) { return 1; }
__device__ int tf(cuda::std::false_type) { return 2; }
extern "C" __global__ void tags2(int *o) {
  assert(tf(cuda::std::is_integral<int>{}) == 1);
  assert(tf(cuda::std::is_integral<float>{}) == 2);
  assert(tf(cuda::std::is_pointer<int *>()) == 1);
}
// const template args
template <class T> struct is_c {
  static constexpr int v = 0;
};
template <class T> struct is_c<const T> {
  static constexpr int v = 1;
};
template <class T> struct is_c<const T *> {
  static constexpr int v = 2;
};
template <class T> struct is_c<T *> {
  static constexpr int v = 3;
};
template <class T> __device__ int ofr(T &) { return is_c<T>::v; }
template <class T> __device__ int ofv(T) { return is_c<T>::v; }
extern "C" __global__ void ctempl(int *o, const int *c) {
  const int k = 1;
  int m = 2;
  assert(ofr(k) == 1);
  assert(ofr(m) == 0);
  assert(ofv(k) == 0);
  assert(ofv(c) == 2);
  assert(ofv(o) == 3);
  assert(ofr(c[0]) == 1);
  assert(is_c<decltype(k)>::v == 1);
  auto &a = k;
  assert(ofr(a) == 1);
  const auto &b = m;
  assert(ofr(b) == 1);
  auto d = k;
  assert(ofr(d) == 0);
  const auto e = m;
  assert(ofr(e) == 1);
}
// conversion operator to ref; proxies
struct Proxy {
  int *p;
  __device__ operator int() const { return *p; }
  __device__ Proxy &operator=(int v) {
    *p = v;
    return *this;
  }
  __device__ Proxy &operator=(const Proxy &o) {
    *p = *o.p;
    return *this;
  }
  __device__ Proxy &operator+=(int v) {
    *p += v;
    return *this;
  }
};
struct Vec {
  int *d;
  __device__ Proxy operator[](int i) { return Proxy{d + i}; }
};
extern "C" __global__ void proxy(int *o) {
  Vec v{o};
  v[0] = 1;
  v[1] = 5;
  v[0] += 2;
  assert(v[0] == 3);
  v[0] = v[1];
  assert(o[0] == 5);
  int x = v[0] + v[1];
  assert(x == 10);
}
// constructors
struct C {
  int w;
  __device__ C() : w(0) {}
  __device__ C(int) : w(1) {}
  __device__ C(float) : w(2) {}
  __device__ C(const C &) : w(3) {}
  __device__ C(C &&) : w(4) {}
  template <class T> __device__ C(T *) : w(5) {}
  __device__ C(int, int) : w(6) {}
};
struct CD : C {
  using C::C;
  int extra = 9;
};
__device__ int took(C c) { return c.w; }
extern "C" __global__ void ctors(int *o) {
  C a;
  assert(a.w == 0);
  C b(1), c(1.f), d(a), e(cuda::std::move(a)), f(o), g(1, 2);
  assert(b.w == 1 && c.w == 2 && d.w == 3 && e.w == 4 && f.w == 5 && g.w == 6);
  C h = 'c';
  assert(h.w == 1);
  assert(took(2.f) == 2);
  assert(took(b) == 3);
  CD k(1);
  assert(k.w == 1 && k.extra == 9);
  CD m(1, 2);
  assert(m.w == 6);
}
// ref qualified, static
struct RQ {
  __device__ int f() & { return 1; }
  __device__ int f() && { return 2; }
  __device__ int f() const & { return 3; }
  static __device__ int s(int) { return 4; }
  __device__ int s(float) { return 5; }
};
extern "C" __global__ void rqual(int *o) {
  RQ r;
  const RQ c{};
  assert(r.f() == 1);
  assert(RQ{}.f() == 2);
  assert(cuda::std::move(r).f() == 2);
  assert(c.f() == 3);
  assert(r.s(1) == 4);
  assert(r.s(1.f) == 5);
}
// mutable members
struct Cache {
  mutable int hits = 0;
  int v = 3;
  __device__ int get() const {
    ++hits;
    return v;
  }
};
extern "C" __global__ void mutable_member(int *o) {
  const Cache c;
  c.get();
  c.get();
  assert(c.hits == 2);
}
