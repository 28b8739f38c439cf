/* Do boxes cover an index space exactly once? Pure geometry: composite.md, section 5. */
#ifndef HRY_TENSOR_BOXES_H
#define HRY_TENSOR_BOXES_H

#include <hurray/base.h>

/* Box i is [offset, offset + size) in each of rank dimensions, within [0, space). Arrays hold count * rank. */
typedef struct hry_boxes {
    uint32_t rank;
    size_t count;
    const uint64_t *space;
    uint64_t *offset, *size;
} hry_boxes;

typedef enum hry_cover {
    HRY_COVER_EXACT,
    HRY_COVER_OVERLAP, /* of the two boxes told */
    HRY_COVER_GAP,
    HRY_COVER_UNKNOWN, /* more work than is reasonable */
    HRY_COVER_NO_MEMORY
} hry_cover;

/* Rearranges the arrays. pair: two boxes that overlap, by number. */
hry_cover hry_boxes_cover(hry_boxes *boxes, const hry_allocator *allocator, size_t pair[2]);

#endif
