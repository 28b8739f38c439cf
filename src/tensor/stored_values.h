/* Values of stored elements that depend on their indices: of quantized tensors whose scales go by channel or block. */
#ifndef HRY_TENSOR_STORED_VALUES_H
#define HRY_TENSOR_STORED_VALUES_H

#include "tensor/decode.h"
#include "tensor/stored.h"

typedef struct hry_stored_values {
    const hry_decoder *decoder; /* needs_index */
    const uint8_t *codes;
    hry_stored stored;
    /* The number of an element's parameters: that of the form, shifted. */
    bool has_form;
    hry_form form;
    uint32_t shift;
    bool all; /* values have counterparts in the type, so far */
} hry_stored_values;

/* Those in a box with positions first .. end-1, in the order of storage. */
void hry_stored_values_start(hry_stored_values *values, const hry_decoder *decoder, const hry_box *box, uint64_t first,
                             uint64_t end);

/* The next n, or as many as there are, to room, which is aligned to their type. */
void hry_stored_values_next(hry_stored_values *values, size_t n, uint8_t *room);

#endif
