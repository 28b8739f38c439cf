#include "cli/cli_inspect.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 64, TRAILER = 40 };

/* What the trailer and the index say, as far as they can be believed. */
typedef struct skeleton {
    const cli_source *source;
    uint64_t alignment, first;
    uint64_t index_offset, index_length, kv_offset, kv_length;
    bool has_trailer, has_index;
    uint8_t *index;
    struct entry *entries;
    uint64_t count;
} skeleton;

typedef struct entry {
    hry_str name;
    uint64_t descriptor_offset, data_offset, data_length;
    size_t at, length; /* in the index */
} entry;

static uint64_t le(const uint8_t *p, size_t n)
{
    uint64_t value = 0;
    for (size_t k = n; k-- > 0;)
        value = value << 8 | p[k];
    return value;
}

static bool within(const skeleton *s, uint64_t offset, uint64_t nbytes)
{
    return offset <= s->source->size && nbytes <= s->source->size - offset;
}

/* Entries up to the first that does not fit. */
static void read_entries(skeleton *s)
{
    enum { FIXED = 32 };
    uint64_t count = le(s->index, 8);
    size_t room = 0, pos = 8, size = (size_t)s->index_length;
    while (s->count < count && size - pos >= 2) {
        size_t len = (size_t)le(s->index + pos, 2);
        if (size - pos < 2 + len + FIXED)
            return;
        const uint8_t *fields = s->index + pos + 2 + len;
        if (s->count == room) {
            room = room ? 2 * room : 64;
            s->entries = cli_realloc_items(s->entries, room, sizeof *s->entries);
        }
        s->entries[s->count++] = (entry){ .name = { (const char *)s->index + pos + 2, len },
                                          .descriptor_offset = le(fields, 8),
                                          .data_offset = le(fields + 12, 8),
                                          .data_length = le(fields + 20, 8),
                                          .at = pos,
                                          .length = 2 + len + FIXED };
        pos += 2 + len + FIXED;
    }
}

/* False after a report. */
static bool read_skeleton(skeleton *s)
{
    enum { INDEX_MOST = 1 << 30 };
    uint8_t header[HEADER] = { 0 }, trailer[TRAILER];
    uint64_t size = s->source->size;
    if (!cli_source_read(s->source, 0, header, size < HEADER ? (size_t)size : HEADER))
        return true;
    s->alignment = le(header + 16, 4);
    if (!s->alignment || s->alignment & (s->alignment - 1))
        s->alignment = 4096;
    s->first = le(header + 20, 8);
    if (size < HEADER + TRAILER || !cli_source_read(s->source, size - TRAILER, trailer, TRAILER))
        return true;
    s->has_trailer = memcmp(trailer + 36, "HRRY", 4) == 0;
    if (!s->has_trailer)
        return true;
    s->index_offset = le(trailer, 8);
    s->index_length = le(trailer + 8, 8);
    s->kv_offset = le(trailer + 16, 8);
    s->kv_length = le(trailer + 24, 4);
    if (!within(s, s->kv_offset, s->kv_length))
        s->kv_length = 0;
    s->has_index = s->index_length >= 8 && s->index_length <= INDEX_MOST && within(s, s->index_offset, s->index_length);
    if (!s->has_index)
        return true;
    if (!(s->index = cli_inspect_load(s->source, s->index_offset, (size_t)s->index_length)))
        return false;
    read_entries(s);
    return true;
}

