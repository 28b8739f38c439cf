#include "interop/gguf/gguf_types.h"

#include <hurray/type.h>
#include <stddef.h>

#define PLAIN(id, tag, width)                                                                                    \
    [HRY_GGUF_##id] = {                                                                                          \
        .name = #id, .elements = 1, .bytes = (width), .element = HRY_TYPE_##tag, .fields = { { 0, (width), 1 } } \
    }
#define BLOCK(id, size, nbytes, ...) \
    [HRY_GGUF_##id] = { .name = #id, .elements = (size), .bytes = (nbytes), .fields = { __VA_ARGS__ } }
#define GRID(id, nbytes) [HRY_GGUF_##id] = { .name = #id, .elements = 256, .bytes = (nbytes), .grid = true }

/* (format: gguf, section 2) */
static const hry_gguf_type types[HRY_GGUF_TYPES] = {
    PLAIN(F32, FLOAT32, 4),
    PLAIN(F16, FLOAT16, 2),
    PLAIN(BF16, BFLOAT16, 2),
    PLAIN(F64, FLOAT64, 8),
    PLAIN(I8, INT8, 1),
    PLAIN(I16, INT16, 2),
    PLAIN(I32, INT32, 4),
    PLAIN(I64, INT64, 8),
    BLOCK(Q4_0, 32, 18, { 0, 2, 1 }),
    BLOCK(Q4_1, 32, 20, { 0, 2, 2 }),
    BLOCK(Q5_0, 32, 22, { 0, 2, 1 }),
    BLOCK(Q5_1, 32, 24, { 0, 2, 2 }),
    BLOCK(Q8_0, 32, 34, { 0, 2, 1 }),
    BLOCK(Q8_1, 32, 36, { 0, 2, 2 }),
    BLOCK(Q2_K, 256, 84, { 80, 2, 2 }),
    BLOCK(Q3_K, 256, 110, { 108, 2, 1 }),
    BLOCK(Q4_K, 256, 144, { 0, 2, 2 }),
    BLOCK(Q5_K, 256, 176, { 0, 2, 2 }),
    BLOCK(Q6_K, 256, 210, { 208, 2, 1 }),
    BLOCK(Q8_K, 256, 292, { 0, 4, 1 }, { 260, 2, 16 }),
    BLOCK(IQ4_NL, 32, 18, { 0, 2, 1 }),
    BLOCK(IQ4_XS, 256, 136, { 0, 2, 2 }),
    BLOCK(TQ1_0, 256, 54, { 52, 2, 1 }),
    BLOCK(TQ2_0, 256, 66, { 64, 2, 1 }),
    BLOCK(MXFP4, 32, 17, { 0 }),
    BLOCK(NVFP4, 64, 36, { 0 }),
    BLOCK(Q1_0, 128, 18, { 0, 2, 1 }),
    BLOCK(Q2_0, 64, 18, { 0, 2, 1 }),
    GRID(IQ2_XXS, 66),
    GRID(IQ2_XS, 74),
    GRID(IQ2_S, 82),
    GRID(IQ3_XXS, 98),
    GRID(IQ3_S, 110),
    GRID(IQ1_S, 50),
    GRID(IQ1_M, 56),
};

const hry_gguf_type *hry_gguf_type_of(uint32_t id)
{
    return id < HRY_GGUF_TYPES && types[id].name ? &types[id] : NULL;
}

bool hry_gguf_type_of_element(uint8_t tag, uint32_t *id)
{
    for (uint32_t i = 0; i < HRY_GGUF_TYPES && tag != 0; i++)
        if (types[i].element == tag) {
            *id = i;
            return true;
        }
    return false;
}

static void turn(uint8_t *p, size_t width)
{
    for (size_t i = 0; i < width / 2; i++) {
        uint8_t byte = p[i];
        p[i] = p[width - 1 - i];
        p[width - 1 - i] = byte;
    }
}

void hry_gguf_swap(const hry_gguf_type *type, uint8_t *blocks, uint64_t count)
{
    for (uint64_t b = 0; b < count; b++, blocks += type->bytes)
        for (size_t f = 0; f < sizeof type->fields / sizeof *type->fields; f++)
            for (size_t k = 0; k < type->fields[f].count; k++)
                turn(blocks + type->fields[f].at + k * type->fields[f].width, type->fields[f].width);
}
