// Kernels as suites of races and divergent barriers have them, right and wrong.

#include <assert.h>

extern "C" __global__ void neigh_race(int *a) {
  int t = threadIdx.x;
  a[t] = a[t + 1];
}

extern "C" __global__ void arr2d(int *o) {
  __shared__ int A[8][8];
  A[threadIdx.y][threadIdx.x] = 1;
  __syncthreads();
  o[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x] = A[threadIdx.x % blockDim.y][threadIdx.y % blockDim.x];
}

extern "C" __global__ void arr2d_bad(int *o) {
  __shared__ int A[8][8];
  A[threadIdx.y][threadIdx.x] = 1;
  o[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x] = A[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void arr3d(float *g) {
  __shared__ float A[4][4][4];
  A[threadIdx.z][threadIdx.y][threadIdx.x] = g[0];
  __syncthreads();
}

namespace of_struct_arr_bad {
typedef struct {
  int a[4];
  int b;
} T;
extern "C" __global__ void struct_arr_bad(T *q) {
  int t = threadIdx.x;
  q[t].a[1] = q[t+1].a[1];
}
}

union U {
  int i;
  short s[2];
};
extern "C" __global__ void union_bad(U *q) {
  if (threadIdx.x == 0) q[blockIdx.x].i = 1;
  else q[blockIdx.x].s[1] = 2;
}

extern "C" __global__ void ptr_array(int *a, int *b) {
  int *p[2];
  p[0] = a;
  p[1] = b;
  p[threadIdx.x % 2][0] = threadIdx.x;
}

extern "C" __global__ void null_check(int *a) {
  int *p = 0;
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  if (p != NULL) *p = 1;
  else a[t] = 2;
}

extern "C" __global__ void wrap(int *a) {
  unsigned t = threadIdx.x;
  if (t - 1 > 1000u) a[blockIdx.x] = 1;
}

extern "C" __global__ void shifts(int *a) {
  size_t t = threadIdx.x + blockIdx.x * blockDim.x;
  a[(t << 1) >> 1] = (int)t;
  a[t] |= 1 << 3;
}

extern "C" __global__ void tern(int *a, int *b) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  int *p = t % 2 ? a : b;
  p[t] = t > 3 ? 1 : 2;
}

extern "C" __global__ void sw_fall(int *a) {
  switch (threadIdx.x) {
    case 0: a[1] = 1;
    case 1: a[2] = 1;
    break;
    case 2: a[3] = 2;
    break;
    default: a[4 + threadIdx.x] = 1;
  }
}

extern "C" __global__ void sw_ok(int *a) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  switch (t) {
    case 0: a[0] = 1;
    break;
    case 1: case 2: a[t] = 5;
    break;
    default: a[t] = 2;
  }
}

extern "C" __global__ void do_while(int *a) {
  int i = 0;
  __shared__ int s[256];
  do {
    s[threadIdx.x] = i;
    __syncthreads();
    i++;
  } while (i < 3);
  a[threadIdx.x + blockIdx.x * blockDim.x] = s[threadIdx.x];
}

extern "C" __global__ void brk_bar(int *a) {
  for (int i = 0; i < 4; i++) {
    if (i == 2) break;
    __syncthreads();
    if (i == 1) continue;
    __syncthreads();
  }
}

extern "C" __global__ void bar_cond_div(int *a) {
  if (threadIdx.x < 1) __syncthreads();
  else {
    __syncthreads();
  }
}

extern "C" __global__ void loop_bd(int *a) {
  __shared__ int s[1024];
  s[threadIdx.x] = 1;
  __syncthreads();
  int r = 0;
  for (int i = 0; i < blockDim.x; i++) r += s[i];
  a[threadIdx.x + blockIdx.x * blockDim.x] = r;
}

