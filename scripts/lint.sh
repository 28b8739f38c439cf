#!/bin/sh
# lint.sh: clang-format, clang-tidy and cppcheck over the sources. Exits 1 when one of them finds something.
set -eu
cd "$(dirname "$0")/.."
failed=

echo "clang-format"
sh scripts/format.sh --check || failed=yes

echo "clang-tidy (.clang-tidy)"
CC=clang cmake -S . -B build/lint -G Ninja -DCMAKE_BUILD_TYPE=Debug >/dev/null
find src -name '*.c' -print0 |
    xargs -0 -n 4 -P "$(getconf _NPROCESSORS_ONLN)" clang-tidy -p build/lint --quiet --warnings-as-errors='*' \
        2>build/lint/clang-tidy.err || failed=yes
grep -E '^error|error:' build/lint/clang-tidy.err || true

echo "cppcheck (.cppcheck)"
cppcheck --quiet --error-exitcode=1 --std=c11 --language=c --enable=warning,portability,performance \
    --inline-suppr --suppressions-list=.cppcheck -j "$(getconf _NPROCESSORS_ONLN)" \
    -Iinclude -Isrc -D__x86_64__=1 -D__GNUC__=12 -D__BYTE_ORDER__=1234 -D__ORDER_LITTLE_ENDIAN__=1234 \
    -D__ORDER_BIG_ENDIAN__=4321 src || failed=yes

[ -z "$failed" ] || exit 1
echo "nothing found"
