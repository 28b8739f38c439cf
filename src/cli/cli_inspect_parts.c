/* Parts of a container that are not descriptors, and a tensor with its data. */
#include "cli/cli_inspect.h"
#include "cli/cli_kv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint8_t *cli_inspect_load(const cli_source *source, uint64_t offset, size_t nbytes)
{
    uint8_t *bytes = cli_realloc(NULL, nbytes);
    if (cli_source_read(source, offset, bytes, nbytes))
        return bytes;
    cli_fail(CLI_FAILED, source->name, NULL, "%s", errno ? strerror(errno) : "the file shrank while it was read");
    free(bytes);
    return NULL;
}

/* Whether a gap is all zeros; gaps beyond any padding are looked at in part. */
static bool is_zero(const cli_source *source, uint64_t offset, uint64_t nbytes, uint64_t *seen)
{
    enum { MOST = 8 << 20, PIECE = 1 << 16 };
    static uint8_t piece[PIECE];
    for (*seen = 0; *seen < nbytes && *seen < MOST;) {
        size_t n = nbytes - *seen < PIECE ? (size_t)(nbytes - *seen) : PIECE;
        if (!cli_source_read(source, offset + *seen, piece, n))
            return true;
        for (size_t k = 0; k < n; k++, ++*seen)
            if (piece[k])
                return false;
    }
    return true;
}

void cli_inspect_gap(cli_dump *dump, const cli_source *source, uint64_t offset, uint64_t nbytes)
{
    uint8_t head[16];
    uint64_t seen;
    size_t n = nbytes < sizeof head ? (size_t)nbytes : sizeof head;
    if (!n || !cli_source_read(source, offset, head, n))
        return;
    char meaning[96];
    cli_dump_part(dump, "padding", (hry_str){ 0 });
    if (is_zero(source, offset, nbytes, &seen)) {
        snprintf(meaning, sizeof meaning, "to %" PRIu64, offset + nbytes);
        cli_dump_run(dump, offset, 0, nbytes, "padding", meaning);
    } else {
        snprintf(meaning, sizeof meaning, "%" PRIu64 " bytes, not zero at %" PRIu64, nbytes, offset + seen);
        cli_dump_field(dump, offset, head, n, nbytes, "padding", meaning, strlen(meaning));
    }
}

static uint64_t align_up(uint64_t value, uint64_t alignment)
{
    uint64_t rest = value % alignment;
    return rest && value <= UINT64_MAX - alignment ? value + (alignment - rest) : value;
}

/* One buffer, which lies in the file: its first bytes and how many there are. */
static void inspect_buffer(cli_dump *dump, const cli_source *source, uint64_t offset, uint32_t k, uint64_t nbytes)
{
    uint8_t head[32];
    char field[32], meaning[64];
    size_t n = nbytes <= sizeof head ? (size_t)nbytes : 8;
    if (!cli_source_read(source, offset, head, n))
        return;
    snprintf(field, sizeof field, "buffer %" PRIu32, k);
    snprintf(meaning, sizeof meaning, "%" PRIu64 " byte%s", nbytes, nbytes == 1 ? "" : "s");
    cli_dump_field(dump, offset, head, n, nbytes, field, meaning, strlen(meaning));
}

static void inspect_buffers(cli_dump *dump, const cli_source *source, const hry_desc *desc, uint64_t at,
                            uint64_t alignment, hry_str name, uint64_t *end)
{
    hry_buffer buffer;
    for (uint32_t k = 0; hry_desc_buffer(desc, k, &buffer); k++) {
        at = align_up(at, alignment);
        if (!buffer.byte_size)
            continue;
        if (at > source->size || buffer.byte_size > source->size - at)
            return;
        if (at > *end) /* padding before the data belongs to this tensor, between buffers too */
            cli_inspect_gap(dump, source, *end, at - *end);
        cli_dump_part(dump, "data", name);
        inspect_buffer(dump, source, at, k, buffer.byte_size);
        at += buffer.byte_size;
        *end = at;
    }
}

/* The data of a tensor whose buffer table cannot be read, as the index has them. */
static void inspect_blob(cli_dump *dump, const cli_source *source, const cli_place *place, hry_str name, uint64_t *end)
{
    if (!place->data_length || place->data_offset < *end || place->data_offset > source->size ||
        place->data_length > source->size - place->data_offset)
        return;
    if (place->data_offset > *end)
        cli_inspect_gap(dump, source, *end, place->data_offset - *end);
    cli_dump_part(dump, "data", name);
    inspect_buffer(dump, source, place->data_offset, 0, place->data_length);
    *end = place->data_offset + place->data_length;
}

