/* The verifying pass. Steps are those of the format. (descriptor, section 8) */
#include "base/checked.h"
#include "base/limits.h"
#include "desc/plain.h"
#include "desc/reader.h"
#include "layout/layouts.h"
#include "quant/schemes.h"
#include "type/types.h"

#include <inttypes.h>

enum { VERSION_MAJOR = 4, VERSION_MINOR = 5, LENGTH = 6, FLAGS = 10, TYPE = 14 };
enum { LAYOUT = HRY_DRAFT_LAYOUT_TAG, RANK = HRY_DRAFT_RANK, SHAPE = HRY_DRAFT_SHAPE };
enum { PREFIX_SIZE = 10, HEADER_SIZE = 20, KNOWN_FLAGS = 0x1F };

static HRY_COLD hry_status too_short(hry_error *err, uint64_t have, uint64_t need)
{
    return hry_fail_rule_because(err, HRY_RULE_D_01, HRY_SECTION_HEADER, have, have,
                                 "truncated descriptor: %" PRIu64 " bytes of %" PRIu64, have, need);
}

static HRY_COLD hry_status prefix_fault(const uint8_t *p, size_t nbytes, hry_error *err)
{
    if (nbytes < PREFIX_SIZE)
        return too_short(err, nbytes, PREFIX_SIZE);
    if (memcmp(p, "HRRY", 4) != 0)
        return hry_fail_rule(err, HRY_RULE_D_02, HRY_SECTION_HEADER, 0, hry_load32(p));
    if (p[VERSION_MAJOR] != 1)
        return hry_fail_rule(err, p[VERSION_MAJOR] > 1 ? HRY_RULE_D_03 : HRY_RULE_D_04, HRY_SECTION_HEADER,
                             VERSION_MAJOR, p[VERSION_MAJOR]);
    return hry_fail_rule(err, HRY_RULE_D_05, HRY_SECTION_HEADER, LENGTH, hry_load32(p + LENGTH));
}

static inline hry_status scan_prefix(const uint8_t *p, size_t nbytes, uint32_t *length, hry_error *err)
{
    enum { MAGIC = 0x59525248 }; /* "HRRY" */
    if (nbytes < PREFIX_SIZE || hry_load32(p) != MAGIC || p[VERSION_MAJOR] != 1 || hry_load32(p + LENGTH) < HEADER_SIZE)
        return prefix_fault(p, nbytes, err);
    *length = hry_load32(p + LENGTH);
    return HRY_OK;
}

hry_status hry_desc_length(const void *bytes, size_t nbytes, uint32_t *length, hry_error *err)
{
    return scan_prefix(bytes, nbytes, length, err);
}

static hry_status header_fail(const hry_draft *f, enum hry_rule rule, uint32_t offset, uint64_t value)
{
    return hry_draft_fail(f, rule, HRY_SECTION_HEADER, offset, value);
}

static hry_status scan_length(hry_draft *f, const uint8_t *bytes, size_t nbytes)
{
    const hry_limits *limits = f->options->limits;
    uint64_t limit = limits && limits->descriptor_length ? limits->descriptor_length : HRY_DESCRIPTOR_LENGTH_DEFAULT;
    hry_status status = scan_prefix(bytes, nbytes, &f->view.length, f->err);
    if (status)
        return status;
    if (f->view.length > limit)
        return header_fail(f, HRY_RULE_D_18, LENGTH, f->view.length);
    return f->view.length > nbytes ? too_short(f->err, nbytes, f->view.length) : HRY_OK;
}

/* A type that this reader cannot tell, or says so: a private one goes with its description, no other does. */
static HRY_COLD hry_status check_private_type(hry_draft *f, uint8_t tag)
{
    if (f->bits == 0 && !hry_is_private(tag))
        return header_fail(f, tag == 0x00 || tag == 0xFF ? HRY_RULE_D_08 : HRY_RULE_D_09, TYPE, tag);
    if ((f->bits == 0) != ((f->view.flags & HRY_HAS_EXTENSION_TYPE) != 0))
        return header_fail(f, HRY_RULE_D_11, TYPE, tag);
    return hry_allows_type(f->options->allow, tag)
               ? HRY_OK
               : hry_draft_soft_fail(f, HRY_RULE_D_10, HRY_SECTION_HEADER, TYPE, tag);
}

