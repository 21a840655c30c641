// Packs and folds, structured bindings, lambdas that are `mutable`, members of some bits.
// What they compute the kernels assert themselves.
#include <cassert>

// Any number of types, numbers and parameters.
__device__ int add() { return 0; }
template <class T, class... Ts> __device__ int add(T a, Ts... more) { return a + add(more...); }
extern "C" __global__ void v_rec(int *o) {
  assert(add(1, 2, 3) == 6);
  assert(add() == 0);
  o[threadIdx.x] = add((int)threadIdx.x, 2u, (char)3);
}
template <class... Ts> __device__ auto sum(Ts... xs) { return (xs + ... + 0); }
template <class... Ts> __device__ bool all(Ts... xs) { return (xs && ...); }
template <class... Ts> __device__ auto minus_l(Ts... xs) { return (... - xs); }
template <class... Ts> __device__ auto minus_r(Ts... xs) { return (xs - ...); }
template <class... Ts> __device__ auto minus_i(Ts... xs) { return (100 - ... - xs); }
extern "C" __global__ void v_fold(int *o) {
  assert(sum(1, 2, 3) == 6 && sum() == 0);
  assert(all(1, true, 3) && !all(1, 0) && all());
  assert(minus_l(10, 3, 2) == 5);
  assert(minus_r(10, 3, 2) == 9);
  assert(minus_i(1, 2) == 97);
}
template <class F, class... A> __device__ void each(F f, A &&...as) { (f(as), ...); }
extern "C" __global__ void v_each(int *o) {
  int a = 1, b = 2;
  each([&](int &x) { x += 5; }, a, b);
  assert(a == 6 && b == 7);
  int n = 0;
  each([&](auto x) { n += sizeof(x); }, 1, 'a', 2.0);
  assert(n == 13);
}
template <int... Ns> __device__ int prod() { return (Ns * ... * 1); }
template <class... Ts> struct Count { static constexpr int n = sizeof...(Ts); };
template <int... Ns> struct Seq { static constexpr int n = sizeof...(Ns); };
template <int... Ns> __device__ int by_seq(Seq<Ns...>, int *v) { return (v[Ns] + ...); }
extern "C" __global__ void v_numbers(int *o) {
  assert((prod<2, 3, 4>() == 24));
  static_assert(Count<int, char>::n == 2, "");
  int v[4] = {1, 10, 100, 1000};
  int r = by_seq(Seq<0, 2, 3>(), v);
  assert(r == 1101);
  o[threadIdx.x] = Count<>::n;
}
template <class... Ts> struct Tup;
template <> struct Tup<> {};
template <class T, class... Ts> struct Tup<T, Ts...> { T head; Tup<Ts...> tail; };
extern "C" __global__ void v_tuple(int *o) {
  Tup<int, float, char> t;
  t.head = 1;
  t.tail.head = 2.0f;
  t.tail.tail.head = 'x';
  assert(t.tail.tail.head == 'x' && t.head == 1);
  o[threadIdx.x] = t.head;
}
template <class T, class... Ts> struct Inh : Inh<Ts...> { T v; };
template <class T> struct Inh<T> { T v; };
extern "C" __global__ void v_inherit(int *o) {
  Inh<int, int> t;
  t.v = 3;
  static_cast<Inh<int> &>(t).v = 4;
  assert(t.v == 3);
  o[threadIdx.x] = t.v;
}
template <typename... Args> __global__ void v_kernel(int *o, Args... args) {
  o[threadIdx.x] = (args + ... + 0);
}
template <typename Op, typename... Args> __global__ void v_launch(Op op, Args... args) { op(args...); }
struct Adder { __device__ void operator()(int *a, int n) const { a[threadIdx.x] = n; } };
struct Racer { __device__ void operator()(int *a, int n) const { a[threadIdx.x / 2] = n + threadIdx.x; } };
void host(int *p) {
  v_kernel<int, float><<<1, 2>>>(0, 1, 2.f);
  v_launch<Adder, int *, int><<<1, 32>>>(Adder(), p, 3);
  v_launch<Racer, int *, int><<<1, 32>>>(Racer(), p, 3);
}
template <class... Ts> __device__ void store_all(int *p, Ts... xs) { int i = 0; ((p[i++] = xs), ...); }
extern "C" __global__ void v_race(int *o) { store_all(o, 1, (int)threadIdx.x); }
template <class T> __device__ T vmax(T a) { return a; }
template <class T, class... R> __device__ T vmax(T a, R... r) { T m = vmax(r...); return a > m ? a : m; }
extern "C" __global__ void v_max(int *o) {
  assert(vmax(3, 9, 4) == 9);
  if constexpr (sizeof(int) == 4) o[threadIdx.x] = vmax(1, 2);
}
template <class... Ts> __device__ int lam(Ts... xs) {
  auto f = [=](int k) { return ((xs * k) + ...); };
  auto g = [xs...]() { return (xs + ...); };
  auto h = [&](auto... ys) { return sum(xs..., ys...); };
  return f(2) + g() + h(100);
}
extern "C" __global__ void v_lam(int *o) { int r = lam(1, 2); assert(r == 6 + 3 + 103); }
struct V { int a, b, c; };
template <class... Ts> __device__ V mkv(Ts... xs) { return V{xs...}; }
extern "C" __global__ void v_init(int *o) {
  V v = mkv(1, 2, 3);
  assert(v.b == 2 && v.c == 3);
  int arr[] = {1, 2};
}
template <class... Ts> __device__ int arr_sum(Ts... xs) {
  int v[] = {xs...};
  int s = 0;
  for (int x : v) s += x;
  return s;
}
extern "C" __global__ void v_arr(int *o) { int r = arr_sum(1, 2, 3, 4); assert(r == 10); }

