// Ordinary kernels, of the kind that suites of race checkers have, right and wrong, and what else CUDA programs are made of.

#include <cstdio>
#include <cassert>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
// Reduction
extern "C" __global__ void reduce_right(const float *in, float *out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0.f;
  __syncthreads();
  for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void reduce_wrong(const float *in, float *out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0.f;
  __syncthreads();
  for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
// Stencil
extern "C" __global__ void stencil_right(const int *in, int *out, int n) {
  extern __shared__ int tile[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t + 1] = in[i];
  if (t == 0) tile[0] = i > 0 ? in[i - 1] : 0;
  if (t == blockDim.x - 1) tile[t + 2] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  out[i] = tile[t] + tile[t + 1] + tile[t + 2];
}
extern "C" __global__ void stencil_wrong(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) a[i] = a[i - 1] + a[i + 1];
}
// Transpose, 2-D
extern "C" __global__ void transpose_right(const float *in, float *out, int w) {
  __shared__ float tile[4][5];
  int x = blockIdx.x * 4 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * w + x];
  __syncthreads();
  x = blockIdx.y * 4 + threadIdx.x; y = blockIdx.x * 4 + threadIdx.y;
  out[y * w + x] = tile[threadIdx.x][threadIdx.y];
}
extern "C" __global__ void transpose_wrong(const float *in, float *out, int w) {
  __shared__ float tile[4][5];
  int x = blockIdx.x * 4 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * w + x];
  x = blockIdx.y * 4 + threadIdx.x; y = blockIdx.x * 4 + threadIdx.y;
  out[y * w + x] = tile[threadIdx.x][threadIdx.y];
}
// Histogram
extern "C" __global__ void histogram_right(const unsigned char *data, unsigned *bins, int n) {
  __shared__ unsigned local[16];
  if (threadIdx.x < 16) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&local[data[i] & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
extern "C" __global__ void histogram_wrong(const unsigned char *data, unsigned *bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) bins[data[i] & 15]++;
}
// Scan
extern "C" __global__ void scan_right(int *a) {
  __shared__ int s[2][64];
  int t = threadIdx.x, in = 0, out = 1;
  s[0][t] = a[t];
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    s[out][t] = t >= d ? s[in][t] + s[in][t - d] : s[in][t];
    __syncthreads();
    int x = in; in = out; out = x;
  }
  a[t] = s[in][t];
}
extern "C" __global__ void scan_wrong(int *a) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    if (t >= d) s[t] += s[t - d];
    __syncthreads();
  }
  a[t] = s[t];
}
// Warp shuffle reduction with shared
extern "C" __global__ void warp_sums(const int *in, int *out, int n) {
  __shared__ int sums[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) { int s = 0; for (int w = 0; w < (blockDim.x + 31) / 32; w++) s += sums[w]; atomicAdd(out, s); }
}
// Votes and compaction
extern "C" __global__ void compact(const int *in, int *out, int *count) {
  int v = in[threadIdx.x];
  unsigned m = __ballot_sync(~0u, v > 0);
  int rank = __popc(m & ((1u << (threadIdx.x & 31)) - 1));
  int base = 0;
  if ((threadIdx.x & 31) == 0) base = atomicAdd(count, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (v > 0) out[base + rank] = v;
}
// Structs
struct Particle { float x, y, z; int id; };
extern "C" __global__ void particles(Particle *p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Particle q = p[i]; q.x += dt; q.y += dt; q.z += dt; q.id++;
  p[i] = q;
}
struct Args { int *a; int n; int s; };
extern "C" __global__ void by_value(Args args) {
  int i = threadIdx.x;
  if (i < args.n) args.a[i * args.s] = i;
}
// Printf/assert
extern "C" __global__ void prints(int *a) {
  int i = threadIdx.x;
  assert(a != nullptr);
  a[i] = i;
  printf("%d %f\n", a[i], 1.0);
}
// Switch
extern "C" __global__ void switches(int *a) {
  int i = threadIdx.x, v;
  switch (i % 7) { case 0: v = 3; break; case 1: v = 17; break; case 2: v = a[64]; break; case 3: v = a[65]*3; break; case 4: v = a[66]/7; break; case 5: v = 8 + a[67]; break; default: v = -1; }
  a[i] = v;
}
// Local arrays
extern "C" __global__ void locals(const int *in, int *out) {
  int h[8];
  for (int k = 0; k < 8; k++) h[k] = 0;
  for (int k = 0; k < 4; k++) h[in[threadIdx.x * 4 + k] & 7]++;
  int m = 0; for (int k = 0; k < 8; k++) m = max(m, h[k]);
  out[threadIdx.x] = m;
}
// Function pointers
__device__ int f1(int x) { return x + 1; }
__device__ int f2(int x) { return x * 2; }
typedef int (*fp)(int);
__device__ fp table[2] = {f1, f2};
extern "C" __global__ void pointers(int *a, int which) { a[threadIdx.x] = table[which & 1](threadIdx.x); }
// Recursion
__device__ __noinline__ int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
extern "C" __global__ void recursive(int *a) { a[threadIdx.x] = fact(threadIdx.x + 2); }
// Texture
extern "C" __global__ void textured(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); }
// Launch bounds, grid stride, 64 bit index, double
extern "C" __global__ void __launch_bounds__(128, 2) saxpy(long long n, double a, const double *x, double *y) {
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)blockDim.x * gridDim.x) y[i] = a * x[i] + y[i];
}
// Templates + constant memory
__constant__ float weights[9];
template <int R> __device__ float conv(const float *in, int i) { float s = 0; for (int k = -R; k <= R; k++) s += weights[k + R] * in[i + k]; return s; }
extern "C" __global__ void convolve(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 4;
  if (i < n + 4) out[i] = conv<4>(in, i);
}
// Matmul tiled
extern "C" __global__ void matmul_right(const float *A, const float *B, float *C, int n) {
  __shared__ float a[2][2], b[2][2];
  int r = blockIdx.y * 2 + threadIdx.y, c = blockIdx.x * 2 + threadIdx.x;
  float s = 0;
  for (int k = 0; k < n; k += 2) {
    a[threadIdx.y][threadIdx.x] = A[r * n + k + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = B[(k + threadIdx.y) * n + c];
    __syncthreads();
    for (int j = 0; j < 2; j++) s += a[threadIdx.y][j] * b[j][threadIdx.x];
    __syncthreads();
  }
  C[r * n + c] = s;
}
extern "C" __global__ void matmul_wrong(const float *A, const float *B, float *C, int n) {
  __shared__ float a[2][2], b[2][2];
  int r = blockIdx.y * 2 + threadIdx.y, c = blockIdx.x * 2 + threadIdx.x;
  float s = 0;
  for (int k = 0; k < n; k += 2) {
    a[threadIdx.y][threadIdx.x] = A[r * n + k + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = B[(k + threadIdx.y) * n + c];
    __syncthreads();
    for (int j = 0; j < 2; j++) s += a[threadIdx.y][j] * b[j][threadIdx.x];
  }
  C[r * n + c] = s;
}
// Atomic max float by CAS loop, atomicAdd double, half
extern "C" __global__ void max_by_cas(float *m, const float *in) {
  int *p = (int *)m; int old = *(volatile int *)p, assumed;
  float v = in[threadIdx.x];
  do { assumed = old; if (__int_as_float(assumed) >= v) break; old = atomicCAS(p, assumed, __float_as_int(v)); } while (assumed != old);
}
// Syncthreads_count/or
extern "C" __global__ void counted(const int *in, int *out) {
  int c = __syncthreads_count(in[threadIdx.x] > 0);
  int o = __syncthreads_or(in[threadIdx.x] == 7);
  if (threadIdx.x == 0) out[blockIdx.x] = c + o;
}
// Early return divergent
extern "C" __global__ void early(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = in[i];
}
// Cg tiles and coalesced
extern "C" __global__ void coalesced(int *count, const int *in) {
  if (in[threadIdx.x] > 0) {
    auto g = cg::coalesced_threads();
    int r = 0;
    if (g.thread_rank() == 0) r = atomicAdd(count, g.size());
    r = g.shfl(r, 0) + g.thread_rank();
  }
}
// Vector loads
extern "C" __global__ void vectors(const float4 *in, float4 *out) { float4 v = in[threadIdx.x]; v.x += v.y * v.z; out[threadIdx.x] = v; }
// Bit tricks and 64-bit
extern "C" __global__ void bits(unsigned long long *a) { unsigned i = threadIdx.x; a[i] = __brevll((unsigned long long)i) ^ __clzll(i + 1) ^ __ffs(i) ^ __umulhi(i, 0x9e3779b9u) ^ __funnelshift_l(i, i + 1, 3) ^ (i * 0x100000001b3ull); }
// Double-buffered shared
extern "C" __global__ void buffers(const int *in, int *out, int rounds) {
  __shared__ int buf[2][32];
  int t = threadIdx.x, s = 0;
  buf[0][t] = in[t];
  for (int r = 0; r < rounds; r++) {
    __syncthreads();
    if (r + 1 < rounds) buf[(r + 1) & 1][t] = in[(r + 1) * blockDim.x + t];
    s += buf[r & 1][(t + 1) % blockDim.x];
  }
  out[t] = s;
}
// 3-D
extern "C" __global__ void volume(float *v, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z < nz) v[(z * ny + y) * nx + x] *= 2.f;
}
// Int division / modulo by n
extern "C" __global__ void wrapped(int *a, int n) { int i = (blockIdx.x * blockDim.x + threadIdx.x) % n; a[i / 2 * 2 + i % 2] = i; }
// Clock/globaltimer, nanosleep
extern "C" __global__ void timed(long long *t) { long long a = clock64(); __nanosleep(20); t[threadIdx.x] = clock64() - a; }
// Malloc in kernel
extern "C" __global__ void allocates(int *out) { int *p = (int *)malloc(16); if (p) { p[0] = 1; out[threadIdx.x] = p[0]; free(p); } }
// Wmma-like mma
extern "C" __global__ void mma(const unsigned *a, float *d) {
  float c0 = 0, c1 = 0, c2 = 0, c3 = 0; unsigned i = threadIdx.x;
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(a[i]), "r"(a[i + 32]), "r"(a[i + 64]));
  d[i] = c0 + c1 + c2 + c3;
}
// Ldmatrix
extern "C" __global__ void ldm(const int *in, int *out) {
  __shared__ alignas(16) int s[128];
  int i = threadIdx.x;
  s[i] = in[i];
  __syncthreads();
  int r; asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"((unsigned)__cvta_generic_to_shared(&s[(i & 7) * 4])));
  out[i] = r;
}
extern "C" __global__ void ldm_wrong(const int *in, int *out) {
  __shared__ alignas(16) int s[128];
  int i = threadIdx.x;
  s[i] = in[i];
  int r; asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"((unsigned)__cvta_generic_to_shared(&s[(i & 7) * 4])));
  out[i] = r;
}
// A barrier with a count orders what is in front of it, and nothing behind it.
extern "C" __global__ void counted_wrong(const int *in, int *out) {
  int c = __syncthreads_count(in[threadIdx.x] > 0);
  out[blockIdx.x] = c;
}
