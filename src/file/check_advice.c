/* Advice about single fields: what readers accept and writers should not make. */
#include "file/check.h"

#include <stdio.h>

/* C0 controls, DEL and the C1 controls U+0080..U+009F, which are C2 80 .. C2 9F. */
static bool has_control(hry_str text)
{
    const unsigned char *p = (const unsigned char *)text.ptr;
    for (size_t i = 0; i < text.len; i++)
        if (p[i] < 0x20 || p[i] == 0x7F || (p[i] == 0xC2 && i + 1 < text.len && p[i + 1] < 0xA0))
            return true;
    return false;
}

static void check_names(hry_check *check, const hry_container *c)
{
    for (uint32_t i = 0; i < c->base.count; i++) {
        hry_str name = hry_index_name(&c->index, i);
        if (has_control(name))
            hry_check_advise(check, HRY_RULE_FL_09, HRY_SECTION_INDEX, c->frame.info.index_offset + c->index.at[i] + 2,
                             name, NULL);
    }
    for (size_t i = 0; i < c->base.kv.count; i++) {
        hry_str key = c->base.kv.items[i].key;
        if (has_control(key))
            hry_check_advise(check, HRY_RULE_FL_09, HRY_SECTION_KV,
                             c->frame.info.kv_offset + (uint64_t)((const uint8_t *)key.ptr - c->kv_bytes.bytes),
                             (hry_str){ 0 }, NULL);
    }
}

void hry_check_container(hry_check *check, const hry_container *container)
{
    const hry_file_info *info = &container->frame.info;
    hry_str none = { 0 };
    if (!check->options.lint)
        return;
    if (info->tensor_count_hint != UINT64_MAX && info->tensor_count_hint != container->base.count)
        hry_check_advise(check, HRY_RULE_FL_02, HRY_SECTION_FILE_HEADER, 28, none, NULL);
    if (info->kv_offset != 0 && !(info->flags & HRY_FILE_HAS_KV))
        hry_check_advise(check, HRY_RULE_FL_06, HRY_SECTION_FILE_HEADER, 12, none, NULL);
    check_names(check, container);
}

typedef struct tensor_advice {
    hry_check *check;
    hry_str tensor;
    uint64_t base;
} tensor_advice;

static void pass_on(void *ctx, uint16_t rule, uint64_t offset, const char *message)
{
    const tensor_advice *t = ctx;
    hry_check_advise(t->check, (enum hry_rule)rule, HRY_SECTION_NONE, t->base + offset, t->tensor, message);
}

void hry_check_desc(hry_check *check, hry_str tensor, const hry_desc *desc, uint64_t base, uint32_t alignment)
{
    hry_buffer b;
    if (!check->options.lint)
        return;
    hry_desc_lint(desc, pass_on, &(tensor_advice){ check, tensor, base });
    for (uint32_t k = 0; k < hry_desc_rank(desc); k++)
        if (hry_desc_dim(desc, k) == HRY_DYNAMIC) {
            hry_check_advise(check, HRY_RULE_F_T04, HRY_SECTION_SHAPE, base + 20 + 8 * (uint64_t)k, tensor, NULL);
            break;
        }
    for (uint32_t k = 0; hry_desc_buffer(desc, k, &b); k++) {
        uint64_t at = base + desc->buffers_offset + 1 + 16 * (uint64_t)k;
        if (b.byte_size != 0 && b.alignment > alignment)
            hry_check_advise(check, HRY_RULE_FL_07, HRY_SECTION_BUFFERS, at + 8, tensor, NULL);
        if ((b.device_tag | b.sync_mode | b.memory_class) != 0)
            hry_check_advise(check, HRY_RULE_FL_08, HRY_SECTION_BUFFERS, at + 12, tensor, NULL);
    }
}
