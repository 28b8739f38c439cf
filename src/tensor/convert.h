/* Runs of elements of one type as values of another. */
#ifndef HRY_TENSOR_CONVERT_H
#define HRY_TENSOR_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values of the host: what the format stores little-endian is in the host's order; sub-byte types stay packed. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
enum { HRY_HOST_SWAPS = 1 };
#else
enum { HRY_HOST_SWAPS = 0 };
#endif

typedef struct hry_convert {
    bool (*run)(const struct hry_convert *convert, const void *src, size_t n, void *dst);
    uint8_t from, to;
    bool stream; /* write past the caches, as kern.inc says; false at first */
    union {      /* the kernel that run calls, where there is one */
        void (*widen)(const void *src, size_t n, float *dst, bool stream);
        void (*narrow)(const float *src, size_t n, void *dst, bool stream);
        void (*scaled)(const void *q, size_t n, size_t block, const float *scale, const int32_t *zp, float *dst,
                       bool stream);
    } kernel;
} hry_convert;

/*
 * How elements as stored become values of the type `to` (hry_tensor_read says how they are rounded). False where there
 * is no way: private types, and complex numbers to real ones.
 */
bool hry_convert_init(hry_convert *convert, uint8_t from, uint8_t to);

/*
 * n elements, packed from the lowest bit of *src on (any alignment), to n values of the host from dst on, which has the
 * alignment of the type. False when some value has no counterpart; all of dst may have been written then.
 */
static inline bool hry_convert_run(const hry_convert *convert, const void *src, size_t n, void *dst)
{
    return convert->run(convert, src, n, dst);
}

/* A run for values in the byte order of the format, on hosts of the other one. */
bool hry_convert_raw(const hry_convert *convert, const void *src, size_t n, void *dst);

/* The way back: values of the host, of the type `from`, to elements as stored. */
bool hry_convert_init_store(hry_convert *convert, uint8_t from, uint8_t to);

/* Turns n elements of a type between the host's order and the stored one, in place. */
void hry_swap_elements(uint8_t type, void *elements, size_t n);

#endif
