#include "interop/gguf_model.h"
#include "interop/gguf_formulas.h"
#include "interop/st_model.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const hry_export_options gguf_quick = { .replace = true, .no_sync = true };
const hry_export_options gguf_strict = { .strict = true, .replace = true, .no_sync = true };
const hry_allow gguf_all = { .all = true };

hry_status gguf_to_container(hry_file *file, const char *path, hry_error *err)
{
    hry_writer *writer = NULL;
    hry_status status = hry_writer_create(
        path,
        &(hry_writer_options){ .replace = true, .no_sync = true, .parse = { .allow = &gguf_all, .permissive = true } },
        &writer, err);
    for (uint64_t i = 0; i < hry_file_kv_count(file) && !status; i++) {
        const hry_kv *kv = hry_file_kv_at(file, i);
        status = hry_writer_kv(writer, kv->key.ptr, kv->key.len, &kv->value, err);
    }
    for (uint64_t i = 0; i < hry_file_count(file) && !status; i++) {
        hry_str name = hry_file_name(file, i);
        status = hry_writer_copy(writer, name.ptr, name.len, file, i, err);
    }
    if (!status)
        status = hry_writer_finish(writer, err);
    hry_writer_destroy(writer);
    return status;
}

hry_status gguf_open_container(const char *path, hry_file **file, hry_error *err)
{
    return hry_file_open(path, &(hry_file_options){ .parse = { .allow = &gguf_all } }, file, err);
}

static uint8_t *add(gguf_maker *m, size_t n)
{
    if (m->capacity - m->used < n) {
        m->capacity = 2 * m->capacity + n + 256;
        m->bytes = realloc(m->bytes, m->capacity);
        assert_non_null(m->bytes);
    }
    m->used += n;
    return m->bytes + m->used - n;
}

static void number(gguf_maker *m, uint64_t x, size_t width)
{
    uint8_t *to = add(m, width);
    for (size_t i = 0; i < width; i++)
        to[m->big ? width - 1 - i : i] = (uint8_t)(x >> (8 * i));
}

void gguf_begin(gguf_maker *m, int big, uint32_t version, uint64_t tensors, uint64_t kvs)
{
    *m = (gguf_maker){ .big = big };
    gguf_raw(m, "GGUF", 4);
    gguf_u32(m, version);
    gguf_u64(m, tensors);
    gguf_u64(m, kvs);
}

void gguf_u8(gguf_maker *m, unsigned x)
{
    number(m, x, 1);
}

void gguf_u16(gguf_maker *m, unsigned x)
{
    number(m, x, 2);
}

void gguf_u32(gguf_maker *m, uint32_t x)
{
    number(m, x, 4);
}

void gguf_u64(gguf_maker *m, uint64_t x)
{
    number(m, x, 8);
}

void gguf_raw(gguf_maker *m, const void *bytes, size_t n)
{
    if (n)
        memcpy(add(m, n), bytes, n);
}

void gguf_string(gguf_maker *m, const char *text)
{
    gguf_u64(m, strlen(text));
    gguf_raw(m, text, strlen(text));
}

void gguf_key(gguf_maker *m, const char *key, uint32_t type)
{
    gguf_string(m, key);
    gguf_u32(m, type);
}

void gguf_info(gguf_maker *m, const char *name, uint32_t rank, const uint64_t *dims, uint32_t type, uint64_t offset)
{
    gguf_string(m, name);
    gguf_u32(m, rank);
    for (uint32_t k = 0; k < rank; k++)
        gguf_u64(m, dims[k]);
    gguf_u32(m, type);
    gguf_u64(m, offset);
}

void gguf_pad(gguf_maker *m, size_t alignment)
{
    while (m->used % alignment)
        *add(m, 1) = 0;
}

void gguf_free(gguf_maker *m)
{
    free(m->bytes);
    *m = (gguf_maker){ .big = 0 };
}

hry_file *gguf_open_made(const gguf_maker *m, const hry_import_options *options)
{
    hry_file *file = NULL;
    hry_error err;
    if (hry_gguf_open_memory(m->bytes, m->used, NULL, NULL, options, &file, &err))
        fail_msg("%s", err.message);
    return file;
}

void gguf_assert_saved(hry_file *file, const hry_export_options *options, const gguf_maker *wanted)
{
    hry_error err;
    size_t n;
    if (hry_gguf_save(file, scratch_path("out.gguf"), options, &err))
        fail_msg("%s", err.message);
    uint8_t *bytes = read_file(scratch_path("out.gguf"), &n);
    assert_int_equal(n, wanted->used);
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != wanted->bytes[i])
            fail_msg("byte %zu is %02x, not %02x", i, bytes[i], wanted->bytes[i]);
    free(bytes);
}

void gguf_make_blocks(gguf_maker *m, int big)
{
    uint64_t seed = 5, offset = 0;
    gguf_begin(m, big, 3, gguf_formula_count, 0);
    for (size_t k = 0; k < gguf_formula_count; k++) {
        const gguf_formula *f = &gguf_formulas[k];
        gguf_info(m, f->name, 2, (uint64_t[]){ f->elements, GGUF_ROWS }, f->id, offset);
        offset += (GGUF_ROWS * f->bytes + 31) / 32 * 32;
    }
    for (size_t k = 0; k < gguf_formula_count; k++) {
        const gguf_formula *f = &gguf_formulas[k];
        gguf_pad(m, 32);
        for (unsigned at = 0; at < GGUF_ROWS * f->bytes;) {
            unsigned in = at % f->bytes;
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            unsigned x = (unsigned)(seed >> 40);
            bool two = in == f->scale_at[0] || in == f->scale_at[1] || (f->id == 23 && in == 2) ||
                       (f->id == 9 && in == 2) || (f->id == 15 && in >= 260);
            if (f->id == 15 && in == 0) {
                gguf_u32(m, 0x3F000000 + (x & 0xFFFF));
                at += 4;
            } else if (two) {
                gguf_u16(m, (x & 0xFFFF & ~0x4000u) | 0x2000);
                at += 2;
            } else {
                /* A scale byte that MXFP4 and NVFP4 may have. */
                bool byte_scale = (f->id == 39 && in == 0) || (f->id == 40 && in < 4);
                gguf_u8(m, byte_scale ? 0x38 + x % 8 : x & 0xFF);
                at++;
            }
        }
    }
    gguf_pad(m, 32);
}
