
// Numbers of 16 bits, and pairs of them. What is computed nobody interprets; what is compared is.
#define MARGAY_HALF_BINARY(H, F, OP)                                                                       \
  __device__ inline H F(H a, H b) { H r; asm(OP " %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x)); return r; }
#define MARGAY_HALF_UNARY(H, F, OP)                                                                        \
  __device__ inline H F(H a) { H r; asm(OP " %0, %1;" : "=h"(r.__x) : "h"(a.__x)); return r; }
#define MARGAY_HALF_COMPARISON(H, S, F, SIGN, OP)                                                          \
  __device__ inline bool F(H a, H b) { int r; asm("{ .reg .pred p; setp." OP "." S " p, %1, %2; selp.s32 %0, 1, 0, p; }" : "=r"(r) : "h"(a.__x), "h"(b.__x)); return r != 0; } \
  __device__ inline bool operator SIGN(H a, H b) { return F(a, b); }
#define MARGAY_HALF_FUNCTION(H, F, G) __device__ inline H F(H a) { return H(G((float)a)); }
#define MARGAY_HALF_PAIRS(P, F) __device__ inline P F##2(P a, P b) { return P(F(a.x, b.x), F(a.y, b.y)); }
#define MARGAY_HALF_PAIR_COMPARISON(H, P, F)                                                               \
  __device__ inline bool __hb##F##2(P a, P b) { return __h##F(a.x, b.x) && __h##F(a.y, b.y); }             \
  __device__ inline P __h##F##2(P a, P b) { return P(H(__h##F(a.x, b.x) ? 1 : 0), H(__h##F(a.y, b.y) ? 1 : 0)); }
#define MARGAY_HALF_SHUFFLE(H, P, F)                                                                       \
  __device__ inline H F(unsigned mask, H v, int k, int width = 32) { H r; r.__x = (unsigned short)F(mask, (unsigned)v.__x, k, width); return r; } \
  __device__ inline P F(unsigned mask, P v, int k, int width = 32) {                                       \
    unsigned all = F(mask, (unsigned)v.y.__x << 16 | v.x.__x, k, width);                                   \
    P r;                                                                                                   \
    r.x.__x = (unsigned short)all;                                                                         \
    r.y.__x = (unsigned short)(all >> 16);                                                                 \
    return r;                                                                                              \
  }
// H: the number, P: a pair, S: its type in PTX, N and Q: how functions name them, M and M2: how those begin that turn them into others.
#define MARGAY_HALF(H, P, S, N, Q, M, M2)                                                                                           \
  struct H {                                                                                                                   \
    unsigned short __x;                                                                                                        \
    H() = default;                                                                                                             \
    __device__ H(float v) { asm("cvt.rn." S ".f32 %0, %1;" : "=h"(__x) : "f"(v)); }                                            \
    __device__ H(double v) { float f = (float)v; asm("cvt.rn." S ".f32 %0, %1;" : "=h"(__x) : "f"(f)); }                       \
    __device__ H(int v) { float f = (float)v; asm("cvt.rn." S ".f32 %0, %1;" : "=h"(__x) : "f"(f)); }                          \
    __device__ H(unsigned v) { float f = (float)v; asm("cvt.rn." S ".f32 %0, %1;" : "=h"(__x) : "f"(f)); }                     \
    __device__ H(long v) : H((long long)v) {}    \
    __device__ H(unsigned long v) : H((unsigned long long)v) {}    \
    __device__ H(long long v) { float f = (float)v; asm("cvt.rn." S ".f32 %0, %1;" : "=h"(__x) : "f"(f)); }                    \
    __device__ H(unsigned long long v) { float f = (float)v; asm("cvt.rn." S ".f32 %0, %1;" : "=h"(__x) : "f"(f)); }           \
    __device__ operator float() const { float r; asm("cvt.f32." S " %0, %1;" : "=f"(r) : "h"(__x)); return r; }                \
    __device__ H &operator+=(H b) { *this = __hadd(*this, b); return *this; }                                                  \
    __device__ H &operator-=(H b) { *this = __hsub(*this, b); return *this; }                                                  \
    __device__ H &operator*=(H b) { *this = __hmul(*this, b); return *this; }                                                  \
    __device__ H &operator/=(H b) { *this = __hdiv(*this, b); return *this; }                                                  \
    __device__ H &operator++() { *this = __hadd(*this, H(1)); return *this; }                                                  \
    __device__ H operator++(int) { H old = *this; *this = __hadd(*this, H(1)); return old; }                                   \
    __device__ H operator-() const { return __hneg(*this); }                                                                   \
    __device__ H operator+() const { return *this; }                                                                           \
  };                                                                                                                           \
  struct alignas(4) P {                                                                                                        \
    H x, y;                                                                                                                    \
    P() = default;                                                                                                             \
    __device__ P(H a, H b) : x(a), y(b) {}                                                                                     \
    __device__ P &operator+=(P b) { x += b.x; y += b.y; return *this; }                                                        \
    __device__ P &operator-=(P b) { x -= b.x; y -= b.y; return *this; }                                                        \
    __device__ P &operator*=(P b) { x *= b.x; y *= b.y; return *this; }                                                        \
  };                                                                                                                           \
  MARGAY_HALF_BINARY(H, __hadd, "add." S)                                                                                      \
  MARGAY_HALF_BINARY(H, __hsub, "sub." S)                                                                                      \
  MARGAY_HALF_BINARY(H, __hmul, "mul." S)                                                                                      \
  MARGAY_HALF_BINARY(H, __hadd_rn, "add." S)                                                                                   \
  MARGAY_HALF_BINARY(H, __hsub_rn, "sub." S)                                                                                   \
  MARGAY_HALF_BINARY(H, __hmul_rn, "mul." S)                                                                                   \
  MARGAY_HALF_BINARY(H, __hmax, "max." S)                                                                                      \
  MARGAY_HALF_BINARY(H, __hmin, "min." S)                                                                                      \
  MARGAY_HALF_UNARY(H, __hneg, "neg." S)                                                                                       \
  MARGAY_HALF_UNARY(H, __habs, "abs." S)                                                                                       \
  __device__ inline H __hdiv(H a, H b) { return H((float)a / (float)b); }                                                      \
  __device__ inline H __hfma(H a, H b, H c) { H r; asm("fma.rn." S " %0, %1, %2, %3;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x)); return r; } \
  __device__ inline H operator+(H a, H b) { return __hadd(a, b); }                                                             \
  __device__ inline H operator-(H a, H b) { return __hsub(a, b); }                                                             \
  __device__ inline H operator*(H a, H b) { return __hmul(a, b); }                                                             \
  __device__ inline H operator/(H a, H b) { return __hdiv(a, b); }                                                             \
  MARGAY_HALF_COMPARISON(H, S, __heq, ==, "eq")                                                                                \
  MARGAY_HALF_COMPARISON(H, S, __hne, !=, "ne")                                                                                \
  MARGAY_HALF_COMPARISON(H, S, __hlt, <, "lt")                                                                                 \
  MARGAY_HALF_COMPARISON(H, S, __hle, <=, "le")                                                                                \
  MARGAY_HALF_COMPARISON(H, S, __hgt, >, "gt")                                                                                 \
  MARGAY_HALF_COMPARISON(H, S, __hge, >=, "ge")                                                                                \
  __device__ inline bool __hisnan(H a) { return __hne(a, a); }                                                                 \
  MARGAY_HALF_FUNCTION(H, hexp, expf)                                                                                          \
  MARGAY_HALF_FUNCTION(H, hexp2, exp2f)                                                                                        \
  MARGAY_HALF_FUNCTION(H, hlog, logf)                                                                                          \
  MARGAY_HALF_FUNCTION(H, hlog2, log2f)                                                                                        \
  MARGAY_HALF_FUNCTION(H, hsqrt, sqrtf)                                                                                        \
  MARGAY_HALF_FUNCTION(H, hrsqrt, rsqrtf)                                                                                      \
  MARGAY_HALF_FUNCTION(H, hrcp, __frcp_rn)                                                                                     \
  MARGAY_HALF_FUNCTION(H, hsin, sinf)                                                                                          \
  MARGAY_HALF_FUNCTION(H, hcos, cosf)                                                                                          \
  MARGAY_HALF_FUNCTION(H, htanh, tanhf)                                                                                        \
  MARGAY_HALF_FUNCTION(H, hfloor, floorf)                                                                                      \
  MARGAY_HALF_FUNCTION(H, hceil, ceilf)                                                                                        \
  __device__ inline float M##float(H a) { return (float)a; }                                                              \
  __device__ inline H __float2##N(float a) { return H(a); }                                                                    \
  __device__ inline H __float2##N##_rn(float a) { return H(a); }                                                               \
  __device__ inline H __double2##N(double a) { return H(a); }                                                                  \
  __device__ inline H __int2##N##_rn(int a) { return H(a); }                                                                   \
  __device__ inline H __uint2##N##_rn(unsigned a) { return H(a); }                                                             \
  __device__ inline H __ushort2##N##_rn(unsigned short a) { return H((unsigned)a); }                                           \
  __device__ inline H __short2##N##_rn(short a) { return H((int)a); }                                                          \
  __device__ inline int M##int_rn(H a) { return __float2int_rn((float)a); }                                               \
  __device__ inline int M##int_rz(H a) { return (int)(float)a; }                                                          \
  __device__ inline unsigned short __##N##_as_ushort(H a) { return a.__x; }                                                    \
  __device__ inline short __##N##_as_short(H a) { return (short)a.__x; }                                                       \
  __device__ inline H __ushort_as_##N(unsigned short v) { H r; r.__x = v; return r; }                                          \
  __device__ inline H __short_as_##N(short v) { H r; r.__x = (unsigned short)v; return r; }                                    \
  MARGAY_HALF_PAIRS(P, __hadd)                                                                                                 \
  MARGAY_HALF_PAIRS(P, __hsub)                                                                                                 \
  MARGAY_HALF_PAIRS(P, __hmul)                                                                                                 \
  MARGAY_HALF_PAIRS(P, __hmax)                                                                                                 \
  MARGAY_HALF_PAIRS(P, __hmin)                                                                                                 \
  MARGAY_HALF_PAIRS(P, __hdiv)                                                                                                 \
  __device__ inline P __h2div(P a, P b) { return __hdiv2(a, b); }                                                              \
  MARGAY_HALF_PAIR_COMPARISON(H, P, eq)                                                                                        \
  MARGAY_HALF_PAIR_COMPARISON(H, P, ne)                                                                                        \
  MARGAY_HALF_PAIR_COMPARISON(H, P, lt)                                                                                        \
  MARGAY_HALF_PAIR_COMPARISON(H, P, le)                                                                                        \
  MARGAY_HALF_PAIR_COMPARISON(H, P, gt)                                                                                        \
  MARGAY_HALF_PAIR_COMPARISON(H, P, ge)                                                                                        \
  __device__ inline P __hneg2(P a) { return P(__hneg(a.x), __hneg(a.y)); }                                                     \
  __device__ inline P __habs2(P a) { return P(__habs(a.x), __habs(a.y)); }                                                     \
  __device__ inline P __hfma2(P a, P b, P c) { return P(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }                       \
  __device__ inline P operator+(P a, P b) { return __hadd2(a, b); }                                                            \
  __device__ inline P operator-(P a, P b) { return __hsub2(a, b); }                                                            \
  __device__ inline P operator*(P a, P b) { return __hmul2(a, b); }                                                            \
  __device__ inline P operator/(P a, P b) { return __hdiv2(a, b); }                                                            \
  __device__ inline P M##Q(H a) { return P(a, a); }                                                                  \
  __device__ inline P __float2##Q##_rn(float a) { return P(H(a), H(a)); }                                                     \
  __device__ inline P __floats2##Q##_rn(float a, float b) { return P(H(a), H(b)); }                                           \
  __device__ inline P __float22##Q##_rn(float2 a) { return P(H(a.x), H(a.y)); }                                               \
  __device__ inline float2 M2##float2(P a) { return make_float2((float)a.x, (float)a.y); }                                \
  __device__ inline H __low2##N(P a) { return a.x; }                                                                           \
  __device__ inline H __high2##N(P a) { return a.y; }                                                                          \
  __device__ inline float __low2float(P a) { return (float)a.x; }                                                              \
  __device__ inline float __high2float(P a) { return (float)a.y; }                                                             \
  __device__ inline P __lowhigh2highlow(P a) { return P(a.y, a.x); }                                                           \
  __device__ inline P __lows2##Q(P a, P b) { return P(a.x, b.x); }                                                          \
  __device__ inline P __highs2##Q(P a, P b) { return P(a.y, b.y); }                                                         \
  MARGAY_HALF_SHUFFLE(H, P, __shfl_sync)                                                                                       \
  MARGAY_HALF_SHUFFLE(H, P, __shfl_up_sync)                                                                                    \
  MARGAY_HALF_SHUFFLE(H, P, __shfl_down_sync)                                                                                  \
  MARGAY_HALF_SHUFFLE(H, P, __shfl_xor_sync)                                                                                   \
  __device__ inline H atomicAdd(H *p, H v) { H r; asm volatile("atom.add.noftz." S " %0, [%1], %2;" : "=h"(r.__x) : "l"(p), "h"(v.__x) : "memory"); return r; } \
  __device__ inline P atomicAdd(P *p, P v) { P r; r.x = atomicAdd(&p->x, v.x); r.y = atomicAdd(&p->y, v.y); return r; }
MARGAY_HALF(__half, __half2, "f16", half, half2, __half2, __half22)
MARGAY_HALF(__nv_bfloat16, __nv_bfloat162, "bf16", bfloat16, bfloat162, __bfloat162, __bfloat1622)
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
__device__ inline half2 make_half2(half a, half b) { return half2(a, b); }
__device__ inline nv_bfloat162 make_bfloat162(nv_bfloat16 a, nv_bfloat16 b) { return nv_bfloat162(a, b); }
__device__ inline nv_bfloat162 __halves2bfloat162(nv_bfloat16 a, nv_bfloat16 b) { return nv_bfloat162(a, b); }
__device__ inline half2 __halves2half2(half a, half b) { return half2(a, b); }
