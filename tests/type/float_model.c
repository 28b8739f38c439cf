#include "type/float_model.h"

#include <hurray/type.h>

#include <math.h>

const float_model float_models[FLOAT_MODELS] = {
    { HRY_TYPE_FLOAT16, 5, 10, 15, 0x7BFF, 65504, 0x1p-24, true, true },
    { HRY_TYPE_BFLOAT16, 8, 7, 127, 0x7F7F, 0x1.FEp127, 0x1p-133, true, true },
    { HRY_TYPE_FLOAT8_E4M3, 4, 3, 7, 0x7E, 448, 0x1p-9, false, true },
    { HRY_TYPE_FLOAT8_E5M2, 5, 2, 15, 0x7B, 57344, 0x1p-16, true, true },
    { HRY_TYPE_FLOAT4_E2M1, 2, 1, 1, 0x7, 6, 0.5, false, false },
    { HRY_TYPE_FLOAT6_E2M3, 2, 3, 1, 0x1F, 7.5, 0.125, false, false },
    { HRY_TYPE_FLOAT6_E3M2, 3, 2, 3, 0x1F, 28, 0.0625, false, false },
};

uint32_t float_model_magnitudes(const float_model *model)
{
    return UINT32_C(1) << (model->exponent_bits + model->mantissa_bits);
}

/* The formula alone, without special codes: also the value that follows the largest, where infinity or NaN stands. */
static double formula(const float_model *model, uint32_t magnitude)
{
    double steps = ldexp(1, (int)model->mantissa_bits);
    uint32_t exponent = magnitude >> model->mantissa_bits, mantissa = magnitude % (uint32_t)steps;
    if (exponent == 0)
        return mantissa / steps * ldexp(1, 1 - model->bias);
    return (1 + mantissa / steps) * ldexp(1, (int)exponent - model->bias);
}

double float_model_value(const float_model *model, uint32_t code)
{
    uint32_t magnitude = code % float_model_magnitudes(model);
    double value = formula(model, magnitude);
    if (model->has_infinity && magnitude == model->max + 1)
        value = INFINITY;
    else if (model->has_nan && magnitude > model->max)
        value = NAN;
    return code == magnitude ? value : -value;
}

uint32_t float_model_nearest(const float_model *model, double value, bool saturate)
{
    uint32_t sign = signbit(value) ? float_model_magnitudes(model) : 0;
    uint32_t top = model->has_infinity && !saturate ? model->max + 1 : model->max;
    value = fabs(value);
    /* Values grow with codes: find the last that is not above. The one after the last finite code stands in for it. */
    uint32_t low = 0, high = model->max + 1;
    if (value >= formula(model, high))
        return sign | top;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (formula(model, middle) <= value)
            low = middle;
        else
            high = middle;
    }
    /* Half-way points have one mantissa bit more than the type has, so that float64 holds them exactly. */
    double half_way = (formula(model, low) + formula(model, high)) / 2;
    bool up = value > half_way || (value == half_way && low % 2 == 1);
    uint32_t code = up ? high : low;
    return sign | (code > model->max ? top : code);
}
