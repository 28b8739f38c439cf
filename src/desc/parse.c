/* The verifying pass. Steps are those of the format. (descriptor, section 8) */
#include "base/checked.h"
#include "desc/reader.h"
#include "layout/layouts.h"
#include "quant/schemes.h"

#include <inttypes.h>

enum { VERSION_MAJOR = 4, VERSION_MINOR = 5, LENGTH = 6, FLAGS = 10, TYPE = 14, LAYOUT = 15, RANK = 16, SHAPE = 20 };
enum { PREFIX_SIZE = 10, HEADER_SIZE = 20, KNOWN_FLAGS = 0x1F };

static HRY_COLD hry_status too_short(hry_error *err, uint64_t have, uint64_t need)
{
    return hry_fail_rule_because(err, HRY_RULE_D_01, HRY_SECTION_HEADER, have, need,
                                 "truncated descriptor: %" PRIu64 " bytes of %" PRIu64, have, need);
}

hry_status hry_desc_length(const void *bytes, size_t nbytes, uint32_t *length, hry_error *err)
{
    const uint8_t *p = bytes;
    if (nbytes < PREFIX_SIZE)
        return too_short(err, nbytes, PREFIX_SIZE);
    if (memcmp(p, "HRRY", 4) != 0)
        return hry_fail_rule(err, HRY_RULE_D_02, HRY_SECTION_HEADER, 0, hry_load32(p));
    if (p[VERSION_MAJOR] != 1)
        return hry_fail_rule(err, p[VERSION_MAJOR] > 1 ? HRY_RULE_D_03 : HRY_RULE_D_04, HRY_SECTION_HEADER,
                             VERSION_MAJOR, p[VERSION_MAJOR]);
    uint32_t n = hry_load32(p + LENGTH);
    if (n < HEADER_SIZE)
        return hry_fail_rule(err, HRY_RULE_D_05, HRY_SECTION_HEADER, LENGTH, n);
    *length = n;
    return HRY_OK;
}

static hry_status header_fail(const hry_frame *f, enum hry_rule rule, uint32_t offset, uint64_t value)
{
    return hry_frame_fail(f, rule, HRY_SECTION_HEADER, offset, value);
}

static hry_status parse_type(hry_frame *f, const hry_reader *reader)
{
    uint8_t tag = f->type = f->bytes[TYPE];
    const hry_type_info *info = hry_type_find(tag);
    if (info && hry_reader_knows(reader, HRY_SPACE_TYPE, tag)) {
        f->bits = info->bits;
        return HRY_OK;
    }
    return hry_is_private(tag) ? HRY_OK
                               : header_fail(f, tag == 0x00 || tag == 0xFF ? HRY_RULE_D_08 : HRY_RULE_D_09, TYPE, tag);
}

/* A private type goes with its description, and only then the caller's allowance counts. */
static hry_status check_private_type(hry_frame *f, const hry_reader *reader)
{
    if (((f->flags & HRY_HAS_EXTENSION_TYPE) != 0) != hry_is_private(f->type))
        return header_fail(f, HRY_RULE_D_11, FLAGS, f->flags);
    if (hry_is_private(f->type) && !hry_reader_allows_type(reader, f->type))
        return hry_frame_soft_fail(f, HRY_RULE_D_10, HRY_SECTION_HEADER, TYPE, f->type);
    return HRY_OK;
}

/* *row stays NULL for a layout that only permissive readers keep. */
static hry_status parse_layout_tag(hry_frame *f, const hry_reader *reader, const hry_layout_row **row)
{
    uint8_t tag = f->layout = f->bytes[LAYOUT];
    *row = hry_layout_row_of(tag);
    if (*row && hry_reader_knows(reader, HRY_SPACE_LAYOUT, tag))
        return HRY_OK;
    *row = NULL;
    return tag == 0x00 || tag == 0xFF ? header_fail(f, HRY_RULE_D_12, LAYOUT, tag)
                                      : hry_frame_soft_fail(f, HRY_RULE_D_13, HRY_SECTION_HEADER, LAYOUT, tag);
}

