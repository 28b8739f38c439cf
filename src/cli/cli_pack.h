/* Pieces of packed elements put together without gaps, also where a piece ends inside a byte. */
#ifndef HRY_CLI_PACK_H
#define HRY_CLI_PACK_H

#include <hurray/base.h>

typedef struct cli_pack {
    uint32_t bits; /* of an element */
    void (*write)(void *ctx, const void *bytes, size_t nbytes);
    void *ctx;
    uint64_t count;  /* elements so far */
    uint64_t nbytes; /* bytes so far */
    unsigned used;   /* bits of rest */
    uint8_t rest;
} cli_pack;

/* What the piece holds afterwards is unspecified. */
void cli_pack_add(cli_pack *pack, uint8_t *piece, uint64_t count);
/* Writes what is left, filled up with zeros to what as many elements take. */
void cli_pack_end(cli_pack *pack);

#endif
