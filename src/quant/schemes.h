/*
 * What the library knows of each quantization scheme: one row a tag. A scheme is a file that fills in a row.
 * Offsets in a payload count from the scheme header (quantization, section 5).
 */
#ifndef HRY_QUANT_SCHEMES_H
#define HRY_QUANT_SCHEMES_H

#include "base/frame.h"

#include <hurray/quant.h>

typedef struct hry_scheme_row {
    const char *name;
    uint8_t tag, tier;
    uint8_t version;        /* the highest that this build knows */
    uint8_t payload;        /* bytes with the scheme header */
    uint16_t flags;         /* those that are defined */
    const uint8_t *storage; /* type tags that may hold the codes, ended by 0 */

    /* Phase P2: the payload against shape and buffers. */
    hry_status (*verify)(hry_frame *f);
    void (*get)(const uint8_t *payload, hry_quantization *quantization);
    void (*put)(const hry_quantization *quantization, uint8_t *payload);
} hry_scheme_row;

/* The row of a known tag, NULL for private and unassigned ones. */
const hry_scheme_row *hry_scheme_row_of(uint8_t tag);
const hry_scheme_row *hry_scheme_row_at(size_t position);

extern const hry_scheme_row hry_scheme_per_tensor, hry_scheme_per_channel, hry_scheme_per_block, hry_scheme_nf4,
    hry_scheme_mxfp;

bool hry_scheme_takes(const hry_scheme_row *row, uint8_t type);

/* The number of parameter buffers that a payload names: its distinct indices (descriptor, section 6). */
uint32_t hry_scheme_parameter_buffers(const uint8_t *payload);

/* The range of codes of an integer storage type, which also bounds its zero points (quantization, section 4). */
bool hry_storage_range(uint8_t type, int64_t *lowest, int64_t *highest);

/* ---- Shared by the schemes that have parameter buffers ---- */

static inline const uint8_t *hry_frame_payload(const hry_frame *f)
{
    return f->bytes + f->quantization_offset + 4;
}

/* A broken rule of a field in the payload. */
HRY_COLD hry_status hry_payload_fail(const hry_frame *f, enum hry_rule rule, uint32_t field, uint64_t value);

/* axis, the field at offset 4, names a dimension that is known; *size is its size. */
hry_status hry_payload_axis(const hry_frame *f, uint64_t *size);

/*
 * The number of blocks: ceil(shape[axis] / block_size) for each index of the other dimensions. *known is false while
 * one of those is dynamic, which Q-11 refuses in stored tensors; Q-12.
 */
hry_status hry_payload_blocks(const hry_frame *f, uint32_t axis, uint64_t block_size, uint64_t *blocks, bool *known);

/* Where a payload names its parameter buffers, and what they hold. */
typedef struct hry_parameters {
    uint32_t scale_field;      /* offset of scale_buffer_index */
    uint32_t zero_point_field; /* offset of zero_point_buffer_index; 0: the scheme has none */
    uint32_t scale_bytes;      /* of one scale */
    uint64_t count;            /* of scales, and of zero points (int32) */
    bool known;                /* count is */
} hry_parameters;

/* Q-BUF-01, -02, -04, -05 */
hry_status hry_payload_buffers(hry_frame *f, const hry_parameters *parameters);

/*
 * A partial last block in row- or column-major order: the data have either the size of the shape, or that of a shape
 * padded to whole blocks (quantization, section 8.3).
 */
hry_status hry_payload_partial(hry_frame *f, enum hry_rule rule, uint32_t axis, uint64_t block_size);

#endif
