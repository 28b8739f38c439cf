/*
 * Every variant of every kernel in kern.inc gives the bits of its C reference: on sizes around the vectors' ends, on
 * blocks that fill vectors and that do not, at odd addresses, and with not a byte read or written too many.
 */
#include "base/bytes.h"
#include "base/cpu.h"
#include "kern/guarded.h"
#include "kern/kern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

#define MOST 2600 /* elements */

static struct guarded in, out_ref, out, more_in[2];
static uint64_t seed = 20;

static const unsigned levels[] = { HRY_CPU_SSE42 | HRY_CPU_CLMUL, HRY_CPU_SSE42 | HRY_CPU_CLMUL | HRY_CPU_AVX2, ~0u };
#define LEVELS (sizeof levels / sizeof *levels)

static struct hry_kern ref, variants[LEVELS];

static int setup(void **state)
{
    (void)state;
    hry_kern_level(HRY_CPU_REF, &ref);
    for (size_t v = 0; v < LEVELS; v++)
        hry_kern_level(levels[v] & hry_cpu_features(), &variants[v]);
    guarded_make(&in, MOST * 8);
    guarded_make(&out_ref, MOST * 8);
    guarded_make(&out, MOST * 8);
    guarded_make(&more_in[0], MOST * 8);
    guarded_make(&more_in[1], MOST * 8);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    guarded_free(&in);
    guarded_free(&out_ref);
    guarded_free(&out);
    guarded_free(&more_in[0]);
    guarded_free(&more_in[1]);
    return 0;
}

/* The function of a table at offset, into *fn. */
static void take(const struct hry_kern *table, size_t offset, void *fn)
{
    memcpy(fn, (const char *)table + offset, sizeof(void (*)(void)));
}

static uint32_t below(uint32_t bound)
{
    return random_bits(&seed) % bound;
}

/* Mostly around the ends of vectors. */
static size_t some_count(void)
{
    return below(4) == 0 ? below(MOST) : below(3) == 0 ? 1000 + below(60) : below(80);
}

static size_t some_block(size_t n)
{
    static const size_t blocks[] = {
        1, 1, 2, 3, 4, 7, 8, 9, 16, 16, 31, 32, 32, 48, 64, 100, 128, 256, 1000, SIZE_MAX
    };
    size_t block = blocks[below(sizeof blocks / sizeof *blocks)];
    return below(8) == 0 && n > 0 ? n : block;
}

static size_t byte_count(unsigned bits, size_t n)
{
    return bits == 6 ? (n + 3) / 4 * 3 : (n * bits + 7) / 8;
}

/* A float of any bits, with the kinds that matter more often than chance would have them. */
static float some_float(bool finite)
{
    static const uint32_t special[] = { 0, 0x80000000, 1, 0x807FFFFF, 0x3F800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x00800000 };
    uint32_t bits = random_bits(&seed);
    switch (below(4)) {
    case 0:
        bits = special[below(8)];
        break;
    case 1: /* moderate */
        bits = (bits & 0x807FFFFF) | (117 + below(20)) << 23;
        break;
    case 2:
        if (!finite && below(4) == 0)
            bits |= 0x7F800000;
        if (!finite && below(8) == 0)
            bits = (bits & 0x80000000) | 0x7F800000;
        break;
    default:
        break;
    }
    if (finite && (bits & 0x7F800000) == 0x7F800000)
        bits ^= 0x40000000;
    return hry_f32_from_bits(bits);
}

static void assert_same_floats(const char *name, const void *expected, const void *found, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t a = hry_load32((const char *)expected + 4 * i), b = hry_load32((const char *)found + 4 * i);
        if (a != b)
            fail_msg("%s: element %zu of %zu is %08X, not %08X", name, i, n, b, a);
    }
}

struct row {
    const char *name;
    size_t offset;
    unsigned bits;
    bool affine;
};

/* --- conversions --- */

static const struct row widen_rows[] = {
#define HRY_KERN(result, name, parameters)
#define HRY_KERN_WIDEN(name, bits) { #name, offsetof(struct hry_kern, name), bits, false },
#include "kern/kern.inc"
#undef HRY_KERN
};

