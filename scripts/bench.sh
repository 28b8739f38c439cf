#!/bin/sh
# bench.sh BUILD: runs every benchmark of that build, one after the other.
set -eu
found=
for program in "$1"/bench/bench_*; do
    [ -x "$program" ] || continue
    found=yes
    echo "== ${program##*/}"
    "$program"
done
[ -n "$found" ] || echo "no benchmarks in $1"
