// What a declaration means, where another reading of the same text is near: types that are alike, names of namespaces, `T(x);`, constants, members.
#include <cassert>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

// `long` and `long long`, `char` and `signed char` are two types each.
template <class T> struct Which { static constexpr int v = 0; };
template <> struct Which<long> { static constexpr int v = 1; };
template <> struct Which<long long> { static constexpr int v = 2; };
template <> struct Which<unsigned long> { static constexpr int v = 3; };
template <> struct Which<unsigned long long> { static constexpr int v = 4; };
template <> struct Which<char> { static constexpr int v = 5; };
template <> struct Which<signed char> { static constexpr int v = 6; };
template <> struct Which<unsigned char> { static constexpr int v = 7; };
extern "C" __global__ void kinds() { assert(Which<long>::v == 1); assert(Which<long long>::v == 2); assert(Which<size_t>::v == 3); assert(Which<unsigned long long>::v == 4); assert(Which<char>::v == 5); assert(Which<signed char>::v == 6); assert(Which<int8_t>::v == 6); assert(Which<int64_t>::v == 1); assert(Which<uint64_t>::v == 3); assert(Which<decltype(1ll)>::v == 2); assert(Which<decltype(1l)>::v==1); assert(Which<decltype(1ull+1l)>::v == 4); assert(Which<decltype(sizeof(int))>::v == 3); assert(Which<decltype('a')>::v==5); assert((Which<decltype((int*)0-(int*)0)>::v==1)); assert(Which<decltype(clock64())>::v==2);assert((!cuda::std::is_same_v<long, long long>)); assert(Which<decltype(1l+1ll)>::v==2);assert(Which<decltype(1ul+1ll)>::v==4);assert(Which<decltype(5000000000)>::v==1);assert(Which<decltype(0xffffffffffffffff)>::v==3); }
namespace A1 { __device__ int f() { return 1; } namespace inner { __device__ int g() { return 11; } } }
namespace B1 { __device__ int f() { return 2; } namespace inner { __device__ int g() { return 22; } } }
extern "C" __global__ void nsalias() { { namespace N = A1; assert(N::f() == 1); } { namespace N = B1; assert(N::f() == 2); } }
namespace P { namespace N = A1; __device__ int h() { return N::f(); } }
namespace Q { namespace N = B1; __device__ int h() { return N::f(); } }
extern "C" __global__ void nsalias2() { assert(P::h() == 1); assert(Q::h() == 2); assert(P::N::inner::g() == 11); }
struct G { int v; __device__ G() : v(1) {} __device__ G(int x) : v(x) {} };
extern "C" __global__ void vexing() { int lock = 7; { G(lock); assert(lock.v == 1); } assert(lock == 7); }
extern "C" __global__ void vexing2() { int p = 7; { int(p) = 3; assert(p == 3); } assert(p == 7); { int *(q); q = &p; assert(*q == 7);} }
__device__ int of(long) { return 1; }
__device__ int of(long long) { return 2; }
__device__ int of(char) { return 3; }
__device__ int of(signed char) { return 4; }
extern "C" __global__ void kinds_of_overloads(int *o) { assert(of(1l) == 1 && of(1ll) == 2 && of('a') == 3 && of((signed char)1) == 4 && of((long long)o[0]) == 2); }
// One parameter is not two types.
template <class T> __device__ int f1(T, T) { return 1; }
template <class A, class B> __device__ int f1(A, B) { return 2; }
extern "C" __global__ void conflict() { assert(f1(1, 2.0) == 2); assert(f1(1, 2) == 1); assert(f1(1, 2u) == 2); assert(f1('a', 2) == 2); }
// enumerations without base
enum Big { BA = 0xffffffff, BB = 1 };
enum Huge : unsigned long long { HA = 1ull << 40 };
enum Neg { NA = -1, NB = 5 };
enum Wide { WA = 1ull << 40, WB = 2 };
extern "C" __global__ void enums() { assert(BA > 0); assert(BA == 4294967295u); assert(sizeof(Big) == 4); assert(HA >> 40 == 1); assert(NA < 0); assert(sizeof(Wide) == 8); assert(WA > 5); Big b = BA; assert(b > 7); assert((unsigned long long)b == 0xffffffffull); }
// null derived pointers
struct X1 { int a; }; struct X2 { int b; }; struct XD : X1, X2 { int c; };
extern "C" __global__ void nullbase(int *o) { XD *d = (XD*)(size_t)o[0]; X2 *b = d; assert(b == nullptr); XD d2; d2.b = 4; X2 *p = &d2; assert(p->b == 4); assert(static_cast<XD *>(p) == &d2); X2 *q = reinterpret_cast<X2 *>(&d2); d2.a = 9; assert(q->b == 9); X2 *n = nullptr; XD *m = static_cast<XD *>(n); assert(m == nullptr); }
// shadowed members and bases
struct Base { int v = 1; __device__ int get() { return v; } static constexpr int K = 1; };
struct Der : Base { int v = 2; __device__ int get2() { return v + Base::v * 10; } static constexpr int K = 2; __device__ int k() { return K * 10 + Base::K; } };
extern "C" __global__ void shadows() { Der d; assert(d.v == 2); assert(d.get() == 1); assert(d.get2() == 12); assert(d.Base::v == 1); assert(d.k() == 21); Base &b = d; assert(b.v == 1); }
// Names of the namespace around all.
namespace ad { struct T {}; __device__ int who(T) { return 1; } }
template <class T> __device__ int who(T) { return 2; }
extern "C" __global__ void adl() { ad::T t; assert(who(t) == 1); assert(who(3) == 2); assert(::who(t) == 2); }
__device__ int counter = 4;
extern "C" __global__ void around_all(int *o) { int counter = 1; assert(::counter == 4 && counter == 1); }
// Brackets in front of the name of a member.
template <int N> struct Vec { int v[N]; };
struct F1 { Vec<(2 + 1)> a; int b[sizeof(int)]; int c; decltype(1u) d; int bits : (1 + 2); };
extern "C" __global__ void fields() { assert(sizeof(F1) == 12 + 16 + 4 + 4 + 4); F1 f; f.c = 1; f.b[3] = 2; f.a.v[2] = 3; f.d = 4; f.bits = 2; assert(f.c + f.b[3] + f.a.v[2] + f.d + f.bits == 12); }
template <class A, class B> struct C1 { typedef cuda::std::decay_t<decltype(true ?cuda::std::declval<A>() :cuda::std::declval<B>())> type; };
template <class A, class B> struct C3 { using type = cuda::std::decay_t<decltype(cuda::std::declval<A>() +cuda::std::declval<B>())>; };
template <class A, class B> struct C5 { typedef cuda::std::decay_t<decltype(cuda::std::declval<A>())> type; };
extern "C" __global__ void member_types(int *o) { C1<int, unsigned>::type x = 1; C3<int, unsigned>::type y = 1; C5<int, unsigned>::type z = 1; assert(x > -1 == false && y > -1 == false && z > -1); }
// Characters.
extern "C" __global__ void escapes(int *o) { assert('\a' == 7 && '\b' == 8 && '\v' == 11 && '\f' == 12 && '\7' == 7 && '\101' == 'A' && '\x41' == 'A' && '\0' == 0); char s[] = "\1012"; assert(sizeof(s) == 3 && s[0] == 'A' && s[1] == '2'); }
// Members that are templates.
struct MA { template <class U> using ptr = U *; template <class U> struct inner { U x; }; typedef int arr[3]; };
template <class T> struct MB { template <class U> using both = cuda::std::pair<T, U>; both<char> m; };
extern "C" __global__ void member_templates() { MA::ptr<int> p; int x = 3; p = &x; assert(*p == 3); MA::inner<int> i{4}; assert(i.x == 4); MA::arr a = {1, 2, 3}; assert(a[2] == 3); MB<int>::both<short> q{1, 2}; assert(sizeof(q.second) == 2 && sizeof(q.first) == 4); MB<double> b; assert(sizeof(b.m) == 16); }
