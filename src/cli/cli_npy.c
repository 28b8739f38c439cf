#include "cli/cli_npy.h"
#include "cli/cli_out.h"

#include <hurray/type.h>
#include <inttypes.h>
#include <string.h>

uint8_t cli_npy_type(uint8_t type, bool *exact)
{
    *exact = type != HRY_TYPE_FLOAT128;
    switch (type) {
    case HRY_TYPE_FLOAT128:
        return HRY_TYPE_FLOAT64;
    case HRY_TYPE_BFLOAT16:
    case HRY_TYPE_FLOAT8_E4M3:
    case HRY_TYPE_FLOAT8_E5M2:
    case HRY_TYPE_FLOAT8_E8M0:
    case HRY_TYPE_FLOAT4_E2M1:
    case HRY_TYPE_FLOAT6_E2M3:
    case HRY_TYPE_FLOAT6_E3M2:
        return HRY_TYPE_FLOAT32;
    case HRY_TYPE_INT4:
    case HRY_TYPE_INT2:
        return HRY_TYPE_INT8;
    case HRY_TYPE_UINT4:
    case HRY_TYPE_UINT2:
    case HRY_TYPE_BOOL:
        return HRY_TYPE_UINT8;
    default:
        return hry_type_find(type) ? type : 0;
    }
}

static char kind_letter(uint8_t kind)
{
    switch (kind) {
    case HRY_KIND_INT:
        return 'i';
    case HRY_KIND_UINT:
        return 'u';
    case HRY_KIND_COMPLEX:
        return 'c';
    default:
        return 'f';
    }
}

void cli_npy_put_header(FILE *out, uint8_t tag, bool is_bool, const cli_part *part)
{
    enum { ALIGN = 64, PREFIX = 10 };
    char text[64 + 23 * HRY_RANK_MAX];
    const hry_type_info *type = hry_type_find(tag);
    size_t n = (size_t)snprintf(text, sizeof text, "{'descr': '%c%c%d', 'fortran_order': False, 'shape': (",
                                type->bits == 8 ? '|' : '<', is_bool ? 'b' : kind_letter(type->kind), type->bits / 8);
    for (uint32_t k = 0; k < part->rank; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, k ? ", %" PRIu64 : "%" PRIu64, part->shape[k]);
    n += (size_t)snprintf(text + n, sizeof text - n, part->rank == 1 ? ",), }" : "), }");
    size_t length = (PREFIX + n + 1 + ALIGN - 1) / ALIGN * ALIGN - PREFIX; /* with a line end */
    fwrite("\x93NUMPY\x01\x00", 1, 8, out);
    putc((int)(length & 0xFF), out);
    putc((int)(length >> 8), out);
    fprintf(out, "%s%*s\n", text, (int)(length - n - 1), "");
}
