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
    char text[3 * LINE_BYTES + 1] = "";
    for (size_t k = 0; k < nbytes && k < LINE_BYTES; k++)
        snprintf(text + 3 * k, 4, "%02x ", bytes[k]);
    printf("%-24s", text);
}

static void put_meaning(const char *field, const char *meaning, size_t meaning_len)
{
    printf(" %-*s ", FIELD_WIDTH, field);
    cli_put_text(stdout, meaning, meaning_len);
    fputc('\n', stdout);
}

void cli_dump_run(cli_dump *dump, uint64_t offset, uint8_t byte, uint64_t total, const char *field, const char *meaning)
{
    char text[32];
    if (dump->json) {
        cli_dump_field(dump, offset, &byte, total ? 1 : 0, total, field, meaning, strlen(meaning));
        return;
    }
    snprintf(text, sizeof text, "%02x x%" PRIu64, byte, total);
    printf("%*" PRIu64 "  %-24s", dump->width, offset, text);
    put_meaning(field, meaning, strlen(meaning));
}

/* Lines of hex: as many bytes as were given, but not too many. */
static void text_field(const cli_dump *dump, uint64_t offset, const uint8_t *bytes, size_t nbytes, uint64_t total,
                       const char *field, const char *meaning, size_t meaning_len)
{
    size_t shown = nbytes < SHOWN_BYTES ? nbytes : SHOWN_BYTES;
    printf("%*" PRIu64 "  ", dump->width, offset);
    put_hex(bytes, shown);
    put_meaning(field, meaning, meaning_len);
    for (size_t k = LINE_BYTES; k < shown; k += LINE_BYTES) {
        printf("%*" PRIu64 " ", dump->width, offset + k);
        for (size_t b = k; b < shown && b < k + LINE_BYTES; b++)
            printf(" %02x", bytes[b]);
        fputc('\n', stdout);
    }
    if (total > shown)
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
    if (zero && n > LINE_BYTES) {
        cli_dump_run(walk->dump, walk->base + walk->pos, 0, n, field, "reserved");
        walk->pos += n;
        return;
    }
    cli_walk_bytes(walk, n, field, "%s", zero ? "reserved" : "reserved, but not zero");
}
