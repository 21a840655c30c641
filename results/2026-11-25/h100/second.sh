#!/usr/bin/env bash
# second run: the counterexamples in all their forms, and the corpus with more instances
set -u
D=/tmp/margay-first-run; cd $D; P=$1; W=$2; mkdir -p $W
on=(--device cuda --watchdog 30s --toolkit $D/toolkit --profile $P)
export NO_COLOR=1 COLUMNS=120
say() { echo "\$ $*" >>$W/$f.txt; timeout -s INT -k 10 $most "$@" >>$W/$f.txt 2>&1; echo "exit code $?, $((SECONDS-t)) s" >>$W/$f.txt; }
t=$SECONDS f=compiled most=40
for i in 1; do say ./margay gpu compiled/libcudacxx-1/source.litmus --compiled compiled/libcudacxx-1/program.ptx --accesses compiled/libcudacxx-1/target.litmus "${on[@]}" --instances 20000000000 --results $W/compiled.jsonl; done
cat $W/compiled.txt
for m in llvm-22.1-sm90 cuda-5.5 libcudacxx-2.3-sm60 nvidia-abi-middle zig-0.17 llvm-22.1-sm70 rc11-to-ptx-relaxed-acquire-load rc11-to-ptx-relaxed-release-store rc11-to-ptx-no-fence-sc-load; do
  for e in warm=off warm=on; do
    t=$SECONDS f=confirm-$m-$e most=30
    say ./margay confirm $m --level program --all 24 --timeout 20s "${on[@]}" --environment $e --instances 300000000 --results $W/confirm.jsonl
    echo "$f: $(head -2 $W/$f.txt | tail -1 | cut -c1-150) $((SECONDS-t)) s"
  done
done
tar czf $OUT/w1.tar.gz -C $W .
t=$SECONDS f=soundness most=$((415-SECONDS))
say ./margay gpu --soundness corpus "${on[@]}" --instances 20000000 --seed 7 --timeout 20s --results $W/soundness-20m.jsonl
tail -25 $W/$f.txt | cut -c1-150
tar czf $OUT/w2.tar.gz -C $W .
