#!/usr/bin/env bash
# Lanes that meet, questions about mbarriers, kernels of tests/kernels, and the corpus once more: from the folder of the archive that
# tests/hardware/pack makes, with probes, kernels.py and the profile of 2026-11-25 (tune.toml) beside it. $OUT is where the results go.
set -u
D=/tmp/margay-first-run; cd $D; W=/tmp/w; mkdir -p $W
export NO_COLOR=1 COLUMNS=140 LD_LIBRARY_PATH=/usr/local/nvidia/lib64:/usr/local/nvidia/lib
on=(--device ${DEVICE:-cuda} --watchdog 10s --toolkit $D/toolkit)
N=${N:-20000000}
pack() { tar czf $OUT/w.tar.gz -C $W . ; }
again() { f=$1; most=$2; shift 2; t=$SECONDS; for k in 1 2 3 4 5 6 7 8; do left=$((most-(SECONDS-t))); [ $left -gt 5 ] || break; timeout -s INT -k 5 $left "$@" >>$W/$f.txt 2>&1; c=$?; [ $c -eq 3 ] || break; done; echo "== $f: rc $c, $k tries, $((SECONDS-t)) s, at $SECONDS"; tail -3 $W/$f.txt | cut -c1-300; pack; }
nvidia-smi -q 2>/dev/null | head -60 > $W/machine.txt; ./margay --version; cat VERSION
S=stress-ctas=auto,stress=random,stress-rounds=512
again warps 30 ./margay gpu --soundness corpus/isa-8-warps "${on[@]}" --instances $N --timeout 20s --results $W/warps.jsonl
again warps-stress 30 ./margay gpu --soundness corpus/isa-8-warps "${on[@]}" --environment $S --instances $((N/4)) --timeout 20s --results $W/warps-stress.jsonl
# What may end with an error of the GPU comes last.
mkdir -p quiet loud; cp probes/*.litmus quiet/; mv quiet/*st-async-alone* loud/
again probes 40 ./margay gpu --soundness quiet "${on[@]}" --instances $((N*5)) --timeout 20s --results $W/probes.jsonl
again probes-warm 25 ./margay gpu --soundness quiet "${on[@]}" --environment warm=on --instances $N --timeout 20s --results $W/probes-warm.jsonl
again probes-stress 25 ./margay gpu --soundness quiet "${on[@]}" --environment $S --instances $((N/4)) --timeout 20s --results $W/probes-stress.jsonl
again loud 15 ./margay gpu --soundness loud "${on[@]}" --instances 1000000 --timeout 10s --results $W/loud.jsonl
mkdir -p k; cp kernels/*.ptx k/; python3 kernels.py k; t=$SECONDS
for f in k/*.toml; do [ $((SECONDS-t)) -lt ${APPS:-170} ] || break; timeout -s INT -k 5 20 ./margay app test $f "${on[@]}" --profile tune.toml --environments no-str-,sys-str-,sys-str+,cache-str+ --runs 500 --timeout 6s --format json > $W/app-$(basename $f .toml).json 2>>$W/suite.err; done; echo "== kernels $((SECONDS-t)) s, at $SECONDS"; tail -3 $W/suite.err
python3 - $W <<'PY'
import json,sys,glob
w=sys.argv[1]
for f in sorted(glob.glob(w+'/app-*.json')):
    try: a=json.load(open(f))
    except Exception as e: print(f, e); continue
    if 'environments' not in a: print(f, str(a)[:300]); continue
    print(f.split('app-')[1][:-5], round(a['seconds'],1), ' '.join(f"{e['memory']}:{e['errors']}+{e['time_outs']}/{e['runs']}" for e in a['environments']))
for n in ('warps','warps-stress','probes','probes-warm','probes-stress','loud'):
    try: L=[json.loads(l) for l in open(f'{w}/{n}.jsonl')]
    except Exception as e: print(n,e); continue
    print(n,len(L),'violations',[d['name'] for d in L if d.get('violation')],'failed',[d['file'].split('/')[-1]+str(d['failed'])[:90] for d in L if 'failed' in d])
PY
pack
again corpus $(( ${LAST:-480} - SECONDS )) ./margay gpu --soundness corpus "${on[@]}" --instances $N --timeout 20s --results $W/corpus.jsonl
python3 - $W <<'PY'
import json,sys
L=[json.loads(l) for l in open(sys.argv[1]+'/corpus.jsonl')]
print(len(L),'violations',[d['name'] for d in L if d.get('violation')],'failed',[d['file'].split('/')[-1]+str(d['failed'])[:90] for d in L if 'failed' in d])
PY
