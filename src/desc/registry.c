/* Every tag, flag and mode as rows. Types, layouts and schemes keep theirs in their own rooms. (versioning) */
#include "layout/layouts.h"
#include "quant/schemes.h"

#include <hurray/desc.h>

static const hry_registry_row fixed[] = {
    { .space = HRY_SPACE_DEVICE, .value = HRY_DEVICE_CPU, .name = "CPU" },
    { .space = HRY_SPACE_DEVICE, .value = HRY_DEVICE_CUDA, .name = "CUDA" },
    { .space = HRY_SPACE_DEVICE, .value = HRY_DEVICE_ROCM, .name = "ROCm" },
    { .space = HRY_SPACE_DEVICE, .value = HRY_DEVICE_METAL, .name = "Metal" },
    { .space = HRY_SPACE_DEVICE, .value = HRY_DEVICE_VULKAN, .name = "Vulkan" },
    { .space = HRY_SPACE_DEVICE, .value = HRY_DEVICE_WEBGPU, .name = "WebGPU" },
    { .space = HRY_SPACE_DEVICE, .value = HRY_DEVICE_HEXAGON, .name = "Hexagon" },
    { .space = HRY_SPACE_DEVICE, .value = HRY_DEVICE_LEVEL_ZERO, .name = "LevelZero" },
    { .space = HRY_SPACE_DEVICE, .value = HRY_DEVICE_OPENCL, .name = "OpenCL" },
    { .space = HRY_SPACE_MEMORY_CLASS, .value = HRY_MEMORY_STANDARD, .name = "STANDARD" },
    { .space = HRY_SPACE_MEMORY_CLASS, .value = HRY_MEMORY_HOST_PINNED, .name = "HOST_PINNED" },
    { .space = HRY_SPACE_MEMORY_CLASS, .value = HRY_MEMORY_UNIFIED, .name = "UNIFIED" },
    { .space = HRY_SPACE_MEMORY_CLASS, .value = HRY_MEMORY_PEER, .name = "PEER" },
    { .space = HRY_SPACE_SYNC_MODE, .value = HRY_SYNC_PRODUCER, .name = "PRODUCER_SYNCED" },
    { .space = HRY_SPACE_SYNC_MODE, .value = HRY_SYNC_EVENT, .name = "EVENT" },
    { .space = HRY_SPACE_SYNC_MODE, .value = HRY_SYNC_CONSUMER_STREAM, .name = "CONSUMER_STREAM" },
    { .space = HRY_SPACE_DESCRIPTOR_FLAG, .value = 0, .name = "HAS_QUANTIZATION" },
    { .space = HRY_SPACE_DESCRIPTOR_FLAG, .value = 1, .name = "HAS_SHARD" },
    { .space = HRY_SPACE_DESCRIPTOR_FLAG, .value = 2, .name = "HAS_EXTENSION_TYPE" },
    { .space = HRY_SPACE_DESCRIPTOR_FLAG, .value = 3, .name = "HAS_STATISTICS" },
    { .space = HRY_SPACE_DESCRIPTOR_FLAG, .value = 4, .name = "HAS_COMPOSITE_MEMBER" },
    { .space = HRY_SPACE_FILE_FLAG, .value = 0, .name = "HAS_KV_METADATA" },
    { .space = HRY_SPACE_FILE_FLAG, .value = 1, .name = "SORTED_INDEX" },
    { .space = HRY_SPACE_FILE_FLAG, .value = 2, .name = "HAS_INDEX_CRC32C" },
    { .space = HRY_SPACE_KV_TYPE, .value = 0x01, .name = "string" },
    { .space = HRY_SPACE_KV_TYPE, .value = 0x02, .name = "int64" },
    { .space = HRY_SPACE_KV_TYPE, .value = 0x03, .name = "uint64" },
    { .space = HRY_SPACE_KV_TYPE, .value = 0x04, .name = "float64" },
    { .space = HRY_SPACE_KV_TYPE, .value = 0x05, .name = "bool" },
    { .space = HRY_SPACE_KV_TYPE, .value = 0x06, .name = "bytes" },
    { .space = HRY_SPACE_KV_TYPE, .value = 0x07, .name = "array" },
};

const char *hry_space_name(uint8_t space)
{
    static const char *const names[] = { "",          "type",         "layout",    "scheme",
                                         "device",    "memory class", "sync mode", "descriptor flag",
                                         "file flag", "KV type" };
    return space < sizeof names / sizeof *names ? names[space] : "";
}

bool hry_registry_at(size_t position, hry_registry_row *row)
{
    size_t at = position;
    const hry_type_info *type;
    for (size_t i = 0; (type = hry_type_at(i)); i++)
        if (at-- == 0) {
            *row = (hry_registry_row){
                .space = HRY_SPACE_TYPE, .tier = type->tier, .value = type->tag, .name = type->name
            };
            return true;
        }
    const hry_layout_row *layout;
    for (size_t i = 0; (layout = hry_layout_row_at(i)) && layout->category != HRY_PRIVATE; i++)
        if (at-- == 0) {
            *row = (hry_registry_row){
                .space = HRY_SPACE_LAYOUT, .tier = layout->tier, .value = layout->tag, .name = layout->name
            };
            return true;
        }
    const hry_scheme_row *scheme;
    for (size_t i = 0; (scheme = hry_scheme_row_at(i)); i++)
        if (at-- == 0) {
            *row = (hry_registry_row){
                .space = HRY_SPACE_SCHEME, .tier = scheme->tier, .value = scheme->tag, .name = scheme->name
            };
            return true;
        }
    if (at >= sizeof fixed / sizeof *fixed)
        return false;
    *row = fixed[at];
    return true;
}

bool hry_registry_find(uint8_t space, uint16_t value, hry_registry_row *row)
{
    hry_registry_row found;
    for (size_t i = 0; hry_registry_at(i, &found); i++)
        if (found.space == space && found.value == value) {
            *row = found;
            return true;
        }
    return false;
}
