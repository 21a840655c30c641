// The language: names, scopes, references, templates, operators, conversions, `switch`. A wrong value is a trap.
#include <cassert>
#include <cuda/atomic>
namespace a { __device__ int value = 1; struct T { int x; }; }
namespace b { __device__ int value = 2; struct T { double y; }; __device__ int get() { return value; } }
extern "C" __global__ void ns(int *o) { a::T t; t.x = a::value; o[threadIdx.x] = t.x + b::get() + (int)sizeof(b::T); if (t.x + b::get() + sizeof(b::T) != 11) __trap(); }
extern "C" __global__ void shadow(int *o) { int i = 1; { int i = 2; i++; if (i != 3) __trap(); } for (int i = 5; i < 6; i++) {} if (i != 1) __trap(); int x = i, y = x++ + 2; if (x != 2 || y != 3) __trap(); int z = (x = 5, x + 1); if (z != 6 || x != 5) __trap(); o[threadIdx.x] = i; }
template <class A, class B> struct Pair { A first; B second; __device__ Pair(A a, B b) : first(a), second(b) {} };
template <class A, class B> __device__ Pair<A, B> make(A a, B b) { return Pair<A, B>(a, b); }
extern "C" __global__ void pr(int *o) { Pair<int, Pair<int, float>> p = make(1, make(2, 3.f)); auto q = p; q.second.first = 7; if (p.first + p.second.first != 3 || q.second.first != 7) __trap(); o[threadIdx.x] = q.second.first; }
__device__ int fact(int n) { int r = 1; while (n > 1) r *= n--; return r; }
__device__ void exchange(int &a, int &b) { int t = a; a = b; b = t; }
__device__ int early(int x) { if (x > 2) return 10; if (x > 1) { return 20; } for (int i = 0; i < 3; i++) if (i == x) return 30 + i; return 40; }
extern "C" __global__ void fns(int *o) { int a = 1, b = 2; exchange(a, b); if (a != 2 || b != 1 || fact(4) != 24 || early(3) != 10 || early(2) != 20 || early(1) != 31 || early(-1) != 40) __trap(); int arr[3] = {3, 1, 2}; exchange(arr[0], arr[2]); if (arr[0] != 2 || arr[2] != 3) __trap(); o[threadIdx.x] = a; }
struct V { int x; __device__ V &operator+=(const V &o) { x += o.x; return *this; } __device__ bool operator==(const V &o) const { return x == o.x; } };
extern "C" __global__ void ops(int *o) { V a{1}, b = {2}; a += b; (a += b).x++; if (!(a == V{6})) __trap(); const V &r = a; int *p = &a.x; *p = 9; if (r.x != 9) __trap(); unsigned char c = 255; c++; if (c != 0) __trap(); signed char s = 127; s += 1; if (s != -128) __trap(); int sh = -8; if (sh >> 1 != -4 || (unsigned)sh >> 28 != 15) __trap(); long long l = 1LL << 40; if ((int)(l >> 38) != 4) __trap(); float f = 2.7f; o[threadIdx.x] = a.x; bool t = 5; int n = t + t; if (n != 2) __trap(); if (~0u != 4294967295u || -1 < 0u || 'a' != 97 || "x"[0] != 120) __trap(); }
extern "C" __global__ void sw(int *o) { int n = 0; for (int i = 0; i < 6; i++) switch (i) { case 0: continue; case 1: { n += 1; break; } case 3: n += 10; case 4: n += 100; break; default: n += 1000; } if (n != 2211) __trap(); o[threadIdx.x] = n; }
extern "C" __global__ void dev(volatile int *v, int *o) { int a = *v; int b = v[0]; v[1] = a; o[threadIdx.x] = a - b; }
// Numbers that are read are compared by their bits: zeros of both signs, infinities, and what is no number.
extern "C" __global__ void compared(int *o) {
  __shared__ float s[8];
  __shared__ double d[2];
  if (threadIdx.x == 0) {
    s[0] = 0.0f;
    s[1] = -0.0f;
    s[2] = -1.5f;
    s[3] = 2.5f;
    s[4] = __int_as_float(0x7fc00000);
    s[5] = -3.0f;
    s[6] = __int_as_float(0x7f800000);
    s[7] = __int_as_float(0xff800000);
    d[0] = -2.5;
    d[1] = 1e300;
  }
  __syncthreads();
  float z = s[0], m = s[1], n = s[2], p = s[3], q = s[4], r = s[5];
  if (z != m || z < m || z > m || !(z <= m) || !(z >= m)) __trap();
  if (!(n < z) || !(n < p) || !(r < n) || !(n > r) || !(p >= n) || p == n) __trap();
  if (q == q || !(q != q) || q < p || q > p || p <= q || p >= q) __trap();
  if (!(p < s[6]) || !(s[7] < r) || !(s[6] == s[6]) || s[6] < s[6] || q < s[6]) __trap();
  if (fmaxf(n, r) != n || fminf(p, r) != r || fmaxf(q, r) != r || fminf(r, q) != r) __trap();
  if (!(fabsf(r) > p) || !(-n < p) || !(-p < n)) __trap();
  if (!(d[0] < d[1]) || fabs(d[0]) != 2.5 || !(d[1] > 1e299)) __trap();
  o[threadIdx.x] = 1;
}

// A function of constants calls itself twice, or returns in front of the call: it ends.
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ int fibonacci_by_return(int n) {
  if (n < 2) return n;
  return fibonacci_by_return(n - 1) + fibonacci_by_return(n - 2);
}
__device__ int factorial(int n) {
  if (n <= 1) { return 1; }
  return n * factorial(n - 1);
}
// Not extern "C": nvcc leaves calls there, which are not followed.
__global__ void calls_itself(int *o) {
  assert(fibonacci(7) == 13 && fibonacci_by_return(6) == 8 && factorial(5) == 120);
  o[fibonacci(3) - 2 + threadIdx.x] = 1;
}
__global__ void calls_itself_wrong(int *o) { o[fibonacci_by_return(3)] = threadIdx.x; }

// What a pack of values is called with is known before its body is.
template <class F, class... A> __device__ auto applied_to(F f, A... a) -> decltype(f(a...)) { return f(a...); }
__device__ long joined(int a, long b) { return a + b; }
extern "C" __global__ void result_of_pack(float *o) {
  auto half = applied_to([](int a, int b) { return a * .5f + b; }, 1, 2);
  auto whole = applied_to(joined, 1, 2l);
  assert(half == 2.5f && sizeof(half) == 4 && whole == 3 && sizeof(whole) == 8 && applied_to([] { return 7; }) == 7);
  o[threadIdx.x] = half;
}

// nvcc has one instruction for each, which is not looked at.
__global__ void vectors_added(float4 *a, float2 *b) {
  atomicAdd(a, make_float4(1, 2, 3, 4));
  atomicAdd(b, make_float2(1, 2));
}
__global__ void vectors_added_wrong(float4 *a) {
  if (threadIdx.x == 0) atomicAdd(a, make_float4(1, 2, 3, 4));
  else a->w = 1;
}

extern "C" __global__ void texture_wrong(cudaTextureObject_t t, float4 *o) { o[0] = tex2D<float4>(t, threadIdx.x, 1.f); }
