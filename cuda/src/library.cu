// What kernels use of CUDA and its library, as far as it is known here. It is read in front of each program.

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef unsigned long size_t;
typedef long ssize_t;
typedef long ptrdiff_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef unsigned int uint;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned long ulong;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef long clock_t;
// A tensor map, as cuda.h has it: what is in it nobody looks at.
typedef struct alignas(64) CUtensorMap_st { uint64_t opaque[16]; } CUtensorMap;

#define NULL 0
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define LLONG_MAX 9223372036854775807ll
#define ULLONG_MAX 18446744073709551615ull
#define UINT32_MAX 4294967295u
#define INT32_MAX 2147483647
#define FLT_MAX 3.402823466e+38f
#define DBL_MAX 1.7976931348623157e+308
#define INFINITY 1e999f
#define CUDART_INF_F 1e999f

struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  __device__ dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __device__ operator uint3() const { uint3 v; v.x = x; v.y = y; v.z = z; return v; }
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
#define MARGAY_VECTORS(T, N, A2, A4)                                                                       \
  struct N##1 { T x; };                                                                                    \
  struct alignas(A2) N##2 { T x, y; };                                                                     \
  struct N##3 { T x, y, z; };                                                                              \
  struct alignas(A4) N##4 { T x, y, z, w; };                                                               \
  __device__ inline N##1 make_##N##1(T x) { N##1 v; v.x = x; return v; }                                   \
  __device__ inline N##2 make_##N##2(T x, T y) { N##2 v; v.x = x; v.y = y; return v; }                     \
  __device__ inline N##3 make_##N##3(T x, T y, T z) { N##3 v; v.x = x; v.y = y; v.z = z; return v; }       \
  __device__ inline N##4 make_##N##4(T x, T y, T z, T w) { N##4 v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }
MARGAY_VECTORS(signed char, char, 2, 4)
MARGAY_VECTORS(unsigned char, uchar, 2, 4)
MARGAY_VECTORS(short, short, 4, 8)
MARGAY_VECTORS(unsigned short, ushort, 4, 8)
MARGAY_VECTORS(int, int, 8, 16)
MARGAY_VECTORS(float, float, 8, 16)
MARGAY_VECTORS(long, long, 16, 16)
MARGAY_VECTORS(unsigned long, ulong, 16, 16)
MARGAY_VECTORS(long long, longlong, 16, 16)
MARGAY_VECTORS(unsigned long long, ulonglong, 16, 16)
MARGAY_VECTORS(double, double, 16, 16)
struct uint1 { unsigned x; };
__device__ inline uint1 make_uint1(unsigned x) { uint1 v; v.x = x; return v; }
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
__device__ inline uint2 make_uint2(unsigned x, unsigned y) { uint2 v; v.x = x; v.y = y; return v; }
__device__ inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { uint3 v; v.x = x; v.y = y; v.z = z; return v; }
__device__ inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { uint4 v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }

// What `decltype(e)::` is read as.
template <class T> using __margay_type = T;

// What verifiers of kernels write.
__device__ inline bool __implies(bool a, bool b) { return !a || b; }
__device__ inline int __ite(bool c, int a, int b) { return c ? a : b; }
#define __non_temporal(S) S

// Barriers, fences, pauses.
__device__ inline void __syncthreads() { asm volatile("bar.sync 0;"); }
__device__ inline int __syncthreads_count(int p) { int r; asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }" : "=r"(r) : "r"(p)); return r; }
__device__ inline int __syncthreads_and(int p) { int r; asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red.and.pred q, 0, p; selp.s32 %0, 1, 0, q; }" : "=r"(r) : "r"(p)); return r; }
__device__ inline int __syncthreads_or(int p) { int r; asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red.or.pred q, 0, p; selp.s32 %0, 1, 0, q; }" : "=r"(r) : "r"(p)); return r; }
__device__ inline void __syncwarp(unsigned mask = 0xffffffffu) { asm volatile("bar.warp.sync %0;" :: "r"(mask)); }
__device__ inline void __barrier_sync(unsigned id) { asm volatile("barrier.sync %0;" :: "r"(id)); }
__device__ inline void __barrier_sync_count(unsigned id, unsigned n) { asm volatile("barrier.sync %0, %1;" :: "r"(id), "r"(n)); }
__device__ inline void __threadfence() { asm volatile("membar.gl;"); }
__device__ inline void __threadfence_block() { asm volatile("membar.cta;"); }
__device__ inline void __threadfence_system() { asm volatile("membar.sys;"); }
__device__ inline void __trap() { asm volatile("trap;"); }
__device__ inline void __brkpt() { asm volatile("brkpt;"); }
__device__ inline void __nanosleep(unsigned n) { asm volatile("nanosleep.u32 %0;" :: "r"(n)); }
__device__ inline int clock() { int r; asm volatile("mov.u32 %0, %%clock;" : "=r"(r)); return r; }
__device__ inline long long clock64() { long long r; asm volatile("mov.u64 %0, %%clock64;" : "=l"(r)); return r; }

