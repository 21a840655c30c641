// The types of libcu++ that programs speak of, in what they compute and in what threads do with them.
#include <cassert>
#include <cuda/std/array>
#include <cuda/std/functional>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

template <int... I> __device__ void each(int *a, cuda::std::integer_sequence<int, I...>) { ((a[threadIdx.x + I * blockDim.x] = I), ...); }
template <size_t... I> __device__ void few(int *a, cuda::std::index_sequence<I...>) { ((a[I] = threadIdx.x), ...); }
extern "C" __global__ void voc_sequence(int *a) { each(a, cuda::std::make_integer_sequence<int, 3>{}); }
extern "C" __global__ void voc_sequence_wrong(int *a) { few(a, cuda::std::make_index_sequence<3>{}); }

__device__ cuda::std::optional<int> find(int *a, int n) {
  for (int i = 0; i < n; ++i)
    if (a[i] == 3) return i;
  return cuda::std::nullopt;
}
extern "C" __global__ void voc_optional(int *a, int *b) {
  auto r = find(a, 2);
  b[threadIdx.x] = r.value_or(7);
  if (r) b[threadIdx.x] = *r;
  assert(!r.has_value() || r.value() < 2);
  cuda::std::optional<int> o;
  assert(!o && o == cuda::std::nullopt);
  o = 5;
  assert(o && *o == 5 && o == 5);
  o.reset();
  assert(!o.has_value());
}
// There is none, and its value is asked for.
extern "C" __global__ void voc_optional_wrong(int *a) {
  cuda::std::optional<int> o = cuda::std::nullopt;
  if (o.has_value()) a[threadIdx.x] = 1;
  else a[0] = threadIdx.x;
}
extern "C" __global__ void voc_tuple(int *a) {
  cuda::std::tuple<int, float, char> t{1, 2.f, 'c'};
  auto u = cuda::std::make_tuple(threadIdx.x, 5);
  auto [i, f, c] = t;
  cuda::std::get<0>(t) = 4;
  assert(cuda::std::get<0>(t) == 4 && i == 1 && f == 2.f && c == 'c');
  auto &[j, g, d] = t;
  j = 6;
  assert(cuda::std::get<0>(t) == 6);
  int x, y;
  cuda::std::tie(x, y) = cuda::std::make_tuple(3, 4);
  assert(x == 3 && y == 4);
  static_assert(cuda::std::tuple_size<decltype(t)>::value == 3 && sizeof(t) == 12);
  static_assert(cuda::std::is_same<cuda::std::tuple_element<1, decltype(t)>::type, float>::value);
  int s = cuda::std::apply([](auto... v) { return (v + ...); }, cuda::std::make_tuple(1, 2, 3));
  assert(s == 6);
  cuda::std::tuple v(1, 2.5f);
  assert(cuda::std::get<1>(v) == 2.5f);
  a[cuda::std::get<0>(u)] = cuda::std::get<1>(u);
}
extern "C" __global__ void voc_tuple_wrong(int *a) {
  auto [at, v] = cuda::std::make_tuple(threadIdx.x / 2, 5);
  a[at] = threadIdx.x;
}
extern "C" __global__ void voc_pair(int *a) {
  cuda::std::pair p(1, 2.0f);
  auto q = cuda::std::make_pair(3, 4);
  auto [x, y] = q;
  assert(p.second == 2.0f && x == 3 && y == 4 && cuda::std::get<1>(q) == 4);
  a[threadIdx.x] = p.first;
}
extern "C" __global__ void voc_array(int *a) {
  cuda::std::array<int, 2> arr = {4, 5};
  auto [x, y] = arr;
  cuda::std::array more{1, 2, 3};
  int t = 0;
  for (int v : more) t += v;
  assert(t == 6 && cuda::std::get<1>(arr) == 5 && x == 4 && more.at(1) == 2 && more.size() == 3);
  __shared__ cuda::std::array<cuda::std::array<int, 2>, 4> s;
  s[threadIdx.x][1] = y;
  a[threadIdx.x] = s[threadIdx.x][1];
}
extern "C" __global__ void voc_array_wrong(int *a) {
  __shared__ cuda::std::array<int, 4> s;
  s[threadIdx.x] = 1;
  a[threadIdx.x] = s[(threadIdx.x + 1) % 4];
}
__device__ void fill(cuda::std::span<int> s) {
  for (auto &x : s) x = 1;
  s[0] = 2;
}
extern "C" __global__ void voc_span(int *a) {
  cuda::std::span<int> s(a, 8);
  fill(s.subspan(threadIdx.x * 2, 2));
  assert(s.size() == 8 && s.first(3).size() == 3 && !s.empty());
}
extern "C" __global__ void voc_span_wrong(int *a) {
  cuda::std::span s(a, 8);
  fill(s.subspan(threadIdx.x, 2));
}
template <class F> __device__ int folded(F f, int a, int b) { return f(a, b); }
extern "C" __global__ void voc_functions(int *a) {
  assert(folded(cuda::std::plus<int>{}, 3, 4) == 7 && folded(cuda::std::multiplies<>{}, 3, 4) == 12);
  assert(cuda::std::min(3, 4) == 3 && cuda::std::max<int>(3, 4) == 4);
  static_assert(cuda::std::is_same_v<cuda::std::make_unsigned_t<int>, unsigned> && cuda::std::is_void<void>::value);
  static_assert(cuda::std::integral_constant<int, 3>{} == 3);
  a[threadIdx.x] = 1;
}
