#include "tensor/decode.h"

#include "base/status.h"
#include "type/types.h"

enum { CHUNK = 1024 }; /* floats between the steps */

static hry_status no_way(const hry_desc *desc, uint8_t type, hry_error *err)
{
    return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_NONE, 0, type, "%s cannot be read as %s",
                    hry_type_name(desc->type), hry_type_name(type));
}

/* Codes become floats, these are rounded to the type of a view where there is one, and become what is wanted. */
static hry_status init_quantized(hry_decoder *decoder, const hry_want *want, hry_error *err)
{
    const hry_tensor *tensor = decoder->tensor;
    uint8_t from = HRY_TYPE_FLOAT32;
    hry_status status = hry_dequant_init(&decoder->dequant, tensor, err);
    if (status)
        return status;
    decoder->quantized = true;
    decoder->needs_index = decoder->dequant.scales != NULL;
    if (want->through && want->through != from) {
        decoder->rounds = true;
        if (!hry_convert_init(&decoder->round, from, want->through))
            return no_way(&tensor->desc, want->through, err);
        from = want->through;
    }
    bool swaps = want->raw && HRY_HOST_SWAPS;
    decoder->floats = from == HRY_TYPE_FLOAT32 && want->type == from && !swaps;
    if (!hry_convert_init(&decoder->convert, from, want->type))
        return no_way(&tensor->desc, want->type, err);
    if (swaps)
        decoder->convert.run = hry_convert_raw;
    return HRY_OK;
}

hry_status hry_decoder_init(hry_decoder *decoder, const hry_tensor *tensor, const hry_want *want, hry_error *err)
{
    const hry_desc *desc = &tensor->desc;
    uint32_t bits = hry_desc_bits(desc);
    *decoder = (hry_decoder){ .tensor = tensor, .bits = bits, .type = want->type };
    if (desc->flags & HRY_HAS_QUANTIZATION && !want->stored)
        return init_quantized(decoder, want, err);
    bool same = want->type == desc->type;
    decoder->plain = same && (want->raw || !HRY_HOST_SWAPS || bits <= 8);
    if (hry_type_is_private(desc->type) && same) {
        decoder->plain = true;
        return HRY_OK;
    }
    if (!hry_convert_init(&decoder->convert, desc->type, want->type))
        return no_way(desc, want->type, err);
    if (want->raw && HRY_HOST_SWAPS)
        decoder->convert.run = hry_convert_raw;
    return HRY_OK;
}

/* Conversions take what is stored: on hosts of another byte order, turned into that. */
static void to_stored(uint8_t type, void *values, size_t n)
{
    if (HRY_HOST_SWAPS)
        hry_swap_elements(type, values, n);
}

/* What floats become. */
static bool finish(const hry_decoder *decoder, float *floats, size_t n, void *values)
{
    float rounded[CHUNK];
    bool all = true;
    to_stored(HRY_TYPE_FLOAT32, floats, n);
    if (decoder->rounds) {
        all = hry_convert_run(&decoder->round, floats, n, rounded);
        to_stored(decoder->round.to, rounded, n);
    }
    return hry_convert_run(&decoder->convert, decoder->rounds ? rounded : floats, n, values) && all;
}

static uint8_t *values_after(const hry_decoder *decoder, void *values, size_t n)
{
    return (uint8_t *)values + n * hry_type_table[decoder->type].bits / 8;
}

static bool run_quantized(const hry_decoder *decoder, const void *codes, size_t n, const uint64_t *index, uint32_t axis,
                          int64_t step, void *values)
{
    const hry_dequant *d = &decoder->dequant;
    if (decoder->floats) {
        hry_dequant_run(d, codes, n, index, axis, step, values);
        return true;
    }
    float floats[CHUNK];
    uint64_t at[HRY_RANK_MAX];
    bool all = true;
    for (uint32_t k = 0; index && k < d->rank; k++)
        at[k] = index[k];
    for (size_t done = 0; done < n; done += CHUNK) { /* so many elements fill whole bytes, whatever their width */
        size_t part = n - done < CHUNK ? n - done : CHUNK;
        hry_dequant_run(d, (const uint8_t *)codes + done * d->bits / 8, part, index ? at : NULL, axis, step, floats);
        all &= finish(decoder, floats, part, values_after(decoder, values, done));
        if (index)
            at[axis] += CHUNK * (uint64_t)step;
    }
    return all;
}

bool hry_decoder_run_each(const hry_decoder *decoder, const void *codes, size_t n, const uint64_t *numbers,
                          void *values)
{
    const hry_dequant *d = &decoder->dequant;
    float floats[CHUNK];
    bool all = true;
    for (size_t done = 0; done < n; done += CHUNK) {
        size_t part = n - done < CHUNK ? n - done : CHUNK;
        const uint8_t *from = (const uint8_t *)codes + done * d->bits / 8;
        hry_dequant_each(d, from, part, numbers + done, decoder->floats ? (float *)values + done : floats);
        all &= decoder->floats || finish(decoder, floats, part, values_after(decoder, values, done));
    }
    return all;
}

bool hry_decoder_run(const hry_decoder *decoder, const void *codes, size_t n, const uint64_t *index, uint32_t axis,
                     int64_t step, void *values)
{
    if (decoder->quantized)
        return run_quantized(decoder, codes, n, index, axis, step, values);
    return hry_convert_run(&decoder->convert, codes, n, values);
}
