// Lists in braces where a type is known: arguments, defaults, members, and lists in them whose braces are left out.
#include <cassert>

struct Point {
  int x, y, z = 9;
};
struct Pair {
  Point from, to;
  int weights[2];
};
struct Place {
  int *p;
  int n;
  __device__ Place(int *p, int n) : p(p), n(n) {}
  __device__ int &at(int i) const { return p[i % n]; }
};
struct Base {
  int kind;
};
struct Derived : Base {
  int more;
};
struct Kinds {
  int kind;
  union {
    int whole;
    float real;
  };
  int last;
};
__device__ int total(Point p) { return p.x + p.y + p.z; }
__device__ int total_of(const Point &p, Point q = {}) { return total(p) + total(q); }
__device__ void put(Place p, int v) { p.at(threadIdx.x) = v; }
__device__ Point made(int x) { return {x, x + 1}; }
__device__ int many(Point p, int) { return p.x; }
__device__ int many(int, int) { return 7; }
struct Box {
  Point p;
  Place where;
  __device__ Box(int *a) : p{1, 2}, where{a, 4} {}
  Point opposite() const;
};

extern "C" __global__ void list_arguments(int *a) {
  assert(total({1, 2, 3}) == 6 && total({.x = 1, .y = 2}) == 12 && total({}) == 9);
  assert(total_of({1, 2, 3}) == 15 && total_of({1}, {2}) == 21);
  assert(many({4, 5}, 1) == 4 && many(4, 1) == 7 && many({4}, 1) == 7);
  int i = threadIdx.x;
  put({a, 4}, total(made(i)));
}
// One element for two threads, by the second value of a list.
extern "C" __global__ void list_arguments_wrong(int *a) { put({a, 1}, 2); }
extern "C" __global__ void list_members(int *a) {
  Pair p = {1, 2, 3, 4, 5, 6, 7, 8};
  assert(p.from.z == 3 && p.to.x == 4 && p.weights[1] == 8);
  Pair q = {{1, 2}, {.x = 3}, {4}};
  assert(q.from.z == 9 && q.to.y == 0 && q.to.z == 9 && q.weights[0] == 4 && q.weights[1] == 0);
  Pair r = {made(5), made(6)};
  assert(r.from.y == 6 && r.to.x == 6 && r.weights[0] == 0);
  int grid[2][3] = {1, 2, 3, 4};
  assert(grid[0][2] == 3 && grid[1][0] == 4 && grid[1][2] == 0);
  Derived d{{1}, 2};
  assert(d.kind == 1 && d.more == 2);
  // What lies where another member lies keeps its value.
  Kinds k = {1, 2};
  assert(k.whole == 2 && k.last == 0);
  q = {{4, 5, 6}};
  assert(q.from.z == 6 && q.to.z == 9);
  Box b(a);
  assert(total(b.p) == 12);
  b.where.at(threadIdx.x) = Point{1}.z;
}
extern "C" __global__ void list_texts(char *a) {
  char s[] = "abc";
  char t[6] = {"xy"};
  const char words[2][3] = {"ab", "cd"};
  static_assert(sizeof(s) == 4);
  assert(s[3] == 0 && t[1] == 'y' && t[5] == 0 && words[1][0] == 'c');
  a[threadIdx.x] = s[threadIdx.x & 3];
}
