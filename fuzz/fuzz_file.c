/*
 * Any bytes as a container (packed.h), as they are and with the index's CRC put right: reading in place and reading
 * into memory come to the same; what opens can be listed, looked up and checked; what is whole can be copied, and the
 * copy holds the same.
 */
#include "packed.h"

#include <hurray/file.h>

typedef struct outcome {
    hry_status status;
    uint16_t rule;
    uint64_t offset, digest;
    bool whole; /* every tensor can be had */
} outcome;

static void mix(uint64_t *digest, uint64_t x)
{
    *digest = (*digest ^ x) * 0x9E3779B97F4A7C15u;
    *digest ^= *digest >> 29;
}

static void take(void *ctx, const hry_finding *f)
{
    CHECK(f->message[0] && f->lint == (f->status == HRY_OK));
    mix(ctx, f->rule);
    mix(ctx, f->offset);
}

static void mix_tensor(outcome *o, hry_file *file, uint64_t i)
{
    hry_error err = { 0 };
    hry_desc desc;
    hry_tensor *t;
    hry_status status = hry_file_desc(file, i, &desc, &err);
    if (!status)
        status = hry_file_tensor_at(file, i, &t, &err);
    mix(&o->digest, (uint64_t)status);
    mix(&o->digest, err.rule);
    mix(&o->digest, err.offset);
    o->whole &= status == HRY_OK;
    if (status)
        return;
    uint64_t nbytes;
    for (uint32_t k = 0; k < hry_desc_buffer_count(hry_tensor_desc(t)); k++) {
        const uint8_t *p = hry_tensor_buffer(t, k, &nbytes);
        for (uint64_t b = 0; b < nbytes; b++)
            mix(&o->digest, p[b]);
    }
    hry_tensor_release(t);
}

static void mix_metadata(outcome *o, hry_file *file)
{
    for (uint64_t i = 0; i < hry_file_kv_count(file); i++) {
        const hry_kv *kv = hry_file_kv_at(file, i);
        CHECK(hry_file_kv_find(file, kv->key.ptr, kv->key.len) == kv);
        hry_kv_value element;
        uint64_t cursor = 0, count = 0;
        while (hry_kv_array_next(&kv->value, &cursor, &element))
            count++;
        CHECK(kv->value.type != HRY_KV_ARRAY || count == kv->value.as.array.count);
    }
    mix(&o->digest, hry_file_kv_count(file));
}

static outcome read_file(const uint8_t *bytes, size_t nbytes, hry_access access, bool permissive, hry_file **kept)
{
    hry_error err = { 0 };
    hry_file *file = NULL;
    static const hry_limits limits = { .descriptor_length = 1 << 16, .member_count = 4096 };
    hry_file_options o = { .parse = { .limits = &limits, .permissive = permissive }, .access = access };
    outcome result = { .status = hry_file_open_memory(bytes, nbytes, NULL, NULL, &o, &file, &err) };
    result.rule = err.rule;
    result.offset = err.offset;
    if (result.status)
        return result;
    result.whole = true;
    mix_metadata(&result, file);
    for (uint64_t i = 0, found; i < hry_file_count(file); i++) {
        hry_str name = hry_file_name(file, i);
        CHECK(hry_file_find(file, name.ptr, name.len, &found) && found == i);
        mix_tensor(&result, file, i);
    }
    uint64_t violations;
    CHECK(hry_file_check(file, &(hry_check_options){ .lint = true }, take, &result.digest, &violations, &err) ==
          HRY_OK);
    CHECK(violations <= hry_file_count(file));
    if (kept)
        *kept = file;
    else
        hry_file_close(file);
    return result;
}

typedef struct sink {
    uint8_t *bytes;
    size_t nbytes;
} sink;

static hry_status append(void *ctx, const void *bytes, size_t nbytes, hry_error *err)
{
    sink *s = ctx;
    (void)err;
    s->bytes = realloc(s->bytes, s->nbytes + nbytes + 1);
    CHECK(s->bytes);
    memcpy(s->bytes + s->nbytes, bytes, nbytes);
    s->nbytes += nbytes;
    return HRY_OK;
}

/* Every tensor into a new container, which must hold the same under the same names. */
static void copy_file(hry_file *from)
{
    sink out = { 0 };
    hry_writer *w;
    hry_file *copy;
    hry_error err;
    hry_writer_options options = { .sorted = hry_file_count(from) % 2, .alignment = 2u << 20 };
    if (hry_file_count(from) > 1)
        options.alignment = 0;
    CHECK(hry_writer_create_sink(&(hry_sink){ .write = append, .ctx = &out }, &options, &w, &err) == HRY_OK);
    for (uint64_t i = 0; i < hry_file_count(from); i++) {
        hry_str name = hry_file_name(from, i);
        CHECK(hry_writer_copy(w, name.ptr, name.len, from, i, &err) == HRY_OK);
    }
    for (uint64_t i = 0; i < hry_file_kv_count(from); i++) {
        const hry_kv *kv = hry_file_kv_at(from, i);
        CHECK(hry_writer_kv(w, kv->key.ptr, kv->key.len, &kv->value, &err) == HRY_OK);
    }
    CHECK(hry_writer_finish(w, &err) == HRY_OK);
    hry_writer_destroy(w);
    CHECK(hry_file_open_memory(out.bytes, out.nbytes, NULL, NULL, NULL, &copy, &err) == HRY_OK);
    CHECK(hry_file_count(copy) == hry_file_count(from) && hry_file_kv_count(copy) == hry_file_kv_count(from));
    for (uint64_t i = 0, k; i < hry_file_count(from); i++) {
        hry_str name = hry_file_name(from, i);
        hry_desc a, b;
        CHECK(hry_file_find(copy, name.ptr, name.len, &k));
        CHECK(hry_file_desc(from, i, &a, &err) == HRY_OK && hry_file_desc(copy, k, &b, &err) == HRY_OK);
        CHECK(a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0);
    }
    hry_file_close(copy);
    free(out.bytes);
}

static void judge(const uint8_t *bytes, size_t nbytes)
{
    hry_file *file = NULL;
    outcome in_place = read_file(bytes, nbytes, HRY_MAP, false, &file);
    outcome read_in = read_file(bytes, nbytes, HRY_READ, false, NULL);
    CHECK(in_place.status == read_in.status && in_place.rule == read_in.rule && in_place.offset == read_in.offset);
    CHECK(in_place.digest == read_in.digest && in_place.offset <= nbytes);
    outcome permissive = read_file(bytes, nbytes, HRY_MAP, true, NULL);
    CHECK(in_place.status != HRY_OK || permissive.status == HRY_OK);
    /* A copy puts tensors in index order: only without composites does that keep them whole. */
    bool plain = file && in_place.whole;
    for (uint64_t i = 0; plain && i < hry_file_count(file); i++) {
        hry_desc desc;
        plain = hry_file_desc(file, i, &desc, NULL) == HRY_OK && desc.layout != HRY_LAYOUT_COMPOSITE;
    }
    if (plain)
        copy_file(file);
    hry_file_close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    judge_packed(data, size, judge);
    return 0;
}
