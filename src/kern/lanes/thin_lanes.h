/*
 * Planes of few rows or columns, such as the channels of images, that lie one behind the other on their thin side: 16
 * bytes of each row become as many bytes of whole columns, or the other way round, by permuting bytes. Before it come
 * INLINE, TARGET and UNROLL, and of 16 bytes quad, quad_load, quad_put, quad_stream, quad_or and quad_pick (byte i is
 * that which mask[i] says; 0 for NONE).
 */
#ifndef HRY_KERN_LANES_THIN_LANES_H
#define HRY_KERN_LANES_THIN_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { THIN = 8, NONE = 0x80 };

/* n quads become n others, count times. mask[t][f]: what of the quad f comes into the quad t, and where. */
typedef struct thin {
    uint8_t *dst;
    const uint8_t *src;
    int64_t dst_step, dst_next, src_step, src_next; /* between quads, and between times */
    size_t count;
    bool stream;
    uint8_t mask[THIN][THIN][16];
} thin;

INLINE void thin_quads(size_t n, const thin *p)
{
    uint8_t *dst = p->dst;
    const uint8_t *src = p->src;
    for (size_t i = 0; i < p->count; i++, dst += p->dst_next, src += p->src_next) {
        quad from[THIN];
        UNROLL
        for (size_t f = 0; f < n; f++)
            from[f] = quad_load(src + (int64_t)f * p->src_step);
        UNROLL
        for (size_t t = 0; t < n; t++) {
            quad to = quad_pick(from[0], quad_load(p->mask[t][0]));
            UNROLL
            for (size_t f = 1; f < n; f++)
                to = quad_or(to, quad_pick(from[f], quad_load(p->mask[t][f])));
            if (p->stream)
                quad_stream(dst + (int64_t)t * p->dst_step, to);
            else
                quad_put(dst + (int64_t)t * p->dst_step, to);
        }
    }
}

TARGET static void thin_run(size_t n, const thin *p)
{
    switch (n) {
    case 2:
        thin_quads(2, p);
        break;
    case 3:
        thin_quads(3, p);
        break;
    case 4:
        thin_quads(4, p);
        break;
    case 5:
        thin_quads(5, p);
        break;
    case 6:
        thin_quads(6, p);
        break;
    case 7:
        thin_quads(7, p);
        break;
    default:
        thin_quads(THIN, p);
    }
}

/* As the kernels' transpose, for as many elements of the long side as fill quads; returns how many those were, 0 for
 * planes of another kind. */
TARGET static size_t thin_transpose(size_t size, uint8_t *dst, int64_t dst_step, const uint8_t *src, int64_t src_step,
                                    size_t rows, size_t columns, bool stream)
{
    bool few_rows = rows <= columns;
    size_t n = few_rows ? rows : columns, width = 16 / size, longer = few_rows ? columns : rows;
    int64_t dense = (int64_t)(n * size);
    if (n < 2 || n > THIN || width < 2 || longer < 4 * width || (few_rows ? dst_step : src_step) != dense)
        return 0;
    thin p = { .dst = dst, .src = src, .count = longer / width };
    p.src_step = few_rows ? src_step : 16;
    p.src_next = few_rows ? 16 : 16 * (int64_t)n;
    p.dst_step = few_rows ? 16 : dst_step;
    p.dst_next = few_rows ? 16 * (int64_t)n : 16;
    p.stream = stream && ((uint64_t)(uintptr_t)dst | (uint64_t)p.dst_step) % 16 == 0;
    memset(p.mask, NONE, sizeof p.mask);
    for (size_t i = 0; i < 16 * n; i++) { /* byte i of whole columns is byte k of one row */
        size_t element = i / size, row = element % n, k = element / n * size + i % size;
        if (few_rows)
            p.mask[i / 16][row][i % 16] = (uint8_t)k;
        else
            p.mask[row][i / 16][k] = (uint8_t)(i % 16);
    }
    thin_run(n, &p);
    return p.count * width;
}

#endif
