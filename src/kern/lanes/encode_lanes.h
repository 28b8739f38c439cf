/* Floats to codes of a small format, one in each lane. After a lanes_ header. */
#ifndef HRY_KERN_LANES_ENCODE_LANES_H
#define HRY_KERN_LANES_ENCODE_LANES_H

#include "type/narrow.h"

/*
 * f and saturate are constant wherever this is used. NaN in a format without one gives a code that says nothing.
 * bias: what is taken from the rounded upper bits of a float32 to get a code: the exponents' difference.
 * magic: added to a subnormal, it moves the subnormal's last place to the sum's, so that the addition rounds.
 */
INLINE lanes_int encode(const hry_narrow *f, bool saturate, lanes x)
{
    const unsigned shift = 23u - f->mantissa_bits;
    const int32_t bias = (126 + f->min_exponent) << f->mantissa_bits, smallest_normal = (127 + f->min_exponent) << 23;
    const lanes_int magic = lanes_int_set((127 + f->min_exponent + (int)shift) << 23);
    lanes_int bits = lanes_bits(x), magnitude = lanes_int_and(bits, INT32_MAX);
    /* To nearest even: half of the last place less one is added, and one more where the last place is odd. */
    lanes_int odd = lanes_int_and(lanes_int_right(magnitude, shift), 1);
    lanes_int rounded = lanes_int_add(lanes_int_add(magnitude, lanes_int_set((1 << (shift - 1)) - 1)), odd);
    lanes_int code = lanes_int_sub(lanes_int_right(rounded, shift), lanes_int_set(bias));
    lanes_int sum = lanes_bits(lanes_add(lanes_of_bits(magnitude), lanes_of_bits(magic)));
    lanes_mask small = lanes_int_above(lanes_int_set(smallest_normal), magnitude);
    code = lanes_int_choose(small, lanes_int_sub(sum, magic), code);
    code = lanes_int_min(code, lanes_int_set(saturate ? f->max : f->beyond));
    if (f->nan) {
        lanes_mask nan = lanes_int_above(magnitude, lanes_int_set(0x7F800000));
        lanes_int payload = lanes_int_right(lanes_int_and(magnitude, 0x7FFFFF), shift);
        code = lanes_int_choose(nan, lanes_int_or(payload, lanes_int_set(f->nan)), code);
    }
    lanes_int sign = lanes_int_right(bits, (unsigned)__builtin_clz(f->sign));
    return lanes_int_or(code, lanes_int_and(sign, f->sign));
}

#endif