// Exchanges within a warp.
__device__ inline unsigned __activemask() { unsigned r; asm volatile("activemask.b32 %0;" : "=r"(r)); return r; }
__device__ inline int __all_sync(unsigned mask, int p) { int r; asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync.all.pred q, p, %2; selp.s32 %0, 1, 0, q; }" : "=r"(r) : "r"(p), "r"(mask)); return r; }
__device__ inline int __any_sync(unsigned mask, int p) { int r; asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync.any.pred q, p, %2; selp.s32 %0, 1, 0, q; }" : "=r"(r) : "r"(p), "r"(mask)); return r; }
__device__ inline int __uni_sync(unsigned mask, int p) { int r; asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync.uni.pred q, p, %2; selp.s32 %0, 1, 0, q; }" : "=r"(r) : "r"(p), "r"(mask)); return r; }
__device__ inline unsigned __ballot_sync(unsigned mask, int p) { unsigned r; asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }" : "=r"(r) : "r"(p), "r"(mask)); return r; }
__device__ inline unsigned __margay_shfl_idx(unsigned mask, unsigned v, int lane, int width) { unsigned r; asm volatile("shfl.sync.idx.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(v), "r"(lane), "r"(((32 - width) << 8) | 31), "r"(mask)); return r; }
__device__ inline unsigned __margay_shfl_up(unsigned mask, unsigned v, int by, int width) { unsigned r; asm volatile("shfl.sync.up.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(v), "r"(by), "r"((32 - width) << 8), "r"(mask)); return r; }
__device__ inline unsigned __margay_shfl_down(unsigned mask, unsigned v, int by, int width) { unsigned r; asm volatile("shfl.sync.down.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(v), "r"(by), "r"(((32 - width) << 8) | 31), "r"(mask)); return r; }
__device__ inline unsigned __margay_shfl_xor(unsigned mask, unsigned v, int by, int width) { unsigned r; asm volatile("shfl.sync.bfly.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(v), "r"(by), "r"(((32 - width) << 8) | 31), "r"(mask)); return r; }
__device__ inline int __float_as_int(float x) { int r; asm("mov.b32 %0, %1;" : "=r"(r) : "f"(x)); return r; }
__device__ inline unsigned __float_as_uint(float x) { unsigned r; asm("mov.b32 %0, %1;" : "=r"(r) : "f"(x)); return r; }
__device__ inline float __int_as_float(int x) { float r; asm("mov.b32 %0, %1;" : "=f"(r) : "r"(x)); return r; }
__device__ inline float __uint_as_float(unsigned x) { float r; asm("mov.b32 %0, %1;" : "=f"(r) : "r"(x)); return r; }
__device__ inline long long __double_as_longlong(double x) { long long r; asm("mov.b64 %0, %1;" : "=l"(r) : "d"(x)); return r; }
__device__ inline double __longlong_as_double(long long x) { double r; asm("mov.b64 %0, %1;" : "=d"(r) : "l"(x)); return r; }
#define MARGAY_SHUFFLE(F, G)                                                                                                    \
  __device__ inline int F(unsigned mask, int v, int k, int width = 32) { return (int)G(mask, (unsigned)v, k, width); }           \
  __device__ inline unsigned F(unsigned mask, unsigned v, int k, int width = 32) { return G(mask, v, k, width); }                \
  __device__ inline float F(unsigned mask, float v, int k, int width = 32) { return __uint_as_float(G(mask, __float_as_uint(v), k, width)); } \
  __device__ inline unsigned long long F(unsigned mask, unsigned long long v, int k, int width = 32) {                           \
    unsigned low = G(mask, (unsigned)v, k, width), high = G(mask, (unsigned)(v >> 32), k, width);                                 \
    return (unsigned long long)high << 32 | low;                                                                                 \
  }                                                                                                                              \
  __device__ inline long long F(unsigned mask, long long v, int k, int width = 32) { return (long long)F(mask, (unsigned long long)v, k, width); } \
  __device__ inline unsigned long F(unsigned mask, unsigned long v, int k, int width = 32) { return (unsigned long)F(mask, (unsigned long long)v, k, width); } \
  __device__ inline long F(unsigned mask, long v, int k, int width = 32) { return (long)F(mask, (unsigned long long)v, k, width); } \
  __device__ inline double F(unsigned mask, double v, int k, int width = 32) { return __longlong_as_double(F(mask, __double_as_longlong(v), k, width)); }
MARGAY_SHUFFLE(__shfl_sync, __margay_shfl_idx)
MARGAY_SHUFFLE(__shfl_up_sync, __margay_shfl_up)
MARGAY_SHUFFLE(__shfl_down_sync, __margay_shfl_down)
MARGAY_SHUFFLE(__shfl_xor_sync, __margay_shfl_xor)
#define MARGAY_MATCH(T, S, C, BITS)                                                                        \
  __device__ inline unsigned __match_any_sync(unsigned mask, T v) { unsigned r; asm volatile("match.any.sync." S " %0, %1, %2;" : "=r"(r) : C(BITS(v)), "r"(mask)); return r; } \
  __device__ inline unsigned __match_all_sync(unsigned mask, T v, int *p) { unsigned r; int q; asm volatile("{ .reg .pred p; match.all.sync." S " %0|p, %2, %3; selp.s32 %1, 1, 0, p; }" : "=r"(r), "=r"(q) : C(BITS(v)), "r"(mask)); *p = q; return r; }
MARGAY_MATCH(unsigned, "b32", "r", unsigned)
MARGAY_MATCH(int, "b32", "r", unsigned)
MARGAY_MATCH(float, "b32", "r", __float_as_uint)
MARGAY_MATCH(unsigned long, "b64", "l", (unsigned long long))
MARGAY_MATCH(long, "b64", "l", (unsigned long long))
MARGAY_MATCH(unsigned long long, "b64", "l", (unsigned long long))
MARGAY_MATCH(long long, "b64", "l", (unsigned long long))
MARGAY_MATCH(double, "b64", "l", __double_as_longlong)
#define MARGAY_REDUCE(F, T, OP)                                                                            \
  __device__ inline T F(unsigned mask, T v) { T r; asm volatile("redux.sync." OP " %0, %1, %2;" : "=r"(r) : "r"(v), "r"(mask)); return r; }
MARGAY_REDUCE(__reduce_add_sync, unsigned, "add.u32")
MARGAY_REDUCE(__reduce_add_sync, int, "add.s32")
MARGAY_REDUCE(__reduce_min_sync, unsigned, "min.u32")
MARGAY_REDUCE(__reduce_min_sync, int, "min.s32")
MARGAY_REDUCE(__reduce_max_sync, unsigned, "max.u32")
MARGAY_REDUCE(__reduce_max_sync, int, "max.s32")
MARGAY_REDUCE(__reduce_and_sync, unsigned, "and.b32")
MARGAY_REDUCE(__reduce_or_sync, unsigned, "or.b32")
MARGAY_REDUCE(__reduce_xor_sync, unsigned, "xor.b32")

// Bits.
__device__ inline int __popc(unsigned x) { int r; asm("popc.b32 %0, %1;" : "=r"(r) : "r"(x)); return r; }
__device__ inline int __popcll(unsigned long long x) { int r; asm("popc.b64 %0, %1;" : "=r"(r) : "l"(x)); return r; }
__device__ inline int __clz(int x) { int r; asm("clz.b32 %0, %1;" : "=r"(r) : "r"(x)); return r; }
__device__ inline int __clzll(long long x) { int r; asm("clz.b64 %0, %1;" : "=r"(r) : "l"(x)); return r; }
__device__ inline unsigned __brev(unsigned x) { unsigned r; asm("brev.b32 %0, %1;" : "=r"(r) : "r"(x)); return r; }
__device__ inline unsigned long long __brevll(unsigned long long x) { unsigned long long r; asm("brev.b64 %0, %1;" : "=l"(r) : "l"(x)); return r; }
__device__ inline int __ffs(int x) { int r; asm("{ .reg .b32 a; brev.b32 a, %1; bfind.shiftamt.u32 %0, a; add.s32 %0, %0, 1; }" : "=r"(r) : "r"(x)); return r; }
__device__ inline int __ffsll(long long x) { int r; asm("{ .reg .b64 a; brev.b64 a, %1; bfind.shiftamt.u64 %0, a; add.s32 %0, %0, 1; }" : "=r"(r) : "l"(x)); return r; }
__device__ inline int __mulhi(int a, int b) { int r; asm("mul.hi.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return r; }
__device__ inline unsigned __umulhi(unsigned a, unsigned b) { unsigned r; asm("mul.hi.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return r; }
__device__ inline unsigned __funnelshift_l(unsigned a, unsigned b, unsigned n) { unsigned r; asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(n)); return r; }
__device__ inline unsigned __funnelshift_r(unsigned a, unsigned b, unsigned n) { unsigned r; asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(n)); return r; }
__device__ inline unsigned __funnelshift_lc(unsigned a, unsigned b, unsigned n) { unsigned r; asm("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(n)); return r; }
__device__ inline unsigned __funnelshift_rc(unsigned a, unsigned b, unsigned n) { unsigned r; asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(n)); return r; }
__device__ inline unsigned __byte_perm(unsigned a, unsigned b, unsigned s) { unsigned r; asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(s)); return r; }
__device__ inline int __dp4a(int a, int b, int c) { int r; asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); return r; }
__device__ inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) { unsigned r; asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); return r; }
__device__ inline int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
__device__ inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
__device__ inline long long __mul64hi(long long a, long long b) { long long r; asm("mul.hi.s64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b)); return r; }
__device__ inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { unsigned long long r; asm("mul.hi.u64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b)); return r; }
__device__ inline int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
__device__ inline int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
__device__ inline unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
__device__ inline unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }
__device__ inline unsigned __sad(int a, int b, unsigned c) { return (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b) + c; }
__device__ inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a < b ? b - a : a - b) + c; }

// Numbers.
#define MARGAY_ORDERED(T, S, C)                                                                            \
  __device__ inline T min(T a, T b) { T r; asm("min." S " %0, %1, %2;" : "=" C(r) : C(a), C(b)); return r; } \
  __device__ inline T max(T a, T b) { T r; asm("max." S " %0, %1, %2;" : "=" C(r) : C(a), C(b)); return r; }
MARGAY_ORDERED(double, "f64", "d")
MARGAY_ORDERED(float, "f32", "f")
MARGAY_ORDERED(unsigned long, "u64", "l")
MARGAY_ORDERED(long, "s64", "l")
MARGAY_ORDERED(unsigned long long, "u64", "l")
MARGAY_ORDERED(long long, "s64", "l")
MARGAY_ORDERED(unsigned, "u32", "r")
MARGAY_ORDERED(int, "s32", "r")
// Of two types alike but for the sign, and of two floating-point numbers.
#define MARGAY_ORDERED_AS(T, A, B)                                                                         \
  __device__ inline T min(A a, B b) { return min((T)a, (T)b); }                                            \
  __device__ inline T min(B a, A b) { return min((T)a, (T)b); }                                            \
  __device__ inline T max(A a, B b) { return max((T)a, (T)b); }                                            \
  __device__ inline T max(B a, A b) { return max((T)a, (T)b); }
MARGAY_ORDERED_AS(unsigned, int, unsigned)
MARGAY_ORDERED_AS(unsigned long, long, unsigned long)
MARGAY_ORDERED_AS(unsigned long long, long long, unsigned long long)
MARGAY_ORDERED_AS(double, float, double)
__device__ inline int abs(int x) { int r; asm("abs.s32 %0, %1;" : "=r"(r) : "r"(x)); return r; }
__device__ inline long long llabs(long long x) { long long r; asm("abs.s64 %0, %1;" : "=l"(r) : "l"(x)); return r; }
__device__ inline float fabsf(float x) { float r; asm("abs.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
__device__ inline double fabs(double x) { double r; asm("abs.f64 %0, %1;" : "=d"(r) : "d"(x)); return r; }
__device__ inline float fabs(float x) { return fabsf(x); }
__device__ inline long labs(long x) { return llabs(x); }
__device__ inline long abs(long x) { return llabs(x); }
__device__ inline long long abs(long long x) { return llabs(x); }
__device__ inline float abs(float x) { return fabsf(x); }
__device__ inline double abs(double x) { return fabs(x); }
__device__ inline float fminf(float a, float b) { return min(a, b); }
__device__ inline float fmaxf(float a, float b) { return max(a, b); }
__device__ inline double fmin(double a, double b) { return min(a, b); }
__device__ inline double fmax(double a, double b) { return max(a, b); }
__device__ inline unsigned umin(unsigned a, unsigned b) { return min(a, b); }
__device__ inline unsigned umax(unsigned a, unsigned b) { return max(a, b); }
// What approximations compute nobody interprets: an unknown value that is a function of theirs, whichever it is.
#define MARGAY_FUNCTION(F, OP)                                                                             \
  __device__ inline float F##f(float x) { float r; asm(OP ".f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }  \
  __device__ inline float F(float x) { return F##f(x); }                                                   \
  __device__ inline double F(double x) { double r; asm(OP ".f64 %0, %1;" : "=d"(r) : "d"(x)); return r; }
MARGAY_FUNCTION(sqrt, "sqrt.rn")
MARGAY_FUNCTION(rsqrt, "rsqrt.approx")
MARGAY_FUNCTION(sin, "sin.approx")
MARGAY_FUNCTION(cos, "cos.approx")
MARGAY_FUNCTION(tanh, "tanh.approx")
MARGAY_FUNCTION(exp2, "ex2.approx")
MARGAY_FUNCTION(log2, "lg2.approx")
// Each of them is another one.
#define MARGAY_FUNCTION_BY(F, E)                                                                           \
  __device__ inline float F##f(float x) { return E; }                                                      \
  __device__ inline float F(float x) { return F##f(x); }                                                   \
  __device__ inline double F(double x) { return E; }
MARGAY_FUNCTION_BY(tan, sin(x) / cos(x))
MARGAY_FUNCTION_BY(exp, exp2(x * 1.4426950408889634f))
MARGAY_FUNCTION_BY(log, log2(x) * 0.6931471805599453f)
MARGAY_FUNCTION_BY(log10, log2(x) * 0.3010299956639812f)
__device__ inline float __expf(float x) { return expf(x); }
__device__ inline float __logf(float x) { return logf(x); }
__device__ inline float __sinf(float x) { return sinf(x); }
__device__ inline float __cosf(float x) { return cosf(x); }
__device__ inline float powf(float a, float b) { return exp2f(b * log2f(a)); }
__device__ inline double pow(double a, double b) { return exp2(b * log2(a)); }
__device__ inline float __powf(float a, float b) { return powf(a, b); }
__device__ inline float fmaf(float a, float b, float c) { float r; asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "f"(c)); return r; }
__device__ inline double fma(double a, double b, double c) { double r; asm("fma.rn.f64 %0, %1, %2, %3;" : "=d"(r) : "d"(a), "d"(b), "d"(c)); return r; }
__device__ inline float __fdividef(float a, float b) { float r; asm("div.approx.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }
__device__ inline float __fadd_rn(float a, float b) { float r; asm("add.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }
__device__ inline float __fmul_rn(float a, float b) { float r; asm("mul.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }
__device__ inline float floorf(float x) { float r; asm("cvt.rmi.f32.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
__device__ inline float ceilf(float x) { float r; asm("cvt.rpi.f32.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
__device__ inline float rintf(float x) { float r; asm("cvt.rni.f32.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
__device__ inline double floor(double x) { double r; asm("cvt.rmi.f64.f64 %0, %1;" : "=d"(r) : "d"(x)); return r; }
__device__ inline double ceil(double x) { double r; asm("cvt.rpi.f64.f64 %0, %1;" : "=d"(r) : "d"(x)); return r; }

__device__ inline float __saturatef(float x) { float r; asm("cvt.sat.f32.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
__device__ inline float __fsqrt_rn(float x) { return sqrtf(x); }
__device__ inline float __frcp_rn(float x) { float r; asm("rcp.rn.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
__device__ inline float __fsub_rn(float a, float b) { float r; asm("sub.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }
__device__ inline float __fdiv_rn(float a, float b) { float r; asm("div.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }
__device__ inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
__device__ inline float copysignf(float a, float b) { return __uint_as_float((__float_as_uint(a) & 0x7fffffffu) | (__float_as_uint(b) & 0x80000000u)); }
__device__ inline float truncf(float x) { float r; asm("cvt.rzi.f32.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
__device__ inline double trunc(double x) { double r; asm("cvt.rzi.f64.f64 %0, %1;" : "=d"(r) : "d"(x)); return r; }
// Away from zero where two whole numbers are as near: what is cut off has all its digits.
__device__ inline float roundf(float x) { const float t = truncf(x); return fabsf(x - t) >= 0.5f ? t + (x < 0 ? -1.0f : 1.0f) : t; }
__device__ inline float round(float x) { return roundf(x); }
__device__ inline double round(double x) { const double t = trunc(x); return fabs(x - t) >= 0.5 ? t + (x < 0 ? -1.0 : 1.0) : t; }
// What is left has all its digits, while the quotient has them before its point; else nobody interprets it.
__device__ inline float fmodf(float a, float b) {
  const float x = fabsf(a), y = fabsf(b), q = truncf(x / y);
  if (!(q < 4194304.0f)) return log2f(a) + log2f(b);
  float r = fmaf(-q, y, x);
  if (r < 0) r += y;
  else if (r >= y) r -= y;
  return copysignf(r, a);
}
// What kind of number it is: by its bits, of which all is known.
__device__ inline int isnan(float x) { return (__float_as_uint(x) & 0x7fffffffu) > 0x7f800000u; }
__device__ inline int isnan(double x) { return (__double_as_longlong(x) & 0x7fffffffffffffffll) > 0x7ff0000000000000ll; }
__device__ inline int isinf(float x) { return (__float_as_uint(x) & 0x7fffffffu) == 0x7f800000u; }
__device__ inline int isinf(double x) { return (__double_as_longlong(x) & 0x7fffffffffffffffll) == 0x7ff0000000000000ll; }
__device__ inline int isfinite(float x) { return (__float_as_uint(x) & 0x7fffffffu) < 0x7f800000u; }
__device__ inline int isfinite(double x) { return (__double_as_longlong(x) & 0x7fffffffffffffffll) < 0x7ff0000000000000ll; }
__device__ inline int signbit(float x) { return __float_as_int(x) < 0; }
__device__ inline int signbit(double x) { return __double_as_longlong(x) < 0; }
__device__ inline int __float2int_rn(float x) { int r; asm("cvt.rni.s32.f32 %0, %1;" : "=r"(r) : "f"(x)); return r; }
__device__ inline int __float2int_rz(float x) { return (int)x; }
__device__ inline unsigned __float2uint_rz(float x) { return (unsigned)x; }
__device__ inline float __int2float_rn(int x) { return (float)x; }
__device__ inline float __uint2float_rn(unsigned x) { return (float)x; }
__device__ inline int __double2int_rn(double x) { int r; asm("cvt.rni.s32.f64 %0, %1;" : "=r"(r) : "d"(x)); return r; }
__device__ inline int __double2int_rz(double x) { return (int)x; }
__device__ inline double __int2double_rn(int x) { return (double)x; }

// Memory, element by element of what is written, as its accesses are elsewhere.
template <class T, class U> __device__ inline void *memcpy(T *to, const U *from, size_t n) {
  size_t whole = n / sizeof(T);
  for (size_t i = 0; i < whole; ++i) to[i] = ((const T *)from)[i];
  for (size_t i = whole * sizeof(T); i < n; ++i) ((char *)to)[i] = ((const char *)from)[i];
  return to;
}
template <class T> __device__ inline void *memset(T *to, int value, size_t n) {
  unsigned long long bytes = (unsigned long long)(unsigned char)value * 0x0101010101010101ull;
  size_t done = 0;
  if (sizeof(T) == 8) for (; done + 8 <= n; done += 8) *(unsigned long long *)((char *)to + done) = bytes;
  else if (sizeof(T) % 4 == 0) for (; done + 4 <= n; done += 4) *(unsigned *)((char *)to + done) = (unsigned)bytes;
  else if (sizeof(T) == 2) for (; done + 2 <= n; done += 2) *(unsigned short *)((char *)to + done) = (unsigned short)bytes;
  for (; done < n; ++done) ((unsigned char *)to)[done] = (unsigned char)bytes;
  return to;
}

// Vectors, element by element: the whole is not promised to be one operation (CUDA C++ Programming Guide, atomicAdd).
#define MARGAY_VECTOR_ADD(F)                                                                               \
  __device__ inline float2 F(float2 *p, float2 v) { return make_float2(F(&p->x, v.x), F(&p->y, v.y)); }    \
  __device__ inline float4 F(float4 *p, float4 v) {                                                        \
    float4 r;                                                                                              \
    r.x = F(&p->x, v.x); r.y = F(&p->y, v.y); r.z = F(&p->z, v.z); r.w = F(&p->w, v.w);                    \
    return r;                                                                                              \
  }
MARGAY_VECTOR_ADD(atomicAdd)
MARGAY_VECTOR_ADD(atomicAdd_block)
MARGAY_VECTOR_ADD(atomicAdd_system)

// Textures: which bytes are read nobody looks at, and the answer says so.
template <class T> union __margay_texel { T value; float words[4]; };
#define MARGAY_TEXTURE(F, D, S, P, A, C)                                                                   \
  template <class T> __device__ inline T F P {                                                             \
    __margay_texel<T> r;                                                                                   \
    float a, b, c, d;                                                                                      \
    asm volatile("tex." D ".v4.f32." S " {%0, %1, %2, %3}, [%4, {" A "}];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(t), C); \
    r.words[0] = a; r.words[1] = b; r.words[2] = c; r.words[3] = d;                                         \
    return r.value;                                                                                        \
  }
#define MARGAY_COMMA ,
MARGAY_TEXTURE(tex1Dfetch, "1d", "s32", (cudaTextureObject_t t, int x), "%5", "r"(x))
MARGAY_TEXTURE(tex1D, "1d", "f32", (cudaTextureObject_t t, float x), "%5", "f"(x))
MARGAY_TEXTURE(tex2D, "2d", "f32", (cudaTextureObject_t t, float x, float y), "%5, %6", "f"(x) MARGAY_COMMA "f"(y))
MARGAY_TEXTURE(tex3D, "3d", "f32", (cudaTextureObject_t t, float x, float y, float z), "%5, %6, %7, %7", "f"(x) MARGAY_COMMA "f"(y) MARGAY_COMMA "f"(z))

namespace cuda {
enum memory_order { memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };
enum thread_scope { thread_scope_system = 0, thread_scope_device = 1, thread_scope_block = 2, thread_scope_cluster = 4, thread_scope_thread = 10 };
namespace memory_order {
constexpr auto relaxed = memory_order_relaxed, consume = memory_order_consume, acquire = memory_order_acquire;
constexpr auto release = memory_order_release, acq_rel = memory_order_acq_rel, seq_cst = memory_order_seq_cst;
}

__device__ inline void atomic_thread_fence(memory_order o, thread_scope s = thread_scope_system) { __margay_atomic_fence(o, s); }
__device__ constexpr memory_order __margay_failing(memory_order o) { return o == memory_order_acq_rel ? memory_order_acquire : o == memory_order_release ? memory_order_relaxed : o; }

#define MARGAY_ATOMIC(P, S)                                                                                                                       \
  __device__ T load(memory_order o = memory_order_seq_cst) const volatile { return __margay_atomic_load(P, o, S); }                                \
  __device__ void store(T v, memory_order o = memory_order_seq_cst) const volatile { __margay_atomic_store(P, v, o, S); }                          \
  __device__ T exchange(T v, memory_order o = memory_order_seq_cst) const volatile { return __margay_atomic_exch(P, v, o, S); }                    \
  __device__ bool compare_exchange_strong(T &e, T d, memory_order o, memory_order f) const volatile {                                             \
    const T expected = e;                                                                                                                             \
    const T old = __margay_atomic_cas(P, expected, d, o, f, S);                                                                                         \
    /* If it succeeded they are equal. */                                                                                                          \
    e = old;                                                                                                                                      \
    return old == expected;                                                                                                                       \
  }                                                                                                                                               \
  __device__ bool compare_exchange_strong(T &e, T d, memory_order o = memory_order_seq_cst) const volatile { return compare_exchange_strong(e, d, o, __margay_failing(o)); } \
  __device__ bool compare_exchange_weak(T &e, T d, memory_order o, memory_order f) const volatile { return compare_exchange_strong(e, d, o, f); }  \
  __device__ bool compare_exchange_weak(T &e, T d, memory_order o = memory_order_seq_cst) const volatile { return compare_exchange_strong(e, d, o, __margay_failing(o)); }   \
  __device__ T fetch_add(T v, memory_order o = memory_order_seq_cst) const volatile { return __margay_atomic_add(P, v, o, S); }                    \
  __device__ T fetch_sub(T v, memory_order o = memory_order_seq_cst) const volatile { return __margay_atomic_sub(P, v, o, S); }                    \
  __device__ T fetch_and(T v, memory_order o = memory_order_seq_cst) const volatile { return __margay_atomic_and(P, v, o, S); }                    \
  __device__ T fetch_or(T v, memory_order o = memory_order_seq_cst) const volatile { return __margay_atomic_or(P, v, o, S); }                      \
  __device__ T fetch_xor(T v, memory_order o = memory_order_seq_cst) const volatile { return __margay_atomic_xor(P, v, o, S); }                    \
  __device__ T fetch_min(T v, memory_order o = memory_order_seq_cst) const volatile { return __margay_atomic_min(P, v, o, S); }                    \
  __device__ T fetch_max(T v, memory_order o = memory_order_seq_cst) const volatile { return __margay_atomic_max(P, v, o, S); }                    \
  __device__ void wait(T v, memory_order o = memory_order_seq_cst) const volatile { while (__margay_atomic_load(P, o, S) == v) {} }                \
  __device__ void notify_one() const volatile {}                                                                                                  \
  __device__ void notify_all() const volatile {}                                                                                                  \
  __device__ bool is_lock_free() const volatile { return true; }                                                                                  \
  __device__ operator T() const volatile { return __margay_atomic_load(P, memory_order_seq_cst, S); }                                             \
  __device__ T operator=(T v) const volatile { __margay_atomic_store(P, v, memory_order_seq_cst, S); return v; }                                   \
  __device__ T operator++() const volatile { return __margay_atomic_add(P, 1, memory_order_seq_cst, S) + 1; }                                      \
  __device__ T operator++(int) const volatile { return __margay_atomic_add(P, 1, memory_order_seq_cst, S); }                                       \
  __device__ T operator--() const volatile { return __margay_atomic_sub(P, 1, memory_order_seq_cst, S) - 1; }                                      \
  __device__ T operator--(int) const volatile { return __margay_atomic_sub(P, 1, memory_order_seq_cst, S); }                                       \
  __device__ T operator+=(T v) const volatile { return __margay_atomic_add(P, v, memory_order_seq_cst, S) + v; }                                   \
  __device__ T operator-=(T v) const volatile { return __margay_atomic_sub(P, v, memory_order_seq_cst, S) - v; }                                   \
  __device__ T operator&=(T v) const volatile { return __margay_atomic_and(P, v, memory_order_seq_cst, S) & v; }                                   \
  __device__ T operator|=(T v) const volatile { return __margay_atomic_or(P, v, memory_order_seq_cst, S) | v; }                                    \
  __device__ T operator^=(T v) const volatile { return __margay_atomic_xor(P, v, memory_order_seq_cst, S) ^ v; }

template <class T, thread_scope Scope = thread_scope_system>
struct atomic {
  alignas(sizeof(T) < 4 ? 4 : sizeof(T)) T __margay_value;
  typedef T value_type;
  constexpr atomic() = default;
  constexpr atomic(T v) : __margay_value(v) {}
  MARGAY_ATOMIC(&__margay_value, Scope)
};
template <class T, thread_scope Scope = thread_scope_system>
struct atomic_ref {
  T *__margay_object;
  typedef T value_type;
  __device__ atomic_ref(T &object) : __margay_object(&object) { __margay_atomic_wide(&object); }
  MARGAY_ATOMIC(__margay_object, Scope)
};
template <thread_scope Scope = thread_scope_system>
struct __margay_flag {
  unsigned __margay_value;
  constexpr __margay_flag() = default;
  constexpr __margay_flag(int v) : __margay_value(v) {}
  __device__ bool test_and_set(memory_order o = memory_order_seq_cst) const volatile { return __margay_atomic_exch(&__margay_value, 1u, o, Scope) != 0; }
  __device__ void clear(memory_order o = memory_order_seq_cst) const volatile { __margay_atomic_store(&__margay_value, 0u, o, Scope); }
  __device__ bool test(memory_order o = memory_order_seq_cst) const volatile { return __margay_atomic_load(&__margay_value, o, Scope) != 0; }
  __device__ void wait(bool v, memory_order o = memory_order_seq_cst) const volatile { while (test(o) == v) {} }
  __device__ void notify_one() const volatile {}
  __device__ void notify_all() const volatile {}
};
typedef __margay_flag<thread_scope_system> atomic_flag;
#define ATOMIC_FLAG_INIT 0
template <class T, thread_scope S> __device__ T atomic_load(const atomic<T, S> *a) { return a->load(); }
template <class T, thread_scope S> __device__ T atomic_load_explicit(const atomic<T, S> *a, memory_order o) { return a->load(o); }
template <class T, thread_scope S> __device__ void atomic_store(atomic<T, S> *a, T v) { a->store(v); }
template <class T, thread_scope S> __device__ void atomic_store_explicit(atomic<T, S> *a, T v, memory_order o) { a->store(v, o); }
template <class T, thread_scope S> __device__ T atomic_fetch_add_explicit(atomic<T, S> *a, T v, memory_order o) { return a->fetch_add(v, o); }
template <class T, thread_scope S> __device__ T atomic_exchange_explicit(atomic<T, S> *a, T v, memory_order o) { return a->exchange(v, o); }
namespace std {
template <class T> __device__ inline void swap(T &a, T &b) { T old = a; a = b; b = old; }
template <class T, class U = T> __device__ inline T exchange(T &of, U by) { T old = of; of = by; return old; }
template <class T> struct numeric_limits {};
#define MARGAY_LIMITS(T, LEAST, MOST)                                                                      \
  template <> struct numeric_limits<T> {                                                                   \
    static constexpr bool is_specialized = true;                                                           \
    static constexpr __device__ T min() { return LEAST; }                                                  \
    static constexpr __device__ T lowest() { return LEAST; }                                               \
    static constexpr __device__ T max() { return MOST; }                                                   \
  };
MARGAY_LIMITS(char, -128, 127)
MARGAY_LIMITS(signed char, -128, 127)
MARGAY_LIMITS(unsigned char, 0, 255)
MARGAY_LIMITS(short, -32768, 32767)
MARGAY_LIMITS(unsigned short, 0, 65535)
MARGAY_LIMITS(int, INT_MIN, INT_MAX)
MARGAY_LIMITS(unsigned, 0u, UINT_MAX)
MARGAY_LIMITS(long, -LLONG_MAX - 1, LLONG_MAX)
MARGAY_LIMITS(unsigned long, 0ull, ULLONG_MAX)
MARGAY_LIMITS(long long, -LLONG_MAX - 1, LLONG_MAX)
MARGAY_LIMITS(unsigned long long, 0ull, ULLONG_MAX)
#define MARGAY_REAL_LIMITS(T, LEAST, MOST, INF)                                                            \
  template <> struct numeric_limits<T> {                                                                   \
    static constexpr bool is_specialized = true;                                                           \
    static constexpr __device__ T min() { return LEAST; }                                                  \
    static constexpr __device__ T lowest() { return -MOST; }                                               \
    static constexpr __device__ T max() { return MOST; }                                                   \
    static constexpr __device__ T infinity() { return INF; }                                               \
  };
MARGAY_REAL_LIMITS(float, 1.175494351e-38f, 3.402823466e+38f, 1e999f)
MARGAY_REAL_LIMITS(double, 2.2250738585072014e-308, 1.7976931348623157e+308, 1e999)

template <class To, class From> __device__ To bit_cast(From v) { From kept = v; return *(To *)&kept; }
template <class T, size_t N> struct array {
  typedef T value_type;
  typedef size_t size_type;
  typedef T *iterator;
  T elements[N];
  __device__ constexpr T &operator[](size_t n) { return elements[n]; }
  __device__ constexpr const T &operator[](size_t n) const { return elements[n]; }
  __device__ constexpr const T &at(size_t n) const { if (n >= N) __trap(); return elements[n]; }
  __device__ constexpr T &at(size_t n) { if (n >= N) __trap(); return elements[n]; }
  __device__ constexpr size_t size() const { return N; }
  __device__ constexpr bool empty() const { return N == 0; }
  __device__ constexpr size_t max_size() const { return N; }
  __device__ constexpr const T *data() const { return elements; }
  __device__ constexpr const T *begin() const { return elements; }
  __device__ constexpr const T *end() const { return elements + N; }
  __device__ constexpr const T *cbegin() const { return elements; }
  __device__ constexpr const T *cend() const { return elements + N; }
  __device__ constexpr const T &front() const { return elements[0]; }
  __device__ constexpr const T &back() const { return elements[N - 1]; }
  __device__ constexpr T *data() { return elements; }
  __device__ constexpr T *begin() { return elements; }
  __device__ constexpr T *end() { return elements + N; }
  __device__ constexpr T &front() { return elements[0]; }
  __device__ constexpr T &back() { return elements[N - 1]; }
  __device__ constexpr void fill(const T &v) { for (size_t n = 0; n < N; ++n) elements[n] = v; }
  __device__ constexpr bool operator==(const array &o) const { for (size_t n = 0; n < N; ++n) if (!(elements[n] == o.elements[n])) return false; return true; }
  __device__ constexpr bool operator!=(const array &o) const { return !(*this == o); }
};
template <class T, class... U> array(T, U...) -> array<T, 1 + sizeof...(U)>;

// What templates ask of types.
template <class T, T V> struct integral_constant {
  static constexpr T value = V;
  typedef T value_type;
  constexpr operator T() const { return V; }
  constexpr T operator()() const { return V; }
};
template <bool V> using bool_constant = integral_constant<bool, V>;
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <class A, class B> struct is_same : false_type {};
template <class A> struct is_same<A, A> : true_type {};
template <bool C, class A, class B> struct conditional { typedef A type; };
template <class A, class B> struct conditional<false, A, B> { typedef B type; };
template <bool C, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <class T> struct remove_pointer { typedef T type; };
template <class T> struct remove_pointer<T *> { typedef T type; };
template <class T> struct remove_pointer<T *const> { typedef T type; };
template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T &> { typedef T type; };
template <class T> struct remove_reference<T &&> { typedef T type; };
template <class T> struct is_lvalue_reference : false_type {};
template <class T> struct is_lvalue_reference<T &> : true_type {};
template <class T> struct is_rvalue_reference : false_type {};
template <class T> struct is_rvalue_reference<T &&> : true_type {};
template <class T> struct is_reference : bool_constant<(is_lvalue_reference<T>::value || is_rvalue_reference<T>::value)> {};
template <class T> struct remove_const { typedef T type; };
template <class T> struct remove_const<const T> { typedef T type; };
template <class T> struct remove_volatile { typedef T type; };
template <class T> struct remove_volatile<volatile T> { typedef T type; };
template <class T> struct remove_cv { typedef typename remove_volatile<typename remove_const<T>::type>::type type; };
template <class T> struct __margay_decayed { typedef typename remove_cv<T>::type type; };
template <class T> struct __margay_decayed<T[]> { typedef T *type; };
template <class T, size_t N> struct __margay_decayed<T[N]> { typedef T *type; };
template <class T> struct decay { typedef typename __margay_decayed<typename remove_reference<T>::type>::type type; };
template <class T> struct is_const : false_type {};
template <class T> struct is_const<const T> : true_type {};
template <class T> struct __margay_is_pointer : false_type {};
template <class T> struct __margay_is_pointer<T *> : true_type {};
template <class T> struct is_volatile : false_type {};
template <class T> struct is_volatile<volatile T> : true_type {};
template <class T> struct is_pointer : __margay_is_pointer<typename remove_cv<T>::type> {};
template <class T> struct __margay_is_integral : false_type {};
template <class T> struct is_integral : __margay_is_integral<typename remove_cv<T>::type> {};
template <class T> struct __margay_is_floating : false_type {};
template <class T> struct is_floating_point : __margay_is_floating<typename remove_cv<T>::type> {};
template <class T> struct is_signed : bool_constant<((T)-1 < (T)0)> {};
template <class T> struct is_unsigned : bool_constant<(is_integral<T>::value && !is_signed<T>::value)> {};
template <class T> struct is_arithmetic : bool_constant<(is_integral<T>::value || is_floating_point<T>::value)> {};
#define MARGAY_IS(F, T) template <> struct F<T> : true_type {};
MARGAY_IS(__margay_is_integral, bool)
MARGAY_IS(__margay_is_integral, char)
MARGAY_IS(__margay_is_integral, signed char)
MARGAY_IS(__margay_is_integral, unsigned char)
MARGAY_IS(__margay_is_integral, short)
MARGAY_IS(__margay_is_integral, unsigned short)
MARGAY_IS(__margay_is_integral, int)
MARGAY_IS(__margay_is_integral, unsigned)
MARGAY_IS(__margay_is_integral, long)
MARGAY_IS(__margay_is_integral, unsigned long)
MARGAY_IS(__margay_is_integral, long long)
MARGAY_IS(__margay_is_integral, unsigned long long)
MARGAY_IS(__margay_is_floating, float)
MARGAY_IS(__margay_is_floating, double)
MARGAY_IS(is_signed, float)
MARGAY_IS(is_signed, double)
template <class A, class B> constexpr bool is_same_v = is_same<A, B>::value;
template <class T> constexpr bool is_pointer_v = is_pointer<T>::value;
template <class T> constexpr bool is_integral_v = is_integral<T>::value;
template <class T> constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <class T> constexpr bool is_signed_v = is_signed<T>::value;
template <class T> constexpr bool is_unsigned_v = is_unsigned<T>::value;
template <class T> constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <bool C, class A, class B> using conditional_t = typename conditional<C, A, B>::type;
template <bool C, class T = void> using enable_if_t = typename enable_if<C, T>::type;
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> using remove_volatile_t = typename remove_volatile<T>::type;
template <class T> using decay_t = typename decay<T>::type;
template <class T> constexpr bool is_lvalue_reference_v = is_lvalue_reference<T>::value;
template <class T> constexpr bool is_rvalue_reference_v = is_rvalue_reference<T>::value;
template <class T> constexpr bool is_reference_v = is_reference<T>::value;
template <class T> constexpr bool is_const_v = is_const<T>::value;
template <class T> constexpr bool is_volatile_v = is_volatile<T>::value;
typedef atomic<int, thread_scope_system> atomic_int;
typedef atomic<unsigned, thread_scope_system> atomic_uint;
typedef atomic<bool, thread_scope_system> atomic_bool;
}
}

// The compiler's own atomics.
enum { __NV_ATOMIC_RELAXED, __NV_ATOMIC_CONSUME, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELEASE, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_SEQ_CST };
enum { __NV_THREAD_SCOPE_SYSTEM = 0, __NV_THREAD_SCOPE_DEVICE = 1, __NV_THREAD_SCOPE_BLOCK = 2, __NV_THREAD_SCOPE_CLUSTER = 4, __NV_THREAD_SCOPE_THREAD = 10 };
__device__ inline void __nv_atomic_thread_fence(int o, int s = 0) { __margay_atomic_nv_fence(o, s); }
template <class T> __device__ T __nv_atomic_load_n(T *p, int o, int s = 0) { __margay_atomic_wide(p); return __margay_atomic_load(p, o, s); }
template <class T> __device__ void __nv_atomic_load(T *p, T *r, int o, int s = 0) { __margay_atomic_wide(p); *r = __margay_atomic_load(p, o, s); }
template <class T> __device__ void __nv_atomic_store_n(T *p, T v, int o, int s = 0) { __margay_atomic_wide(p); __margay_atomic_store(p, v, o, s); }
template <class T> __device__ void __nv_atomic_store(T *p, T *v, int o, int s = 0) { __margay_atomic_wide(p); __margay_atomic_store(p, *v, o, s); }
template <class T> __device__ T __nv_atomic_exchange_n(T *p, T v, int o, int s = 0) { return __margay_atomic_exch(p, v, o, s); }
#define MARGAY_NV_ATOMIC(OP) template <class T, class U> __device__ void __nv_atomic_##OP(T *p, U v, int o, int s = 0) { __margay_atomic_##OP(p, v, o, s); }
MARGAY_NV_ATOMIC(add)
MARGAY_NV_ATOMIC(sub)
MARGAY_NV_ATOMIC(and)
MARGAY_NV_ATOMIC(or)
MARGAY_NV_ATOMIC(xor)
MARGAY_NV_ATOMIC(min)
MARGAY_NV_ATOMIC(max)
template <class T> __device__ bool __nv_atomic_compare_exchange_n(T *p, T *e, T d, bool weak, int o, int f, int s = 0) {
  const T expected = *e;
  const T old = __margay_atomic_nv_cas(p, expected, d, o, f, s);
  *e = old;
  return old == expected;
}
template <class T> __device__ T __nv_atomic_fetch_add(T *p, T v, int o, int s = 0) { return __margay_atomic_add(p, v, o, s); }
template <class T> __device__ T __nv_atomic_fetch_sub(T *p, T v, int o, int s = 0) { return __margay_atomic_sub(p, v, o, s); }
template <class T> __device__ T __nv_atomic_fetch_and(T *p, T v, int o, int s = 0) { return __margay_atomic_and(p, v, o, s); }
template <class T> __device__ T __nv_atomic_fetch_or(T *p, T v, int o, int s = 0) { return __margay_atomic_or(p, v, o, s); }
template <class T> __device__ T __nv_atomic_fetch_xor(T *p, T v, int o, int s = 0) { return __margay_atomic_xor(p, v, o, s); }
template <class T> __device__ T __nv_atomic_fetch_min(T *p, T v, int o, int s = 0) { return __margay_atomic_min(p, v, o, s); }
template <class T> __device__ T __nv_atomic_fetch_max(T *p, T v, int o, int s = 0) { return __margay_atomic_max(p, v, o, s); }

// Those of GCC and clang: of system scope, or of the scope that is said; compiled as those of libcu++ are.
enum { __ATOMIC_RELAXED, __ATOMIC_CONSUME, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST };
enum { __MEMORY_SCOPE_SYSTEM, __MEMORY_SCOPE_DEVICE, __MEMORY_SCOPE_WRKGRP, __MEMORY_SCOPE_WVFRNT, __MEMORY_SCOPE_SINGLE };
__device__ constexpr int __margay_scope(int s) { return s == __MEMORY_SCOPE_SYSTEM ? 0 : s == __MEMORY_SCOPE_DEVICE ? 1 : s == __MEMORY_SCOPE_SINGLE ? 10 : 2; }
__device__ inline void __atomic_thread_fence(int o) { __margay_atomic_fence(o, 0); }
__device__ inline void __scoped_atomic_thread_fence(int o, int s) { __margay_atomic_fence(o, __margay_scope(s)); }
#define MARGAY_BUILTIN(NAME, SCOPE, MORE)                                                                                          \
  template <class T> __device__ T NAME##_load_n(T *p, int o MORE) { return __margay_atomic_load(p, o, SCOPE); }                     \
  template <class T> __device__ void NAME##_load(T *p, T *r, int o MORE) { *r = __margay_atomic_load(p, o, SCOPE); }                \
  template <class T> __device__ void NAME##_store_n(T *p, T v, int o MORE) { __margay_atomic_store(p, v, o, SCOPE); }               \
  template <class T> __device__ void NAME##_store(T *p, T *v, int o MORE) { __margay_atomic_store(p, *v, o, SCOPE); }               \
  template <class T> __device__ T NAME##_exchange_n(T *p, T v, int o MORE) { return __margay_atomic_exch(p, v, o, SCOPE); }         \
  template <class T> __device__ T NAME##_fetch_add(T *p, T v, int o MORE) { return __margay_atomic_add(p, v, o, SCOPE); }           \
  template <class T> __device__ T NAME##_fetch_sub(T *p, T v, int o MORE) { return __margay_atomic_sub(p, v, o, SCOPE); }           \
  template <class T> __device__ T NAME##_fetch_and(T *p, T v, int o MORE) { return __margay_atomic_and(p, v, o, SCOPE); }           \
  template <class T> __device__ T NAME##_fetch_or(T *p, T v, int o MORE) { return __margay_atomic_or(p, v, o, SCOPE); }             \
  template <class T> __device__ T NAME##_fetch_xor(T *p, T v, int o MORE) { return __margay_atomic_xor(p, v, o, SCOPE); }           \
  template <class T> __device__ T NAME##_add_fetch(T *p, T v, int o MORE) { return __margay_atomic_add(p, v, o, SCOPE) + v; }       \
  template <class T> __device__ T NAME##_sub_fetch(T *p, T v, int o MORE) { return __margay_atomic_sub(p, v, o, SCOPE) - v; }       \
  template <class T> __device__ bool NAME##_compare_exchange_n(T *p, T *e, T d, bool weak, int o, int f MORE) {                     \
    const T expected = *e;                                                                                                          \
    const T old = __margay_atomic_cas(p, expected, d, o, f, SCOPE);                                                                 \
    *e = old;                                                                                                                       \
    return old == expected;                                                                                                         \
  }
#define MARGAY_NO_SCOPE
#define MARGAY_WITH_SCOPE , int s
MARGAY_BUILTIN(__atomic, 0, MARGAY_NO_SCOPE)
MARGAY_BUILTIN(__scoped_atomic, __margay_scope(s), MARGAY_WITH_SCOPE)

namespace cooperative_groups {
struct thread_block {
  static __device__ void sync() { __syncthreads(); }
  static __device__ unsigned thread_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
  static __device__ unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static __device__ unsigned num_threads() { return size(); }
  static __device__ dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static __device__ dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static __device__ dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static __device__ dim3 dim_threads() { return group_dim(); }
};
__device__ inline thread_block this_thread_block() { thread_block g; return g; }

// As the library does it: the first thread of each block counts it, and waits until all have come.
struct grid_group {
  __device__ void sync() const {
    unsigned *word = __margay_grid_word();
    __syncthreads();
    if (threadIdx.x + threadIdx.y + threadIdx.z == 0) {
      unsigned expected = gridDim.x * gridDim.y * gridDim.z;
      unsigned more = blockIdx.x + blockIdx.y + blockIdx.z == 0 ? 0x80000000u - (expected - 1) : 1;
      unsigned old, current;
      asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;" : "=r"(old) : "l"(word), "r"(more) : "memory");
      do {
        asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(current) : "l"(word) : "memory");
      } while (((old ^ current) & 0x80000000u) == 0);
    }
    __syncthreads();
  }
  __device__ bool is_valid() const { return true; }
  static __device__ unsigned long long block_rank() { return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }
  static __device__ unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  static __device__ unsigned long long thread_rank() { return block_rank() * thread_block::size() + thread_block::thread_rank(); }
  static __device__ unsigned long long size() { return num_blocks() * thread_block::size(); }
  static __device__ unsigned long long num_threads() { return size(); }
  static __device__ dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  static __device__ dim3 dim_blocks() { return group_dim(); }
  static __device__ dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
__device__ inline grid_group this_grid() { grid_group g; return g; }

template <unsigned Size, class Parent = void> struct thread_block_tile : thread_block_tile<Size, void> {};
template <unsigned Size> struct thread_block_tile<Size, void> {
  static __device__ unsigned thread_rank() { return thread_block::thread_rank() % Size; }
  static constexpr __device__ unsigned size() { return Size; }
  static constexpr __device__ unsigned num_threads() { return Size; }
  static __device__ unsigned meta_group_rank() { return thread_block::thread_rank() / Size; }
  static __device__ unsigned meta_group_size() { return (thread_block::size() + Size - 1) / Size; }
  static __device__ unsigned __margay_mask() { return (Size == 32 ? 0xffffffffu : (1u << (Size & 31)) - 1) << (thread_block::thread_rank() % 32 / Size * Size); }
  __device__ void sync() const { __syncwarp(__margay_mask()); }
  template <class T> __device__ T shfl(T v, int lane) const { return __shfl_sync(__margay_mask(), v, lane, Size); }
  template <class T> __device__ T shfl_up(T v, int by) const { return __shfl_up_sync(__margay_mask(), v, by, Size); }
  template <class T> __device__ T shfl_down(T v, int by) const { return __shfl_down_sync(__margay_mask(), v, by, Size); }
  template <class T> __device__ T shfl_xor(T v, int by) const { return __shfl_xor_sync(__margay_mask(), v, by, Size); }
  __device__ int any(int p) const { return __any_sync(__margay_mask(), p); }
  __device__ int all(int p) const { return __all_sync(__margay_mask(), p); }
  __device__ unsigned ballot(int p) const { return __ballot_sync(__margay_mask(), p) >> (thread_block::thread_rank() % 32 / Size * Size); }
  template <class T> __device__ unsigned match_any(T v) const { return __match_any_sync(__margay_mask(), v) >> (thread_block::thread_rank() % 32 / Size * Size); }
  template <class T> __device__ unsigned match_all(T v, int &p) const { return __match_all_sync(__margay_mask(), v, &p) >> (thread_block::thread_rank() % 32 / Size * Size); }
};
// A tile of a tile is counted within it.
template <unsigned Size, unsigned Whole, class Parent> struct thread_block_tile<Size, thread_block_tile<Whole, Parent>> : thread_block_tile<Size, void> {
  static __device__ unsigned meta_group_rank() { return thread_block::thread_rank() % Whole / Size; }
  static __device__ unsigned meta_group_size() { return Whole / Size; }
};
template <unsigned Size> __device__ thread_block_tile<Size, thread_block> tiled_partition(const thread_block &) { static_assert(Size <= 32 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads"); thread_block_tile<Size, thread_block> t; return t; }
template <unsigned Size, unsigned Whole, class P> __device__ thread_block_tile<Size, thread_block_tile<Whole, P>> tiled_partition(const thread_block_tile<Whole, P> &) {
  static_assert(Size <= Whole && (Size & (Size - 1)) == 0, "a tile of a tile has no more threads than it");
  thread_block_tile<Size, thread_block_tile<Whole, P>> t;
  return t;
}
// Any group of up to a block: which threads of the warp, of none of which it is asked where it is the block.
struct thread_group {
  bool __margay_is_block;
  unsigned __margay_mask, __margay_size, __margay_rank;
  __device__ thread_group(const thread_block &) : __margay_is_block(true), __margay_mask(0), __margay_size(thread_block::size()), __margay_rank(thread_block::thread_rank()) {}
  template <unsigned Size, class P> __device__ thread_group(const thread_block_tile<Size, P> &) : __margay_is_block(false), __margay_mask(thread_block_tile<Size, P>::__margay_mask()), __margay_size(Size), __margay_rank(thread_block::thread_rank() % Size) {}
  __device__ thread_group(unsigned mask, unsigned size, unsigned rank) : __margay_is_block(false), __margay_mask(mask), __margay_size(size), __margay_rank(rank) {}
  __device__ void sync() const {
    if (__margay_is_block) __syncthreads();
    else __syncwarp(__margay_mask);
  }
  __device__ unsigned long long size() const { return __margay_size; }
  __device__ unsigned long long num_threads() const { return __margay_size; }
  __device__ unsigned long long thread_rank() const { return __margay_rank; }
};
__device__ inline thread_group tiled_partition(const thread_block &, unsigned size) {
  const unsigned rank = thread_block::thread_rank();
  return thread_group((size == 32 ? 0xffffffffu : (1u << size) - 1) << (rank % 32 / size * size), size, rank % size);
}
template <class T> struct plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { __device__ T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { __device__ T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { __device__ T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { __device__ T operator()(T a, T b) const { return a ^ b; } };
template <unsigned Size, class P, class T, class F> __device__ T reduce(const thread_block_tile<Size, P> &tile, T v, F by) {
  for (int d = Size / 2; d > 0; d /= 2) v = by(v, tile.shfl_xor(v, d));
  return v;
}
template <class G> __device__ void sync(const G &group) { group.sync(); }
// The library asks for one thread, and takes the first one here.
template <class G, class F> __device__ void invoke_one(const G &group, F f) { if (group.thread_rank() == 0) f(); }
template <class G> __device__ unsigned thread_rank(const G &group) { return group.thread_rank(); }
}
