#!/bin/sh
# Every C file has the form that .clang-format gives it.
exec sh "$HURRAY_SOURCE_DIR/scripts/format.sh" --check
