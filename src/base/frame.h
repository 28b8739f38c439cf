/*
 * A tensor as its layout and its scheme see it while the descriptor is being verified: which bytes hold what, and what
 * has been found so far. The descriptor's parser fills it in from the front; rules of phase P1 run while fields are
 * met, those of phase P2 when all are known.
 */
#ifndef HRY_BASE_FRAME_H
#define HRY_BASE_FRAME_H

#include "base/bytes.h"
#include "base/status.h"

typedef struct hry_frame {
    const uint8_t *bytes; /* the descriptor; all offsets count from here */
    uint32_t end;         /* fields lie below it: descriptor_length */
    uint32_t flags;
    uint8_t type, layout;
    uint8_t rank;
    uint8_t buffer_count;
    bool permissive;
    bool stored;          /* no one can resolve dynamic dimensions */
    bool opaque;          /* permissive: a rule that such a reader may pass over was broken */
    bool has_dynamic;     /* some dimension is not known */
    bool empty;           /* some dimension is 0 */
    bool count_overflows; /* the product of the shape needs more than 64 bits */
    uint32_t tile_levels; /* the limit */
    uint32_t bits;        /* of one element */
    uint64_t count;       /* the product of the shape; means nothing while one of the two above is set */
    uint64_t byte_offset;
    uint32_t layout_offset;       /* the layout's fields start here */
    uint32_t buffers_offset;      /* buffer_count, then the table */
    uint32_t quantization_offset; /* quantization_length, then the payload; 0 without the section */
    /* What the layout tells the scheme. */
    uint8_t order; /* hry_order */
    bool paged;    /* parameters go by token slot: page_size tokens a page, slots in all */
    uint32_t page_size;
    uint64_t slots;
    uint32_t own_buffers; /* the layout's; parameter buffers follow them */
    hry_error *err;
} hry_frame;

/* Orders in which strides follow from the shape alone. */
enum hry_order { HRY_ORDER_OTHER, HRY_ORDER_ROW, HRY_ORDER_COLUMN };

enum { HRY_FRAME_SHAPE = 20 }; /* the shape's offset */

/* The product of the shape is known and fits. */
static inline bool hry_frame_countable(const hry_frame *f)
{
    return !f->has_dynamic && !f->count_overflows;
}

static inline uint64_t hry_frame_dim(const hry_frame *f, uint32_t k)
{
    return hry_load64(f->bytes + HRY_FRAME_SHAPE + 8 * k);
}

/* The offset of row i of the buffer table. */
static inline uint32_t hry_frame_handle(const hry_frame *f, uint32_t i)
{
    return f->buffers_offset + 1 + 16 * i;
}

static inline uint64_t hry_frame_buffer_size(const hry_frame *f, uint32_t i)
{
    return hry_load64(f->bytes + hry_frame_handle(f, i));
}

/* A broken rule at an offset in the descriptor: fails. */
HRY_COLD hry_status hry_frame_fail(const hry_frame *f, enum hry_rule rule, enum hry_section section, uint64_t offset,
                                   uint64_t value);

/*
 * A broken rule that permissive readers pass over, at the price that the data are not interpreted: HRY_OK for them,
 * with the frame opaque, else a failure.
 */
HRY_COLD hry_status hry_frame_soft_fail(hry_frame *f, enum hry_rule rule, enum hry_section section, uint64_t offset,
                                        uint64_t value);

/* Fails by rule unless n bytes from offset are all zero. */
hry_status hry_frame_reserved(const hry_frame *f, enum hry_rule rule, enum hry_section section, uint32_t offset,
                              uint32_t n);

#endif
