// Templates as libraries write them: arguments that are deduced, templates and structures as parameters, conditions on types, packs of bases.
#include <cassert>
#include <compare>
#include <cuda/std/type_traits>
#include <cuda/std/concepts>

namespace tiles {
template <int v> struct C { static constexpr int value = v; __host__ __device__ constexpr operator int() const noexcept { return v; } };
template <class... Ss> struct Shape { static constexpr int rank = sizeof...(Ss); static constexpr int size = (1 * ... * Ss::value); };
template <class S, class D> struct Layout;
template <class S0, class S1, class D0, class D1> struct Layout<Shape<S0, S1>, Shape<D0, D1>> {
  using shape = Shape<S0, S1>;
  __host__ __device__ constexpr int operator()(int i, int j) const { return i * D0::value + j * D1::value; }
  __host__ __device__ static constexpr int cosize() { return (S0{} - 1) * D0{} + (S1{} - 1) * D1{} + 1; }
};
using Rows = Layout<Shape<C<4>, C<8>>, Shape<C<8>, C<1>>>;
using Overlap = Layout<Shape<C<4>, C<8>>, Shape<C<1>, C<1>>>;
template <class T, class L> struct Tensor {
  T *ptr;
  L layout;
  // A member that is called by its name.
  __device__ T &operator()(int i, int j) { return ptr[layout(i, j)]; }
};
template <class L, class T> __device__ auto make_tensor(T *p, L l = {}) { return Tensor<T, L>{p, l}; }
template <class L> __device__ void copy_tile(float *g) {
  __shared__ float smem[L::cosize()];
  auto s = make_tensor<L>(smem);
  for (int j = 0; j < 2; ++j) s(threadIdx.x, j) = g[threadIdx.x];
  for (int j = 0; j < 2; ++j) g[threadIdx.x] += s(threadIdx.x, j);
}
}
extern "C" __global__ void gen_layout(float *g) {
  static_assert(tiles::Rows::shape::size == 32 && tiles::Rows::cosize() == 32);
  tiles::copy_tile<tiles::Rows>(g);
}
extern "C" __global__ void gen_layout_wrong(float *g) { tiles::copy_tile<tiles::Overlap>(g); }

// A template as a parameter, as an argument that is deduced, and by a name of its own.
template <class T> struct Plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <int Threads, int Items, template <class> class Op, class T = int> struct BlockSum {
  struct TempStorage { T buf[Threads * Items]; };
  TempStorage &st;
  __device__ BlockSum(TempStorage &s) : st(s) {}
  template <bool Waits> __device__ T sum(T (&items)[Items]) {
    Op<T> op;
    T r = items[0];
    for (int i = 1; i < Items; ++i) r = op(r, items[i]);
    st.buf[threadIdx.x] = r;
    if constexpr (Waits) __syncthreads();
    T t = 0;
    for (int i = 0; i < Threads; ++i) t = op(t, st.buf[i]);
    return t;
  }
};
extern "C" __global__ void gen_block_sum(int *a) {
  using B = BlockSum<4, 2, Plus>;
  __shared__ typename B::TempStorage st;
  int items[2] = {a[threadIdx.x], 2};
  a[threadIdx.x] = B(st).template sum<true>(items);
}
extern "C" __global__ void gen_block_sum_wrong(int *a) {
  using B = BlockSum<4, 2, Plus>;
  __shared__ typename B::TempStorage st;
  int items[2] = {a[threadIdx.x], 2};
  a[threadIdx.x] = B(st).template sum<false>(items);
}
template <template <typename...> typename F, typename... Ts> using applied = F<Ts...>;
template <class A, class B> struct Both { A a; B b; };
template <class T> struct first_of;
template <template <class...> class F, class A, class... R> struct first_of<F<A, R...>> { using type = A; };
template <template <class> class F, class T> __device__ T called(const F<T> &f, T a, T b) { return f(a, b); }
extern "C" __global__ void gen_templates(int *a) {
  applied<Both, int, char> b{1, 'c'};
  typename first_of<Both<short, long>>::type s = 3;
  static_assert(sizeof(s) == 2);
  assert(called(Plus<int>{}, 3, 4) == 7);
  a[threadIdx.x] = b.a + s;
}

// Arguments of a template that nobody writes.
template <class T, int N = 2> struct Frag { T x[N]; T y; __device__ Frag(T a, T b) : x{a, b}, y(a + b) {} };
template <class T> struct Holder { T t; };
template <class T> Holder(T) -> Holder<T>;
template <class T> struct Slot { T *p; __device__ explicit Slot(T &of) : p(&of) {} __device__ void put(T v) { *p = v; } };
template <class... Fs> struct overloaded : Fs... { using Fs::operator()...; };
template <class... Fs> overloaded(Fs...) -> overloaded<Fs...>;
extern "C" __global__ void gen_deduced(int *a) {
  Frag f(1, 2);
  Holder h{3.5f}, g = h;
  static_assert(cuda::std::is_same_v<decltype(h), Holder<float>> && cuda::std::is_same_v<decltype(f), Frag<int, 2>>);
  assert(f.y == 3 && f.x[1] == 2 && g.t == 3.5f);
  auto of = overloaded{[](int x) { return x; }, [](float) { return 7; }};
  assert(of(2.0f) == 7);
  Slot(a[threadIdx.x]).put(of(1));
}
extern "C" __global__ void gen_deduced_wrong(int *a) {
  Slot s(a[0]);
  s.put(Holder{1}.t);
}

