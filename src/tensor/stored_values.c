#include "tensor/stored_values.h"

#include "base/checked.h"
#include "tensor/access.h"
#include "tensor/move.h"
#include "type/types.h"

enum { PIECE = 256 };

/* Blocks are counted in elements along their axis, which a power of two of them make. */
static bool find_form(hry_stored_values *v)
{
    const hry_dequant *d = &v->decoder->dequant;
    uint64_t elements;
    if (!hry_mul(d->count, d->block, &elements))
        return false;
    v->form.base = 0;
    v->shift = (uint32_t)__builtin_ctzll(d->block);
    for (uint32_t k = 0; k < d->rank; k++)
        v->form.weight[k] = k == d->axis ? 1 : d->step[k] * d->block;
    return true;
}

void hry_stored_values_start(hry_stored_values *v, const hry_decoder *decoder, const hry_box *box, uint64_t first,
                             uint64_t end)
{
    v->decoder = decoder;
    v->codes = hry_tensor_first(decoder->tensor);
    v->all = true;
    v->has_form = find_form(v);
    hry_sparse_of(decoder->tensor, &v->stored.sparse);
    hry_stored_start(&v->stored, box);
    hry_stored_within(&v->stored, first, end);
}

/* The parameters' numbers of up to n elements, whose positions follow *first. */
static size_t number(hry_stored_values *v, size_t n, uint64_t *numbers, uint64_t *first)
{
    hry_stored *s = &v->stored;
    if (v->has_form) {
        n = hry_stored_numbers(s, &v->form, n, numbers, first);
        for (size_t i = 0; i < n; i++)
            numbers[i] >>= v->shift;
        return n;
    }
    if (!hry_stored_step(s))
        return 0;
    *first = s->position;
    numbers[0] = hry_dequant_number(&v->decoder->dequant, s->index);
    return 1;
}

void hry_stored_values_next(hry_stored_values *v, size_t n, uint8_t *room)
{
    _Alignas(16) uint8_t codes[PIECE * 4]; /* codes have 32 bits at the most */
    size_t size = hry_type_table[v->decoder->type].bits / 8u, taken;
    uint32_t bits = v->decoder->bits;
    for (size_t done = 0; done < n; done += taken) {
        uint64_t numbers[PIECE], first;
        taken = number(v, n - done < PIECE ? n - done : PIECE, numbers, &first);
        if (taken == 0)
            return;
        const uint8_t *from = v->codes + first * bits / 8;
        if (first * bits % 8) {
            hry_move_piece(bits, v->codes, (int64_t)first, 1, codes, 0, 1, taken);
            from = codes;
        }
        v->all &= hry_decoder_run_each(v->decoder, from, taken, numbers, room + done * size);
    }
}