extern "C" __global__ void reduce_ok(int *in, int *out) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) s[t] += s[t + d];
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void reduce_bad(int *in, int *out) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void reduce_il_bad(int *in, int *out) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    if (t % (2 * d) == 0) s[t] += s[t + d];
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void scan_ok(int *a) {
  __shared__ int s[2][128];
  int t = threadIdx.x, o = 0;
  s[0][t] = a[t + blockIdx.x * blockDim.x];
  __syncthreads();
  for (int d = 1; d < blockDim.x; d <<= 1) {
    int n = 1 - o;
    s[n][t] = s[o][t];
    if (t >= d) s[n][t] += s[o][t - d];
    o = n;
    __syncthreads();
  }
  a[t + blockIdx.x * blockDim.x] = s[o][t];
}

extern "C" __global__ void scan_bad(int *a) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  for (int d = 1; d < blockDim.x; d <<= 1) {
    if (t >= d) s[t] += s[t - d];
    __syncthreads();
  }
  a[t] = s[t];
}

extern "C" __global__ void histo_ok(const unsigned char *d, unsigned *h, int n) {
  __shared__ unsigned s[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[d[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&h[i], s[i]);
}

extern "C" __global__ void histo_bad(const unsigned char *d, unsigned *h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) h[d[i]]++;
}

extern "C" __global__ void histo_noinit(const unsigned char *d, unsigned *h) {
  __shared__ unsigned s[32];
  if (threadIdx.x < 32) s[threadIdx.x] = 0;
  atomicAdd(&s[d[threadIdx.x] % 32], 1);
  __syncthreads();
  atomicAdd(&h[threadIdx.x], s[threadIdx.x]);
}

extern "C" __global__ void bitonic_ok(int *v) {
  __shared__ int s[64];
  unsigned t = threadIdx.x;
  s[t] = v[t + blockIdx.x * blockDim.x];
  __syncthreads();
  for (unsigned n = 2; n <= blockDim.x; n *= 2) for (unsigned j = n / 2; j > 0; j /= 2) {
    unsigned x = t ^ j;
    if (x > t) {
      if ((t & n) == 0) {
        if (s[t] > s[x]) {
          int q = s[t];
          s[t] = s[x];
          s[x] = q;
        }
      } else if (s[t] < s[x]) {
        int q = s[t];
        s[t] = s[x];
        s[x] = q;
      }
    }
    __syncthreads();
  }
  v[t + blockIdx.x * blockDim.x] = s[t];
}

extern "C" __global__ void bitonic_bad(int *v) {
  __shared__ int s[64];
  unsigned t = threadIdx.x;
  s[t] = v[t + blockIdx.x * blockDim.x];
  __syncthreads();
  for (unsigned n = 2; n <= blockDim.x; n *= 2) for (unsigned j = n / 2; j > 0; j /= 2) {
    unsigned x = t ^ j;
    if (x > t) {
      if (s[t] > s[x]) {
        int q = s[t];
        s[t] = s[x];
        s[x] = q;
      }
    }
  }
  v[t + blockIdx.x * blockDim.x] = s[t];
}

extern "C" __global__ void memcpy_bad(int *a, int *b) {
  memcpy(a, b, 2 * sizeof(int));
}

extern "C" __global__ void memset_ok(int *a) {
  int b[4];
  memset(b, 0, sizeof b);
  a[threadIdx.x + blockIdx.x * blockDim.x] = b[2];
}

extern "C" __global__ void assert_sh(int *a) {
  __shared__ int s[4];
  s[threadIdx.x % 4] = threadIdx.x;
  __syncthreads();
  assert(s[0] != 0);
}

extern "C" __global__ void vec_ok(float4 *a, int2 *b) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  float4 v = a[t];
  v.x += 1.0f;
  v.w = v.y * 2;
  a[t] = v;
  b[t] = make_int2(t, b[t].x);
  b[t].y++;
}

extern "C" __global__ void vec_bad(float4 *a) {
  float *f = (float *)a;
  int t = threadIdx.x;
  a[t].x = f[4 * t + 4];
}

extern "C" __global__ void dyn_sh_ok2(int *a) {
  extern __shared__ char raw[];
  int *x = (int *)raw;
  float *y = (float *)&x[blockDim.x];
  x[threadIdx.x] = 1;
  y[threadIdx.x] = 2;
  __syncthreads();
  a[blockIdx.x * blockDim.x + threadIdx.x] = x[0] + (int)y[0];
}

