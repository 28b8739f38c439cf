/*
 * GGUF beside its limits: blocks parted and put together against a copy in memory, opening against the clock,
 * conversion there and back against a plain copy of the same bytes with the same sync.
 */
#include "bench.h"
#include "file_pairs.h"
#include "interop/gguf/gguf_decode.h"
#include "interop/gguf/gguf_forms.h"

#include <hurray/interop.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Blocks ---- */

typedef struct blocks {
    const hry_gguf_form *form;
    uint8_t *blocks, *codes, *scales;
    size_t count;
} blocks;

static void part_codes(void *arg)
{
    blocks *b = arg;
    if (b->form->take_codes(b->blocks, b->count, b->codes) != b->count)
        bench_stop("a block cannot be held");
    bench_keep(b->codes);
}

static void part_both(void *arg)
{
    blocks *b = arg;
    part_codes(b);
    b->form->take_scales(b->blocks, b->count, b->scales);
    bench_keep(b->scales);
}

static void join(void *arg)
{
    blocks *b = arg;
    b->form->give(b->codes, b->scales, b->count, false, b->blocks);
    bench_keep(b->blocks);
}

/* Scales and codes of 1 and of changing small numbers: what most real blocks are like. */
static void make_blocks(const hry_gguf_type *type, uint8_t *at, size_t count)
{
    for (size_t b = 0; b < count; b++)
        for (size_t k = 0; k < type->bytes; k++)
            *at++ = ((k * 29 + b * 7) & 0x3B) | 1;
}

/* A rate counts the bytes of the blocks; the limit is a copy, of which it is half, read and written. */
static void repack(uint32_t id, enum bench_place place, double goal)
{
    const hry_gguf_type *type = hry_gguf_type_of(id);
    size_t nbytes = (place == BENCH_L2 ? BENCH_L2_BYTES : BENCH_DRAM_BYTES) / 2, room = nbytes * 4;
    blocks b = { .form = hry_gguf_form_of(id), .count = nbytes / type->bytes };
    b.blocks = bench_memory(nbytes);
    b.codes = bench_memory(room);
    b.scales = bench_memory(room);
    make_blocks(type, b.blocks, b.count);
    double limit = bench_limits()->copy[place] / 2, size = (double)(b.count * type->bytes);
    char name[64];
    const char *where = place == BENCH_L2 ? "L2" : "DRAM";
    snprintf(name, sizeof name, "%s, codes, %s", type->name, where);
    bench_rate_absolute(name, size / bench_seconds(part_codes, &b), "copy", limit, goal);
    snprintf(name, sizeof name, "%s, codes and scales, %s", type->name, where);
    bench_rate_absolute(name, size / bench_seconds(part_both, &b), "copy", limit, goal);
    if (b.form->give) {
        snprintf(name, sizeof name, "%s, put together, %s", type->name, where);
        bench_rate_absolute(name, size / bench_seconds(join, &b), "copy", limit, goal);
    }
    free(b.blocks);
    free(b.codes);
    free(b.scales);
}

static void repacking(void)
{
    bench_title("blocks of GGUF: bytes of blocks");
    repack(HRY_GGUF_Q4_0, BENCH_L2, 5e9);
    repack(HRY_GGUF_Q4_0, BENCH_DRAM, 5e9);
    repack(HRY_GGUF_Q8_0, BENCH_DRAM, 0);
    repack(HRY_GGUF_MXFP4, BENCH_DRAM, 0);
    repack(HRY_GGUF_Q5_0, BENCH_L2, 0);
    repack(HRY_GGUF_Q6_K, BENCH_L2, 0);
}

/* ---- Files ---- */

static void put_u32(FILE *file, uint32_t x)
{
    bench_put(file, &(uint8_t[4]){ (uint8_t)x, (uint8_t)(x >> 8), (uint8_t)(x >> 16), (uint8_t)(x >> 24) }, 4);
}

static void put_u64(FILE *file, uint64_t x)
{
    put_u32(file, (uint32_t)x);
    put_u32(file, (uint32_t)(x >> 32));
}

