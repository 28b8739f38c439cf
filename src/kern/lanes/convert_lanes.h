/*
 * Conversions, for any vector: a lanes_ header comes before. What is left over goes through a whole vector of its own.
 */
#ifndef HRY_KERN_LANES_CONVERT_LANES_H
#define HRY_KERN_LANES_CONVERT_LANES_H

#include "kern/lanes/encode_lanes.h"

/* LANES elements. */
typedef lanes get_fn(const uint8_t *src);
typedef void put_fn(uint8_t *dst, lanes x, bool stream);

INLINE lanes get_f16_f32(const uint8_t *src)
{
    return lanes_from_f16(src);
}

INLINE void put_f32_f16(uint8_t *dst, lanes x, bool stream)
{
    lanes_put_f16(dst, x, stream);
}

/* bfloat16 is the upper half; NaN is made quiet. */
INLINE lanes get_bf16_f32(const uint8_t *src)
{
    lanes_int bits = lanes_int_left(lanes_int_u16(src), 16);
    lanes_int quiet = lanes_int_or(bits, lanes_int_set(0x00400000));
    return lanes_of_bits(lanes_int_choose(lanes_is_number(lanes_of_bits(bits)), bits, quiet));
}

/* The upper half, to nearest even; NaN is cut off and made quiet. */
INLINE void put_f32_bf16(uint8_t *dst, lanes x, bool stream)
{
    lanes_int bits = lanes_bits(x), top = lanes_int_right(bits, 16);
    lanes_int rounded = lanes_int_add(lanes_int_add(bits, lanes_int_set(0x7FFF)), lanes_int_and(top, 1));
    lanes_int quiet = lanes_int_or(top, lanes_int_set(0x0040));
    lanes_int_put_16(dst, lanes_int_choose(lanes_is_number(x), lanes_int_right(rounded, 16), quiet), stream);
}

/* The exponent alone, and NaN for the two codes that stand for nothing, 0 and 255. */
INLINE lanes get_e8m0_f32(const uint8_t *src)
{
    lanes_int code = lanes_int_u8(src), next = lanes_int_add(code, lanes_int_set(1));
    lanes_mask none = lanes_int_above(lanes_int_set(1), lanes_int_and(next, 0xFE));
    return lanes_of_bits(lanes_int_choose(none, lanes_int_set(0x7FC00000), lanes_int_left(code, 23)));
}

INLINE void put_f32_e4m3(uint8_t *dst, lanes x, bool stream)
{
    lanes_int_put_8(dst, encode(&hry_narrow_e4m3, true, x), stream);
}

INLINE void put_f32_e5m2(uint8_t *dst, lanes x, bool stream)
{
    lanes_int_put_8(dst, encode(&hry_narrow_e5m2, false, x), stream);
}

INLINE void widen(get_fn *get, size_t size, const uint8_t *src, size_t n, float *dst, bool stream)
{
    size_t i = 0;
    for (; n - i >= LANES; i += LANES)
        lanes_put(dst + i, get(src + i * size), stream);
    if (i < n) {
        uint8_t part[4 * LANES] = { 0 };
        memcpy(part, src + i * size, (n - i) * size);
        lanes_put_part(dst + i, get(part), n - i);
    }
}

/* Up to a boundary by way of the cache; the rest of the source then starts anywhere, which costs nothing. */
INLINE void widen_streaming(get_fn *get, size_t size, const uint8_t *src, size_t n, float *dst)
{
    size_t head = (sizeof(lanes) - (uintptr_t)dst % sizeof(lanes)) % sizeof(lanes) / sizeof *dst;
    head = head < n ? head : n;
    widen(get, size, src, head, dst, false);
    widen(get, size, src + head * size, n - head, dst + head, true);
}

INLINE void narrow(put_fn *put, size_t size, const float *src, size_t n, uint8_t *dst, bool stream)
{
    size_t i = 0;
    for (; n - i >= LANES; i += LANES)
        put(dst + i * size, lanes_load(src + i), stream);
    if (i < n) {
        uint8_t part[4 * LANES];
        put(part, lanes_load_part(src + i, n - i), false);
        memcpy(dst + i * size, part, (n - i) * size);
    }
}

INLINE void narrow_streaming(put_fn *put, size_t size, const float *src, size_t n, uint8_t *dst)
{
    size_t vector = LANES * size, before = (vector - (uintptr_t)dst % vector) % vector;
    size_t head = before / size < n ? before / size : n;
    narrow(put, size, src, head, dst, false);
    /* A destination at an odd address never comes to a boundary. */
    narrow(put, size, src + head, n - head, dst + head * size, before % size == 0);
}

#define WIDEN(name, size)                                                       \
    TARGET static void name(const void *src, size_t n, float *dst, bool stream) \
    {                                                                           \
        if (LANES_STREAM && stream)                                             \
            widen_streaming(get_##name, size, src, n, dst);                     \
        else                                                                    \
            widen(get_##name, size, src, n, dst, false);                        \
    }

#define NARROW(name, size)                                                      \
    TARGET static void name(const float *src, size_t n, void *dst, bool stream) \
    {                                                                           \
        if (LANES_STREAM && stream)                                             \
            narrow_streaming(put_##name, size, src, n, dst);                    \
        else                                                                    \
            narrow(put_##name, size, src, n, dst, false);                       \
    }

WIDEN(f16_f32, 2)
WIDEN(bf16_f32, 2)
WIDEN(e8m0_f32, 1)
NARROW(f32_f16, 2)
NARROW(f32_bf16, 2)
NARROW(f32_e4m3, 1)
NARROW(f32_e5m2, 1)

static void fill_convert(struct hry_kern *table)
{
    table->f16_f32 = f16_f32;
    table->bf16_f32 = bf16_f32;
    table->e8m0_f32 = e8m0_f32;
    table->f32_f16 = f32_f16;
    table->f32_bf16 = f32_bf16;
    table->f32_e4m3 = f32_e4m3;
    table->f32_e5m2 = f32_e5m2;
}

#endif
