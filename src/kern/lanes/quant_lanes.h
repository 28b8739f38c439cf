/*
 * Quantization, for any vector: a lanes_ header comes before, and
 *   put_4, put_2, put_6: LANES codes of so many bits, from the lowest bits of the lanes
 *   level: the levels of NF4 that are nearest to x / scale
 *   wide_i32, wide_u32: LANES codes of 32 bits.
 */
#ifndef HRY_KERN_LANES_QUANT_LANES_H
#define HRY_KERN_LANES_QUANT_LANES_H

#include "kern/lanes/encode_lanes.h"
#include "kern/lanes/spread_lanes.h"

INLINE void put_8(uint8_t *q, lanes_int codes)
{
    lanes_int_put_8(q, codes, false);
}

INLINE void put_16(uint8_t *q, lanes_int codes)
{
    lanes_int_put_16(q, codes, false);
}

/* Scales are powers of two: the inverse is exact, and is made once for all that share it. */
#define SMALL(name)                                                                            \
    INLINE lanes_int small_##name(lanes x, lanes scale)                                        \
    {                                                                                          \
        return encode(&hry_narrow_##name, true, lanes_mul(x, lanes_div(lanes_set(1), scale))); \
    }
SMALL(e2m1)
SMALL(e2m3)
SMALL(e3m2)
SMALL(e4m3)
SMALL(e5m2)

typedef void put_fn(uint8_t *q, lanes_int codes);
typedef lanes_int code_fn(lanes x, lanes scale);

/* One type of codes, constant wherever this is used: code is NULL for affine types. */
struct coding {
    code_fn *code;
    put_fn *put;
    unsigned bits;
};

/* What the codes of a run depend on besides x; bounds are those of the code less the zero point. */
struct affine {
    int64_t lo, hi;
};

INLINE size_t bytes_of(unsigned bits, size_t n)
{
    return bits == 6 ? (n + 3) / 4 * 3 : (n * bits + 7) / 8;
}

INLINE lanes_int code_of(const struct coding *coding, lanes x, lanes scale, lanes_int zp, const struct affine *affine)
{
    if (coding->code)
        return coding->code(x, scale);
    lanes low = lanes_sub(lanes_set((float)affine->lo), lanes_from_int(zp));
    lanes high = lanes_sub(lanes_set((float)affine->hi), lanes_from_int(zp));
    return lanes_int_add(lanes_round(lanes_min(lanes_max(lanes_div(x, scale), low), high)), zp);
}

/* Fewer than LANES codes, with zeros behind them. */
INLINE void put_part(const struct coding *coding, uint8_t *q, lanes_int codes, size_t n)
{
    uint8_t part[4 * LANES];
    coding->put(part, lanes_int_keep(codes, n));
    memcpy(q, part, bytes_of(coding->bits, n));
}

INLINE void quant_uniform(const struct coding *coding, const float *x, size_t n, float scale, int32_t zp,
                          const struct affine *affine, uint8_t *q)
{
    lanes s = lanes_set(scale);
    lanes_int z = lanes_int_set(zp);
    size_t i = 0;
    for (; n - i >= LANES; i += LANES)
        coding->put(q + i * coding->bits / 8, code_of(coding, lanes_load(x + i), s, z, affine));
    if (i < n)
        put_part(coding, q + i * coding->bits / 8, code_of(coding, lanes_load_part(x + i, n - i), s, z, affine), n - i);
}

/* With scales and zero points in the way, the processor alone does not fetch x early enough. Bytes. */
#define AHEAD 4096

INLINE void quant_each(const struct coding *coding, const float *x, size_t n, const float *scale, const int32_t *zp,
                       const struct affine *affine, uint8_t *q)
{
    size_t i = 0;
    for (; n - i >= LANES; i += LANES) {
        lanes_int z = zp ? lanes_int_load(zp + i) : lanes_int_set(0);
        __builtin_prefetch((const char *)(x + i) + AHEAD);
        coding->put(q + i * coding->bits / 8, code_of(coding, lanes_load(x + i), lanes_load(scale + i), z, affine));
    }
    if (i < n) {
        int32_t part[LANES] = { 0 };
        if (zp)
            memcpy(part, zp + i, (n - i) * sizeof *zp);
        lanes_int codes = code_of(coding, lanes_load_part(x + i, n - i), lanes_load_part(scale + i, n - i),
                                  lanes_int_load(part), affine);
        put_part(coding, q + i * coding->bits / 8, codes, n - i);
    }
}

INLINE void quant(const struct coding *coding, const float *x, size_t n, size_t block, const float *scale,
                  const int32_t *zp, const struct affine *affine, uint8_t *q)
{
    if (block == 1) {
        quant_each(coding, x, n, scale, zp, affine, q);
    } else if (block == 32 && !zp) { /* the usual size: the compiler unrolls it */
        size_t i = 0;
        for (; n - i >= 32; i += 32)
            quant_uniform(coding, x + i, 32, *scale++, 0, affine, q + i * coding->bits / 8);
        if (i < n)
            quant_uniform(coding, x + i, n - i, *scale, 0, affine, q + i * coding->bits / 8);
    } else if (block % LANES == 0 || block >= n) {
        for (size_t i = 0, b = 0; i < n; b++) {
            size_t length = n - i < block ? n - i : block;
            quant_uniform(coding, x + i, length, scale[b], zp ? zp[b] : 0, affine, q + i * coding->bits / 8);
            i += length;
        }
    } else {
        struct spread spread;
        size_t b = 0, left = block;
        for (size_t i = 0; i < n; i += PIECE) {
            size_t piece = n - i < PIECE ? n - i : PIECE;
            spread_blocks(&spread, piece, block, &b, &left, scale, zp);
            quant_each(coding, x + i, piece, spread.scale, zp ? spread.zp : NULL, affine, q + i * coding->bits / 8);
        }
    }
}

#define QUANT(name, width, code)                                                                                   \
    TARGET static void quant_##name(const float *x, size_t n, size_t block, const float *scale, const int32_t *zp, \
                                    int64_t lo, int64_t hi, void *q)                                               \
    {                                                                                                              \
        const struct coding coding = { code, put_##width, width };                                                 \
        const struct affine affine = { lo, hi };                                                                   \
        quant(&coding, x, n, block, scale, zp, &affine, q);                                                        \
    }

/* Codes of 32 bits go through float64. Everything is laid out for each element, also what is left over. */
typedef lanes_int wide_fn(const float *x, const float *scale, const int32_t *zp, double lo, double hi);

INLINE void quant_wide(wide_fn *code, const float *x, size_t n, size_t block, const float *scale, const int32_t *zp,
                       double lo, double hi, uint8_t *q)
{
    struct spread spread = { { 0 }, { 0 } };
    size_t b = 0, left = block;
    for (size_t done = 0; done < n; done += PIECE) {
        size_t piece = n - done < PIECE ? n - done : PIECE, i = 0;
        spread_blocks(&spread, piece, block, &b, &left, scale, zp);
        for (; piece - i >= LANES; i += LANES)
            lanes_int_store(q + 4 * (done + i), code(x + done + i, spread.scale + i, spread.zp + i, lo, hi));
        if (i < piece) {
            float part[LANES] = { 0 };
            uint8_t codes[4 * LANES];
            memcpy(part, x + done + i, 4 * (piece - i));
            lanes_int_store(codes, code(part, spread.scale + i, spread.zp + i, lo, hi));
            memcpy(q + 4 * (done + i), codes, 4 * (piece - i));
        }
    }
}

#define QUANT_WIDE(name)                                                                                           \
    TARGET static void quant_##name(const float *x, size_t n, size_t block, const float *scale, const int32_t *zp, \
                                    int64_t lo, int64_t hi, void *q)                                               \
    {                                                                                                              \
        quant_wide(wide_##name, x, n, block, scale, zp, (double)lo, (double)hi, q);                                \
    }

QUANT(i8, 8, NULL)
QUANT(u8, 8, NULL)
QUANT(i16, 16, NULL)
QUANT(u16, 16, NULL)
QUANT_WIDE(i32)
QUANT_WIDE(u32)
QUANT(i4, 4, NULL)
QUANT(u4, 4, NULL)
QUANT(i2, 2, NULL)
QUANT(u2, 2, NULL)
QUANT(nf4, 4, level)
QUANT(e2m1, 4, small_e2m1)
QUANT(e2m3, 6, small_e2m3)
QUANT(e3m2, 6, small_e3m2)
QUANT(e4m3, 8, small_e4m3)
QUANT(e5m2, 8, small_e5m2)

static void fill_quant(struct hry_kern *table)
{
    table->quant_i8 = quant_i8;
    table->quant_u8 = quant_u8;
    table->quant_i16 = quant_i16;
    table->quant_u16 = quant_u16;
    table->quant_i32 = quant_i32;
    table->quant_u32 = quant_u32;
    table->quant_i4 = quant_i4;
    table->quant_u4 = quant_u4;
    table->quant_i2 = quant_i2;
    table->quant_u2 = quant_u2;
    table->quant_nf4 = quant_nf4;
    table->quant_e2m1 = quant_e2m1;
    table->quant_e2m3 = quant_e2m3;
    table->quant_e3m2 = quant_e3m2;
    table->quant_e4m3 = quant_e4m3;
    table->quant_e5m2 = quant_e5m2;
}

#endif