/* count tensors of a type, rows of 256 elements; their data are a hole, or changing bytes. */
static const char *make_model(const char *name, uint32_t id, size_t count, uint64_t rows, int filled, size_t *nbytes)
{
    const hry_gguf_type *type = hry_gguf_type_of(id);
    const char *path = bench_in_folder(name);
    FILE *file = fopen(path, "wb");
    if (!file)
        bench_stop(strerror(errno));
    uint64_t size = rows * (256 / type->elements) * type->bytes, step = (size + 31) / 32 * 32;
    bench_put(file, "GGUF", 4);
    put_u32(file, 3);
    put_u64(file, count);
    put_u64(file, 0);
    for (size_t i = 0; i < count; i++) {
        char tensor[64];
        int n = snprintf(tensor, sizeof tensor, "blk.%zu.ffn_down.weight", i);
        put_u64(file, (uint64_t)n);
        bench_put(file, tensor, (size_t)n);
        put_u32(file, 2);
        put_u64(file, 256);
        put_u64(file, rows);
        put_u32(file, id);
        put_u64(file, i * step);
    }
    long at = ftell(file);
    for (; at % 32; at++)
        bench_put(file, "", 1);
    *nbytes = (size_t)at + count * step;
    uint8_t *one = malloc(step);
    if (!one)
        bench_stop("no memory");
    memset(one, 0, step);
    for (uint64_t b = 0; b < size / type->bytes; b++)
        make_blocks(type, one + b * type->bytes, 1);
    for (size_t i = 0; i < count && filled; i++)
        bench_put(file, one, step);
    free(one);
    if (!filled && (fflush(file) || ftruncate(fileno(file), (off_t)*nbytes)))
        bench_stop(strerror(errno));
    bench_close(file);
    return path;
}

static void to_container(const char *from, const char *to)
{
    hry_error err;
    hry_file *file;
    if (hry_gguf_open(from, &(hry_import_options){ .whole_record = true }, &file, &err))
        bench_stop(err.message);
    bench_to_container(file, to);
}

static void from_container(const char *from, const char *to)
{
    hry_error err;
    hry_file *file;
    if (hry_file_open(from, NULL, &file, &err) ||
        hry_gguf_save(file, to, &(hry_export_options){ .replace = true }, &err))
        bench_stop(err.message);
    hry_file_close(file);
}

static void conversions(void)
{
    static const struct {
        uint32_t id;
        uint64_t rows;
        const char *there, *back;
        double goal;
    } cases[] = { { HRY_GGUF_F32, 40960, "F32 to .hrry", ".hrry to F32", 0.8 },
                  { HRY_GGUF_Q4_0, 290000, "Q4_0 to .hrry", ".hrry to Q4_0", 0 },
                  { HRY_GGUF_Q8_0, 150000, "Q8_0 to .hrry", ".hrry to Q8_0", 0 } };
    bench_title("GGUF, 240 MiB");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t nbytes;
        const char *container = bench_in_folder("model.hrry");
        const char *model = make_model("model.gguf", cases[i].id, 6, cases[i].rows, 1, &nbytes);
        bench_pairs(cases[i].there, to_container, model, nbytes, cases[i].goal);
        to_container(model, container);
        bench_pairs(cases[i].back, from_container, container, nbytes, cases[i].goal);
    }
}

/* ---- Opening ---- */

static void open_once(void *arg)
{
    hry_error err;
    hry_file *file;
    if (hry_gguf_open(arg, NULL, &file, &err))
        bench_stop(err.message);
    hry_file_close(file);
}

static void openings(void)
{
    size_t nbytes;
    bench_title("opening GGUF");
    const char *thousand = make_model("thousand", HRY_GGUF_F32, 1000, 1, 0, &nbytes);
    bench_time("1,000 tensors", bench_seconds(open_once, (void *)(uintptr_t)thousand), 0);
    const char *many = make_model("many", HRY_GGUF_Q5_0, 100000, 1, 0, &nbytes);
    bench_time("100,000 tensors of Q5_0", bench_seconds(open_once, (void *)(uintptr_t)many), 0.01);
    many = make_model("many", HRY_GGUF_F32, 100000, 1, 0, &nbytes);
    bench_time("100,000 tensors of F32", bench_seconds(open_once, (void *)(uintptr_t)many), 0.01);
}

int main(void)
{
    bench_print_limits();
    repacking();
    bench_folder_begin();
    openings();
    conversions();
    bench_folder_end();
    return bench_end();
}