static hry_status parse_header(hry_frame *f, const hry_reader *reader, const hry_layout_row **row)
{
    f->flags = hry_load32(f->bytes + FLAGS);
    if (f->flags & ~(uint32_t)KNOWN_FLAGS)
        return header_fail(f, HRY_RULE_D_07, FLAGS, f->flags);
    hry_status status = parse_type(f, reader);
    if (!status)
        status = parse_layout_tag(f, reader, row);
    if (status)
        return status;
    uint32_t rank = hry_load32(f->bytes + RANK);
    if (rank > HRY_RANK_MAX)
        return header_fail(f, HRY_RULE_D_15, RANK, rank);
    f->rank = (uint8_t)rank;
    if ((status = check_private_type(f, reader)))
        return status;
    if (rank == 0 && f->layout != HRY_LAYOUT_ROW_MAJOR)
        return hry_frame_soft_fail(f, HRY_RULE_D_16, HRY_SECTION_HEADER, RANK, 0);
    return HRY_OK;
}

static hry_status parse_shape(hry_frame *f)
{
    uint32_t need = 8u * f->rank + 8;
    if (f->end - SHAPE < need)
        return hry_frame_fail(f, HRY_RULE_D_06, HRY_SECTION_SHAPE, SHAPE, f->end);
    uint64_t count = 1;
    bool overflows = false;
    for (uint32_t k = 0; k < f->rank; k++) {
        uint64_t dim = hry_frame_dim(f, k);
        f->has_dynamic |= dim == HRY_DYNAMIC;
        f->empty |= dim == 0;
        overflows |= __builtin_mul_overflow(count, dim, &count);
    }
    f->count = f->empty ? 0 : count; /* zero wins over overflow */
    f->count_overflows = overflows && !f->empty;
    f->byte_offset = hry_load64(f->bytes + SHAPE + 8u * f->rank);
    f->layout_offset = SHAPE + need;
    return HRY_OK;
}

/* What the layout's row cannot know: the caller's allowances. */
static hry_status check_private_layout(hry_frame *f, const hry_reader *reader)
{
    const uint8_t *fields = f->bytes + f->layout_offset;
    if (hry_is_private(f->layout) && !hry_reader_allows_layout(reader, hry_load64(fields)))
        return hry_frame_soft_fail(f, HRY_RULE_D_14, HRY_SECTION_LAYOUT, f->layout_offset, hry_load64(fields));
    if (f->layout == HRY_LAYOUT_COMPOSITE && hry_is_private(fields[0])) {
        if (!f->permissive || !hry_reader_allows_composition_rule(reader, fields[0]))
            return hry_frame_fail(f, HRY_RULE_L_CMP_02, HRY_SECTION_LAYOUT, f->layout_offset, fields[0]);
        f->opaque = true;
    }
    return HRY_OK;
}

static hry_status parse_layout_fields(hry_frame *f, const hry_reader *reader, const hry_layout_row *row)
{
    uint32_t length = row->fields + (uint32_t)row->fields_per_dim * f->rank;
    if (f->end - f->layout_offset < length)
        return hry_frame_fail(f, HRY_RULE_D_06, HRY_SECTION_LAYOUT, f->layout_offset, f->end);
    if (row->parse) {
        hry_status status = row->parse(f, &length);
        if (!status)
            status = check_private_layout(f, reader);
        if (status)
            return status;
    }
    f->buffers_offset = f->layout_offset + length;
    return HRY_OK;
}

