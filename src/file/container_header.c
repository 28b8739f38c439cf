#include "file/container_header.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/status.h"

#include <inttypes.h>
#include <string.h>

enum { /* offsets in the header */
       AT_VERSION_MAJOR = 8,
       AT_VERSION_MINOR = 9,
       AT_RESERVED = 10,
       AT_FLAGS = 12,
       AT_ALIGNMENT = 16,
       AT_FIRST_DESCRIPTOR = 20,
       AT_COUNT_HINT = 28,
       AT_RESERVED_HEADER = 36
};

enum { /* offsets in the trailer */
       AT_INDEX_OFFSET = 0,
       AT_INDEX_LENGTH = 8,
       AT_KV_OFFSET = 16,
       AT_KV_LENGTH = 24,
       AT_INDEX_CRC = 28,
       AT_RESERVED_TRAILER = 32,
       AT_TRAILER_MAGIC = 36
};

static const char file_magic[8] = { 'H', 'R', 'R', 'Y', 'F', 'I', 'L', 'E' };
static const char trailer_magic[4] = { 'H', 'R', 'R', 'Y' };

static hry_status check_zero(const uint8_t *bytes, size_t from, size_t to, enum hry_section section, uint64_t base,
                             hry_error *err)
{
    for (size_t i = from; i < to; i++)
        if (bytes[i] != 0)
            return hry_fail_rule(err, HRY_RULE_F_07, section, base + i, bytes[i]);
    return HRY_OK;
}

/* The flag bits that a reader of this profile knows. */
static uint32_t known_flags(const hry_profile *profile)
{
    uint32_t known = HRY_FILE_HAS_KV | HRY_FILE_SORTED_INDEX | HRY_FILE_HAS_INDEX_CRC;
    for (size_t i = 0; profile && i < profile->extra_count; i++) {
        const hry_registry_row *row = &profile->extra[i];
        if (row->space == HRY_SPACE_FILE_FLAG && row->since_minor <= profile->container_minor && row->value < 32)
            known |= (uint32_t)1 << row->value;
    }
    return known;
}

static hry_status check_magic(const uint8_t *bytes, hry_error *err)
{
    if (memcmp(bytes, file_magic, sizeof file_magic) == 0)
        return HRY_OK;
    uint64_t at = 0;
    while (bytes[at] == (uint8_t)file_magic[at])
        at++;
    return hry_fail_rule_because(err, HRY_RULE_F_02, HRY_SECTION_FILE_HEADER, 0, bytes[at],
                                 "the magic is %02X %02X %02X %02X %02X %02X %02X %02X, not HRRYFILE", bytes[0],
                                 bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]);
}

hry_status hry_header_parse(const uint8_t *bytes, uint64_t file_size, const hry_profile *profile, hry_frame *frame,
                            hry_error *err)
{
    hry_status status = check_magic(bytes, err);
    if (status)
        return status;
    hry_file_info *info = &frame->info;
    info->file_size = file_size;
    info->version_major = bytes[AT_VERSION_MAJOR];
    info->version_minor = bytes[AT_VERSION_MINOR];
    if (info->version_major != 1)
        return hry_fail_rule(err, HRY_RULE_F_03, HRY_SECTION_FILE_HEADER, AT_VERSION_MAJOR, info->version_major);
    info->flags = hry_load32(bytes + AT_FLAGS);
    if (info->flags & ~known_flags(profile))
        return hry_fail_rule(err, HRY_RULE_F_04, HRY_SECTION_FILE_HEADER, AT_FLAGS, info->flags);
    info->alignment = hry_load32(bytes + AT_ALIGNMENT);
    if (!hry_is_pow2(info->alignment) || info->alignment < HRY_ALIGNMENT_MIN || info->alignment > HRY_ALIGNMENT_MAX)
        return hry_fail_rule(err, HRY_RULE_F_05, HRY_SECTION_FILE_HEADER, AT_ALIGNMENT, info->alignment);
    uint64_t first = info->first_descriptor_offset = hry_load64(bytes + AT_FIRST_DESCRIPTOR);
    if (first < HRY_HEADER_SIZE || first % 8 != 0 || (file_size != 0 && first > file_size - HRY_TRAILER_SIZE))
        return hry_fail_rule(err, HRY_RULE_F_06, HRY_SECTION_FILE_HEADER, AT_FIRST_DESCRIPTOR, first);
    info->tensor_count_hint = hry_load64(bytes + AT_COUNT_HINT);
    status = check_zero(bytes, AT_RESERVED, AT_FLAGS, HRY_SECTION_FILE_HEADER, 0, err);
    return status ? status : check_zero(bytes, AT_RESERVED_HEADER, HRY_HEADER_SIZE, HRY_SECTION_FILE_HEADER, 0, err);
}

