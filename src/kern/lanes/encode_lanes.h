/* What the encoders of small floats have in common; the formats' figures are those of type/narrow.h. */
#ifndef HRY_KERN_LANES_ENCODE_LANES_H
#define HRY_KERN_LANES_ENCODE_LANES_H

/*
 * The constants of encoding float32 in a format with subnormals below 2^min_exponent, made from its row.
 * bias: what is taken from the rounded upper bits of a float32 to get a code: the exponents' difference.
 * magic: added to a subnormal, it moves the subnormal's last place to the sum's, so that the addition rounds.
 */
#define ENCODE_SHIFT(f) (23 - (f)->mantissa_bits)
#define ENCODE_BIAS(f) ((126 + (f)->min_exponent) << (f)->mantissa_bits)
#define ENCODE_SMALLEST_NORMAL(f) ((127 + (f)->min_exponent) << 23)
#define ENCODE_MAGIC(f) ((127 + (f)->min_exponent + 23 - (f)->mantissa_bits) << 23)
#define ENCODE_SIGN_SHIFT(f) (__builtin_clz((unsigned)(f)->sign))

#endif
