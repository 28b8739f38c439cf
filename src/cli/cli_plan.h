/*
 * What an output will hold: tensors of open files under their names, and metadata. Every writing command makes such a
 * plan first, and then has it written.
 */
#ifndef HRY_CLI_PLAN_H
#define HRY_CLI_PLAN_H

#include "cli/cli_formats.h"
#include "cli/cli_input.h"
#include "cli/cli_output.h"
#include "cli/cli_rows.h"

struct cli_item;

/* Makes the tensor that is written in place of an item's own, when its turn comes; *tensor NULL: its own as it is. */
typedef hry_status cli_make_fn(void *ctx, const struct cli_item *item, hry_tensor **tensor, hry_error *err);

/* Gives an item's own tensor another descriptor, in room bytes: its own length and 128 more. *desc is its own before.
 */
typedef hry_status cli_describe_fn(void *ctx, const struct cli_item *item, void *bytes, size_t room, hry_desc *desc,
                                   hry_error *err);

typedef struct cli_item {
    hry_file *file;
    const char *source; /* the file's name, for reports */
    uint64_t i;
    hry_str name;
    uint64_t place;    /* in the plan */
    cli_make_fn *make; /* NULL: the tensor as it is stored */
    void *make_ctx;
    cli_describe_fn *describe; /* for containers; NULL: the descriptor as it is. With make_ctx, instead of make */
} cli_item;

/* Files, names, keys and values are borrowed until the plan is written. */
typedef struct cli_plan {
    cli_item *items;
    uint64_t count, item_room;
    hry_kv *kvs;
    uint64_t kv_count, kv_room;
    uint32_t alignment; /* of the container; 0: the default */
    bool sorted;
    /* Called when all tensors are made, before the output is in place; NULL: nothing. An exit code other than CLI_OK,
     * after a report, drops the output. */
    int (*made)(void *ctx);
    void *made_ctx;
} cli_plan;

void cli_plan_free(cli_plan *plan);

/* The rows' tensors, in their order. */
void cli_plan_add_rows(cli_plan *plan, const cli_input *input, const cli_rows *rows);
/* One row's tensor alone; the item is valid until the next call that adds. */
cli_item *cli_plan_add_row(cli_plan *plan, const cli_input *input, const cli_row *row);
/* All metadata of a file; keys must not be there yet. */
void cli_plan_add_kvs(cli_plan *plan, const hry_file *file);
/* One key: its position, or kv_count when it is not there. */
uint64_t cli_plan_find_kv(const cli_plan *plan, hry_str key);
/* Gives a key a value, in place when it is there, else at the end. */
void cli_plan_set_kv(cli_plan *plan, const hry_kv *kv);
void cli_plan_remove_kv(cli_plan *plan, uint64_t position);
/* Takes over alignment and index order of a container, the larger alignment of several. */
void cli_plan_keep_form(cli_plan *plan, const hry_file *file);
/* A whole file as it is. */
void cli_plan_add_file(cli_plan *plan, const cli_input *input);

/* The bytes of all buffers. */
uint64_t cli_plan_bytes(const cli_plan *plan);

/* Writes it; reports. Exit code. With --dry-run, or --verbose, says on standard error what is (would be) written. */
int cli_plan_write(const cli_plan *plan, const cli_format_row *format, const cli_args *args, const cli_output *output);

/* The plan as a file of its own, for formats that are written from one. */
hry_status cli_plan_open(const cli_plan *plan, hry_file **file, hry_error *err);

#endif
