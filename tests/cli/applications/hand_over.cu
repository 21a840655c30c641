// Block 0 writes an array, each thread a word; behind the barrier thread 0 raises the flag. Block 1 waits for the flag, meets, and reads: two fences are missing,
// behind the words and behind the flag that is read.
extern "C" __global__ void hand_over(volatile unsigned *data, volatile unsigned *flag, unsigned *out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
  } else {
    if (threadIdx.x == 0) while (*flag == 0) {}
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x];
  }
}
