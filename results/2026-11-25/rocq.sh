#!/usr/bin/env bash
# What margay's files for Rocq take: how large they are, the CPU seconds of finding the proof and writing the file, those of coqc with its
# most memory, and what coqc says ("classic": it accepts a theorem, and Print Assumptions shows classical logic alone). Needs coqc, and a
# margay: bash results/2026-11-25/rocq.sh target/release/margay
set -uo pipefail
margay=$(realpath "$1")
cd "$(dirname "$0")/../.."
files=$(mktemp -d)
while read -r name question; do
    # shellcheck disable=SC2086 # a question is several words
    /usr/bin/time -f '%U %S' -o "$files/time" "$margay" $question --rocq "$files/$name.v" > "$files/answer" 2>&1
    found=$(awk 'END { printf "%.0f s", $1 + $2 }' "$files/time")
    size=$(awk -v bytes="$(stat -c %s "$files/$name.v")" 'BEGIN { printf "%.1f MB", bytes / 1e6 }')
    (cd "$files" && /usr/bin/time -f '%U %S %M' -o time timeout 1800 coqc "$name.v" > said 2>&1)
    took=$(awk 'END { printf "%.0f s, %.1f GB", $1 + $2, $3 / 1e6 }' "$files/time")
    said=$(tr -s '\n ' ' ' < "$files/said" | sed 's/Axioms: classic : forall P : Prop, P \\\/ ~ P */classic; /g; s/Closed under the global context */closed; /g')
    echo "margay $question --rocq $name.v | $size | $found | $took | $said"
done << 'QUESTIONS'
fig11 prove rc11-to-ptx --without R.SC,W.SC,RMW.SC --bound 2
descoped prove rc11-to-ptx-descoped --bound 2
descoped_c20 prove rc11-to-ptx-descoped --source c20 --bound 2
fig11_8 prove rc11-to-ptx --target ptx-8 --without R.SC,W.SC,RMW.SC --bound 2
descoped_8 prove rc11-to-ptx-descoped --target ptx-8 --bound 2
kernelintrinsics prove kernelintrinsics --bound 2
cuda_builtins prove cuda-builtins --bound 2
abi_12 prove nvidia-abi-12.8.1 --source c20 --bound 2
dpcpp prove dpcpp --source c20 --bound 2
libcudacxx prove libcudacxx-3.5 --source c20 --bound 2
libcudacxx_6 prove libcudacxx-3.5 --source c20 --target ptx-6.0 --bound 2
nv_atomic prove nv-atomic-13.5 --source c20 --bound 2
relaxed_store prove results/2026-11-22/theorems/relaxed-seq-cst-store.map --source c20 --bound 2
relaxed_store_scoped prove results/2026-11-22/theorems/relaxed-seq-cst-store.map --source rc11-scoped --bound 2
x86 prove rc11-to-x86 --bound 2
c11_x86 prove c11-to-x86 --bound 2
riscv prove rc11-to-riscv --source c20 --axiom Coherence --axiom Atomicity --axiom SC --bound 2
aarch64 prove rc11-to-aarch64 --source c20 --axiom Coherence --axiom Atomicity --axiom SC --bound 2
x86_riscv prove results/2026-11-24/theorems/x86-to-riscv.map --bound 2
strong_patterns diff --prove ptx-6.0 ptx-6.0-strong-patterns --bound 2
any_fence diff --prove ptx-6.0 ptx-6.0-any-fence --bound 2
chapter_8 diff --prove results/2026-11-22/theorems/ptx-6.0-generic.cat results/2026-11-22/theorems/ptx-8-generic.cat --bound 2
ptx_8 diff --prove ptx-6.0 ptx-8 --bound 2
llvm prove llvm-23-sm90 --source c20 --bound 2
cuda_oxide prove cuda-oxide --source c20 --bound 2
abi_newest prove nvidia-abi-newest --source c20 --bound 2
desul prove desul-new --source c20 --bound 2
cuda_oxide_lb prove cuda-oxide --source rc11-lb --target ptx-8 --bound 2
desul_lb prove desul-new --source rc11-lb --target ptx-8 --bound 2
abi_12_lb prove nvidia-abi-12.8.1 --source rc11-lb --bound 2
dpcpp_lb prove dpcpp --source rc11-lb --bound 2
nv_atomic_6 prove nv-atomic-13.5 --source c20 --target ptx-6.0 --bound 2
desul_8 prove desul-new --source c20 --target ptx-8 --bound 2
cuda_oxide_8 prove cuda-oxide --source c20 --target ptx-8 --bound 2
abi_newest_8 prove nvidia-abi-newest --source c20 --target ptx-8 --bound 2
llvm_6 prove llvm-23-sm90 --source c20 --target ptx-6.0 --bound 2
QUESTIONS
