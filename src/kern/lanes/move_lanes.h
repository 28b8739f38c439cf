/*
 * The loops that move elements, for any vector. Before it come
 *   INLINE and TARGET, UNROLL for loops whose counts the compiler knows;
 *   vec, of VEC bytes, with vec_load and vec_put (stream: to a multiple of VEC); what thin_lanes.h wants of 16 bytes;
 *   vec_rows, 16 bytes from each of VEC / 16 rows; vec_low and vec_high, which take the first or last 8 of each 16
 * bytes of a and b and lay their elements in turn; fetch, which asks for a line and does not wait.
 */
#ifndef HRY_KERN_LANES_MOVE_LANES_H
#define HRY_KERN_LANES_MOVE_LANES_H

#include "kern/kern.h"
#include "kern/lanes/thin_lanes.h"

enum { LINE = 64, AHEAD = 2 * LINE };

/* ---- Rows ---- */

INLINE void copy_short(uint8_t *dst, const uint8_t *src, size_t n)
{
    for (size_t i = 0; i + 16 < n; i += 16)
        quad_put(dst + i, quad_load(src + i));
    quad_put(dst + n - 16, quad_load(src + n - 16));
}

INLINE void copy_long(uint8_t *dst, const uint8_t *src, size_t n)
{
    size_t i = 0;
    for (; n - i > VEC; i += VEC)
        vec_put(dst + i, vec_load(src + i), false);
    vec_put(dst + n - VEC, vec_load(src + n - VEC), false);
}

/* Whole lines past the caches, their ends by way of them. */
INLINE void copy_streaming(uint8_t *dst, const uint8_t *src, size_t n)
{
    size_t head = (LINE - (uintptr_t)dst % LINE) % LINE;
    if (n < head + LINE) {
        copy_long(dst, src, n);
        return;
    }
    memcpy(dst, src, head);
    for (dst += head, src += head, n -= head; n >= LINE; dst += LINE, src += LINE, n -= LINE)
        for (size_t i = 0; i < LINE; i += VEC)
            vec_put(dst + i, vec_load(src + i), true);
    memcpy(dst, src, n);
}

TARGET static void copy_rows(void *dst, int64_t dst_step, const void *src, int64_t src_step, size_t rows, size_t nbytes,
                             bool stream)
{
    enum { LONG = 1024 }; /* from here on the C library knows best what stays in cache */
    uint8_t *to = dst;
    const uint8_t *from = src;
    if (nbytes <= 16 || (nbytes >= LONG && !stream)) {
        hry_ref_copy_rows(dst, dst_step, src, src_step, rows, nbytes, stream);
        return;
    }
    for (; rows > 0; rows--, to += dst_step, from += src_step)
        if (nbytes < VEC)
            copy_short(to, from, nbytes);
        else if (stream)
            copy_streaming(to, from, nbytes);
        else
            copy_long(to, from, nbytes);
}

/* ---- Transposing ---- */

typedef void transpose_fn(void *dst, int64_t dst_step, const void *src, int64_t src_step, size_t rows, size_t columns,
                          bool stream);

/*
 * A block as wide as 16 bytes, of as many rows for each 16 bytes of a vector. Row i begins in register i % width, in
 * lane i / width. Laying the first half of the registers in turn with the second until each 16 bytes are of one column
 * leaves column j in register j.
 */
INLINE void turn_block(size_t size, uint8_t *dst, int64_t dst_step, const uint8_t *src, int64_t src_step, bool stream)
{
    const size_t width = 16 / size;
    vec a[16], b[16];
    UNROLL
    for (size_t i = 0; i < width; i++)
        a[i] = vec_rows(src + (int64_t)i * src_step, (int64_t)width * src_step);
    UNROLL
    for (size_t done = size; done < 16; done *= 2) {
        UNROLL
        for (size_t i = 0; i < width / 2; i++) {
            b[2 * i] = vec_low(size, a[i], a[i + width / 2]);
            b[2 * i + 1] = vec_high(size, a[i], a[i + width / 2]);
        }
        UNROLL
        for (size_t i = 0; i < width; i++)
            a[i] = b[i];
    }
    UNROLL
    for (size_t i = 0; i < width; i++)
        vec_put(dst + (int64_t)i * dst_step, a[i], stream);
}

