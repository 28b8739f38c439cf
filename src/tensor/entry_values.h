/* The values that go along with entries: in them, where they fit, else by position. */
#ifndef HRY_TENSOR_ENTRY_VALUES_H
#define HRY_TENSOR_ENTRY_VALUES_H

#include "tensor/ordering.h"

typedef struct hry_entry_values {
    const uint8_t *bytes; /* packed, by position */
    uint32_t bits;        /* of one */
    bool carried;         /* loads are bits, else positions */
} hry_entry_values;

hry_entry_values hry_entry_values_of(const hry_ordering *order, const uint8_t *bytes, uint32_t bits);

/* A hry_load_fn; ctx is the values. */
void hry_entry_values_load(const void *values, uint64_t first, size_t n, hry_entry *entries);

/* The values of entries first .. end-1 to their places from to on; bits of less than a byte over zeros. */
void hry_entry_values_put(const hry_entry_values *values, const hry_entry *entries, uint64_t first, uint64_t end,
                          uint8_t *to);

#endif
