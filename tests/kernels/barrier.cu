// A barrier between blocks: the first thread of each counts its block in and waits for the others. Before it each block writes its
// number, behind it each reads that of its neighbour.

__device__ void arrive_and_wait(unsigned int* arrived) {
  atomicAdd(arrived, 1u);
  while (atomicAdd(arrived, 0u) < gridDim.x) {}
}

__device__ void wait_by_reading(unsigned int* arrived) {
  atomicAdd(arrived, 1u);
  while (*(volatile unsigned int*)arrived < gridDim.x) {}
}

extern "C" __global__ void barrier_with_fences(int* data, int* out, unsigned int* arrived) {
  if (threadIdx.x == 0) data[blockIdx.x] = blockIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    wait_by_reading(arrived);
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = data[(blockIdx.x + 1) % gridDim.x];
}

// The fence in front of the counter is missing.
extern "C" __global__ void barrier_without_release(int* data, int* out, unsigned int* arrived) {
  if (threadIdx.x == 0) data[blockIdx.x] = blockIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    wait_by_reading(arrived);
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = data[(blockIdx.x + 1) % gridDim.x];
}

// Neither fence, and every thread polls by a read-modify-write.
extern "C" __global__ void barrier_without_fences(int* data, int* out, unsigned int* arrived) {
  if (threadIdx.x == 0) data[blockIdx.x] = blockIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) arrive_and_wait(arrived);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = data[(blockIdx.x + 1) % gridDim.x];
}