static const struct row narrow_rows[] = {
#define HRY_KERN(result, name, parameters)
#define HRY_KERN_NARROW(name, bits) { #name, offsetof(struct hry_kern, name), bits, false },
#include "kern/kern.inc"
#undef HRY_KERN
};

typedef void widen_fn(const void *src, size_t n, float *dst, bool stream);
typedef void narrow_fn(const float *src, size_t n, void *dst, bool stream);

static void widen_once(const struct row *row, size_t v, size_t n, size_t slack, bool stream)
{
    widen_fn *expected_fn, *fn;
    take(&ref, row->offset, &expected_fn);
    take(&variants[v], row->offset, &fn);
    size_t nbytes = byte_count(row->bits, n), out_slack = slack / 4 * 4;
    void *src = guarded_end(&in, nbytes, slack);
    random_bytes(&seed, src, nbytes);
    float *expected = guarded_end(&out_ref, 4 * n, out_slack), *found = guarded_end(&out, 4 * n, out_slack);
    expected_fn(src, n, expected, stream);
    fn(src, n, found, stream);
    variants[v].stream_end();
    assert_memory_equal(expected, found, 4 * n);
    assert_true(guarded_is_intact(&out, 4 * n, out_slack));
}

static void widening(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof widen_rows / sizeof *widen_rows; r++)
        for (size_t v = 0; v < LEVELS; v++)
            for (int i = 0; i < 300; i++)
                widen_once(&widen_rows[r], v, some_count(), below(70), below(2));
}

static void narrow_once(const struct row *row, size_t v, size_t n, size_t slack, bool stream)
{
    narrow_fn *expected_fn, *fn;
    take(&ref, row->offset, &expected_fn);
    take(&variants[v], row->offset, &fn);
    size_t nbytes = byte_count(row->bits, n), in_slack = slack / 4 * 4;
    float *src = guarded_end(&in, 4 * n, in_slack);
    for (size_t i = 0; i < n; i++)
        src[i] = some_float(false);
    void *expected = guarded_end(&out_ref, nbytes, slack), *found = guarded_end(&out, nbytes, slack);
    expected_fn(src, n, expected, stream);
    fn(src, n, found, stream);
    variants[v].stream_end();
    for (size_t i = 0; i < nbytes; i++)
        if (((unsigned char *)expected)[i] != ((unsigned char *)found)[i])
            fail_msg("%s: byte %zu is %02X, not %02X; source %08X", row->name, i, ((unsigned char *)found)[i],
                     ((unsigned char *)expected)[i], hry_f32_bits(src[i * 8 / row->bits]));
    assert_true(guarded_is_intact(&out, nbytes, slack));
}

static void narrowing(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof narrow_rows / sizeof *narrow_rows; r++)
        for (size_t v = 0; v < LEVELS; v++)
            for (int i = 0; i < 1000; i++)
                narrow_once(&narrow_rows[r], v, some_count(), below(70), below(2));
}

/* Every code of 16 bits, and floats on and beside every tie of the narrower formats. */
static void all_codes_and_ties(void **state)
{
    (void)state;
    static const uint16_t low[] = {
        0, 1, 0x0FFF, 0x1000, 0x1001, 0x2FFF, 0x3000, 0x3001, 0x7FFF, 0x8000, 0x8001, 0xFFFF
    };
    enum { CODES = 65536, FLOATS = CODES * sizeof low / sizeof *low };
    static uint16_t codes[CODES];
    static float floats[FLOATS];
    static uint8_t expected[FLOATS * 4], found[FLOATS * 4];
    for (size_t i = 0; i < CODES; i++)
        hry_store16(&codes[i], (uint16_t)i);
    for (size_t i = 0; i < FLOATS; i++)
        floats[i] = hry_f32_from_bits((uint32_t)(i % CODES) << 16 | low[i / CODES]);
    for (size_t v = 0; v < LEVELS; v++) {
        for (size_t r = 0; r < sizeof widen_rows / sizeof *widen_rows; r++) {
            widen_fn *expected_fn, *fn;
            take(&ref, widen_rows[r].offset, &expected_fn);
            take(&variants[v], widen_rows[r].offset, &fn);
            expected_fn(codes, CODES, (float *)(void *)expected, false);
            fn(codes, CODES, (float *)(void *)found, false);
            assert_same_floats(widen_rows[r].name, expected, found, CODES);
        }
        for (size_t r = 0; r < sizeof narrow_rows / sizeof *narrow_rows; r++) {
            narrow_fn *expected_fn, *fn;
            take(&ref, narrow_rows[r].offset, &expected_fn);
            take(&variants[v], narrow_rows[r].offset, &fn);
            expected_fn(floats, FLOATS, expected, false);
            fn(floats, FLOATS, found, false);
            assert_int_equal(memcmp(expected, found, byte_count(narrow_rows[r].bits, FLOATS)), 0);
        }
    }
}

