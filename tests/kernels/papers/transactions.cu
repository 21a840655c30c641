// The spin lock of He and Yu for transactions (ASPLOS 2015, Fig. 10), which unlocks by a store and has its fence behind that, and the
// paper's repair. Each block adds 1 to what the lock guards.

extern "C" __global__ void he_yu_lock(int* mutex, int* record) {
  bool leave = false;
  while (!leave) {
    if (atomicCAS(mutex, 0, 1) == 0) {
      leave = true;
      *record += 1;
      *mutex = 0;
    }
    __threadfence();
  }
}

extern "C" __global__ void he_yu_lock_fences(int* mutex, int* record) {
  bool leave = false;
  while (!leave) {
    if (atomicCAS(mutex, 0, 1) == 0) {
      leave = true;
      __threadfence();
      *record += 1;
      __threadfence();
      atomicExch(mutex, 0);
    }
  }
}
