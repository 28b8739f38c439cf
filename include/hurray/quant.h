/* Quantization: schemes and their fields. (format: quantization) */
#ifndef HURRAY_QUANT_H
#define HURRAY_QUANT_H

#include <hurray/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HRY_NO_BUFFER UINT32_MAX /* an unused buffer index */

enum {
    HRY_SCHEME_PER_TENSOR = 0x01,
    HRY_SCHEME_PER_CHANNEL = 0x02,
    HRY_SCHEME_PER_BLOCK = 0x03,
    HRY_SCHEME_NF4 = 0x04,
    HRY_SCHEME_MXFP = 0x05,
    HRY_SCHEME_PRIVATE_FIRST = 0xF0,
    HRY_SCHEME_PRIVATE_LAST = 0xFE
};

enum { HRY_QUANT_SYMMETRIC = 0x0001 }; /* hry_quantization.flags, per-channel and per-block */

/* "per-block-affine", ...; "private" and "unknown" for tags without a name. A constant string. */
HRY_API const char *hry_scheme_name(uint8_t tag);
/* The tag by the format's name, 0 when there is none. */
HRY_API uint8_t hry_scheme_by_name(const char *name, size_t len);

/* The quantization section. Which fields count depends on scheme. (quantization, section 5) */
typedef struct hry_quantization {
    uint8_t scheme;     /* HRY_SCHEME_… or a private tag */
    uint8_t version;    /* 0 when building: 1; a private scheme\'s as it is */
    uint16_t flags;     /* HRY_QUANT_SYMMETRIC */
    float scale;        /* per-tensor */
    int32_t zero_point; /* per-tensor */
    uint32_t axis;
    uint32_t block_size;              /* per-block, NF4, MXFP: elements along axis that share a scale */
    uint32_t scale_buffer_index;      /* all but per-tensor */
    uint32_t zero_point_buffer_index; /* per-channel, per-block; HRY_NO_BUFFER with SYMMETRIC */
    uint8_t scale_type_tag;           /* per-channel, per-block; 0 when building: float32 */
    const void *payload;              /* private: what follows the 4-byte scheme header, payload_length bytes */
    uint32_t payload_length;          /* for a known scheme: the payload with its header and any tail, as stored */
} hry_quantization;

#ifdef __cplusplus
}
#endif

#endif
