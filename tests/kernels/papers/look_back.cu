// A scan with decoupled look-back (CUB; cub-scan of PLDI 2016). Each block publishes its own sum, looks back over the blocks in front until
// it finds one with a whole prefix, and publishes its prefix. A flag says which of the two is there: 1 the sum, 2 the prefix; flags are
// volatile. Written anew; a block has one number here.

template <bool writer, bool reader>
__device__ void scan(const int* in, volatile int* flag, int* sum, int* prefix) {
  int me = blockIdx.x;
  int own = in[me];
  int before = 0;
  if (me > 0) {
    sum[me] = own;
    if (writer) __threadfence();
    flag[me] = 1;
    for (int at = me - 1; at >= 0; at--) {
      int seen;
      while ((seen = flag[at]) == 0) {}
      if (reader) __threadfence();
      if (seen == 2) {
        before += prefix[at];
        break;
      }
      before += sum[at];
    }
  }
  prefix[me] = before + own;
  if (writer) __threadfence();
  flag[me] = 2;
}

extern "C" __global__ void cub_scan_nf(const int* in, volatile int* flag, int* sum, int* prefix) {
  scan<false, false>(in, flag, sum, prefix);
}
extern "C" __global__ void cub_scan_writer(const int* in, volatile int* flag, int* sum, int* prefix) {
  scan<true, false>(in, flag, sum, prefix);
}
extern "C" __global__ void cub_scan_reader(const int* in, volatile int* flag, int* sum, int* prefix) {
  scan<false, true>(in, flag, sum, prefix);
}
extern "C" __global__ void cub_scan(const int* in, volatile int* flag, int* sum, int* prefix) {
  scan<true, true>(in, flag, sum, prefix);
}
