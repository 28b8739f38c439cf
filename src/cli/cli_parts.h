/* One model in several containers: NAME-00001-of-00003.hrry, each with its number in metadata. */
#ifndef HRY_CLI_PARTS_H
#define HRY_CLI_PARTS_H

#include "cli/cli_plan.h"

#define CLI_SPLIT_NO "split.no" /* from 0, as in GGUF */
#define CLI_SPLIT_COUNT "split.count"
#define CLI_SPLIT_TENSORS "split.tensors.count"

/* A whole number in metadata, of either integer type. False when the key is absent or has another type. */
bool cli_part_number(const hry_file *file, const char *key, uint64_t *value);
bool cli_part_is_key(hry_str key);
bool cli_kv_equal(const hry_kv_value *a, const hry_kv_value *b);

/* The bytes that a container of these tensors takes, grown a tensor at a time. */
typedef struct cli_part_size {
    uint64_t alignment;
    uint64_t end;   /* of the tensors so far */
    uint64_t index; /* bytes of the index so far */
    uint64_t kv;    /* bytes of the metadata */
} cli_part_size;

void cli_part_size_start(cli_part_size *size, uint64_t alignment, uint64_t kv_bytes);
void cli_part_size_add(cli_part_size *size, hry_file *file, uint64_t i);
uint64_t cli_part_size_total(const cli_part_size *size);

#endif
