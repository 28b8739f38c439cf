/* Annotated bytes: offset, hex, field and meaning, as text or JSON. */
#ifndef HRY_CLI_DUMP_H
#define HRY_CLI_DUMP_H

#include "cli/cli_json.h"
#include "cli/cli_out.h"

typedef struct cli_dump {
    cli_json *json;   /* an open array; NULL: text */
    int width;        /* of offsets in text */
    const char *part; /* what the fields belong to */
    hry_str tensor;   /* whose it is; ptr NULL: nobody's */
} cli_dump;

/* A heading in text, part and tensor of the fields that follow in JSON. */
void cli_dump_part(cli_dump *dump, const char *part, hry_str tensor);
/* One field of total bytes, of which the first nbytes are given. Long ones are cut. */
void cli_dump_field(cli_dump *dump, uint64_t offset, const uint8_t *bytes, size_t nbytes, uint64_t total,
                    const char *field, const char *meaning, size_t meaning_len);

/* total bytes that are all the same. */
void cli_dump_run(cli_dump *dump, uint64_t offset, uint8_t byte, uint64_t total, const char *field,
                  const char *meaning);

/* Walks bytes in memory field by field. Once a field is not there in full, what is left is shown, and nothing more. */
typedef struct cli_walk {
    cli_dump *dump;
    const uint8_t *bytes;
    size_t size, pos;
    uint64_t base; /* the offset of bytes in the file */
    bool cut;
} cli_walk;

/* The next n (up to 8) bytes as a little-endian number, not consumed; 0 when they are not there. */
uint64_t cli_walk_peek(const cli_walk *walk, size_t n);
/* Shows the next n bytes; the meaning is printed. False when they are not there. */
CLI_PRINTF(4, 5) bool cli_walk_bytes(cli_walk *walk, size_t n, const char *field, const char *format, ...);
/* The same for a number, whose meaning is its value. */
uint64_t cli_walk_uint(cli_walk *walk, size_t n, const char *field);
/* The next n bytes as text of others. */
bool cli_walk_text(cli_walk *walk, size_t n, const char *field);
/* Reserved bytes: their meaning is whether they are zero. */
void cli_walk_reserved(cli_walk *walk, size_t n, const char *field);

#endif
