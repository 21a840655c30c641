// The deque of Cederman and Tsigas ("GPU Computing Gems", chapter 35; ASPLOS 2015, Fig. 6; its octree is ct-octree of PLDI 2016).
// Written anew. The owner pushes and pops at the tail, others steal at the head. Head and tail are volatile; here the tasks are, too, since a
// thief may read a task that is overwritten, which it throws away then: of plain data that is a race. The number of the head and its counter,
// which changes whenever the deque gets empty, are one word: the number in the low 8 bits.

enum Fences { none, figure, enough };

template <Fences fences>
struct Deque {
  static __device__ void fence() {
    if (fences != none) __threadfence();
  }

  static __device__ void push(volatile int* tail, volatile int* tasks, int task) {
    int at = *tail;
    tasks[at] = task;
    fence();  // (+), Fig. 6, line 4
    *tail = at + 1;
  }

  static __device__ int steal(volatile unsigned int* head, volatile int* tail, volatile int* tasks) {
    unsigned int old = *head;
    // The figure has no fence here: a head that is new may be seen with a tail that is old.
    if (fences == enough) __threadfence();
    if (*tail <= (int)(old & 255)) return -1;
    fence();  // (+), line 9
    int task = tasks[old & 255];
    fence();  // (+), line 11
    return atomicCAS((unsigned int*)head, old, old + 1) == old ? task : -1;
  }

  // The figure leaves lines out here (16 and 18); the fence behind the new tail is ours.
  static __device__ int pop(volatile unsigned int* head, volatile int* tail, volatile int* tasks) {
    int at = *tail;
    if (at == 0) return -1;
    at = at - 1;
    *tail = at;
    fence();
    unsigned int old = *head;
    int task = tasks[at];
    if (at > (int)(old & 255)) return task;
    *tail = 0;
    // Nor here: a head that is new may be seen with the tail of before.
    if (fences == enough) __threadfence();
    unsigned int empty = (old & ~255u) + 256;
    if (at == (int)(old & 255)) {
      if (atomicCAS((unsigned int*)head, old, empty) == old) {
        fence();  // (+), line 21
        return task;
      }
    }
    if (fences != none) atomicExch((unsigned int*)head, empty);  // (+), line 23
    else *head = empty;                                          // (-), line 24
    // The figure has no fence on this way, on which the task was stolen: what is pushed next may be what the thief reads.
    if (fences == enough) __threadfence();
    return -1;
  }
};

// Block 0 pushes particle 7, block 1 steals. What it takes is the particle; -1 is nothing.
template <Fences fences>
__device__ void steal_one(volatile unsigned int* head, volatile int* tail, volatile int* tasks, int* taken) {
  if (blockIdx.x == 0) Deque<fences>::push(tail, tasks, 7);
  else taken[0] = Deque<fences>::steal(head, tail, tasks);
}
extern "C" __global__ void ct_octree_steal(volatile unsigned int* head, volatile int* tail, volatile int* tasks, int* taken) {
  steal_one<none>(head, tail, tasks, taken);
}
extern "C" __global__ void ct_octree_steal_figure(volatile unsigned int* head, volatile int* tail, volatile int* tasks,
                                                  int* taken) {
  steal_one<figure>(head, tail, tasks, taken);
}

// Particle 7 is in the deque. Block 0 pops and then pushes particle 9; block 1 steals. Particle 7 must be taken.
template <Fences fences>
__device__ void pop_one(volatile unsigned int* head, volatile int* tail, volatile int* tasks, int* taken) {
  if (blockIdx.x == 0) {
    taken[1] = Deque<fences>::pop(head, tail, tasks);
    Deque<fences>::push(tail, tasks, 9);
  } else {
    taken[0] = Deque<fences>::steal(head, tail, tasks);
  }
}
extern "C" __global__ void ct_octree_pop(volatile unsigned int* head, volatile int* tail, volatile int* tasks, int* taken) {
  pop_one<none>(head, tail, tasks, taken);
}
extern "C" __global__ void ct_octree_pop_figure(volatile unsigned int* head, volatile int* tail, volatile int* tasks,
                                                int* taken) {
  pop_one<figure>(head, tail, tasks, taken);
}
extern "C" __global__ void ct_octree_pop_fences(volatile unsigned int* head, volatile int* tail, volatile int* tasks,
                                                int* taken) {
  pop_one<enough>(head, tail, tasks, taken);
}

// Of particles 7 and 9, 7 was stolen before. Block 0 pops, block 1 steals: one of them gets 9, and nobody gets 7.
template <Fences fences>
__device__ void pop_the_second(volatile unsigned int* head, volatile int* tail, volatile int* tasks, int* taken) {
  if (blockIdx.x == 0) taken[1] = Deque<fences>::pop(head, tail, tasks);
  else taken[0] = Deque<fences>::steal(head, tail, tasks);
}
extern "C" __global__ void ct_octree_reset_figure(volatile unsigned int* head, volatile int* tail, volatile int* tasks,
                                                  int* taken) {
  pop_the_second<figure>(head, tail, tasks, taken);
}
extern "C" __global__ void ct_octree_reset_fences(volatile unsigned int* head, volatile int* tail, volatile int* tasks,
                                                  int* taken) {
  pop_the_second<enough>(head, tail, tasks, taken);
}
