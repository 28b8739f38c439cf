#!/bin/sh
# Descriptors cost no heap: nothing in these rooms knows how to ask for memory.
set -eu
cd "$HURRAY_SOURCE_DIR"
for source in src/desc/*.c src/layout/*.c src/quant/*.c; do
    basename "$source"
done >"$HURRAY_BUILD_DIR/no_heap.sources"
nm -A -u "$HURRAY_BUILD_DIR/libhurray.a" |
    awk -v list="$HURRAY_BUILD_DIR/no_heap.sources" '
        BEGIN { while ((getline name < list) > 0) ours[name ".o"] = 1 }
        {
            split($1, part, ":")
            if (part[2] in ours) {
                seen[part[2]] = 1
                if ($NF ~ /^(malloc|calloc|realloc|free|aligned_alloc|posix_memalign|alloca|hry_alloc.*|hry_grow)$/) {
                    print part[2] " uses " $NF
                    failed = 1
                }
            }
        }
        END {
            for (name in seen) count++
            print count " objects without heap"
            exit failed || count < 10
        }'