/* --- dequantization --- */

static const struct row dequant_rows[] = {
#define HRY_KERN(result, name, parameters)
#define HRY_KERN_DEQUANT(name, bits, affine) { #name, offsetof(struct hry_kern, dequant_##name), bits, affine },
#include "kern/kern.inc"
#undef HRY_KERN
};

typedef void dequant_fn(const void *q, size_t n, size_t block, const float *scale, const int32_t *zp, float *dst,
                        bool stream);

static int32_t some_zero_point(unsigned bits)
{
    static const int32_t edges[] = { INT32_MIN, INT32_MAX, 1 << 23, -(1 << 23), (1 << 23) + 1, (1 << 26) + 3, -1, 0 };
    return below(12) == 0 ? edges[below(8)] : (int32_t)(random_bits(&seed) >> (32 - (bits < 24 ? bits : 24)));
}

static void dequant_once(const struct row *row, size_t v, size_t n, size_t block, size_t slack, bool stream)
{
    dequant_fn *expected_fn, *fn;
    take(&ref, row->offset, &expected_fn);
    take(&variants[v], row->offset, &fn);
    size_t nbytes = byte_count(row->bits, n), out_slack = slack / 4 * 4;
    size_t blocks = n == 0 ? 0 : (n - 1) / block + 1;
    void *q = guarded_end(&in, nbytes, slack);
    random_bytes(&seed, q, nbytes);
    float *scale = guarded_end(&more_in[0], 4 * blocks, 0);
    int32_t *zp = row->affine && below(3) ? guarded_end(&more_in[1], 4 * blocks, 0) : NULL;
    bool wide = below(2);
    for (size_t b = 0; b < blocks; b++) {
        scale[b] = some_float(true);
        if (zp)
            zp[b] = wide ? some_zero_point(row->bits) : (int32_t)below(1u << (row->bits < 16 ? row->bits : 16));
    }
    float *expected = guarded_end(&out_ref, 4 * n, out_slack), *found = guarded_end(&out, 4 * n, out_slack);
    expected_fn(q, n, block, scale, zp, expected, stream);
    fn(q, n, block, scale, zp, found, stream);
    variants[v].stream_end();
    assert_same_floats(row->name, expected, found, n);
    assert_true(guarded_is_intact(&out, 4 * n, out_slack));
}

static void dequantizing(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof dequant_rows / sizeof *dequant_rows; r++)
        for (size_t v = 0; v < LEVELS; v++)
            for (int i = 0; i < 1000; i++) {
                size_t n = some_count();
                dequant_once(&dequant_rows[r], v, n, some_block(n), below(70), below(2));
            }
}

/* --- quantization --- */

static const struct row quant_rows[] = {
#define HRY_KERN(result, name, parameters)
#define HRY_KERN_QUANT(name, bits, affine) { #name, offsetof(struct hry_kern, quant_##name), bits, affine },
#include "kern/kern.inc"
#undef HRY_KERN
};

typedef void quant_fn(const float *x, size_t n, size_t block, const float *scale, const int32_t *zp, int64_t lo,
                      int64_t hi, void *q);

/* A zero point and bounds that the type can have, the bounds sometimes symmetric. */
static void some_bounds(const struct row *row, int64_t *lo, int64_t *hi)
{
    bool is_signed = row->name[0] == 'i';
    *lo = is_signed ? -(INT64_C(1) << (row->bits - 1)) : 0;
    *hi = (INT64_C(1) << (row->bits - is_signed)) - 1;
    if (is_signed && below(2))
        *lo = -*hi;
}

