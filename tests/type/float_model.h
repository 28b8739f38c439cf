/*
 * The narrow float types by their definition (element-types, section 5), computed the slow and obvious way: a value
 * from its formula, a code by looking for the nearest of all values.
 */
#ifndef HRY_TESTS_FLOAT_MODEL_H
#define HRY_TESTS_FLOAT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct float_model {
    uint8_t type;
    unsigned exponent_bits, mantissa_bits;
    int bias;
    uint32_t max;      /* code of the largest finite value */
    double max_value;  /* as the format's table has it */
    double smallest;   /* likewise: the value of code 1 */
    bool has_infinity; /* at code max + 1 */
    bool has_nan;      /* at all magnitudes above those */
} float_model;

enum { FLOAT_MODELS = 7 };
extern const float_model float_models[FLOAT_MODELS];

/* Codes of the type without its sign bit: 2^(exponent_bits + mantissa_bits). */
uint32_t float_model_magnitudes(const float_model *model);
/* Infinity and NaN as such. */
double float_model_value(const float_model *model, uint32_t code);
/* value is not NaN. Ties go to the even code. */
uint32_t float_model_nearest(const float_model *model, double value, bool saturate);

#endif
