/* The values that codes of a quantized tensor stand for. (quantization, sections 7 to 9) */
#ifndef HRY_TENSOR_DEQUANT_H
#define HRY_TENSOR_DEQUANT_H

#include "tensor/object.h"

struct hry_kern;

typedef void hry_dequant_fn(const void *q, size_t n, size_t block, const float *scale, const int32_t *zp, float *dst,
                            bool stream);

/* For codes that are integers or small floats; NULL for others. */
hry_dequant_fn *hry_dequant_kernel(const struct hry_kern *kern, uint8_t type);

/*
 * Chosen once: a kernel, and where the parameters of an element are. Parameter number: the sum of index[k] * step[k]
 * over the dimensions but axis, and index[axis] / block. Holds pointers into the tensor, and numbers.
 */
typedef struct hry_dequant {
    hry_dequant_fn *kernel;
    const uint8_t *scales, *zero_points; /* NULL: scale and zero_point are those of all elements; no zero points */
    float scale;
    int32_t zero_point;
    uint8_t scale_type; /* float16, bfloat16, float32, or float8_e8m0 */
    bool stream;        /* the results go past the caches */
    uint32_t bits;      /* of a code */
    uint32_t rank;
    uint64_t count; /* of parameters */
    uint32_t axis;
    uint64_t block; /* elements along axis that share parameters; a power of two, or 1 for channels and slots */
    uint64_t step[HRY_RANK_MAX];
} hry_dequant;

/* HRY_E_UNSUPPORTED for schemes that this library cannot evaluate; the rule of a parameter that none allows. The tensor
 * is readable and quantized. */
hry_status hry_dequant_init(hry_dequant *dequant, const hry_tensor *tensor, hry_error *err);

/* The number of the parameters of an element. */
static inline uint64_t hry_dequant_number(const hry_dequant *dequant, const uint64_t *index)
{
    uint64_t number = index[dequant->axis] / dequant->block;
    for (uint32_t k = 0; k < dequant->rank; k++)
        number += k == dequant->axis ? 0 : dequant->step[k] * index[k];
    return number;
}

/*
 * n codes, packed from the lowest bit of *codes on, to floats. index is that of the first, and step says how it goes on
 * along dimension axis (of a block-paged tensor, the index is [token slot of the pool, head, dim]); index may be NULL
 * where one scale serves all.
 */
void hry_dequant_run(const hry_dequant *dequant, const void *codes, size_t n, const uint64_t *index, uint32_t axis,
                     int64_t step, float *dst);

/* The same, each code with the parameters of a number of its own; n codes from any bit are packed from *codes on. */
void hry_dequant_each(const hry_dequant *dequant, const void *codes, size_t n, const uint64_t *numbers, float *dst);

/* Parameters as arrays: count scales as floats from number first on, number by number. */
void hry_dequant_scales(const hry_dequant *dequant, uint64_t first, uint64_t apart, size_t count, float *scales);
void hry_dequant_zero_points(const hry_dequant *dequant, uint64_t first, uint64_t apart, size_t count, int32_t *zp);

#endif
