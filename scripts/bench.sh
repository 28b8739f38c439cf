#!/bin/sh
# bench.sh BUILD: runs every benchmark of that build, one after the other. Exits 1 when one of them missed a goal.
set -u
found=
missed=
for program in "$1"/bench/bench_*; do
    [ -x "$program" ] || continue
    found=yes
    echo "== ${program##*/}"
    "$program" || missed=yes
done
[ -n "$found" ] || echo "no benchmarks in $1"
[ -z "$missed" ]
