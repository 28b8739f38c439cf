/* Taking a view apart to build a changed one. */
#include "base/status.h"

#include <hurray/desc.h>

bool hry_desc_unpack(const hry_desc *desc, hry_desc_spec *spec, hry_desc_store *store)
{
    if (desc->state & HRY_DESC_NO_BUFFERS || !hry_desc_layout_get(desc, &store->layout, &store->layout_store))
        return false;
    hry_desc_shape(desc, store->shape);
    for (uint32_t i = 0; i < desc->buffer_count; i++)
        hry_desc_buffer(desc, i, &store->buffers[i]);
    *spec = (hry_desc_spec){
        .type = desc->type,
        .rank = desc->rank,
        .shape = store->shape,
        .byte_offset = hry_desc_byte_offset(desc),
        .layout = &store->layout,
        .buffer_count = desc->buffer_count,
        .buffers = store->buffers,
    };
    if (hry_desc_quantization(desc, &store->quantization))
        spec->quantization = &store->quantization;
    if (hry_desc_shard(desc, store->parent_shape, store->shard_offset)) {
        spec->parent_shape = store->parent_shape;
        spec->shard_offset = store->shard_offset;
    }
    if (hry_desc_statistics(desc, &store->statistics))
        spec->statistics = &store->statistics;
    if (hry_desc_extension_type(desc, &store->extension_type))
        spec->extension_type = &store->extension_type;
    if (hry_desc_composite_member(desc, &store->member_role))
        spec->member_role = &store->member_role;
    return true;
}

static hry_status unpack(const hry_desc *desc, hry_desc_spec *spec, hry_desc_store *store, hry_error *err)
{
    return hry_desc_unpack(desc, spec, store) ? HRY_OK
                                              : hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_LAYOUT, 15, desc->layout,
                                                         "a descriptor with an unknown layout cannot be changed");
}

hry_status hry_desc_resolve(const hry_desc *desc, const uint64_t *shape, const hry_parse_options *options, void *bytes,
                            size_t nbytes, hry_desc *resolved, hry_error *err)
{
    for (uint32_t k = 0; k < desc->rank; k++) {
        uint64_t dim = hry_desc_dim(desc, k);
        if (shape[k] == HRY_DYNAMIC || (dim != HRY_DYNAMIC && dim != shape[k]))
            return hry_fail_usage(err, "dimension %u cannot become %llu", k, (unsigned long long)shape[k]);
    }
    hry_desc_spec spec;
    hry_desc_store store;
    hry_status status = unpack(desc, &spec, &store, err);
    if (status)
        return status;
    spec.shape = shape;
    return hry_desc_encode(&spec, options, bytes, nbytes, resolved, err);
}

hry_status hry_desc_with_statistics(const hry_desc *desc, const hry_statistics *statistics,
                                    const hry_parse_options *options, void *bytes, size_t nbytes, hry_desc *out,
                                    hry_error *err)
{
    hry_desc_spec spec;
    hry_desc_store store;
    hry_status status = unpack(desc, &spec, &store, err);
    if (status)
        return status;
    spec.statistics = statistics && statistics->computed_mask ? statistics : NULL;
    return hry_desc_encode(&spec, options, bytes, nbytes, out, err);
}
