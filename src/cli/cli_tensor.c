#include "cli/cli_tensor.h"

#include <inttypes.h>
#include <stdlib.h>

#ifdef HURRAY_INTEROP
#include <hurray/interop.h>
#endif

/* Blocks of GGUF that are carried as they are: the name of their type, and the shape that they stand for. */
static const char *carried(const hry_desc *desc, uint64_t *shape)
{
#ifdef HURRAY_INTEROP
    const char *type = NULL;
    if (hry_gguf_carried(desc, &type, shape))
        return type;
#else
    (void)desc;
    (void)shape;
#endif
    return NULL;
}

const char *cli_type_name(uint8_t tag)
{
    return tag >= HRY_TYPE_PRIVATE_FIRST && tag <= HRY_TYPE_PRIVATE_LAST ? "extension" : hry_type_name(tag);
}

const char *cli_layout_name(uint8_t tag)
{
    return tag >= HRY_LAYOUT_PRIVATE_FIRST && tag <= HRY_LAYOUT_PRIVATE_LAST ? "extension" : hry_layout_name(tag);
}

char *cli_shape_text(const hry_desc *desc)
{
    uint32_t rank = hry_desc_rank(desc);
    size_t size = 4 + 21 * (size_t)rank, n = 0;
    uint64_t shape[HRY_RANK_MAX];
    char *text = cli_realloc(NULL, size);
    if (!carried(desc, shape))
        hry_desc_shape(desc, shape);
    text[n++] = '[';
    for (uint32_t k = 0; k < rank; k++) {
        uint64_t dim = shape[k];
        const char *comma = k ? "," : "";
        if (dim == HRY_DYNAMIC)
            n += (size_t)snprintf(text + n, size - n, "%s?", comma);
        else
            n += (size_t)snprintf(text + n, size - n, "%s%" PRIu64, comma, dim);
    }
    text[n++] = ']';
    text[n] = 0;
    return text;
}

const char *cli_quantization_text(const hry_desc *desc)
{
    hry_quantization quantization;
    const char *type = carried(desc, NULL);
    if (type)
        return type;
    return hry_desc_quantization(desc, &quantization) ? hry_scheme_name(quantization.scheme) : "-";
}

uint32_t cli_member_count(const hry_desc *desc)
{
    hry_layout layout;
    hry_layout_store store;
    if (hry_desc_layout(desc) != HRY_LAYOUT_COMPOSITE || !hry_desc_layout_get(desc, &layout, &store))
        return 0;
    return layout.member_count;
}

bool cli_is_group(const hry_desc *desc)
{
    enum { GROUP = 3 };
    hry_layout layout;
    hry_layout_store store;
    return hry_desc_layout(desc) == HRY_LAYOUT_COMPOSITE && hry_desc_layout_get(desc, &layout, &store) &&
           layout.composition_rule == GROUP;
}

bool cli_is_group_at(hry_file *file, uint64_t i)
{
    hry_desc desc;
    return !hry_file_desc(file, i, &desc, NULL) && cli_is_group(&desc);
}

char *cli_composite_text(const hry_desc *desc)
{
    static const char *const rules[] = { "", "partition", "overlay", "group" };
    hry_layout layout;
    hry_layout_store store;
    if (hry_desc_layout(desc) != HRY_LAYOUT_COMPOSITE || !hry_desc_layout_get(desc, &layout, &store))
        return cli_format("%s", "");
    const char *rule = layout.composition_rule < 4 ? rules[layout.composition_rule] : "private rule";
    const char *op = layout.combine_op == 1 ? " (replace)" : layout.combine_op == 2 ? " (add)" : "";
    return cli_format("%s%s of %" PRIu32, rule, op, layout.member_count);
}