static int32_t within(int64_t lo, int64_t hi)
{
    int64_t zp = below(8) == 0 ? lo : below(8) == 0 ? hi : lo + (int64_t)(random_bits(&seed) % (uint64_t)(hi - lo + 1));
    return (int32_t)(zp > INT32_MAX ? INT32_MAX : zp);
}

/* Scales that the type can have: powers of two for the small floats, and for NF4 also 0. */
static float some_scale(const struct row *row)
{
    if (row->affine)
        return hry_f32_from_bits((below(2) << 31) | (100 + below(50)) << 23 | (random_bits(&seed) & 0x7FFFFF));
    if (strcmp(row->name, "nf4") == 0)
        return below(6) == 0 ? 0 : hry_f32_from_bits((100 + below(50)) << 23 | (random_bits(&seed) & 0x7FFFFF));
    return hry_f32_from_bits((below(8) == 0 ? 1 + below(254) : 110 + below(40)) << 23);
}

/* x near the middle of what a scale covers, or anything; also ties. */
static float some_x(float scale, bool any)
{
    if (any && below(4) == 0)
        return some_float(true);
    float x = scale * ((float)(int32_t)random_bits(&seed) / (float)(1u << (8 + below(24))));
    return below(4) == 0 ? scale * ((float)below(300) - 150) / 2 : x;
}

static void quant_once(const struct row *row, size_t v, size_t n, size_t block, size_t slack)
{
    quant_fn *expected_fn, *fn;
    take(&ref, row->offset, &expected_fn);
    take(&variants[v], row->offset, &fn);
    size_t nbytes = byte_count(row->bits, n), in_slack = slack / 4 * 4, blocks = n == 0 ? 0 : (n - 1) / block + 1;
    int64_t lo, hi;
    some_bounds(row, &lo, &hi);
    float *x = guarded_end(&in, 4 * n, in_slack), *scale = guarded_end(&more_in[0], 4 * blocks, 0);
    int32_t *zp = row->affine && below(3) ? guarded_end(&more_in[1], 4 * blocks, 0) : NULL;
    bool any = below(2);
    for (size_t b = 0; b < blocks; b++) {
        scale[b] = some_scale(row);
        if (zp)
            zp[b] = within(lo, hi);
    }
    for (size_t i = 0; i < n; i++)
        x[i] = some_x(scale[i / block], any);
    if (row->affine && n > 0 && below(4) == 0)
        x[below((uint32_t)n)] = hry_f32_from_bits(0x7FC00000 | below(2) << 31);
    unsigned char *expected = guarded_end(&out_ref, nbytes, slack), *found = guarded_end(&out, nbytes, slack);
    expected_fn(x, n, block, scale, zp, lo, hi, expected);
    fn(x, n, block, scale, zp, lo, hi, found);
    for (size_t i = 0; i < nbytes; i++)
        if (expected[i] != found[i])
            fail_msg("quant_%s: byte %zu of %zu is %02X, not %02X", row->name, i, nbytes, found[i], expected[i]);
    assert_true(guarded_is_intact(&out, nbytes, slack));
    if (n % 8 != 0 && row->bits < 8 && row->bits != 6)
        assert_int_equal(expected[nbytes - 1] >> ((n * row->bits - 1) % 8 + 1), 0);
}

static void quantizing(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof quant_rows / sizeof *quant_rows; r++)
        for (size_t v = 0; v < LEVELS; v++)
            for (int i = 0; i < 1000; i++) {
                size_t n = some_count();
                quant_once(&quant_rows[r], v, n, some_block(n), below(70));
            }
}

/* --- reductions --- */

/* Floats with a mixture of signs, sometimes one that is not finite. */
static float *some_floats(size_t n, size_t slack)
{
    float *x = guarded_end(&in, 4 * n, slack);
    for (size_t i = 0; i < n; i++)
        x[i] = some_float(true);
    if (n > 0 && below(3) == 0)
        x[below((uint32_t)n)] = hry_f32_from_bits(0x7F800000 | below(2) << 31 | below(3));
    return x;
}

