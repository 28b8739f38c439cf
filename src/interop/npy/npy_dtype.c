#include "interop/npy/npy_dtype.h"

#include "base/status.h"
#include "interop/quote.h"

#include <stdio.h>
#include <string.h>

static const struct {
    char kind;
    uint8_t size, type;
} dtypes[] = { { 'b', 1, HRY_TYPE_BOOL },      { 'i', 1, HRY_TYPE_INT8 },       { 'i', 2, HRY_TYPE_INT16 },
               { 'i', 4, HRY_TYPE_INT32 },     { 'i', 8, HRY_TYPE_INT64 },      { 'u', 1, HRY_TYPE_UINT8 },
               { 'u', 2, HRY_TYPE_UINT16 },    { 'u', 4, HRY_TYPE_UINT32 },     { 'u', 8, HRY_TYPE_UINT64 },
               { 'f', 2, HRY_TYPE_FLOAT16 },   { 'f', 4, HRY_TYPE_FLOAT32 },    { 'f', 8, HRY_TYPE_FLOAT64 },
               { 'c', 8, HRY_TYPE_COMPLEX64 }, { 'c', 16, HRY_TYPE_COMPLEX128 } };

enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/* What NumPy's other kinds are called. */
static const char *name_of_kind(char kind, unsigned size)
{
    switch (kind) {
    case 'O':
        return "Python objects (a pickle)";
    case 'S':
    case 'a':
        return "byte strings";
    case 'U':
        return "strings";
    case 'V':
        return "raw bytes of unknown meaning";
    case 'M':
        return "dates";
    case 'm':
        return "time spans";
    case 'f':
        return size == 12 || size == 16 ? "floats whose format depends on the machine" : NULL;
    case 'c':
        return size == 24 || size == 32 ? "complex numbers whose format depends on the machine" : NULL;
    default:
        return NULL;
    }
}

static hry_status fail_kind(hry_str text, char kind, unsigned size, uint64_t offset, hry_error *err)
{
    char quoted[HRY_QUOTE_SIZE];
    const char *name = name_of_kind(kind, size);
    if (!name)
        return hry_fail(err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, offset, 0, "no element type: %s",
                        hry_quote(quoted, text));
    return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_FILE_HEADER, offset, 0, "an array of %s: %s has no counterpart",
                    name, hry_quote(quoted, text));
}

/* The number behind the kind; 0 for none, or one that no type has. */
static unsigned size_of(const char *digits, size_t len)
{
    unsigned size = 0;
    for (size_t i = 0; i < len; i++) {
        if (digits[i] < '0' || digits[i] > '9' || size > 99)
            return 0;
        size = 10 * size + (unsigned)(digits[i] - '0');
    }
    return size;
}

hry_status hry_npy_dtype_read(hry_str text, uint64_t offset, hry_npy_dtype *dtype, hry_error *err)
{
    bool ordered = text.len > 0 && memchr("<>|=", text.ptr[0], 4);
    char order = ordered ? text.ptr[0] : 0;
    hry_str rest = { text.ptr + ordered, text.len - ordered };
    if (rest.len == 1 && *rest.ptr == '?')
        rest = (hry_str){ "b1", 2 };
    char kind = rest.len ? *rest.ptr : 0;
    unsigned size = rest.len ? size_of(rest.ptr + 1, rest.len - 1) : 0;
    for (size_t i = 0; i < DTYPES; i++) {
        if (dtypes[i].kind != kind || dtypes[i].size != size)
            continue;
        if (size > 1 && order != '<' && order != '>')
            return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_FILE_HEADER, offset, 0,
                            "the byte order is that of the machine which wrote it, and unknown");
        *dtype = (hry_npy_dtype){ dtypes[i].type, dtypes[i].size, size > 1 && order == '>' };
        return HRY_OK;
    }
    return fail_kind(text, kind, size, offset, err);
}

bool hry_npy_dtype_write(uint8_t type, char text[8])
{
    for (size_t i = 0; i < DTYPES; i++)
        if (dtypes[i].type == type) {
            snprintf(text, 8, "%c%c%u", dtypes[i].size > 1 ? '<' : '|', dtypes[i].kind, dtypes[i].size);
            return true;
        }
    return false;
}

uint8_t hry_npy_wider_type(uint8_t type, bool *exact)
{
    char text[8];
    *exact = type != HRY_TYPE_FLOAT128;
    switch (type) {
    case HRY_TYPE_INT2:
    case HRY_TYPE_INT4:
        return HRY_TYPE_INT8;
    case HRY_TYPE_UINT2:
    case HRY_TYPE_UINT4:
        return HRY_TYPE_UINT8;
    case HRY_TYPE_FLOAT128:
        return HRY_TYPE_FLOAT64;
    case HRY_TYPE_BFLOAT16:
    case HRY_TYPE_FLOAT8_E4M3:
    case HRY_TYPE_FLOAT8_E5M2:
    case HRY_TYPE_FLOAT8_E8M0:
    case HRY_TYPE_FLOAT6_E2M3:
    case HRY_TYPE_FLOAT6_E3M2:
    case HRY_TYPE_FLOAT4_E2M1:
        return HRY_TYPE_FLOAT32;
    default:
        return hry_npy_dtype_write(type, text) ? type : 0;
    }
}