extern "C" __global__ void dyn_sh_bad(int *a) {
  extern __shared__ char raw[];
  int *x = (int *)raw;
  x[threadIdx.x] = 1;
  int *y = x + 1;
  a[blockIdx.x * blockDim.x + threadIdx.x] = y[threadIdx.x];
}

extern "C" __global__ void same_value_sh(int *a) {
  __shared__ int s;
  s = 5;
  __syncthreads();
  a[threadIdx.x + blockIdx.x * blockDim.x] = s;
}

extern "C" __global__ void dbl_buffer(int *a) {
  __shared__ int s[2][64];
  int t = threadIdx.x;
  int cur = 0;
  s[0][t] = a[t];
  __syncthreads();
  for (int i = 0; i < 3; ++i) {
    s[1 - cur][t] = s[cur][(t + 1) % blockDim.x];
    cur = 1 - cur;
    __syncthreads();
  }
  a[t] = s[cur][t];
}

extern "C" __global__ void dbl_buffer_bad(int *a) {
  __shared__ int s[2][64];
  int t = threadIdx.x;
  int cur = 0;
  s[0][t] = a[t];
  __syncthreads();
  for (int i = 0; i < 3; ++i) {
    s[1 - cur][t] = s[cur][(t + 1) % blockDim.x];
    cur = 1 - cur;
  }
  a[t] = s[cur][t];
}

extern "C" __global__ void char_nb(char *c) {
  int t = threadIdx.x;
  c[t] = c[t ^ 1];
}

namespace of_class_ctor {
class Acc {
  int *p;
  public: __device__ Acc(int *q) : p(q) {
  }
  __device__ ~Acc() {
    *p += 1;
  }
  __device__ void add(int v) {
    *p += v;
  }
};
extern "C" __global__ void class_ctor(int *a) {
  Acc c(&a[threadIdx.x + blockIdx.x * blockDim.x]);
  c.add(3);
}
}

extern "C" __global__ void atomic_flag_bar(int *a) {
  __shared__ int f;
  if (threadIdx.x == 0) f = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    a[0] = 1;
    atomicExch(&f, 1);
  } else {
    while (atomicAdd(&f, 0) == 0);
    a[1] = a[0];
  }
}

extern "C" __global__ void atomic_flag_fence(int *a) {
  __shared__ int f;
  if (threadIdx.x == 0) f = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    a[0] = 1;
    __threadfence_block();
    atomicExch(&f, 1);
  } else {
    while (atomicAdd(&f, 0) == 0);
    __threadfence_block();
    a[1] = a[0];
  }
}

extern "C" __global__ void div_loop(int *a) {
  for (int i = 0; i <= threadIdx.x; ++i) {
    a[threadIdx.x * 64 + i] = 1;
    __syncthreads();
  }
  a[threadIdx.x * 64 + 63] = 2;
}

extern "C" __global__ void bar_switch(int *a) {
  switch (threadIdx.x & 1) {
    case 0: __syncthreads();
    break;
    case 1: __syncthreads();
    break;
  }
  a[threadIdx.x] = 1;
}

extern "C" __global__ void unsigned_rev(int *a) {
  unsigned n = gridDim.x * blockDim.x;
  for (unsigned i = n; i-- > 0;) if (i == threadIdx.x + blockIdx.x * blockDim.x) a[i] = i;
}

namespace of_sharedstruct {
struct S {
  int n;
  float v[8];
};
extern "C" __global__ void sharedstruct(float *o) {
  __shared__ S s;
  if (threadIdx.x == 0) s.n = 2;
  if (threadIdx.x < 8) s.v[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < s.n) o[blockIdx.x * 8 + threadIdx.x] = s.v[threadIdx.x];
}
}

extern "C" __global__ void or_ok(int *a) {
  int n = __syncthreads_count(threadIdx.x % 2);
  assert(n == blockDim.x / 2);
  if (__syncthreads_or(threadIdx.x == 0)) a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  assert(__syncthreads_and(threadIdx.x < blockDim.x));
  assert(!__syncthreads_and(threadIdx.x > 0));
}