/* Only permissive readers keep an unknown layout. */
static HRY_COLD hry_status unknown_layout(hry_draft *f, uint8_t tag)
{
    f->layout_row = NULL;
    f->view.state |= HRY_DESC_UNKNOWN_LAYOUT;
    return tag == 0x00 || tag == 0xFF ? header_fail(f, HRY_RULE_D_12, LAYOUT, tag)
                                      : hry_draft_soft_fail(f, HRY_RULE_D_13, HRY_SECTION_HEADER, LAYOUT, tag);
}

/* What came with a later minor version than the profile's is as good as unassigned. */
static HRY_COLD hry_status check_ceilings(hry_draft *f)
{
    for (uint16_t bit = 0; bit < 32; bit++)
        if (f->view.flags >> bit & 1 && !hry_profile_knows(f->profile, HRY_SPACE_DESCRIPTOR_FLAG, bit))
            return header_fail(f, HRY_RULE_D_07, FLAGS, f->view.flags);
    if (!hry_profile_knows(f->profile, HRY_SPACE_TYPE, f->view.type))
        return header_fail(f, HRY_RULE_D_09, TYPE, f->view.type);
    if (f->layout_row && !hry_profile_knows(f->profile, HRY_SPACE_LAYOUT, f->view.layout))
        return unknown_layout(f, f->view.layout);
    return HRY_OK;
}

static hry_status scan_header(hry_draft *f, const uint8_t *bytes)
{
    hry_status status;
    uint32_t flags = f->view.flags = hry_load32(bytes + FLAGS);
    uint8_t type = f->view.type = bytes[TYPE], layout = f->view.layout = bytes[LAYOUT];
    f->bits = hry_type_table[type].bits; /* 0 for private types, until their section is met */
    f->layout_row = hry_layout_row_of(layout);
    if (flags & ~(uint32_t)KNOWN_FLAGS)
        return header_fail(f, HRY_RULE_D_07, FLAGS, flags);
    if ((f->bits == 0 || flags & HRY_HAS_EXTENSION_TYPE) && (status = check_private_type(f, type)))
        return status;
    if (!f->layout_row && (status = unknown_layout(f, layout)))
        return status;
    if (f->profile->extra_count && (status = check_ceilings(f)))
        return status;
    uint32_t rank = hry_load32(bytes + RANK);
    if (rank > HRY_RANK_MAX)
        return header_fail(f, HRY_RULE_D_15, RANK, rank);
    f->view.rank = (uint8_t)rank;
    if (rank == 0 && layout != HRY_LAYOUT_ROW_MAJOR)
        return hry_draft_soft_fail(f, HRY_RULE_D_16, HRY_SECTION_HEADER, RANK, 0);
    return HRY_OK;
}

static HRY_COLD void count_unusual_shape(hry_draft *f)
{
    uint64_t shape[HRY_RANK_MAX];
    for (uint32_t k = 0; k < f->view.rank; k++) {
        shape[k] = hry_draft_dim(f, k);
        f->view.state |= shape[k] == 0 ? HRY_DESC_EMPTY : shape[k] == HRY_DYNAMIC ? HRY_DESC_HAS_DYNAMIC : 0;
    }
    f->count_overflows = !hry_product(shape, f->view.rank, &f->count);
    if (f->view.state & HRY_DESC_HAS_DYNAMIC) {
        f->count_overflows = false;
        f->count = 0;
    }
}

/* The shape and byte_offset. */
static hry_status scan_shape(hry_draft *f, const uint8_t *bytes)
{
    uint32_t rank = f->view.rank, left = f->view.length - SHAPE;
    if (left < 8 * rank + 8)
        return hry_draft_fail(f, HRY_RULE_D_06, HRY_SECTION_SHAPE, left < 8 * rank ? SHAPE : SHAPE + 8 * rank, left);
    if (!hry_count_usual_shape(bytes + SHAPE, rank, &f->count))
        count_unusual_shape(f);
    f->byte_offset = hry_load64(bytes + SHAPE + 8 * rank);
    f->view.layout_offset = SHAPE + 8 * rank + 8;
    return HRY_OK;
}

/* What the layout's row cannot know: the caller's allowances. */
static hry_status check_private_layout(hry_draft *f)
{
    uint32_t at = f->view.layout_offset;
    const uint8_t *fields = f->view.bytes + at;
    const hry_allow *allow = f->options->allow;
    if (hry_is_private(f->view.layout) && !hry_allows_layout(allow, hry_load64(fields)))
        return hry_draft_soft_fail(f, HRY_RULE_D_14, HRY_SECTION_LAYOUT, at, hry_load64(fields));
    if (f->view.layout == HRY_LAYOUT_COMPOSITE && hry_is_private(fields[0])) {
        if (!hry_allows_composition_rule(allow, fields[0]))
            return hry_draft_fail(f, HRY_RULE_L_CMP_02, HRY_SECTION_LAYOUT, at, fields[0]);
        return hry_draft_soft_fail(f, HRY_RULE_L_CMP_02, HRY_SECTION_LAYOUT, at, fields[0]);
    }
    return HRY_OK;
}

