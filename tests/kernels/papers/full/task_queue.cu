// Tasks in queues that mutexes guard (Tzeng, Patney and Owens; tpo-tm of PLDI 2016) at full size: a queue for each block, from which the others
// take when theirs are empty. A block executes a task with all of its threads, and two tasks may come of it, which go into its own queue.
// No block waits for another one, and one that finds all queues empty ends: who puts a task somewhere takes it, too, if nobody else does.
#include "lock.h"

template <bool fences>
struct Queues {
  int* mutex;
  int* count;
  // Element n of queue q is at n * queues + q.
  int* tasks;
  int* full;
  int queues, capacity;

  __device__ int take(int queue) {
    int task = -1;
    Lock<fences>::lock(mutex + queue);
    int left = count[queue];
    if (left > 0) {
      task = tasks[(left - 1) * queues + queue];
      count[queue] = left - 1;
    }
    Lock<fences>::unlock(mutex + queue);
    return task;
  }

  __device__ void put(int queue, int task) {
    Lock<fences>::lock(mutex + queue);
    int there = count[queue];
    if (there < capacity) {
      tasks[there * queues + queue] = task;
      count[queue] = there + 1;
    } else {
      *full = 1;
    }
    Lock<fences>::unlock(mutex + queue);
  }
};

// Tasks have numbers. Those below `roots` are there at the beginning; of task t come `roots + 2 t` and the next one, as long as they are less
// than `tasks`. Each thread that executes a task counts it.
template <bool fences>
__device__ void work(Queues<fences> queues, int* executed, int roots, int tasks) {
  __shared__ int taken;
  // A right run executes each task once, so that no block has more rounds; a wrong one ends, too.
#pragma unroll 1
  for (int round = 0; round <= tasks; round++) {
    if (threadIdx.x == 0) {
      int task = -1;
#pragma unroll 1
      for (int n = 0; n < queues.queues && task < 0; n++) task = queues.take((blockIdx.x + n) % queues.queues);
      taken = task;
    }
    __syncthreads();
    int task = taken;
    __syncthreads();
    if (task < 0 || task >= tasks) return;
    atomicAdd(&executed[task], 1);
    if (threadIdx.x == 0) {
#pragma unroll 1
      for (int n = 0; n < 2; n++) {
        int next = roots + 2 * task + n;
        if (next < tasks) queues.put(blockIdx.x, next);
      }
    }
  }
}

extern "C" __global__ void tpo_tm(int* mutex, int* count, int* queue, int* executed, int* full, int roots, int tasks,
                                  int capacity) {
  work(Queues<false>{mutex, count, queue, full, (int)gridDim.x, capacity}, executed, roots, tasks);
}
extern "C" __global__ void tpo_tm_fences(int* mutex, int* count, int* queue, int* executed, int* full, int roots, int tasks,
                                         int capacity) {
  work(Queues<true>{mutex, count, queue, full, (int)gridDim.x, capacity}, executed, roots, tasks);
}
