#include "desc/appended.h"

#include "base/bytes.h"

const uint8_t *hry_desc_appended(const hry_desc *desc, uint32_t offset, uint32_t size, uint8_t since, bool *partial)
{
    uint32_t length = desc->quantization_offset ? hry_load32(desc->bytes + desc->quantization_offset) : 0;
    bool defined = length > 0 && hry_desc_version_minor(desc) >= since;
    bool whole = defined && length >= size && length - size >= offset;
    if (partial)
        *partial = defined && !whole && length > offset;
    return whole ? desc->bytes + desc->quantization_offset + 4 + offset : NULL;
}
