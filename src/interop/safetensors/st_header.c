#include "interop/safetensors/st_header.h"

#include "base/checked.h"
#include "base/status.h"
#include "interop/grow.h"
#include "interop/quote.h"

#include <hurray/desc.h>
#include <stdarg.h>
#include <stdio.h>

hry_status hry_st_fail(hry_error *err, hry_status status, uint64_t offset, uint64_t value, hry_str name,
                       const char *format, ...)
{
    char quoted[HRY_QUOTE_SIZE], what[sizeof err->message];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return hry_fail(err, status, HRY_SECTION_FILE_HEADER, offset, value, "tensor %s: %s", hry_quote(quoted, name),
                    what);
}

static hry_desc_spec spec_of(const hry_st_header *h, size_t i)
{
    const hry_st_entry *e = &h->entries[i];
    static const uint64_t none[1];
    return (hry_desc_spec){ .type = e->type, .rank = e->rank, .shape = e->rank ? h->dims + e->dims_at : none };
}

/* All descriptors in one block, so that a view of any of them lives as long as the header. */
static hry_status place_descs(hry_st_header *h, hry_error *err)
{
    uint64_t total = 0;
    for (size_t i = 0; i < h->count; i++) {
        hry_desc_spec spec = spec_of(h, i);
        size_t nbytes;
        hry_status status = hry_desc_encoded_length(&spec, &nbytes, err);
        if (status)
            return status;
        h->entries[i].desc_at = total;
        total += nbytes; /* below 600 bytes each, and fewer than 2^32 of them */
    }
    if (!hry_to_size(total, &h->descs_size))
        return hry_fail_memory(err, total);
    h->descs = hry_alloc(h->allocator, h->descs_size, 1);
    return h->descs ? HRY_OK : hry_fail_memory(err, total);
}

static hry_status encode_descs(hry_st_header *h, hry_error *err)
{
    hry_status status = place_descs(h, err);
    for (size_t i = 0; i < h->count && status == HRY_OK; i++) {
        hry_desc_spec spec = spec_of(h, i);
        hry_desc desc;
        uint64_t at = h->entries[i].desc_at;
        status = hry_desc_encode(&spec, NULL, h->descs + at, h->descs_size - (size_t)at, &desc, err);
    }
    return status;
}

hry_status hry_st_header_read(hry_st_header *header, const uint8_t *json, uint64_t nbytes, uint64_t file_size,
                              const hry_limits *limits, const hry_allocator *allocator, hry_notes *notes,
                              hry_error *err)
{
    *header = (hry_st_header){ .allocator = allocator, .texts.allocator = allocator };
    header->data_at = HRY_ST_LENGTH_SIZE + nbytes;
    header->data_size = file_size - header->data_at;
    hry_status status = hry_st_header_parse(header, json, nbytes, limits, notes, err);
    if (status == HRY_OK)
        status = hry_st_header_cover(header, err);
    if (status == HRY_OK)
        status = encode_descs(header, err);
    if (status)
        hry_st_header_fini(header);
    return status;
}

static hry_str name_at(const void *list, uint32_t i)
{
    return ((const hry_str *)list)[i];
}

bool hry_st_header_find(const hry_st_header *header, hry_str name, uint32_t *i)
{
    return hry_names_find(&header->index, name_at, header->names, name, i);
}

void hry_st_header_trim(hry_st_header *header)
{
    hry_names_fini(&header->index, header->allocator);
    HRY_DROP(header->allocator, header->dims, header->dims_capacity);
    header->dims = NULL;
    header->dims_capacity = 0;
}

void hry_st_header_fini(hry_st_header *header)
{
    hry_st_header_trim(header);
    HRY_DROP(header->allocator, header->entries, header->entry_capacity);
    HRY_DROP(header->allocator, header->names, header->name_capacity);
    HRY_DROP(header->allocator, header->kvs, header->kv_capacity);
    hry_free(header->allocator, header->descs, header->descs_size, 1);
    hry_text_arena_free(&header->texts);
    *header = (hry_st_header){ .allocator = header->allocator };
}
