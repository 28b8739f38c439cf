/*
 * From values to codes and back. (format: quantization)
 *
 * Reading a quantized tensor (hry_tensor_read) gives its values; here is what makes one, what reads it row by row in a
 * loop, and what says how much was lost.
 */
#ifndef HURRAY_QUANTIZE_H
#define HURRAY_QUANTIZE_H

#include <hurray/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How to quantize. Zero is the default in every field but scheme. */
typedef struct hry_quantizer {
    uint8_t scheme;     /* HRY_SCHEME_… */
    uint8_t storage;    /* type of the codes (quantization, section 4); 0: int8, for NF4 uint4, for MXFP float4_e2m1 */
    uint8_t scale_type; /* per-block: float16, bfloat16 or float32; 0: float32 */
    bool symmetric;     /* affine schemes: no zero points; unsigned types then take no negative values */
    uint32_t axis;      /* all but per-tensor */
    uint32_t block; /* per-block, NF4, MXFP: elements along axis with one scale; 0: 32, for NF4 64, of pages theirs */
    bool ceil;      /* MXFP: scales that let nothing saturate, instead of those of the OCP specification */
    bool optimize;  /* look for the scale of each block with the least squared error; slow. Per-block symmetric, NF4
                     * and MXFP */
    /* Parameters of the caller's, NULL: computed. In the order of the format: channels, or blocks in row-major order of
     * the other dimensions, those along axis last; of pages, token slots. MXFP: powers of two. zero_points with scales
     * only, and within the type's range. Codes are made with scales as scale_type holds them. */
    const float *scales;
    const int32_t *zero_points;
    const hry_executor *executor;   /* NULL: the calling thread */
    const hry_allocator *allocator; /* for the result and for the work; NULL: the C heap */
    const uint64_t *token_counts;   /* as in hry_read_options */
    bool shared;                    /* scales and zero points in one buffer, one after the other */
} hry_quantizer;

/*
 * Quantizes the values of any readable tensor of floats or integers, converted to float32 first; parameters and codes
 * are those of quantization, section 11, and the same whatever the threads and the processor. Scales and
 * zero points get buffers of their own, unless they shall share one. Dense tensors become row-major; where a last block
 * is partial and would lie between others, strided, each row of blocks padded with zero codes. Sparse and block-paged
 * tensors keep their layout and their index arrays: parameters are made of the values that are stored, of the slots
 * that hold tokens. Pages take one scale for each slot (per-block, axis 0, a block of page_size), channels of heads or
 * of dims, or one scale. Shard and member role go along, statistics and extension type do not. HRY_E_UNSUPPORTED:
 * values that are not finite or, where unsigned types are symmetric, negative; scales beyond their type; uint32 zero
 * points beyond 2^31 - 1; quantized tensors; token counts missing. HRY_E_INPUT: the rule that the wanted section
 * breaks, or index arrays do. HRY_E_USAGE: parameters of the caller's that cannot be. HRY_E_MEMORY.
 */
HRY_API hry_status hry_tensor_quantize(const hry_tensor *tensor, const hry_quantizer *quantizer, hry_tensor **out,
                                       hry_error *err);

/*
 * The values of any readable tensor as one of that type (0: float32): row-major, or, of a sparse or block-paged one, in
 * its layout, with its index arrays and a value for each that is stored. Errors as of hry_tensor_read.
 */
HRY_API hry_status hry_tensor_dequantize(const hry_tensor *tensor, uint8_t type, const hry_relayout_options *options,
                                         hry_tensor **out, hry_error *err);

/*
 * The parameters of a quantized tensor as arrays: their number, and count of them from number first on, to scales and
 * zero_points (either may be NULL; zeros where the scheme has none). Per-tensor has one. HRY_E_USAGE beyond the end or
 * for tensors without quantization.
 */
HRY_API hry_status hry_tensor_parameter_count(const hry_tensor *tensor, uint64_t *count, hry_error *err);
HRY_API hry_status hry_tensor_parameters(const hry_tensor *tensor, uint64_t first, size_t count, float *scales,
                                         int32_t *zero_points, hry_error *err);

/*
 * Rows of a tensor, along its last dimension, for a loop without checks and without allocation. Row i is the i-th in
 * row-major order of the other dimensions. The tensor must outlive it; any number of threads may use one. Contents are
 * private.
 */
typedef struct hry_rows {
    uint64_t count;  /* of rows */
    uint64_t length; /* elements of each */
    uint64_t state[128];
} hry_rows;

/* Rank 1 or more; dense layouts, and sparse ones that find a row by search: CSR, COO of rank 1 or 2 when sorted, CSF
 * whose levels are in the order of the dimensions. Errors as of hry_tensor_read, and HRY_E_UNSUPPORTED for others. */
HRY_API hry_status hry_rows_init(hry_rows *rows, const hry_tensor *tensor, hry_error *err);
/* Row i, which must be below count, to length values. */
HRY_API void hry_rows_f32(const hry_rows *rows, uint64_t i, float *row);
HRY_API void hry_rows_f16(const hry_rows *rows, uint64_t i, uint16_t *row);
HRY_API void hry_rows_bf16(const hry_rows *rows, uint64_t i, uint16_t *row);

/* How two tensors of the same shape differ, element by element, as float64. */
typedef struct hry_difference {
    uint64_t count;      /* of elements */
    uint64_t different;  /* whose values are not equal; NaN equals NaN */
    uint64_t unlike;     /* where one is NaN and the other is not, or infinities differ: left out below */
    double max_absolute; /* the largest |a - b| */
    double max_relative; /* the largest |a - b| / |a| over a that are not 0 */
    double rms;          /* the root of the mean of (a - b)^2 */
    double sqnr;         /* the sum of a^2 over that of (a - b)^2, in dB; infinity when nothing differs */
    uint64_t beyond;     /* where |a - b| is above atol + rtol * |a|, and all that are unlike */
} hry_difference;

/* HRY_E_USAGE when the shapes differ; else errors as of hry_tensor_read. options may be NULL. */
HRY_API hry_status hry_tensor_compare(const hry_tensor *a, const hry_tensor *b, double atol, double rtol,
                                      const hry_relayout_options *options, hry_difference *difference, hry_error *err);

#ifdef __cplusplus
}
#endif

#endif
