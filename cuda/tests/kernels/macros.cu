// Templates, constants, macros and what host code has around kernels.
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                 \
  do {                                                                              \
    cudaError_t e = call;                                                           \
    if (e != cudaSuccess) { std::cerr << cudaGetErrorString(e) << "\n"; exit(1); } \
  } while (0)
constexpr int kThreads = 4;
const int kItems = kThreads * 2;
enum Mode { Copy, Add = 5, Sub };
enum class Kind : unsigned { One = 1, Two };
typedef struct {
  int *values;
  int count;
} Span;
struct Matrix {
  float *data;
  int rows, columns;
  __host__ __device__ float &at(int r, int c) { return data[r * columns + c]; }
};
__constant__ int table[4] = {1, 2, 3, 4};
__device__ int scale = 3;
__device__ float start[2] = {1.5f, -2};

template <typename T>
__host__ __device__ constexpr T ceil_div(T a, T b) { return (a + b - 1) / b; }

template <typename T, int Items, Mode M = Add>
__global__ void process(T *out, T by) {
  static_assert(Items > 0, "items");
  T own[Items];
  for (int i = 0; i < Items; i++) own[i] = table[i % 4] * scale;
  if constexpr (M == Add) out[blockIdx.x * blockDim.x + threadIdx.x] = own[Items - 1] + by;
  else out[threadIdx.x] = own[0] - by;
}
template <int Size>
__device__ int sum_of(const int (&values)[Size]) {
  int sum = 0;
  for (int v = 0; v < Size; v++) sum += values[v];
  return sum;
}
__global__ void constants(int *out) {
  int four[4] = {1, 2, 3, 4};
  static_assert(kItems == 8, "");
  if (ceil_div(10, 4) != 3 || sum_of(four) != 10 || Sub != 6 || (int)Kind::Two != 2 || table[2] != 3 || scale != 3) __trap();
  if (kItems != 8 || sizeof(Span) != 16 || sizeof(Matrix) != 16) __trap();
  out[threadIdx.x] = kItems + (int)start[1];
}
__global__ void spans(Span s) {
  for (int i = threadIdx.x; i < s.count; i += blockDim.x) s.values[i] = i;
}
__global__ void spans_wrong(Span s) {
  for (int i = 0; i < s.count; i++) s.values[i] = threadIdx.x;
}
__global__ void matrices(Matrix m) { m.at(threadIdx.y, threadIdx.x) *= 2; }
__global__ void __launch_bounds__(64) changed_parameter(int n, int *out) {
  n += 1;
  int &alias = n;
  alias *= 2;
  int *p = &n;
  *p -= 1;
  out[threadIdx.x] = n;
}

void run() {
  int *out;
  CHECK(cudaMalloc(&out, 64));
  process<int, 2><<<1, kThreads>>>(out, 1);
  process<int, kItems, Sub><<<2, 2>>>(out, 1);
  std::vector<int> host(16);
  auto print = [&](int x) { std::cout << x; };
  for (auto v : host) print(v);
}
int main(int argc, char **argv) {
  run();
  return 0;
}