static hry_status check_index_place(const hry_file_info *info, uint64_t trailer, const hry_limits *limits,
                                    hry_error *err)
{
    uint64_t end;
    if (!hry_add(info->index_offset, info->index_length, &end) || end > trailer)
        return hry_fail_rule_because(
            err, HRY_RULE_F_09, HRY_SECTION_TRAILER, trailer + AT_INDEX_LENGTH, info->index_length,
            "the index (offset %" PRIu64 ", %" PRIu64 " bytes) runs past the trailer's start at %" PRIu64,
            info->index_offset, info->index_length, trailer);
    if (info->index_offset < info->first_descriptor_offset || info->index_offset % 8 != 0)
        return hry_fail_rule(err, HRY_RULE_F_10, HRY_SECTION_TRAILER, trailer + AT_INDEX_OFFSET, info->index_offset);
    if (info->index_length < 8)
        return hry_fail_rule(err, HRY_RULE_F_10, HRY_SECTION_TRAILER, trailer + AT_INDEX_LENGTH, info->index_length);
    if (info->index_length > limits->index_length || info->index_length > UINT32_MAX)
        return hry_fail_rule(err, HRY_RULE_F_30, HRY_SECTION_TRAILER, trailer + AT_INDEX_LENGTH, info->index_length);
    return HRY_OK;
}

static hry_status check_kv_place(const hry_file_info *info, uint64_t trailer, const hry_limits *limits, hry_error *err)
{
    bool expected = (info->flags & HRY_FILE_HAS_KV) != 0;
    if (info->kv_offset == 0 && info->kv_length == 0 && !expected)
        return HRY_OK;
    if (info->kv_offset == 0)
        return hry_fail_rule(err, HRY_RULE_F_13, HRY_SECTION_TRAILER, trailer + AT_KV_OFFSET, 0);
    if (info->kv_length == 0)
        return hry_fail_rule(err, HRY_RULE_F_13, HRY_SECTION_TRAILER, trailer + AT_KV_LENGTH, 0);
    if (info->kv_offset % 8 != 0 || info->kv_offset < info->first_descriptor_offset)
        return hry_fail_rule(err, HRY_RULE_F_14, HRY_SECTION_TRAILER, trailer + AT_KV_OFFSET, info->kv_offset);
    uint64_t end;
    if (info->kv_length < 4 || !hry_add(info->kv_offset, info->kv_length, &end) || end > info->index_offset)
        return hry_fail_rule(err, HRY_RULE_F_14, HRY_SECTION_TRAILER, trailer + AT_KV_LENGTH, info->kv_length);
    if (info->kv_length > limits->kv_length)
        return hry_fail_rule(err, HRY_RULE_F_30, HRY_SECTION_TRAILER, trailer + AT_KV_LENGTH, info->kv_length);
    return HRY_OK;
}

hry_status hry_trailer_parse(const uint8_t *bytes, const hry_limits *limits, hry_frame *frame, hry_error *err)
{
    hry_file_info *info = &frame->info;
    uint64_t trailer = info->file_size - HRY_TRAILER_SIZE;
    if (memcmp(bytes + AT_TRAILER_MAGIC, trailer_magic, sizeof trailer_magic) != 0)
        return hry_fail_rule_because(err, HRY_RULE_F_08, HRY_SECTION_TRAILER, trailer + AT_TRAILER_MAGIC,
                                     hry_load32(bytes + AT_TRAILER_MAGIC),
                                     "the file's %" PRIu64 " bytes do not end in a trailer: it is truncated, "
                                     "or something was appended",
                                     info->file_size);
    hry_status status = check_zero(bytes, AT_RESERVED_TRAILER, AT_TRAILER_MAGIC, HRY_SECTION_TRAILER, trailer, err);
    if (status)
        return status;
    info->index_offset = hry_load64(bytes + AT_INDEX_OFFSET);
    info->index_length = hry_load64(bytes + AT_INDEX_LENGTH);
    info->kv_offset = hry_load64(bytes + AT_KV_OFFSET);
    info->kv_length = hry_load32(bytes + AT_KV_LENGTH);
    frame->index_crc32c = hry_load32(bytes + AT_INDEX_CRC);
    status = check_index_place(info, trailer, limits, err);
    if (status)
        return status;
    if (!(info->flags & HRY_FILE_HAS_INDEX_CRC) && frame->index_crc32c != 0)
        return hry_fail_rule(err, HRY_RULE_F_12, HRY_SECTION_TRAILER, trailer + AT_INDEX_CRC, frame->index_crc32c);
    return check_kv_place(info, trailer, limits, err);
}

void hry_header_encode(const hry_file_info *info, uint8_t *bytes)
{
    memset(bytes, 0, HRY_HEADER_SIZE);
    memcpy(bytes, file_magic, sizeof file_magic);
    bytes[AT_VERSION_MAJOR] = info->version_major;
    bytes[AT_VERSION_MINOR] = info->version_minor;
    hry_store32(bytes + AT_FLAGS, info->flags);
    hry_store32(bytes + AT_ALIGNMENT, info->alignment);
    hry_store64(bytes + AT_FIRST_DESCRIPTOR, info->first_descriptor_offset);
    hry_store64(bytes + AT_COUNT_HINT, info->tensor_count_hint);
}

void hry_trailer_encode(const hry_frame *frame, uint8_t *bytes)
{
    const hry_file_info *info = &frame->info;
    memset(bytes, 0, HRY_TRAILER_SIZE);
    hry_store64(bytes + AT_INDEX_OFFSET, info->index_offset);
    hry_store64(bytes + AT_INDEX_LENGTH, info->index_length);
    hry_store64(bytes + AT_KV_OFFSET, info->kv_offset);
    hry_store32(bytes + AT_KV_LENGTH, (uint32_t)info->kv_length);
    hry_store32(bytes + AT_INDEX_CRC, frame->index_crc32c);
    memcpy(bytes + AT_TRAILER_MAGIC, trailer_magic, sizeof trailer_magic);
}
