/* The optional sections, phase P1. Their order is not that of the flag bits. (descriptor, section 7) */
#include "desc/reader.h"
#include "quant/schemes.h"

enum { STATISTICS_SIZE = 72, EXTENSION_TYPE_SIZE = 20, COMPOSITE_MEMBER_SIZE = 16, SCHEME_HEADER_SIZE = 4 };

static hry_status truncated(const hry_draft *f, enum hry_section section, uint32_t pos)
{
    return hry_draft_fail(f, HRY_RULE_D_06, section, pos, f->view.length);
}

static hry_status scan_scheme(hry_draft *f, const hry_scheme_row *row, uint32_t at, uint32_t length)
{
    const uint8_t *payload = f->view.bytes + at;
    uint8_t highest = f->profile->scheme_version < row->version ? f->profile->scheme_version : row->version;
    if (payload[1] == 0 || payload[1] > highest)
        return hry_draft_fail(f, HRY_RULE_D_43, HRY_SECTION_QUANTIZATION, at + 1, payload[1]);
    uint16_t flags = hry_load16(payload + 2);
    if (flags & ~(unsigned)row->flags)
        return hry_draft_fail(f, HRY_RULE_D_44, HRY_SECTION_QUANTIZATION, at + 2, flags);
    if (length < row->payload)
        return hry_draft_fail(f, HRY_RULE_D_45, HRY_SECTION_QUANTIZATION, at - 4, length);
    f->scheme = row;
    return HRY_OK;
}

static hry_status scan_quantization(hry_draft *f, uint32_t *pos)
{
    uint32_t at = *pos;
    if (f->view.length - at < 4)
        return truncated(f, HRY_SECTION_QUANTIZATION, at);
    uint32_t length = hry_load32(f->view.bytes + at);
    if (length < SCHEME_HEADER_SIZE)
        return hry_draft_fail(f, HRY_RULE_D_40, HRY_SECTION_QUANTIZATION, at, length);
    f->view.quantization_offset = at;
    at += 4;
    if (f->view.length - at < length)
        return truncated(f, HRY_SECTION_QUANTIZATION, at);
    *pos = at + length;
    uint8_t tag = f->view.bytes[at];
    if (tag == 0x00 || tag == 0xFF)
        return hry_draft_fail(f, HRY_RULE_D_41, HRY_SECTION_QUANTIZATION, at, tag);
    const hry_scheme_row *row = hry_scheme_row_of(tag);
    const hry_profile *profile = f->profile;
    if (row && !profile->no_quantization &&
        (!profile->extra_count || hry_profile_knows(profile, HRY_SPACE_SCHEME, tag)))
        return scan_scheme(f, row, at, length);
    if (hry_is_private(tag) && !profile->no_quantization && hry_allows_scheme(f->options->allow, tag))
        return HRY_OK;
    return hry_draft_soft_fail(f, HRY_RULE_D_42, HRY_SECTION_QUANTIZATION, at, tag);
}

static hry_status check_statistics(const hry_draft *f, uint32_t at)
{
    const uint8_t *p = f->view.bytes + at;
    if (hry_load32(p) >> 6)
        return hry_draft_fail(f, HRY_RULE_D_55, HRY_SECTION_STATISTICS, at, hry_load32(p));
    if (hry_load32(p + 4) != 0)
        return hry_draft_fail(f, HRY_RULE_D_56, HRY_SECTION_STATISTICS, at + 4, hry_load32(p + 4));
    return hry_load32(p + 68) == 0 ? HRY_OK : hry_draft_reserved(f, HRY_RULE_D_56, HRY_SECTION_STATISTICS, at + 68, 4);
}

static hry_status fail_type(const hry_draft *f, enum hry_rule rule, uint32_t offset)
{
    return hry_draft_fail(f, rule, HRY_SECTION_EXTENSION_TYPE, offset, f->view.bytes[offset]);
}

static hry_status check_extension_width(const hry_draft *f, uint32_t at)
{
    uint32_t width = hry_load32(f->view.bytes + at);
    if (width == 0)
        return fail_type(f, HRY_RULE_D_60, at);
    if (width < 8 && width != 1 && width != 2 && width != 4)
        return hry_draft_fail(f, HRY_RULE_D_61, HRY_SECTION_EXTENSION_TYPE, at, width);
    if (f->view.bytes[at + 4] != (width < 8 ? 8 / width : 1))
        return fail_type(f, HRY_RULE_D_62, at + 4);
    if (width % 8 != 0 && width > 8)
        return hry_draft_fail(f, HRY_RULE_D_63, HRY_SECTION_EXTENSION_TYPE, at, width);
    return HRY_OK;
}