extern "C" __global__ void or_bad(int *a) {
  for (int i = 0; i < 3; i++) {
    int n = __syncthreads_count(threadIdx.x < i);
    assert(n == 0);
  }
  a[threadIdx.x + blockIdx.x * blockDim.x] = 1;
}

extern "C" __global__ void or_loop(int *a) {
  int i = 0;
  while (__syncthreads_or(i < threadIdx.x)) {
    i++;
  }
  a[threadIdx.x + blockIdx.x * blockDim.x] = i;
}

extern "C" __global__ void block_red_bad(int *in, int *out) {
  __shared__ int s[32];
  int v = in[threadIdx.x], lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
  if (lane == 0) s[w] = v;
  if (w == 0) {
    v = lane < blockDim.x / 32 ? s[lane] : 0;
    for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
    if (lane == 0) *out = v;
  }
}

extern "C" __global__ void spin(int *m, int *c) {
  while (atomicCAS(m, 0, 1) != 0);
  __threadfence();
  *c = *c + 1;
  __threadfence();
  atomicExch(m, 0);
}

extern "C" __global__ void spin_nofence(int *m, int *c) {
  while (atomicCAS(m, 0, 1) != 0);
  *c = *c + 1;
  atomicExch(m, 0);
}

extern "C" __global__ void spin_norelease(int *m, int *c) {
  while (atomicCAS(m, 0, 1) != 0);
  __threadfence();
  *c = *c + 1;
  *m = 0;
}

extern "C" __global__ void spin_done(int *m, int *c) {
  bool done = false;
  while (!done) {
    if (atomicCAS(m, 0, 1) == 0) {
      __threadfence();
      c[0]++;
      __threadfence();
      atomicExch(m, 0);
      done = true;
    }
  }
}

extern "C" __global__ void syncwarp_mask(int *a) {
  __shared__ int s[4];
  s[threadIdx.x] = 1;
  if (threadIdx.x < 2) {
    __syncwarp(3);
    a[threadIdx.x] = s[1 - threadIdx.x];
  }
}

extern "C" __global__ void syncwarp_mask_bad(int *a) {
  __shared__ int s[4];
  s[threadIdx.x] = 1;
  if (threadIdx.x < 2) {
    __syncwarp(3);
    a[threadIdx.x] = s[3 - threadIdx.x];
  }
}

extern "C" __global__ void shared16(int *a) {
  __shared__ int s[16];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  a[blockIdx.x * blockDim.x + threadIdx.x] = s[(threadIdx.x + 1) % 16];
}

extern "C" __global__ void counter_sh(int *o) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  int i = atomicAdd(&n, 1);
  o[blockIdx.x * blockDim.x + i] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) o[1000 + blockIdx.x] = n;
}

extern "C" __global__ void counter_sh_bad(int *o) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  atomicAdd(&n, 1);
  __syncthreads();
  if (threadIdx.x == 0) o[1000 + blockIdx.x] = n;
}

// Which element is the largest: the way depends on numbers with a point.
extern "C" __global__ void argmax_ok(const float *in, int *out) {
  __shared__ float s[64];
  __shared__ int k[64];
  int t = threadIdx.x;
  s[t] = in[t];
  k[t] = t;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d && s[t + d] > s[t]) {
      s[t] = s[t + d];
      k[t] = k[t + d];
    }
    __syncthreads();
  }
  if (t == 0) *out = k[0];
}

extern "C" __global__ void argmax_bad(const float *in, int *out) {
  __shared__ float s[64];
  __shared__ int k[64];
  int t = threadIdx.x;
  s[t] = in[t];
  k[t] = t;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1)
    if (t < d && s[t + d] >= s[t]) {
      s[t] = s[t + d];
      k[t] = k[t + d];
    }
  if (t == 0) *out = k[0];
}

extern "C" __global__ void bitonic_of_eight(int *v) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x;
  s[t] = v[t];
  __syncthreads();
  for (unsigned k = 2; k <= blockDim.x; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2) {
      unsigned o = t ^ j;
      if (o > t && (s[t] > s[o]) == ((t & k) == 0)) {
        int x = s[t];
        s[t] = s[o];
        s[o] = x;
      }
    }
  v[t] = s[t];
}

