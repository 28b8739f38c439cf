/*
 * The loops of dequantization, for any vector: a lanes_ header comes before, and functions get_NAME, which decode LANES
 * codes of less than 8 bits or of small floats, and read exactly their bytes.
 */
#ifndef HRY_KERN_LANES_DEQUANT_LANES_H
#define HRY_KERN_LANES_DEQUANT_LANES_H

#include "kern/lanes/spread_lanes.h"
#include "kern/lanes/stream_lanes.h"

INLINE lanes get_i8(const uint8_t *q)
{
    return lanes_from_int(lanes_int_i8(q));
}

INLINE lanes get_u8(const uint8_t *q)
{
    return lanes_from_int(lanes_int_u8(q));
}

INLINE lanes get_i16(const uint8_t *q)
{
    return lanes_from_int(lanes_int_i16(q));
}

INLINE lanes get_u16(const uint8_t *q)
{
    return lanes_from_int(lanes_int_u16(q));
}

typedef lanes get_fn(const uint8_t *q);
typedef void dequant_fn(const void *q, size_t n, size_t block, const float *scale, const int32_t *zp, float *dst,
                        bool stream);

/* One type of codes: constants in every place where this is used, so that it leaves no trace. */
struct codes {
    get_fn *get;
    dequant_fn *ref;
    unsigned bits;
    bool affine;
};

/* Up to this absolute value, a zero point and its difference from a code of 16 bits are exact as float32. */
#define EXACT_ZERO_POINT (1 << 23)

INLINE bool zero_point_is_exact(int32_t zp)
{
    return zp >= -EXACT_ZERO_POINT && zp <= EXACT_ZERO_POINT;
}

/* Fewer than LANES codes. */
INLINE lanes get_part(const struct codes *codes, const uint8_t *q, size_t n)
{
    uint8_t part[4 * LANES] = { 0 };
    memcpy(part, q, (n * codes->bits + 7) / 8);
    return codes->get(part);
}

INLINE lanes value_of(const struct codes *codes, lanes x, lanes scale, lanes zp)
{
    return lanes_mul(scale, codes->affine ? lanes_sub(x, zp) : x);
}

/* A run with one scale. */
INLINE void run_uniform(const struct codes *codes, const uint8_t *q, size_t n, const float *scale, const int32_t *zp,
                        float *dst, bool stream)
{
    if (codes->affine && zp && !zero_point_is_exact(*zp)) {
        codes->ref(q, n, n, scale, zp, dst, false);
        return;
    }
    lanes s = lanes_set(*scale), z = lanes_set(codes->affine && zp ? (float)*zp : 0);
    size_t i = 0;
    for (; n - i >= LANES; i += LANES)
        lanes_put(dst + i, value_of(codes, codes->get(q + i * codes->bits / 8), s, z), stream);
    if (i < n)
        lanes_put_part(dst + i, value_of(codes, get_part(codes, q + i * codes->bits / 8, n - i), s, z), n - i);
}

INLINE bool zero_points_are_exact(const int32_t *zp, size_t n)
{
    lanes most = lanes_set(0);
    size_t i = 0;
    for (; n - i >= LANES; i += LANES)
        most = lanes_max(most, lanes_abs(lanes_from_int(lanes_int_load(zp + i))));
    bool exact = !lanes_beyond(most, EXACT_ZERO_POINT);
    for (; i < n; i++)
        exact &= zero_point_is_exact(zp[i]);
    return exact;
}

INLINE lanes step_each(const struct codes *codes, const uint8_t *q, lanes scale, const int32_t *zp, bool has_zp)
{
    return value_of(codes, codes->get(q), scale, has_zp ? lanes_from_int(lanes_int_load(zp)) : lanes_set(0));
}

/* With scales and zero points in the way, the processor alone does not fetch codes early enough. Bytes. */
#define AHEAD 2048

INLINE void loop_each(const struct codes *codes, const uint8_t *q, size_t n, const float *scale, const int32_t *zp,
                      bool has_zp, float *dst, bool stream)
{
    size_t i = 0;
    for (; n - i >= LANES; i += LANES) {
        const uint8_t *p = q + i * codes->bits / 8;
        if (stream)
            __builtin_prefetch((const char *)p + AHEAD);
        lanes_put(dst + i, step_each(codes, p, lanes_load(scale + i), has_zp ? zp + i : NULL, has_zp), stream);
    }
    if (i < n) {
        int32_t part[LANES] = { 0 };
        if (has_zp)
            memcpy(part, zp + i, (n - i) * sizeof *zp);
        lanes x = get_part(codes, q + i * codes->bits / 8, n - i), z = lanes_from_int(lanes_int_load(part));
        lanes_put_part(dst + i, value_of(codes, x, lanes_load_part(scale + i, n - i), z), n - i);
    }
}

