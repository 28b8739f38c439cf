#!/bin/sh
# The example counts what the sample's own metadata say, and no sound scheme of 4 bits or more loses the network.
set -eu
[ -n "${HURRAY:-}" ] && [ -n "${HURRAY_INTEROP:-}" ] || { echo "no command that reads safetensors is built"; exit 77; }
program="$HURRAY_BUILD_DIR/examples/digits"
[ -x "$program" ] || { echo "the example is not built"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$HURRAY" convert -q "$HURRAY_SOURCE_DIR/samples/digits.safetensors" "$work/digits.hrry"
# shellcheck disable=SC2086 # an emulator with its arguments, or nothing
${HURRAY_EMULATOR:-} "$program" "$work/digits.hrry" | tee "$work/out"
grep -q '^float32 .* 68096 bytes  356 of 360 right' "$work/out"
[ "$(grep -c right "$work/out")" -eq 10 ]
awk '/int8|int4|NF4|MXFP/ { for (i = 1; i < NF; i++) if ($i == "of" && $(i - 1) < 345) { print "too few: " $0; bad = 1 } }
     END { exit bad }' "$work/out"