static void inspect_header(cli_dump *dump, const skeleton *s)
{
    uint8_t bytes[HEADER];
    size_t n = s->source->size < HEADER ? (size_t)s->source->size : HEADER;
    if (!cli_source_read(s->source, 0, bytes, n))
        return;
    cli_walk w = { .dump = dump, .bytes = bytes, .size = n };
    cli_dump_part(dump, "file header", (hry_str){ 0 });
    cli_walk_text(&w, 8, "magic");
    cli_walk_uint(&w, 1, "container_version_major");
    cli_walk_uint(&w, 1, "container_version_minor");
    cli_walk_reserved(&w, 2, "reserved");
    uint64_t flags = cli_walk_peek(&w, 4);
    cli_walk_bytes(&w, 4, "file_flags", "0x%" PRIx64 "%s%s%s%s", flags, flags & 1 ? " HAS_KV_METADATA" : "",
                   flags & 2 ? " SORTED_INDEX" : "", flags & 4 ? " HAS_INDEX_CRC32C" : "",
                   flags >> 3 ? " reserved bits" : "");
    cli_walk_uint(&w, 4, "data_buffer_alignment");
    cli_walk_uint(&w, 8, "first_descriptor_offset");
    if (cli_walk_peek(&w, 8) == UINT64_MAX)
        cli_walk_bytes(&w, 8, "tensor_count_hint", "unknown");
    else
        cli_walk_uint(&w, 8, "tensor_count_hint");
    cli_walk_reserved(&w, 28, "reserved");
}

static void walk_entry(cli_walk *w)
{
    uint64_t length = cli_walk_uint(w, 2, "name_length");
    if (length)
        cli_walk_text(w, (size_t)length, "name");
    cli_walk_uint(w, 8, "descriptor_offset");
    cli_walk_uint(w, 4, "descriptor_length");
    cli_walk_uint(w, 8, "data_offset");
    cli_walk_uint(w, 8, "data_length");
    cli_walk_reserved(w, 4, "flags");
}

static void inspect_index(cli_dump *dump, const skeleton *s)
{
    cli_walk w = { .dump = dump, .bytes = s->index, .size = (size_t)s->index_length, .base = s->index_offset };
    cli_dump_part(dump, "index", (hry_str){ 0 });
    uint64_t count = cli_walk_uint(&w, 8, "index_entry_count");
    for (uint64_t k = 0; k < count && !w.cut && !cli_out_closed(); k++)
        walk_entry(&w);
    if (!w.cut && w.pos < w.size)
        cli_walk_bytes(&w, w.size - w.pos, "rest of the index", "%zu bytes", w.size - w.pos);
}

static void inspect_trailer(cli_dump *dump, const skeleton *s)
{
    uint8_t bytes[TRAILER];
    uint64_t base = s->source->size - TRAILER;
    if (s->source->size < HEADER + TRAILER || !cli_source_read(s->source, base, bytes, TRAILER))
        return;
    cli_walk w = { .dump = dump, .bytes = bytes, .size = TRAILER, .base = base };
    cli_dump_part(dump, "trailer", (hry_str){ 0 });
    cli_walk_uint(&w, 8, "index_offset");
    cli_walk_uint(&w, 8, "index_length");
    cli_walk_uint(&w, 8, "kv_offset");
    cli_walk_uint(&w, 4, "kv_length");
    cli_walk_bytes(&w, 4, "index_crc32c", "0x%08" PRIx64, cli_walk_peek(&w, 4));
    cli_walk_reserved(&w, 4, "reserved");
    cli_walk_text(&w, 4, "trailer_magic");
}

static int inspect_kv(cli_dump *dump, const skeleton *s)
{
    uint8_t *bytes = cli_inspect_load(s->source, s->kv_offset, (size_t)s->kv_length);
    if (!bytes)
        return CLI_FAILED;
    cli_dump_part(dump, "KV metadata", (hry_str){ 0 });
    cli_inspect_kv(dump, bytes, (size_t)s->kv_length, s->kv_offset);
    free(bytes);
    return CLI_OK;
}

static int by_offset(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->descriptor_offset != y->descriptor_offset)
        return x->descriptor_offset < y->descriptor_offset ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void gap(cli_dump *dump, const skeleton *s, uint64_t from, uint64_t to)
{
    if (to > from)
        cli_inspect_gap(dump, s->source, from, to - from);
}

static cli_place place_of(const skeleton *s, const entry *e)
{
    bool after = e->data_length && e->data_offset > e->descriptor_offset;
    return (cli_place){ e->descriptor_offset, after ? e->data_offset : 0, after ? e->data_length : 0, s->alignment };
}

