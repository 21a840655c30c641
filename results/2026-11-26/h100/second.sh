#!/usr/bin/env bash
# The asynchronous tests that were left, those with a branch behind each wait (branch.py made them), without stress and with, and what was left of two
# applications.
set -u
D=/tmp/margay-first-run; cd $D; W=/tmp/w; mkdir -p $W
export NO_COLOR=1 COLUMNS=140 LD_LIBRARY_PATH=/usr/local/nvidia/lib64:/usr/local/nvidia/lib
on=(--device cuda --watchdog 10s --toolkit $D/toolkit)
pack() { tar czf $OUT/w2.tar.gz -C $W . ; }
again() { f=$1; most=$2; shift 2; t=$SECONDS; for k in 1 2 3 4 5 6 7 8 9 10 11 12; do left=$((most-(SECONDS-t))); [ $left -gt 5 ] || break; timeout -s INT -k 5 $left "$@" >>$W/$f.txt 2>&1; c=$?; [ $c -eq 3 ] || break; done; echo "== $f: rc $c, $k tries, $((SECONDS-t)) s, at $SECONDS"; grep -v "^ \|^$\|instances" $W/$f.txt | tail -3 | cut -c1-300; pack; }
cp old/async.jsonl $W/async.jsonl; again branch 60 ./margay gpu --soundness branch "${on[@]}" --instances 20000000 --timeout 20s --results $W/branch.jsonl
again async 50 ./margay gpu --soundness corpus/asynchronous "${on[@]}" --instances 2000000 --timeout 20s --results $W/async.jsonl
again branch-stress 40 ./margay gpu --soundness branch "${on[@]}" --environment stress-ctas=auto,stress=random,stress-rounds=512 --instances 5000000 --timeout 20s --results $W/branch-stress.jsonl
for f in cbe_ht tpo_tm; do timeout -s INT -k 5 25 ./margay app test kernels/papers/full/$f.toml "${on[@]}" --profile tune.toml --runs 20 --timeout 20s --environments sys-str+,cache-str-,cache-str+,rand-str-,rand-str+ --format json > $W/app2-$f.json 2>>$W/suite.err; echo "$f rc $? at $SECONDS"; done
pack
python3 - $W <<'PY'
import json,sys
w=sys.argv[1]
for n in ('branch','async','branch-stress'):
    L=[json.loads(l) for l in open(f'{w}/{n}.jsonl')]
    print(n,len(L),'violations',[d['name'] for d in L if d.get('violation')],'failed',[d['file'].split('/')[-1] for d in L if 'failed' in d])
PY
