// A Barnes-Hut simulation (Lonestar GPU; ls-bh of PLDI 2016) at full size, with whole numbers, so that a step has one result: a tree is built of
// the bodies, cells sum up what is in them, bodies are sorted, and each is pulled by the cells around it. The first three are where blocks talk to
// each other. As there, arrays by which they do are volatile; `writer` fences are those that the program has, `reader` fences those that it lacks.
//
// A body is a number below `bodies`, at `place_of` it; a cell is a number from `bodies` on, and `child` has eight places for each. Cell 0 is the
// root, and there before the first body. A cell's number is larger than that of the cell it is in. All blocks must be there at once.
#include "points.h"

constexpr int empty = -1;
constexpr int locked = -2;

// Every third bit of a place.
__device__ inline int coordinate(unsigned int place, int dimension) {
  unsigned int bits = place >> dimension & 0x49249;
  bits = (bits | bits >> 2) & 0xc30c3;
  bits = (bits | bits >> 4) & 0xf00f;
  return (bits | bits >> 8) & 0x7f;
}

// Building the tree. A place of a cell is empty, locked, or holds a body or a cell. A body goes into the first empty place on its way. Where
// another body is, the place is locked, new cells are made until the two are in different octants, and the place is unlocked by the number of
// the first of these cells.
template <bool writer, bool reader>
__device__ void build(volatile int* child, int* cells, int* error, int bodies, int capacity) {
  int body = threadIdx.x + blockIdx.x * blockDim.x;
  while (body < bodies) {
    unsigned int place = place_of(body);
    int level = 0;
    int at = octant(place, 0);
    int there = child[at];
#pragma unroll 1
    while (there >= bodies) {
      if (reader) __threadfence();
      level++;
      at = (there - bodies) * 8 + octant(place, level);
      there = child[at];
    }
    if (there == locked) continue;
    if (there == empty) {
      if (atomicCAS((int*)child + at, empty, body) == empty) body += blockDim.x * gridDim.x;
      continue;
    }
    if (atomicCAS((int*)child + at, there, locked) != there) continue;
    unsigned int other = place_of(there);
    int first = -1;
    int slot = at;
    bool is_full = false;
#pragma unroll 1
    do {
      level++;
      int cell = atomicAdd(cells, 1);
      is_full = cell >= capacity;
      if (is_full) break;
      if (first < 0) first = cell;
      else child[slot] = bodies + cell;
      child[cell * 8 + octant(other, level)] = there;
      slot = cell * 8 + octant(place, level);
    } while (octant(other, level) == octant(place, level));
    if (is_full) {
      *error = 1;
      child[at] = there;
      return;
    }
    child[slot] = body;
    if (writer) __threadfence();
    child[at] = bodies + first;
    body += blockDim.x * gridDim.x;
  }
}

extern "C" __global__ void ls_bh_build_nf(volatile int* child, int* cells, int* error, int bodies, int capacity) {
  build<false, false>(child, cells, error, bodies, capacity);
}
extern "C" __global__ void ls_bh_build(volatile int* child, int* cells, int* error, int bodies, int capacity) {
  build<true, false>(child, cells, error, bodies, capacity);
}
extern "C" __global__ void ls_bh_build_fences(volatile int* child, int* cells, int* error, int bodies, int capacity) {
  build<true, true>(child, cells, error, bodies, capacity);
}

// Summing up, from the last cell to the root: how many bodies are in a cell, and the sum of their coordinates. A mass of -1 is not yet there; the
// mass is the flag for the sums.
template <bool writer, bool reader>
__device__ void summarize(const int* child, const int* cells, volatile int* mass, volatile int* sums, int bodies, int capacity) {
  int last = min(*cells, capacity);
  int cell = last - 1 - (threadIdx.x + blockIdx.x * blockDim.x);
  while (cell >= 0) {
    int count = 0, x = 0, y = 0, z = 0;
    bool is_ready = true;
#pragma unroll 1
    for (int n = 0; n < 8 && is_ready; n++) {
      int of = child[cell * 8 + n];
      if (of < 0) continue;
      if (of < bodies) {
        unsigned int place = place_of(of);
        count++;
        x += coordinate(place, 0);
        y += coordinate(place, 1);
        z += coordinate(place, 2);
      } else {
        of -= bodies;
        int there = mass[of];
        is_ready = there >= 0;
        if (reader) __threadfence();
        count += there;
        x += sums[of * 3];
        y += sums[of * 3 + 1];
        z += sums[of * 3 + 2];
      }
    }
    // What is not yet there is asked for again.
    if (!is_ready) continue;
    sums[cell * 3] = x;
    sums[cell * 3 + 1] = y;
    sums[cell * 3 + 2] = z;
    if (writer) __threadfence();
    mass[cell] = count;
    cell -= blockDim.x * gridDim.x;
  }
}

extern "C" __global__ void ls_bh_summarize_nf(const int* child, const int* cells, volatile int* mass, volatile int* sums,
                                              int bodies, int capacity) {
  summarize<false, false>(child, cells, mass, sums, bodies, capacity);
}
extern "C" __global__ void ls_bh_summarize(const int* child, const int* cells, volatile int* mass, volatile int* sums, int bodies,
                                           int capacity) {
  summarize<true, false>(child, cells, mass, sums, bodies, capacity);
}
extern "C" __global__ void ls_bh_summarize_fences(const int* child, const int* cells, volatile int* mass, volatile int* sums,
                                                  int bodies, int capacity) {
  summarize<true, true>(child, cells, mass, sums, bodies, capacity);
}