/* The tensors by the index. *at: where the bytes shown so far end. */
static int inspect_indexed(cli_dump *dump, skeleton *s, uint64_t *at)
{
    uint64_t end;
    if (s->count)
        qsort(s->entries, (size_t)s->count, sizeof *s->entries, by_offset);
    for (uint64_t k = 0; k < s->count && !cli_out_closed(); k++) {
        const entry *e = &s->entries[k];
        if (e->descriptor_offset >= s->source->size)
            continue;
        gap(dump, s, *at, e->descriptor_offset);
        cli_place place = place_of(s, e);
        if (!cli_inspect_tensor(dump, s->source, &place, e->name, &end))
            return CLI_FAILED;
        *at = end > *at ? end : *at;
    }
    return CLI_OK;
}

static bool descriptor_follows(const skeleton *s, uint64_t offset)
{
    uint8_t magic[4];
    return within(s, offset, 10) && cli_source_read(s->source, offset, magic, 4) && memcmp(magic, "HRRY", 4) == 0;
}

/* The tensors one after the other, where no index can be read. */
static int inspect_sequence(cli_dump *dump, const skeleton *s, uint64_t *at)
{
    uint64_t next = s->first >= *at && s->first % 8 == 0 ? s->first : *at;
    while (descriptor_follows(s, next) && !cli_out_closed()) {
        gap(dump, s, *at, next);
        cli_place place = { .offset = next, .alignment = s->alignment };
        if (!cli_inspect_tensor(dump, s->source, &place, (hry_str){ 0 }, at))
            return CLI_FAILED;
        next = *at % 8 ? *at + (8 - *at % 8) : *at;
    }
    return CLI_OK;
}

static int inspect_all(cli_dump *dump, skeleton *s)
{
    uint64_t size = s->source->size, at = size < HEADER ? size : HEADER;
    inspect_header(dump, s);
    int code = s->has_index ? inspect_indexed(dump, s, &at) : inspect_sequence(dump, s, &at);
    if (code == CLI_OK && s->kv_length) {
        gap(dump, s, at, s->kv_offset);
        code = inspect_kv(dump, s);
        at = s->kv_offset + s->kv_length > at ? s->kv_offset + s->kv_length : at;
    }
    if (code == CLI_OK && s->has_index) {
        gap(dump, s, at, s->index_offset);
        inspect_index(dump, s);
        at = s->index_offset + s->index_length > at ? s->index_offset + s->index_length : at;
    }
    if (code == CLI_OK) {
        gap(dump, s, at, s->has_trailer ? size - TRAILER : size);
        if (s->has_trailer)
            inspect_trailer(dump, s);
    }
    return code;
}

static int inspect_one(cli_dump *dump, const skeleton *s, hry_str only)
{
    for (uint64_t k = 0; k < s->count; k++) {
        const entry *e = &s->entries[k];
        uint64_t end;
        if (e->name.len != only.len || memcmp(e->name.ptr, only.ptr, only.len) != 0)
            continue;
        cli_walk w = { .dump = dump, .bytes = s->index + e->at, .size = e->length, .base = s->index_offset + e->at };
        cli_dump_part(dump, "index entry", e->name);
        walk_entry(&w);
        if (e->descriptor_offset >= s->source->size)
            return CLI_OK;
        cli_place place = place_of(s, e);
        return cli_inspect_tensor(dump, s->source, &place, e->name, &end) ? CLI_OK : CLI_FAILED;
    }
    return cli_fail(CLI_NO, s->source->name, only.ptr, "there is no such tensor");
}

int cli_inspect_container(cli_dump *dump, const cli_source *source, hry_str only)
{
    skeleton s = { .source = source };
    int code = CLI_FAILED;
    if (read_skeleton(&s))
        code = only.ptr ? inspect_one(dump, &s, only) : inspect_all(dump, &s);
    free(s.entries);
    free(s.index);
    return code;
}
