// Eight algorithms, each right and with a known bug: tests/cli/small_applications.rs says where it shows. That of the stack is no part of that test: it shows in order, in one run of two thousand.
#define SHARED(p) (*(volatile unsigned*)&(p))

// A stack of four nodes by compare-and-swap. Who pops a node is alone with it until it is pushed again. Without a count in the head, a head that came back is taken for
// one that never went (ABA), and two blocks have one node.
__device__ void stack(unsigned *head, unsigned *next, unsigned *busy, unsigned *bad, unsigned one) {
  for (int round = 0; round < 3; round++) {
    unsigned node = 0;
    for (int tries = 0; tries < 64 && node == 0; tries++) {
      unsigned old = SHARED(*head);
      __threadfence();
      node = old & 0xff;
      if (node == 0) break;
      unsigned after = SHARED(next[node]);
      if (atomicCAS(head, old, (old & ~0xffu) + one | after) != old) node = 0;
    }
    if (node == 0) continue;
    __threadfence();
    if (atomicExch(&busy[node], 1) != 0) atomicAdd(bad, 1);
    __threadfence();
    atomicExch(&busy[node], 0);
    __threadfence();
    for (int tries = 0; tries < 64; tries++) {
      unsigned old = SHARED(*head);
      SHARED(next[node]) = old & 0xff;
      __threadfence();
      if (atomicCAS(head, old, (old & ~0xffu) + one | node) == old) break;
    }
  }
}
extern "C" __global__ void stack_aba(unsigned *head, unsigned *next, unsigned *busy, unsigned *bad) { stack(head, next, busy, bad, 0); }
extern "C" __global__ void stack_counted(unsigned *head, unsigned *next, unsigned *busy, unsigned *bad) { stack(head, next, busy, bad, 0x100); }

// A queue of four places with a turn in each (Vyukov's): two blocks put in, two take out.
__device__ void queue(unsigned *turn, unsigned *item, unsigned *tail, unsigned *head, unsigned *sum, int fences) {
  if (blockIdx.x < 2) {
    for (unsigned n = 0; n < 4; n++) {
      unsigned at = atomicAdd(tail, 1);
      while (SHARED(turn[at % 4]) != at / 4 * 2) {}
      if (fences) __threadfence();
      SHARED(item[at % 4]) = blockIdx.x * 4 + n + 1;
      if (fences) __threadfence();
      SHARED(turn[at % 4]) = at / 4 * 2 + 1;
    }
  } else {
    for (unsigned n = 0; n < 4; n++) {
      unsigned at = atomicAdd(head, 1);
      while (SHARED(turn[at % 4]) != at / 4 * 2 + 1) {}
      if (fences) __threadfence();
      atomicAdd(sum, SHARED(item[at % 4]));
      if (fences) __threadfence();
      SHARED(turn[at % 4]) = at / 4 * 2 + 2;
    }
  }
}
extern "C" __global__ void queue_relaxed(unsigned *t, unsigned *i, unsigned *tail, unsigned *head, unsigned *sum) { queue(t, i, tail, head, sum, 0); }
extern "C" __global__ void queue_fenced(unsigned *t, unsigned *i, unsigned *tail, unsigned *head, unsigned *sum) { queue(t, i, tail, head, sum, 1); }

// Initialised once, looked at without the lock first.
__device__ void once(unsigned *ready, unsigned *lock, unsigned *value, unsigned *out, int fences) {
  if (SHARED(*ready) == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    if (SHARED(*ready) == 0) {
      SHARED(*value) = 77;
      if (fences) __threadfence();
      SHARED(*ready) = 1;
    }
    __threadfence();
    atomicExch(lock, 0);
  } else if (fences) __threadfence();
  out[blockIdx.x] = SHARED(*value);
}
extern "C" __global__ void once_unfenced(unsigned *ready, unsigned *lock, unsigned *value, unsigned *out) { once(ready, lock, value, out, 0); }
extern "C" __global__ void once_fenced(unsigned *ready, unsigned *lock, unsigned *value, unsigned *out) { once(ready, lock, value, out, 1); }

// A new version is written beside the old one and published by its place; readers go through that place.
__device__ void publish(unsigned *current, unsigned *versions, unsigned *bad, int fences) {
  if (blockIdx.x == 0) {
    for (unsigned v = 1; v < 4; v++) {
      SHARED(versions[v * 2]) = v;
      SHARED(versions[v * 2 + 1]) = v + 100;
      if (fences) __threadfence();
      SHARED(*current) = v;
    }
  } else {
    for (int n = 0; n < 4; n++) {
      unsigned v = SHARED(*current);
      if (fences) __threadfence();
      if (v != 0 && (SHARED(versions[v * 2]) != v || SHARED(versions[v * 2 + 1]) != v + 100)) atomicAdd(bad, 1);
    }
  }
}
extern "C" __global__ void publish_plain(unsigned *current, unsigned *versions, unsigned *bad) { publish(current, versions, bad, 0); }
extern "C" __global__ void publish_fenced(unsigned *current, unsigned *versions, unsigned *bad) { publish(current, versions, bad, 1); }

