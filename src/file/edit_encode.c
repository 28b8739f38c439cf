/* What follows the tensors of an edited container: metadata, index, trailer, as for the unedited one. */
#include "base/alloc.h"
#include "base/status.h"
#include "file/edit.h"
#include "kern/kern.h"

typedef struct parts {
    hry_pieces kv, index;
    /* Bytes that a newer minor version put behind the entries: carried. */
    const uint8_t *kv_more, *index_more;
    size_t kv_more_length, index_more_length;
} parts;

static hry_status collect_kv(const hry_edit *e, parts *p, hry_error *err)
{
    const hry_container *c = hry_container_of(e->file);
    uint64_t used = 4, nbytes = 0;
    for (size_t i = 0; i < e->file->kv.count; i++) {
        hry_kv_value_size(&e->file->kv.items[i].value, &nbytes);
        used += 3 + e->file->kv.items[i].key.len + nbytes;
    }
    if (c->frame.info.kv_offset) {
        p->kv_more = c->kv_bytes.bytes + used;
        p->kv_more_length = (size_t)(c->frame.info.kv_length - used);
    }
    for (size_t i = 0; i < e->kv_count; i++) {
        const hry_kv *kv = &e->kvs[i];
        hry_kv_value_size(&kv->value, &nbytes);
        if (4 + (uint64_t)p->kv.length + p->kv_more_length + 3 + kv->key.len + nbytes > UINT32_MAX)
            return hry_fail_rule(err, HRY_RULE_F_30, HRY_SECTION_KV, 0, p->kv.length);
        uint8_t *piece = hry_pieces_add(&p->kv, &e->allocator, kv->key, 1 + (size_t)nbytes);
        if (!piece)
            return hry_fail_memory(err, nbytes);
        *piece = kv->value.type;
        hry_kv_value_put(&kv->value, piece + 1);
    }
    return HRY_OK;
}

static hry_status collect_index(const hry_edit *e, parts *p, hry_error *err)
{
    const hry_index *index = &hry_container_of(e->file)->index;
    size_t used = 8;
    for (uint32_t i = 0; i < index->count; i++) {
        hry_str name = hry_index_name(index, i);
        used += 2 + name.len + HRY_ENTRY_FIXED;
        if (e->names && e->names[i].ptr)
            name = e->names[i];
        if (hry_pieces_has(&p->index, name))
            return hry_fail_rule_because(err, HRY_RULE_F_17, HRY_SECTION_INDEX, 0, i,
                                         "two tensors would be named \"%.*s\"", name.len < 200 ? (int)name.len : 200,
                                         name.ptr);
        if (8 + (uint64_t)p->index.length + index->length + name.len > UINT32_MAX)
            return hry_fail_rule(err, HRY_RULE_F_30, HRY_SECTION_INDEX, 0, p->index.length);
        uint8_t *fixed = hry_pieces_add(&p->index, &e->allocator, name, HRY_ENTRY_FIXED);
        if (!fixed)
            return hry_fail_memory(err, HRY_ENTRY_FIXED);
        memcpy(fixed, hry_index_fixed(index, i), HRY_ENTRY_FIXED);
    }
    p->index_more = index->bytes + used;
    p->index_more_length = index->length - used;
    return HRY_OK;
}

static uint8_t *put(uint8_t *dst, const void *bytes, size_t nbytes)
{
    if (nbytes)
        memcpy(dst, bytes, nbytes);
    return dst + nbytes;
}

static uint8_t *put_kv(const hry_edit *e, const parts *p, uint8_t *dst)
{
    const hry_container *c = hry_container_of(e->file);
    if (e->file->info.kv_unavailable)
        return put(dst, c->kv_bytes.bytes, (size_t)c->frame.info.kv_length);
    hry_store32(dst, (uint32_t)p->kv.count);
    dst = put(dst + 4, p->kv.bytes, p->kv.length);
    return put(dst, p->kv_more, p->kv_more_length);
}

