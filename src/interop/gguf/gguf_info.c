#include "base/checked.h"
#include "interop/gguf/gguf_header.h"
#include "interop/quote.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#undef hry_gguf_fail
hry_status hry_gguf_fail(hry_error *err, hry_status status, uint64_t offset, uint64_t value, hry_str name,
                         const char *format, ...)
{
    char quoted[HRY_QUOTE_SIZE], what[sizeof err->message];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return hry_fail(err, status, HRY_SECTION_INDEX, offset, value, "tensor %s: %s", hry_quote(quoted, name), what);
}

/* The dimensions, and how many blocks they are. Those of 0 do not hide that the others are too many. */
static hry_status read_dims(hry_gguf_reader *r, hry_str name, hry_gguf_info *info)
{
    uint64_t product = 1, at = r->at;
    bool empty = false;
    for (uint32_t k = 0; k < info->rank; k++) {
        uint64_t dim = hry_gguf_take64(r);
        info->dims[k] = dim;
        empty |= dim == 0;
        if (dim > INT64_MAX || !hry_mul(product, dim ? dim : 1, &product) || product >= INT64_MAX)
            return hry_gguf_fail(r->err, HRY_E_INPUT, at + 8 * k, dim, name, "too many elements");
    }
    for (uint32_t k = info->rank; k < HRY_GGUF_MAX_DIMS; k++)
        info->dims[k] = 1;
    info->blocks = empty ? 0 : product;
    return HRY_OK;
}

static hry_status read_type(hry_gguf_reader *r, hry_str name, hry_gguf_info *info)
{
    uint64_t at = r->at;
    uint32_t id = info->type_id = hry_gguf_take32(r);
    info->type = hry_gguf_type_of(id);
    if (!info->type)
        return hry_gguf_fail(r->err, HRY_E_INPUT, at, id, name,
                             id < HRY_GGUF_TYPES ? "type %" PRIu32 ", which was removed" : "unknown type %" PRIu32, id);
    if (info->dims[0] % info->type->elements != 0)
        return hry_gguf_fail(r->err, HRY_E_INPUT, at, info->dims[0], name,
                             "rows of %" PRIu64 " elements are not whole blocks of %s, which have %u", info->dims[0],
                             info->type->name, info->type->elements);
    info->blocks /= info->type->elements;
    if (!hry_mul(info->blocks, info->type->bytes, &info->nbytes))
        return hry_gguf_fail(r->err, HRY_E_INPUT, at, info->blocks, name, "its size does not fit 64 bits");
    return HRY_OK;
}

hry_status hry_gguf_info_read(hry_gguf_reader *r, uint32_t alignment, hry_str name, hry_gguf_info *info)
{
    hry_status status = hry_gguf_need(r, 4, HRY_SECTION_INDEX, "tensor's entry");
    if (status)
        return status;
    uint64_t at = r->at;
    info->rank = hry_gguf_take32(r);
    if (info->rank > HRY_GGUF_MAX_DIMS)
        return hry_gguf_fail(r->err, HRY_E_INPUT, at, info->rank, name, "%" PRIu32 " dimensions, more than %d",
                             info->rank, HRY_GGUF_MAX_DIMS);
    status = hry_gguf_need(r, 8 * (uint64_t)info->rank + 4 + 8, HRY_SECTION_INDEX, "tensor's entry");
    if (status == HRY_OK)
        status = read_dims(r, name, info);
    if (status == HRY_OK)
        status = read_type(r, name, info);
    if (status)
        return status;
    at = r->at;
    info->offset = hry_gguf_take64(r);
    if (info->offset % alignment != 0)
        return hry_gguf_fail(r->err, HRY_E_INPUT, at, info->offset, name,
                             "offset %" PRIu64 " is not a multiple of the alignment %" PRIu32, info->offset, alignment);
    return HRY_OK;
}

uint32_t hry_gguf_header_type(const hry_gguf_header *header, hry_str name)
{
    uint64_t at = (uint64_t)((const uint8_t *)name.ptr - header->bytes) + name.len;
    uint32_t rank = hry_gguf_load32(header->bytes + at, header->swapped);
    if (rank > HRY_GGUF_MAX_DIMS || 4 + 8 * rank + 4 > header->length - at)
        return HRY_GGUF_TYPES;
    uint32_t id = hry_gguf_load32(header->bytes + at + 4 + 8 * rank, header->swapped);
    return hry_gguf_type_of(id) ? id : HRY_GGUF_TYPES;
}

hry_status hry_gguf_header_info(const hry_gguf_header *header, hry_str name, hry_gguf_info *info, hry_error *err)
{
    uint64_t at = (uint64_t)((const uint8_t *)name.ptr - header->bytes) + name.len;
    hry_gguf_reader r = { .bytes = header->bytes,
                          .have = header->length,
                          .size = header->length,
                          .limit = header->length,
                          .at = at,
                          .swapped = header->swapped,
                          .err = err };
    hry_status status = hry_gguf_info_read(&r, header->alignment, name, info);
    if (status)
        return status;
    /* Both were looked at when the file was opened; a file that changes since then must not lead elsewhere. */
    uint64_t left = header->file_size - header->data_at;
    if (info->nbytes && (info->offset > left || info->nbytes > left - info->offset))
        return hry_gguf_fail(err, HRY_E_INPUT, r.at - 8, info->offset, name,
                             "its data, %" PRIu64 " bytes at %" PRIu64 " of %" PRIu64
                             ", lie beyond the file's end (truncated?)",
                             info->nbytes, info->offset, left);
    return HRY_OK;
}
