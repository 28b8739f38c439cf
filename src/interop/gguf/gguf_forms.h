/*
 * The types of GGUF blocks that the format's quantization schemes hold exactly, and how the parts of a block become
 * buffers of codes and scales, and blocks again. (format: gguf, section 4)
 *
 * A scale of zero, which the schemes do not allow, becomes 1 with codes of zero. Such a block comes back as ggml
 * writes it, unless it is known that it had that scale before; that its codes were other ones, or the sign of its
 * zeros, is lost.
 */
#ifndef HRY_INTEROP_GGUF_FORMS_H
#define HRY_INTEROP_GGUF_FORMS_H

#include "interop/gguf/gguf_types.h"

#include <stddef.h>

/* count blocks into codes or scales; returns how many were done. When that is less than count, the next block is one
 * that cannot be held. */
typedef size_t hry_gguf_take_fn(const uint8_t *blocks, size_t count, uint8_t *dst);

typedef struct hry_gguf_form {
    uint8_t storage; /* type of the codes; 0: there is no exact form */
    uint8_t scheme;
    uint8_t scale_type;            /* per-block */
    uint8_t zero_point;            /* the same for all; 0: symmetric */
    uint16_t block;                /* elements that share a scale */
    uint16_t codes, scales, zeros; /* bytes in each buffer that come from one block */
    uint16_t scale_at;             /* byte in the block where its scales start */
    uint32_t one;                  /* the bits of a scale of 1 there; 0: zeros with that scale do not exist */
    hry_gguf_take_fn *take_codes, *take_scales;
    /* Back again; NULL where the scales do not say how they came about. takes: whether these codes and scales are
     * what some block gives; NULL: always. ones: zeros with a scale of 1 had it before, it was not zero; a bit for each
     * scale of a block, the first one the lowest, and the same for all blocks. */
    bool (*takes)(const uint8_t *codes, const uint8_t *scales, size_t count);
    void (*give)(const uint8_t *codes, const uint8_t *scales, size_t count, unsigned ones, uint8_t *blocks);
} hry_gguf_form;

/* NULL for types without an exact form. A constant. */
const hry_gguf_form *hry_gguf_form_of(uint32_t id);

/* Why a block of that type cannot be held; a constant string. */
const char *hry_gguf_form_objection(uint32_t id);

/* ---- The functions of the table, by type ---- */

hry_gguf_take_fn hry_gguf_codes_q8_0, hry_gguf_scales_q8_0, hry_gguf_codes_q4_0, hry_gguf_scales_q4_0,
    hry_gguf_codes_q5_0, hry_gguf_scales_q5_0, hry_gguf_codes_mxfp4, hry_gguf_scales_mxfp4, hry_gguf_codes_iq4_nl;
hry_gguf_take_fn hry_gguf_codes_q1_0, hry_gguf_codes_q2_0, hry_gguf_codes_tq1_0, hry_gguf_scales_tq1_0,
    hry_gguf_codes_tq2_0, hry_gguf_scales_tq2_0;
hry_gguf_take_fn hry_gguf_codes_q3_k, hry_gguf_scales_q3_k, hry_gguf_codes_q6_k, hry_gguf_scales_q6_k,
    hry_gguf_codes_iq4_xs, hry_gguf_scales_iq4_xs, hry_gguf_codes_q8_k, hry_gguf_scales_q8_k, hry_gguf_codes_nvfp4,
    hry_gguf_scales_nvfp4;

typedef bool hry_gguf_takes_fn(const uint8_t *codes, const uint8_t *scales, size_t count);
typedef void hry_gguf_give_fn(const uint8_t *codes, const uint8_t *scales, size_t count, unsigned ones,
                              uint8_t *blocks);

hry_gguf_takes_fn hry_gguf_takes_q5_0, hry_gguf_takes_iq4_nl, hry_gguf_takes_q1_0, hry_gguf_takes_tq1_0,
    hry_gguf_takes_nvfp4;
hry_gguf_give_fn hry_gguf_give_q8_0, hry_gguf_give_q4_0, hry_gguf_give_q5_0, hry_gguf_give_mxfp4, hry_gguf_give_iq4_nl,
    hry_gguf_give_q1_0, hry_gguf_give_q2_0, hry_gguf_give_tq1_0, hry_gguf_give_tq2_0, hry_gguf_give_q8_k,
    hry_gguf_give_nvfp4;

#endif
