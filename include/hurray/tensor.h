/*
 * A tensor: a descriptor with its buffers. Opaque, immutable, reference-counted.
 *
 * Every function that yields a tensor gives the caller one reference; hry_tensor_release gives it back. A tensor keeps
 * alive what its buffers lie in (a file's mapping, memory of the caller's). Any number of threads may use one tensor.
 */
#ifndef HURRAY_TENSOR_H
#define HURRAY_TENSOR_H

#include <hurray/desc.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hry_tensor hry_tensor;

/* Called once, from any thread, when the last reference to a tensor over the caller's memory is gone. */
typedef void hry_release_fn(void *ctx);

/*
 * A tensor over memory of the caller's, not copied. desc is copied; buffers has one pointer for each row of the buffer
 * table, to byte_size bytes that stay valid and unchanged until release(ctx) runs (release may be NULL). A pointer may
 * be NULL where byte_size is 0; others must have the alignment that the row declares (H-05), else HRY_E_USAGE.
 * allocator NULL: the C heap. On failure release is not called and the memory stays the caller's.
 */
HRY_API hry_status hry_tensor_create(const hry_desc *desc, const void *const *buffers, hry_release_fn *release,
                                     void *ctx, const hry_allocator *allocator, hry_tensor **tensor, hry_error *err);

/*
 * The plain case: row-major, one buffer. shape has rank entries; data holds the packed elements and may have any
 * alignment: what the descriptor declares is 64, which counts for files and peers, while reading copes with less.
 */
HRY_API hry_status hry_tensor_dense(uint8_t type, uint32_t rank, const uint64_t *shape, const void *data,
                                    hry_release_fn *release, void *ctx, hry_tensor **tensor, hry_error *err);

/*
 * A composite: head is a composite head's descriptor with member_count = count. The members are checked against it
 * (L-CMP-20..31); each gets one more reference.
 */
HRY_API hry_status hry_tensor_composite(const hry_desc *head, hry_tensor *const *members, size_t count,
                                        const hry_allocator *allocator, hry_tensor **tensor, hry_error *err);

/*
 * A tensor with memory of its own, aligned as desc declares, whose contents are not set. buffers gets a pointer for
 * each row of the buffer table (NULL for an empty one), through which the caller fills it before anyone else sees it.
 */
HRY_API hry_status hry_tensor_alloc(const hry_desc *desc, const hry_allocator *allocator, hry_tensor **tensor,
                                    void **buffers, hry_error *err);

HRY_API hry_tensor *hry_tensor_retain(hry_tensor *tensor); /* the same pointer; NULL allowed */
HRY_API void hry_tensor_release(hry_tensor *tensor);       /* NULL allowed */

/* The descriptor; valid as long as the tensor. */
HRY_API const hry_desc *hry_tensor_desc(const hry_tensor *tensor);
HRY_API uint8_t hry_tensor_type(const hry_tensor *tensor);
HRY_API uint32_t hry_tensor_rank(const hry_tensor *tensor);
HRY_API uint64_t hry_tensor_dim(const hry_tensor *tensor, uint32_t k);

/* Buffer i and its size in bytes; NULL with *nbytes 0 for an empty or absent buffer. nbytes may be NULL. */
HRY_API const void *hry_tensor_buffer(const hry_tensor *tensor, uint32_t i, uint64_t *nbytes);

/* The first element, when the tensor is row-major, unquantized, of that type, in host memory and aligned; else NULL, as
 * always on big-endian hosts. Valid as long as the tensor. */
HRY_API const float *hry_tensor_f32(const hry_tensor *tensor);
HRY_API const double *hry_tensor_f64(const hry_tensor *tensor);
/* The same for any whole-byte type, in the byte order of the format on every host. */
HRY_API const void *hry_tensor_data(const hry_tensor *tensor, uint8_t type);

HRY_API size_t hry_tensor_member_count(const hry_tensor *tensor);          /* 0 for all but composites */
HRY_API hry_tensor *hry_tensor_member(const hry_tensor *tensor, size_t i); /* borrowed; NULL when out of range */

/* ---- Reading values ---- */

/* Zero is the default in every field. */
typedef struct hry_read_options {
    const hry_executor *executor; /* NULL: the calling thread */
    bool stored; /* what is stored: the codes of a quantized tensor, and all in the byte order of the format */
    /* For a block-paged tensor of several sequences: the tokens of each, num_seqs entries. The format does not store
     * them (layouts, section 10). */
    const uint64_t *token_counts;
} hry_read_options;

/*
 * Reads the elements of a box (NULL: all of them), whatever the layout, to dst. type is that of the values; 0 for the
 * tensor's own (float32 for a quantized one), which gives its bits unchanged. Values are in the host's byte order;
 * types of less than a byte are packed, as the format packs them (element-types, section 3). Conversions round once, to
 * nearest even, and saturate as hry_element_set_f64 does; complex numbers become complex ones only.
 * strides, one for each dimension of the box, count elements of type from dst, which holds its first element, and may
 * be negative; no two elements may share a place. NULL: row-major without gaps, and bits that fill up the last byte
 * are 0. dst needs no alignment, but its type's is faster.
 *
 * Index arrays are verified before they are first used. HRY_E_INPUT: they break a rule. HRY_E_UNSUPPORTED: the values
 * cannot be had (opaque or in device memory; a group; token counts missing), or not as this type. HRY_E_USAGE: the box
 * leaves the tensor. HRY_E_MEMORY: overlays that need room for the box. What dst holds after a failure is unspecified.
 */
