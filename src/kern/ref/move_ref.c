#include "kern/kern.h"

#include <string.h>

#define UNUSED __attribute__((unused))
#define LINE 64

/* SIZE is a constant to the compiler, and so is a step of one element on either side. */
#define COPY(SIZE)                                                                            \
    if (dst_step == (int64_t)(SIZE)) {                                                        \
        for (size_t i = 0; i < rows; i++)                                                     \
            memcpy(to + i * (SIZE), from + (int64_t)i * src_step, SIZE);                      \
    } else {                                                                                  \
        for (size_t i = 0; i < rows; i++)                                                     \
            memcpy(to + (int64_t)i * dst_step, from + (int64_t)i * src_step, SIZE);           \
    }

void hry_ref_copy_rows(void *dst, int64_t dst_step, const void *src, int64_t src_step, size_t rows, size_t nbytes,
                       UNUSED bool stream)
{
    unsigned char *to = dst;
    const unsigned char *from = src;
    switch (nbytes) {
    case 1:
        COPY(1)
        break;
    case 2:
        COPY(2)
        break;
    case 4:
        COPY(4)
        break;
    case 8:
        COPY(8)
        break;
    case 16:
        COPY(16)
        break;
    default:
        for (size_t i = 0; i < rows; i++)
            memcpy(to + (int64_t)i * dst_step, from + (int64_t)i * src_step, nbytes);
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
