#include "tensor/bits.h"

#include "base/bytes.h"

#include <string.h>

/* Bits from..from+n-1 of what p points to, n from 1 to 8. */
static unsigned few(const uint8_t *p, unsigned from, unsigned n)
{
    unsigned bits = (unsigned)p[0] >> from;
    if (from + n > 8)
        bits |= (unsigned)p[1] << (8 - from);
    return bits & ((1u << n) - 1);
}

static void put_few(uint8_t *p, unsigned to, unsigned n, unsigned bits)
{
    unsigned mask = (1u << n) - 1;
    *p = (uint8_t)((*p & ~(mask << to)) | bits << to);
}

/* Whole bytes of dst from bits of src that start inside a byte: 8 of them from 9 at a time. */
static void shifted(uint8_t *dst, const uint8_t *src, unsigned shift, size_t nbytes)
{
    size_t i = 0;
    for (; i + 8 <= nbytes; i += 8)
        hry_store64(dst + i, hry_load64(src + i) >> shift | (uint64_t)src[i + 8] << (64 - shift));
    for (; i < nbytes; i++)
        dst[i] = (uint8_t)(src[i] >> shift | src[i + 1] << (8 - shift));
}

void hry_bits_copy(uint8_t *dst, int64_t to, const uint8_t *src, int64_t from, uint64_t n)
{
    dst += to >> 3;
    src += from >> 3;
    unsigned into = (unsigned)to & 7, out = (unsigned)from & 7;
    if (into && n) {
        unsigned head = 8 - into < n ? 8 - into : (unsigned)n;
        put_few(dst, into, head, few(src, out, head));
        dst += into + head == 8;
        src += (out + head) >> 3;
        out = (out + head) & 7;
        n -= head;
    }
    size_t whole = (size_t)(n / 8);
    if (out)
        shifted(dst, src, out, whole);
    else if (whole)
        memcpy(dst, src, whole);
    if (n % 8)
        put_few(dst + whole, 0, (unsigned)(n % 8), few(src + whole, out, (unsigned)(n % 8)));
}

/* Elements that are apart, packed: gathered in a word before they are written. */
static void pack(unsigned width, uint8_t *dst, int64_t to, const uint8_t *src, int64_t from, int64_t from_step,
                 uint64_t n)
{
    while (n) {
        uint8_t word[8];
        uint64_t gathered = 0;
        unsigned most = 64 / width, taken = n < most ? (unsigned)n : most;
        for (unsigned i = 0; i < taken; i++, from += from_step)
            gathered |= (uint64_t)hry_bits_get(width, src, from) << (i * width);
        hry_store64(word, gathered);
        hry_bits_copy(dst, to, word, 0, (uint64_t)taken * width);
        to += (int64_t)(taken * width);
        n -= taken;
    }
}

void hry_bits_move(unsigned width, uint8_t *dst, int64_t to, int64_t to_step, const uint8_t *src, int64_t from,
                   int64_t from_step, uint64_t n)
{
    if (to_step == (int64_t)width && from_step == (int64_t)width) {
        hry_bits_copy(dst, to, src, from, n * width);
    } else if (to_step == (int64_t)width) {
        pack(width, dst, to, src, from, from_step, n);
    } else {
        for (uint64_t i = 0; i < n; i++, to += to_step, from += from_step)
            hry_bits_set(width, dst, to, hry_bits_get(width, src, from));
    }
}

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

void hry_bits_unpack(unsigned width, const uint8_t *src, int64_t from, size_t n, uint8_t *bytes)
{
    const spread s = spread_of(width);
    const uint8_t *p = src + (from >> 3);
    unsigned shift = (unsigned)from & 7;
    size_t held = (shift + n * width + 7) / 8, i = 0;
    for (; i + 8 <= n && i / 8 * width + 8 <= held; i += 8)
        hry_store64(bytes + i, open_up(s, hry_load64(p + i / 8 * width) >> shift));
    for (; i < n; i += 8) {
        uint8_t word[8] = { 0 };
        size_t some = n - i < 8 ? n - i : 8;
        hry_bits_copy(word, 0, p, (int64_t)(shift + i * width), some * width);
        hry_store64(word, open_up(s, hry_load64(word)));
        memcpy(bytes + i, word, some);
    }
}

void hry_bits_pack(unsigned width, const uint8_t *bytes, size_t n, uint8_t *dst, int64_t to)
{
    enum { SOME = 256 };
    const spread s = spread_of(width);
    while (n > 0) {
        uint8_t packed[SOME + 8];
        size_t some = n < SOME ? n : SOME;
        for (size_t i = 0; i < some; i += 8) {
            uint8_t word[8] = { 0 };
            memcpy(word, bytes + i, some - i < 8 ? some - i : 8);
            hry_store64(packed + i / 8 * width, close_up(s, hry_load64(word)));
        }
        hry_bits_copy(dst, to, packed, 0, some * width);
        bytes += some;
        to += (int64_t)(some * width);
        n -= some;
    }
}
