#!/usr/bin/env bash
# Algorithm 1 for the two applications that were stopped after 45 s on 2026-11-26, each in the environment that showed most.
set -u
D=/tmp/margay-first-run; cd $D; W=/tmp/w; mkdir -p $W
export NO_COLOR=1 COLUMNS=140 LD_LIBRARY_PATH=/usr/local/nvidia/lib64:/usr/local/nvidia/lib
on=(--device cuda --watchdog 30s --toolkit $D/toolkit)
for line in "tpo_tm no-str-" "ls_bh_nf cache-str+"; do set -- $line
  timeout -s INT -k 10 $((MOST+20)) ./margay app harden kernels/papers/full/$1.toml "${on[@]}" --profile tune.toml --environments $2 --runs ${RUNS:-100} --timeout ${MOST}s > $W/harden-$1.txt 2>&1; echo "$1 rc $?, at $SECONDS"; tail -30 $W/harden-$1.txt | cut -c1-200
done
tar czf $OUT/w2.tar.gz -C $W .
