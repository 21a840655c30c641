// The types that libcu++ has for programs to speak of: sequences, tuples, optional values, spans, functions as objects, concepts; read behind library.cu.

namespace std {
struct strong_ordering {
  signed char __margay_value;
  constexpr strong_ordering(int v) : __margay_value(v) {}
  constexpr bool operator==(int v) const { return __margay_value == v; }
  constexpr bool operator!=(int v) const { return __margay_value != v; }
  constexpr bool operator<(int v) const { return __margay_value < v; }
  constexpr bool operator>(int v) const { return __margay_value > v; }
  constexpr bool operator<=(int v) const { return __margay_value <= v; }
  constexpr bool operator>=(int v) const { return __margay_value >= v; }
  static constexpr int less = -1, equal = 0, equivalent = 0, greater = 1;
};
typedef strong_ordering weak_ordering;
typedef strong_ordering partial_ordering;
}

namespace cuda {
namespace std {
template <class T> __device__ constexpr T &&declval() { return static_cast<T &&>(*(remove_reference_t<T> *)nullptr); }
template <size_t I, class... T> struct __type_pack_element;
template <class T, T N> struct __margay_sequence;
template <class T, T... I> struct integer_sequence {
  typedef T value_type;
  static constexpr size_t size() { return sizeof...(I); }
};
template <size_t... I> using index_sequence = integer_sequence<size_t, I...>;
template <class T, T N> using make_integer_sequence = __margay_sequence<T, N>;
template <size_t N> using make_index_sequence = __margay_sequence<size_t, N>;
template <class... T> using index_sequence_for = __margay_sequence<size_t, sizeof...(T)>;

// What they give says the call.
template <class T> __device__ constexpr T &&forward(T &x) { return static_cast<T &&>(x); }
template <class T> __device__ constexpr T &&move(T &x) { return static_cast<T &&>(x); }
template <class T> __device__ constexpr const T &as_const(T &x) { return x; }
template <class T> __device__ constexpr T *addressof(T &x) { return &x; }
template <class T> __device__ constexpr T min(T a, T b) { return b < a ? b : a; }
template <class T> __device__ constexpr T max(T a, T b) { return a < b ? b : a; }
template <class T, class F> __device__ constexpr T min(T a, T b, F less) { return less(b, a) ? b : a; }
template <class T, class F> __device__ constexpr T max(T a, T b, F less) { return less(a, b) ? b : a; }
template <class T> __device__ constexpr T clamp(T x, T low, T high) { return x < low ? low : high < x ? high : x; }

// Pairs and tuples: a base for each element, in their order.
template <class T> struct tuple_size;
template <size_t I, class T> struct tuple_element;
template <class A, class B> struct pair {
  typedef A first_type;
  typedef B second_type;
  A first;
  B second;
  __device__ constexpr bool operator==(const pair &o) const { return first == o.first && second == o.second; }
  __device__ constexpr bool operator!=(const pair &o) const { return !(*this == o); }
  __device__ constexpr bool operator<(const pair &o) const { return first < o.first || !(o.first < first) && second < o.second; }
};
template <class A, class B> pair(A, B) -> pair<A, B>;
template <class A, class B> __device__ constexpr pair<A, B> make_pair(A a, B b) { return pair<A, B>{a, b}; }
template <size_t I, class T> struct __margay_leaf { T __margay_value; };
template <class S, class... T> struct __margay_tuple;
template <size_t... I, class... T> struct __margay_tuple<integer_sequence<size_t, I...>, T...> : __margay_leaf<I, T>... {};
template <class... T> struct tuple : __margay_tuple<__margay_sequence<size_t, sizeof...(T)>, T...> {};
template <class... T> tuple(T...) -> tuple<T...>;
template <class... T> __device__ constexpr tuple<T...> make_tuple(T... v) { return tuple<T...>{v...}; }
template <class A, class B> struct tuple_size<pair<A, B>> { static constexpr size_t value = 2; };
template <class... T> struct tuple_size<tuple<T...>> { static constexpr size_t value = sizeof...(T); };
template <class T, size_t N> struct tuple_size<array<T, N>> { static constexpr size_t value = N; };
template <class T> inline constexpr size_t tuple_size_v = tuple_size<T>::value;
template <class A, class B> struct tuple_element<0, pair<A, B>> { typedef A type; };
template <class A, class B> struct tuple_element<1, pair<A, B>> { typedef B type; };
template <size_t I, class... T> struct tuple_element<I, tuple<T...>> { typedef __type_pack_element<I, T...> type; };
template <size_t I, class T, size_t N> struct tuple_element<I, array<T, N>> { typedef T type; };
template <size_t I, class T> using tuple_element_t = typename tuple_element<I, T>::type;
template <size_t I, class... T> __device__ constexpr __type_pack_element<I, T...> &get(tuple<T...> &t) { return ((__margay_leaf<I, __type_pack_element<I, T...>> &)t).__margay_value; }
template <size_t I, class... T> __device__ constexpr const __type_pack_element<I, T...> &get(const tuple<T...> &t) { return ((const __margay_leaf<I, __type_pack_element<I, T...>> &)t).__margay_value; }
template <size_t I, class T, size_t N> __device__ constexpr T &get(array<T, N> &a) { return a.elements[I]; }
template <size_t I, class T, size_t N> __device__ constexpr const T &get(const array<T, N> &a) { return a.elements[I]; }
template <class U, class... T> struct __margay_place;
template <class U, class... R> struct __margay_place<U, U, R...> { static constexpr size_t value = 0; };
template <class U, class T, class... R> struct __margay_place<U, T, R...> { static constexpr size_t value = 1 + __margay_place<U, R...>::value; };
template <class U, class... T> __device__ constexpr U &get(tuple<T...> &t) { return ((__margay_leaf<__margay_place<U, T...>::value, U> &)t).__margay_value; }
template <class U, class... T> __device__ constexpr const U &get(const tuple<T...> &t) { return ((const __margay_leaf<__margay_place<U, T...>::value, U> &)t).__margay_value; }
template <class... T> __device__ constexpr tuple<T &&...> forward_as_tuple(T &&...v) { return tuple<T &&...>{cuda::std::forward<T>(v)...}; }
template <class... A, class... B, size_t... I> __device__ constexpr bool __margay_equal(const tuple<A...> &a, const tuple<B...> &b, integer_sequence<size_t, I...>) { return ((get<I>(a) == get<I>(b)) && ...); }
template <class... A, class... B> __device__ constexpr bool operator==(const tuple<A...> &a, const tuple<B...> &b) { return __margay_equal(a, b, index_sequence_for<A...>{}); }
template <class... A, class... B> __device__ constexpr bool operator!=(const tuple<A...> &a, const tuple<B...> &b) { return !__margay_equal(a, b, index_sequence_for<A...>{}); }
template <size_t I, class A, class B> __device__ constexpr __type_pack_element<I, A, B> &get(pair<A, B> &p) {
  if constexpr (I == 0) return p.first;
  else return p.second;
}
template <size_t I, class A, class B> __device__ constexpr const __type_pack_element<I, A, B> &get(const pair<A, B> &p) {
  if constexpr (I == 0) return p.first;
  else return p.second;
}
// Variables that a tuple is assigned to.
struct __margay_ignored { template <class T> __device__ void operator=(const T &) {} };
__device__ inline __margay_ignored ignore;
template <class S, class... T> struct __margay_tied;
template <size_t... I, class... T> struct __margay_tied<integer_sequence<size_t, I...>, T...> : __margay_leaf<I, T *>... {
  template <class U> __device__ void operator=(U from) { ((*((__margay_leaf<I, T *> &)*this).__margay_value = get<I>(from)), ...); }
};
template <class... T> __device__ auto tie(T &...v) { return __margay_tied<__margay_sequence<size_t, sizeof...(T)>, T...>{&v...}; }
template <class F, class... A> __device__ constexpr auto invoke(F &&f, A &&...a) { return f(a...); }
template <class F, class T, size_t... I> __device__ constexpr auto __margay_apply(F &f, T &t, integer_sequence<size_t, I...>) { return f(get<I>(t)...); }
template <class F, class T> __device__ constexpr auto apply(F &&f, T &&t) { return __margay_apply(f, t, make_index_sequence<tuple_size<remove_cvref_t<T>>::value>{}); }
template <class... A, class... B, size_t... I, size_t... J> __device__ constexpr tuple<A..., B...> __margay_joined(tuple<A...> &a, tuple<B...> &b, integer_sequence<size_t, I...>, integer_sequence<size_t, J...>) { return tuple<A..., B...>{get<I>(a)..., get<J>(b)...}; }
template <class... A, class... B> __device__ constexpr tuple<A..., B...> tuple_cat(tuple<A...> a, tuple<B...> b) { return __margay_joined(a, b, index_sequence_for<A...>{}, index_sequence_for<B...>{}); }

struct nullopt_t {};
inline constexpr nullopt_t nullopt{};
template <class T> struct optional {
  typedef T value_type;
  T __margay_value;
  bool __margay_there;
  constexpr optional() : __margay_there(false) {}
  constexpr optional(nullopt_t) : __margay_there(false) {}
  constexpr optional(const T &v) : __margay_value(v), __margay_there(true) {}
  __device__ constexpr bool has_value() const { return __margay_there; }
  __device__ constexpr explicit operator bool() const { return __margay_there; }
  __device__ constexpr T &operator*() { return __margay_value; }
  __device__ constexpr const T &operator*() const { return __margay_value; }
  __device__ constexpr T *operator->() { return &__margay_value; }
  __device__ constexpr const T *operator->() const { return &__margay_value; }
  __device__ constexpr const T &value() const { if (!__margay_there) __trap(); return __margay_value; }
  __device__ constexpr T &value() { if (!__margay_there) __trap(); return __margay_value; }
  __device__ constexpr T value_or(T other) const { return __margay_there ? __margay_value : other; }
  __device__ constexpr void reset() { __margay_there = false; }
  template <class... A> __device__ constexpr T &emplace(A... a) { __margay_value = T{a...}; __margay_there = true; return __margay_value; }
  __device__ constexpr optional &operator=(nullopt_t) { __margay_there = false; return *this; }
  __device__ constexpr bool operator==(nullopt_t) const { return !__margay_there; }
  __device__ constexpr bool operator!=(nullopt_t) const { return __margay_there; }
  __device__ constexpr bool operator==(const optional &o) const { return __margay_there == o.__margay_there && (!__margay_there || __margay_value == o.__margay_value); }
  __device__ constexpr bool operator==(const T &v) const { return __margay_there && __margay_value == v; }
  __device__ constexpr bool operator!=(const optional &o) const { return !(*this == o); }
  __device__ constexpr bool operator!=(const T &v) const { return !(*this == v); }
};
template <class T> optional(T) -> optional<T>;
template <class T> __device__ constexpr optional<T> make_optional(T v) { return optional<T>(v); }

inline constexpr size_t dynamic_extent = (size_t)-1;
template <class T, size_t Extent = dynamic_extent> struct span {
  typedef T element_type;
  typedef T value_type;
  typedef T *iterator;
  typedef size_t size_type;
  T *__margay_first;
  size_t __margay_size;
  constexpr span() : __margay_first(nullptr), __margay_size(0) {}
  constexpr span(T *first, size_t n) : __margay_first(first), __margay_size(n) {}
  constexpr span(T *first, T *last) : __margay_first(first), __margay_size(last - first) {}
  template <size_t N> constexpr span(T (&a)[N]) : __margay_first(a), __margay_size(N) {}
  template <size_t N> constexpr span(array<T, N> &a) : __margay_first(a.data()), __margay_size(N) {}
  template <size_t N> constexpr span(const span<T, N> &s) : __margay_first(s.__margay_first), __margay_size(s.__margay_size) {}
  __device__ constexpr T *data() const { return __margay_first; }
  __device__ constexpr size_t size() const { return __margay_size; }
  __device__ constexpr size_t size_bytes() const { return __margay_size * sizeof(T); }
  __device__ constexpr bool empty() const { return __margay_size == 0; }
  __device__ constexpr T &operator[](size_t n) const { return __margay_first[n]; }
  __device__ constexpr T &front() const { return __margay_first[0]; }
  __device__ constexpr T &back() const { return __margay_first[__margay_size - 1]; }
  __device__ constexpr T *begin() const { return __margay_first; }
  __device__ constexpr T *end() const { return __margay_first + __margay_size; }
  __device__ constexpr span<T> first(size_t n) const { return span<T>(__margay_first, n); }
  __device__ constexpr span<T> last(size_t n) const { return span<T>(__margay_first + (__margay_size - n), n); }
  __device__ constexpr span<T> subspan(size_t from, size_t n = dynamic_extent) const { return span<T>(__margay_first + from, n == dynamic_extent ? __margay_size - from : n); }
};
template <class T> span(T *, size_t) -> span<T>;
template <class T> span(T *, T *) -> span<T>;
template <class T, size_t N> span(T (&)[N]) -> span<T, N>;
template <class T, size_t N> span(array<T, N> &) -> span<T, N>;

// Operators as objects.
#define MARGAY_OPERATOR(NAME, SIGN)                                                                        \
  template <class T = void> struct NAME { __device__ constexpr auto operator()(const T &a, const T &b) const { return a SIGN b; } }; \
  template <> struct NAME<void> { template <class A, class B> __device__ constexpr auto operator()(const A &a, const B &b) const { return a SIGN b; } };
MARGAY_OPERATOR(plus, +)
MARGAY_OPERATOR(minus, -)
MARGAY_OPERATOR(multiplies, *)
MARGAY_OPERATOR(divides, /)
MARGAY_OPERATOR(modulus, %)
MARGAY_OPERATOR(bit_and, &)
MARGAY_OPERATOR(bit_or, |)
MARGAY_OPERATOR(bit_xor, ^)
MARGAY_OPERATOR(less, <)
MARGAY_OPERATOR(greater, >)
MARGAY_OPERATOR(less_equal, <=)
MARGAY_OPERATOR(greater_equal, >=)
MARGAY_OPERATOR(equal_to, ==)
MARGAY_OPERATOR(not_equal_to, !=)
MARGAY_OPERATOR(logical_and, &&)
MARGAY_OPERATOR(logical_or, ||)
struct identity { template <class T> __device__ constexpr T operator()(T x) const { return x; } };

using ::abs;
using ::sqrt;
using ::fabs;
using ::floor;
using ::ceil;
using ::isnan;
using ::isinf;
using ::isfinite;
using ::signbit;

// Bits.
template <class T> __device__ constexpr int popcount(T x) { return sizeof(T) == 8 ? __popcll(x) : __popc((unsigned)x); }
template <class T> __device__ constexpr int countl_zero(T x) { return sizeof(T) == 8 ? __clzll(x) : __clz((unsigned)x) - (32 - 8 * (int)sizeof(T)); }
template <class T> __device__ constexpr int countr_zero(T x) { return x == 0 ? 8 * (int)sizeof(T) : sizeof(T) == 8 ? __ffsll(x) - 1 : __ffs((unsigned)x) - 1; }
template <class T> __device__ constexpr int bit_width(T x) { return 8 * (int)sizeof(T) - countl_zero(x); }
template <class T> __device__ constexpr bool has_single_bit(T x) { return x != 0 && (x & (x - 1)) == 0; }
template <class T> __device__ constexpr T bit_floor(T x) { return x == 0 ? (T)0 : (T)1 << (bit_width(x) - 1); }
template <class T> __device__ constexpr T bit_ceil(T x) { return x <= 1 ? (T)1 : (T)1 << bit_width((T)(x - 1)); }
template <class T> __device__ constexpr T rotl(T x, int n) { return x << n | x >> (8 * sizeof(T) - n); }
template <class T> __device__ constexpr T rotr(T x, int n) { return x >> n | x << (8 * sizeof(T) - n); }

// More of what templates ask of types.
template <class...> using void_t = void;
template <class T> struct type_identity { typedef T type; };
template <class T> using type_identity_t = T;
template <class T> struct remove_cvref { typedef remove_cv_t<remove_reference_t<T>> type; };
template <class T> using remove_cvref_t = remove_cv_t<remove_reference_t<T>>;
template <class T> struct add_lvalue_reference { typedef T &type; };
template <class T> using add_lvalue_reference_t = T &;
template <class T> struct add_rvalue_reference { typedef T &&type; };
template <class T> using add_rvalue_reference_t = T &&;
template <class T> struct add_const { typedef const T type; };
template <class T> using add_const_t = const T;
template <class T> struct add_pointer { typedef remove_reference_t<T> *type; };
template <class T> using add_pointer_t = remove_reference_t<T> *;
template <class T> struct is_void : false_type {};
template <> struct is_void<void> : true_type {};
template <class T> struct is_array : false_type {};
template <class T, size_t N> struct is_array<T[N]> : true_type {};
template <class T> struct remove_extent { typedef T type; };
template <class T, size_t N> struct remove_extent<T[N]> { typedef T type; };
template <class T> using remove_extent_t = typename remove_extent<T>::type;
template <class T> struct extent { static constexpr size_t value = 0; };
template <class T, size_t N> struct extent<T[N]> { static constexpr size_t value = N; };
template <class T> struct make_unsigned { typedef T type; };
template <class T> struct make_signed { typedef T type; };
#define MARGAY_SIGNS(S, U) template <> struct make_unsigned<S> { typedef U type; }; template <> struct make_signed<U> { typedef S type; };
MARGAY_SIGNS(signed char, unsigned char)
template <> struct make_unsigned<char> { typedef unsigned char type; };
template <> struct make_signed<char> { typedef signed char type; };
MARGAY_SIGNS(short, unsigned short)
MARGAY_SIGNS(int, unsigned)
MARGAY_SIGNS(long, unsigned long)
MARGAY_SIGNS(long long, unsigned long long)
template <class T> using make_unsigned_t = typename make_unsigned<T>::type;
template <class T> using make_signed_t = typename make_signed<T>::type;
template <class A, class B = A> struct common_type { typedef decay_t<decltype(true ? declval<A>() : declval<B>())> type; };
template <class A, class B = A> using common_type_t = typename common_type<A, B>::type;
template <class F, class... A> struct invoke_result { typedef decltype(declval<F>()(declval<A>()...)) type; };
template <class F, class... A> using invoke_result_t = typename invoke_result<F, A...>::type;
template <class F, class... A> inline constexpr bool is_invocable_v = requires { declval<F>()(declval<A>()...); };
template <class T> __device__ void __margay_takes(T) {}
template <class A, class B> inline constexpr bool is_convertible_v = requires { __margay_takes<B>(declval<A>()); };
template <class T, class... A> inline constexpr bool is_constructible_v = requires { T(declval<A>()...); };
template <class T, class... A> struct is_constructible : bool_constant<(is_constructible_v<T, A...>)> {};
template <class T> inline constexpr bool is_default_constructible_v = requires { T(); };
template <class T> struct is_default_constructible : bool_constant<(is_default_constructible_v<T>)> {};
template <class A, class B> inline constexpr bool is_assignable_v = requires { declval<A>() = declval<B>(); };
template <class A, class B> struct is_assignable : bool_constant<(is_assignable_v<A, B>)> {};
// What compilers know of a type: how many bytes the first has says what it is.
template <class T> struct __margay_kind;
template <class T> struct __margay_underlying;
template <class T> inline constexpr bool is_enum_v = sizeof(__margay_kind<T>) == 2;
template <class T> inline constexpr bool is_class_v = sizeof(__margay_kind<T>) == 3 || sizeof(__margay_kind<T>) == 5;
template <class T> inline constexpr bool is_union_v = sizeof(__margay_kind<T>) == 4;
template <class T> inline constexpr bool is_empty_v = sizeof(__margay_kind<T>) == 5;
template <class T> struct is_enum : bool_constant<(is_enum_v<T>)> {};
template <class T> struct is_class : bool_constant<(is_class_v<T>)> {};
template <class T> struct is_union : bool_constant<(is_union_v<T>)> {};
template <class T> struct is_empty : bool_constant<(is_empty_v<T>)> {};
template <class A, class B> inline constexpr bool is_base_of_v = is_class_v<A> && is_class_v<B> && requires { __margay_takes<const volatile A *>((B *)nullptr); };
template <class A, class B> struct is_base_of : bool_constant<(is_base_of_v<A, B>)> {};
template <class T> struct underlying_type { typedef __margay_underlying<T> type; };
template <class T> using underlying_type_t = typename underlying_type<T>::type;
template <class T> __device__ constexpr underlying_type_t<T> to_underlying(T x) { return (underlying_type_t<T>)x; }
template <class A, class B> struct is_convertible : bool_constant<(is_convertible_v<A, B>)> {};
template <class F, class... A> struct is_invocable : bool_constant<(is_invocable_v<F, A...>)> {};
template <class... C> inline constexpr bool conjunction_v = (C::value && ...);
template <class... C> inline constexpr bool disjunction_v = (C::value || ...);
template <class C> inline constexpr bool negation_v = !C::value;
template <class... C> struct conjunction : bool_constant<((C::value && ...))> {};
template <class... C> struct disjunction : bool_constant<((C::value || ...))> {};
template <class C> struct negation : bool_constant<(!C::value)> {};
template <class T> inline constexpr bool is_void_v = is_void<T>::value;
template <class T> inline constexpr bool is_array_v = is_array<T>::value;

template <class A, class B> concept same_as = is_same<A, B>::value;
template <class T> concept integral = is_integral<T>::value;
template <class T> concept signed_integral = is_integral<T>::value && is_signed<T>::value;
template <class T> concept unsigned_integral = is_integral<T>::value && !is_signed<T>::value;
template <class T> concept floating_point = is_floating_point<T>::value;
template <class A, class B> concept convertible_to = is_convertible_v<A, B> && requires { static_cast<B>(declval<A>()); };
template <class A, class B> concept derived_from = is_base_of_v<B, A>;
template <class T, class... A> concept constructible_from = is_constructible_v<T, A...>;
template <class F, class... A> concept invocable = requires(F f, A... a) { f(a...); };
template <class T> concept equality_comparable = requires(T a, T b) { a == b; a != b; };
template <class T> concept totally_ordered = requires(T a, T b) { a < b; a > b; a <= b; a >= b; a == b; };
}

#define MARGAY_CHOICE(NAME, SIGN)                                                                          \
  template <class T = void> struct NAME { __device__ constexpr T operator()(const T &a, const T &b) const { return a SIGN b ? a : b; } }; \
  template <> struct NAME<void> { template <class A> __device__ constexpr A operator()(const A &a, const A &b) const { return a SIGN b ? a : b; } };
MARGAY_CHOICE(minimum, <)
MARGAY_CHOICE(maximum, >)
template <class T, class U> __device__ constexpr T ceil_div(T a, U b) { return a / b + (a % b != 0); }
template <class T, class U> __device__ constexpr T round_up(T a, U b) { return ceil_div(a, b) * b; }
template <class T, class U> __device__ constexpr T round_down(T a, U b) { return a / b * b; }
}
