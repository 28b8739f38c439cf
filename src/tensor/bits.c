#include "tensor/bits.h"

#include "base/bytes.h"
#include "kern/kern.h"

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

/* Kernels begin with whole bytes: what does not is copied first. */
enum { SOME = 512 };

void hry_bits_unpack(unsigned width, const uint8_t *src, int64_t from, size_t n, uint8_t *bytes)
{
    const struct hry_kern *kern = hry_kern();
    while (n > 0) {
        uint8_t room[SOME];
        const uint8_t *packed = src + (from >> 3);
        size_t some = n < SOME ? n : SOME;
        if (from & 7) {
            hry_bits_copy(room, 0, src, from, some * width);
            packed = room;
        }
        kern->bits_unpack(width, packed, some, bytes);
        bytes += some;
        from += (int64_t)(some * width);
        n -= some;
    }
}

void hry_bits_pack(unsigned width, const uint8_t *bytes, size_t n, uint8_t *dst, int64_t to)
{
    const struct hry_kern *kern = hry_kern();
    while (n > 0) {
        uint8_t room[SOME];
        size_t some = n < SOME ? n : SOME;
        bool whole = (to & 7) == 0 && some * width % 8 == 0;
        kern->bits_pack(width, bytes, some, whole ? dst + (to >> 3) : room);
        if (!whole)
            hry_bits_copy(dst, to, room, 0, some * width);
        bytes += some;
        to += (int64_t)(some * width);
        n -= some;
    }
}
