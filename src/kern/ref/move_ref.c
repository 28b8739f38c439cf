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
