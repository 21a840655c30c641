// The reduction of the CUDA SDK (sdk-red of PLDI 2016; `threadFenceReduction`): each block writes its sum and counts itself by atomicInc;
// the last one adds the sums. Written anew; the sum of a block is one number here, and the last block's first thread adds.

template <bool before_counter, bool behind_counter, typename Sums>
__device__ void reduce(const int* in, Sums* sums, unsigned int* retired, int* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = in[blockIdx.x];
    if (before_counter) __threadfence();
    unsigned int ticket = atomicInc(retired, gridDim.x);
    last = ticket == gridDim.x - 1;
    if (behind_counter) __threadfence();
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int total = 0;
    for (unsigned int i = 0; i < gridDim.x; i++) total += sums[i];
    *out = total;
  }
}

extern "C" __global__ void sdk_red_nf(const int* in, int* sums, unsigned int* retired, int* out) {
  reduce<false, false>(in, sums, retired, out);
}
// As in the SDK: one fence, in front of the counter.
extern "C" __global__ void sdk_red(const int* in, int* sums, unsigned int* retired, int* out) {
  reduce<true, false>(in, sums, retired, out);
}
// The same with sums that are volatile.
extern "C" __global__ void sdk_red_volatile(const int* in, volatile int* sums, unsigned int* retired, int* out) {
  reduce<true, false>(in, sums, retired, out);
}
// One fence, behind the counter.
extern "C" __global__ void sdk_red_behind(const int* in, int* sums, unsigned int* retired, int* out) {
  reduce<false, true>(in, sums, retired, out);
}
extern "C" __global__ void sdk_red_fences(const int* in, int* sums, unsigned int* retired, int* out) {
  reduce<true, true>(in, sums, retired, out);
}
