#include "cli/cli_parts.h"

#include <string.h>

bool cli_part_number(const hry_file *file, const char *key, uint64_t *value)
{
    const hry_kv *kv = hry_file_kv(file, key);
    if (kv && kv->value.type == HRY_KV_UINT64)
        *value = kv->value.as.uint64;
    else if (kv && kv->value.type == HRY_KV_INT64 && kv->value.as.int64 >= 0)
        *value = (uint64_t)kv->value.as.int64;
    else
        return false;
    return true;
}

bool cli_part_is_key(hry_str key)
{
    static const char *const keys[] = { CLI_SPLIT_NO, CLI_SPLIT_COUNT, CLI_SPLIT_TENSORS };
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (key.len == strlen(keys[k]) && memcmp(key.ptr, keys[k], key.len) == 0)
            return true;
    return false;
}

bool cli_kv_equal(const hry_kv_value *a, const hry_kv_value *b)
{
    if (a->type != b->type)
        return false;
    switch (a->type) {
    case HRY_KV_STRING:
    case HRY_KV_BYTES:
        return a->as.string.len == b->as.string.len && !memcmp(a->as.string.ptr, b->as.string.ptr, a->as.string.len);
    case HRY_KV_INT64:
    case HRY_KV_UINT64:
        return a->as.uint64 == b->as.uint64;
    case HRY_KV_FLOAT64:
        return memcmp(&a->as.float64, &b->as.float64, sizeof a->as.float64) == 0;
    case HRY_KV_BOOL:
        return a->as.boolean == b->as.boolean;
    default:
        return a->element_type == b->element_type && a->as.array.count == b->as.array.count &&
               a->as.array.nbytes == b->as.array.nbytes &&
               memcmp(a->as.array.encoded, b->as.array.encoded, (size_t)a->as.array.nbytes) == 0;
    }
}

/* Sizes of real files: sums stay far below 64 bits, and what does not saturates. */
static uint64_t plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t align_up(uint64_t value, uint64_t alignment)
{
    uint64_t rest = value % alignment;
    return rest ? plus(value, alignment - rest) : value;
}

void cli_part_size_start(cli_part_size *size, uint64_t alignment, uint64_t kv_bytes)
{
    enum { HEADER = 64, COUNT = 8 };
    *size = (cli_part_size){ .alignment = alignment ? alignment : 4096, .end = HEADER, .index = COUNT, .kv = kv_bytes };
}

void cli_part_size_add(cli_part_size *size, hry_file *file, uint64_t i)
{
    enum { ENTRY = 34 };
    hry_desc desc;
    hry_buffer buffer;
    size->index += ENTRY + hry_file_name(file, i).len;
    if (hry_file_desc(file, i, &desc, NULL))
        return;
    size->end = plus(align_up(size->end, 8), desc.length);
    for (uint32_t k = 0; hry_desc_buffer(&desc, k, &buffer); k++)
        size->end = plus(align_up(size->end, size->alignment), buffer.byte_size);
}

uint64_t cli_part_size_total(const cli_part_size *size)
{
    enum { TRAILER = 40 };
    uint64_t kv_end = plus(align_up(size->end, 8), size->kv);
    return plus(plus(align_up(kv_end, 8), size->index), TRAILER);
}
