/*
 * A descriptor while it is being verified: a draft of the view, as far as it has been found, and what layout and scheme
 * need to know of the rest. Rules of phase P1 run while fields are met, those of phase P2 when all are known.
 */
#ifndef HRY_BASE_DRAFT_H
#define HRY_BASE_DRAFT_H

#include "base/bytes.h"
#include "base/status.h"

#include <hurray/desc.h>

typedef struct hry_draft {
    hry_desc view;
    const hry_parse_options *options; /* never NULL; what they point to may be */
    const hry_profile *profile;       /* never NULL */
    hry_error *err;
    const struct hry_layout_row *layout_row; /* NULL: unknown */
    const struct hry_scheme_row *scheme; /* NULL: not quantized, or by a scheme that the reader does not look into */
    uint64_t count;                      /* the product of the shape; 0 while a dimension is dynamic */
    bool count_overflows;                /* the product needs more than 64 bits: count means nothing */
    uint32_t bits;                       /* of one element; 0 for a private type whose section has not been met yet */
    uint64_t byte_offset;
    /* What the layout tells the scheme. */
    uint8_t order; /* hry_order */
    bool paged;    /* parameters go by token slot: page_size tokens a page, slots in all */
    uint32_t page_size;
    uint64_t slots;
    uint32_t own_buffers; /* the layout's; parameter buffers follow them */
} hry_draft;

/* Orders in which strides follow from the shape alone. */
enum hry_order {
    HRY_ORDER_OTHER = 0,
    HRY_ORDER_ROW = HRY_LAYOUT_ROW_MAJOR,
    HRY_ORDER_COLUMN = HRY_LAYOUT_COLUMN_MAJOR
};

enum { HRY_DRAFT_LAYOUT_TAG = 15, HRY_DRAFT_RANK = 16, HRY_DRAFT_SHAPE = 20 }; /* offsets of fields */

/* The product of the shape is known and fits. */
static inline bool hry_draft_countable(const hry_draft *f)
{
    return !(f->view.state & HRY_DESC_HAS_DYNAMIC) && !f->count_overflows;
}

static inline uint64_t hry_draft_dim(const hry_draft *f, uint32_t k)
{
    return hry_load64(f->view.bytes + HRY_DRAFT_SHAPE + 8 * k);
}

static inline uint32_t hry_draft_byte_offset_field(const hry_draft *f)
{
    return HRY_DRAFT_SHAPE + 8u * f->view.rank;
}

/* The offset of row i of the buffer table. */
static inline uint32_t hry_draft_handle(const hry_draft *f, uint32_t i)
{
    return f->view.buffers_offset + 1 + 16 * i;
}

static inline uint64_t hry_draft_buffer_size(const hry_draft *f, uint32_t i)
{
    return hry_load64(f->view.bytes + hry_draft_handle(f, i));
}

/* A broken rule at an offset in the descriptor: fails. */
HRY_COLD hry_status hry_draft_fail(const hry_draft *f, enum hry_rule rule, enum hry_section section, uint64_t offset,
                                   uint64_t value);
#define hry_draft_fail(...) hry_never_ok(hry_draft_fail(__VA_ARGS__))

/*
 * A broken rule that permissive readers pass over, at the price that the data are not interpreted: HRY_OK for them,
 * with the view opaque, else a failure.
 */
HRY_COLD hry_status hry_draft_soft_fail(hry_draft *f, enum hry_rule rule, enum hry_section section, uint64_t offset,
                                        uint64_t value);

/* Fails by rule unless n bytes from offset are all zero; the fault is at the first one that is not. */
hry_status hry_draft_reserved(const hry_draft *f, enum hry_rule rule, enum hry_section section, uint32_t offset,
                              uint32_t n);

#endif