static hry_status scan_layout_fields(hry_draft *f, const hry_layout_row *row)
{
    uint32_t length = row->fields + (uint32_t)row->fields_per_dim * f->view.rank;
    if (f->view.length - f->view.layout_offset < length)
        return hry_draft_fail(f, HRY_RULE_D_06, HRY_SECTION_LAYOUT, f->view.layout_offset, f->view.length);
    if (row->parse) {
        hry_status status = row->parse(f, &length);
        if (!status)
            status = check_private_layout(f);
        if (status)
            return status;
    }
    f->view.buffers_offset = f->view.layout_offset + length;
    return HRY_OK;
}

/* Buffers of one descriptor lie in one place (D-32), which the caller knows (D-33). */
static hry_status check_places(const hry_draft *f)
{
    if (f->view.buffer_count == 0)
        return HRY_OK;
    uint32_t first = hry_draft_handle(f, 0), place = hry_handle_place(f, first);
    for (uint32_t i = 1; i < f->view.buffer_count; i++) {
        uint32_t at = first + 16 * i, differs = hry_handle_place(f, at) ^ place;
        at += differs & 0xFF ? 12 : 14;
        if (differs)
            return hry_draft_fail(f, HRY_RULE_D_32, HRY_SECTION_BUFFERS, at, f->view.bytes[at]);
    }
    return hry_handle_verify_allowed(f, first);
}

/* Only a virtual layout has no buffers, and it has none. */
static hry_status check_virtual(const hry_draft *f, uint32_t at, uint32_t count)
{
    bool is_virtual = f->layout_row->category == HRY_VIRTUAL;
    if ((count == 0) == is_virtual)
        return HRY_OK;
    return hry_draft_fail(f, is_virtual ? HRY_RULE_L_CMP_07 : HRY_RULE_D_20, HRY_SECTION_BUFFERS, at, count);
}

static hry_status scan_buffers(hry_draft *f, const uint8_t *bytes, const hry_layout_row *row)
{
    hry_status status;
    uint32_t at = f->view.buffers_offset;
    if (at == f->view.length)
        return hry_draft_fail(f, HRY_RULE_D_06, HRY_SECTION_BUFFERS, at, f->view.length);
    uint32_t count = f->view.buffer_count = bytes[at];
    if ((count == 0 || row->buffers == 0) && (status = check_virtual(f, at, count)))
        return status;
    at++;
    if (f->view.length - at < 16 * count)
        return hry_draft_fail(f, HRY_RULE_D_06, HRY_SECTION_BUFFERS, at, f->view.length);
    bool plain = true;
    for (uint32_t end = at + 16 * count; at != end; at += 16) {
        if (hry_handle_is_plain(bytes + at))
            continue;
        plain = false;
        if ((status = hry_handle_verify(f, at)))
            return status;
    }
    f->view.end = at;
    return plain ? HRY_OK : check_places(f);
}

static hry_status check_buffer_count(hry_draft *f, const hry_layout_row *row)
{
    uint32_t expected = f->own_buffers;
    if (f->scheme)
        expected += hry_scheme_parameter_buffers(f->scheme, hry_draft_payload(f));
    if (f->view.buffer_count == expected || row->category == HRY_PRIVATE || (f->view.quantization_offset && !f->scheme))
        return HRY_OK;
    return hry_draft_soft_fail(f, HRY_RULE_D_22, HRY_SECTION_BUFFERS, f->view.buffers_offset, f->view.buffer_count);
}

static hry_status check_byte_offset(const hry_draft *f)
{
    if (f->view.buffer_count != 0 && f->byte_offset > hry_draft_buffer_size(f, 0))
        return hry_draft_fail(f, HRY_RULE_D_35, HRY_SECTION_BUFFERS, hry_draft_handle(f, 0), f->byte_offset);
    return HRY_OK;
}

static hry_status check_scheme(hry_draft *f)
{
    if (hry_scheme_takes(f->scheme, f->view.type))
        return f->scheme->verify(f);
    return hry_draft_fail(f, HRY_RULE_Q_08, HRY_SECTION_QUANTIZATION, f->view.quantization_offset + 4, f->view.type);
}

