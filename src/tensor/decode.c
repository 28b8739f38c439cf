#include "tensor/decode.h"

#include "base/status.h"
#include "type/types.h"

hry_status hry_decoder_init(hry_decoder *decoder, const hry_tensor *tensor, const hry_want *want, hry_error *err)
{
    const hry_desc *desc = &tensor->desc;
    uint32_t bits = hry_desc_bits(desc);
    if (desc->flags & HRY_HAS_QUANTIZATION && !want->stored)
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_QUANTIZATION, 0, 0,
                        "a quantized tensor is read as stored codes only");
    *decoder = (hry_decoder){ .tensor = tensor, .bits = bits, .type = want->type };
    bool same = want->type == desc->type;
    decoder->plain = same && (want->raw || !HRY_HOST_SWAPS || bits <= 8);
    if (hry_type_is_private(desc->type) && same) {
        decoder->plain = true;
        return HRY_OK;
    }
    if (!hry_convert_init(&decoder->convert, desc->type, want->type))
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_NONE, 0, want->type, "%s cannot be read as %s",
                        hry_type_name(desc->type), hry_type_name(want->type));
    if (want->raw && HRY_HOST_SWAPS)
        decoder->convert.run = hry_convert_raw;
    return HRY_OK;
}

bool hry_decoder_run(const hry_decoder *decoder, const void *codes, size_t n, const uint64_t *index, uint32_t axis,
                     int64_t step, void *values)
{
    (void)index, (void)axis, (void)step;
    return hry_convert_run(&decoder->convert, codes, n, values);
}
