/* A container read from start to end. (file-format, 8.3) */
#ifndef HRY_FILE_ONE_PASS_H
#define HRY_FILE_ONE_PASS_H

#include "file/container.h"
#include "file/inflow.h"
#include "tensor/member_stack.h"

/* Where a tensor was seen. */
typedef struct hry_seen {
    uint64_t descriptor_offset, data_offset, data_length;
    uint32_t descriptor_length;
    uint32_t position; /* in the index, once that is known */
} hry_seen;

struct hry_scan {
    hry_allocator allocator;
    hry_inflow in;
    hry_parse_settings parse;
    hry_frame frame; /* of which only the header is known before the end */
    uint8_t header[HRY_HEADER_SIZE];
    hry_status failed;
    bool at_end;

    /* The tensor that came last. */
    uint8_t *descriptor;
    size_t descriptor_room;
    hry_desc desc;
    uint32_t buffer;      /* the one that data come from next */
    uint64_t buffer_left; /* bytes of it */
    uint64_t end;         /* of the tensor */

    hry_seen *seen;
    size_t seen_count, seen_room;
    hry_member_stack composites;

    /* What follows the tensors: bytes from rest_offset on, after zeros that were passed over. */
    uint64_t break_offset, rest_offset;
    uint8_t *rest;
    size_t rest_length, rest_room;
    hry_file *directory;
};

/* Reads what follows the tensors and verifies it against what was seen. */
hry_status hry_scan_finish(hry_scan *scan, hry_error *err);

#endif
