// References by other names: T of a forwarded variable is one, for traits, concepts, members, elements of packs and variables that are there once.
#include <cassert>
#include <cuda/std/optional>
#include <cuda/std/array>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

struct D0 { int *p; __device__ D0(int *q) : p(q) { *p += 1; } __device__ ~D0() { *p += 10; } };
template <class T> __device__ constexpr bool is_l(T &&) { return cuda::std::is_lvalue_reference_v<T>; }
extern "C" __global__ void lref() { int x = 1; assert(is_l(x)); assert(!is_l(3)); }
template <class T> __device__ bool same_int(T &&) { return cuda::std::is_same_v<T, int>; }
extern "C" __global__ void sameint() { int x = 1; assert(!same_int(x)); assert(same_int(3)); }
template <class T> __device__ int counted(T &&) { static int n = 0; return ++n; }
extern "C" __global__ void statics() { int x = 1; int a = counted(x), b = counted(3); assert(a == 1 && b == 1); }
template <class T> struct Wrapper { T v; };
template <class T> __device__ Wrapper<T> wrap(T &&t) { return Wrapper<T>{cuda::std::forward<T>(t)}; }
extern "C" __global__ void wrapped() { int x = 1; auto w = wrap(x); w.v = 5; assert(x == 5); auto u = wrap(7); u.v = 8; assert(u.v == 8); }
template <class... A> __device__ cuda::std::tuple<A...> pack(A &&...a) { return cuda::std::tuple<A...>(cuda::std::forward<A>(a)...); }
extern "C" __global__ void packed() { int x = 1, y = 2; auto t = pack(x, y, 3); cuda::std::get<0>(t) = 9; assert(x == 9); assert(cuda::std::get<2>(t) == 3); }
template <class T> __device__ int copyit(T &&t) { T u = t; u = 5; return t; }
extern "C" __global__ void copies() { int x = 1; assert(copyit(x) == 5); assert(copyit(2) == 2); }
template <class T> concept IntOnly = cuda::std::is_same_v<T, int>;
template <IntOnly T> __device__ int onlyint(T &&) { return 1; }
template <class T> __device__ int onlyint(T &&) { return 2; }
extern "C" __global__ void conceptref() { int x = 1; assert(onlyint(x) == 2); assert(onlyint(1) == 1); }
template <class T, cuda::std::enable_if_t<!cuda::std::is_same_v<cuda::std::decay_t<T>, D0>, int> = 0> __device__ int sel(T &&) { return 1; }
template <class T, cuda::std::enable_if_t<cuda::std::is_same_v<cuda::std::decay_t<T>, D0>, int> = 0> __device__ int sel(T &&) { return 2; }
extern "C" __global__ void sfin() { int x = 0; { D0 d(&x); assert(sel(d) == 2); assert(sel(x) == 1); } }
template <class T> __device__ T bumped(T v) { T y = v; y++; return y; }
template <class T> struct Holder { T v; };
extern "C" __global__ void arguments(int *o) { int x = 1; bumped<int &>(x); assert(x == 2); bumped<int>(x); assert(x == 2); Holder<int &> h{x}; h.v = 7; assert(x == 7); Holder<const int &> c{x}; x = 8; assert(c.v == 8); }
extern "C" __global__ void temporaries(int *o) { int &&r = 5; r++; assert(r == 6); const int &c = 7; const int *p = &c; assert(*p == 7); auto &&a = 3; int *q = &a; *q = 4; assert(a == 4); }
struct Explicit { int v; __device__ explicit Explicit(int x) : v(x) {} };
struct Implicit { int v; __device__ Implicit(int x) : v(x) {} };
namespace library {
using namespace cuda::std;
extern "C" __global__ void convertible() { assert((is_convertible_v<int, Implicit>)); assert((!is_convertible_v<int, Explicit>)); assert((is_convertible_v<int, double>)); assert((!is_convertible_v<int *, double *>)); assert((!is_convertible_v<const int *, int *>)); assert((is_convertible_v<int *, const int *>)); assert((is_convertible_v<int *, void *>));assert((!is_convertible_v<void *, int *>)); }
extern "C" __global__ void traits() { assert((is_same_v<decay_t<const int &>, int>)); assert((is_same_v<decay_t<int[3]>, int *>)); assert((is_same_v<remove_reference_t<int &&>, int>)); assert((is_same_v<remove_cvref_t<const volatile int &>, int>)); assert((!is_integral_v<int &>)); assert((is_same_v<common_type_t<int, unsigned>, unsigned>)); assert((is_same_v<common_type_t<char, short>, int>)); assert((is_same_v<add_pointer_t<int &>, int *>)); assert((is_const_v<const int>)); assert((!is_const_v<const int &>)); assert((!is_const_v<const int *>)); assert((is_const_v<int *const>)); assert((is_pointer_v<int *const>)); assert((is_same_v<decltype(1 + 1u), unsigned>)); assert((is_same_v<decltype('a' + 'b'), int>)); int x; assert((is_same_v<decltype(x), int>)); assert((is_same_v<decltype((x)), int &>)); assert((is_same_v<decltype(move(x)), int &&>)); int &r = x; assert((is_same_v<decltype(r), int &>)); assert((is_same_v<decltype(x++), int>)); assert((is_same_v<decltype(++x), int &>)); assert((is_same_v<decltype(x = 1), int &>)); const int c = 1; assert((is_same_v<decltype(c), const int>)); auto d = c; assert((is_same_v<decltype(d), int>)); auto &e = c; assert((is_same_v<decltype(e), const int &>)); int a[3]; assert((is_same_v<decltype(a), int[3]>)); assert((is_same_v<decltype(a[0]), int &>)); assert((is_same_v<decltype(&a), int (*)[3]>)); assert((is_same_v<decltype(*a), int &>)); assert((is_same_v<decltype(true ? x : d), int &>)); }
extern "C" __global__ void tuples() { int x = 1; tuple<int &, int> t(x, 2); get<0>(t) = 5; assert(x == 5); auto f = forward_as_tuple(x, 3); get<0>(f) = 6; assert(x == 6); auto m = make_tuple(x, 'a'); get<0>(m) = 0; assert(x == 6); int a, b; tie(a, b) = make_tuple(3, 4); assert(a == 3 && b == 4); assert(get<int &>(t) == 6); auto [p, q] = t; p = 9; assert(x == 9); tuple<int, float> u{1, 2.5f}; assert(get<float>(u) == 2.5f); assert(u == make_tuple(1, 2.5f)); tuple<int, int> v; v = make_tuple(7, 8); assert(get<1>(v) == 8); assert((tuple_size_v<decltype(v)> == 2)); apply([](int a, int b) { assert(a == 7 && b == 8); }, v); }
extern "C" __global__ void opts() { optional<int> o; assert(!o); o = 5; assert(*o == 5 && o.has_value()); assert(o.value_or(3) == 5); o.reset(); assert(o.value_or(3) == 3); o.emplace(4); assert(o == 4); optional<int> p = nullopt; assert(p != o); p = o; assert(p == o); optional<pair<int, int>> q = make_pair(1, 2); assert(q->first == 1); auto r = make_optional(3.5); assert(*r == 3.5); if (auto v = p) assert(*v == 4); const optional<int> cc(3); assert(*cc == 3); assert(cc.value() == 3); optional<int> mv = move(p); assert(*mv == 4);  }
extern "C" __global__ void arrays() { array<int, 3> a{1, 2, 3}; int s = 0; for (auto v : a) s += v; assert(s == 6); for (auto &v : a) v *= 2; assert(a[2] == 6); assert(a.size() == 3); assert(a.front() == 2 && a.back() == 6); a.fill(7); assert(a[1] == 7); array<int, 3> b = a; assert(a == b); auto [x, y, z] = a; assert(x + y + z == 21); assert(get<1>(a) == 7); array c{1, 2}; assert(c.size() == 2); assert(*a.data() == 7); assert(!a.empty()); }
extern "C" __global__ void forwarded_tuple() { int x = 1; auto f = forward_as_tuple(x, 3); get<0>(f) = 6; assert(x == 6); }
}
// The pointer that one of two is chosen from.
extern "C" __global__ void chosen_pointer(int *o) { int x = 1; const int *p = &x; int *q = &x; bool b = o[0] == 0; auto r = b ? p : q; static_assert(cuda::std::is_same_v<decltype(r), const int *>); assert(*r == 1); void *v = q; assert((b ? v : q) == q); }
// Patterns.
template <class T> struct K { static constexpr int v = 0; };
template <class T> struct K<T *> { static constexpr int v = 1; };
template <class T> struct K<const T *> { static constexpr int v = 2; };
template <class T> struct K<T &> { static constexpr int v = 3; };
template <class T> struct K<T &&> { static constexpr int v = 4; };
template <class T, int N> struct K<T[N]> { static constexpr int v = 5 + N; };
template <class T> struct K<const T> { static constexpr int v = 20; };
extern "C" __global__ void partial() { assert(K<int>::v == 0 && K<int *>::v == 1 && K<const int *>::v == 2 && K<int &>::v == 3 && K<int &&>::v == 4 && K<int[3]>::v == 8 && K<const int>::v == 20); assert(K<int *&>::v == 3 && K<int *const>::v == 20); int x; assert(K<decltype((x))>::v == 3 && K<decltype(x)>::v == 0); assert(K<const int &>::v == 3); }