static void reduce_once(size_t v, size_t n, size_t block, size_t slack)
{
    size_t blocks = n == 0 ? 0 : (n - 1) / block + 1;
    const float *x = some_floats(n, slack);
    float *expected = guarded_end(&out_ref, 4 * blocks, 0), *found = guarded_end(&out, 4 * blocks, 0);
    bool finite = ref.absmax(x, n, block, expected);
    assert_int_equal(variants[v].absmax(x, n, block, found), finite);
    if (finite)
        assert_same_floats("absmax", expected, found, blocks);
    assert_true(guarded_is_intact(&out, 4 * blocks, 0));

    float *expected_hi = guarded_end(&more_in[0], 4 * blocks, 0), *found_hi = guarded_end(&more_in[1], 4 * blocks, 0);
    assert_int_equal(ref.range(x, n, block, expected, expected_hi), finite);
    assert_int_equal(variants[v].range(x, n, block, found, found_hi), finite);
    if (finite) {
        assert_same_floats("range", expected, found, blocks);
        assert_same_floats("range", expected_hi, found_hi, blocks);
    }
    assert_true(guarded_is_intact(&out, 4 * blocks, 0) && guarded_is_intact(&more_in[1], 4 * blocks, 0));
}

static void reduce_each_once(size_t v, size_t n, size_t slack)
{
    float *expected = guarded_end(&out_ref, 4 * n, slack), *found = guarded_end(&out, 4 * n, slack);
    float *expected_hi = guarded_end(&more_in[0], 4 * n, slack), *found_hi = guarded_end(&more_in[1], 4 * n, slack);
    memset(expected, 0, 4 * n);
    memset(found, 0, 4 * n);
    bool finite = true;
    for (int line = 0; line < 3; line++) {
        const float *x = some_floats(n, slack);
        bool this_finite = ref.absmax_each(x, n, expected);
        assert_int_equal(variants[v].absmax_each(x, n, found), this_finite);
        finite &= this_finite;
    }
    if (finite)
        assert_same_floats("absmax_each", expected, found, n);
    memset(expected, 0, 4 * n);
    memset(found, 0, 4 * n);
    memset(expected_hi, 0, 4 * n);
    memset(found_hi, 0, 4 * n);
    finite = true;
    for (int line = 0; line < 3; line++) {
        const float *x = some_floats(n, slack);
        bool this_finite = ref.range_each(x, n, expected, expected_hi);
        assert_int_equal(variants[v].range_each(x, n, found, found_hi), this_finite);
        finite &= this_finite;
    }
    if (finite) {
        assert_same_floats("range_each", expected, found, n);
        assert_same_floats("range_each", expected_hi, found_hi, n);
    }
    assert_true(guarded_is_intact(&out, 4 * n, slack) && guarded_is_intact(&more_in[1], 4 * n, slack));
}

static void reducing(void **state)
{
    (void)state;
    for (size_t v = 0; v < LEVELS; v++)
        for (int i = 0; i < 2000; i++) {
            size_t n = some_count();
            reduce_once(v, n, some_block(n), below(17) * 4);
            reduce_each_once(v, some_count(), below(17) * 4);
        }
}

/* --- squares --- */

static const struct row square_rows[] = {
#define HRY_KERN(result, name, parameters)
#define HRY_KERN_SQUARE(bytes) { #bytes, offsetof(struct hry_kern, square_put_##bytes), 8 * bytes, false },
#include "kern/kern.inc"
#undef HRY_KERN
};

typedef void put_fn(const void *rows, ptrdiff_t pitch, const struct hry_square *square, void *run, bool stream);
typedef void get_fn(const void *run, const struct hry_square *square, void *rows, ptrdiff_t pitch, bool stream);

static void shuffle(uint8_t *numbers)
{
    for (uint8_t i = 0; i < 16; i++) {
        uint32_t other = below(i + 1u);
        numbers[i] = numbers[other];
        numbers[other] = i;
    }
}

