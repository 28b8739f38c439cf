#include "tensor/decode.h"

#include "base/status.h"
#include "type/types.h"

hry_status hry_decoder_init(hry_decoder *decoder, const hry_tensor *tensor, uint8_t type, uint8_t through, bool stored,
                            hry_error *err)
{
    const hry_desc *desc = &tensor->desc;
    uint32_t bits = hry_desc_bits(desc);
    (void)through; /* a member that is not quantized has the type of the view */
    if (desc->flags & HRY_HAS_QUANTIZATION && !stored)
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_QUANTIZATION, 0, 0,
                        "a quantized tensor is read as stored codes only");
    *decoder = (hry_decoder){ .tensor = tensor, .bits = bits, .type = type };
    bool same = type == desc->type;
    if (hry_type_is_private(desc->type) && same) {
        decoder->plain = true;
        return HRY_OK;
    }
    if (!hry_convert_init(&decoder->convert, desc->type, type))
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_NONE, 0, type, "%s cannot be read as %s",
                        hry_type_name(desc->type), hry_type_name(type));
    decoder->plain = same && (stored || !HRY_HOST_SWAPS || bits <= 8);
    return HRY_OK;
}

bool hry_decoder_run(const hry_decoder *decoder, const void *codes, size_t n, const uint64_t *index, uint32_t axis,
                     int64_t step, void *values)
{
    (void)index, (void)axis, (void)step;
    return hry_convert_run(&decoder->convert, codes, n, values);
}
