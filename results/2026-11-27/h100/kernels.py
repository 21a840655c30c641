#!/usr/bin/env python3
# Writes an application for each kernel of tests/kernels that runs on the machine of the CPU and has an end that a right run reaches:
# kernels.py OUT, where OUT has the texts of PTX. (The condition of the two scans is wrong: counts.py leaves them out.)
import json
import os
import sys

out = sys.argv[1]
os.makedirs(out, exist_ok=True)


def write(program, kernel, blocks, threads, arrays, arguments, post):
    text = f'program = "{program}.ptx"\npost = {json.dumps(post)}\nplaces = 64\n'
    for name, rest in arrays:
        text += f'\n[[array]]\nname = "{name}"\n{rest}\n'
    text += f'\n[[launch]]\nkernel = "{kernel}"\nblocks = {blocks}\nthreads = {threads}\narguments = {json.dumps(arguments)}\n'
    open(f'{out}/{program}-{kernel}.toml', 'w').write(text)


def lock(program, kernel, blocks, times=1, threads=1):
    write(program, kernel, blocks, threads, [], [], [f'counter == {blocks * threads * times}'])


for kernel in ('ticket_lock', 'ticket_lock_relaxed', 'cas_lock', 'cas_lock_relaxed', 'ttas_lock', 'ttas_lock_relaxed', 'cas_lock_with_backoff'):
    lock('locks', kernel, 64)
for kernel in ('ticket_lock_twice', 'cas_lock_twice', 'ttas_lock_twice'):
    lock('locks', kernel, 64, 2)
for kernel in ('lock_without_fences', 'lock_with_fences', 'ticket_lock', 'ticket_lock_without_release'):
    lock('lock', kernel, 64)
for kernel in ('mcs_lock', 'mcs_lock_relaxed', 'clh_lock', 'clh_lock_relaxed'):
    lock('queue_locks', kernel, 4)
for kernel in ('queue_lock', 'queue_lock_without_release'):
    lock('queue_lock', kernel, 2)

n, t = 64, 32
arrays = [('data', f'words = {n * t}'), ('out', f'words = {n * t}'), ('arrived', 'words = 1')]
for kernel in ('barrier_with_fences', 'barrier_without_release', 'barrier_without_fences'):
    # The third lets every thread count, so that its blocks have one thread.
    write('barrier', kernel, n, 1, arrays, ['data', 'out', 'arrived'], [f'out[{b}] == {(b + 1) % n}' for b in range(n)])
for kernel in ('grid_barrier', 'grid_barrier_without_release', 'grid_barrier_without_acquire'):
    write('grid', kernel, n, t, arrays, ['data', 'out', 'arrived'],
          [f'out[{i}] == {(i + t) % (n * t)}' for b in range(n) for i in (b * t, b * t + t // 2, b * t + t - 1)])
arrays = [('in', f'words = {n * 64}\ncount_from = 0'), ('partial', f'words = {n}'), ('out', 'words = 1'), ('count', 'words = 1')]
for kernel in ('last_of_many', 'last_of_many_without_fence', 'last_of_many_without_barrier'):
    write('grid', kernel, n, 64, arrays, ['in', 'partial', 'out', 'count'], [f'out[0] == {n * 64 * (n * 64 - 1) // 2}'])
for kernel in ('last_block', 'last_block_without_fence'):
    write('last_block', kernel, n, 2, arrays, ['in', 'partial', 'out', 'count'], [f'out[0] == {2 * n * (2 * n - 1) // 2}'])
n = 8  # blocks of two threads, as the kernel's shared array has
arrays = [('in', f'words = {n * 2}\ncount_from = 0'), ('out', f'words = {n * 2}'), ('sums', f'words = {n}'), ('prefixes', f'words = {n}'), ('states', f'words = {n}')]
for kernel in ('scan', 'scan_relaxed'):
    write('lockless', kernel, n, 2, arrays, ['in', 'out', 'sums', 'prefixes', 'states'],
          [f'out[{2 * b}] == {2 * b * (2 * b - 1) // 2}' for b in range(1, n)])
