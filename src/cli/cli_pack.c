#include "cli/cli_pack.h"

#include <hurray/type.h>

void cli_pack_add(cli_pack *pack, uint8_t *piece, uint64_t count)
{
    uint64_t nbits = count * pack->bits; /* a piece fits memory */
    uint64_t whole = (pack->used + nbits) / 8;
    if (pack->used) {
        unsigned used = pack->used;
        uint8_t rest = pack->rest;
        for (uint64_t k = 0; 8 * k < nbits; k++) {
            uint8_t byte = piece[k];
            piece[k] = (uint8_t)(rest | byte << used);
            rest = (uint8_t)(byte >> (8 - used));
        }
        /* The last byte may not be full yet, or its rest may be what comes next. */
        pack->rest = 8 * whole < nbits ? piece[whole] : rest;
    } else if (nbits % 8) {
        pack->rest = piece[whole];
    }
    pack->used = (unsigned)((pack->used + nbits) % 8);
    pack->count += count;
    pack->nbytes += whole;
    pack->write(pack->ctx, piece, (size_t)whole);
}

void cli_pack_end(cli_pack *pack)
{
    static const uint8_t zeros[4];
    uint64_t nbytes = pack->nbytes;
    if (pack->used) {
        pack->write(pack->ctx, &pack->rest, 1);
        nbytes++;
    }
    uint64_t size = nbytes;
    hry_type_size(pack->bits, pack->count, &size);
    pack->write(pack->ctx, zeros, (size_t)(size - nbytes));
    pack->used = 0;
    pack->nbytes = size;
}
