#!/bin/sh
# The core builds without CMake: one line of cc, libc and libm, and a program that links what came out.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$HURRAY_SOURCE_DIR"
rooms=
for room in base os type kern layout quant desc tensor file wire; do
    [ ! -d src/$room ] || rooms="$rooms src/$room"
done
"${CC:-cc}" -std=c17 -O2 -Werror=implicit-function-declaration -Iinclude -Isrc -o "$work/version" \
    tests/install/print_version.c $(find $rooms -name '*.c') -lm
printed=$("$work/version")
grep -q "\"$printed\"" src/base/version.c
echo "the plain line built version $printed"