HRY_API hry_status hry_tensor_read(const hry_tensor *tensor, const hry_box *box, uint8_t type, const int64_t *strides,
                                   void *dst, hry_error *err);
HRY_API hry_status hry_tensor_read_with(const hry_tensor *tensor, const hry_box *box, uint8_t type,
                                        const int64_t *strides, const hry_read_options *options, void *dst,
                                        hry_error *err);
/* One element; index has rank entries. */
HRY_API hry_status hry_tensor_get(const hry_tensor *tensor, const uint64_t *index, uint8_t type, void *value,
                                  hry_error *err);

/* ---- Sparse and paged tensors ---- */

/*
 * The stored elements of a sparse tensor that lie in a box (NULL: all), in storage order. position counts the values
 * of buffer 0. One thread at a time; the tensor must outlive it. HRY_E_UNSUPPORTED for other layouts.
 */
typedef struct hry_stored hry_stored;
HRY_API hry_status hry_stored_create(const hry_tensor *tensor, const hry_box *box, hry_stored **stored, hry_error *err);
/* The next one: its index (rank entries) and position; false behind the last. */
HRY_API bool hry_stored_next(hry_stored *stored, uint64_t *index, uint64_t *position);
HRY_API void hry_stored_destroy(hry_stored *stored); /* NULL allowed */

/* Whether an element of a sparse tensor is stored, and its position. Of several at one index it is the first. */
HRY_API hry_status hry_tensor_find(const hry_tensor *tensor, const uint64_t *index, bool *found, uint64_t *position,
                                   hry_error *err);

/*
 * The slot of a token in the pool of a block-paged tensor: page * page_size + place in the page. Its element [head,
 * dim] is number (slot * num_heads + head) * head_dim + dim of buffer 0. found is false beyond the sequence's pages.
 */
HRY_API hry_status hry_tensor_find_token(const hry_tensor *tensor, uint64_t sequence, uint64_t token, bool *found,
                                         uint64_t *slot, hry_error *err);

/* ---- Other layouts ---- */

/* Zero is the default in every field. */
typedef struct hry_relayout_options {
    const hry_executor *executor;   /* NULL: the calling thread */
    const hry_allocator *allocator; /* for the result and for the work; NULL: the C heap */
    const uint64_t *token_counts;   /* as in hry_read_options */
} hry_relayout_options;

/*
 * The same tensor in another layout, in memory of its own: each element with its bits unchanged, padding 0. layout
 * gives the tag and what the caller wants to choose (tile_shape, strides, mode_order, page_size with num_pages 0 for as
 * many as it takes); what follows from the tensor (nnz, is_sorted, morton_bits, hilbert_order) is filled in. Sparse
 * layouts store the elements whose bits are not all 0 (all stored ones of a sparse source) in the order of the layout,
 * COO sorted. Quantized tensors keep codes and parameters. A composite becomes its merged view. HRY_E_UNSUPPORTED:
 * layouts that cannot hold the tensor (composite, private; Hilbert for another shape; strides that overlap; between
 * dense and sparse where the code of 0 is not 0), values that cannot be read. HRY_E_INPUT: index arrays that break a
 * rule, equal coordinates included.
 * Sparse targets take memory for the work: from sparse sources 32 bytes for each stored element; from others a bit for
 * each element, 8 bytes for each row along the innermost level, a copy where the elements lie in another order, and for
 * COO and CSF the 32 bytes as well.
 */
HRY_API hry_status hry_tensor_relayout(const hry_tensor *tensor, const hry_layout *layout,
                                       const hry_relayout_options *options, hry_tensor **out, hry_error *err);

/* ---- Statistics ---- */

/* Zero is the default in every field. */
typedef struct hry_statistics_options {
    const hry_executor *executor;   /* NULL: the calling thread */
    const hry_allocator *allocator; /* for the work; NULL: the C heap */
    const uint64_t *token_counts;   /* as in hry_read_options */
} hry_statistics_options;

/*
 * What a statistics section says, of the logical values (descriptor, section 7; N:M as in the format's README): those
 * of quantized tensors dequantized, of composites the merged view's, bool as 0 and 1, integers as float64. Elements
 * that a sparse layout does not store are zeros; nnz is the layout's own. NaN is left out of all but nnz and has_nan.
 * computed_mask says what is defined: of an empty tensor nnz alone, where an infinity occurs neither mean nor
 * deviation, of complex numbers nothing that needs an order.
 *
 * One pass (two where squares would leave the range of float64), without memory for the whole: of sparse tensors, a
 * bit for each stored element, and where groups of N:M are looked for and the order of storage is not that of the last
 * dimension, or the shape has more than 2^64 elements, 32 bytes, and its index in the latter case; of others, 8 MiB for
 * each thread where values do not lie in row-major order. No executor and no processor changes a bit of the result.
 * Errors are those of hry_tensor_read, and HRY_E_MEMORY.
 */
