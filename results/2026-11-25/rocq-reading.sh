#!/usr/bin/env bash
# What coqc takes to read 24,000 numbers: as a list of numerals, and as letters (prove/rocq/src/letters.rs). Needs coqc.
set -euo pipefail
prelude=$(realpath "$(dirname "$0")/../../prove/rocq/src/prelude.v")
cd "$(mktemp -d)"
numbers() { awk 'BEGIN { srand(1); for (i = 0; i < 24000; i++) print 1 + int(700 * rand()) }'; }
{
    echo 'From Coq Require Import List PArith. Import ListNotations.'
    echo "Definition numbers : list positive := [$(numbers | paste -sd ';')]%positive."
} > numerals.v
{
    sed '/^Module Refutation/,$d' "$prelude"
    echo 'Open Scope letters_scope.'
    text=$(numbers | awk '{ n = $1 - 1; s = sprintf("%c", 97 + n % 26); if (n >= 26) s = sprintf("%c", 64 + int(n / 26)) s; printf "%s", s }' | fold -w 120 |
        sed 's/.*/"&"/' | paste -sd ';')
    echo "Definition numbers : list letters := [$text]."
} > letters.v
for file in numerals letters; do
    coqc -time "$file.v" | awk -v file="$file" '/Definition~numbers/ { for (i = 1; i <= NF; i++) if ($i == "secs") { print file ": " $(i - 1) " s"; exit } }'
done
