#include "cli/cli_dump.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 8, SHOWN_BYTES = 32, FIELD_WIDTH = 28 };

void cli_dump_part(cli_dump *dump, const char *part, hry_str tensor)
{
    dump->part = part;
    dump->tensor = tensor;
    if (dump->json)
        return;
    printf("-- %s", part);
    if (tensor.ptr) {
        fputs(" of ", stdout);
        cli_put_text(stdout, tensor.ptr, tensor.len);
    }
    fputc('\n', stdout);
}

static bool all_equal(const uint8_t *bytes, size_t nbytes)
{
    for (size_t k = 1; k < nbytes; k++)
        if (bytes[k] != bytes[0])
            return false;
    return true;
}

static void put_hex(const uint8_t *bytes, size_t nbytes)
{
    for (size_t k = 0; k < LINE_BYTES; k++) {
        if (k < nbytes)
            printf("%02x ", bytes[k]);
        else
            fputs("   ", stdout);
    }
}

static void text_field(const cli_dump *dump, uint64_t offset, const uint8_t *bytes, size_t nbytes, uint64_t total,
                       const char *field, const char *meaning, size_t meaning_len)
{
    printf("%*" PRIu64 "  ", dump->width, offset);
    bool repeated = nbytes == total && total > LINE_BYTES && all_equal(bytes, nbytes);
    if (repeated) {
        char text[32];
        snprintf(text, sizeof text, "%02x x%" PRIu64, bytes[0], total);
        printf("%-24s", text);
    } else {
        put_hex(bytes, nbytes);
    }
    printf(" %-*s ", FIELD_WIDTH, field);
    cli_put_text(stdout, meaning, meaning_len);
    fputc('\n', stdout);
    size_t shown = repeated ? 0 : nbytes < SHOWN_BYTES ? nbytes : SHOWN_BYTES;
    for (size_t k = LINE_BYTES; k < shown; k += LINE_BYTES) {
        printf("%*" PRIu64 "  ", dump->width, offset + k);
        put_hex(bytes + k, shown - k);
        fputc('\n', stdout);
    }
    if (!repeated && total > shown)
        printf("%*s  ... %" PRIu64 " more bytes\n", dump->width, "", total - shown);
}

static void json_field(const cli_dump *dump, uint64_t offset, const uint8_t *bytes, size_t nbytes, uint64_t total,
                       const char *field, const char *meaning, size_t meaning_len)
{
    cli_json *json = dump->json;
    cli_json_open(json, NULL);
    cli_json_str(json, "part", dump->part);
    if (dump->tensor.ptr)
        cli_json_text(json, "tensor", dump->tensor.ptr, dump->tensor.len);
    cli_json_u64(json, "offset", offset);
    cli_json_u64(json, "length", total);
    cli_json_hex(json, "hex", bytes, nbytes);
    cli_json_str(json, "field", field);
    cli_json_text(json, "meaning", meaning, meaning_len);
    cli_json_close(json);
}

void cli_dump_field(cli_dump *dump, uint64_t offset, const uint8_t *bytes, size_t nbytes, uint64_t total,
                    const char *field, const char *meaning, size_t meaning_len)
{
    (dump->json ? json_field : text_field)(dump, offset, bytes, nbytes, total, field, meaning, meaning_len);
}

/* What is left where a field does not fit any more. */
static bool cut(cli_walk *walk, const char *field)
{
    static const char meaning[] = "cut short";
    if (!walk->cut && walk->pos < walk->size)
        cli_dump_field(walk->dump, walk->base + walk->pos, walk->bytes + walk->pos, walk->size - walk->pos,
                       walk->size - walk->pos, field, meaning, sizeof meaning - 1);
    walk->cut = true;
    walk->pos = walk->size;
    return false;
}

uint64_t cli_walk_peek(const cli_walk *walk, size_t n)
{
    uint64_t value = 0;
    if (walk->cut || n > walk->size - walk->pos)
        return 0;
    for (size_t k = n; k-- > 0;)
        value = value << 8 | walk->bytes[walk->pos + k];
    return value;
}

static bool show(cli_walk *walk, size_t n, const char *field, const char *meaning, size_t len)
{
    if (walk->cut || n > walk->size - walk->pos)
        return cut(walk, field);
    cli_dump_field(walk->dump, walk->base + walk->pos, walk->bytes + walk->pos, n, n, field, meaning, len);
    walk->pos += n;
    return true;
}

bool cli_walk_bytes(cli_walk *walk, size_t n, const char *field, const char *format, ...)
{
    char *meaning;
    va_list args;
    va_start(args, format);
    int len = vasprintf(&meaning, format, args);
    va_end(args);
    if (len < 0)
        return cut(walk, field);
    bool ok = show(walk, n, field, meaning, (size_t)len);
    free(meaning);
    return ok;
}

uint64_t cli_walk_uint(cli_walk *walk, size_t n, const char *field)
{
    uint64_t value = cli_walk_peek(walk, n);
    cli_walk_bytes(walk, n, field, "%" PRIu64, value);
    return walk->cut ? 0 : value;
}

bool cli_walk_text(cli_walk *walk, size_t n, const char *field)
{
    if (walk->cut || n > walk->size - walk->pos)
        return cut(walk, field);
    return show(walk, n, field, (const char *)walk->bytes + walk->pos, n < 200 ? n : 200);
}

void cli_walk_reserved(cli_walk *walk, size_t n, const char *field)
{
    if (walk->cut || n > walk->size - walk->pos) {
        cut(walk, field);
        return;
    }
    const uint8_t *p = walk->bytes + walk->pos;
    bool zero = n == 0 || (p[0] == 0 && all_equal(p, n));
    cli_walk_bytes(walk, n, field, "%s", zero ? "reserved" : "reserved, but not zero");
}
