#include "cli/cli_element.h"
#include "cli/cli_out.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

bool cli_element_has_text(uint8_t type)
{
    return hry_type_find(type) != NULL;
}

static void put_float(FILE *out, double value, int digits, bool json)
{
    cli_size text = cli_f64_text(value, digits);
    bool quoted = json && !isfinite(value);
    if (quoted)
        putc_unlocked('"', out);
    fputs_unlocked(text.text, out);
    if (quoted)
        putc_unlocked('"', out);
    else if (json && strcmp(text.text, "-0") == 0)
        fputs_unlocked(".0", out); /* an integer would lose the sign */
}

/* The lowest bits of a code as a number with a sign. */
static int64_t with_sign(uint64_t code, unsigned bits)
{
    uint64_t sign = 1ull << (bits - 1);
    return (int64_t)((code ^ sign) - sign);
}

static void put_integer(FILE *out, const hry_type_info *type, const void *values, uint64_t index)
{
    char text[24];
    uint64_t code;
    hry_element_bits(type->tag, values, index, &code, NULL);
    int len = type->kind == HRY_KIND_INT ? snprintf(text, sizeof text, "%" PRId64, with_sign(code, type->bits))
                                         : snprintf(text, sizeof text, "%" PRIu64, code);
    fwrite_unlocked(text, 1, (size_t)len, out);
}

void cli_element_put(FILE *out, uint8_t tag, const void *values, uint64_t index, bool json)
{
    const hry_type_info *type = hry_type_find(tag);
    if (!type)
        return;
    switch (type->kind) {
    case HRY_KIND_FLOAT:
        put_float(out, hry_element_f64(tag, values, index), type->bits > 32 ? 17 : 9, json);
        break;
    case HRY_KIND_BOOL:
        fputs_unlocked(hry_element_f64(tag, values, index) != 0 ? "true" : "false", out);
        break;
    case HRY_KIND_COMPLEX: {
        uint8_t part = tag == HRY_TYPE_COMPLEX64 ? HRY_TYPE_FLOAT32 : HRY_TYPE_FLOAT64;
        int digits = part == HRY_TYPE_FLOAT32 ? 9 : 17;
        putc_unlocked('[', out);
        put_float(out, hry_element_f64(part, values, 2 * index), digits, json);
        fputs_unlocked(json ? ", " : ",", out);
        put_float(out, hry_element_f64(part, values, 2 * index + 1), digits, json);
        putc_unlocked(']', out);
        break;
    }
    default:
        put_integer(out, type, values, index);
    }
}