/* A run with a scale for each element. Zero points are looked at a piece at a time, apart from the loop that uses them:
 * a branch for each vector costs more. */
INLINE void run_each(const struct codes *codes, const uint8_t *q, size_t n, const float *scale, const int32_t *zp,
                     float *dst, bool stream)
{
    if (!codes->affine || !zp) {
        loop_each(codes, q, n, scale, NULL, false, dst, stream);
        return;
    }
    for (size_t i = 0; i < n; i += PIECE) {
        size_t piece = n - i < PIECE ? n - i : PIECE;
        const uint8_t *p = q + i * codes->bits / 8;
        if (zero_points_are_exact(zp + i, piece))
            loop_each(codes, p, piece, scale + i, zp + i, true, dst + i, stream);
        else
            codes->ref(p, piece, 1, scale + i, zp + i, dst + i, false);
    }
}

/* Blocks of whole vectors without zero points: nothing to look at between them. */
INLINE void run_whole(const struct codes *codes, const uint8_t *q, size_t n, size_t block, const float *scale,
                      float *dst, bool stream)
{
    size_t i = 0;
    for (; n - i >= block; i += block, scale++) {
        lanes s = lanes_set(*scale);
        for (size_t k = i; k < i + block; k += LANES)
            lanes_put(dst + k, lanes_mul(s, codes->get(q + k * codes->bits / 8)), stream);
    }
    if (i < n)
        run_uniform(codes, q + i * codes->bits / 8, n - i, scale, NULL, dst + i, stream);
}

/* Blocks of 2, 4, 8 without zero points: several to a vector. */
INLINE void run_small(const struct codes *codes, const uint8_t *q, size_t n, unsigned shift, const float *scale,
                      float *dst, bool stream)
{
    size_t i = 0;
    for (; n - i >= LANES; i += LANES) {
        lanes x = codes->get(q + i * codes->bits / 8);
        lanes_put(dst + i, lanes_mul(lanes_spread(scale + (i >> shift), shift), x), stream);
    }
    if (i < n) {
        float scales[LANES] = { 0 };
        for (size_t k = 0; k < n - i; k++)
            scales[k] = scale[(i + k) >> shift];
        lanes_put_part(dst + i, lanes_mul(lanes_load(scales), get_part(codes, q + i * codes->bits / 8, n - i)), n - i);
    }
}

INLINE void run_spread(const struct codes *codes, const uint8_t *q, size_t n, size_t block, const float *scale,
                       const int32_t *zp, float *dst, bool stream)
{
    struct spread spread;
    size_t b = 0, left = block;
    for (size_t i = 0; i < n; i += PIECE) {
        size_t piece = n - i < PIECE ? n - i : PIECE;
        spread_blocks(&spread, piece, block, &b, &left, scale, zp);
        run_each(codes, q + i * codes->bits / 8, piece, spread.scale, zp ? spread.zp : NULL, dst + i, stream);
    }
}

INLINE void run(const struct codes *codes, const uint8_t *q, size_t n, size_t block, const float *scale,
                const int32_t *zp, float *dst, bool stream)
{
    if (block == 1) {
        run_each(codes, q, n, scale, zp, dst, stream);
    } else if (block == 32 && !zp) { /* the usual size: the compiler unrolls it */
        run_whole(codes, q, n, 32, scale, dst, stream);
    } else if (block % LANES == 0 && block < n && !zp) {
        run_whole(codes, q, n, block, scale, dst, stream);
    } else if (block % LANES == 0 || block >= n) {
        for (size_t i = 0, b = 0; i < n; i += block, b++) {
            size_t length = n - i < block ? n - i : block;
            run_uniform(codes, q + i * codes->bits / 8, length, scale + b, zp ? zp + b : NULL, dst + i, stream);
            if (n - i <= block)
                break;
        }
    } else if (LANES % block == 0 && !zp) {
        run_small(codes, q, n, (unsigned)__builtin_ctz((unsigned)block), scale, dst, stream);
    } else {
        run_spread(codes, q, n, block, scale, zp, dst, stream);
    }
}

/* Streaming to an address between two boundaries: by way of the cache, where pieces begin with a block. */
TARGET static void bounce(dequant_fn *fn, unsigned bits, const uint8_t *q, size_t n, size_t block, const float *scale,
                          const int32_t *zp, float *dst)
{
    float made[BOUNCE];
    if (block < n && BOUNCE % block != 0 && block % BOUNCE != 0) {
        fn(q, n, block, scale, zp, dst, false);
        return;
    }
    for (size_t i = 0; i < n; i += BOUNCE) {
        size_t piece = n - i < BOUNCE ? n - i : BOUNCE, b = i / block;
        fn(q + i * bits / 8, piece, block, scale + b, zp ? zp + b : NULL, made, false);
        stream_out(dst + i, made, piece);
    }
}

