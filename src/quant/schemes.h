/*
 * What the library knows of each quantization scheme: one row a tag. A scheme is a file that fills in a row.
 * Offsets in a payload count from the scheme header (quantization, section 5).
 */
#ifndef HRY_QUANT_SCHEMES_H
#define HRY_QUANT_SCHEMES_H

#include "base/draft.h"

#include <hurray/quant.h>

typedef struct hry_scheme_row {
    const char *name;
    uint8_t tag, tier;
    uint8_t version;          /* the highest that this build knows */
    uint8_t payload;          /* bytes with the scheme header */
    uint16_t flags;           /* those that are defined */
    const uint8_t *storage;   /* type tags that may hold the codes, ended by 0 */
    uint8_t scale_field;      /* offset of scale_buffer_index; 0: no parameter buffers */
    uint8_t zero_point_field; /* offset of zero_point_buffer_index; 0: the scheme has no zero points */

    /* Phase P2: the payload against shape and buffers. */
    hry_status (*verify)(hry_draft *f);
    void (*get)(const uint8_t *payload, hry_quantization *quantization);
    void (*put)(const hry_quantization *quantization, uint8_t *payload);
} hry_scheme_row;

enum { HRY_SCHEMES = HRY_SCHEME_MXFP + 1 };
extern const hry_scheme_row *const hry_scheme_by_tag[HRY_SCHEMES];

/* The row of a known tag, NULL for private and unassigned ones. */
static inline const hry_scheme_row *hry_scheme_row_of(uint8_t tag)
{
    return tag < HRY_SCHEMES ? hry_scheme_by_tag[tag] : NULL;
}

const hry_scheme_row *hry_scheme_row_at(size_t position);

extern const hry_scheme_row hry_scheme_per_tensor, hry_scheme_per_channel, hry_scheme_per_block, hry_scheme_nf4,
    hry_scheme_mxfp;

bool hry_scheme_takes(const hry_scheme_row *row, uint8_t type);

static inline bool hry_payload_is_symmetric(const uint8_t *payload)
{
    return payload[2] & HRY_QUANT_SYMMETRIC;
}

enum { HRY_PAYLOAD_AXIS = 4 }; /* of all schemes but per-tensor */

/* The number of parameter buffers that a payload names: its distinct indices (descriptor, section 6). */
static inline uint32_t hry_scheme_parameter_buffers(const hry_scheme_row *row, const uint8_t *payload)
{
    if (!row->scale_field)
        return 0;
    bool one = !row->zero_point_field || hry_payload_is_symmetric(payload) ||
               hry_load32(payload + row->scale_field) == hry_load32(payload + row->zero_point_field);
    return one ? 1 : 2;
}

/* Bytes of one scale of a valid payload. */
uint32_t hry_scheme_scale_size(const uint8_t *payload);

/* The range of codes of an integer storage type, which also bounds its zero points (quantization, section 4). */
bool hry_storage_range(uint8_t type, int64_t *lowest, int64_t *highest);

/* ---- Shared by the schemes that have parameter buffers ---- */

static inline const uint8_t *hry_draft_payload(const hry_draft *f)
{
    return f->view.bytes + f->view.quantization_offset + 4;
}

/* A broken rule of a field in the payload. */
HRY_COLD hry_status hry_payload_fail(const hry_draft *f, enum hry_rule rule, uint32_t field, uint64_t value);
#define hry_payload_fail(...) hry_never_ok(hry_payload_fail(__VA_ARGS__))

/* axis, the field at offset 4, names a dimension that is known; *size is its size. */
hry_status hry_payload_axis(const hry_draft *f, uint64_t *size);

/*
 * The number of blocks: ceil(shape[axis] / block_size) for each index of the other dimensions. *known is false while
 * one of those is dynamic. Q-12 by the field block_size at block_field.
 */
hry_status hry_payload_blocks(const hry_draft *f, uint32_t axis, uint32_t block_field, uint64_t *blocks, bool *known);

/* no dimension beside axis is dynamic in a stored tensor. */
hry_status hry_payload_others(const hry_draft *f, uint32_t axis);

/*
 * Q-BUF-01, -02, -04, -05: the buffers that f->scheme's payload names. count is the number of scales of scale_size
 * bytes, and of zero points (int32), when it is known.
 */
hry_status hry_payload_buffers(const hry_draft *f, uint32_t scale_size, uint64_t count, bool known);

/*
 * A partial last block in row- or column-major order: the data have either the size of the shape, or that of a shape
 * padded to whole blocks (quantization, section 8.3).
 */
hry_status hry_payload_partial(const hry_draft *f, enum hry_rule rule, uint32_t axis, uint32_t block_field);

#endif
