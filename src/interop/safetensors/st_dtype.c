#include "interop/safetensors/st_dtype.h"

#include "base/checked.h"

#include <string.h>

static const hry_st_dtype dtypes[] = {
    { "F32", HRY_TYPE_FLOAT32, 32 },
    { "BF16", HRY_TYPE_BFLOAT16, 16 },
    { "F16", HRY_TYPE_FLOAT16, 16 },
    { "F64", HRY_TYPE_FLOAT64, 64 },
    { "BOOL", HRY_TYPE_BOOL, 8 },
    { "U8", HRY_TYPE_UINT8, 8 },
    { "I8", HRY_TYPE_INT8, 8 },
    { "I16", HRY_TYPE_INT16, 16 },
    { "U16", HRY_TYPE_UINT16, 16 },
    { "I32", HRY_TYPE_INT32, 32 },
    { "U32", HRY_TYPE_UINT32, 32 },
    { "I64", HRY_TYPE_INT64, 64 },
    { "U64", HRY_TYPE_UINT64, 64 },
    { "F8_E4M3", HRY_TYPE_FLOAT8_E4M3, 8 },
    { "F8_E5M2", HRY_TYPE_FLOAT8_E5M2, 8 },
    { "F8_E8M0", HRY_TYPE_FLOAT8_E8M0, 8 },
    { "F4", HRY_TYPE_FLOAT4_E2M1, 4 },
    { "F6_E2M3", HRY_TYPE_FLOAT6_E2M3, 6 },
    { "F6_E3M2", HRY_TYPE_FLOAT6_E3M2, 6 },
    { "C64", HRY_TYPE_COMPLEX64, 64 },
    { "F8_E4M3FNUZ", 0, 8 },
    { "F8_E5M2FNUZ", 0, 8 },
};

enum { DTYPE_COUNT = sizeof dtypes / sizeof *dtypes };

const hry_st_dtype *hry_st_dtype_by_name(hry_str name)
{
    for (size_t i = 0; i < DTYPE_COUNT; i++)
        if (strlen(dtypes[i].name) == name.len && memcmp(dtypes[i].name, name.ptr, name.len) == 0)
            return &dtypes[i];
    return NULL;
}

const hry_st_dtype *hry_st_dtype_by_type(uint8_t type)
{
    for (size_t i = 0; i < DTYPE_COUNT; i++)
        if (dtypes[i].type == type && type != 0)
            return &dtypes[i];
    return NULL;
}

bool hry_st_dtype_fills_bytes(const hry_st_dtype *dtype, uint64_t count)
{
    /* Of count, only what it leaves when divided by 8 matters. */
    return count % 8 * dtype->bits % 8 == 0;
}

bool hry_st_dtype_size(const hry_st_dtype *dtype, uint64_t count, uint64_t *nbytes)
{
    if (dtype->bits >= 8)
        return hry_mul(count, dtype->bits / 8u, nbytes);
    *nbytes = count / 8 * dtype->bits + count % 8 * dtype->bits / 8;
    return true;
}