// A sum up a tree of blocks: each waits for the flags of its two children.
__device__ void tree(unsigned *part, unsigned *flag, int fences) {
  unsigned b = blockIdx.x, sum = b + 1;
  for (unsigned child = 2 * b + 1; child <= 2 * b + 2; child++)
    if (child < gridDim.x) {
      while (SHARED(flag[child]) == 0) {}
      if (fences) __threadfence();
      sum += SHARED(part[child]);
    }
  SHARED(part[b]) = sum;
  if (fences) __threadfence();
  SHARED(flag[b]) = 1;
}
extern "C" __global__ void tree_unfenced(unsigned *part, unsigned *flag) { tree(part, flag, 0); }
extern "C" __global__ void tree_fenced(unsigned *part, unsigned *flag) { tree(part, flag, 1); }

// Sums of prefixes with a look back: a block's own sum first, and the sum of all before it once that is known.
__device__ void look_back(unsigned *state, unsigned *own, unsigned *all, int fences) {
  unsigned b = blockIdx.x, mine = b + 1, before = 0;
  SHARED(own[b]) = mine;
  if (fences) __threadfence();
  SHARED(state[b]) = 1;
  for (int at = (int)b - 1; at >= 0; at--) {
    unsigned seen;
    do seen = SHARED(state[at]); while (seen == 0);
    if (fences) __threadfence();
    if (seen == 2) { before += SHARED(all[at]); break; }
    before += SHARED(own[at]);
  }
  SHARED(all[b]) = before + mine;
  if (fences) __threadfence();
  SHARED(state[b]) = 2;
}
extern "C" __global__ void look_back_unfenced(unsigned *state, unsigned *own, unsigned *all) { look_back(state, own, all, 0); }
extern "C" __global__ void look_back_fenced(unsigned *state, unsigned *own, unsigned *all) { look_back(state, own, all, 1); }

// Breadth first through a binary tree of seven nodes, with a list of work: a place is taken by a counter, and filled later. Who reads a place that is counted and not yet
// filled loses a node. The other version waits for the place.
__device__ void work(unsigned *list, unsigned *tail, unsigned *head, unsigned *seen, int waits) {
  if (blockIdx.x == 0) { atomicExch(&list[atomicAdd(tail, 1)], 1); }
  for (int tries = 0; tries < 400; tries++) {
    unsigned at = SHARED(*head);
    if (at >= 7) break;
    if (at >= SHARED(*tail) || atomicCAS(head, at, at + 1) != at) continue;
    unsigned node = atomicOr(&list[at], 0);
    while (waits && node == 0) node = atomicOr(&list[at], 0);
    if (node == 0) continue;
    atomicAdd(seen, 1);
    for (unsigned child = 2 * node; child <= 2 * node + 1; child++)
      if (child < 8) { unsigned place = atomicAdd(tail, 1); atomicExch(&list[place], child); }
  }
}
extern "C" __global__ void work_early(unsigned *list, unsigned *tail, unsigned *head, unsigned *seen) { work(list, tail, head, seen, 0); }
extern "C" __global__ void work_waits(unsigned *list, unsigned *tail, unsigned *head, unsigned *seen) { work(list, tail, head, seen, 1); }

// A barrier between blocks with a sense that turns, twice, with data handed round.
__device__ void meet(unsigned *count, unsigned *sense, unsigned turn, int fences) {
  if (fences) __threadfence();
  if (atomicAdd(count, 1) == gridDim.x - 1) {
    SHARED(*count) = 0;
    __threadfence();
    SHARED(*sense) = turn;
  } else while (SHARED(*sense) != turn) {}
  if (fences) __threadfence();
}
__device__ void rounds(unsigned *count, unsigned *sense, unsigned *data, unsigned *out, int fences) {
  unsigned b = blockIdx.x, other = (b + 1) % gridDim.x;
  SHARED(data[b]) = b + 1;
  meet(count, sense, 1, fences);
  unsigned got = SHARED(data[other]);
  meet(count, sense, 0, fences);
  SHARED(data[b]) = got + 10;
  meet(count, sense, 1, fences);
  out[b] = SHARED(data[other]);
}
extern "C" __global__ void sense_unfenced(unsigned *count, unsigned *sense, unsigned *data, unsigned *out) { rounds(count, sense, data, out, 0); }
extern "C" __global__ void sense_fenced(unsigned *count, unsigned *sense, unsigned *data, unsigned *out) { rounds(count, sense, data, out, 1); }