#define DEQUANT(name, width, is_affine)                                                                             \
    TARGET static void dequant_##name(const void *q, size_t n, size_t block, const float *scale, const int32_t *zp, \
                                      float *dst, bool stream)                                                      \
    {                                                                                                               \
        const struct codes codes = { get_##name, hry_ref_dequant_##name, width, is_affine };                        \
        if (!LANES_STREAM || !stream) {                                                                             \
            run(&codes, q, n, block, scale, zp, dst, false);                                                        \
            return;                                                                                                 \
        }                                                                                                           \
        if (lanes_aligned(dst) && (block >= n || block % LANES == 0 || LANES % block == 0))                         \
            run(&codes, q, n, block, scale, zp, dst, true);                                                         \
        else                                                                                                        \
            bounce(dequant_##name, width, q, n, block, scale, zp, dst);                                             \
    }

/* Codes of 32 bits, less their zero points: both are spread over the elements. */
typedef lanes less_fn(const uint8_t *q, const int32_t *zp);

INLINE void run_wide(less_fn *less, const uint8_t *q, size_t n, size_t block, const float *scale, const int32_t *zp,
                     float *dst, bool stream)
{
    struct spread spread;
    size_t b = 0, left = block;
    for (size_t done = 0; done < n; done += PIECE) {
        size_t piece = n - done < PIECE ? n - done : PIECE, i = 0;
        spread_blocks(&spread, piece, block, &b, &left, scale, zp);
        for (; piece - i >= LANES; i += LANES, q += 4 * LANES, dst += LANES)
            lanes_put(dst, lanes_mul(lanes_load(spread.scale + i), less(q, spread.zp + i)), stream);
        if (i < piece) {
            uint8_t part[4 * LANES] = { 0 };
            memcpy(part, q, 4 * (piece - i));
            memset(spread.zp + piece, 0, (LANES - (piece - i)) * sizeof *spread.zp);
            lanes s = lanes_load_part(spread.scale + i, piece - i);
            lanes_put_part(dst, lanes_mul(s, less(part, spread.zp + i)), piece - i);
        }
    }
}

#define DEQUANT_WIDE(name)                                                                                          \
    TARGET static void dequant_##name(const void *q, size_t n, size_t block, const float *scale, const int32_t *zp, \
                                      float *dst, bool stream)                                                      \
    {                                                                                                               \
        if (!LANES_STREAM || !stream) {                                                                             \
            run_wide(less_##name, q, n, block, scale, zp, dst, false);                                              \
            return;                                                                                                 \
        }                                                                                                           \
        if (lanes_aligned(dst))                                                                                     \
            run_wide(less_##name, q, n, block, scale, zp, dst, true);                                               \
        else                                                                                                        \
            bounce(dequant_##name, 32, q, n, block, scale, zp, dst);                                                \
    }

DEQUANT(i8, 8, true)
DEQUANT(u8, 8, true)
DEQUANT(i16, 16, true)
DEQUANT(u16, 16, true)
DEQUANT_WIDE(i32)
DEQUANT_WIDE(u32)
DEQUANT(i4, 4, true)
DEQUANT(u4, 4, true)
DEQUANT(i2, 2, true)
DEQUANT(u2, 2, true)
DEQUANT(nf4, 4, false)
DEQUANT(e2m1, 4, false)
DEQUANT(e2m3, 6, false)
DEQUANT(e3m2, 6, false)
DEQUANT(e4m3, 8, false)
DEQUANT(e5m2, 8, false)

static void fill_dequant(struct hry_kern *table)
{
    table->dequant_i8 = dequant_i8;
    table->dequant_u8 = dequant_u8;
    table->dequant_i16 = dequant_i16;
    table->dequant_u16 = dequant_u16;
    table->dequant_i32 = dequant_i32;
    table->dequant_u32 = dequant_u32;
    table->dequant_i4 = dequant_i4;
    table->dequant_u4 = dequant_u4;
    table->dequant_i2 = dequant_i2;
    table->dequant_u2 = dequant_u2;
    table->dequant_nf4 = dequant_nf4;
    table->dequant_e2m1 = dequant_e2m1;
    table->dequant_e2m3 = dequant_e2m3;
    table->dequant_e3m2 = dequant_e3m2;
    table->dequant_e4m3 = dequant_e4m3;
    table->dequant_e5m2 = dequant_e5m2;
}

#endif