// Each copy of a lambda has its own copies of variables.
extern "C" __global__ void mut_ok(int* o) {
  int n = 1;
  auto f = [n]() mutable { return n++; };
  int a = f(), b = f();
  auto g = f;
  int c = g(), d = f();
  assert(a == 1 && b == 2 && c == 3 && d == 3 && n == 1);
  o[threadIdx.x + blockIdx.x * blockDim.x] = a + b;
}
template <class F> __device__ int twice(F f) { return f() + f(); }
extern "C" __global__ void mut_byval(int *o) {
  int s = 5;
  auto f = [=]() mutable { s += 2; return s; };
  int a = twice(f);
  int b = f();
  assert(a == 16 && b == 7 && s == 5);
  if (threadIdx.x == 0) o[blockIdx.x] = a;
}
extern "C" __global__ void mut_arr(int *o) {
  int v[3] = {1, 2, 3};
  auto f = [v](int i) mutable { v[i] += 10; return v[i]; };
  assert(f(1) == 12);
  assert(f(1) == 22);
  assert(v[1] == 2);
}
extern "C" __global__ void mut_shared(int *o) {
  __shared__ int t[32];
  int k = threadIdx.x;
  auto f = [=]() mutable { t[k] = k; k ^= 1; return t[k]; };
  o[threadIdx.x] = f();
}

