#!/bin/sh
# format.sh [--check]: brings every C file into the form of .clang-format, or says which are not.
set -eu
cd "$(dirname "$0")/.."
tool=$(command -v clang-format-14 || command -v clang-format) || {
    echo "clang-format is not installed (make deps)"
    exit 77
}
case $("$tool" --version) in
*" 14."*) ;;
*)
    echo "clang-format 14 is needed: other versions settle some things otherwise"
    exit 77
    ;;
esac
mode=-i
[ "${1-}" != --check ] || mode="--dry-run -Werror"
# .inc files are lists of macro calls that their authors align.
find include src tests fuzz bench examples \( -name '*.c' -o -name '*.h' \) -print0 2>/dev/null |
    xargs -0 "$tool" $mode
