/* The values of GGUF's blocks as ggml computes them, bit for bit. (format: gguf, section 3) */
#ifndef HRY_INTEROP_GGUF_DECODE_H
#define HRY_INTEROP_GGUF_DECODE_H

#include "interop/gguf/gguf_types.h"

#include <stddef.h>

/* count blocks, in little-endian byte order, to as many float32 as they have elements, also little-endian. */
typedef void hry_gguf_decode_fn(const uint8_t *blocks, size_t count, uint8_t *values);

/* NULL for single elements, for grids and for what is no type. */
hry_gguf_decode_fn *hry_gguf_decoder(uint32_t id);

/* What 4-bit codes stand for: steps of IQ4_NL and IQ4_XS; e2m1 values doubled, of MXFP4 and NVFP4. */
extern const int8_t hry_gguf_steps[16], hry_gguf_e2m1[16];

/* An unsigned e4m3 scale of NVFP4, halved to go with doubled codes. */
float hry_gguf_ue4m3(uint8_t x);

/* The six-bit scale k of 16 in the 12 bytes of a Q3_K block, and of 8 in a IQ4_XS block, without their offset of 32. */
unsigned hry_gguf_q3_scale(const uint8_t *scales, unsigned k);
unsigned hry_gguf_iq4_scale(const uint8_t *block, unsigned k);
/* The base-3 digits of a TQ1_0 block, 0 to 2, and the place of one: the byte that holds it. */
void hry_gguf_trits(const uint8_t *block, uint8_t digits[256]);
unsigned hry_gguf_trit_byte(unsigned i);

/* Decoders of blocks of 32 to 128 elements, and of 256. */
hry_gguf_decode_fn hry_gguf_decode_q4_0, hry_gguf_decode_q4_1, hry_gguf_decode_q5_0, hry_gguf_decode_q5_1,
    hry_gguf_decode_q8_0, hry_gguf_decode_q8_1, hry_gguf_decode_iq4_nl, hry_gguf_decode_mxfp4, hry_gguf_decode_nvfp4,
    hry_gguf_decode_q1_0, hry_gguf_decode_q2_0;
hry_gguf_decode_fn hry_gguf_decode_q2_k, hry_gguf_decode_q3_k, hry_gguf_decode_q4_k, hry_gguf_decode_q5_k,
    hry_gguf_decode_q6_k, hry_gguf_decode_q8_k, hry_gguf_decode_iq4_xs, hry_gguf_decode_tq1_0, hry_gguf_decode_tq2_0;

#endif
