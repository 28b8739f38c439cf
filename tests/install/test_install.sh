#!/bin/sh
# Programs build against the installed tree, by pkg-config and by CMake, wherever the tree has been moved.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$HURRAY_SOURCE_DIR/tests/install
version=$(sed -n 's/.*return "\(.*\)".*/\1/p' "$HURRAY_SOURCE_DIR/src/base/version.c")
cc=${CC:-cc}

expect() {
    [ "$2" = "$version" ] || {
        echo "$1 printed '$2' instead of '$version'"
        exit 1
    }
    echo "ok: $1"
}

DESTDIR="$work/stage" cmake --install "$HURRAY_BUILD_DIR" --prefix /opt/hurray >/dev/null
[ -f "$work/stage/opt/hurray/include/hurray/hurray.h" ]
mv "$work/stage/opt/hurray" "$work/moved"
tree=$work/moved
pkgconfig=$(dirname "$(find "$tree" -name hurray.pc)")
library=$(dirname "$pkgconfig")
export PKG_CONFIG_PATH="$pkgconfig"
if grep -r "$HURRAY_BUILD_DIR\|$work/stage\|/opt/hurray" "$library" --include='*.cmake' --include='*.pc'; then
    echo "an installed file names the place it was built for"
    exit 1
fi

expect "pkg-config's version" "$(pkg-config --modversion hurray)"
"$cc" -std=c17 -Wall -Werror "$here/print_version.c" $(pkg-config --cflags --libs hurray) -o "$work/shared"
expect "a program on libhurray.so" "$(LD_LIBRARY_PATH=$library "$work/shared")"
"$cc" -std=c17 -Wall -Werror "$here/print_version.c" $(pkg-config --cflags hurray) "$library/libhurray.a" -lm \
    -o "$work/static"
expect "a program on libhurray.a" "$("$work/static")"

cmake -S "$here/consumer" -B "$work/found" -G Ninja -DCMAKE_PREFIX_PATH="$tree" -DCMAKE_C_COMPILER="$cc" >/dev/null
cmake --build "$work/found" >/dev/null
for program in "$work"/found/print_version*; do
    expect "find_package, ${program##*/}" "$("$program")"
done

if [ -e "$pkgconfig/hurray-interop.pc" ]; then
    "$cc" -std=c17 -Wall -Werror "$here/use_interop.c" $(pkg-config --cflags --libs hurray-interop) -o "$work/interop"
    expect "a program on libhurray-interop.so" "$(LD_LIBRARY_PATH=$library "$work/interop")"
    "$cc" -std=c17 -Wall -Werror "$here/use_interop.c" $(pkg-config --cflags hurray-interop) \
        "$library/libhurray-interop.a" "$library/libhurray.a" $(pkg-config --libs yajl) -lm -o "$work/interop-static"
    expect "a program on libhurray-interop.a" "$("$work/interop-static")"
fi
if [ -e "$pkgconfig/hurray_ffi.pc" ]; then
    "$cc" -std=c17 -Wall -Werror "$here/use_ffi.c" $(pkg-config --cflags --libs hurray_ffi) -o "$work/ffi"
    expect "a program on libhurray_ffi.so" "$(LD_LIBRARY_PATH=$library "$work/ffi")"
fi
if [ -x "$tree/bin/hurray" ]; then
    expect "the installed command" "$("$tree/bin/hurray" --version | awk '{ print $NF; exit }')"
fi
