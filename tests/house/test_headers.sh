#!/bin/sh
# Every public header stands alone, may be included twice, and is C11, C17 and C++.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
include=$HURRAY_SOURCE_DIR/include
count=0
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
for header in "$include"/*.h "$include"/hurray/*.h; do
    name=${header#"$include"/}
    printf '#include <%s>\n#include <%s>\nint main(void)\n{\n    return 0;\n}\n' "$name" "$name" >"$work/alone.c"
    cp "$work/alone.c" "$work/alone.cpp"
    for standard in c11 c17; do
        "${CC:-cc}" -std=$standard $warnings -Wstrict-prototypes -fsyntax-only -I"$include" "$work/alone.c"
    done
    for standard in c++11 c++17; do
        if command -v "${CXX:-g++}" >/dev/null; then
            "${CXX:-g++}" -std=$standard $warnings -fsyntax-only -I"$include" "$work/alone.cpp"
        fi
    done
    count=$((count + 1))
done
[ "$count" -gt 0 ]
echo "$count headers stand alone"
