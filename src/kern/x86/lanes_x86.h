/*
 * What both widths of x86 say with the same words: VECTOR names an operation, VECTOR_BITS one of the whole vector's
 * bits. Included by the lanes_ header of a width, which has the rest.
 */
#ifndef HRY_KERN_X86_LANES_X86_H
#define HRY_KERN_X86_LANES_X86_H

#define LANES_STREAM true /* whether vectors can be written past the caches */

INLINE lanes lanes_set(float x)
{
    return VECTOR(set1_ps)(x);
}

INLINE lanes lanes_load(const float *p)
{
    return VECTOR(loadu_ps)(p);
}

/* p at a multiple of the vector's size where stream is set. */
INLINE void lanes_put(float *p, lanes x, bool stream)
{
    if (stream)
        VECTOR(stream_ps)(p, x);
    else
        VECTOR(storeu_ps)(p, x);
}

INLINE lanes lanes_add(lanes a, lanes b)
{
    return VECTOR(add_ps)(a, b);
}

INLINE lanes lanes_sub(lanes a, lanes b)
{
    return VECTOR(sub_ps)(a, b);
}

INLINE lanes lanes_mul(lanes a, lanes b)
{
    return VECTOR(mul_ps)(a, b);
}

INLINE lanes lanes_div(lanes a, lanes b)
{
    return VECTOR(div_ps)(a, b);
}

/* b where neither is larger, as with NaN or two zeros. */
INLINE lanes lanes_max(lanes a, lanes b)
{
    return VECTOR(max_ps)(a, b);
}

INLINE lanes lanes_min(lanes a, lanes b)
{
    return VECTOR(min_ps)(a, b);
}

/* To nearest even. */
INLINE lanes_int lanes_round(lanes x)
{
    return VECTOR(cvtps_epi32)(x);
}

INLINE lanes lanes_from_int(lanes_int x)
{
    return VECTOR(cvtepi32_ps)(x);
}

INLINE lanes_int lanes_bits(lanes x)
{
    return (lanes_int)x;
}

INLINE lanes lanes_of_bits(lanes_int x)
{
    return (lanes)x;
}

INLINE lanes_int lanes_int_set(int32_t x)
{
    return VECTOR(set1_epi32)(x);
}

INLINE lanes_int lanes_int_load(const int32_t *p)
{
    return VECTOR_BITS(loadu)((const void *)p);
}

INLINE void lanes_int_store(uint8_t *p, lanes_int x)
{
    VECTOR_BITS(storeu)((void *)p, x);
}

INLINE lanes_int lanes_int_add(lanes_int a, lanes_int b)
{
    return VECTOR(add_epi32)(a, b);
}

INLINE lanes_int lanes_int_sub(lanes_int a, lanes_int b)
{
    return VECTOR(sub_epi32)(a, b);
}

INLINE lanes_int lanes_int_max(lanes_int a, lanes_int b)
{
    return VECTOR(max_epi32)(a, b);
}

INLINE lanes_int lanes_int_min(lanes_int a, lanes_int b)
{
    return VECTOR(min_epi32)(a, b);
}

INLINE lanes_int lanes_int_or(lanes_int a, lanes_int b)
{
    return VECTOR_BITS(or)(a, b);
}

INLINE lanes_int lanes_int_and(lanes_int a, int32_t b)
{
    return VECTOR_BITS(and)(a, VECTOR(set1_epi32)(b));
}

INLINE lanes lanes_abs(lanes x)
{
    return lanes_of_bits(lanes_int_and(lanes_bits(x), INT32_MAX));
}

/* From LANES integers of 8 and 16 bits. */
INLINE lanes_int lanes_int_i8(const uint8_t *p)
{
    return VECTOR(cvtepi8_epi32)(load_quarter(p));
}

INLINE lanes_int lanes_int_u8(const uint8_t *p)
{
    return VECTOR(cvtepu8_epi32)(load_quarter(p));
}

INLINE lanes_int lanes_int_i16(const uint8_t *p)
{
    return VECTOR(cvtepi16_epi32)(load_half(p));
}

INLINE lanes_int lanes_int_u16(const uint8_t *p)
{
    return VECTOR(cvtepu16_epi32)(load_half(p));
}

/* The lowest bits of each lane as such. */
INLINE void lanes_int_put_8(uint8_t *p, lanes_int x, bool stream)
{
    put_quarter(p, to_bytes(x), stream);
}

INLINE void lanes_int_put_16(uint8_t *p, lanes_int x, bool stream)
{
    put_half(p, to_words(x), stream);
}

/* float16 */
INLINE lanes lanes_from_f16(const uint8_t *p)
{
    return VECTOR(cvtph_ps)(load_half(p));
}

#endif
