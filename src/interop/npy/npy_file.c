#include "interop/npy/npy_file.h"

#include "base/utf8.h"

#include <string.h>

hry_str hry_npy_name(const char *path)
{
    static const hry_str unnamed = { "array", 5 };
    const char *slash = path ? strrchr(path, '/') : NULL, *first = slash ? slash + 1 : path;
    if (!first)
        return unnamed;
    const char *dot = strrchr(first, '.');
    size_t len = dot && dot != first ? (size_t)(dot - first) : strlen(first);
    return len > 0 && len <= UINT16_MAX && hry_utf8_valid(first, len) ? (hry_str){ first, len } : unnamed;
}
