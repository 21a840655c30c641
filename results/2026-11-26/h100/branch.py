#!/usr/bin/env python3
# Puts a branch on its result behind each wait at an mbarrier: branch.py tests/corpus/asynchronous OUT
import glob
import os
import re
import sys

folder, out = sys.argv[1:]
n = 0
for f in sorted(glob.glob(f'{folder}/*.litmus')):
    t=open(f).read()
    if not re.search(r'(test|try)_wait',t) or 'LOOP' in t or 'bne' in t or 'beq' in t: continue
    lines=t.split('\n')
    # header until line starting with ' P0'
    k=next((i for i,l in enumerate(lines) if re.match(r'\s*P0',l)),None)
    if k is None: continue
    rows=[]; j=k
    while j<len(lines) and lines[j].rstrip().endswith(';'): rows.append(lines[j]); j+=1
    head,body=rows[0],rows[1:]
    cols=[[c.strip() for c in r.rstrip().rstrip(';').split('|')] for r in rows]
    m=len(cols[0])
    threads=[[r[c] for r in cols[1:] if c<len(r) and r[c]] for c in range(m)]
    done=False
    new=[]
    for th in threads:
        o=[];used=False
        for i,ins in enumerate(th):
            o.append(ins)
            w=re.match(r'mbarrier\.(test|try)_wait\S*\s+(p\d+)\s*,',ins)
            if w and i+1<len(th):
                o.append(f'bne {w.group(2)}, 1, END'); used=True; done=True
        if used: o.append('END:')
        new.append(o)
    if not done: continue
    h=max(len(o) for o in new)
    for o in new: o+=['']*(h-len(o))
    w=[max([len(cols[0][c])]+[len(x) for x in new[c]]) for c in range(m)]
    tab=[' '+' | '.join(cols[0][c].ljust(w[c]) for c in range(m))+' ;']
    for r in range(h): tab.append(' '+' | '.join(new[c][r].ljust(w[c]) for c in range(m))+' ;')
    text='\n'.join(lines[:k]+tab+lines[j:])
    text=re.sub(r'^(PTX )(\S+)',r'\1\2-branch',text,count=1)
    open(f'{out}/{os.path.basename(f)[:-7]}-branch.litmus','w').write(text); n+=1
print(n)
