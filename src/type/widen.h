/*
 * The float32 of narrower floats, by bits. Every one is exact; NaN comes out quiet with its sign and leading payload
 * bits. Inline or by table, for hot loops.
 */
#ifndef HRY_TYPE_WIDEN_H
#define HRY_TYPE_WIDEN_H

#include "base/bytes.h"

#define HRY_F32_NAN UINT32_C(0x7FC00000)

/* The bits of the float32 of every code. */
extern const uint32_t hry_widen_e4m3[256];
extern const uint32_t hry_widen_e5m2[256];
extern const uint32_t hry_widen_e2m3[64];
extern const uint32_t hry_widen_e3m2[64];
extern const uint32_t hry_widen_e2m1[16];

static inline uint32_t hry_widen_float16(uint16_t code)
{
    uint32_t sign = (uint32_t)(code & 0x8000) << 16, magnitude = code & 0x7FFF;
    if (magnitude < 0x0400) {
        /* Subnormal: a whole number of 2^-24, which a float32 holds exactly. */
        return sign | hry_f32_bits((float)magnitude * 0x1p-24f);
    }
    if (magnitude < 0x7C00)
        return sign | ((magnitude << 13) + (112u << 23));
    return sign | 0x7F800000 | magnitude << 13 | (magnitude > 0x7C00 ? HRY_F32_NAN : 0);
}

static inline uint32_t hry_widen_bfloat16(uint16_t code)
{
    return (uint32_t)code << 16 | ((code & 0x7FFF) > 0x7F80 ? HRY_F32_NAN : 0);
}

/* NaN for the two codes that stand for no value. */
static inline uint32_t hry_widen_e8m0(uint8_t code)
{
    return code == 0 || code == 0xFF ? HRY_F32_NAN : (uint32_t)code << 23;
}

/* float32 as float64; a plain cast would leave NaN's bits to the machine. */
static inline double hry_widen_float32(uint32_t bits)
{
    if ((bits & 0x7FFFFFFF) <= 0x7F800000)
        return (double)hry_f32_from_bits(bits);
    return hry_f64_from_bits((uint64_t)(bits >> 31) << 63 | UINT64_C(0x7FF8) << 48 | (uint64_t)(bits & 0x7FFFFF) << 29);
}

#endif
