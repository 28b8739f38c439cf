/*
 * From stored elements to values: what the element type and the quantization make of a run of codes. Made once for each
 * call; holds pointers and numbers only.
 */
#ifndef HRY_TENSOR_DECODE_H
#define HRY_TENSOR_DECODE_H

#include "tensor/convert.h"
#include "tensor/dequant.h"
#include "tensor/object.h"

typedef struct hry_decoder {
    const hry_tensor *tensor;
    hry_convert convert; /* to the type of the values; of a quantized tensor, from float32 */
    hry_convert round;   /* quantized: to the type of the view that the tensor is a member of, where rounds is set */
    bool rounds;
    bool plain;       /* the stored bits are the value: from and to are one type, in one byte order */
    bool needs_index; /* a code's value depends on where it is */
    bool quantized;
    bool floats; /* quantized: the values are what the kernels give */
    hry_dequant dequant;
    uint32_t bits; /* of a code */
    uint8_t type;  /* of the values */
} hry_decoder;

/* What is asked for. */
typedef struct hry_want {
    uint8_t type;    /* of the values */
    uint8_t through; /* that of the view which the tensor is a member of: values are rounded to it first; 0: none */
    bool stored;     /* the codes themselves, not what they stand for */
    bool raw;        /* in the byte order of the format, not the host's */
} hry_want;

/* HRY_E_UNSUPPORTED where the type cannot be made. */
hry_status hry_decoder_init(hry_decoder *decoder, const hry_tensor *tensor, const hry_want *want, hry_error *err);

/*
 * n codes, packed from the lowest bit of *codes on, to n values from values on (aligned to their type). Where
 * needs_index, index is the logical index of the first (of a block-paged tensor, [token slot of the pool, head, dim]),
 * and axis and step say how the index goes on. False when a value has no counterpart in the type.
 */
bool hry_decoder_run(const hry_decoder *decoder, const void *codes, size_t n, const uint64_t *index, uint32_t axis,
                     int64_t step, void *values);

/* The same where needs_index, by the numbers of the codes' parameters (hry_dequant). */
bool hry_decoder_run_each(const hry_decoder *decoder, const void *codes, size_t n, const uint64_t *numbers,
                          void *values);

#endif
