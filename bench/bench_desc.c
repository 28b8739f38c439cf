/* Descriptors: verifying and reading them, one over and over or many different ones; encoding with verification. */
#include "base/bytes.h"
#include "bench.h"

#include <hurray/desc.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 1000, MANY = 100000, LONGEST = 320 };

static uint64_t sum;

/* What a reader wants of a plain tensor: shape, type, buffer. */
static void read_view(const hry_desc *desc)
{
    hry_buffer b;
    for (uint32_t k = 0; k < hry_desc_rank(desc); k++)
        sum += hry_desc_dim(desc, k);
    if (hry_desc_buffer(desc, 0, &b))
        sum += b.byte_size + hry_desc_type(desc) + hry_desc_byte_offset(desc);
}

typedef struct one {
    uint8_t bytes[LONGEST];
    size_t nbytes;
} one;

static void parse_one(void *arg)
{
    const one *d = arg;
    hry_desc desc;
    for (int i = 0; i < CALLS; i++) {
        if (hry_desc_parse(d->bytes, d->nbytes, NULL, &desc, NULL))
            exit(2);
        read_view(&desc);
    }
    bench_keep(&sum);
}

/* The floor: nothing but the 61 bytes of a rank-2 float32 tensor, checked by hand. */
static void parse_by_hand(void *arg)
{
    const one *d = arg;
    for (int i = 0; i < CALLS; i++) {
        bench_keep(d);
        const uint8_t *p = d->bytes;
        uint64_t rows = hry_load64(p + 20), columns = hry_load64(p + 28), count;
        if (d->nbytes < 61 || hry_load64(p) != 0x003D000159525248 || hry_load64(p + 8) != 0x0103000000000000 ||
            hry_load32(p + 16) != 2 || hry_load64(p + 36) != 0 || p[44] != 1 || hry_load64(p + 53) != 64 ||
            rows - 1 >= UINT64_MAX - 1 || columns - 1 >= UINT64_MAX - 1 ||
            __builtin_mul_overflow(rows, columns, &count) || count > UINT64_MAX / 4 || 4 * count > hry_load64(p + 45))
            exit(2);
        sum += rows + columns + hry_load64(p + 45);
    }
    bench_keep(&sum);
}

typedef struct many {
    uint8_t *bytes;
    uint32_t *start; /* MANY, and the end */
} many;

static void parse_many(void *arg)
{
    const many *m = arg;
    hry_desc desc;
    for (uint32_t i = 0; i < MANY; i++) {
        if (hry_desc_parse(m->bytes + m->start[i], m->start[i + 1] - m->start[i], NULL, &desc, NULL))
            exit(2);
        read_view(&desc);
    }
    bench_keep(&sum);
}

static void encode(void *arg)
{
    const hry_desc_spec *spec = arg;
    uint8_t bytes[LONGEST];
    hry_desc desc;
    for (int i = 0; i < CALLS; i++) {
        bench_keep(spec);
        if (hry_desc_encode(spec, NULL, bytes, sizeof bytes, &desc, NULL))
            exit(2);
        bench_keep(bytes);
    }
}

/* Weights as models have them: of a few types, rank 1 to 4, all of different sizes. */
static void make_many(many *m)
{
    static const uint8_t types[] = { HRY_TYPE_FLOAT32, HRY_TYPE_BFLOAT16, HRY_TYPE_FLOAT16, HRY_TYPE_INT8,
                                     HRY_TYPE_INT64,   HRY_TYPE_UINT8,    HRY_TYPE_FLOAT64, HRY_TYPE_FLOAT8_E4M3 };
    uint64_t state = 88172645463325252u;
    hry_error err;
    hry_desc desc;
    m->bytes = bench_memory((size_t)MANY * 80);
    m->start = bench_memory((MANY + 1) * sizeof *m->start);
    m->start[0] = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        const uint64_t shape[] = { 1 + state % 4096, 1 + (state >> 12) % 4096, 1 + (state >> 24) % 64, 1 + i % 7 };
        const hry_desc_spec spec = { .type = types[(state >> 40) % 8], .rank = 1 + (state >> 44) % 4, .shape = shape };
        bench_must(hry_desc_encode(&spec, NULL, m->bytes + m->start[i], 80, &desc, &err), &err);
        m->start[i + 1] = m->start[i] + desc.length;
    }
}

static void make_one(one *d, const hry_desc_spec *spec)
{
    hry_error err;
    hry_desc desc;
    bench_must(hry_desc_encoded_length(spec, &d->nbytes, &err), &err);
    bench_must(hry_desc_encode(spec, NULL, d->bytes, sizeof d->bytes, &desc, &err), &err);
}

int main(void)
{
    static const uint64_t shape[] = { 3, 4, 5, 6 }, parent[] = { 6, 4, 5, 6 }, offset[] = { 3, 0, 0, 0 };
    static const hry_buffer buffers[] = { { .byte_size = 48 } };
    static const hry_quantization q = {
        .scheme = HRY_SCHEME_PER_CHANNEL, .axis = 1, .scale_buffer_index = 1, .zero_point_buffer_index = 2
    };
    static const hry_statistics statistics = { .computed_mask = HRY_STATS_NNZ, .nnz = 300 };
    static hry_desc_spec plain = { .type = HRY_TYPE_FLOAT32, .rank = 2, .shape = shape };
    static hry_desc_spec given = {
        .type = HRY_TYPE_FLOAT32, .rank = 2, .shape = shape, .buffers = buffers, .buffer_count = 1
    };
    static const hry_desc_spec full = { .type = HRY_TYPE_INT8,
                                        .rank = 4,
                                        .shape = shape,
                                        .quantization = &q,
                                        .parent_shape = parent,
                                        .shard_offset = offset,
                                        .statistics = &statistics };
    one d;
    many m;
    make_one(&d, &plain);
    bench_title("descriptors");
    bench_time("rank 2, checked by hand", bench_seconds(parse_by_hand, &d) / CALLS, 0);
    bench_time("verify and read, rank 2", bench_seconds(parse_one, &d) / CALLS, 15e-9);
    make_many(&m);
    bench_time("verify and read, 100,000 different ones", bench_seconds(parse_many, &m) / MANY, 30e-9);
    make_one(&d, &full);
    bench_time("verify, 269 bytes with three sections", bench_seconds(parse_one, &d) / CALLS, 0);
    bench_time("encode and verify, rank 2", bench_seconds(encode, &given) / CALLS, 25e-9);
    bench_time("the same, sizes of buffers left to the library", bench_seconds(encode, &plain) / CALLS, 0);
    free(m.bytes);
    free(m.start);
    return bench_end();
}
