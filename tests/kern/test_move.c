/*
 * Kernels that move elements, at every level, against loops over bytes: on planes of any size and with gaps, at odd
 * addresses, forwards and backwards, and with not a byte read or written too many.
 */
#include "base/cpu.h"
#include "kern/guarded.h"
#include "kern/kern.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <string.h>

#define ROOM 32768 /* bytes */

static struct guarded in, out_ref, out;
static uint64_t seed = 8;

static const unsigned levels[] = { HRY_CPU_REF, HRY_CPU_AVX2, ~0u };
#define LEVELS (sizeof levels / sizeof *levels)

static struct hry_kern table[LEVELS];

static int setup(void **state)
{
    (void)state;
    for (size_t v = 0; v < LEVELS; v++)
        hry_kern_level(levels[v] & hry_cpu_features(), &table[v]);
    guarded_make(&in, ROOM);
    guarded_make(&out_ref, ROOM);
    guarded_make(&out, ROOM);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    guarded_free(&in);
    guarded_free(&out_ref);
    guarded_free(&out);
    return 0;
}

static uint32_t below(uint32_t bound)
{
    return random_bits(&seed) % bound;
}

typedef void transpose_fn(void *dst, int64_t dst_step, const void *src, int64_t src_step, size_t rows, size_t columns,
                          bool stream);

static const struct kernel {
    size_t offset, size;
} transposes[] = {
#define HRY_KERN(result, name, parameters)
#define HRY_KERN_TRANSPOSE(size) { offsetof(struct hry_kern, transpose_##size), size },
#include "kern/kern.inc"
#undef HRY_KERN
};

/* n places of nbytes each: the first of them, how far in its room, and their distance. Half of them in lines of 64. */
struct places {
    unsigned char *first;
    int64_t step;
    size_t span, slack, skip;
};

static struct places some_places(struct guarded *room, size_t n, size_t nbytes)
{
    struct places p = { .slack = below(100) };
    size_t apart = nbytes + (below(2) ? below(70) : 0);
    bool lines = below(2);
    apart = lines ? (apart + 63) / 64 * 64 : apart;
    p.span = n > 0 ? (n - 1) * apart + nbytes : 0;
    if (lines)
        p.slack = 64 * below(2) + (64 - p.span % 64) % 64;
    p.step = (int64_t)apart;
    if (n > 0 && below(4) == 0) {
        p.skip = (n - 1) * apart;
        p.step = -p.step;
    }
    p.first = (unsigned char *)guarded_end(room, p.span, p.slack) + p.skip;
    return p;
}

/* The same places in another room. */
static struct places like(const struct places *p, struct guarded *room)
{
    struct places twin = *p;
    twin.first = (unsigned char *)guarded_end(room, p->span, p->slack) + p->skip;
    return twin;
}

static void assert_same_room(const struct places *p)
{
    assert_memory_equal(out_ref.start, out.start, out.size);
    assert_true(guarded_is_intact(&out, p->span, p->slack));
}

static void transpose_once(const struct hry_kern *kern, const struct kernel *kernel, size_t rows, size_t columns)
{
    transpose_fn *fn;
    size_t size = kernel->size;
    memcpy(&fn, (const char *)kern + kernel->offset, sizeof fn);
    struct places src = some_places(&in, rows, columns * size), want = some_places(&out_ref, columns, rows * size);
    random_bytes(&seed, src.first - src.skip, src.span);
    struct places got = like(&want, &out);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            memcpy(want.first + (int64_t)j * want.step + i * size, src.first + (int64_t)i * src.step + j * size, size);
    fn(got.first, got.step, src.first, src.step, rows, columns, below(2));
    kern->stream_end();
    assert_same_room(&got);
}

static void copy_once(const struct hry_kern *kern, size_t rows, size_t nbytes)
{
    struct places src = some_places(&in, rows, nbytes), want = some_places(&out_ref, rows, nbytes);
    random_bytes(&seed, src.first - src.skip, src.span);
    struct places got = like(&want, &out);
    for (size_t i = 0; i < rows; i++)
        memcpy(want.first + (int64_t)i * want.step, src.first + (int64_t)i * src.step, nbytes);
    kern->copy_rows(got.first, got.step, src.first, src.step, rows, nbytes, below(2));
    kern->stream_end();
    assert_same_room(&got);
}

static void transposing(void **state)
{
    (void)state;
    for (size_t v = 0; v < LEVELS; v++)
        for (size_t t = 0; t < sizeof transposes / sizeof *transposes; t++)
            for (int i = 0; i < 400; i++) {
                size_t rows = below(140), most = 10000 / (rows * transposes[t].size + 140);
                size_t columns = below(4) == 0 ? below(8) : below(140);
                transpose_once(&table[v], &transposes[t], rows, columns < most ? columns : most);
            }
}

static void copying(void **state)
{
    (void)state;
    for (size_t v = 0; v < LEVELS; v++)
        for (int i = 0; i < 2000; i++) {
            size_t nbytes = below(4) == 0 ? (size_t)1 << below(6) : below(8) == 0 ? below(5000) : below(200);
            copy_once(&table[v], below((uint32_t)(15000 / (nbytes + 140))), nbytes);
        }
}

/* Element i is bits i * width on, of a string of bits. */
static void unpack_once(const struct hry_kern *kern, unsigned width, size_t n)
{
    size_t nbytes = (n * width + 7) / 8, slack = below(9);
    uint8_t *packed = guarded_end(&in, nbytes, slack), *again = guarded_end(&out_ref, nbytes, slack);
    uint8_t *bytes = guarded_end(&out, n, slack);
    random_bytes(&seed, packed, nbytes);
    kern->bits_unpack(width, packed, n, bytes);
    for (size_t i = 0; i < n; i++) {
        unsigned element = 0;
        for (unsigned b = 0; b < width; b++)
            element |= ((unsigned)packed[(i * width + b) / 8] >> (i * width + b) % 8 & 1) << b;
        assert_int_equal(bytes[i], element);
    }
    assert_true(guarded_is_intact(&out, n, slack));
    kern->bits_pack(width, bytes, n, again);
    if (n * width % 8)
        packed[nbytes - 1] &= (uint8_t)((1u << n * width % 8) - 1);
    assert_memory_equal(again, packed, nbytes);
    assert_true(guarded_is_intact(&out_ref, nbytes, slack));
}

static void unpacking(void **state)
{
    (void)state;
    for (size_t v = 0; v < LEVELS; v++)
        for (unsigned width = 1; width < 8; width++)
            for (size_t n = 0; n < 150; n++)
                unpack_once(&table[v], width, n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transposing),
        cmocka_unit_test(copying),
        cmocka_unit_test(unpacking),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
