#include "file/one_pass.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "os/io.h"

#include <inttypes.h>
#include <string.h>

/* A descriptor is read in pieces: its length alone takes no memory. */
#define PIECE ((size_t)64 << 10)

static HRY_COLD hry_status fail_short(const hry_scan *s, hry_error *err)
{
    uint64_t size = s->in.position + (s->in.fill - s->in.start);
    if (size < HRY_FILE_SIZE_MIN)
        return hry_fail_rule_because(err, HRY_RULE_F_01, HRY_SECTION_FILE_HEADER, size, size,
                                     "the file has %" PRIu64
                                     " bytes, less than the %u of an empty one: it is truncated",
                                     size, HRY_FILE_SIZE_MIN);
    return hry_fail_rule_because(err, HRY_RULE_F_08, HRY_SECTION_TRAILER, size - 4, 0,
                                 "the file ends after %" PRIu64 " bytes, inside a tensor: it is truncated", size);
}

static hry_status read_header(hry_scan *s, hry_error *err)
{
    size_t got;
    const uint8_t *at;
    hry_status status = hry_inflow_peek(&s->in, HRY_HEADER_SIZE, &at, &got, err);
    if (status)
        return status;
    if (got < HRY_HEADER_SIZE)
        return fail_short(s, err);
    memcpy(s->header, at, got);
    hry_inflow_take(&s->in, got);
    status = hry_header_parse(s->header, 0, &s->parse.profile, &s->frame, err);
    s->end = s->frame.info.first_descriptor_offset;
    return status;
}

static hry_status fd_read(void *ctx, void *dst, size_t nbytes, size_t *got, hry_error *err)
{
    return hry_os_read_next(&hry_os_default, (int)(intptr_t)ctx, dst, nbytes, got, err);
}

hry_status hry_scan_open_fd(int fd, const hry_file_options *options, hry_scan **scan, hry_error *err)
{
    hry_pull pull = { fd_read, (void *)(intptr_t)fd };
    return hry_scan_open(&pull, options, scan, err);
}

hry_status hry_scan_open(const hry_pull *pull, const hry_file_options *options, hry_scan **scan, hry_error *err)
{
    static const hry_file_options none;
    const hry_file_options *o = options ? options : &none;
    hry_scan *s = hry_alloc_zeroed(o->allocator, sizeof *s, _Alignof(hry_scan));
    if (!s)
        return hry_fail_memory(err, sizeof *s);
    s->allocator = hry_allocator_or_default(o->allocator);
    hry_status status = hry_inflow_init(&s->in, pull, &s->allocator, err);
    if (!status && !hry_parse_settings_init(&s->parse, &o->parse, &s->allocator))
        status = hry_fail_memory(err, s->parse.block_size);
    if (!status) {
        hry_member_stack_init(&s->composites, &s->parse.limits, &s->allocator);
        status = read_header(s, err);
    }
    if (status)
        hry_scan_close(s);
    else
        *scan = s;
    return status;
}

void hry_scan_close(hry_scan *scan)
{
    if (!scan)
        return;
    hry_allocator allocator = scan->allocator;
    hry_file_close(scan->directory);
    hry_member_stack_clear(&scan->composites);
    hry_inflow_fini(&scan->in, &allocator);
    hry_parse_settings_fini(&scan->parse, &allocator);
    hry_free(&allocator, scan->descriptor, scan->descriptor_room, 8);
    hry_free(&allocator, scan->seen, scan->seen_room * sizeof *scan->seen, _Alignof(hry_seen));
    hry_free(&allocator, scan->rest, scan->rest_room, 8);
    hry_free(&allocator, scan, sizeof *scan, _Alignof(hry_scan));
}

static bool starts_descriptor(const uint8_t *p, size_t got)
{
    return got >= 4 && memcmp(p, "HRRY", 4) == 0;
}

/*
 * At a boundary, a multiple of 8: does a tensor start here, or after zeros that end at the next multiple of the
 * alignment at the latest? Neither KV section nor index can start like a descriptor: their counts would be absurd.
 */
