// A pipeline of two stages: one thread fills them by bulk copies, the others add up what comes.

#include <cstdint>

__device__ __forceinline__ uint32_t address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ __forceinline__ void init(uint64_t *bar, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(bar)), "r"(count) : "memory");
}
__device__ __forceinline__ void arrive(uint64_t *bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(bar)) : "memory");
}
__device__ __forceinline__ void expect(uint64_t *bar, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(bar)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void wait(uint64_t *bar, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra.uni over;\n"
      "bra.uni again;\n"
      "over:\n"
      "}\n" ::"r"(address(bar)), "r"(parity) : "memory");
}
__device__ __forceinline__ void load(void *to, const void *from, uint32_t bytes, uint64_t *bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(to)),
               "l"(from), "r"(bytes), "r"(address(bar)) : "memory");
}

constexpr int stages = 2;
constexpr int rounds = 3;
constexpr int width = 4;

enum Mistake { none, released_too_early, never_waited_empty, wrong_first_parity, wrong_full_parity, one_release_too_few };

template <Mistake mistake>
__device__ void summed(const int *in, int *out) {
  __shared__ alignas(128) int tile[stages][width];
  __shared__ alignas(8) uint64_t full[stages];
  __shared__ alignas(8) uint64_t empty[stages];
  int consumers = blockDim.x - 1;
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; s++) {
      init(&full[s], 1);
      init(&empty[s], mistake == one_release_too_few ? consumers + 1 : consumers);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 0; i < rounds; i++) {
      int s = i % stages;
      // The stages are free at first: the phase before the first one counts as complete.
      int parity = i / stages % 2 ^ 1;
      if (mistake == wrong_first_parity) parity ^= 1;
      if (mistake != never_waited_empty) wait(&empty[s], parity);
      expect(&full[s], sizeof(tile[s]));
      load(tile[s], in + i * width, sizeof(tile[s]), &full[s]);
    }
  } else {
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
      int s = i % stages;
      wait(&full[s], mistake == wrong_full_parity ? i % 2 : i / stages % 2);
      if (mistake == released_too_early) arrive(&empty[s]);
      sum += tile[s][threadIdx.x % width];
      if (mistake != released_too_early) arrive(&empty[s]);
    }
    out[threadIdx.x] = sum;
  }
}

extern "C" __global__ void stages_right(const int *in, int *out) { summed<none>(in, out); }
extern "C" __global__ void stages_released_too_early(const int *in, int *out) { summed<released_too_early>(in, out); }
extern "C" __global__ void stages_not_waited_for(const int *in, int *out) { summed<never_waited_empty>(in, out); }
extern "C" __global__ void stages_wrong_first_parity(const int *in, int *out) { summed<wrong_first_parity>(in, out); }
extern "C" __global__ void stages_wrong_parity(const int *in, int *out) { summed<wrong_full_parity>(in, out); }
extern "C" __global__ void stages_one_release_too_few(const int *in, int *out) { summed<one_release_too_few>(in, out); }