HRY_API hry_status hry_tensor_statistics(const hry_tensor *tensor, const hry_statistics_options *options,
                                         hry_statistics *statistics, hry_error *err);

/* How values spread: bin i of bins counts those from lo + i * (hi - lo) / bins up to the next one's start, which the
 * last bin includes. */
typedef struct hry_histogram {
    double lo, hi;         /* given: finite, lo <= hi */
    size_t bins;           /* given: 1 or more */
    uint64_t *counts;      /* the caller's, one for each bin */
    uint64_t below, above; /* finite values outside of lo and hi */
    uint64_t nan, inf;     /* inf: of both signs */
} hry_histogram;

/* Counts all values, of the same kind as for statistics. HRY_E_UNSUPPORTED also for complex numbers. What counts holds
 * after a failure is unspecified. */
HRY_API hry_status hry_tensor_histogram(const hry_tensor *tensor, const hry_statistics_options *options,
                                        hry_histogram *histogram, hry_error *err);

/* ---- Verifying contents ---- */

typedef enum hry_verify_level {
    HRY_VERIFY_INDEX = 1, /* index arrays, in one pass; reading does it by itself, once */
    HRY_VERIFY_DEEP = 2   /* and all else: duplicates in unsorted COO, reserved e8m0 codes, scales and zero points */
} hry_verify_level;

/*
 * The rules about what buffers hold (layouts section 13, quantization section 5); of a composite, those of its members.
 * A tensor with dynamic dimensions passes: there is no telling what belongs to it.
 * HRY_E_INPUT with the first that is broken, section HRY_SECTION_DATA and the offset in the buffer at fault. Success is
 * remembered: the second call costs nothing. Memory, 32 bytes a stored element, for unsorted COO only.
 */
HRY_API hry_status hry_tensor_verify(const hry_tensor *tensor, hry_verify_level level, hry_error *err);
/* The same in parallel; no executor changes what is found. NULL: the calling thread. */
HRY_API hry_status hry_tensor_verify_with(const hry_tensor *tensor, hry_verify_level level,
                                          const hry_executor *executor, hry_error *err);

/*
 * What a tensor has and a writer should not make: bits behind the last element that are not 0 (E-01). Called for each
 * finding, with its offset in buffer 0.
 */
HRY_API void hry_tensor_lint(const hry_tensor *tensor, hry_lint_fn *report, void *ctx);

/* ---- Writing values ---- */

typedef struct hry_write_options {
    const hry_executor *executor;
    bool stored; /* src holds what is stored: codes of a quantized tensor, in the byte order of the format */
} hry_write_options;

/*
 * Writes a box of a tensor that is being made: desc with its buffers (of hry_tensor_alloc, or the caller's), in any
 * dense layout. type, strides and src are as of hry_tensor_read, the other way round; bits around elements of less than
 * a byte stay as they are. HRY_E_UNSUPPORTED: other layouts, values that the type does not have (NaN as an integer).
 * HRY_E_USAGE: strides by which elements share a place.
 */
HRY_API hry_status hry_desc_write(const hry_desc *desc, const hry_box *box, uint8_t type, const int64_t *strides,
                                  const void *src, const hry_write_options *options, void *const *buffers,
                                  hry_error *err);

/* ---- Views: other tensors over the same memory ---- */

/*
 * Each gives a tensor that keeps the first one alive and copies nothing, strided or, where it is, row-major.
 * HRY_E_UNSUPPORTED where no strides describe it: sparse, paged and Hilbert layouts, several tiles, elements that would
 * start inside a byte, scales that go by block; read it instead. Shard, statistics and composite member sections stay
 * behind.
 */

/* A box, steps included. Of a partition: where the box lies in one member, a view of that. */
HRY_API hry_status hry_tensor_slice(hry_tensor *tensor, const hry_box *box, hry_tensor **view, hry_error *err);
/* Dimension k of the view is dimension order[k]; NULL: all in reverse. */
HRY_API hry_status hry_tensor_transpose(hry_tensor *tensor, const uint32_t *order, hry_tensor **view, hry_error *err);
/* To a shape of the same or a higher rank; from the last on, dimensions are equal or become so from 1. */
HRY_API hry_status hry_tensor_broadcast(hry_tensor *tensor, uint32_t rank, const uint64_t *shape, hry_tensor **view,
                                        hry_error *err);
/* To another shape of as many elements, in row-major order of both. */
HRY_API hry_status hry_tensor_reshape(hry_tensor *tensor, uint32_t rank, const uint64_t *shape, hry_tensor **view,
                                      hry_error *err);
/* One sequence of a block-paged tensor, which is not told how many tokens it has; L-BP-24 when its pages are too few.
 */
HRY_API hry_status hry_tensor_sequence(hry_tensor *tensor, uint64_t sequence, uint64_t tokens, hry_tensor **view,
                                       hry_error *err);

#ifdef __cplusplus
}
#endif

#endif