static hry_status check_extension_type(hry_draft *f, uint32_t at)
{
    enum {
        IS_FLOAT = 5,
        IS_SIGNED,
        SIGN_BITS,
        EXPONENT_BITS,
        MANTISSA_BITS,
        RESERVED,
        BIAS = 12,
        HAS_NAN = 16,
        HAS_INF
    };
    const uint8_t *p = f->view.bytes + at;
    hry_status status = check_extension_width(f, at);
    if (status)
        return status;
    status = hry_draft_reserved(f, HRY_RULE_D_64, HRY_SECTION_EXTENSION_TYPE, at + RESERVED, 2);
    if (!status)
        status = hry_draft_reserved(f, HRY_RULE_D_64, HRY_SECTION_EXTENSION_TYPE, at + 18, 2);
    if (status)
        return status;
    static const uint8_t booleans[] = { IS_FLOAT, IS_SIGNED, HAS_NAN, HAS_INF };
    for (uint32_t i = 0; i < sizeof booleans; i++)
        if (p[booleans[i]] > 1)
            return fail_type(f, HRY_RULE_D_65, at + booleans[i]);
    if (p[IS_FLOAT] && p[IS_SIGNED])
        return fail_type(f, HRY_RULE_D_66, at + IS_SIGNED);
    if (p[IS_FLOAT] && p[SIGN_BITS] > 1)
        return fail_type(f, HRY_RULE_D_66, at + SIGN_BITS);
    for (uint32_t i = SIGN_BITS; !p[IS_FLOAT] && i <= MANTISSA_BITS; i++)
        if (p[i] != 0)
            return fail_type(f, HRY_RULE_D_67, at + i);
    if (!p[IS_FLOAT] && hry_load32(p + BIAS) != 0)
        return fail_type(f, HRY_RULE_D_67, at + BIAS);
    f->bits = hry_load32(p);
    return HRY_OK;
}

static hry_status check_composite_member(const hry_draft *f, uint32_t at)
{
    if (f->view.bytes[at] > 1)
        return hry_draft_fail(f, HRY_RULE_D_70, HRY_SECTION_COMPOSITE_MEMBER, at, f->view.bytes[at]);
    return hry_draft_reserved(f, HRY_RULE_D_71, HRY_SECTION_COMPOSITE_MEMBER, at + 1, COMPOSITE_MEMBER_SIZE - 1);
}

/* Sets *where to *pos and moves *pos over size bytes; false when they are not there. */
static inline bool take(const hry_draft *f, uint32_t *pos, uint32_t size, uint32_t *where)
{
    if (f->view.length - *pos < size)
        return false;
    *where = *pos;
    *pos += size;
    return true;
}

hry_status hry_sections_scan(hry_draft *f, uint32_t pos)
{
    hry_status status;
    uint32_t flags = f->view.flags;
    if (flags & HRY_HAS_QUANTIZATION && (status = scan_quantization(f, &pos)))
        return status;
    if (flags & HRY_HAS_SHARD && !take(f, &pos, 16u * f->view.rank, &f->view.shard_offset))
        return truncated(f, HRY_SECTION_SHARD, pos);
    if (flags & HRY_HAS_STATISTICS) {
        if (!take(f, &pos, STATISTICS_SIZE, &f->view.statistics_offset))
            return truncated(f, HRY_SECTION_STATISTICS, pos);
        if ((status = check_statistics(f, f->view.statistics_offset)))
            return status;
    }
    if (flags & HRY_HAS_EXTENSION_TYPE) {
        if (!take(f, &pos, EXTENSION_TYPE_SIZE, &f->view.extension_type_offset))
            return truncated(f, HRY_SECTION_EXTENSION_TYPE, pos);
        if ((status = check_extension_type(f, f->view.extension_type_offset)))
            return status;
    }
    if (flags & HRY_HAS_COMPOSITE_MEMBER) {
        if (!take(f, &pos, COMPOSITE_MEMBER_SIZE, &f->view.composite_member_offset))
            return truncated(f, HRY_SECTION_COMPOSITE_MEMBER, pos);
        if ((status = check_composite_member(f, f->view.composite_member_offset)))
            return status;
    }
    f->view.end = pos;
    return HRY_OK;
}
