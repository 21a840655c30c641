// A scan with decoupled look-back (CUB; cub-scan of PLDI 2016) at full size: a block scans a tile in its shared memory, and its first thread
// publishes the sum, looks back over the blocks in front until it finds one with a whole prefix, and publishes the prefix. A flag says which of
// the two is there: 1 the sum, 2 the prefix; flags are volatile. A block waits for blocks of smaller numbers only.

template <bool fences>
__device__ int look_back(int own, volatile int* flag, int* sum, int* prefix) {
  int me = blockIdx.x;
  int before = 0;
  if (me > 0) {
    sum[me] = own;
    if (fences) __threadfence();
    flag[me] = 1;
#pragma unroll 1
    for (int at = me - 1; at >= 0; at--) {
      int seen;
      while ((seen = flag[at]) == 0) {}
      if (fences) __threadfence();
      if (seen == 2) {
        before += prefix[at];
        break;
      }
      before += sum[at];
    }
  }
  prefix[me] = before + own;
  if (fences) __threadfence();
  flag[me] = 2;
  return before;
}

// A thread has one element; a block has at most 256.
template <bool fences>
__device__ void scan(const int* in, volatile int* flag, int* sum, int* prefix, int* out) {
  __shared__ int tile[256];
  __shared__ int before;
  int me = threadIdx.x;
  int i = me + blockIdx.x * blockDim.x;
  tile[me] = in[i];
  __syncthreads();
#pragma unroll 1
  for (int distance = 1; distance < blockDim.x; distance *= 2) {
    int left = me >= distance ? tile[me - distance] : 0;
    __syncthreads();
    tile[me] += left;
    __syncthreads();
  }
  if (me == 0) before = look_back<fences>(tile[blockDim.x - 1], flag, sum, prefix);
  __syncthreads();
  out[i] = before + tile[me];
}

extern "C" __global__ void cub_scan_nf(const int* in, volatile int* flag, int* sum, int* prefix, int* out) {
  scan<false>(in, flag, sum, prefix, out);
}
// As in CUB: fences on both sides of the handshake.
extern "C" __global__ void cub_scan(const int* in, volatile int* flag, int* sum, int* prefix, int* out) {
  scan<true>(in, flag, sum, prefix, out);
}

// Each sum is the one in front of it and the element.
extern "C" __global__ void cub_scan_verify(const int* in, const int* out, int* wrong, int elements) {
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < elements; i += blockDim.x * gridDim.x) {
    if (out[i] != in[i] + (i > 0 ? out[i - 1] : 0)) atomicAdd(wrong, 1);
  }
}
