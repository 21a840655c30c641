// CUDA's mathematics beyond the instructions of PTX. The results are near those of CUDA's, and of approximations, so that nobody interprets them where a question
// is asked; and they are found without branches, since a branch on what nobody interprets leaves a question open that CUDA's own code does not.
__device__ inline float copysign(float a, float b) { return copysignf(a, b); }
__device__ inline double copysign(double a, double b) {
  const unsigned long long sign = 0x8000000000000000ull;
  return __longlong_as_double((long long)(((unsigned long long)__double_as_longlong(a) & ~sign) | ((unsigned long long)__double_as_longlong(b) & sign)));
}
__device__ inline float __margay_trunc(float x) { return truncf(x); }
__device__ inline double __margay_trunc(double x) { double r; asm("cvt.rzi.f64.f64 %0, %1;" : "=d"(r) : "d"(x)); return r; }
__device__ inline float rint(float x) { return rintf(x); }
__device__ inline double rint(double x) { double r; asm("cvt.rni.f64.f64 %0, %1;" : "=d"(r) : "d"(x)); return r; }

template <class T> __device__ inline T __margay_exp(T x) { return exp2(x * (T)1.4426950408889634); }
template <class T> __device__ inline T __margay_log(T x) { return log2(x) * (T)0.6931471805599453; }
template <class T> __device__ inline T __margay_nearbyint(T x) { return rint(x); }
template <class T> __device__ inline T __margay_exp10(T x) { return exp2(x * (T)3.321928094887362); }
template <class T> __device__ inline T __margay_expm1(T x) { return __margay_exp(x) - (T)1; }
template <class T> __device__ inline T __margay_log1p(T x) { return __margay_log(x + (T)1); }
template <class T> __device__ inline T __margay_cbrt(T x) { return copysign(exp2(log2(fabs(x)) / (T)3), x); }
template <class T> __device__ inline T __margay_rcbrt(T x) { return (T)1 / __margay_cbrt(x); }
template <class T> __device__ inline T __margay_sinh(T x) { return (__margay_exp(x) - __margay_exp(-x)) / (T)2; }
template <class T> __device__ inline T __margay_cosh(T x) { return (__margay_exp(x) + __margay_exp(-x)) / (T)2; }
template <class T> __device__ inline T __margay_asinh(T x) { return copysign(__margay_log(fabs(x) + sqrt(x * x + (T)1)), x); }
template <class T> __device__ inline T __margay_acosh(T x) { return __margay_log(x + sqrt(x * x - (T)1)); }
template <class T> __device__ inline T __margay_atanh(T x) { return __margay_log(((T)1 + x) / ((T)1 - x)) / (T)2; }
template <class T> __device__ inline T __margay_sinpi(T x) { return sin(x * (T)3.141592653589793); }
template <class T> __device__ inline T __margay_cospi(T x) { return cos(x * (T)3.141592653589793); }
// Abramowitz and Stegun, 4.4.46.
template <class T> __device__ inline T __margay_acos(T x) {
  const T a = fabs(x), s = copysign((T)1, x);
  T p = (T)-0.0012624911;
  p = p * a + (T)0.0066700901;
  p = p * a + (T)-0.0170881256;
  p = p * a + (T)0.0308918810;
  p = p * a + (T)-0.0501743046;
  p = p * a + (T)0.0889789874;
  p = p * a + (T)-0.2145988016;
  p = p * a + (T)1.5707963050;
  return ((T)1 - s) * (T)1.5707963267948966 + s * (sqrt((T)1 - a) * p);
}
template <class T> __device__ inline T __margay_asin(T x) { return (T)1.5707963267948966 - __margay_acos(x); }
template <class T> __device__ inline T __margay_atan(T x) { return copysign(__margay_acos((T)1 / sqrt((T)1 + x * x)), x); }
// The same, 7.1.26.
template <class T> __device__ inline T __margay_erf(T x) {
  const T t = (T)1 / ((T)1 + (T)0.3275911 * fabs(x));
  T p = (T)1.061405429;
  p = p * t + (T)-1.453152027;
  p = p * t + (T)1.421413741;
  p = p * t + (T)-0.284496736;
  p = p * t + (T)0.254829592;
  return copysign((T)1 - p * t * __margay_exp(-(x * x)), x);
}
template <class T> __device__ inline T __margay_erfc(T x) { return (T)1 - __margay_erf(x); }
template <class T> __device__ inline T __margay_normcdf(T x) { return __margay_erfc(x * (T)-0.7071067811865476) / (T)2; }
#define MARGAY_MATHEMATICS(F)                                                                              \
  __device__ inline float F##f(float x) { return __margay_##F(x); }                                        \
  __device__ inline float F(float x) { return __margay_##F(x); }                                           \
  __device__ inline double F(double x) { return __margay_##F(x); }
MARGAY_MATHEMATICS(nearbyint)
MARGAY_MATHEMATICS(exp10)
MARGAY_MATHEMATICS(expm1)
MARGAY_MATHEMATICS(log1p)
MARGAY_MATHEMATICS(cbrt)
MARGAY_MATHEMATICS(rcbrt)
MARGAY_MATHEMATICS(sinh)
MARGAY_MATHEMATICS(cosh)
MARGAY_MATHEMATICS(asinh)
MARGAY_MATHEMATICS(acosh)
MARGAY_MATHEMATICS(atanh)
MARGAY_MATHEMATICS(sinpi)
MARGAY_MATHEMATICS(cospi)
MARGAY_MATHEMATICS(acos)
MARGAY_MATHEMATICS(asin)
MARGAY_MATHEMATICS(atan)
MARGAY_MATHEMATICS(erf)
MARGAY_MATHEMATICS(erfc)
MARGAY_MATHEMATICS(normcdf)

template <class T> __device__ inline T __margay_hypot(T a, T b) { return sqrt(a * a + b * b); }
template <class T> __device__ inline T __margay_atan2(T y, T x) { return copysign(__margay_acos(x / __margay_hypot(x, y)), y); }
template <class T> __device__ inline T __margay_remainder(T a, T b) { return a - b * rint(a / b); }
template <class T> __device__ inline T __margay_fdim(T a, T b) { return max(a - b, (T)0); }
#define MARGAY_MATHEMATICS_OF_TWO(F)                                                                       \
  __device__ inline float F##f(float a, float b) { return __margay_##F(a, b); }                            \
  __device__ inline float F(float a, float b) { return __margay_##F(a, b); }                               \
  __device__ inline double F(double a, double b) { return __margay_##F(a, b); }
MARGAY_MATHEMATICS_OF_TWO(hypot)
MARGAY_MATHEMATICS_OF_TWO(atan2)
MARGAY_MATHEMATICS_OF_TWO(remainder)
MARGAY_MATHEMATICS_OF_TWO(fdim)
__device__ inline float norm3df(float a, float b, float c) { return sqrtf(a * a + b * b + c * c); }
__device__ inline double norm3d(double a, double b, double c) { return sqrt(a * a + b * b + c * c); }
__device__ inline float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }

__device__ inline void sincosf(float x, float *s, float *c) { *s = sinf(x); *c = cosf(x); }
__device__ inline void sincos(double x, double *s, double *c) { *s = sin(x); *c = cos(x); }
__device__ inline void sincospif(float x, float *s, float *c) { *s = sinpif(x); *c = cospif(x); }
__device__ inline void __sincosf(float x, float *s, float *c) { sincosf(x, s, c); }
__device__ inline float modff(float x, float *whole) { *whole = truncf(x); return copysignf(x - truncf(x), x); }
__device__ inline double modf(double x, double *whole) { *whole = __margay_trunc(x); return copysign(x - __margay_trunc(x), x); }
// By halves of the exponent, each of which is a number's.
__device__ inline float ldexpf(float x, int n) {
  n = max(min(n, 252), -252);
  return x * __int_as_float((n / 2 + 127) << 23) * __int_as_float((n - n / 2 + 127) << 23);
}
__device__ inline float scalbnf(float x, int n) { return ldexpf(x, n); }
__device__ inline float powif(float x, int n) { return powf(x, (float)n); }
__device__ inline long lroundf(float x) { return (long)truncf(x + copysignf(0.5f, x)); }
__device__ inline long lrintf(float x) { return (long)rintf(x); }
__device__ inline long long llrintf(float x) { return (long long)rintf(x); }
__device__ inline int isunordered(float a, float b) { return isnan(a) | isnan(b); }
__device__ inline float __tanf(float x) { return tanf(x); }
__device__ inline float __exp10f(float x) { return exp10f(x); }
__device__ inline float __log2f(float x) { return log2f(x); }
__device__ inline float __log10f(float x) { return log10f(x); }
__device__ inline float __frsqrt_rn(float x) { return 1.0f / sqrtf(x); }
__device__ inline float fdividef(float a, float b) { return __fdividef(a, b); }
#define MARGAY_ROUNDED(R)                                                                                  \
  __device__ inline float __fadd_##R(float a, float b) { float r; asm("add." #R ".f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; } \
  __device__ inline float __fmul_##R(float a, float b) { float r; asm("mul." #R ".f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; } \
  __device__ inline float __frcp_##R(float x) { float r; asm("rcp." #R ".f32 %0, %1;" : "=f"(r) : "f"(x)); return r; } \
  __device__ inline float __fmaf_##R(float a, float b, float c) { float r; asm("fma." #R ".f32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "f"(c)); return r; }
MARGAY_ROUNDED(rz)
MARGAY_ROUNDED(ru)
MARGAY_ROUNDED(rd)
#define MARGAY_TO_WHOLE(T, S)                                                                              \
  __device__ inline T __float2##S##_ru(float x) { return (T)ceilf(x); }                                    \
  __device__ inline T __float2##S##_rd(float x) { return (T)floorf(x); }
MARGAY_TO_WHOLE(int, int)
MARGAY_TO_WHOLE(unsigned, uint)
__device__ inline unsigned __float2uint_rn(float x) { return (unsigned)rintf(x); }

// Whole numbers.
__device__ inline int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
__device__ inline int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
__device__ inline unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
__device__ inline unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }
__device__ inline unsigned __sad(int a, int b, unsigned c) { return c + (unsigned)max(a, b) - (unsigned)min(a, b); }
__device__ inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + max(a, b) - min(a, b); }
__device__ inline long long __mul64hi(long long a, long long b) { long long r; asm("mul.hi.s64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b)); return r; }
__device__ inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { unsigned long long r; asm("mul.hi.u64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b)); return r; }
__device__ inline unsigned __funnelshift_lc(unsigned a, unsigned b, unsigned n) { unsigned r; asm("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(n)); return r; }
__device__ inline unsigned __funnelshift_rc(unsigned a, unsigned b, unsigned n) { unsigned r; asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(n)); return r; }
// Four numbers of eight bits, or two of sixteen, in a word.
#define MARGAY_IN_A_WORD(F, BITS, T, E)                                                                    \
  __device__ inline unsigned F(unsigned x, unsigned y) {                                                   \
    unsigned r = 0;                                                                                        \
    for (int n = 0; n < 32; n += BITS) {                                                                   \
      const int a = (T)(x >> n), b = (T)(y >> n);                                                          \
      r |= ((unsigned)(E) & (0xffffffffu >> (32 - BITS))) << n;                                            \
    }                                                                                                      \
    return r;                                                                                              \
  }
MARGAY_IN_A_WORD(__vadd4, 8, unsigned char, a + b)
MARGAY_IN_A_WORD(__vsub4, 8, unsigned char, a - b)
MARGAY_IN_A_WORD(__vsubss4, 8, signed char, max(min(a - b, 127), -128))
MARGAY_IN_A_WORD(__vaddus4, 8, unsigned char, min(a + b, 255))
MARGAY_IN_A_WORD(__vmaxu4, 8, unsigned char, max(a, b))
MARGAY_IN_A_WORD(__vminu4, 8, unsigned char, min(a, b))
MARGAY_IN_A_WORD(__vmaxs4, 8, signed char, max(a, b))
MARGAY_IN_A_WORD(__vmins4, 8, signed char, min(a, b))
MARGAY_IN_A_WORD(__vabsdiffu4, 8, unsigned char, max(a, b) - min(a, b))
MARGAY_IN_A_WORD(__vcmpeq4, 8, unsigned char, -(a == b))
MARGAY_IN_A_WORD(__vcmpne4, 8, unsigned char, -(a != b))
MARGAY_IN_A_WORD(__vcmpgtu4, 8, unsigned char, -(a > b))
MARGAY_IN_A_WORD(__vadd2, 16, unsigned short, a + b)
MARGAY_IN_A_WORD(__vsub2, 16, unsigned short, a - b)
MARGAY_IN_A_WORD(__vmaxs2, 16, short, max(a, b))
MARGAY_IN_A_WORD(__vmins2, 16, short, min(a, b))
