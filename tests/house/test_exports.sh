#!/bin/sh
# What the shared libraries export is what the public headers declare, and nothing by another name.
set -eu
for library in "$HURRAY_BUILD_DIR"/libhurray.so "$HURRAY_BUILD_DIR"/libhurray-interop.so; do
    [ -e "$library" ] || continue
    exported=$(nm -D --defined-only "$library" | awk '{ print $NF }' | sed 's/@.*//')
    [ -n "$exported" ]
    for symbol in $exported; do
        case $symbol in
        hry_*) ;;
        *) echo "$library exports $symbol" && exit 1 ;;
        esac
        grep -rqw "$symbol" "$HURRAY_SOURCE_DIR/include" ||
            { echo "$library exports $symbol, which no public header declares" && exit 1; }
    done
    echo "${library##*/}: $(echo "$exported" | wc -l) symbols"
done
needed=$(readelf -d "$HURRAY_BUILD_DIR/libhurray.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for library in $needed; do
    case $library in
    libc.so.* | libm.so.* | ld-linux*) ;;
    *) echo "libhurray.so needs $library" && exit 1 ;;
    esac
done
version=$(sed -n 's/.*return "\(.*\)".*/\1/p' "$HURRAY_SOURCE_DIR/src/base/version.c")
readelf -d "$HURRAY_BUILD_DIR/libhurray.so" | grep -q "SONAME.*\[libhurray.so.${version%.*}\]"
grep -q "^## $version" "$HURRAY_SOURCE_DIR/CHANGELOG.md"
