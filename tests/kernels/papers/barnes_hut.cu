// Three kernels of a Barnes-Hut simulation (Lonestar GPU; ls-bh of PLDI 2016), written anew and cut down to how blocks talk to each other.
// As there, arrays that blocks share are volatile. A `writer` fence is one that the program has; a `reader` fence is one that it lacks.

// Summing up: block 0 is a cell whose centre is known, block 1 its parent, which waits for the mass.
template <bool writer, bool reader>
__device__ void summarize(volatile int* mass, volatile int* position, int* out) {
  if (blockIdx.x == 0) {
    position[0] = 5;
    if (writer) __threadfence();
    mass[0] = 1;
  } else {
    while (mass[0] == 0) {}
    if (reader) __threadfence();
    out[0] = position[0];
  }
}

extern "C" __global__ void ls_bh_summarize_nf(volatile int* mass, volatile int* position, int* out) {
  summarize<false, false>(mass, position, out);
}
extern "C" __global__ void ls_bh_summarize(volatile int* mass, volatile int* position, int* out) {
  summarize<true, false>(mass, position, out);
}
extern "C" __global__ void ls_bh_summarize_fences(volatile int* mass, volatile int* position, int* out) {
  summarize<true, true>(mass, position, out);
}

// Building the tree. A place holds a body, a cell, or is locked; `child[0]` is the root's place, and body 1 is in it. Block b inserts body
// b + 2: who locks the root makes a cell, puts both bodies there, and unlocks by writing the cell's number, 10. Who finds the cell inserts
// its body there, at `child[body]`; -1 is an empty place.
template <bool writer, bool reader>
__device__ void build(volatile int* child) {
  int body = blockIdx.x + 2;
  int there = child[0];
  if (there == 1 && atomicCAS((int*)child, there, -2) == there) {
    child[1] = there;
    child[2] = -1;
    child[3] = -1;
    child[body] = body;
    if (writer) __threadfence();
    child[0] = 10;
    return;
  }
  // The place goes from body to locked to cell, so whoever does not get the lock waits for the cell.
  while (child[0] != 10) {}
  if (reader) __threadfence();
  if (child[body] == -1) child[body] = body;
}

extern "C" __global__ void ls_bh_build_nf(volatile int* child) { build<false, false>(child); }
extern "C" __global__ void ls_bh_build(volatile int* child) { build<true, false>(child); }
extern "C" __global__ void ls_bh_build_fences(volatile int* child) { build<true, true>(child); }

// Sorting: a cell hands each child the place where its bodies begin. The place is the flag, and nothing else is handed on: the counts were
// written by the kernel before. Block 0 is the root, block 1 waits for its place.
extern "C" __global__ void ls_bh_sort(volatile int* start, const int* count, int* sorted) {
  if (blockIdx.x == 0) {
    start[1] = 1 + count[0];
  } else {
    int at;
    while ((at = start[1]) == 0) {}
    sorted[at - 1] = 7;
  }
}
