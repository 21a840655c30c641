// What is a variable and what is a copy, when it is made, read and destroyed, and how often; kernels in which the wrong answer traps or races.
#include <cassert>
#include <cuda/atomic>

// What a function returns by value is a copy, which is read when it is returned.
struct P { int x, y; };
__device__ P get(P *p) { return *p; }
__device__ P getr(P &p) { return p; }
struct O { P in; __device__ P part() { return in; } };
__device__ int change(P p) { p.x = 77; return p.y; }
extern "C" __global__ void returned_of_shared(int *o) { __shared__ P s; s.x = 1; P d = get(&s); d.x = 5; assert(s.x == 1); }
extern "C" __global__ void returned_of_variable(int *o) { P s{1, 2}; P d = getr(s); d.x = 5; assert(s.x == 1 && d.y == 2); }
extern "C" __global__ void returned_of_member(int *o) { O q{{1, 2}}; P d = q.part(); d.x = 5; assert(q.in.x == 1); auto e = q.part(); e.y = 9; assert(q.in.y == 2); }
extern "C" __global__ void returned_into_array(int *o) { P s{1, 2}; P a[2] = {getr(s), getr(s)}; a[0].x = 7; assert(a[1].x == 1 && s.x == 1); auto l = [s]() mutable { s.x++; return s; }; P u = l(); u.x = 50; assert(l().x == 3 && s.x == 1); }
extern "C" __global__ void returned_and_passed(int *o) { P s{1, 2}; change(getr(s)); change(s); assert(s.x == 1); __shared__ P t; t = s; change(get(&t)); change(t); assert(t.x == 1); }
extern "C" __global__ void returned_and_read_later(int *o) { __shared__ P s; s.x = 1; const P &r = get(&s); s.x = 2; assert(r.x == 1); P d = s.x == 2 ? get(&s) : P{}; s.x = 4; assert(d.x == 2); auto &&e = get(&s); s.x = 9; assert(e.x == 4); }
// A reference by another name.
template <class T> __device__ void alias(T &&x) { T y = x; y = 50; }
extern "C" __global__ void aliased(int *o) { int a = 1; alias(a); assert(a == 50); alias(3); alias(o[1]); assert(o[1] == 50); int b = 4; auto f = [](auto &&z) { decltype(z) q = z; q = 9; }; f(b); assert(b == 9); using R = int &; R r = a; r = 3; assert(a == 3); }
template <class T> struct Vec { typedef T &reference; using value_type = T; T v[3]; __device__ reference operator[](int i) { return v[i]; } __device__ void set(reference x) { x = 6; } __device__ value_type at(int i) { return v[i]; } };
extern "C" __global__ void reference_names(int *o) { Vec<int> v{{1, 2, 3}}; v[1] = 7; assert(v.v[1] == 7); Vec<int>::reference r = v[2]; r = 9; assert(v.v[2] == 9); int k = 0; v.set(k); assert(k == 6); auto x = v[1]; x++; assert(v[1] == 7); Vec<int>::value_type w = v[0]; w = 5; assert(v[0] == 1 && v.at(2) == 9); }
// Of two variables one is chosen, and no copy.
__device__ void put5(int &r) { r = 5; }
extern "C" __global__ void choice_place(int *o) { int a = 1, b = 2; bool c = o[0] == 0; int &r = c ? a : b; r = 9; assert(c ? a == 9 && b == 2 : a == 1 && b == 9); }
extern "C" __global__ void choice_structure(int *o) { P a{1,2}, b{3,4}; bool c = o[0] == 0; (c ? a : b).x = 7; assert(c ? a.x == 7 && b.x == 3 : a.x == 1 && b.x == 7); }
extern "C" __global__ void choice_assigned(int *o) { int a = 1, b = 2; bool c = o[0] == 0; (c ? a : b) = 5; assert(c ? a == 5 && b == 2 : a == 1 && b == 5); ++(c ? a : b); assert(a + b == 8 || a + b == 7);}
extern "C" __global__ void choice_passed(int *o) { int a = 1, b = 2; bool c = o[0] == 0; put5(c ? a : b); assert(c ? a == 5 && b == 2 : a == 1 && b == 5); }
// When a lambda copies.
struct W { int v = 1; __device__ int run() { auto f = [*this] { return v; }; auto g = [this] { return v; }; v = 5; return f() * 10 + g(); } };
extern "C" __global__ void captures(int *o) { __shared__ int s[2]; s[0] = 1; int x = 1; auto f = [x, v = s[0]] { return x * 10 + v; }; x = 5; s[0] = 7; assert(f() == 11); int &r = s[0]; auto g = [r] { return r; }; s[0] = 8; assert(g() == 7); auto h = [=] { return r; }; s[0] = 9; assert(h() == 8); auto k = [&r] { return r; }; s[0] = 10; assert(k() == 10); int a[2] = {1, 2}; auto m = [a] { return a[1]; }; a[1] = 5; assert(m() == 2); }
extern "C" __global__ void captures_mutable(int *o) { int n = 0; auto c = [n]() mutable { return ++n; }; c(); auto d = c; assert(c() == 2 && d() == 2 && d() == 3); assert(n == 0); auto e = [p = 3]() mutable { return p++; }; assert(e() == 3 && e() == 4); auto q = [i = n++] { return i; }; assert(n == 1 && q() == 0); auto loop = [&](auto self, int k) -> int { return k == 0 ? 0 : k + self(self, k - 1); }; assert(loop(loop, 3) == 6); }
extern "C" __global__ void captures_this(int *o) { W w; assert(w.run() == 15); }
// The order of what is computed, and how wide.
extern "C" __global__ void order_index(int *o) { int i = 1; int a[4] = {0,0,0,0}; a[i++] = i; assert(a[1] == 1 && i == 2); a[i] = i = 3; assert(a[3] == 3); int j = 0; a[++j] += j; assert(j == 1 && a[1] == 2 || a[1]==1); }
extern "C" __global__ void pointer_moved(int *o) { int a[4] = {5,6,7,8}; int *p = a; int x = p[(p += 2, 1)]; assert(x == 6 && *p == 7); int y = *p++ + *p; assert(y == 15); int *q = a; *q++ = *q + 10; assert(a[0] == 15 && q == a + 1); }
extern "C" __global__ void chained(int *o) { __shared__ unsigned char u; int x; x = u = 300; assert(x == 44); signed char s; x = s = 200; assert(x == -56); bool b; x = b = 7; assert(x == 1); float f; x = f = 2.75f; assert(x == 2); }
extern "C" __global__ void promotions(int *o) { __shared__ unsigned char u; u = 200; int x = u << 24; assert(x == (int)0xC8000000); assert((u << 24) < 0); assert(~u == -201); assert(-u == -200); unsigned short a = 65535; assert(a * 1 == 65535); assert((a - 65536) < 0); char c = -1; assert((unsigned)c == 0xFFFFFFFFu); assert((unsigned char)c == 255); unsigned n = c; assert(n == 4294967295u); assert(c < 1u == false); unsigned long long l = c; assert(l == ~0ull); l = (unsigned)c; assert(l == 0xFFFFFFFFull); }
extern "C" __global__ void shifts(int *o) { __shared__ int m; m = -8; assert(m >> 1 == -4); assert((unsigned)m >> 28 == 15); long long l = m; assert(l >> 1 == -4); assert((unsigned long long)m >> 60 == 15); assert((1ll << 40) == 1099511627776ll); assert((1 << m + 12) == 16); signed char c = -2; assert(c >> 1 == -1); unsigned short h = 0x8000; assert(h >> 15 == 1); assert((short)h >> 15 == -1); unsigned char k = 33; assert((1ull << k) == 8589934592ull); }
extern "C" __global__ void wide(int *o) { __shared__ int m; m = 100000; assert((long long)m * m == 10000000000ll); unsigned u = 4000000000u; assert((unsigned long long)u * 4 == 16000000000ull); long long d = -1; assert(d * u == -4000000000ll); assert(u + d == 3999999999ll); assert(m * 50000 == 705032704); size_t s = m; assert(s - 100001 > 0); assert((long long)(u) == 4000000000ll); assert((long long)(int)u == -294967296ll); int i = -1; assert((u > i) == false); assert(sizeof(u) > -1 == false); assert(-7 / 2 == -3 && m - 100007 == -7 && (m - 100007) / 2 == -3 && (m - 100007) % 4 == -3); }
extern "C" __global__ void commas(int *o) { int i = 0; int x = (i++, i++, i * 10); assert(x == 20); for (int a = 0, b = 5; a < b; a++, b--) i++; assert(i == 5); int y = i > 3 ? i++, 7 : 8; assert(y == 7 && i == 6); assert((i = 3, i + 1) == 4); (i, x) = 4; assert(x == 4); (i = 2) += 5; assert(i == 7); ++(++i); assert(i == 9); (i += 1) *= 2; assert(i == 20); }
__device__ int bump(int *c, int r) { *c = *c * 10 + r; return r; }
extern "C" __global__ void short_circuits(int *o) { int c = 0; if (bump(&c, 0) && bump(&c, 1)) c = -1; assert(c == 0); c = 0; bool b = bump(&c, 1) || bump(&c, 2); assert(c == 1 && b); c = 0; int s = bump(&c, 1) - bump(&c, 2) * bump(&c, 3); assert(s == -5); c = 0; int a[4] = {}; a[bump(&c, 1)] = bump(&c, 2); assert(c == 21 || c == 12); c = 5; c += bump(&c, 1); assert(c == 52); c = 0; int z = bump(&c, 1) ? bump(&c, 2) : bump(&c, 3); assert(c == 12 && z == 2); bool w = !bump(&c, 0) & (bump(&c, 1) == 1); assert(w); }
extern "C" __global__ void switches(int *o) { int t = 0; for (int i = 0; i < 6; i++) { switch (i) { case 0: continue; case 1: t += 1; break; case 2: { t += 10; } case 3: t += 100; break; default: if (i == 5) break; t += 1000; } t += 10000; } assert(t == 51000 + 211 - 0 - 0 || t == 0); assert(t == 1 + 110 + 100 + 1000 + 50000); }
extern "C" __global__ void gotos(int *o) { int i = 0, t = 0; again: t += i; if (++i < 5) goto again; assert(t == 10); for (int a = 0; a < 3; a++) for (int b = 0; b < 3; b++) { if (a == 1 && b == 1) goto out; t++; } out: assert(t == 14); do { t--; if (t == 12) continue; if (t == 5) break; } while (t > 0); assert(t == 5); }
extern "C" __global__ void references(int *o) { __shared__ int s[4]; int i = 1; int &r = s[i]; s[1] = 0; i = 2; r = 5; assert(s[1] == 5); int *p = &s[0]; int *&pp = p; pp++; assert(p == &s[1]); int (&a)[4] = s; a[3] = 6; assert(s[3] == 6); const int &k = i + 1; i = 7; assert(k == 3); auto &&u = s[3]; u++; assert(s[3] == 7); auto v = r; v++; assert(r == 5); decltype(auto) w = (r); w++; assert(r == 6); const int &n = i; i = 8; assert(n == 8); }
extern "C" __global__ void rounded_once(int *o) { float g = 9007199791611905ll; assert(g == 9007200328482816.f); }
// Members of fewer bits than `int` has are promoted to it.
struct Bits { unsigned a : 3; int b : 4; unsigned long long w : 40; unsigned short s : 9; bool t : 1; unsigned full : 32;};
extern "C" __global__ void bits_promote(int *o) { Bits b; b.a = 3; b.b = 7; b.b += 1; assert(b.b == -8); assert(b.a - 5 < 0); assert((b.a = 9) == 1); b.a = 7; ++b.a; assert(b.a == 0); b.a--; assert(b.a == 7); b.t = 2; assert(b.t == 1); b.w = 1ull << 39; assert(b.w == 549755813888ull); b.s = 511; assert(b.s + 1 == 512); assert(~b.s < 0); b.full = 0; assert(b.full - 1 > 0); int x = b.b = 20; assert(x == 4); assert(-b.a < 0); }
// A block takes a namespace for itself.
namespace a { __device__ int f(int) { return 1; } __device__ int g() { return 7; } struct T { int v = 3; }; namespace deep { __device__ int h() { return 11; } } }
__device__ int f(float) { return 2; }
__device__ int both() { using namespace a; return f(1); }
__device__ int other() { return f(1); }
extern "C" __global__ void namespace_of_block(int *o) { assert(other() == 2); assert(both() == 1); { using namespace a; assert(f(1) == 1 && g() == 7); T t; assert(t.v == 3); using namespace a::deep; auto l = [] { return h() + g(); }; assert(l() == 18); } assert(f(1) == 2); }
namespace outer { __device__ int k() { return 1; } namespace in1 { __device__ int k() { return 2; } __device__ int t() { using namespace outer; return k(); } } namespace in2 { __device__ int m() { return 5; } } __device__ int q() { using namespace in2; return m(); } }
extern "C" __global__ void namespace_of_function(int *o) { assert(outer::in1::t() == 2 && outer::q() == 5); }
// When what nobody named is destroyed.
struct D { int *p; __device__ D(int *q) : p(q) { *p = *p * 10 + 1; } __device__ ~D() { *p = *p * 10 + 2; } __device__ int get() const { return 5; } };
__device__ int early(int *c, bool b) { D d(c); if (b) return 5; *c = *c * 10 + 3; return 6; }
extern "C" __global__ void destroyed_in_loop(int *o) { int c = 0; for (int i = 0; i < 2; i++) { D d(&c); if (i == 0) continue; } assert(c == 1212); }
extern "C" __global__ void destroyed_early(int *o) { int c = 0; early(&c, o[0] == 0); assert(c == 12); }
extern "C" __global__ void destroyed_in_order(int *o) { int c = 0; { D a(&c); D b(&c); } assert(c == 1122);}
extern "C" __global__ void destroyed_at_the_end(int *o) { int c = 0; ((void)D(&c), c = c * 10 + 4); assert(c == 142); }
extern "C" __global__ void destroyed_in_switch(int *o) { int c = 0; switch (1) { case 1: { D d(&c); break; } } assert(c == 12); }
extern "C" __global__ void destroyed_at_once(int *o) { int c = 0; D{&c}; c = c * 10 + 4; assert(c == 124); }
extern "C" __global__ void destroyed_behind_its_call(int *o) { int c = 0; int x = D(&c).get(); c = c * 10 + 4; assert(c == 124 && x == 5); }
__device__ D make(int *c) { return D(c); }
__device__ int byvalue(D d) { *d.p = *d.p * 10 + 3; return 1; }
extern "C" __global__ void destroyed_by_variable(int *o) { int c = 0; { D d = make(&c); c = c * 10 + 4; } assert(c == 142); }
extern "C" __global__ void destroyed_parameter(int *o) { int c = 0; byvalue(D(&c)); assert(c == 132); }
extern "C" __global__ void destroyed_with_reference(int *o) { int c = 0; { const D &r = D{&c}; c = c * 10 + 4; } assert(c == 142); }
extern "C" __global__ void destroyed_array(int *o) { int c = 0; { D a[2] = {D(&c), D(&c)}; } assert(c == 1122); }
struct H { D d; int k; __device__ H(int *c) : d(c), k(1) {} };
extern "C" __global__ void destroyed_member(int *o) { int c = 0; { H h(&c); c = c * 10 + 4; } assert(c == 142); }
extern "C" __global__ void destroyed_copy(int *o) { int c = 0; { D a(&c); { D b(a); } } assert(c == 122); }
extern "C" __global__ void destroyed_result(int *o) { int c = 0; make(&c); assert(c == 12); }
__device__ cuda::atomic<int, cuda::thread_scope_device> lock;
struct Guard { cuda::atomic<int, cuda::thread_scope_device> &l; __device__ Guard(cuda::atomic<int, cuda::thread_scope_device> &x) : l(x) { while (l.exchange(1, cuda::memory_order_acquire)) { } } __device__ ~Guard() { l.store(0, cuda::memory_order_release); } };
extern "C" __global__ void guarded(int *o) { Guard g(lock); o[0] = o[0] + 1; }
extern "C" __global__ void guard_without_name(int *o) { Guard{lock}; o[0] = o[0] + 1; }
extern "C" __global__ void guard_of_reference(int *o) { const Guard &g = Guard{lock}; o[0] = o[0] + 1; }
// Braces hold no argument of a macro together.
#define SECOND(a, b, ...) b
#define FIRST_AND(...) __VA_ARGS__
extern "C" __global__ void braces_of_macros(int *o) { int a[] = FIRST_AND({1, 2}); assert(a[1] == 2); int c[1] = SECOND({1, {5}, 3}); assert(c[0] == 5); int d = SECOND((1, 2), 7); assert(d == 7); }
