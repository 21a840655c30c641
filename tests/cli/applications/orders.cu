// Small applications of which each needs one order of two accesses: tests/cli/small_applications.rs says which. Every other order of theirs is kept by fences, or by what needs a value.
typedef volatile int shared_int;
extern "C" __global__ void publish(shared_int* data, shared_int* flag, int* out) {
  if (blockIdx.x == 0) { data[threadIdx.x] = 5; flag[threadIdx.x] = 1; }
  else { while (flag[threadIdx.x] == 0) {} __threadfence(); out[threadIdx.x] = data[threadIdx.x]; }
}
extern "C" __global__ void subscribe(shared_int* data, shared_int* flag, int* out) {
  if (blockIdx.x == 0) { data[threadIdx.x] = 5; __threadfence(); flag[threadIdx.x] = 1; }
  else { while (flag[threadIdx.x] == 0) {} out[threadIdx.x] = data[threadIdx.x]; }
}
extern "C" __global__ void enter(shared_int* want, int* inside) {
  int me = blockIdx.x; want[me * 16] = 1; if (want[(1 - me) * 16] == 0) atomicAdd(inside, 1);
}
// Lane 0 writes, both lanes meet in a vote, lane 1 reads: `__syncwarp` is missing.
extern "C" __global__ void vote(int* out) {
  __shared__ volatile int cell[2];
  cell[threadIdx.x] = 0; __syncthreads();
  if (threadIdx.x == 0) cell[0] = 9;
  int any = __any_sync(3, threadIdx.x);
  if (threadIdx.x == 1 && any) out[0] = cell[0];
}
extern "C" __global__ void atomic_flag(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) { ((shared_int*)data)[0] = 5; atomicExch(flag, 1); }
  else { while (*(shared_int*)flag == 0) {} __threadfence(); out[0] = ((shared_int*)data)[0]; }
}
extern "C" __global__ void atomic_poll(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) { ((shared_int*)data)[0] = 5; __threadfence(); *(shared_int*)flag = 1; }
  else { while (atomicOr(flag, 0) == 0) {} out[0] = ((shared_int*)data)[0]; }
}
extern "C" __global__ void pair(shared_int* pair, int* out) {
  if (blockIdx.x == 0) { pair[0] = 5; __threadfence(); pair[1] = 1; }
  else { while (pair[1] == 0) {} out[0] = pair[0]; }
}
// Lane 0 reads the flag, a shuffle hands it on, lane 1 reads the data.
extern "C" __global__ void leader_polls(shared_int* data, shared_int* flag, int* out) {
  if (blockIdx.x == 0) { if (threadIdx.x == 0) { data[0] = 5; __threadfence(); flag[0] = 1; } }
  else {
    int f = 0;
    do { if (threadIdx.x == 0) f = flag[0]; f = __shfl_sync(3, f, 0); } while (f == 0);
    if (threadIdx.x == 1) out[0] = data[0];
  }
}
// Lane 0 writes the data, lane 1 the flag, with a shuffle between them.
extern "C" __global__ void leader_raises(shared_int* data, shared_int* flag, int* out) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) data[0] = 5;
    int l = __shfl_sync(3, (int)threadIdx.x, 0);
    if (threadIdx.x == 1 && l == 0) flag[0] = 1;
  } else if (threadIdx.x == 0) { while (flag[0] == 0) {} __threadfence(); out[0] = data[0]; }
}
