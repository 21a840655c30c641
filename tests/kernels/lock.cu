// A spin lock between blocks, as in the book "CUDA by Example", and the same with its fences. Each block adds 1 to a counter
// that the lock guards.

__device__ unsigned int lock_word;
__device__ unsigned int counter;

extern "C" __global__ void lock_without_fences() {
  while (atomicCAS(&lock_word, 0u, 1u) != 0u) {}
  counter = counter + 1;
  atomicExch(&lock_word, 0u);
}

extern "C" __global__ void lock_with_fences() {
  while (atomicCAS(&lock_word, 0u, 1u) != 0u) {}
  __threadfence();
  counter = counter + 1;
  __threadfence();
  atomicExch(&lock_word, 0u);
}

// A ticket lock: the turn is read through `volatile`.
struct Ticket {
  unsigned int next;
  unsigned int turn;
};
__device__ Ticket ticket;

extern "C" __global__ void ticket_lock() {
  unsigned int mine = atomicAdd(&ticket.next, 1u);
  while (*(volatile unsigned int*)&ticket.turn != mine) {}
  __threadfence();
  counter = counter + 1;
  __threadfence();
  *(volatile unsigned int*)&ticket.turn = mine + 1;
}

// The same without the fence in front of the unlock.
extern "C" __global__ void ticket_lock_without_release() {
  unsigned int mine = atomicAdd(&ticket.next, 1u);
  while (*(volatile unsigned int*)&ticket.turn != mine) {}
  __threadfence();
  counter = counter + 1;
  *(volatile unsigned int*)&ticket.turn = mine + 1;
}
