// What libcu++ makes of `cuda::barrier`: an arrival and a wait for each scope. The rows of mappings/architectures/cuda-barrier-to-ptx.map are these.
#include <cuda/barrier>

using block = cuda::barrier<cuda::thread_scope_block>;
using device = cuda::barrier<cuda::thread_scope_device>;
using whole = cuda::barrier<cuda::thread_scope_system>;

extern "C" __global__ void block_arrive() {
  __shared__ block b;
  auto token = b.arrive();
  (void)token;
}

extern "C" __global__ void block_wait() {
  __shared__ block b;
  b.wait_parity(false);
}

extern "C" __global__ void device_arrive(device* b) {
  auto token = b->arrive();
  (void)token;
}

extern "C" __global__ void device_wait(device* b) { b->wait_parity(false); }

extern "C" __global__ void system_arrive(whole* b) {
  auto token = b->arrive();
  (void)token;
}

extern "C" __global__ void system_wait(whole* b) { b->wait_parity(false); }

// cuda::ptx, for the barriers of a cluster.
#include <cuda/ptx>

extern "C" __global__ void cluster_arrive() {
  __shared__ uint64_t b;
  cuda::ptx::mbarrier_arrive(cuda::ptx::sem_release, cuda::ptx::scope_cluster, cuda::ptx::space_shared, &b);
}

extern "C" __global__ void cluster_wait() {
  __shared__ uint64_t b;
  while (!cuda::ptx::mbarrier_try_wait_parity(cuda::ptx::sem_acquire, cuda::ptx::scope_cluster, &b, 0)) {
  }
}
