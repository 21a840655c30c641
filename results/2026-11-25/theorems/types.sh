#!/bin/sh
# Which theorems need that no location is accessed by both plain and atomic operations (`--typed on`)? For each question that is a theorem
# with that: a search without it up to 6 events, and where it finds nothing a proof without it. Prints a table in Markdown.
# Usage: results/2026-11-25/theorems/types.sh [PROGRAM [SECONDS]], from the repository; PROGRAM is `margay` unless you say, SECONDS limits
# each proof (60).
margay=${1:-margay}
seconds=${2:-60}
echo '| table | reading of C++ | target | axioms | `--typed on` | `--typed off` |'
echo '| --- | --- | --- | --- | --- | --- |'
ask() {
  table=$1 source=$2 target=$3 axioms=$4 more=$5
  set -- "$table" --source "$source" --target "$target" $more
  for axiom in $axioms; do set -- "$@" --axiom "$axiom"; done
  found=$("$margay" check "$@" --level execution --co universal --typed off --bound 6 --timeout "${seconds}s" 2>&1 | head -n 1)
  on='not asked again here' off=
  case $found in
    counterexample*) off=$(echo "$found" | sed 's/^counterexample with \([0-9]*\) events.*, axiom \([^:]*\):.*/counterexample at \1 (\2)/') ;;
    'no counterexample up to 6'*)
      off=$("$margay" prove "$@" --typed off --bound 5 --timeout "${seconds}s" 2>&1 | tr '\n' ' ')
      case $off in
        theorem*) off='**theorem**' ;;
        *) off="no counterexample up to 6; no proof in $seconds s" ;;
      esac ;;
    *) off="not decided: $found" ;;
  esac
  case $table in
    rc11-to-* | c11-to-* | cuda-builtins | kernelintrinsics)
      case $("$margay" prove "$@" --bound 5 --timeout "${seconds}s" 2>&1 | head -n 1) in theorem*) on='**theorem**' ;; *) on="no proof in $seconds s" ;; esac ;;
  esac
  echo "| $table | $source | $target | ${axioms:-all}${more:+, }$more | $on | $off |"
}
both='Coherence Atomicity SC'
ask rc11-to-ptx rc11-scoped ptx-6.0 '' '--without R.SC,W.SC,RMW.SC'
ask rc11-to-ptx rc11-scoped ptx-8 '' '--without R.SC,W.SC,RMW.SC'
for source in rc11-lb c20; do
  for target in ptx-6.0 ptx-8; do ask rc11-to-ptx-descoped $source $target ''; done
done
ask rc11-to-x86 rc11 x86 ''
ask rc11-to-x86 c20 x86 ''
ask c11-to-x86 c11 x86 ''
for source in rc11 c20; do
  ask rc11-to-aarch64 $source aarch64 "$both"
  ask rc11-to-riscv $source riscv "$both"
done
for source in rc11-scoped c20-scoped; do
  for target in ptx-6.0 ptx-8; do ask cuda-builtins $source $target ''; done
done
for source in rc11-scoped c20-scoped rc11-lb c20; do
  for target in ptx-6.0 ptx-8; do ask kernelintrinsics $source $target ''; done
done
for table in libcudacxx-3.5 nv-atomic-13.5 llvm-23-sm90 nvidia-abi-newest; do
  for target in ptx-6.0 ptx-8; do ask $table c20 $target ''; done
done
for table in nvidia-abi-12.8.1 cuda-oxide dpcpp desul-new; do
  for source in rc11-lb c20; do
    for target in ptx-6.0 ptx-8; do ask $table $source $target ''; done
  done
done