extern "C" __global__ void odd_even_bad(int *a) {
  int t = threadIdx.x, n = 2 * blockDim.x;
  for (int r = 0; r < n; r++) {
    int p = 2 * t + (r & 1);
    if (p + 1 < n && a[p] > a[p + 1]) {
      int x = a[p];
      a[p] = a[p + 1];
      a[p + 1] = x;
    }
  }
}

extern "C" __global__ void merge_network(int *v) {
  __shared__ int s[64];
  int t = threadIdx.x, n = 2 * blockDim.x;
  s[t] = v[t];
  s[t + blockDim.x] = v[t + blockDim.x];
  for (int size = 2; size <= n; size <<= 1) {
    int step = size / 2, behind = t & (step - 1);
    __syncthreads();
    int p = 2 * t - behind;
    if (s[p] > s[p + step]) {
      int x = s[p];
      s[p] = s[p + step];
      s[p + step] = x;
    }
    for (step >>= 1; step > 0; step >>= 1) {
      __syncthreads();
      p = 2 * t - (t & (step - 1));
      if (behind >= step && s[p - step] > s[p]) {
        int x = s[p];
        s[p] = s[p - step];
        s[p - step] = x;
      }
    }
  }
  __syncthreads();
  v[t] = s[t];
  v[t + blockDim.x] = s[t + blockDim.x];
}

extern "C" __global__ void ways_that_compute(const float *x, float *o) {
  int t = threadIdx.x;
  float v = x[t] * 0.7f;
  if (v > 1.0f) {
    v = v * v;
    if (v > 3.0f) v = 3.0f;
  } else v = 0.5f - v;
  o[t] = v;
}

extern "C" __global__ void ways_that_compute_bad(const float *x, float *o) {
  int t = threadIdx.x;
  float v = x[t] * 0.7f + 0.1f * t;
  if (v > 1.0f) v = v * v;
  o[t / 2] = v;
}

extern "C" __global__ void ways_that_store(const float *x, float *o) {
  int t = threadIdx.x;
  float v = __expf(x[t]);
  if (v > 1.0f) o[0] = v;
}

// The headers of cuRAND are no part of the compiler, and what verifiers are told it does not know.
#ifdef __MARGAY__
#include <curand_kernel.h>

extern "C" __global__ void states_of_their_own(curandState *states, float *o) {
  curandState mine = states[threadIdx.x];
  o[threadIdx.x] = curand_uniform(&mine) + curand_normal(&mine);
  states[threadIdx.x] = mine;
}

extern "C" __global__ void state_of_all(curandState *states, unsigned *o) {
  o[threadIdx.x] = curand(states);
}

extern "C" __global__ void states_of_philox(float4 *o) {
  curandStatePhilox4_32_10_t mine;
  curand_init(1, threadIdx.x, 0, &mine);
  o[threadIdx.x] = curand_uniform4(&mine);
  o[threadIdx.x].x += curand_uniform_double(&mine);
}

// Which of two places is written hangs on a number that nobody knows.
extern "C" __global__ void drawn_place(int *o) {
  curandState mine;
  curand_init(1, threadIdx.x, 0, &mine);
  o[curand(&mine) & 1] = 1;
}

typedef float (*of_number)(float);
__device__ float twice(float x) {
  __ensures(__return_val_funptr(of_number) == twice & __old(x) == x);
  return 2 * x;
}
extern "C" __global__ void verified(float *v, int n) {
  if (!__enabled()) v[0] = 1;
  for (int i = threadIdx.x; __invariant(__implies(__write(v), __write_offset_bytes(v) / sizeof(float) % blockDim.x == threadIdx.x)), i < n; i += blockDim.x)
    v[i] = twice(v[i]);
}
#endif

#define SQUARE_OF(x) ({ int whole_ = (x); for (;;) break; whole_ * whole_; })
extern "C" __global__ void statements_as_values(int *o) {
  int t = threadIdx.x;
  o[SQUARE_OF(t) + ({ t++; 0; })] = t;
}

extern "C" __global__ void statements_as_values_wrong(int *o) {
  o[SQUARE_OF(threadIdx.x) / 2] = 1;
}