// Sorting, from the root to the last cell: a cell hands each cell in it the number where its bodies begin, which is the flag, too; -1 is not yet
// there. A cell that a wrong tree has lost gets none: a thread asks `patience` times. Neither the program nor anybody else has fences here.
extern "C" __global__ void ls_bh_sort(const int* child, const int* cells, const int* mass, volatile int* start, int* sorted,
                                      int* error, int bodies, int capacity, int patience) {
  int last = min(*cells, capacity);
  int cell = threadIdx.x + blockIdx.x * blockDim.x;
  int asked = 0;
  while (cell < last) {
    int at = start[cell];
    if (at < 0 && ++asked < patience) continue;
    if (at < 0) *error = 1;
#pragma unroll 1
    for (int n = 0; n < 8 && at >= 0; n++) {
      int of = child[cell * 8 + n];
      if (of < 0) continue;
      if (of < bodies) {
        if (at < bodies) sorted[at] = of;
        at++;
      } else {
        start[of - bodies] = at;
        at += mass[of - bodies];
      }
    }
    asked = 0;
    cell += blockDim.x * gridDim.x;
  }
}

// How the cells and bodies around a body pull it: those in the cells that it is in, and that it is not in themselves. A cell pulls with its mass from
// its centre.
__device__ void pull(const int* child, const int* mass, const int* sums, int body, int bodies, int* to) {
  unsigned int place = place_of(body);
  int own[3] = {coordinate(place, 0), coordinate(place, 1), coordinate(place, 2)};
  int pulled[3] = {0, 0, 0};
  int cell = 0;
#pragma unroll 1
  for (int level = 0; level < levels; level++) {
    int inside = -1;
#pragma unroll 1
    for (int n = 0; n < 8; n++) {
      int of = child[cell * 8 + n];
      if (n == octant(place, level)) {
        inside = of;
        continue;
      }
      if (of < 0) continue;
      int weight = 1;
      int away[3];
      if (of < bodies) {
        unsigned int other = place_of(of);
        for (int d = 0; d < 3; d++) away[d] = coordinate(other, d) - own[d];
      } else {
        weight = mass[of - bodies];
        for (int d = 0; d < 3; d++) away[d] = (weight > 0 ? sums[(of - bodies) * 3 + d] / weight : 0) - own[d];
      }
      int square = away[0] * away[0] + away[1] * away[1] + away[2] * away[2] + 1;
      for (int d = 0; d < 3; d++) pulled[d] += weight * away[d] * 256 / square;
    }
    if (inside < bodies) break;
    cell = inside - bodies;
  }
  for (int d = 0; d < 3; d++) to[d] = own[d] * 256 + pulled[d];
}

// Where the bodies are after the step. As there, threads go through them as they are sorted.
extern "C" __global__ void ls_bh_move(const int* child, const int* mass, const int* sums, const int* sorted, int* moved,
                                      int bodies) {
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < bodies; i += blockDim.x * gridDim.x) {
    int body = sorted[i];
    if (body >= 0 && body < bodies) pull(child, mass, sums, body, bodies, moved + body * 3);
  }
}

// Positions are as they must be. The tree of these bodies is looked at first: each body is where its place says, and each cell has what the bodies
// and cells in it have; so the one tree that is right is there, and what pulls a body can be computed anew.
extern "C" __global__ void ls_bh_verify(const int* child, const int* cells, const int* mass, const int* sums, const int* sorted,
                                        const int* moved, int* wrong, int bodies) {
  int me = threadIdx.x + blockIdx.x * blockDim.x;
  for (int body = me; body < bodies; body += blockDim.x * gridDim.x) {
    unsigned int place = place_of(body);
    int there = bodies;
#pragma unroll 1
    for (int level = 0; level < levels && there >= bodies; level++) there = child[(there - bodies) * 8 + octant(place, level)];
    int as[3];
    pull(child, mass, sums, body, bodies, as);
    bool is_right = there == body;
    for (int d = 0; d < 3; d++) is_right = is_right && moved[body * 3 + d] == as[d];
    // Sorted by place: no two places are the same, so each body is there once.
    int first = sorted[body];
    is_right = is_right && first >= 0 && first < bodies;
    if (body > 0) is_right = is_right && place_of(sorted[body - 1]) < place_of(first);
    if (!is_right) atomicAdd(wrong, 1);
  }
  for (int cell = me; cell < *cells; cell += blockDim.x * gridDim.x) {
    int expected[4] = {0, 0, 0, 0};
#pragma unroll 1
    for (int n = 0; n < 8; n++) {
      int of = child[cell * 8 + n];
      if (of < 0) continue;
      bool is_body = of < bodies;
      expected[3] += is_body ? 1 : mass[of - bodies];
      for (int d = 0; d < 3; d++) expected[d] += is_body ? coordinate(place_of(of), d) : sums[(of - bodies) * 3 + d];
    }
    bool is_right = mass[cell] == expected[3];
    for (int d = 0; d < 3; d++) is_right = is_right && sums[cell * 3 + d] == expected[d];
    if (!is_right) atomicAdd(wrong, 1);
  }
}
