#include "base/bytes.h"
#include "kern/kern.h"

#include <string.h>

#define UNUSED __attribute__((unused))
#define LINE 64

/* size is a constant to the compiler, and so is a step of one element to the destination. */
static inline void copy_elements(size_t size, unsigned char *dst, int64_t dst_step, const unsigned char *src,
                                 int64_t src_step, size_t n)
{
    if (dst_step == (int64_t)size)
        for (size_t i = 0; i < n; i++)
            memcpy(dst + i * size, src + (int64_t)i * src_step, size);
    else
        for (size_t i = 0; i < n; i++)
            memcpy(dst + (int64_t)i * dst_step, src + (int64_t)i * src_step, size);
}

void hry_ref_copy_rows(void *dst, int64_t dst_step, const void *src, int64_t src_step, size_t rows, size_t nbytes,
                       UNUSED bool stream)
{
    switch (nbytes) {
    case 1:
        copy_elements(1, dst, dst_step, src, src_step, rows);
        break;
    case 2:
        copy_elements(2, dst, dst_step, src, src_step, rows);
        break;
    case 4:
        copy_elements(4, dst, dst_step, src, src_step, rows);
        break;
    case 8:
        copy_elements(8, dst, dst_step, src, src_step, rows);
        break;
    case 16:
        copy_elements(16, dst, dst_step, src, src_step, rows);
        break;
    default:
        copy_elements(nbytes, dst, dst_step, src, src_step, rows);
    }
}

/* As many rows at a time as make a line of the destination. */
static inline void transpose(size_t size, unsigned char *dst, int64_t dst_step, const unsigned char *src,
                             int64_t src_step, size_t rows, size_t columns)
{
    for (size_t top = 0; top < rows; top += LINE / size) {
        size_t height = rows - top < LINE / size ? rows - top : LINE / size;
        for (size_t j = 0; j < columns; j++)
            for (size_t i = top; i < top + height; i++)
                memcpy(dst + (int64_t)j * dst_step + i * size, src + (int64_t)i * src_step + j * size, size);
    }
}

#define HRY_KERN(result, name, parameters)
#define HRY_KERN_TRANSPOSE(size)                                                                               \
    void hry_ref_transpose_##size(void *dst, int64_t dst_step, const void *src, int64_t src_step, size_t rows, \
                                  size_t columns, UNUSED bool stream)                                          \
    {                                                                                                          \
        transpose(size, dst, dst_step, src, src_step, rows, columns);                                          \
    }
#include "kern/kern.inc"
#undef HRY_KERN

/*
 * Eight elements, next to one another at the bottom of a word or one in each byte of it, and the steps between: of each
 * 8, 4 and 2 elements the upper half moves by what so many lack to whole bytes.
 */
typedef struct spread {
    unsigned gap;            /* of one element */
    uint64_t four, two, one; /* the lower half of each 8, 4 and 2, where they are apart */
} spread;

static spread spread_of(unsigned width)
{
    return (spread){ .gap = 8 - width,
                     .four = (UINT64_C(1) << 4 * width) - 1,
                     .two = ((UINT64_C(1) << 2 * width) - 1) * UINT64_C(0x0000000100000001),
                     .one = ((UINT64_C(1) << width) - 1) * UINT64_C(0x0001000100010001) };
}

static inline uint64_t open_up(spread s, uint64_t x)
{
    x = (x & s.four) | (x << 4 * s.gap & s.four << 32);
    x = (x & s.two) | (x << 2 * s.gap & s.two << 16);
    return (x & s.one) | (x << s.gap & s.one << 8);
}

static inline uint64_t close_up(spread s, uint64_t x)
{
    x = (x & s.one) | (x & s.one << 8) >> s.gap;
    x = (x & s.two) | (x & s.two << 16) >> 2 * s.gap;
    return (x & s.four) | (x & s.four << 32) >> 4 * s.gap;
}

void hry_ref_bits_unpack(unsigned width, const void *src, size_t n, uint8_t *dst)
{
    const uint8_t *p = src;
    const spread s = spread_of(width);
    for (size_t i = 0; i < n; i += 8, p += width) {
        uint8_t word[8] = { 0 };
        size_t some = n - i < 8 ? n - i : 8;
        memcpy(word, p, (some * width + 7) / 8);
        hry_store64(word, open_up(s, hry_load64(word)));
        memcpy(dst + i, word, some);
    }
}

void hry_ref_bits_pack(unsigned width, const uint8_t *src, size_t n, void *dst)
{
    uint8_t *p = dst;
    const spread s = spread_of(width);
    for (size_t i = 0; i < n; i += 8, p += width) {
        uint8_t word[8] = { 0 };
        size_t some = n - i < 8 ? n - i : 8;
        memcpy(word, src + i, some);
        hry_store64(word, close_up(s, hry_load64(word)));
        memcpy(p, word, (some * width + 7) / 8);
    }
}