/* As many bytes as the descriptor says that it has; a few, where none is there. */
static uint32_t descriptor_span(const cli_source *source, uint64_t offset)
{
    enum { MOST = 16 << 20, FEW = 64 };
    uint8_t head[10];
    uint32_t length;
    uint64_t left = source->size - offset;
    if (left < sizeof head || !cli_source_read(source, offset, head, sizeof head) ||
        hry_desc_length(head, sizeof head, &length, NULL) || length > left || length > MOST)
        return left < FEW ? (uint32_t)left : FEW;
    return length;
}

bool cli_inspect_tensor(cli_dump *dump, const cli_source *source, const cli_place *place, hry_str name, uint64_t *end)
{
    static const hry_allow everything = { .all = true };
    hry_parse_options options = { .allow = &everything, .permissive = true, .stored = true };
    uint32_t length = descriptor_span(source, place->offset);
    hry_desc desc;
    uint8_t *bytes = cli_inspect_load(source, place->offset, length);
    if (!bytes)
        return false;
    bool ok = hry_desc_parse(bytes, length, &options, &desc, NULL) == HRY_OK;
    *end = place->offset + length;
    cli_dump_part(dump, "descriptor", name);
    cli_inspect_descriptor(dump, bytes, length, place->offset, ok ? desc.buffers_offset : 0);
    if (ok && place->alignment && desc.buffer_count)
        inspect_buffers(dump, source, &desc, place->data_offset ? place->data_offset : *end, place->alignment, name,
                        end);
    else
        inspect_blob(dump, source, place, name, end);
    free(bytes);
    return true;
}

static bool inspect_kv_value(cli_walk *w, uint64_t type)
{
    uint64_t length;
    char text[40];
    double number;
    uint64_t bits;
    switch (type) {
    case HRY_KV_STRING:
    case HRY_KV_BYTES:
        length = cli_walk_uint(w, 4, "length");
        if (w->cut || !length)
            return !w->cut;
        if (type == HRY_KV_STRING)
            return cli_walk_text(w, (size_t)length, "value");
        return cli_walk_bytes(w, (size_t)length, "value", "%" PRIu64 " bytes", length);
    case HRY_KV_INT64:
        return cli_walk_bytes(w, 8, "value", "%" PRId64, (int64_t)cli_walk_peek(w, 8));
    case HRY_KV_UINT64:
        cli_walk_uint(w, 8, "value");
        return !w->cut;
    case HRY_KV_FLOAT64:
        bits = cli_walk_peek(w, 8);
        memcpy(&number, &bits, sizeof number);
        snprintf(text, sizeof text, "%s", cli_f64_text(number, 17).text);
        return cli_walk_bytes(w, 8, "value", "%s", text);
    case HRY_KV_BOOL:
        return cli_walk_bytes(w, 1, "value", "%s", cli_walk_peek(w, 1) ? "true" : "false");
    default:
        return false;
    }
}

static bool inspect_kv_array(cli_walk *w)
{
    uint64_t type = cli_walk_peek(w, 1);
    const char *name = cli_kv_type_name((uint8_t)type);
    cli_walk_bytes(w, 1, "element_tag", "0x%02" PRIx64 " %s", type, name ? name : "not assigned");
    uint64_t count = cli_walk_uint(w, 4, "count");
    bool fixed = type == HRY_KV_INT64 || type == HRY_KV_UINT64 || type == HRY_KV_FLOAT64 || type == HRY_KV_BOOL;
    uint64_t each = type == HRY_KV_BOOL ? 1 : 8;
    if (w->cut || !count)
        return !w->cut;
    if (fixed)
        return count <= (w->size - w->pos) / each &&
               cli_walk_bytes(w, (size_t)(count * each), "elements", "%" PRIu64, count);
    for (uint64_t k = 0; k < count && !w->cut; k++)
        if (!inspect_kv_value(w, type))
            return false;
    return !w->cut;
}

void cli_inspect_kv(cli_dump *dump, const uint8_t *bytes, size_t nbytes, uint64_t base)
{
    cli_walk w = { .dump = dump, .bytes = bytes, .size = nbytes, .base = base };
    uint64_t count = cli_walk_uint(&w, 4, "kv_count");
    for (uint64_t k = 0; k < count && !w.cut && !cli_out_closed(); k++) {
        uint64_t length = cli_walk_uint(&w, 2, "key_length");
        if (length)
            cli_walk_text(&w, (size_t)length, "key");
        uint64_t type = cli_walk_peek(&w, 1);
        const char *name = cli_kv_type_name((uint8_t)type);
        cli_walk_bytes(&w, 1, "value_tag", "0x%02" PRIx64 " %s", type, name ? name : "not assigned");
        if (w.cut || !(type == HRY_KV_ARRAY ? inspect_kv_array(&w) : inspect_kv_value(&w, type)))
            break;
    }
    if (!w.cut && w.pos < w.size)
        cli_walk_bytes(&w, w.size - w.pos, "rest of the metadata", "%zu bytes", w.size - w.pos);
}
