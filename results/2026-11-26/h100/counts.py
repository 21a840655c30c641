#!/usr/bin/env python3
# Makes asynchronous.txt of the files of results that first.sh and second.sh leave: counts.py FOLDER
import json
import re
import sys

folder = sys.argv[1]
rows = {}
for column in ['async', 'branch', 'branch-stress']:
    for line in open(f'{folder}/{column}.jsonl'):
        of = json.loads(line)
        name = of.get('name') or of['file'].split('/')[-1].removesuffix('.litmus')
        if column != 'async':
            name = name.removesuffix('-branch')
        row = rows.setdefault(name, {})
        if 'failed' in of:
            row[column] = 'the GPU failed'
            continue
        asked = sum(o['count'] for o in of['outcomes'] if o['asked'])
        other = sum(o['count'] for o in of['outcomes'] if not o['asked'] and o['model'] == 'forbidden')
        allowed = any(o['asked'] and o['model'] == 'allowed' for o in of['outcomes'])
        row.setdefault('model', 'allowed' if allowed else 'forbidden')
        row[column] = f'{asked:,} of {of["instances"]:,}' + (f' (+{other:,} of other forbidden outcomes)' if other else '')
        row[column] = row[column].replace(',', ' ')
width = max(map(len, rows))
print(f'{"test".ljust(width)}  ptx-8      {"plain".ljust(30)} {"branch".ljust(30)} stress')
for name in sorted(rows):
    of = rows[name]
    cells = [of.get(column, '-') for column in ['async', 'branch', 'branch-stress']]
    print(f'{name.ljust(width)}  {of.get("model", "-").ljust(9)}  {cells[0].ljust(30)} {cells[1].ljust(30)} {cells[2]}'.rstrip())
