#!/bin/sh
# fuzz.sh [SECONDS [TARGET...]]: runs each fuzz target for so long, from the committed seeds and what earlier runs found
# (build/fuzz/found). Inputs that break something are kept in build/fuzz/broken.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-30}
[ $# -eq 0 ] || shift
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz >build/fuzz/build.log || {
    grep -E 'error|warning|undefined' build/fuzz/build.log
    exit 1
}
[ $# -gt 0 ] || set -- $(find fuzz -name 'fuzz_*.c' | sort | sed 's|.*/fuzz_||; s|\.c$||')
failed=
for target; do
    found=build/fuzz/found/$target
    mkdir -p "$found" build/fuzz/broken
    dictionary=fuzz/dict/$target.dict
    echo "== $target, $seconds s"
    log=build/fuzz/$target.log
    if "build/fuzz/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="build/fuzz/broken/$target-" $([ ! -f "$dictionary" ] || echo "-dict=$dictionary") \
        "$found" "fuzz/corpus/$target" >"$log" 2>&1; then
        grep -E '^stat::number_of_executed_units|^stat::new_units|^stat::peak_rss' "$log"
    else
        failed="$failed $target"
        grep -vE '^#|^NEW_FUNC' "$log" | tail -n 40
    fi
done
[ -z "$failed" ] || {
    echo "broken:$failed (build/fuzz/broken)"
    exit 1
}