// A structure as an argument.
struct Cfg { int m, n; bool pad; __host__ __device__ constexpr int area() const { return m * n; } };
template <Cfg cfg> struct Kern {
  static constexpr int elems = cfg.area() + (cfg.pad ? 1 : 0);
  __device__ static void go(int *a) {
    __shared__ int s[elems];
    s[threadIdx.x % cfg.m] = cfg.m;
    a[threadIdx.x] = s[threadIdx.x % cfg.m];
  }
};
template <auto V> struct Known { static constexpr auto v = V; };
extern "C" __global__ void gen_structures(int *a) {
  Kern<Cfg{4, 4, true}>::go(a);
  static_assert(Kern<Cfg{2, 4, true}>::elems == 9 && Known<5>::v == 5 && Known<'a'>::v == 'a');
}
extern "C" __global__ void gen_structures_wrong(int *a) { Kern<Cfg{2, 4, true}>::go(a); }

// Which function is meant, by conditions on types.
template <class T> concept Addable = requires(T a, T b) { { a + b } -> cuda::std::same_as<T>; requires sizeof(T) >= 4; };
template <class T> requires Addable<T> __device__ T plus1(T a) { return a + T(1); }
template <class T> requires (!Addable<T>) __device__ T plus1(T a) { return a; }
template <class T> requires requires(T t) { t.size(); } __device__ int count(const T &t) { return t.size(); }
template <class T> __device__ int count(const T &) { return 1; }
template <cuda::std::integral T> __device__ int kind(T) { return 1; }
template <cuda::std::floating_point T> __device__ int kind(T) { return 2; }
__device__ int kind_of(cuda::std::integral auto) { return 1; }
__device__ int kind_of(auto) { return 2; }
struct Sized { __device__ int size() const { return 3; } };
template <class T> struct Guarded {
  T *p;
  __device__ void put(T v) requires (sizeof(T) == 4) { p[threadIdx.x] = v; }
  __device__ void put(T v) requires (sizeof(T) != 4) { p[0] = v; }
};
template <class T, class = void> struct has_run { static constexpr bool value = false; };
template <class T> struct has_run<T, cuda::std::void_t<decltype(&T::run)>> { static constexpr bool value = true; };
struct HasRun { __device__ void run() {} };
struct NoRun {};
extern "C" __global__ void gen_conditions(int *a) {
  assert(plus1(1) == 2 && plus1('c') == 'c');
  assert(count(Sized{}) == 3 && count(1) == 1);
  assert(kind(1) == 1 && kind(1.0f) == 2 && kind_of(1) == 1 && kind_of(1.0f) == 2);
  static_assert(has_run<HasRun>::value && !has_run<NoRun>::value && Addable<int> && !Addable<char>);
  Guarded<int>{a}.put(1);
}
extern "C" __global__ void gen_conditions_wrong(long long *a) { Guarded<long long>{a}.put(1); }

// Comparisons that nobody writes out.
struct Version { int major, minor; __host__ __device__ constexpr auto operator<=>(const Version &) const = default; };
struct Named { int id; char text[3]; __host__ __device__ bool operator==(const Named &) const = default; };
namespace apart {
struct Hidden {
  int v;
  friend __device__ bool operator<(const Hidden &a, const Hidden &b) { return a.v < b.v; }
  friend __device__ int twice(const Hidden &h) { return 2 * h.v; }
};
}
__device__ bool operator<(const Named &a, const Named &b) { return a.id < b.id; }
__device__ int twice(int x) { return 2 * x; }
extern "C" __global__ void gen_comparisons(int *o) {
  Version x{1, 2}, y{1, 3};
  assert(x < y && y > x && x <= x && !(x >= y) && x != y && x == x);
  assert((1 <=> 2) < 0 && (2 <=> 2) == 0);
  Named n{1, {'a', 'b', 0}}, m{1, {'a', 'c', 0}};
  assert(n != m && n == n && !(n < m));
  apart::Hidden h{1}, k{2};
  assert(h < k && twice(k) == 4 && twice(3) == 6);
  o[threadIdx.x] = 1;
}
// A base that begins further on.
struct Left { int l[2]; };
struct Right { int r; __device__ int *at() { return &r; } };
struct Both2 : Left, Right { int own; };
__device__ void set(Right *r, int v) { r->r = v; }
extern "C" __global__ void gen_bases(int *a) {
  Both2 b{};
  Right &r = static_cast<Right &>(b);
  r.r = 5;
  set(&b, b.r + 1);
  Right *p = &b;
  assert(b.r == 6 && b.l[0] == 0 && p->r == 6 && *b.at() == 6);
  assert(static_cast<Both2 *>(p)->own == 0 && static_cast<Both2 &>(r).l[1] == 0);
  a[threadIdx.x] = b.r;
}