static hry_status find_descriptor(hry_scan *s, bool *found, hry_error *err)
{
    uint64_t mask = (uint64_t)s->frame.info.alignment - 1, last = (s->in.position + mask) & ~mask;
    s->break_offset = s->in.position;
    for (;;) {
        const uint8_t *p;
        size_t got;
        hry_status status = hry_inflow_peek(&s->in, 8, &p, &got, err);
        *found = starts_descriptor(p, got);
        if (status || *found || got < 8 || hry_load64(p) != 0 || s->in.position >= last)
            return status;
        hry_inflow_take(&s->in, 8);
    }
}

static hry_status read_descriptor(hry_scan *s, uint32_t length, hry_error *err)
{
    for (size_t done = 0, got; done < length; done += got) {
        size_t piece = length - done < PIECE ? length - done : PIECE;
        void *room = s->descriptor;
        if (!hry_grow(&s->allocator, &room, &s->descriptor_room, done + piece, 1, 8))
            return hry_fail_memory(err, length);
        s->descriptor = room;
        hry_status status = hry_inflow_read(&s->in, s->descriptor + done, piece, &got, err);
        if (status)
            return status;
        if (got < piece)
            return fail_short(s, err);
    }
    return HRY_OK;
}

static hry_status parse_descriptor(hry_scan *s, uint64_t offset, hry_error *err)
{
    const uint8_t *p;
    size_t got;
    uint32_t length;
    hry_status status = hry_inflow_peek(&s->in, 10, &p, &got, err);
    if (status)
        return status;
    if (got < 10)
        return fail_short(s, err);
    status = hry_desc_length(p, got, &length, err);
    if (!status && length > s->parse.limits.descriptor_length)
        status = hry_fail_rule(err, HRY_RULE_D_18, HRY_SECTION_HEADER, 6, length);
    if (status) {
        hry_error_shift(err, offset);
        return status;
    }
    status = read_descriptor(s, length, err);
    if (status)
        return status;
    status = hry_desc_parse(s->descriptor, length, &s->parse.options, &s->desc, err);
    if (status)
        hry_error_shift(err, offset);
    else if (s->desc.state & HRY_DESC_NO_BUFFERS)
        status = hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_LAYOUT, offset + 15, s->desc.layout,
                          "an unknown layout: where its data end cannot be known from the front");
    return status;
}

/* Where the tensor's data lie by the placement rules. */
static hry_status place(hry_scan *s, uint64_t offset, hry_seen *seen, hry_error *err)
{
    uint64_t end = offset + s->desc.length, align = s->frame.info.alignment;
    hry_buffer b;
    if (s->desc.buffer_count > 0)
        end = (end + align - 1) & ~(align - 1);
    *seen = (hry_seen){ .descriptor_offset = offset, .descriptor_length = s->desc.length, .data_offset = end };
    for (uint32_t k = 0; hry_desc_buffer(&s->desc, k, &b); k++)
        if (!hry_align_up(end, align, &end) || !hry_add(end, b.byte_size, &end) || end > INT64_MAX)
            return hry_fail_rule(err, HRY_RULE_F_T02, HRY_SECTION_BUFFERS, offset + s->desc.buffers_offset,
                                 b.byte_size);
    seen->data_length = end - seen->data_offset;
    s->end = end;
    return HRY_OK;
}

static hry_status remember(hry_scan *s, const hry_seen *seen, hry_error *err)
{
    void *array = s->seen;
    if (s->seen_count >= s->parse.limits.tensor_count || s->seen_count >= HRY_NAMES_MAX)
        return hry_fail_rule(err, HRY_RULE_F_30, HRY_SECTION_DATA, seen->descriptor_offset, s->seen_count);
    if (!hry_grow(&s->allocator, &array, &s->seen_room, s->seen_count + 1, sizeof *seen, _Alignof(hry_seen)))
        return hry_fail_memory(err, sizeof *seen);
    s->seen = array;
    s->seen[s->seen_count++] = *seen;
    return HRY_OK;
}