static HRY_COLD hry_status shard_fault(const hry_draft *f, uint32_t k)
{
    uint32_t parents = f->view.shard_offset, offsets = parents + 8u * f->view.rank;
    uint64_t parent = hry_load64(f->view.bytes + parents + 8 * k);
    if (parent == HRY_DYNAMIC || hry_draft_dim(f, k) == HRY_DYNAMIC)
        return hry_draft_fail(f, HRY_RULE_D_51, HRY_SECTION_SHARD, parents + 8 * k, parent);
    return hry_draft_fail(f, HRY_RULE_D_50, HRY_SECTION_SHARD, offsets + 8 * k,
                          hry_load64(f->view.bytes + offsets + 8 * k));
}

/* A dynamic dimension never ends within a parent that is not dynamic itself. */
static hry_status check_shard(const hry_draft *f)
{
    const uint8_t *sizes = f->view.bytes + SHAPE, *parents = f->view.bytes + f->view.shard_offset;
    const uint8_t *offsets = parents + 8 * (size_t)f->view.rank;
    for (size_t k = 0; k < f->view.rank; k++) {
        uint64_t parent = hry_load64(parents + 8 * k), end;
        if (!hry_add(hry_load64(offsets + 8 * k), hry_load64(sizes + 8 * k), &end) || end > parent ||
            parent == HRY_DYNAMIC)
            return shard_fault(f, (uint32_t)k);
    }
    return HRY_OK;
}

/* Phase P2. */
static hry_status check_relations(hry_draft *f, const hry_layout_row *row)
{
    hry_status status;
    f->own_buffers = hry_layout_own_buffers(row, f->view.rank);
    if ((f->byte_offset && (status = check_byte_offset(f))) || (status = row->verify(f)) ||
        (status = check_buffer_count(f, row)) || !f->view.flags)
        return status;
    if (f->scheme && (status = check_scheme(f)))
        return status;
    return f->view.shard_offset ? check_shard(f) : HRY_OK;
}

static hry_status scan_known(hry_draft *f, const uint8_t *bytes, const hry_layout_row *row)
{
    hry_status status;
    f->view.buffers_offset = f->view.layout_offset;
    if ((row->get && (status = scan_layout_fields(f, row))) || (status = scan_buffers(f, bytes, row)) ||
        (f->view.flags && (status = hry_sections_scan(f, f->view.end))))
        return status;
    if (f->view.end != f->view.length && bytes[VERSION_MINOR] <= f->profile->descriptor_minor)
        return header_fail(f, HRY_RULE_D_17, f->view.end, f->view.length);
    return check_relations(f, row);
}

/* Permissive, under a layout tag that is not known: what can be recovered, if anything. */
static HRY_COLD hry_status recover(hry_draft *f)
{
    uint32_t table;
    if (!hry_table_search(f, &table)) {
        f->view.state |= HRY_DESC_NO_BUFFERS;
        f->view.end = f->view.length;
        return HRY_OK;
    }
    f->view.buffers_offset = table;
    f->view.buffer_count = f->view.bytes[table];
    hry_status status = hry_sections_scan(f, table + 1 + 16u * f->view.buffer_count);
    if (!status)
        status = check_places(f);
    if (!status)
        status = check_byte_offset(f);
    return status || !f->view.shard_offset ? status : check_shard(f);
}

static HRY_APART hry_status scan(const uint8_t *bytes, size_t nbytes, const hry_parse_options *options, hry_desc *desc,
                                 hry_error *err)
{
    static const hry_parse_options none;
    hry_draft f = { .view.bytes = bytes, .options = options ? options : &none, .err = err };
    hry_status status;
    f.profile = f.options->profile ? f.options->profile : &hry_profile_of_build;
    if ((status = scan_length(&f, bytes, nbytes)) || (status = scan_header(&f, bytes)) ||
        (status = scan_shape(&f, bytes)) || (status = f.layout_row ? scan_known(&f, bytes, f.layout_row) : recover(&f)))
        return status;
    if (bytes[VERSION_MINOR] > f.profile->descriptor_minor)
        f.view.state |= HRY_DESC_NEWER_MINOR;
    *desc = f.view;
    return HRY_OK;
}

hry_status hry_desc_parse(const void *bytes, size_t nbytes, const hry_parse_options *options, hry_desc *desc,
                          hry_error *err)
{
    return hry_parse_plain(bytes, nbytes, options, desc) ? HRY_OK : scan(bytes, nbytes, options, desc, err);
}
