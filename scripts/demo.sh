#!/bin/sh
# demo.sh HURRAY: a trained model goes in as safetensors, becomes a .hrry, is shown, checked and turned back.
set -eu
hurray=$(cd "$(dirname "$1")" && pwd)/${1##*/}
top=$(cd "$(dirname "$0")/.." && pwd)
model="$top/samples/digits.safetensors"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

step() {
    if [ -t 1 ]; then printf '\n\033[1m%s\033[0m\n' "$1"; else printf '\n%s\n' "$1"; fi
}

step "1. Convert samples/digits.safetensors, a small network that reads handwritten digits"
"$hurray" convert "$model" "$work/digits.hrry"
ls -l "$model" "$work/digits.hrry" | awk '{ n = split($NF, part, "/"); print "   " $5 " bytes  " part[n] }'

step "2. What is in it (hurray info)"
(cd "$work" && "$hurray" info digits.hrry)

step "3. Is every byte as the format wants it? (hurray check)"
(cd "$work" && "$hurray" check digits.hrry)

step "4. Back to safetensors, and compare every tensor with the original"
"$hurray" convert "$work/digits.hrry" "$work/back.safetensors"
python3 "$top/scripts/same_tensors.py" "$model" "$work/back.safetensors"

step "5. What does each quantization scheme cost? (examples/digits.c, the weights dequantized row by row)"
"${hurray%/*}/examples/digits" "$work/digits.hrry"
