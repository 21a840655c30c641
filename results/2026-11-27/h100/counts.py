#!/usr/bin/env python3
# Makes kernels.txt and probes.txt of what first.sh and more.sh leave: counts.py FOLDER OUT
import glob
import json
import os
import sys

folder, out = sys.argv[1:]
runs = {}
for prefix in ('app-', 'more-'):
    for file in sorted(glob.glob(f'{folder}/{prefix}*.json')):
        program, kernel = os.path.basename(file)[len(prefix):-len('.json')].split('-', 1)
        # The condition of the scans was a wrong one, and what goes wrong in order does not run on the GPU.
        if program == 'lockless' or 'without_barrier' in kernel:
            continue
        for e in json.load(open(file))['environments']:
            if e['memory'] != 'in order':
                row = runs.setdefault((program, kernel), {}).setdefault(e['memory'], [0, 0])
                row[0] += e['errors'] + e['time_outs']
                row[1] += e['runs']
columns = ['no-str-', 'no-str+', 'sys-str-', 'sys-str+', 'rand-str-', 'rand-str+', 'cache-str-', 'cache-str+']
width = max(len(f'{p}: {k}') for p, k in runs)
with open(f'{out}/kernels.txt', 'w') as text:
    print('Kernels of tests/kernels on an H100 80GB HBM3, driver 580.159.04, 2026-11-27, the program of be3808f1: wrong runs of all runs.\n', file=text)
    print(f'{"kernel".ljust(width)}  ' + ' '.join(c.rjust(10) for c in columns), file=text)
    for (p, k), row in sorted(runs.items()):
        cells = ['/'.join(map(str, row[c])) if c in row else '-' for c in columns]
        print(f'{f"{p}: {k}".ljust(width)}  ' + ' '.join(c.rjust(10) for c in cells), file=text)
names = ['probes', 'probes-warm', 'probes-stress', 'warps', 'warps-stress']
with open(f'{out}/probes.txt', 'w') as text:
    print('How often the outcome was seen that a test asks about, on an H100 80GB HBM3, driver 580.159.04, 2026-11-27, the program of be3808f1.', file=text)
    for name in names:
        print(f'\n{name}', file=text)
        for line in open(f'{folder}/{name}.jsonl'):
            of = json.loads(line)
            asked = sum(o['count'] for o in of['outcomes'] if o['asked'])
            said = 'forbidden by ptx-8, seen' if of['violation'] else ''
            print(f'  {of["name"].ljust(30)} {asked:>12} of {of["instances"]:>12}  {said}'.rstrip(), file=text)
