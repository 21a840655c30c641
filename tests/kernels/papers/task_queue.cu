// Task queues behind mutexes (Tzeng, Patney and Owens; tpo-tm of PLDI 2016). Written anew: two tasks are in a queue, each block takes one
// under the lock and executes it. Each task must be executed once.

template <bool behind_lock, bool before_unlock>
__device__ void take(int* mutex, int* count, const int* queue, int* executed) {
  while (atomicCAS(mutex, 0, 1) != 0) {}
  if (behind_lock) __threadfence();
  int left = *count;
  int task = -1;
  if (left > 0) {
    task = queue[left - 1];
    *count = left - 1;
  }
  if (before_unlock) __threadfence();
  atomicExch(mutex, 0);
  if (task >= 0) atomicAdd(&executed[task], 1);
}

extern "C" __global__ void tpo_tm(int* mutex, int* count, const int* queue, int* executed) {
  take<false, false>(mutex, count, queue, executed);
}
extern "C" __global__ void tpo_tm_titan(int* mutex, int* count, const int* queue, int* executed) {
  take<false, true>(mutex, count, queue, executed);
}
extern "C" __global__ void tpo_tm_fences(int* mutex, int* count, const int* queue, int* executed) {
  take<true, true>(mutex, count, queue, executed);
}
