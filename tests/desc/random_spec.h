/* Random valid specs: all layouts, private ones, all schemes, all sections; and the sizes that their buffers need. */
#ifndef HRY_TESTS_RANDOM_SPEC_H
#define HRY_TESTS_RANDOM_SPEC_H

#include "support/naive_layout.h"

#include <hurray/desc.h>

typedef struct random_spec {
    hry_desc_spec spec; /* buffers NULL: their sizes are left to the builder */
    naive_tensor tensor;
    uint32_t words[HRY_RANK_MAX];
    uint8_t opaque_bytes[64];
    hry_quantization quantization;
    uint64_t parent_shape[HRY_RANK_MAX], shard_offset[HRY_RANK_MAX];
    hry_statistics statistics;
    hry_extension_type extension_type;
    uint8_t member_role;
    hry_buffer buffers[255];
} random_spec;

void random_spec_make(random_spec *r, uint64_t *seed);

/* Bits of one element of the spec. */
uint32_t spec_bits(const hry_desc_spec *spec);
/* The buffers that the spec's layout and scheme need, and the bytes that each takes at least, by the format's text.
 * Of what only the data say, the least. */
uint32_t spec_buffers(const hry_desc_spec *spec, uint64_t *sizes);

/* Buffers of the caller's own for the spec: where more than enough is allowed, more; any place. */
void random_buffers(random_spec *r, uint64_t *seed);

#endif
