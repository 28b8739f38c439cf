#include "cli/cli_plan.h"
#include "cli/cli_out.h"

#include <stdlib.h>
#include <string.h>

void cli_plan_free(cli_plan *plan)
{
    free(plan->items);
    free(plan->kvs);
    *plan = (cli_plan){ 0 };
}

static void make_room(cli_plan *plan, uint64_t more)
{
    if (more > plan->item_room - plan->count) {
        plan->item_room = 2 * (plan->count + more);
        plan->items = cli_realloc_items(plan->items, plan->item_room, sizeof *plan->items);
    }
}

cli_item *cli_plan_add_row(cli_plan *plan, const cli_input *input, const cli_row *row)
{
    make_room(plan, 1);
    cli_item *item = &plan->items[plan->count];
    *item = (cli_item){
        .file = input->file, .source = input->source.name, .i = row->i, .name = row->name, .place = plan->count++
    };
    return item;
}

void cli_plan_add_rows(cli_plan *plan, const cli_input *input, const cli_rows *rows)
{
    make_room(plan, rows->count);
    for (uint64_t k = 0; k < rows->count; k++)
        cli_plan_add_row(plan, input, &rows->rows[k]);
}

static void append_kv(cli_plan *plan, const hry_kv *kv)
{
    if (plan->kv_count == plan->kv_room) {
        plan->kv_room = plan->kv_room ? 2 * plan->kv_room : 16;
        plan->kvs = cli_realloc_items(plan->kvs, plan->kv_room, sizeof *plan->kvs);
    }
    plan->kvs[plan->kv_count++] = *kv;
}

void cli_plan_add_kvs(cli_plan *plan, const hry_file *file)
{
    for (uint64_t k = 0; k < hry_file_kv_count(file); k++)
        append_kv(plan, hry_file_kv_at(file, k));
}

uint64_t cli_plan_find_kv(const cli_plan *plan, hry_str key)
{
    uint64_t k = 0;
    while (k < plan->kv_count && (plan->kvs[k].key.len != key.len || memcmp(plan->kvs[k].key.ptr, key.ptr, key.len)))
        k++;
    return k;
}

void cli_plan_set_kv(cli_plan *plan, const hry_kv *kv)
{
    uint64_t k = cli_plan_find_kv(plan, kv->key);
    if (k < plan->kv_count)
        plan->kvs[k].value = kv->value;
    else
        append_kv(plan, kv);
}

void cli_plan_remove_kv(cli_plan *plan, uint64_t position)
{
    plan->kv_count--;
    memmove(&plan->kvs[position], &plan->kvs[position + 1], (size_t)(plan->kv_count - position) * sizeof *plan->kvs);
}

void cli_plan_keep_form(cli_plan *plan, const hry_file *file)
{
    if (strcmp(hry_file_format(file), "hurray") != 0)
        return;
    hry_file_info info;
    hry_file_info_get(file, &info);
    plan->alignment = info.alignment > plan->alignment ? info.alignment : plan->alignment;
    plan->sorted |= (info.flags & HRY_FILE_SORTED_INDEX) != 0;
}

void cli_plan_add_file(cli_plan *plan, const cli_input *input)
{
    cli_rows rows;
    cli_rows_written(input->file, &rows);
    cli_plan_add_rows(plan, input, &rows);
    free(rows.rows);
    cli_plan_add_kvs(plan, input->file);
    cli_plan_keep_form(plan, input->file);
}
