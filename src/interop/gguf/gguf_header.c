#include "interop/gguf/gguf_header.h"

#include "base/checked.h"
#include "base/radix_sort.h"
#include "base/utf8.h"
#include "file/names.h"
#include "interop/grow.h"

#include <inttypes.h>
#include <string.h>

enum { FIXED = 24, LEAST_KV = 14, LEAST_INFO = 24, DEFAULT_ALIGNMENT = 32 };

static hry_status fail_version(hry_gguf_reader *r, uint32_t version, bool swapped)
{
    return hry_fail(r->err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, 4, version,
                    "GGUF version %" PRIu32 "%s is not supported", version, swapped ? " in big-endian order" : "");
}

/* Magic, version, counts. */
static hry_status read_fixed(hry_gguf_reader *r, const hry_limits *limits, hry_gguf_header *h, uint64_t *kv_count)
{
    if (r->size >= 4 && r->have >= 4 && memcmp(r->bytes, "GGUF", 4) != 0)
        return hry_fail(r->err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, 0, 0, "the magic is not GGUF");
    hry_status status = hry_gguf_need(r, FIXED, HRY_SECTION_FILE_HEADER, "GGUF header");
    if (status)
        return status;
    uint32_t version = hry_load32(r->bytes + 4);
    r->swapped = version != 0 && (version & 0xFFFF) == 0;
    version = r->swapped ? __builtin_bswap32(version) : version;
    if (version < 2 || version > 3 || (r->swapped && version != 3))
        return fail_version(r, version, r->swapped);
    r->at = 8;
    h->version = version;
    h->swapped = r->swapped;
    h->tensor_count = hry_gguf_take64(r);
    *kv_count = hry_gguf_take64(r);
    if (h->tensor_count > hry_gguf_rest(r) / LEAST_INFO)
        return hry_fail(r->err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, 8, h->tensor_count,
                        "%" PRIu64 " tensors cannot be in a file of %" PRIu64 " bytes", h->tensor_count, r->size);
    if (*kv_count > hry_gguf_rest(r) / LEAST_KV)
        return hry_fail(r->err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, 16, *kv_count,
                        "%" PRIu64 " metadata entries cannot be in a file of %" PRIu64 " bytes", *kv_count, r->size);
    if (h->tensor_count > limits->tensor_count || h->tensor_count > HRY_NAMES_MAX || *kv_count > HRY_NAMES_MAX)
        return hry_fail(r->err, HRY_E_LIMIT, HRY_SECTION_FILE_HEADER, 8, h->tensor_count,
                        "more tensors than the limit of %" PRIu64, limits->tensor_count);
    return HRY_OK;
}

static hry_status read_name(hry_gguf_reader *r, hry_str *name)
{
    uint64_t at = r->at;
    hry_status status = hry_gguf_take_string(r, HRY_SECTION_INDEX, "tensor's name", name);
    if (status)
        return status;
    if (name->len == 0)
        return hry_fail(r->err, HRY_E_INPUT, HRY_SECTION_INDEX, at, 0, "a tensor's name is empty");
    if (name->len > HRY_GGUF_MAX_NAME)
        return hry_gguf_fail(r->err, HRY_E_INPUT, at, name->len, *name, "its name has %zu bytes, more than %d",
                             name->len, HRY_GGUF_MAX_NAME);
    if (memchr(name->ptr, 0, name->len) || !hry_utf8_valid(name->ptr, name->len))
        return hry_gguf_fail(r->err, HRY_E_INPUT, at, 0, *name, "its name holds a NUL or is not UTF-8");
    return HRY_OK;
}

/* Names into their places, and how far the data reach. Most files have them in order: then nothing overlaps. */
static hry_status read_infos(hry_gguf_reader *r, hry_gguf_header *h, hry_str *names)
{
    uint64_t reached = 0, next = 0;
    bool ascending = true;
    h->in_order = true;
    for (uint64_t i = 0; i < h->tensor_count; i++) {
        hry_gguf_info info;
        hry_status status = read_name(r, &names[i]);
        if (status == HRY_OK)
            status = hry_gguf_info_read(r, h->alignment, names[i], &info);
        if (status)
            return status;
        uint64_t end;
        h->types |= UINT64_C(1) << info.type_id;
        if (!hry_add(info.offset, info.nbytes, &end))
            return hry_gguf_fail(r->err, HRY_E_INPUT, r->at - 8, info.offset, names[i],
                                 "its data lie beyond the file's end (truncated?)");
        h->in_order &= info.offset == next && hry_align_up(end, h->alignment, &next);
        if (info.nbytes == 0)
            continue;
        ascending &= info.offset >= reached;
        reached = end > reached ? end : reached;
    }
    h->data_end = reached;
    h->in_order &= ascending;
    return HRY_OK;
}

/* The first tensor, by position, whose data are not all there. */
static hry_status find_beyond(const hry_gguf_header *h, const hry_str *names, hry_error *err)
{
    hry_status status = HRY_OK;
    hry_gguf_info info;
    for (uint64_t i = 0; i < h->tensor_count && status == HRY_OK; i++)
        status = hry_gguf_header_info(h, names[i], &info, err);
    return status;
}

