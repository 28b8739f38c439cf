/* The end of a scan: KV section, index and trailer, held against the tensors that were seen. */
#include "base/alloc.h"
#include "base/status.h"
#include "file/container_composite.h"
#include "file/one_pass.h"

#include <inttypes.h>
#include <string.h>

#define PIECE ((size_t)64 << 10)

/* The most that may follow the tensors: padding, the two sections at their limits, the trailer. */
static uint64_t rest_limit(const hry_scan *s)
{
    const hry_limits *l = &s->parse.limits;
    uint64_t index = l->index_length < UINT32_MAX ? l->index_length : UINT32_MAX;
    uint64_t kv = l->kv_length < UINT32_MAX ? l->kv_length : UINT32_MAX;
    return 2 * (uint64_t)s->frame.info.alignment + index + kv + HRY_TRAILER_SIZE;
}

static hry_status read_rest(hry_scan *s, hry_error *err)
{
    size_t got;
    s->rest_offset = s->in.position;
    do {
        void *room = s->rest;
        if (s->rest_length > rest_limit(s))
            return hry_fail_rule(err, HRY_RULE_F_30, HRY_SECTION_INDEX, s->rest_offset, s->rest_length);
        if (!hry_grow(&s->allocator, &room, &s->rest_room, s->rest_length + PIECE, 1, 8))
            return hry_fail_memory(err, s->rest_length + PIECE);
        s->rest = room;
        hry_status status = hry_inflow_read(&s->in, s->rest + s->rest_length, PIECE, &got, err);
        if (status)
            return status;
        s->rest_length += got;
    } while (got == PIECE);
    return HRY_OK;
}

/* Bytes of the file that are still there: header and rest; nobody looks at those between. */
static hry_status read_kept(void *ctx, uint64_t offset, void *dst, size_t nbytes, hry_error *err)
{
    const hry_scan *s = ctx;
    uint8_t *p = dst;
    (void)err;
    memset(p, 0, nbytes);
    if (offset < HRY_HEADER_SIZE) {
        size_t n = HRY_HEADER_SIZE - (size_t)offset;
        memcpy(p, s->header + offset, n < nbytes ? n : nbytes);
    }
    uint64_t end = offset + nbytes, from = offset > s->rest_offset ? offset : s->rest_offset;
    if (end > from)
        memcpy(p + (from - offset), s->rest + (from - s->rest_offset), (size_t)(end - from));
    return HRY_OK;
}

/* The container's own listing, without what lies in the bytes that are gone. */
static hry_status open_directory(hry_scan *s, hry_error *err)
{
    hry_source source = { .size = s->rest_offset + s->rest_length, .read = read_kept, .ctx = s };
    hry_file_options options = { .parse = s->parse.options, .access = HRY_READ, .allocator = &s->allocator };
    hry_status status = hry_file_open_source(&source, &options, &s->directory, err);
    if (!status)
        hry_container_of(s->directory)->passed_by = true;
    return status;
}

static HRY_COLD hry_status fail_31(hry_error *err, enum hry_section section, uint64_t offset, uint64_t value,
                                   const char *what)
{
    return hry_fail_rule_because(err, HRY_RULE_F_31, section, offset, value, "%s", what);
}

/* Between the last tensor and the next section there is padding, and less of it than the alignment. */
static hry_status check_break(const hry_scan *s, hry_error *err)
{
    const hry_container *c = hry_container_of(s->directory);
    uint64_t end = hry_frame_region_end(&c->frame);
    if (end < s->break_offset || end - s->break_offset >= s->frame.info.alignment)
        return fail_31(err, HRY_SECTION_DATA, s->break_offset, end,
                       "the tensors do not reach to where the next section starts");
    for (uint64_t at = s->rest_offset; at < end; at++)
        if (s->rest[at - s->rest_offset] != 0)
            return fail_31(err, HRY_SECTION_DATA, at, s->rest[at - s->rest_offset],
                           "something that is no tensor stands among the tensors");
    return HRY_OK;
}

static hry_status check_entry(const hry_container *c, uint32_t i, hry_seen *seen, hry_error *err)
{
    hry_file_entry e = hry_index_entry(&c->index, i);
    uint64_t at = c->frame.info.index_offset + (uint64_t)(hry_index_fixed(&c->index, i) - c->index.bytes);
    seen->position = i;
    if (e.descriptor_offset != seen->descriptor_offset)
        return fail_31(err, HRY_SECTION_INDEX, at + HRY_ENTRY_DESCRIPTOR_OFFSET, e.descriptor_offset,
                       "the index and the tensors that are there differ");
    if (e.descriptor_length != seen->descriptor_length)
        return hry_fail_rule(err, HRY_RULE_F_T01, HRY_SECTION_HEADER, e.descriptor_offset + 6, seen->descriptor_length);
    if (e.data_length != seen->data_length)
        return hry_fail_rule(err, HRY_RULE_F_T02, HRY_SECTION_INDEX, at + HRY_ENTRY_DATA_LENGTH, e.data_length);
    if (e.data_length != 0 && e.data_offset != seen->data_offset)
        return fail_31(err, HRY_SECTION_INDEX, at + HRY_ENTRY_DATA_OFFSET, e.data_offset,
                       "the data are not where the placement rules put them");
    return HRY_OK;
}

static hry_status check_entries(hry_scan *s, hry_error *err)
{
    hry_write_order order;
    hry_container *c = hry_container_of(s->directory);
    hry_status status = hry_write_order_init(c, &order, err);
    for (size_t k = 0; k < s->seen_count && !status; k++) {
        if (k >= c->base.count)
            return fail_31(err, HRY_SECTION_DATA, s->seen[k].descriptor_offset, k,
                           "a tensor that the index does not list");
        status = check_entry(c, hry_write_order_at(&order, (uint32_t)k), &s->seen[k], err);
    }
    if (!status && s->seen_count < c->base.count) {
        uint32_t i = hry_write_order_at(&order, (uint32_t)s->seen_count);
        status = fail_31(err, HRY_SECTION_INDEX, c->frame.info.index_offset + c->index.at[i], i,
                         "the index lists a tensor that is not there");
    }
    return status;
}

hry_status hry_scan_finish(hry_scan *scan, hry_error *err)
{
    hry_status status = read_rest(scan, err);
    if (!status)
        status = open_directory(scan, err);
    if (!status)
        status = check_break(scan, err);
    if (!status)
        status = check_entries(scan, err);
    if (!status && !scan->parse.options.permissive)
        status = hry_member_stack_finish(&scan->composites, err);
    return status;
}

hry_file *hry_scan_directory(hry_scan *scan)
{
    return scan->at_end && !scan->failed ? scan->directory : NULL;
}

bool hry_scan_position(const hry_scan *scan, uint64_t k, uint64_t *i)
{
    if (!scan->at_end || scan->failed || k >= scan->seen_count)
        return false;
    *i = scan->seen[k].position;
    return true;
}
