/* The private scheme that carries blocks as they are, over bytes. */
#include "base/bytes.h"
#include "base/checked.h"
#include "interop/gguf/gguf_file.h"

#include <hurray/interop.h>
#include <string.h>

uint32_t hry_gguf_payload_put(const hry_gguf_info *info, uint8_t payload[HRY_GGUF_PAYLOAD_MAX])
{
    memcpy(payload, "GGUF", 4);
    hry_store32(payload + 4, info->type_id);
    hry_store32(payload + 8, info->rank);
    for (uint32_t k = 0; k < info->rank; k++)
        hry_store64(payload + 12 + 8 * k, info->dims[info->rank - 1 - k]);
    return 12 + 8 * info->rank;
}

/* The shape behind the type, with what it says of blocks. */
static bool take_shape(const uint8_t *payload, hry_gguf_info *info)
{
    uint64_t product = 1;
    bool empty = false;
    for (uint32_t k = 0; k < HRY_GGUF_MAX_DIMS; k++) {
        uint64_t dim = k < info->rank ? hry_load64(payload + 12 + 8 * (info->rank - 1 - k)) : 1;
        info->dims[k] = dim;
        empty |= dim == 0;
        if (!hry_mul(product, dim ? dim : 1, &product) || product >= INT64_MAX)
            return false;
    }
    if (info->dims[0] % info->type->elements != 0)
        return false;
    info->blocks = empty ? 0 : product / info->type->elements;
    return hry_mul(info->blocks, info->type->bytes, &info->nbytes);
}

bool hry_gguf_payload_get(const hry_desc *desc, hry_gguf_info *info)
{
    hry_quantization q;
    if (!hry_desc_quantization(desc, &q) || q.scheme != HRY_SCHEME_GGUF || hry_desc_type(desc) != HRY_TYPE_UINT8 ||
        hry_desc_layout(desc) != HRY_LAYOUT_ROW_MAJOR || q.payload_length < 12 || memcmp(q.payload, "GGUF", 4) != 0)
        return false;
    const uint8_t *payload = q.payload;
    hry_gguf_info found = { .type = hry_gguf_type_of(hry_load32(payload + 4)), .type_id = hry_load32(payload + 4) };
    found.rank = hry_load32(payload + 8);
    if (!found.type || found.type->element || found.rank == 0 || found.rank > HRY_GGUF_MAX_DIMS ||
        found.rank != hry_desc_rank(desc) || q.payload_length != 12 + 8 * found.rank || !take_shape(payload, &found))
        return false;
    /* Rows of bytes, with all but the last dimension as they are. */
    for (uint32_t k = 1; k < found.rank; k++)
        if (hry_desc_dim(desc, found.rank - 1 - k) != found.dims[k])
            return false;
    if (hry_desc_dim(desc, found.rank - 1) != found.dims[0] / found.type->elements * found.type->bytes)
        return false;
    *info = found;
    return true;
}

bool hry_gguf_carried(const hry_desc *desc, const char **type, uint64_t *shape)
{
    hry_gguf_info info;
    if (!hry_gguf_payload_get(desc, &info))
        return false;
    if (type)
        *type = info.type->name;
    for (uint32_t k = 0; shape && k < info.rank; k++)
        shape[k] = info.dims[info.rank - 1 - k];
    return true;
}

const char *hry_gguf_blocks(const hry_file *file, uint64_t i)
{
    hry_gguf_view view;
    const hry_gguf_file *f = hry_gguf_file_behind(file);
    if (!f || i >= f->names.count || hry_gguf_file_type_view(f, i, &view, NULL) || view.info.type->element)
        return NULL;
    return view.info.type->name;
}
