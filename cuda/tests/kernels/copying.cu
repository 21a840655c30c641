// How structures are made, copied and destroyed where a member, a base or an element says how, and members that are defined outside.
#include <cassert>
#include <cuda/std/utility>
struct S1 { int a; __device__ S1(int x); __device__ S1(); __device__ int get() const; __device__ S1 &operator+=(int n); __device__ operator int() const; static __device__ int st(int); };
__device__ S1::S1(int x) : a(x * 2) {}
__device__ S1::S1() : a(5) {}
__device__ int S1::get() const { return a + 1; }
__device__ S1 &S1::operator+=(int n) { a += n; return *this; }
__device__ int S1::st(int x) { return x + 3; }
__device__ S1::operator int() const { return a * 4; }
extern "C" __global__ void outctor() { S1 s(4); assert(s.a == 8); S1 t; assert(t.a == 5); assert(s.get() == 9); s += 2; assert(s.a == 10); assert(S1::st(1) == 4); int as_number = s; assert(as_number == 40); S1 u{3}; assert(u.a == 6); S1 v[2] = {S1(1), S1()}; assert(v[0].a == 2 && v[1].a == 5); }
struct G1 { int *p; __device__ G1(int *q) : p(q) {} __device__ ~G1(); };
__device__ G1::~G1() { *p += 1; }
extern "C" __global__ void outdtor() { int x = 0; { G1 g(&x); assert(x == 0); } assert(x == 1); }
template <class T> struct T1 { T v; __device__ T1(T x); __device__ T get(); __device__ ~T1(); };
template <class T> __device__ T1<T>::T1(T x) : v(x + 1) {}
template <class T> __device__ T T1<T>::get() { return v; }
template <class T> __device__ T1<T>::~T1() {}
extern "C" __global__ void outtmpl() { T1<int> t(3); assert(t.v == 4 && t.get() == 4); }
// copying members with own copy
struct C1 { int *n; __device__ C1(int *q) : n(q) {} __device__ C1(const C1 &o) : n(o.n) { ++*n; } __device__ C1 &operator=(const C1 &o) { n = o.n; *n += 10; return *this; } };
struct O1 { int x; C1 c; };
struct O2 : C1 { int y; __device__ O2(int *q) : C1(q), y(2) {} };
__device__ int byval(O1 o) { return o.x; }
extern "C" __global__ void membercopy() { int k = 0; O1 a{1, C1(&k)}; assert(k == 0); O1 b = a; assert(k == 1); b = a; assert(k == 11); byval(a); assert(k == 12); O1 c(b); assert(k == 13); }
extern "C" __global__ void basecopy() { int k = 0; O2 a(&k); O2 b = a; assert(k == 1); b = a; assert(k == 11 && b.y == 2); }
struct O3 { C1 c[2]; };
extern "C" __global__ void arraycopy() { int k = 0; O3 a{{C1(&k), C1(&k)}}; O3 b = a; assert(k == 2); }
extern "C" __global__ void lambdacopy() { int k = 0; C1 a(&k); auto f = [a] { return *a.n; }; assert(k == 1); assert(f() == 1); O1 o{1, C1(&k)}; auto g = [o] { return o.x; }; assert(k == 2 && g() == 1); }
__device__ O1 &pick(O1 &o) { return o; }
__device__ O1 copyof(O1 *o) { return *o; }
extern "C" __global__ void retcopy(int *p) { int k = 0; O1 a{1, C1(&k)}; O1 b = copyof(&a); assert(k == 1); O1 c = p[0] == 0 ? a : b; assert(k == 2); auto d = pick(a); assert(k == 3); O1 e = pick(a); assert(k == 4); O1 f = O1{1, C1(&k)}; assert(k == 4); }
// arrays of structs with default members
struct A1 { int v = 3; };
struct D1 { int *n; __device__ ~D1() { ++*n; } };
struct D2 { D1 d[2]; D1 e; };
extern "C" __global__ void arrdtor() { int k = 0; { D2 d{{D1{&k}, D1{&k}}, D1{&k}}; } assert(k == 3); { D1 q[2][2] = {{D1{&k}, D1{&k}}, {D1{&k}, D1{&k}}}; } assert(k == 7); }
struct M0 { int a; int b; __device__ M0() : a() {} };
struct Q1 { int a; A1 j; M0 m; int *p; __device__ Q1() : a(), j(), p() {} };
extern "C" __global__ void initval() { Q1 q; assert(q.a == 0 && q.j.v == 3 && q.m.a == 0 && q.p == nullptr); }
// move vs copy
struct MV { int s; __device__ MV() : s(0) {} __device__ MV(const MV &) : s(1) {} __device__ MV(MV &&) : s(2) {} __device__ MV &operator=(const MV &) { s = 3; return *this; } __device__ MV &operator=(MV &&) { s = 4; return *this; } };
struct MW { MV m; };
extern "C" __global__ void moves() { MV a; MV b = a; assert(b.s == 1); MV c = cuda::std::move(a); assert(c.s == 2); b = a; assert(b.s == 3); b = cuda::std::move(a); assert(b.s == 4); b = MV(); assert(b.s == 4); MW w; MW x = w; assert(x.m.s == 1); MW y = cuda::std::move(w); assert(y.m.s == 2); x = w; assert(x.m.s == 3); x = cuda::std::move(w); assert(x.m.s == 4); MV &&r = MV(); MV d = r; assert(d.s == 1); MV e(static_cast<MV &&>(r)); assert(e.s == 2); }
// Of a template one member may be another one for certain arguments.
template <class T> struct SM { static __device__ int id() { return 0; } __device__ int get() { return 1; } static constexpr int N = 4; };
template <> __device__ int SM<int>::id() { return 7; }
template <> __device__ int SM<int>::get() { return 8; }
extern "C" __global__ void memberspec() { assert(SM<int>::id() == 7 && SM<float>::id() == 0); SM<int> a; SM<char> b; assert(a.get() == 8 && b.get() == 1); }
// `T()` is zeros where nobody wrote how it begins; a designated list leaves the others as they are by default.
struct VI { int a; VI() = default; };
struct VJ { int a; int b = 3; };
struct VK { VI i; VJ j; int c; };
extern "C" __global__ void valinit1() { VI v{}; assert(v.a == 0); }
extern "C" __global__ void valinit2() { VI w = VI(); assert(w.a == 0); }
extern "C" __global__ void valinit3() { VK k = VK(); assert(k.i.a == 0 && k.j.b == 3 && k.c == 0); VJ j = VJ(); assert(j.a == 0); VJ arr[2] = {}; assert(arr[1].a == 0 && arr[1].b == 3); auto z = VJ{}; assert(z.a == 0 && z.b == 3); VK *p = &k; *p = {}; assert(k.j.a == 0 && k.j.b == 3); }
struct In { int v = 3; };
struct Out { int a; In i; };
extern "C" __global__ void designated() { Out x{.a = 1}; assert(x.a == 1 && x.i.v == 3); }