// Names of members.
struct P3 { int a; float b; int c; };
__device__ P3 mk(int i) { return P3{i, 2.f, i + 1}; }
extern "C" __global__ void sb_ok(int *o) {
  auto [x, y, z] = mk(threadIdx.x);
  assert(z == x + 1);
  o[threadIdx.x + blockIdx.x * blockDim.x] = x + z;
}
extern "C" __global__ void sb_ref(P3 *p) {
  auto &[x, y, z] = p[threadIdx.x];
  x = 1;
  z = x + 1;
  assert(p[threadIdx.x].c == 2);
}
extern "C" __global__ void sb_arr(int *o) {
  int v[2] = {1, 2};
  auto [a, b] = v;
  v[0] = 9;
  assert(a == 1 && b == 2);
  auto &[c, d] = v;
  c = 4;
  assert(v[0] == 4);
  a = 3;
  assert(v[0] == 4);
}
extern "C" __global__ void sb_for(int *o) {
  P3 all[2] = {{1, 2.f, 3}, {4, 5.f, 6}};
  int s = 0;
  for (auto [a, b, c] : all) s += a + c;
  for (auto &[a, b, c] : all) a = 0;
  assert(s == 14 && all[1].a == 0);
}
extern "C" __global__ void sb_race(P3 *p) { auto &[x, y, z] = p[0]; x = threadIdx.x; }
extern "C" __global__ void sb_if(int *o) {
  if (auto [a, b, c] = mk(3); a == 3) { assert(c == 4); } else __trap();
}

// Two members of some bits of one word are one place in memory.
struct B { unsigned a:3; unsigned b:5; int c:8; char d; int e:20; long long f:40; unsigned g:24; unsigned char h; };
static_assert(sizeof(B) == 24, "");
extern "C" __global__ void bits_ok(B *p) {
  B b;
  b.a = 9;
  b.b = 31;
  b.c = -3;
  b.d = 1;
  b.e = -5;
  b.f = -7;
  b.g = 1 << 23;
  b.h = 2;
  assert(b.a == 1 && b.b == 31 && b.c == -3 && b.e == -5 && b.f == -7 && b.g == 1 << 23 && sizeof(B) == 24);
  b.b++;
  assert(b.b == 0);
  b.a += 1;
  assert(b.a == 2 && b.c == -3);
  p[threadIdx.x + blockIdx.x * blockDim.x] = b;
}
extern "C" __global__ void bits_race(B *p) { if (threadIdx.x == 0) p->a = 1; else p->b = 2; }
struct C2 { unsigned a:1; unsigned :0; unsigned b:1; };
extern "C" __global__ void bits_apart(C2 *p) {
  if (threadIdx.x == 0) p->a = 1;
  else if (threadIdx.x == 1) p->b = 1;
}
struct L { unsigned a:4, b:4; int n; };
extern "C" __global__ void bits_list(int *o) {
  L l = {1, 2, 3};
  L m{4};
  L k = l;
  assert(l.a == 1 && l.b == 2 && l.n == 3 && m.a == 4 && m.b == 0 && k.b == 2);
  o[threadIdx.x] = l.a + l.b;
}
struct BI { unsigned a : 4, b : 4; int n; };
__device__ BI gb = {3, 5, 7};
__constant__ BI cb[2] = {{1, 2, 3}, {4, 5, 6}};
extern "C" __global__ void bi(int *o) { assert(gb.a == 3 && gb.b == 5 && gb.n == 7 && cb[1].b == 5); }
struct FL { volatile unsigned ready : 1; unsigned pad : 31; };
extern "C" __global__ void bi_vol(FL *f) { if (threadIdx.x == 0) f->ready = 1; else while (!f->ready) ; }
union U { struct { unsigned lo : 16; unsigned hi : 16; }; unsigned all; };
extern "C" __global__ void bi_union(int *o) {
  U u;
  u.all = 0x00030002;
  assert(u.lo == 2 && u.hi == 3);
  u.hi = 9;
  assert(u.all == 0x00090002);
}
enum class E : unsigned char { A, B };
struct BE { E e : 4; bool b : 1; unsigned short s : 3; };
extern "C" __global__ void bi_enum(BE *p) {
  BE x;
  x.e = E::B;
  x.b = true;
  x.s = 7;
  assert(x.e == E::B && x.b && x.s == 7 && sizeof(BE) == 2);
  p[threadIdx.x] = x;
}

