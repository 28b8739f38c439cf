#!/bin/sh
# deps.sh [--if-missing] build|test|bench|fuzz|lint|prove|all: installs the Debian packages that a job needs.
# Prints what it installs and how. With --if-missing it is silent when nothing is missing.
set -eu

build="gcc libc6-dev make cmake ninja-build pkg-config libyajl-dev libssl-dev python3"
test="$build g++ libcmocka-dev zlib1g-dev valgrind python3-numpy"
bench="$build python3-numpy python3-scipy"
fuzz="$build clang-14 clang libclang-rt-14-dev"
lint="$test clang-14 clang-format-14 clang-format clang-tidy-14 clang-tidy cppcheck"
prove="$fuzz $lint qemu-user gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-aarch64-linux-gnu
    libc6-dev-arm64-cross gcc-i686-linux-gnu libc6-dev-i386-cross"

quiet=
if [ "${1-}" = --if-missing ]; then
    quiet=yes
    shift
fi
case "${1-all}" in
build) wanted=$build ;;
test) wanted=$test ;;
bench) wanted=$bench ;;
fuzz) wanted=$fuzz ;;
lint) wanted=$lint ;;
prove) wanted=$prove ;;
all) wanted="$test $bench $fuzz $lint" ;;
*)
    echo "usage: deps.sh [--if-missing] build|test|bench|fuzz|lint|prove|all" >&2
    exit 2
    ;;
esac

# Machines without dpkg bring their own tools; the build says what it misses.
if ! command -v dpkg-query >/dev/null 2>&1; then
    [ -n "$quiet" ] || echo "This is no Debian machine. Needed are the equivalents of: $wanted"
    exit 0
fi

missing=
for package in $wanted; do
    case " $missing " in *" $package "*) continue ;; esac
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -q '^installed$' ||
        missing="$missing $package"
done
missing=${missing# }
if [ -z "$missing" ]; then
    [ -n "$quiet" ] || echo "Nothing is missing."
    exit 0
fi

install="apt-get install -y --no-install-recommends $missing"
if [ "$(id -u)" = 0 ]; then
    root=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    root="sudo -n "
else
    echo "Some packages are missing. As root, run:" >&2
    echo "    apt-get update && $install" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
# A fresh machine has no package lists, an old one may name versions that are gone.
run() {
    echo "+ ${root}$*"
    ${root}env DEBIAN_FRONTEND=noninteractive "$@" >/dev/null
}
# shellcheck disable=SC2086 # a list of words
if [ -z "$(find /var/lib/apt/lists -name '*_Packages*' 2>/dev/null | head -n 1)" ] || ! run $install; then
    run apt-get update
    run $install
fi
