// A flag between blocks: block 0 writes data and raises a flag, the others wait for it and read the data.

extern "C" __global__ void plain_flag(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;
    *flag = 1;
  } else {
    while (*flag == 0) {}
    out[blockIdx.x] = *data;
  }
}

extern "C" __global__ void fenced_flag(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {}
    __threadfence();
    out[blockIdx.x] = *data;
  }
}

// Nobody raises the flag.
extern "C" __global__ void flag_that_stays(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;
  } else {
    while (*flag == 0) {}
    out[blockIdx.x] = 1;
  }
}

// The data is looked at: a value that is not 42 stops the kernel.
extern "C" __global__ void checked_flag(volatile int* data, volatile int* flag) {
  if (blockIdx.x == 0) {
    *data = 42;
    *flag = 1;
  } else {
    while (*flag == 0) {}
    if (*data != 42) __trap();
  }
}