/* As many rows as make a line of the destination, 16 bytes wide. */
INLINE void turn_line(size_t size, uint8_t *dst, int64_t dst_step, const uint8_t *src, int64_t src_step, bool stream)
{
    UNROLL
    for (size_t i = 0; i < LINE; i += VEC)
        turn_block(size, dst + i, dst_step, src + (int64_t)(i / size) * src_step, src_step, stream);
}

/*
 * Such rows, of any number of columns from a block's width on. next: the rows that follow, NULL at the end. The lines
 * of the source are asked for in good time: each block asks for a quarter of what the four of a line take two lines
 * later. Columns that are left over are moved together with some that have been.
 */
INLINE void turn_strip(size_t size, uint8_t *dst, int64_t dst_step, const uint8_t *src, const uint8_t *next,
                       int64_t src_step, size_t columns, bool stream)
{
    const size_t width = 16 / size, nbytes = columns * size;
    for (size_t j = 0; j < columns; j += width) {
        size_t at = j * size + AHEAD, quarter = j / width % 4 * width, k = columns - j < width ? columns - width : j;
        const uint8_t *ask = at < nbytes ? src + at : next ? next + (at - nbytes) : NULL;
        if (ask && size < 16) {
            UNROLL
            for (size_t i = 0; i < width; i++)
                fetch(ask + (int64_t)(quarter + i) * src_step);
        }
        turn_line(size, dst + (int64_t)k * dst_step, dst_step, src + k * size, src_step, stream);
    }
}

/* Planes that are thinner than a block are none of ours. Rows that are left over are moved with some that have been. */
INLINE void turn(size_t size, uint8_t *dst, int64_t dst_step, const uint8_t *src, int64_t src_step, size_t rows,
                 size_t columns, bool stream)
{
    const size_t height = LINE / size;
    stream = stream && (uintptr_t)dst % LINE == 0 && dst_step % LINE == 0;
    for (size_t i = 0; i < rows; i += height) {
        size_t k = rows - i < height ? rows - height : i;
        const uint8_t *strip = src + (int64_t)k * src_step;
        const uint8_t *next = rows - i >= 2 * height ? strip + (int64_t)height * src_step : NULL;
        if (stream && k == i)
            turn_strip(size, dst + i * size, dst_step, strip, next, src_step, columns, true);
        else
            turn_strip(size, dst + k * size, dst_step, strip, next, src_step, columns, false);
    }
}

/* What is left over of a thin plane is short. */
INLINE void turn_thin(size_t size, uint8_t *dst, int64_t dst_step, const uint8_t *src, int64_t src_step, size_t rows,
                      size_t columns, bool stream, transpose_fn *plain)
{
    size_t done = thin_transpose(size, dst, dst_step, src, src_step, rows, columns, stream);
    if (rows <= columns)
        plain(dst + (int64_t)done * dst_step, dst_step, src + done * size, src_step, rows, columns - done, false);
    else
        plain(dst + done * size, dst_step, src + (int64_t)done * src_step, src_step, rows - done, columns, false);
}

#define HRY_KERN(result, name, parameters)
#define HRY_KERN_TRANSPOSE(size)                                                                                     \
    TARGET static void transpose_##size(void *dst, int64_t dst_step, const void *src, int64_t src_step, size_t rows, \
                                        size_t columns, bool stream)                                                 \
    {                                                                                                                \
        if (rows < LINE / (size) || columns < 16 / (size))                                                           \
            turn_thin(size, dst, dst_step, src, src_step, rows, columns, stream, hry_ref_transpose_##size);          \
        else                                                                                                         \
            turn(size, dst, dst_step, src, src_step, rows, columns, stream);                                         \
    }
#include "kern/kern.inc"
#undef HRY_KERN

static void fill_move(struct hry_kern *table)
{
    table->copy_rows = copy_rows;
#define HRY_KERN(result, name, parameters)
#define HRY_KERN_TRANSPOSE(size) table->transpose_##size = transpose_##size;
#include "kern/kern.inc"
#undef HRY_KERN
}

#endif
