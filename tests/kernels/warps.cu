// Lanes of a warp that share memory, and one barrier too few.

template <bool met>
__device__ void halves(const int *in, int *out) {
  __shared__ int partial[32];
  int t = threadIdx.x;
  partial[t] = in[blockIdx.x * blockDim.x + t];
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (met) __syncwarp();
    int sum = t < half ? partial[t] + partial[t + half] : 0;
    if (met) __syncwarp();
    if (t < half) partial[t] = sum;
  }
  if (t == 0) out[blockIdx.x] = partial[0];
}
extern "C" __global__ void sum_of_a_warp(const int *in, int *out) { halves<true>(in, out); }
extern "C" __global__ void sum_without_syncwarp(const int *in, int *out) { halves<false>(in, out); }

// A shuffle exchanges values, and orders no memory.
template <bool met>
__device__ void told(const int *in, int *out) {
  __shared__ int box;
  if (threadIdx.x == 0) box = in[blockIdx.x];
  int told = __shfl_sync(0xffffffff, (int)threadIdx.x, 0);
  if (met) __syncwarp();
  if (threadIdx.x == 1) out[blockIdx.x] = box + told;
}
extern "C" __global__ void told_by_shuffle(const int *in, int *out) { told<true>(in, out); }
extern "C" __global__ void told_by_shuffle_alone(const int *in, int *out) { told<false>(in, out); }
