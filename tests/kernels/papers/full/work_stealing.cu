// An octree by work stealing (Cederman and Tsigas, "GPU Computing Gems"; ct-octree of PLDI 2016) at full size. A task is a range of particles that
// are in one cell. A block takes one from its own deque, or steals from another one; it splits the particles among the eight octants, each of which
// is a new task, or makes a leaf of a few. Whoever finds nothing looks again, `patience` times or until all particles are in leaves. To stop then is
// right at any time: who has pushed a task pops it, if nobody steals it. So no block waits for one that has not begun.
//
// The deque is that of ../work_stealing.cu (ASPLOS 2015, Fig. 6), with 16 bits for the number of the head.
#include "points.h"

constexpr int deque_size = 128;

template <bool fences>
struct Deque {
  volatile unsigned int* head;
  volatile int* tail;
  volatile int* tasks;
  int* error;

  static __device__ void fence() {
    if (fences) __threadfence();
  }

  __device__ void push(int task) {
    int at = *tail;
    if (at >= deque_size) {
      *error = 1;
      return;
    }
    tasks[at] = task;
    fence();
    *tail = at + 1;
  }

  __device__ int steal() {
    unsigned int old = *head;
    fence();
    int number = old & 0xffff;
    if (*tail <= number || number >= deque_size) return -1;
    fence();
    int task = tasks[number];
    fence();
    return atomicCAS((unsigned int*)head, old, old + 1) == old ? task : -1;
  }

  __device__ int pop() {
    int at = *tail;
    if (at == 0) return -1;
    at = at - 1;
    *tail = at;
    fence();
    unsigned int old = *head;
    int number = old & 0xffff;
    int task = tasks[at];
    if (at > number) return task;
    *tail = 0;
    // The figure has no fence here, either: the head of the emptied deque may be seen with the tail of before.
    fence();
    unsigned int emptied = (old & 0xffff0000u) + 0x10000;
    if (at == number && atomicCAS((unsigned int*)head, old, emptied) == old) {
      fence();
      return task;
    }
    if (fences) atomicExch((unsigned int*)head, emptied);
    else *head = emptied;
    fence();
    return -1;
  }
};

// What the blocks share. A node is a task and, at the end, a cell of the octree: where its particles begin, how many there are, and its key, which is
// 1 and then three bits for each level. Particles of a cell are in `even` or in `odd`, as its level is.
struct Octree {
  int* node;
  int* nodes;
  int* even;
  int* odd;
  int* placed;
  int* leaf;
  int* done;
  int* error;
  int particles, capacity, leaf_size, patience;
};

template <bool fences>
__device__ void partition(Octree tree, volatile unsigned int* heads, volatile int* tails, volatile int* deques) {
  __shared__ int number, first, size, key;
  __shared__ int sizes[8], next[8];
  int victim = blockIdx.x;
  auto deque = [&](int block) {
    return Deque<fences>{heads + block, tails + block, deques + block * deque_size, tree.error};
  };
#pragma unroll 1
  while (true) {
    if (threadIdx.x == 0) {
      int task = deque(blockIdx.x).pop();
#pragma unroll 1
      for (int misses = 0; task < 0; misses++) {
        if (*(volatile int*)tree.done >= tree.particles || misses >= tree.patience) break;
        victim = (victim + 1) % gridDim.x;
        if (victim != blockIdx.x) task = deque(victim).steal();
      }
      size = 0;
      if (task >= 0 && task < tree.capacity) {
        first = tree.node[task * 3];
        size = tree.node[task * 3 + 1];
        key = tree.node[task * 3 + 2];
        // What a wrong run reads may be anything that was there.
        if (key < 1) size = 0;
      }
      number = task;
    }
    __syncthreads();
    if (number < 0) return;
    int level = (31 - __clz(key)) / 3;
    int* from = level % 2 == 0 ? tree.even : tree.odd;
    int* to = level % 2 == 0 ? tree.odd : tree.even;
    if (size > 0 && (size <= tree.leaf_size || level >= levels)) {
#pragma unroll 1
      for (int i = threadIdx.x; i < size; i += blockDim.x) {
        int particle = from[first + i];
        atomicAdd(&tree.placed[particle], 1);
        tree.leaf[particle] = number;
      }
      if (threadIdx.x == 0) atomicAdd(tree.done, size);
    } else if (size > 0) {
#pragma unroll 1
      for (int n = threadIdx.x; n < 8; n += blockDim.x) sizes[n] = 0;
      __syncthreads();
#pragma unroll 1
      for (int i = threadIdx.x; i < size; i += blockDim.x) atomicAdd(&sizes[octant(place_of(from[first + i]), level)], 1);
      __syncthreads();
      if (threadIdx.x == 0) {
        int at = first;
#pragma unroll 1
        for (int n = 0; n < 8; n++) {
          next[n] = at;
          at += sizes[n];
        }
      }
      __syncthreads();
#pragma unroll 1
      for (int i = threadIdx.x; i < size; i += blockDim.x) {
        int particle = from[first + i];
        int at = atomicAdd(&next[octant(place_of(particle), level)], 1);
        if (at < tree.particles) to[at] = particle;
      }
      __syncthreads();
      if (threadIdx.x == 0) {
        int at = first;
#pragma unroll 1
        for (int n = 0; n < 8; n++) {
          if (sizes[n] == 0) continue;
          int node = atomicAdd(tree.nodes, 1);
          if (node < tree.capacity) {
            tree.node[node * 3] = at;
            tree.node[node * 3 + 1] = sizes[n];
            tree.node[node * 3 + 2] = key << 3 | n;
            deque(blockIdx.x).push(node);
          } else {
            *tree.error = 1;
          }
          at += sizes[n];
        }
      }
    }
    // All have read which task it was.
    __syncthreads();
  }
}

extern "C" __global__ void ct_octree(volatile unsigned int* heads, volatile int* tails, volatile int* deques, int* node,
                                     int* nodes, int* even, int* odd, int* placed, int* leaf, int* done, int* error, int particles,
                                     int capacity, int leaf_size, int patience) {
  Octree tree = {node, nodes, even, odd, placed, leaf, done, error, particles, capacity, leaf_size, patience};
  partition<false>(tree, heads, tails, deques);
}
extern "C" __global__ void ct_octree_fences(volatile unsigned int* heads, volatile int* tails, volatile int* deques, int* node,
                                            int* nodes, int* even, int* odd, int* placed, int* leaf, int* done, int* error,
                                            int particles, int capacity, int leaf_size, int patience) {
  Octree tree = {node, nodes, even, odd, placed, leaf, done, error, particles, capacity, leaf_size, patience};
  partition<true>(tree, heads, tails, deques);
}

// Each particle is in a leaf whose cell it is in. (That each is in one leaf only is a comparison: `placed[*] == 1`.)
extern "C" __global__ void ct_octree_verify(const int* node, const int* leaf, int* wrong, int particles, int capacity) {
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < particles; i += blockDim.x * gridDim.x) {
    int of = leaf[i];
    int key = of >= 0 && of < capacity ? node[of * 3 + 2] : 0;
    int level = key > 0 ? (31 - __clz(key)) / 3 : -1;
    if (level < 0 || (int)(1u << (3 * level) | place_of(i) >> (3 * (levels - level))) != key) atomicAdd(wrong, 1);
  }
}