// What templates ask of types, and constants that are templates.
#include <cuda/std/array>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
template <typename T, typename = cuda::std::enable_if_t<cuda::std::is_integral<T>::value>>
__device__ T divisor(T a, T b) {
  while (T t = b) {
    b = a % b;
    a = t;
  }
  return a;
}
template <class T> __device__ typename cuda::std::enable_if<cuda::std::is_integral_v<T>, int>::type kind(T) { return 1; }
template <class T> __device__ typename cuda::std::enable_if<cuda::std::is_floating_point_v<T>, int>::type kind(T) { return 2; }
template <class T> __device__ int kind(T *) { return 3; }
template <int N> constexpr int squared = N * N;
template <int N, int P = 1, bool Done = (N <= 1)> struct Logarithm { enum { VALUE = Logarithm<(N >> 1), P + 1>::VALUE }; };
template <int N, int P> struct Logarithm<N, P, true> { enum { VALUE = P - 1 }; };
extern "C" __global__ void types_asked(int *o) {
  assert(divisor(12, 18) == 6);
  assert(kind(1) == 1 && kind(1.0f) == 2 && kind(o) == 3);
  if constexpr (cuda::std::is_same_v<int, float>) __trap();
  assert((cuda::std::is_same<cuda::std::conditional_t<false, int, float>, float>::value));
  int limit = cuda::std::numeric_limits<int>::max();
  assert(limit == 2147483647 && cuda::std::numeric_limits<long long>::min() < 0);
  int numbers[squared<2>] = {};
  numbers[3] = Logarithm<8>::VALUE;
  assert(numbers[3] == 3);
}
// Ranges with a beginning and an end, and pairs.
extern "C" __global__ void ranges(int *o) {
  cuda::std::array<int, 3> a{1, 2, 3};
  int s = 0;
  for (auto x : a) s += x;
  for (int &x : a) x *= 2;
  assert(s == 6 && a[2] == 6 && a.size() == 3);
  auto [x, y] = cuda::std::make_pair(1, 2);
  assert(x == 1 && y == 2);
}
// Members by their names, where they are as they are by default, and where not.
struct Named { int a; int b = 7; int c[2]; unsigned f : 3; };
__device__ Named of_module = {.a = 1, .c = {4, 5}, .f = 6};
extern "C" __global__ void named_members(int *o) {
  Named d{.a = 2, .f = 5};
  Named e = {.b = 1, .c = {1, 2}};
  assert(d.a == 2 && d.b == 7 && d.c[1] == 0 && d.f == 5 && e.a == 0 && e.c[1] == 2);
  assert(of_module.a == 1 && of_module.b == 7 && of_module.c[1] == 5 && of_module.f == 6);
}
template <class T> concept Wide = sizeof(T) > 1;
template <Wide T, Wide U> requires (sizeof(T) == 4) __device__ T added(T a, U b) { return a + b; }
__device__ int first_of(auto a, auto... more) { return a + (0 + ... + more); }
#define LOG(format, ...) printf(format, ##__VA_ARGS__)
#define SUM(...) first_of(__VA_ARGS__)
extern "C" __global__ void constrained([[maybe_unused]] int *o, int (*rows)[4]) {
  assert(added(1, 2.0f) == 3);
  auto count = []<class T, int N>(T (&v)[N]) { return N; };
  int w[5];
  assert(count(w) == 5);
  LOG("x");
  LOG("x %d\n", 3);
  int r = SUM(1, 2, 3);
  assert(r == 6);
  int n = 4, c = 0;
  while (int k = n--) {
    if (k == 3) continue;
    if (k == 1) break;
    c += k;
  }
  switch (int z = c; z) {
    case 6: rows[threadIdx.x][0] = 1; break;
    default: __trap();
  }
  unsigned bits = __builtin_bit_cast(unsigned, 1.0f);
  assert(bits == 0x3f800000u);
}
// The last name is a structure's, too.
namespace colours { enum class Colour { B, C2 }; }
extern "C" __global__ void named_twice(int *o) {
  colours::Colour colour = colours::Colour::B;
  assert(colour != colours::Colour::C2);
}
