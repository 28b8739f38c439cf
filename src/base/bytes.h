/*
 * Little-endian loads and stores at any address, on hosts of either byte order. Compilers turn each into one
 * instruction.
 */
#ifndef HRY_BASE_BYTES_H
#define HRY_BASE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define HRY_LE16(x) __builtin_bswap16(x)
#define HRY_LE32(x) __builtin_bswap32(x)
#define HRY_LE64(x) __builtin_bswap64(x)
#else
#define HRY_LE16(x) (x)
#define HRY_LE32(x) (x)
#define HRY_LE64(x) (x)
#endif

static inline uint16_t hry_load16(const void *p)
{
    uint16_t x;
    memcpy(&x, p, sizeof x);
    return HRY_LE16(x);
}

static inline uint32_t hry_load32(const void *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return HRY_LE32(x);
}

static inline uint64_t hry_load64(const void *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return HRY_LE64(x);
}

static inline float hry_load_f32(const void *p)
{
    uint32_t bits = hry_load32(p);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double hry_load_f64(const void *p)
{
    uint64_t bits = hry_load64(p);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline void hry_store16(void *p, uint16_t x)
{
    x = HRY_LE16(x);
    memcpy(p, &x, sizeof x);
}

static inline void hry_store32(void *p, uint32_t x)
{
    x = HRY_LE32(x);
    memcpy(p, &x, sizeof x);
}

static inline void hry_store64(void *p, uint64_t x)
{
    x = HRY_LE64(x);
    memcpy(p, &x, sizeof x);
}

static inline void hry_store_f32(void *p, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    hry_store32(p, bits);
}

static inline void hry_store_f64(void *p, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    hry_store64(p, bits);
}

/* The bits of a float as an integer and back. */
static inline uint32_t hry_f32_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float hry_f32_from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t hry_f64_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double hry_f64_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
