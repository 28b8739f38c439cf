/* What the parts of hry_tensor_quantize share. (quantization, section 11) */
#ifndef HRY_TENSOR_QUANTIZING_H
#define HRY_TENSOR_QUANTIZING_H

#include "base/status.h"
#include "tensor/dequant.h"

#include <hurray/quantize.h>

typedef void hry_quant_fn(const float *x, size_t n, size_t block, const float *scale, const int32_t *zp, int64_t lo,
                          int64_t hi, void *q);

/* Parameters from what a block holds, and codes from parameters: chosen once. */
typedef struct hry_grid {
    uint8_t scheme, storage, scale_type;
    bool symmetric, ceil;
    uint32_t bits;
    int64_t lo, hi;           /* codes are clamped to */
    int64_t zero_lo, zero_hi; /* zero points are */
    int emax;                 /* MXFP: the exponent of the largest value of the type */
    double largest;           /* and that value */
    hry_quant_fn *encode;
    hry_dequant_fn *decode;
} hry_grid;

/* Q-08 where the scheme does not take the type. */
hry_status hry_grid_init(hry_grid *grid, const hry_quantizer *quantizer, hry_error *err);

/* Whether parameters are made of the smallest and largest value, else of the largest absolute one. */
static inline bool hry_grid_wants_range(const hry_grid *grid)
{
    return !grid->symmetric && grid->scheme <= HRY_SCHEME_PER_BLOCK;
}

/*
 * n scales and zero points from n ranges (lo NULL: from absolute maxima in hi): *scale as its type holds it. What went
 * wrong in words, or NULL.
 */
const char *hry_grid_parameters(const hry_grid *grid, const float *lo, const float *hi, size_t n, float *scale,
                                int32_t *zp);

/* The scale, near the one that *scale is, by which n values lose least; may be the same. */
void hry_grid_search(const hry_grid *grid, const float *x, size_t n, float *scale);

/* n scales as bytes of their type. */
void hry_grid_store_scales(const hry_grid *grid, const float *scale, size_t n, uint64_t apart, uint8_t *to);

/*
 * The job: values [outer][size][inner], row-major, where size is along the axis; codes in rows of inner (of size, where
 * inner is 1), row number o * pitch + s; block elements along the axis share parameters, which are numbered
 * (o * inner + i) * blocks + b. Per-tensor and per-channel are a block of everything and one for each channel.
 */
typedef struct hry_quantize {
    hry_grid grid;
    const hry_quantizer *how;
    const float *x;
    uint64_t outer, size, inner, pitch, block, blocks;
    uint8_t *codes;                /* zeros where no code comes */
    uint8_t *scales, *zero_points; /* NULL: the scheme has none in buffers */
    float scale;                   /* per-tensor */
    int32_t zero_point;
    bool searches; /* for the scale of each block that loses least */
} hry_quantize;

/* Per-tensor parameters, which the descriptor needs before there are codes. */
hry_status hry_quantize_measure(hry_quantize *z, hry_error *err);

/* Each does one kind of scheme. */
hry_status hry_quantize_tensor(hry_quantize *z, hry_error *err);
hry_status hry_quantize_channels(hry_quantize *z, hry_error *err);
hry_status hry_quantize_blocks(hry_quantize *z, hry_error *err);
/* Of a sparse tensor by channel or by block: x are its stored values, in the order of storage. */
hry_status hry_quantize_sparse(hry_quantize *z, const hry_tensor *tensor, hry_error *err);

/* Room for the parameters of one task, and for codes that start within a byte. */
typedef struct hry_quantize_room {
    float *lo, *hi, *scale; /* zeros at first */
    int32_t *zp;
    uint8_t *codes;
    void *block;
    size_t nbytes;
} hry_quantize_room;

/* False for lack of memory: of room->nbytes, then. */
bool hry_quantize_take_room(const hry_quantize *z, uint64_t parameters, uint64_t codes, hry_quantize_room *room);
void hry_quantize_give_room(const hry_quantize *z, hry_quantize_room *room);

/* Whether the caller's n parameters are what kernels can take; what a scheme allows besides is verified in the end. */
hry_status hry_quantize_check_given(const hry_quantize *z, uint64_t n, hry_error *err);

/* The parameters of numbers first, first + apart, ...: n from what was measured, or the caller's; what went wrong or
 * NULL. And into the tensor. */
const char *hry_quantize_settle(const hry_quantize *z, hry_quantize_room *room, size_t n, uint64_t first,
                                uint64_t apart);
void hry_quantize_store(const hry_quantize *z, const hry_quantize_room *room, size_t n, uint64_t first, uint64_t apart);

static inline const int32_t *hry_quantize_zero_points(const hry_quantize *z, const hry_quantize_room *room)
{
    return z->zero_points ? room->zp : NULL;
}

/* n codes from element number `first` of the codes on. Room for them where they share bytes with others; NULL: they do
 * not. */
void hry_quantize_put(const hry_quantize *z, const float *x, size_t n, size_t block, const float *scale,
                      const int32_t *zp, uint64_t first, uint8_t *room);

/* Whether runs of n codes that start at multiples of n start at whole bytes. */
static inline bool hry_codes_are_whole(uint32_t bits, uint64_t n)
{
    return bits == 6 ? n % 4 == 0 : n % 8 * bits % 8 == 0;
}

/* What can be wrong with values. Kernels do not tell signs: whether a symmetric unsigned type would lose some. */
extern const char hry_quantize_not_finite[], hry_quantize_negative[];
bool hry_quantize_has_negative(const hry_quantize *z, const float *x, size_t n);
hry_status hry_quantize_fail(const char *why, hry_error *err);

#endif
