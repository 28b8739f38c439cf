#!/bin/sh
# A project that has the source tree as a subfolder gets the core, and nothing else.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(sed -n 's/.*return "\(.*\)".*/\1/p' "$HURRAY_SOURCE_DIR/src/base/version.c")
cmake -S "$HURRAY_SOURCE_DIR/tests/install/consumer" -B "$work" -G Ninja -DHURRAY_SUBFOLDER="$HURRAY_SOURCE_DIR" \
    -DCMAKE_C_COMPILER="${CC:-cc}" >/dev/null
cmake --build "$work" >/dev/null
printed=$("$work/print_version")
[ "$printed" = "$version" ] || {
    echo "add_subdirectory: printed '$printed' instead of '$version'"
    exit 1
}
if find "$work" -name 'libhurray[-_]*' | grep . || [ -e "$work/hurray/hurray" ]; then
    echo "add_subdirectory built more than the core"
    exit 1
fi
