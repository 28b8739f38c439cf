/* Which types and devices of DLPack are which of ours. (element-types, section 6; buffers, section 3) */
#include "tensor/dlpack_abi.h"

static const struct {
    uint8_t type, code, bits;
} types[] = {
    { HRY_TYPE_INT2, 0, 2 },         { HRY_TYPE_INT4, 0, 4 },         { HRY_TYPE_INT8, 0, 8 },
    { HRY_TYPE_INT16, 0, 16 },       { HRY_TYPE_INT32, 0, 32 },       { HRY_TYPE_INT64, 0, 64 },
    { HRY_TYPE_UINT2, 1, 2 },        { HRY_TYPE_UINT4, 1, 4 },        { HRY_TYPE_UINT8, 1, 8 },
    { HRY_TYPE_UINT16, 1, 16 },      { HRY_TYPE_UINT32, 1, 32 },      { HRY_TYPE_UINT64, 1, 64 },
    { HRY_TYPE_FLOAT16, 2, 16 },     { HRY_TYPE_FLOAT32, 2, 32 },     { HRY_TYPE_FLOAT64, 2, 64 },
    { HRY_TYPE_BFLOAT16, 4, 16 },    { HRY_TYPE_COMPLEX64, 5, 64 },   { HRY_TYPE_COMPLEX128, 5, 128 },
    { HRY_TYPE_BOOL, 6, 8 },         { HRY_TYPE_FLOAT8_E4M3, 10, 8 }, { HRY_TYPE_FLOAT8_E5M2, 12, 8 },
    { HRY_TYPE_FLOAT8_E8M0, 14, 8 }, { HRY_TYPE_FLOAT6_E2M3, 15, 6 }, { HRY_TYPE_FLOAT6_E3M2, 16, 6 },
    { HRY_TYPE_FLOAT4_E2M1, 17, 4 },
};

/* Several memory classes of a device may share a DLPack device: the first row is what such a one is taken for. */
static const struct {
    uint8_t device_tag, memory_class;
    int32_t device_type;
} devices[] = {
    { HRY_DEVICE_CPU, HRY_MEMORY_STANDARD, 1 },         { HRY_DEVICE_CPU, HRY_MEMORY_HOST_PINNED, 1 },
    { HRY_DEVICE_CPU, HRY_MEMORY_UNIFIED, 1 },          { HRY_DEVICE_CUDA, HRY_MEMORY_STANDARD, 2 },
    { HRY_DEVICE_CUDA, HRY_MEMORY_HOST_PINNED, 3 },     { HRY_DEVICE_CUDA, HRY_MEMORY_UNIFIED, 13 },
    { HRY_DEVICE_ROCM, HRY_MEMORY_STANDARD, 10 },       { HRY_DEVICE_ROCM, HRY_MEMORY_HOST_PINNED, 11 },
    { HRY_DEVICE_METAL, HRY_MEMORY_STANDARD, 8 },       { HRY_DEVICE_METAL, HRY_MEMORY_HOST_PINNED, 8 },
    { HRY_DEVICE_METAL, HRY_MEMORY_UNIFIED, 8 },        { HRY_DEVICE_VULKAN, HRY_MEMORY_STANDARD, 7 },
    { HRY_DEVICE_VULKAN, HRY_MEMORY_HOST_PINNED, 7 },   { HRY_DEVICE_VULKAN, HRY_MEMORY_UNIFIED, 7 },
    { HRY_DEVICE_WEBGPU, HRY_MEMORY_STANDARD, 15 },     { HRY_DEVICE_HEXAGON, HRY_MEMORY_STANDARD, 16 },
    { HRY_DEVICE_HEXAGON, HRY_MEMORY_HOST_PINNED, 16 }, { HRY_DEVICE_HEXAGON, HRY_MEMORY_UNIFIED, 16 },
    { HRY_DEVICE_LEVEL_ZERO, HRY_MEMORY_STANDARD, 14 }, { HRY_DEVICE_LEVEL_ZERO, HRY_MEMORY_HOST_PINNED, 14 },
    { HRY_DEVICE_LEVEL_ZERO, HRY_MEMORY_UNIFIED, 14 },  { HRY_DEVICE_OPENCL, HRY_MEMORY_STANDARD, 4 },
    { HRY_DEVICE_OPENCL, HRY_MEMORY_HOST_PINNED, 4 },   { HRY_DEVICE_OPENCL, HRY_MEMORY_UNIFIED, 4 },
};

enum { TYPES = sizeof types / sizeof *types, DEVICES = sizeof devices / sizeof *devices };

uint8_t hry_dl_type_to_hurray(uint8_t code, uint8_t bits)
{
    for (size_t i = 0; i < TYPES; i++)
        if (types[i].code == code && types[i].bits == bits)
            return types[i].type;
    return 0;
}

bool hry_dl_type_from_hurray(uint8_t type, uint8_t *code, uint8_t *bits)
{
    for (size_t i = 0; i < TYPES; i++)
        if (types[i].type == type) {
            *code = types[i].code;
            *bits = types[i].bits;
            return true;
        }
    return false;
}

bool hry_dl_device_to_hurray(int32_t device_type, uint8_t *device_tag, uint8_t *memory_class)
{
    for (size_t i = 0; i < DEVICES; i++)
        if (devices[i].device_type == device_type) {
            *device_tag = devices[i].device_tag;
            *memory_class = devices[i].memory_class;
            return true;
        }
    return false;
}

bool hry_dl_device_from_hurray(uint8_t device_tag, uint8_t memory_class, int32_t *device_type)
{
    for (size_t i = 0; i < DEVICES; i++)
        if (devices[i].device_tag == device_tag && devices[i].memory_class == memory_class) {
            *device_type = devices[i].device_type;
            return true;
        }
    return false;
}