/* A composite that is not whole makes the file invalid; permissive readers have its members all the same. */
static hry_status follow_composites(hry_scan *s, uint64_t offset, hry_error *err)
{
    hry_error own;
    hry_status status = hry_member_stack_feed(&s->composites, &s->desc, offset, &own);
    if (status && s->parse.options.permissive && status != HRY_E_MEMORY) {
        hry_member_stack_clear(&s->composites);
        return HRY_OK;
    }
    if (status && err)
        *err = own;
    return status;
}

static hry_status take_tensor(hry_scan *s, hry_error *err)
{
    uint64_t offset = s->in.position;
    hry_seen seen;
    hry_buffer b = { 0 };
    hry_status status = parse_descriptor(s, offset, err);
    if (!status)
        status = place(s, offset, &seen, err);
    if (!status)
        status = remember(s, &seen, err);
    if (!status)
        status = follow_composites(s, offset, err);
    if (status)
        return status; /* the view may be of a descriptor that is gone */
    hry_desc_buffer(&s->desc, 0, &b);
    s->buffer = 0;
    s->buffer_left = b.byte_size;
    return HRY_OK;
}

/* Past what is left of the tensor before, and its padding to 8. */
static hry_status leave_tensor(hry_scan *s, hry_error *err)
{
    uint64_t to = (s->end + 7) & ~(uint64_t)7;
    hry_status status = hry_inflow_skip_to(&s->in, to, err);
    return status || s->in.position == to ? status : fail_short(s, err);
}

static hry_status next(hry_scan *s, bool *more, hry_error *err)
{
    bool found = false;
    hry_status status = leave_tensor(s, err);
    if (!status)
        status = find_descriptor(s, &found, err);
    if (status)
        return status;
    *more = found;
    return found ? take_tensor(s, err) : hry_scan_finish(s, err);
}

hry_status hry_scan_next(hry_scan *scan, bool *more, hry_desc *desc, hry_error *err)
{
    bool found = false;
    if (scan->failed)
        return hry_fail(err, scan->failed, HRY_SECTION_NONE, 0, 0, "reading has failed before");
    if (!scan->at_end)
        scan->failed = next(scan, &found, err);
    if (scan->failed)
        return scan->failed;
    scan->at_end |= !found;
    *more = found;
    if (found)
        *desc = scan->desc;
    return HRY_OK;
}

/* Moves on to the next buffer that has bytes left, over the padding before it; *any is false when there is none. */
static hry_status next_buffer(hry_scan *s, bool *any, hry_error *err)
{
    uint64_t mask = (uint64_t)s->frame.info.alignment - 1;
    hry_buffer b;
    hry_status status = hry_inflow_skip_to(&s->in, s->seen[s->seen_count - 1].data_offset, err);
    *any = true;
    while (s->buffer_left == 0 && !status) {
        *any = hry_desc_buffer(&s->desc, s->buffer + 1, &b);
        if (!*any)
            return HRY_OK;
        s->buffer++;
        s->buffer_left = b.byte_size;
        status = hry_inflow_skip_to(&s->in, (s->in.position + mask) & ~mask, err);
    }
    return status;
}

static hry_status check_static(const hry_scan *s, hry_error *err)
{
    return s->desc.state & HRY_DESC_HAS_DYNAMIC
               ? hry_fail_rule(err, HRY_RULE_F_T04, HRY_SECTION_SHAPE,
                               s->seen[s->seen_count - 1].descriptor_offset + 20, HRY_DYNAMIC)
               : HRY_OK;
}

hry_status hry_scan_data(hry_scan *scan, void *dst, size_t nbytes, size_t *got, hry_error *err)
{
    bool any = false;
    if (scan->failed || scan->at_end || scan->seen_count == 0)
        return hry_fail_usage(err, "there is no tensor whose data could be read");
    hry_status status = check_static(scan, err);
    if (status)
        return status;
    *got = 0;
    if (scan->desc.buffer_count > 0)
        status = next_buffer(scan, &any, err);
    if (!status && any && nbytes > 0) {
        size_t wanted = scan->buffer_left < nbytes ? (size_t)scan->buffer_left : nbytes;
        status = hry_inflow_read(&scan->in, dst, wanted, got, err);
        scan->buffer_left -= status ? 0 : *got;
        if (!status && *got < wanted)
            status = fail_short(scan, err);
    }
    scan->failed = status;
    return status;
}
