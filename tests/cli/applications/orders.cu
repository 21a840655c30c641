// Small applications of which each needs one order of two accesses, or none: tests/cli/small_applications.rs says which. Every other order of theirs is kept by fences, or by what needs a value.
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
// The two elements of one store are stores in no order.
extern "C" __global__ void vector_publish(int* pair, int* out) {
  if (blockIdx.x == 0) *(int2*)pair = make_int2(5, 1);
  else { while (((shared_int*)pair)[1] == 0) {} __threadfence(); out[0] = ((shared_int*)pair)[0]; }
}
// The two elements of one load are loads in no order.
extern "C" __global__ void vector_subscribe(int* pair, int* out) {
  if (blockIdx.x == 0) { ((shared_int*)pair)[0] = 5; __threadfence(); ((shared_int*)pair)[1] = 1; }
  else { int2 seen; do seen = *(int2*)pair; while (seen.y == 0); out[0] = seen.x; }
}
// A reduction is a store behind the data.
extern "C" __global__ void red_counter(shared_int* data, int* count, int* out) {
  if (blockIdx.x == 0) { data[0] = 5; atomicAdd(count, 1); }
  else { while (*(shared_int*)count == 0) {} __threadfence(); out[0] = data[0]; }
}
// Dekker's entry by an atomic operation, which is a load for what is behind it.
extern "C" __global__ void atomic_enter(int* want, int* inside) {
  int me = blockIdx.x;
  int before = atomicExch(&want[me * 16], 1);
  if (((shared_int*)want)[(1 - me) * 16] == 0) atomicAdd(inside, before + 1);
}
// The writer releases, and the reader does not acquire.
extern "C" __global__ void release_publish(shared_int* data, int* flag, int* out) {
  if (blockIdx.x == 0) { data[0] = 5; asm volatile("st.release.gpu.global.u32 [%0], %1;" :: "l"(flag), "r"(1) : "memory"); }
  else { while (*(shared_int*)flag == 0) {} out[0] = data[0]; }
}
// The reader acquires, and the writer does not release.
extern "C" __global__ void acquire_subscribe(shared_int* data, int* flag, int* out) {
  if (blockIdx.x == 0) { data[0] = 5; *(shared_int*)flag = 1; }
  else {
    int seen;
    do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory"); while (seen == 0);
    out[0] = data[0];
  }
}
// What is seen goes through an array of the thread's own.
extern "C" __global__ void through_local(shared_int* data, shared_int* flag, int* out) {
  int kept[4];
  if (blockIdx.x == 0) { data[0] = 5; __threadfence(); flag[0] = 1; }
  else { int n = 0; do { kept[n & 3] = flag[0]; n++; } while (kept[(n - 1) & 3] == 0); kept[n & 3] = data[0]; out[0] = kept[n & 3]; }
}
// A load waits for a store of its own thread: each block sees the other's, and one of them must not.
extern "C" __global__ void load_buffer(int* x, int* seen) {
  int me = blockIdx.x, got;
  asm volatile("ld.volatile.global.u32 %0, [%1];\n\tst.volatile.global.u32 [%2], 1;" : "=r"(got) : "l"(&x[me * 16]), "l"(&x[(1 - me) * 16]) : "memory");
  atomicAdd(seen, got);
}
// Dekker's entry with its fence.
extern "C" __global__ void fenced_enter(shared_int* want, int* inside) {
  int me = blockIdx.x; want[me * 16] = 1; __threadfence(); if (want[(1 - me) * 16] == 0) atomicAdd(inside, 1);
}
// A fence of the block where the reader is in another one: the order is there, the scope is too narrow.
extern "C" __global__ void narrow_publish(shared_int* data, shared_int* flag, int* out) {
  if (blockIdx.x == 0) { data[0] = 5; __threadfence_block(); flag[0] = 1; }
  else { while (flag[0] == 0) {} __threadfence(); out[0] = data[0]; }
}
// A barrier that reduces orders both sides.
extern "C" __global__ void meet_or(shared_int* data, int* out) {
  if (threadIdx.x == 0) data[0] = 5;
  int any = __syncthreads_or(threadIdx.x == 0);
  if (threadIdx.x == 33 && any) out[0] = data[0];
}
// The flag is handed on by a third block, whose branch keeps its load in front of its store. The model asks it for a fence; the machine has one order of stores for all who are outside of a block.
extern "C" __global__ void handed_on(shared_int* data, shared_int* flag, int* out) {
  if (blockIdx.x == 0) { data[0] = 5; __threadfence(); flag[0] = 1; }
  else if (blockIdx.x == 1) { while (flag[0] == 0) {} flag[16] = 1; }
  else { while (flag[16] == 0) {} __threadfence(); out[0] = data[0]; }
}