static hry_status find_overlap(const hry_gguf_header *h, const hry_str *names, hry_sort_key *keys, hry_error *err)
{
    size_t count = 0;
    hry_gguf_info info;
    for (uint64_t i = 0; i < h->tensor_count; i++) {
        hry_status status = hry_gguf_header_info(h, names[i], &info, err);
        if (status)
            return status;
        if (info.nbytes)
            keys[count++] = (hry_sort_key){ .key = info.offset, .position = (uint32_t)i };
    }
    hry_sort_keys(keys, keys + h->tensor_count, count);
    uint64_t reached = 0;
    for (size_t k = 0; k < count; k++) {
        hry_str name = names[keys[k].position];
        hry_status status = hry_gguf_header_info(h, name, &info, err);
        if (status)
            return status;
        if (info.offset < reached) {
            uint64_t at = (uint64_t)((const uint8_t *)name.ptr - h->bytes) + name.len + 4 + 8 * info.rank + 4;
            return hry_gguf_fail(err, HRY_E_INPUT, at, info.offset, name,
                                 "its data at %" PRIu64 " overlap another tensor's, which end at %" PRIu64, info.offset,
                                 reached);
        }
        reached = info.offset + info.nbytes;
    }
    return HRY_OK;
}

hry_status hry_gguf_check_data(hry_gguf_header *h, const hry_str *names, const hry_allocator *allocator, hry_error *err)
{
    /* Without data there is no data section: such a file may end before it would start. */
    if (h->data_end == 0) {
        h->data_at = h->length;
        h->data_end = h->length;
        return HRY_OK;
    }
    if (!hry_align_up(h->length, h->alignment, &h->data_at) || h->data_at > h->file_size)
        return hry_fail(err, HRY_E_INPUT, HRY_SECTION_DATA, h->length, h->file_size,
                        "the file ends before its data start (truncated?)");
    if (h->data_end > h->file_size - h->data_at)
        return find_beyond(h, names, err);
    h->data_end += h->data_at;
    if (h->in_order)
        return HRY_OK;
    hry_sort_key *keys = hry_alloc_array(allocator, h->tensor_count, 2 * sizeof *keys, _Alignof(hry_sort_key));
    if (!keys)
        return hry_fail_memory(err, h->tensor_count * 2 * sizeof *keys);
    hry_status status = find_overlap(h, names, keys, err);
    hry_free(allocator, keys, (size_t)h->tensor_count * 2 * sizeof *keys, _Alignof(hry_sort_key));
    return status;
}

static hry_status read_header(hry_gguf_reader *r, const hry_limits *limits, const hry_allocator *allocator,
                              hry_gguf_header *h, hry_gguf_names *names)
{
    uint64_t kv_count = 0;
    hry_status status = read_fixed(r, limits, h, &kv_count);
    if (status == HRY_OK)
        status = hry_gguf_metadata_read(r, kv_count, allocator, h);
    if (status)
        return status;
    if (h->tensor_count > hry_gguf_rest(r) / LEAST_INFO)
        return hry_fail(r->err, HRY_E_INPUT, HRY_SECTION_INDEX, r->at, h->tensor_count,
                        "%" PRIu64 " tensors cannot be in the %" PRIu64 " bytes behind the metadata (truncated?)",
                        h->tensor_count, hry_gguf_rest(r));
    if (h->tensor_count == 0) {
        h->length = r->at;
        return HRY_OK;
    }
    if (!HRY_GROW(allocator, names->items, names->capacity, names->count + (size_t)h->tensor_count))
        return hry_fail_memory(r->err, h->tensor_count * sizeof *names->items);
    status = read_infos(r, h, names->items + names->count);
    h->length = r->at;
    return status;
}

hry_status hry_gguf_header_read(hry_gguf_header *header, const uint8_t *bytes, uint64_t have, uint64_t file_size,
                                const hry_limits *limits, const hry_allocator *allocator, hry_gguf_names *names,
                                uint64_t *want, hry_error *err)
{
    hry_gguf_reader r = { .bytes = bytes,
                          .have = have < limits->header_length ? have : limits->header_length,
                          .size = file_size,
                          .limit = limits->header_length,
                          .err = err };
    hry_gguf_header h = { .bytes = bytes, .file_size = file_size, .alignment = DEFAULT_ALIGNMENT };
    hry_status status = read_header(&r, limits, allocator, &h, names);
    if (status == HRY_OK)
        status = hry_gguf_check_data(&h, names->items ? names->items + names->count : NULL, allocator, err);
    if (status) {
        *want = r.want;
        hry_gguf_header_fini(&h, allocator);
        return status;
    }
    names->count += (size_t)h.tensor_count;
    *header = h;
    return HRY_OK;
}

void hry_gguf_header_fini(hry_gguf_header *header, const hry_allocator *allocator)
{
    HRY_DROP(allocator, header->kvs, header->kv_capacity);
    header->kvs = NULL;
    header->kv_capacity = header->kv_count = 0;
}
