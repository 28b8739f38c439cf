/* Codes and scales of a tensor, in the shape that the form of a GGUF type wants them. */
#include "interop/gguf/gguf_half.h"
#include "interop/gguf/gguf_plan.h"

#include <hurray/type.h>
#include <string.h>

hry_status hry_gguf_source_open(hry_file *file, uint64_t i, hry_gguf_source *source, hry_error *err)
{
    hry_tensor *tensor;
    hry_quantization q;
    hry_status status = hry_file_tensor_at(file, i, &tensor, err);
    if (status)
        return status;
    const hry_desc *desc = hry_tensor_desc(tensor);
    const uint8_t *codes = hry_tensor_buffer(tensor, 0, NULL);
    hry_desc_quantization(desc, &q);
    *source = (hry_gguf_source){ .tensor = tensor,
                                 .codes = codes ? codes + hry_desc_byte_offset(desc) : NULL,
                                 .scales = hry_tensor_buffer(tensor, q.scale_buffer_index, NULL),
                                 .scale_type = q.scheme == HRY_SCHEME_PER_BLOCK ? q.scale_type_tag : 0,
                                 .flip = hry_desc_type(desc) == HRY_TYPE_UINT4 };
    return HRY_OK;
}

/* n scales of another type as float16; false when one has no such value. */
static bool narrow_scales(const uint8_t *from, uint8_t type, size_t n, uint8_t *to)
{
    bool exact = true;
    for (size_t i = 0; i < n; i++) {
        float scale = type == HRY_TYPE_FLOAT32 ? hry_load_f32(from + 4 * i) : hry_bf16_to_f32(hry_load16(from + 2 * i));
        uint16_t half = hry_f32_to_f16(scale);
        exact &= hry_f32_bits(hry_f16_to_f32(half)) == hry_f32_bits(scale);
        hry_store16(to + 2 * i, half);
    }
    return exact;
}

static bool is_other_scale(const hry_gguf_source *source, const hry_gguf_form *form)
{
    return source->scale_type != form->scale_type;
}

/* Scales of its own are taken from source; the others stand for so many each. */
static const uint8_t *scales_at(const hry_gguf_source *source, const hry_gguf_form *form, uint64_t first)
{
    size_t width = source->scale_type == 0 ? 1 : source->scale_type == HRY_TYPE_FLOAT32 ? 4 : 2;
    size_t own = form->scale_type == 0 ? 1 : form->scale_type == HRY_TYPE_FLOAT32 ? 4 : 2;
    return source->scales + first * (form->scales / own) * width;
}

hry_gguf_parts hry_gguf_source_parts(const hry_gguf_source *source, const hry_gguf_form *form, uint64_t first,
                                     size_t count, uint8_t *codes, uint8_t *scales)
{
    hry_gguf_parts parts = { source->codes + first * form->codes, scales_at(source, form, first) };
    if (source->flip) {
        for (size_t i = 0; i < count * form->codes; i++)
            codes[i] = parts.codes[i] ^ 0x88;
        parts.codes = codes;
    }
    if (is_other_scale(source, form)) {
        narrow_scales(parts.scales, source->scale_type, count, scales);
        parts.scales = scales;
    }
    return parts;
}

bool hry_gguf_source_fits(const hry_gguf_source *source, const hry_gguf_form *form, uint64_t blocks)
{
    uint8_t codes[HRY_GGUF_PIECE * 256], scales[HRY_GGUF_PIECE * 64];
    bool other = is_other_scale(source, form);
    if (other && form->scale_type != HRY_TYPE_FLOAT16)
        return false;
    for (uint64_t first = 0; first < blocks; first += HRY_GGUF_PIECE) {
        size_t count = blocks - first < HRY_GGUF_PIECE ? (size_t)(blocks - first) : HRY_GGUF_PIECE;
        if (other && !narrow_scales(scales_at(source, form, first), source->scale_type, count, scales))
            return false;
        hry_gguf_parts parts = hry_gguf_source_parts(source, form, first, count, codes, scales);
        if (form->takes && !form->takes(parts.codes, parts.scales, count))
            return false;
    }
    return true;
}
