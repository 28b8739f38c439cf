/* The public conversions of single floats. */
#include "type/narrow.h"
#include "type/widen.h"

#include <hurray/type.h>

float hry_f16_to_f32(uint16_t bits)
{
    return hry_f32_from_bits(hry_widen_float16(bits));
}

float hry_bf16_to_f32(uint16_t bits)
{
    return hry_f32_from_bits(hry_widen_bfloat16(bits));
}

float hry_e4m3_to_f32(uint8_t bits)
{
    return hry_f32_from_bits(hry_widen_e4m3[bits]);
}

float hry_e5m2_to_f32(uint8_t bits)
{
    return hry_f32_from_bits(hry_widen_e5m2[bits]);
}

float hry_e8m0_to_f32(uint8_t bits)
{
    return hry_f32_from_bits(hry_widen_e8m0(bits));
}

float hry_e2m1_to_f32(uint8_t bits)
{
    return hry_f32_from_bits(hry_widen_e2m1[bits & 0xF]);
}

float hry_e2m3_to_f32(uint8_t bits)
{
    return hry_f32_from_bits(hry_widen_e2m3[bits & 0x3F]);
}

float hry_e3m2_to_f32(uint8_t bits)
{
    return hry_f32_from_bits(hry_widen_e3m2[bits & 0x3F]);
}

uint16_t hry_f32_to_f16(float value)
{
    return (uint16_t)hry_narrow_from_f32_bits(&hry_narrow_float16, hry_f32_bits(value), false);
}

uint16_t hry_f32_to_bf16(float value)
{
    return (uint16_t)hry_narrow_from_f32_bits(&hry_narrow_bfloat16, hry_f32_bits(value), false);
}

uint8_t hry_f32_to_e4m3(float value)
{
    return (uint8_t)hry_narrow_from_f32_bits(&hry_narrow_e4m3, hry_f32_bits(value), false);
}

uint8_t hry_f32_to_e5m2(float value)
{
    return (uint8_t)hry_narrow_from_f32_bits(&hry_narrow_e5m2, hry_f32_bits(value), false);
}

/* HRY_NARROW_NONE, cut to 8 bits, is the 0xFF that is promised for NaN. */
uint8_t hry_f32_to_e2m1(float value)
{
    return (uint8_t)hry_narrow_from_f32_bits(&hry_narrow_e2m1, hry_f32_bits(value), false);
}

uint8_t hry_f32_to_e2m3(float value)
{
    return (uint8_t)hry_narrow_from_f32_bits(&hry_narrow_e2m3, hry_f32_bits(value), false);
}

uint8_t hry_f32_to_e3m2(float value)
{
    return (uint8_t)hry_narrow_from_f32_bits(&hry_narrow_e3m2, hry_f32_bits(value), false);
}

uint16_t hry_f32_to_f16_saturate(float value)
{
    return (uint16_t)hry_narrow_from_f32_bits(&hry_narrow_float16, hry_f32_bits(value), true);
}

uint16_t hry_f32_to_bf16_saturate(float value)
{
    return (uint16_t)hry_narrow_from_f32_bits(&hry_narrow_bfloat16, hry_f32_bits(value), true);
}

uint8_t hry_f32_to_e5m2_saturate(float value)
{
    return (uint8_t)hry_narrow_from_f32_bits(&hry_narrow_e5m2, hry_f32_bits(value), true);
}
