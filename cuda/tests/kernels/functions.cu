// Functions as values, as arguments of templates, and as members of templates that are defined outside of them. Each kernel traps where another one is called.
#define EXTERN extern "C" __global__ void
__device__ int call(int (*f)(int), int x) { return f(x); }
template <class F> __device__ int called(F f) { return f(3); }
EXTERN lambdas_as_functions(int *p) {
  int (*f)(int) = threadIdx.x ? (int (*)(int))[](int x) { return x + 1; } : +[](int x) { return x + 2; };
  int v = f(1);
  if (v != (threadIdx.x ? 2 : 3) || call([](int y) { return y * y; }, 3) != 9 || called([](int y) { return y; }) != 3) __trap();
  p[threadIdx.x] = v;
}
EXTERN table_of_lambdas(int *p) {
  using F = int (*)(int);
  F table[3] = {[](int x) { return x; }, [](int x) { return x + 10; }, [](int x) { return x + 20; }};
  int v = table[threadIdx.x](1);
  if (v != 1 + 10 * (int)threadIdx.x) __trap();
  p[threadIdx.x] = v;
}
template <int N> __device__ int added() {
  int (*g)(int) = [](int x) { return x + N; };
  return g(1);
}
EXTERN lambdas_of_templates(int *p) {
  if (added<1>() != 2 || added<5>() != 6 || added<1>() != 2) __trap();
  *p = 1;
}
EXTERN lambda_in_loop(int *p) {
  int (*f)(int) = [](int x) { return x + 1; };
  int v = 0;
  for (int i = 0; i < 3; i++) {
    v = f(v);
    if (v == 2) f = [](int x) { return x * 5; };
  }
  if (v != 10) __trap();
  p[threadIdx.x] = v;
}
EXTERN lambda_races(int *p) {
  void (*f)(int *) = [](int *q) { *q = threadIdx.x; };
  f(p);
}

typedef int (*Function)(int);
__device__ int one_more(int x) { return x + 1; }
__device__ int two_more(int x) { return x + 2; }
template <Function F> __device__ int by_name(int x) { return F(x); }
template <int (*F)(int)> __device__ int by_pointer(int x) { return F(x); }
template <int F(int)> __device__ int by_function(int x) { return F(x); }
template <auto F> __device__ int by_any(int x) { return F(x); }
template <typename R, R (*F)(R)> struct Operation { static __device__ R go(R x) { return F(x); } };
template <class F, F f> struct Wrapper { __device__ int operator()(int x) const { return f(x); } };
EXTERN arguments(int *p) {
  if (by_name<one_more>(1) != 2 || by_pointer<two_more>(1) != 3 || by_pointer<&one_more>(1) != 2) __trap();
  if (by_function<two_more>(0) != 2 || by_any<one_more>(2) != 3 || by_any<&two_more>(2) != 4) __trap();
  if (Operation<int, one_more>::go(4) != 5 || Operation<int, two_more>::go(4) != 6) __trap();
  Wrapper<decltype(&one_more), &one_more> w;
  if (w(1) != 2 || called(two_more) != 5 || called(&one_more) != 4) __trap();
  *p = 1;
}

template <class T> struct Outer {
  T value;
  template <class U> __device__ int f(U u);
  template <int N> __device__ T times(T v);
  template <class U> struct Inner {
    T value;
    __device__ int g();
  };
  __device__ static int h(T v);
};
template <class T> template <class U> __device__ int Outer<T>::f(U u) { return sizeof(T) * 100 + sizeof(U); }
template <class T> template <int N> __device__ T Outer<T>::times(T v) { return v * N + value; }
template <class T> template <class U> __device__ int Outer<T>::Inner<U>::g() { return value + sizeof(U); }
template <class T> __device__ int Outer<T>::h(T v) { return v; }
EXTERN members(int *p) {
  Outer<int> o;
  o.value = 1;
  Outer<int>::Inner<char> i;
  i.value = 4;
  if (o.f('a') != 401 || o.f(1.0) != 408 || o.times<3>(2) != 7 || i.g() != 5 || Outer<int>::h(7) != 7) __trap();
  *p = 1;
}

namespace taking {
using ::one_more;
__device__ int two() { return one_more(1); }
}
EXTERN taken(int *p) {
  if (taking::one_more(1) != 2 || taking::two() != 2) __trap();
  *p = 1;
}
struct Numbers {
  static constexpr int three = 3;
  using Type = int;
};
template <int N> struct Int {
  static constexpr int value = N;
};
template <int A, int B> __device__ constexpr Int<A + B> operator+(Int<A>, Int<B>) { return {}; }
EXTERN members_of_types(int *p) {
  Numbers a;
  decltype(a)::Type x = decltype(a)::three;
  if (x != 3 || decltype(Int<1>{} + Int<2>{})::value != 3) __trap();
  *p = x;
}
