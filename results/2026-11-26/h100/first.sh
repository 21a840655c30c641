#!/usr/bin/env bash
# The applications, the published tests and the asynchronous tests: from the folder of the archive that tests/hardware/pack makes, with the profile of
# 2026-11-25 beside it as tune.toml. $OUT is where the results go.
set -u
D=/tmp/margay-first-run; cd $D; W=/tmp/w; mkdir -p $W
export NO_COLOR=1 COLUMNS=140 LD_LIBRARY_PATH=/usr/local/nvidia/lib64:/usr/local/nvidia/lib
on=(--device cuda --watchdog 30s --toolkit $D/toolkit)
pack() { tar czf $OUT/w.tar.gz -C $W . ; }
say() { f=$1; most=$2; shift 2; t=$SECONDS; echo "\$ $*" >>$W/$f.txt; timeout -s INT -k 10 $most "$@" >>$W/$f.txt 2>&1; c=$?; echo "exit code $c, $((SECONDS-t)) s" >>$W/$f.txt; echo "== $f: rc $c, $((SECONDS-t)) s, at $SECONDS"; }
nvidia-smi -q | head -60 > $W/machine.txt; ./margay --version; cat VERSION
say async 60 ./margay gpu --soundness corpus/asynchronous "${on[@]}" --instances 2000000 --timeout 20s --results $W/async.jsonl
tail -5 $W/async.txt | cut -c1-200
pack
./margay gen --published seen-elsewhere/pldi2026.txt --out /tmp/published >/dev/null
say published 190 ./margay gpu --soundness /tmp/published "${on[@]}" --instances 2000000 --timeout 20s --results $W/published.jsonl
./margay gpu summary $W/published.jsonl --seen-elsewhere seen-elsewhere/pldi2026.txt > $W/published-summary.txt 2>&1; tail -16 $W/published-summary.txt
pack
t=$SECONDS
for f in kernels/papers/full/*.toml; do n=1000; case $f in *ls_bh*|*ct_octree*|*tpo_tm*) n=300;; esac; timeout -s INT -k 5 40 ./margay app test $f "${on[@]}" --profile tune.toml --runs $n --timeout 22s --format json > $W/app-$(basename $f .toml).json 2>>$W/suite.err; echo "$f rc $? at $SECONDS"; done; echo "== suite $((SECONDS-t)) s"; tail -3 $W/suite.err
python3 - $W <<'PY'
import json,sys
w=sys.argv[1]
import glob
out=open(w+'/best.txt','w')
for f in sorted(glob.glob(w+'/app-*.json')):
    try: a=json.load(open(f))
    except Exception as e: print(f, e); continue
    if 'environments' not in a: print(f, str(a)[:300]); continue
    print(a['file'], round(a['seconds'],1), ' '.join(f"{e['memory']}:{e['errors']}+{e['time_outs']}/{e['runs']}" for e in a['environments']), a['notes'][:2])
    best=max((e for e in a['environments'] if e['memory']!='in order'), key=lambda e:(e['errors']+e['time_outs'])/max(1,e['runs']), default=None)
    if best: out.write(f"{best['errors']+best['time_outs']} {a['file']} {best['memory']}\n")
PY
pack
sort -rn $W/best.txt | while read n file env; do
  [ $SECONDS -lt ${LAST:-520} ] || break
  [ $n -gt 0 ] || env=no-str+
  say harden-$(basename $file .toml) 60 ./margay app harden $file "${on[@]}" --profile tune.toml --environments $env --runs 200 --timeout 45s
  tail -12 $W/harden-$(basename $file .toml).txt
done
pack
