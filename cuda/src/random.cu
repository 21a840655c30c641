// Random numbers of the device (cuRAND). XORWOW goes on as the library does; what a sequence begins with, and Philox' numbers, nobody interprets.
__device__ inline unsigned __margay_any_number(unsigned of) { return of ^ (unsigned)clock(); }
struct curandStateXORWOW { unsigned d; unsigned v[5]; int boxmuller_flag; int boxmuller_flag_double; float boxmuller_extra; double boxmuller_extra_double; };
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandState;
struct curandStatePhilox4_32_10 { uint4 ctr; uint4 output; uint2 key; unsigned STATE; int boxmuller_flag; int boxmuller_flag_double; float boxmuller_extra; double boxmuller_extra_double; };
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
__device__ inline void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStateXORWOW *s) {
  const unsigned first = __margay_any_number((unsigned)(seed + sequence + offset));
  for (int i = 0; i < 5; i++) s->v[i] = first;
  s->d = first;
  s->boxmuller_flag = 0;
  s->boxmuller_flag_double = 0;
  s->boxmuller_extra = 0.f;
  s->boxmuller_extra_double = 0.;
}
__device__ inline unsigned curand(curandStateXORWOW *s) {
  const unsigned t = s->v[0] ^ (s->v[0] >> 2);
  s->v[0] = s->v[1];
  s->v[1] = s->v[2];
  s->v[2] = s->v[3];
  s->v[3] = s->v[4];
  s->v[4] = (s->v[4] ^ (s->v[4] << 4)) ^ (t ^ (t << 1));
  s->d += 362437;
  return s->v[4] + s->d;
}
__device__ inline uint4 __margay_philox(const uint4 &c, const uint2 &key) {
  const unsigned n = __margay_any_number(c.x + c.y + c.z + c.w + key.x + key.y);
  return make_uint4(n, n, n, n);
}
__device__ inline void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStatePhilox4_32_10 *s) {
  s->ctr = make_uint4((unsigned)(offset / 4), (unsigned)(offset / 4 >> 32), (unsigned)sequence, (unsigned)(sequence >> 32));
  s->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
  s->STATE = (unsigned)offset & 3;
  s->boxmuller_flag = 0;
  s->boxmuller_flag_double = 0;
  s->boxmuller_extra = 0.f;
  s->boxmuller_extra_double = 0.;
  s->output = __margay_philox(s->ctr, s->key);
}
__device__ inline void __margay_next(curandStatePhilox4_32_10 *s) {
  if (++s->ctr.x == 0 && ++s->ctr.y == 0 && ++s->ctr.z == 0) ++s->ctr.w;
  s->output = __margay_philox(s->ctr, s->key);
}
__device__ inline unsigned curand(curandStatePhilox4_32_10 *s) {
  const unsigned n = s->STATE;
  const unsigned found = n == 1 ? s->output.y : n == 2 ? s->output.z : n == 3 ? s->output.w : s->output.x;
  s->STATE = n + 1;
  if (s->STATE == 4) {
    __margay_next(s);
    s->STATE = 0;
  }
  return found;
}
__device__ inline uint4 curand4(curandStatePhilox4_32_10 *s) {
  const uint4 found = s->output;
  __margay_next(s);
  return found;
}
template <class S> __device__ float curand_uniform(S *s) { return curand(s) * 2.3283064e-10f + 1.1641532e-10f; }
template <class S> __device__ double curand_uniform_double(S *s) {
  const unsigned x = curand(s);
  const unsigned y = curand(s);
  return (((unsigned long long)y << 21) ^ x) * 1.1102230246251565e-16 + 5.551115123125783e-17;
}
template <class S> __device__ float curand_normal(S *s) {
  if (s->boxmuller_flag != 1) {
    const unsigned x = curand(s);
    const unsigned y = curand(s);
    const float radius = sqrtf(-2.f * logf(x * 2.3283064e-10f + 1.1641532e-10f)), angle = y * 1.4629181e-09f + 7.3145904e-10f;
    s->boxmuller_extra = radius * cosf(angle);
    s->boxmuller_flag = 1;
    return radius * sinf(angle);
  }
  s->boxmuller_flag = 0;
  return s->boxmuller_extra;
}
template <class S> __device__ float2 curand_normal2(S *s) {
  const unsigned x = curand(s);
  const unsigned y = curand(s);
  const float radius = sqrtf(-2.f * logf(x * 2.3283064e-10f + 1.1641532e-10f)), angle = y * 1.4629181e-09f + 7.3145904e-10f;
  return make_float2(radius * sinf(angle), radius * cosf(angle));
}
template <class S> __device__ float curand_log_normal(S *s, float mean, float deviation) { return expf(mean + deviation * curand_normal(s)); }
__device__ inline float4 curand_uniform4(curandStatePhilox4_32_10 *s) {
  const uint4 n = curand4(s);
  return make_float4(n.x * 2.3283064e-10f, n.y * 2.3283064e-10f, n.z * 2.3283064e-10f, n.w * 2.3283064e-10f);
}