/* Entries in the order of the index, by name when it is sorted. */
static bool put_index(const hry_edit *e, const parts *p, uint8_t **dst)
{
    const hry_pieces *pieces = &p->index;
    uint8_t *at = *dst;
    hry_store64(at, pieces->count);
    at += 8;
    if (!hry_container_of(e->file)->index.sorted) {
        at = put(at, pieces->bytes, pieces->length);
    } else {
        size_t size = 2 * pieces->count * sizeof(uint32_t);
        uint32_t *order = hry_alloc(&e->allocator, size, _Alignof(uint32_t));
        if (!order)
            return false;
        hry_pieces_sort(pieces, order, order + pieces->count);
        for (size_t i = 0; i < pieces->count; i++) {
            size_t start = pieces->at[order[i]];
            size_t end = order[i] + 1u < pieces->count ? pieces->at[order[i] + 1] : pieces->length;
            at = put(at, pieces->bytes + start, end - start);
        }
        hry_free(&e->allocator, order, size, _Alignof(uint32_t));
    }
    *dst = put(at, p->index_more, p->index_more_length);
    return true;
}

/* Sections, each at a multiple of 8, then the trailer. frame is the old one and becomes the new. */
static bool put_tail(const hry_edit *e, const parts *p, hry_frame *frame, uint8_t *tail, size_t *nbytes)
{
    hry_file_info *info = &frame->info;
    uint64_t start = hry_frame_region_end(frame);
    bool has_kv = info->flags & HRY_FILE_HAS_KV || info->kv_offset || p->kv.count > 0;
    uint8_t *at = tail;
    if (has_kv) {
        at = put_kv(e, p, tail);
        info->kv_offset = start;
        info->kv_length = (uint64_t)(at - tail);
        info->flags |= HRY_FILE_HAS_KV;
        while ((start + (uint64_t)(at - tail)) % 8 != 0)
            *at++ = 0;
    }
    uint8_t *index = at;
    if (!put_index(e, p, &at))
        return false;
    info->index_offset = start + (uint64_t)(index - tail);
    info->index_length = (uint64_t)(at - index);
    frame->index_crc32c =
        info->flags & HRY_FILE_HAS_INDEX_CRC ? hry_kern()->crc32c(0, index, (size_t)info->index_length) : 0;
    hry_trailer_encode(frame, at);
    *nbytes = (size_t)(at - tail) + HRY_TRAILER_SIZE;
    return true;
}

static hry_status encode(const hry_edit *e, parts *p, uint8_t header[HRY_HEADER_SIZE], uint8_t **tail, size_t *nbytes,
                         hry_error *err)
{
    const hry_container *c = hry_container_of(e->file);
    hry_frame frame = c->frame;
    hry_status status = e->file->info.kv_unavailable ? HRY_OK : collect_kv(e, p, err);
    if (!status)
        status = collect_index(e, p, err);
    if (status)
        return status;
    size_t room = (size_t)c->frame.info.kv_length + p->kv.length + p->kv_more_length + p->index.length +
                  p->index_more_length + HRY_TRAILER_SIZE + 64;
    uint8_t *bytes = hry_alloc(&e->allocator, room, 8), *exact = NULL;
    if (bytes && put_tail(e, p, &frame, bytes, nbytes)) {
        exact = hry_alloc(&e->allocator, *nbytes, 8);
        if (exact)
            memcpy(exact, bytes, *nbytes);
    }
    hry_free(&e->allocator, bytes, room, 8);
    if (!exact)
        return hry_fail_memory(err, room);
    hry_header_encode(&frame.info, header);
    *tail = exact;
    return HRY_OK;
}

hry_status hry_edit_encode(const hry_edit *edit, uint8_t header[HRY_HEADER_SIZE], uint8_t **tail, size_t *nbytes,
                           hry_error *err)
{
    parts p = { 0 };
    hry_status status = encode(edit, &p, header, tail, nbytes, err);
    hry_pieces_fini(&p.kv, &edit->allocator);
    hry_pieces_fini(&p.index, &edit->allocator);
    return status;
}
