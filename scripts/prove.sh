#!/bin/sh
# prove.sh [STEP...]: what takes longer than `make test` may. Each step says what it runs and what came of it; a step
# that cannot run here says why. Without arguments runs every step; the steps are the functions step_* below.
set -u
cd "$(dirname "$0")/.."
top=$(pwd)
jobs=$(getconf _NPROCESSORS_ONLN)
results=

say() {
    printf '\n== %s\n' "$*"
}

# build_and_test NAME CTEST-ARGUMENTS -- CMAKE-ARGUMENTS
build_and_test() {
    name=$1
    shift
    selection=
    while [ "$1" != -- ]; do
        selection="$selection $1"
        shift
    done
    shift
    folder=build/prove/$name
    cmake -S . -B "$folder" -G Ninja -DHURRAY_TESTS=ON -DHURRAY_WERROR=ON "$@" >"$folder.log" 2>&1 &&
        cmake --build "$folder" >>"$folder.log" 2>&1 || {
        grep -E 'error|warning|undefined' "$folder.log" | head -n 20
        return 1
    }
    # shellcheck disable=SC2086 # a list of words
    (cd "$folder" && ctest -j "$jobs" --output-on-failure $selection) >"$folder.tests" 2>&1
    code=$?
    [ $code = 0 ] || grep -vE '^ *(Start|[0-9]+/[0-9]+ .*Passed)' "$folder.tests" | tail -n 60
    grep -E 'tests passed' "$folder.tests"
    return $code
}

step_clang() {
    say "Clang 14, -O2, every test but the floors"
    build_and_test clang -- -DCMAKE_C_COMPILER=clang-14 -DCMAKE_BUILD_TYPE=RelWithDebInfo
}

step_levels() {
    say "GCC without optimization; GCC -O3 for exactly this machine; unit tests"
    build_and_test gcc-O0 -LE 'house|install|docs' -- -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 &&
        build_and_test gcc-native -LE 'house|install|docs' -- -DCMAKE_BUILD_TYPE=None "-DCMAKE_C_FLAGS=-O3 -march=native"
}

step_masked() {
    say "every mask of HURRAY_CPU on this machine, unit tests"
    build_and_test masked -N -- -DCMAKE_BUILD_TYPE=RelWithDebInfo >/dev/null
    for level in ref avx2 avx512; do
        echo "HURRAY_CPU=$level"
        (cd build/prove/masked && HURRAY_CPU=$level ctest -j "$jobs" --output-on-failure -LE 'house|install|docs') \
            >build/prove/masked.tests 2>&1 || {
            tail -n 40 build/prove/masked.tests
            return 1
        }
        grep -E 'tests passed' build/prove/masked.tests
    done
}

step_options() {
    say "without interop; without the command; the libraries alone"
    build_and_test no-interop -LE 'slow|install' -- -DCMAKE_BUILD_TYPE=Debug -DHURRAY_INTEROP=OFF &&
        build_and_test no-cli -LE 'slow|install' -- -DCMAKE_BUILD_TYPE=Debug -DHURRAY_CLI=OFF &&
        build_and_test core -LE 'slow|install' -- -DCMAKE_BUILD_TYPE=Debug -DHURRAY_INTEROP=OFF -DHURRAY_CLI=OFF
}

# cross NAME TRIPLET DEBIAN-ARCHITECTURE
cross() {
    command -v "$2-gcc" >/dev/null || return 77
    sh scripts/cross_root.sh "$3" "build/prove/root-$3" || return 77
    build_and_test "$1" -LE 'house|install|docs|slow' -- -DCMAKE_BUILD_TYPE=RelWithDebInfo -DHURRAY_TRIPLET="$2" \
        -DHURRAY_CROSS_ROOT="$top/build/prove/root-$3" -DCMAKE_TOOLCHAIN_FILE=cmake/cross-toolchain.cmake
}

step_m32() {
    say "32-bit x86, unit tests"
    cross m32 i686-linux-gnu i386
}

step_aarch64() {
    say "AArch64 under qemu, unit tests"
    cross aarch64 aarch64-linux-gnu arm64
}

step_s390x() {
    say "s390x under qemu: a big-endian machine, unit tests"
    cross s390x s390x-linux-gnu s390x
}

step_tsan() {
    say "thread sanitizer, unit tests"
    build_and_test tsan -- -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O1 -g1" -DHURRAY_SANITIZE=thread
}

step_coverage() {
    say "coverage of the library and the command by every test (build/prove/coverage.txt)"
    build_and_test coverage -LE 'house|install|docs' -- -DCMAKE_BUILD_TYPE=Debug \
        "-DCMAKE_C_FLAGS=--coverage -fprofile-update=atomic" &&
        python3 scripts/coverage.py build/prove/coverage >build/prove/coverage.txt && tail -n 1 build/prove/coverage.txt
}

step_lint() {
    say "clang-format, clang-tidy, cppcheck"
    sh scripts/lint.sh
}

step_fuzz() {
    say "fuzzing, ${TIME:-60} s for each target"
    sh scripts/fuzz.sh "${TIME:-60}"
}

mkdir -p build/prove
[ $# -gt 0 ] || set -- clang levels options masked m32 aarch64 s390x tsan coverage lint fuzz
failed=
for step; do
    "step_$step"
    case $? in
    0) results="$results
$step: passed" ;;
    77) results="$results
$step: not run, its compiler or the libraries for it are not to be had here" ;;
    *)
        results="$results
$step: FAILED"
        failed=yes
        ;;
    esac
done
say "results$results"
[ -z "$failed" ]