static hry_status parse_buffers(hry_frame *f, uint32_t *pos)
{
    uint32_t at = f->buffers_offset;
    if (at == f->end)
        return hry_frame_fail(f, HRY_RULE_D_06, HRY_SECTION_BUFFERS, at, f->end);
    uint32_t count = f->buffer_count = f->bytes[at];
    if ((count == 0) != (f->layout == HRY_LAYOUT_COMPOSITE))
        return hry_frame_fail(f, count ? HRY_RULE_L_CMP_07 : HRY_RULE_D_20, HRY_SECTION_BUFFERS, at, count);
    at++;
    if (f->end - at < 16 * count)
        return hry_frame_fail(f, HRY_RULE_D_06, HRY_SECTION_BUFFERS, at, f->end);
    for (uint32_t end = at + 16 * count; at != end; at += 16) {
        hry_status status = hry_handle_verify(f, at);
        if (status)
            return status;
    }
    *pos = at;
    return HRY_OK;
}

static hry_status check_buffer_count(hry_frame *f, const hry_layout_row *row)
{
    uint32_t expected = f->own_buffers;
    if (row->category == HRY_PRIVATE)
        return HRY_OK;
    if (f->quantization_offset) {
        const uint8_t *payload = hry_frame_payload(f);
        if (!hry_scheme_row_of(payload[0]) || f->opaque)
            return HRY_OK;
        expected += hry_scheme_parameter_buffers(payload);
    }
    return f->buffer_count == expected
               ? HRY_OK
               : hry_frame_soft_fail(f, HRY_RULE_D_22, HRY_SECTION_BUFFERS, f->buffers_offset, f->buffer_count);
}

static hry_status check_places(hry_frame *f, const hry_reader *reader)
{
    if (f->buffer_count == 0)
        return HRY_OK;
    uint32_t first = hry_frame_handle(f, 0), place = hry_handle_place(f, first);
    for (uint32_t i = 1; i < f->buffer_count; i++)
        if (hry_handle_place(f, first + 16 * i) != place)
            return hry_frame_fail(f, HRY_RULE_D_32, HRY_SECTION_BUFFERS, first + 16 * i + 12,
                                  f->bytes[first + 16 * i + 12]);
    return place == 0 ? HRY_OK : hry_handle_verify_allowed(f, reader, first);
}

static hry_status check_byte_offset(const hry_frame *f)
{
    if (f->byte_offset != 0 && f->buffer_count != 0 && f->byte_offset > hry_frame_buffer_size(f, 0))
        return hry_frame_fail(f, HRY_RULE_D_35, HRY_SECTION_BUFFERS, hry_frame_handle(f, 0), f->byte_offset);
    return HRY_OK;
}

static hry_status check_scheme(hry_frame *f)
{
    const hry_scheme_row *row = f->quantization_offset ? hry_scheme_row_of(hry_frame_payload(f)[0]) : NULL;
    if (!row)
        return HRY_OK;
    if (!hry_scheme_takes(row, f->type))
        return header_fail(f, HRY_RULE_Q_08, TYPE, f->type);
    return row->verify(f);
}

static hry_status check_shard(const hry_frame *f, uint32_t at)
{
    if (!at)
        return HRY_OK;
    for (uint32_t k = 0; k < f->rank; k++) {
        uint64_t size = hry_frame_dim(f, k), end;
        uint64_t parent = hry_load64(f->bytes + at + 8 * k);
        uint32_t offset = at + 8u * f->rank + 8 * k;
        if (size == HRY_DYNAMIC || parent == HRY_DYNAMIC)
            return hry_frame_fail(f, HRY_RULE_D_51, HRY_SECTION_SHARD, at + 8 * k, parent);
        if (!hry_add(hry_load64(f->bytes + offset), size, &end) || end > parent)
            return hry_frame_fail(f, HRY_RULE_D_50, HRY_SECTION_SHARD, offset, hry_load64(f->bytes + offset));
    }
    return HRY_OK;
}

/* Phase P2. */
static hry_status check_relations(hry_frame *f, const hry_reader *reader, const hry_layout_row *row,
                                  const hry_sections *sections)
{
    f->own_buffers = hry_layout_own_buffers(row, f->rank);
    hry_status status = check_byte_offset(f);
    if (!status)
        status = row->verify(f);
    if (!status)
        status = check_buffer_count(f, row);
    if (!status)
        status = check_places(f, reader);
    if (!status)
        status = check_scheme(f);
    return status ? status : check_shard(f, sections->shard);
}

