// What the preprocessor makes of a text, and inline PTX with comments. Each kernel traps where it is read otherwise than C++ reads it.
#include <cassert>
#define EXTERN extern "C" __global__ void

// A macro whose name another one made, and whose arguments stand behind.
__device__ int twice(int x) { return x; }
#define CALL twice
#define twice(x) ((x) * 2)
#define SAME(x) x
#define NESTED SAME(CALL)
EXTERN called_behind(int *p) {
  if (CALL(3) != 6 || SAME(twice)(4) != 8 || NESTED(5) != 10) __trap();
  *p = 1;
}

// `#` keeps what is written, and `##` joins nothing to nothing.
#define LOAD(mode, v, p) asm volatile("ld." #mode ".u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory")
#define TEXT(x) #x
#define EXPANDED(x) TEXT(x)
#define SEVEN 7
#define ADDED(scope, p) atomicAdd##scope(p, 1)
#define THREE(a, b, c) a##b##c
EXTERN texts(int *p) {
  int v;
  LOAD(acquire.gpu, v, p);
  if (v) __trap();
  const char *s = EXPANDED(SEVEN), *t = TEXT("a\n" +  b), *line = EXPANDED(__LINE__);
  if (s[0] != '7' || t[1] != 'a' || t[2] != '\\' || t[6] != '+' || t[8] != 'b' || t[9]) __trap();
  if (line[0] != '2' || line[1] != '7' || line[2]) __trap();
}
EXTERN pasted(int *p) {
  int xz = 0;
  THREE(x, , z) = THREE(1, 6, u);
  if (xz != 16) __trap();
  ADDED(, p);
  ADDED(_system, p);
}

#pragma push_macro("SEVEN")
#undef SEVEN
#define SEVEN 8
__device__ int seven() { return SEVEN; }
#pragma pop_macro("SEVEN")
EXTERN pushed(int *p) {
  if (SEVEN != 7 || seven() != 8) __trap();
  *p = 1;
}

EXTERN goes_on(int *p) {
  // this line goes on \
  __trap();
  *p = 1;
}

#if not defined(NOT_DEFINED) and 1
constexpr int words = 1;
#else
constexpr int words = 2;
#endif
#if (1 ? 2 : 3) == 2 && (defined(DIVISOR) && 32 % DIVISOR == 0 || 1)
constexpr int chosen = 1;
#else
constexpr int chosen = 2;
#endif
#if -1 < 0u
constexpr int sign = 1;
#else
constexpr int sign = 2;
#endif
EXTERN conditions(int *p) {
  bool yes = true, no = false;
  if (words != 1 || chosen != 1 || sign != 2 || not(yes and not no) or (yes bitand no)) __trap();
  *p = 1;
}

#define UNROLLED _Pragma("unroll")
EXTERN pragmas(int *p) {
  int sum = 0;
  UNROLLED for (int i = 0; i < 4; i++) sum += i;
  if (sum != 6) __trap();
  *p = sum;
}

// A comment of PTX ends with its line, or where it says so.
EXTERN commented(int *p) {
  asm volatile("// what stands here\n\tst.global.u32 [%0], 1;" ::"l"(p) : "memory");
}
EXTERN commented_within(int *p) {
  int a = 1, b;
  asm volatile("{\n\t.reg .pred q; // of a }\n\tsetp.eq.s32 q, %1, 1;\n\t/* chosen */ selp.s32 %0, 7, 8, q;\n\t}" : "=r"(b) : "r"(a));
  if (b != 7) __trap();
  *p = b;
}

#define NDEBUG
#include <cassert>
EXTERN not_asserted(int *p) {
  int x = 0;
  assert(x++);
  if (x) __trap();
  *p = 1;
}
#undef NDEBUG
#include <cassert>
EXTERN asserted_again(int *p) {
  assert(*p);
}
