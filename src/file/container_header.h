/* The two fixed parts of a container: the header at its start and the trailer at its end. (file-format, 2 and 6) */
#ifndef HRY_FILE_CONTAINER_HEADER_H
#define HRY_FILE_CONTAINER_HEADER_H

#include <hurray/file.h>

#define HRY_HEADER_SIZE 64u
#define HRY_TRAILER_SIZE 40u
#define HRY_FILE_SIZE_MIN 112u /* header, an index without entries, trailer */
#define HRY_ALIGNMENT_MIN 4096u
#define HRY_ALIGNMENT_MAX (2u << 20)

/* What header and trailer say: info, and the CRC that is no business of the caller's. */
typedef struct hry_frame {
    hry_file_info info;
    uint32_t index_crc32c;
} hry_frame;

/* The end of the tensor region: where the KV section starts, or the index. */
static inline uint64_t hry_frame_region_end(const hry_frame *frame)
{
    return frame->info.kv_offset != 0 ? frame->info.kv_offset : frame->info.index_offset;
}

/* Bytes 0..63. file_size 0: not known yet (a pipe), so that what needs it is left unchecked. F-02 .. F-07. */
hry_status hry_header_parse(const uint8_t *bytes, uint64_t file_size, const hry_profile *profile, hry_frame *frame,
                            hry_error *err);
/* The last 40 bytes; frame holds the header and the file's size. F-07 .. F-10, F-12 .. F-14, F-30. */
hry_status hry_trailer_parse(const uint8_t *bytes, const hry_limits *limits, hry_frame *frame, hry_error *err);

void hry_header_encode(const hry_file_info *info, uint8_t *bytes);
void hry_trailer_encode(const hry_frame *frame, uint8_t *bytes);

#endif
