#include "cli/cli_values.h"
#include "cli/cli_out.h"

#include <stdlib.h>

enum { PIECE_BITS = 8 * (4 << 20) };

uint8_t cli_value_type(const hry_desc *desc, bool stored)
{
    return !stored && hry_desc_flags(desc) & HRY_HAS_QUANTIZATION ? (uint8_t)HRY_TYPE_FLOAT32 : hry_desc_type(desc);
}

static bool count_elements(const cli_part *part, uint64_t *count)
{
    *count = 1;
    for (uint32_t k = 0; k < part->rank; k++)
        if (part->shape[k] == 0) {
            *count = 0;
            return true;
        }
    for (uint32_t k = 0; k < part->rank; k++)
        if (__builtin_mul_overflow(*count, part->shape[k], count))
            return false;
    return true;
}

/* Pieces hold whole dimensions from axis + 1 on, and as many places of axis as there is room for. */
static void plan_pieces(cli_values *values, uint32_t rank)
{
    uint64_t room = values->bits < PIECE_BITS ? PIECE_BITS / values->bits : 1, inside = 1;
    uint32_t axis = rank;
    while (axis > 0 && values->part.box.count[axis - 1] <= room / inside)
        inside *= values->part.box.count[--axis];
    values->axis = axis ? axis - 1 : 0;
    values->most = axis ? room / inside : rank ? values->part.box.count[0] : 1;
}

hry_status cli_values_open(cli_values *values, const hry_tensor *tensor, const cli_part *part, uint8_t type,
                           const hry_read_options *options, hry_error *err)
{
    const hry_desc *desc = hry_tensor_desc(tensor);
    uint64_t shape[HRY_RANK_MAX];
    *values = (cli_values){ .tensor = tensor, .options = *options };
    hry_desc_shape(desc, shape);
    if (part)
        values->part = *part;
    else
        cli_part_whole(hry_desc_rank(desc), shape, &values->part);
    values->type = type ? type : cli_value_type(desc, options->stored);
    values->bits = values->type == hry_desc_type(desc) ? hry_desc_bits(desc) : hry_type_find(values->type)->bits;
    uint64_t nbytes;
    if (!count_elements(&values->part, &values->count) || !values->bits ||
        !hry_type_size(values->bits, values->count, &nbytes)) {
        *err = (hry_error){ .status = HRY_E_UNSUPPORTED };
        snprintf(err->message, sizeof err->message, "the values take more bytes than can be counted");
        return HRY_E_UNSUPPORTED;
    }
    values->done = values->count == 0;
    if (!values->done)
        plan_pieces(values, hry_desc_rank(desc));
    values->box = values->part.box;
    return HRY_OK;
}

/* The first place along axis k of the part, as an index of the tensor. */
static uint64_t place(const cli_values *values, uint32_t k, uint64_t at)
{
    return values->part.box.start[k] + at * (uint64_t)values->part.box.step[k];
}

/* The dimensions before axis go on by one, the last of them first. */
static void advance_outer(cli_values *values)
{
    const hry_box *whole = &values->part.box;
    for (uint32_t k = values->axis; k-- > 0;) {
        uint64_t last = place(values, k, whole->count[k] - 1);
        if (values->box.start[k] != last) {
            values->box.start[k] += (uint64_t)whole->step[k];
            return;
        }
        values->box.start[k] = whole->start[k];
    }
    values->done = true;
}

/* The exact sizes of what is there keep small tensors from taking the room of large ones. */
static uint64_t piece_elements(const cli_values *values, uint32_t rank)
{
    uint64_t count = 1;
    for (uint32_t k = 0; k < rank; k++)
        count *= values->box.count[k];
    return count;
}

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
/* Values come in the host's byte order; complex numbers are two values. */
static void to_format_order(const cli_values *values, uint64_t count)
{
    const hry_type_info *type = hry_type_find(values->type);
    size_t size = values->bits / 8;
    if (values->options.stored || !type || size < 2)
        return;
    if (type->kind == HRY_KIND_COMPLEX) {
        size /= 2;
        count *= 2;
    }
    for (uint8_t *p = values->piece; count > 0; count--, p += size)
        for (size_t k = 0; k < size / 2; k++) {
            uint8_t other = p[k];
            p[k] = p[size - 1 - k];
            p[size - 1 - k] = other;
        }
}
#else
static void to_format_order(const cli_values *values, uint64_t count)
{
    (void)values;
    (void)count;
}
#endif

hry_status cli_values_next(cli_values *values, uint8_t **piece, uint64_t *count, hry_error *err)
{
    uint32_t rank = hry_tensor_rank(values->tensor);
    *count = 0;
    if (values->done)
        return HRY_OK;
    for (uint32_t k = 0; k < values->axis; k++)
        values->box.count[k] = 1;
    if (rank) {
        uint64_t left = values->part.box.count[values->axis] - values->at;
        values->box.start[values->axis] = place(values, values->axis, values->at);
        values->box.count[values->axis] = left < values->most ? left : values->most;
    }
    uint64_t elements = piece_elements(values, rank), nbytes = 0;
    hry_type_size(values->bits, elements, &nbytes);
    if (!values->piece)
        values->piece = cli_realloc(NULL, (size_t)nbytes); /* no later one is larger */
    hry_status status =
        hry_tensor_read_with(values->tensor, &values->box, values->type, NULL, &values->options, values->piece, err);
    if (status)
        return status;
    to_format_order(values, elements);
    *piece = values->piece;
    *count = elements;
    values->at += rank ? values->box.count[values->axis] : 1;
    if (!rank)
        values->done = true;
    else if (values->at == values->part.box.count[values->axis]) {
        values->at = 0;
        advance_outer(values);
    }
    return HRY_OK;
}

void cli_values_close(cli_values *values)
{
    free(values->piece);
    values->piece = NULL;
}