/* Permissive, under a layout tag that is not known: what can be recovered, if anything. */
static hry_status recover(hry_frame *f, const hry_reader *reader, hry_sections *sections, bool *reachable)
{
    *reachable = hry_table_search(f, reader, &f->buffers_offset);
    if (!*reachable)
        return HRY_OK;
    f->buffer_count = f->bytes[f->buffers_offset];
    hry_status status = hry_sections_parse(f, reader, f->buffers_offset + 1 + 16u * f->buffer_count, sections);
    if (!status)
        status = check_places(f, reader);
    if (!status)
        status = check_byte_offset(f);
    return status ? status : check_shard(f, sections->shard);
}

static hry_status parse_known(hry_frame *f, const hry_reader *reader, const hry_layout_row *row, hry_sections *sections)
{
    uint32_t pos = 0;
    hry_status status = parse_layout_fields(f, reader, row);
    if (!status)
        status = parse_buffers(f, &pos);
    if (!status)
        status = hry_sections_parse(f, reader, pos, sections);
    if (status)
        return status;
    f->quantization_offset = sections->quantization;
    if (sections->end != f->end && f->bytes[VERSION_MINOR] <= reader->profile->descriptor_minor)
        return hry_frame_fail(f, HRY_RULE_D_17, HRY_SECTION_HEADER, sections->end, f->end);
    return check_relations(f, reader, row, sections);
}

static void make_view(const hry_frame *f, const hry_reader *reader, const hry_sections *s, bool reachable,
                      hry_desc *desc)
{
    uint8_t minor = f->bytes[VERSION_MINOR];
    *desc = (hry_desc){
        .bytes = f->bytes,
        .length = f->end,
        .flags = f->flags,
        .type = f->type,
        .layout = f->layout,
        .rank = f->rank,
        .buffer_count = f->buffer_count,
        .state = (uint8_t)((f->opaque ? HRY_DESC_OPAQUE : 0) | (reachable ? 0 : HRY_DESC_NO_BUFFERS) |
                           (f->has_dynamic ? HRY_DESC_HAS_DYNAMIC : 0) | (f->empty ? HRY_DESC_EMPTY : 0) |
                           (minor > reader->profile->descriptor_minor ? HRY_DESC_NEWER_MINOR : 0)),
        .layout_offset = f->layout_offset,
        .buffers_offset = f->buffers_offset,
        .quantization_offset = s->quantization,
        .shard_offset = s->shard,
        .statistics_offset = s->statistics,
        .extension_type_offset = s->extension_type,
        .composite_member_offset = s->composite_member,
        .end = s->end,
    };
}

hry_status hry_desc_parse(const void *bytes, size_t nbytes, const hry_parse_options *options, hry_desc *desc,
                          hry_error *err)
{
    hry_reader reader;
    hry_reader_init(&reader, options);
    hry_frame f = { .bytes = bytes, .err = err };
    f.permissive = reader.permissive;
    f.stored = reader.stored;
    f.tile_levels = reader.tile_levels;
    hry_status status = hry_desc_length(bytes, nbytes, &f.end, err);
    if (status)
        return status;
    if (f.end > reader.descriptor_length)
        return header_fail(&f, HRY_RULE_D_18, LENGTH, f.end);
    if (f.end > nbytes)
        return too_short(err, nbytes, f.end);
    const hry_layout_row *row = NULL;
    hry_sections sections = { .end = f.end };
    bool reachable = true;
    status = parse_header(&f, &reader, &row);
    if (!status)
        status = parse_shape(&f);
    if (!status)
        status = row ? parse_known(&f, &reader, row, &sections) : recover(&f, &reader, &sections, &reachable);
    if (status)
        return status;
    make_view(&f, &reader, &sections, reachable, desc);
    return HRY_OK;
}