/* Both directions; what lies between rows stays as it is. */
static void square_once(const struct row *row, size_t v, ptrdiff_t pitch, size_t slack, bool stream)
{
    size_t bytes = row->bits / 8, span = 15 * (size_t)llabs(pitch) + 16 * bytes, nbytes = 256 * bytes;
    size_t first = pitch < 0 ? 15 * (size_t)-pitch : 0, get = row->offset + sizeof(put_fn *);
    struct hry_square square;
    put_fn *expected_put, *put;
    get_fn *expected_get, *got;
    take(&ref, row->offset, &expected_put);
    take(&variants[v], row->offset, &put);
    take(&ref, get, &expected_get);
    take(&variants[v], get, &got);
    shuffle(square.place);
    for (int i = 0; i < 16; i++)
        shuffle(square.from[i]);

    uint8_t *src = guarded_end(&in, span, slack);
    random_bytes(&seed, src, span);
    uint8_t *expected = guarded_end(&out_ref, nbytes, slack), *found = guarded_end(&out, nbytes, slack);
    expected_put(src + first, pitch, &square, expected, stream);
    put(src + first, pitch, &square, found, stream);
    variants[v].stream_end();
    assert_memory_equal(expected, found, nbytes);
    assert_true(guarded_is_intact(&out, nbytes, slack));

    src = guarded_end(&in, nbytes, slack);
    random_bytes(&seed, src, nbytes);
    expected = guarded_end(&out_ref, span, slack);
    found = guarded_end(&out, span, slack);
    memset(expected, 0x5A, span);
    memset(found, 0x5A, span);
    expected_get(src, &square, expected + first, pitch, stream);
    got(src, &square, found + first, pitch, stream);
    variants[v].stream_end();
    assert_memory_equal(expected, found, span);
    assert_true(guarded_is_intact(&out, span, slack));
}

static void squares(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof square_rows / sizeof *square_rows; r++)
        for (size_t v = 0; v < LEVELS; v++)
            for (int i = 0; i < 300; i++) {
                size_t bytes = square_rows[r].bits / 8;
                ptrdiff_t pitch = (ptrdiff_t)(below(2) ? 16 * bytes + below(60) : 64 * (2 + below(16)));
                square_once(&square_rows[r], v, below(4) ? pitch : -pitch, below(3) ? 0 : below(70), below(2));
            }
}

/* --- the list itself --- */

/* Kernels of no family, compared above or in a test of their own. */
static const char *const single[] = { "crc32c",      "absmax",      "range",        "absmax_each", "range_each",
                                      "moments_f32", "moments_f64", "most_ones",    "stream_end",  "nonzero_bits",
                                      "pick_ones",   "move_out",    "copy_rows",    "transpose_1", "transpose_2",
                                      "transpose_4", "transpose_8", "transpose_16", "bits_unpack", "bits_pack" };

static void every_kernel_is_tested(void **state)
{
    (void)state;
    static const char *const all[] = {
#define HRY_KERN(result, name, parameters) #name,
#include "kern/kern.inc"
#undef HRY_KERN
    };
    size_t tested = sizeof widen_rows / sizeof *widen_rows + sizeof narrow_rows / sizeof *narrow_rows +
                    sizeof dequant_rows / sizeof *dequant_rows + sizeof quant_rows / sizeof *quant_rows +
                    2 * (sizeof square_rows / sizeof *square_rows) + sizeof single / sizeof *single;
    assert_int_equal(tested, sizeof all / sizeof *all);
    for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
        size_t k = 0;
        while (strcmp(single[i], all[k]) != 0)
            assert_in_range(++k, 1, sizeof all / sizeof *all - 1);
    }
    /* A table is full at every level. */
    for (size_t v = 0; v < LEVELS; v++)
        for (size_t i = 0; i < sizeof(struct hry_kern); i += sizeof(void (*)(void))) {
            void (*fn)(void);
            take(&variants[v], i, &fn);
            assert_non_null(fn);
        }
    assert_ptr_equal(hry_kern(), hry_kern());
    struct hry_kern here;
    hry_kern_level(hry_cpu_features(), &here);
    assert_memory_equal(hry_kern(), &here, sizeof here);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widening),
        cmocka_unit_test(narrowing),
        cmocka_unit_test(all_codes_and_ties),
        cmocka_unit_test(dequantizing),
        cmocka_unit_test(quantizing),
        cmocka_unit_test(reducing),
        cmocka_unit_test(squares),
        cmocka_unit_test(every_kernel_is_tested),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
