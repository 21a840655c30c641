// Points in space, and the octants they are in.
#pragma once

// An octree is at most so many levels deep.
constexpr int levels = 7;

// Where a point is: a number of three bits for each level, the top one first. Different points are at different places.
__device__ inline unsigned int place_of(unsigned int point) {
  constexpr unsigned int mask = (1u << (3 * levels)) - 1;
  unsigned int place = (point * 0x9e3779b1u + 0x12345u) & mask;
  place ^= place >> 11;
  place = (place * 0x85ebca6bu) & mask;
  return place ^ place >> 10;
}

// In which of the eight parts of a cell of this level a place is.
__device__ inline int octant(unsigned int place, int level) { return place >> (3 * (levels - 1 - level)) & 7; }
