// Four programs of two blocks, each of which needs one order of accesses to memory and is right with any machine that keeps it. `app test` runs them on
// machines that reorder nothing but one kind of pairs.

/// The data has to be there before the flag: store, store.
extern "C" __global__ void publish(volatile int* data, volatile int* flag, volatile int* out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        flag[0] = 1;
    } else {
        while (flag[0] == 0) {
        }
        __threadfence();
        out[0] = data[0];
    }
}

/// The flag has to be read before the data: load, load.
extern "C" __global__ void take(volatile int* data, volatile int* flag, volatile int* out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        flag[0] = 1;
    } else {
        while (flag[0] == 0) {
        }
        out[0] = data[0];
    }
}

/// Each block says that it wants to enter before it looks whether the other one does: store, load.
extern "C" __global__ void gate(volatile int* wants, int* entered)
{
    int me = blockIdx.x;
    wants[32 * me] = 1;
    if (wants[32 * (1 - me)] == 0) {
        atomicAdd(entered, 1);
    }
}

/// The data has to be read before it is given back to who writes it anew: load, store.
extern "C" __global__ void hand_back(volatile int* data, volatile int* taken, volatile int* out)
{
    if (blockIdx.x == 0) {
        while (taken[0] == 0) {
        }
        __threadfence();
        data[0] = 9;
    } else {
        int read = data[0];
        taken[0] = 1;
        out[0] = read;
    }
}
