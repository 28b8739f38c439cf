#include "cli/cli_copy.h"
#include "cli/cli_input.h"

#include <string.h>

hry_writer_options cli_copy_options(const hry_file *file, const cli_args *args)
{
    hry_writer_options options = { .tensor_count = hry_file_count(file), .parse = cli_read_options(args).parse };
    if (strcmp(hry_file_format(file), "hurray") == 0) {
        hry_file_info info;
        hry_file_info_get(file, &info);
        options.alignment = info.alignment;
        options.sorted = info.flags & HRY_FILE_SORTED_INDEX;
    }
    return options;
}

hry_status cli_copy_kv(cli_copying *copying, const hry_file *file, hry_error *err)
{
    hry_status status = HRY_OK;
    copying->at = (hry_str){ 0 };
    for (uint64_t k = 0; k < hry_file_kv_count(file) && !status; k++) {
        const hry_kv *kv = hry_file_kv_at(file, k);
        status = hry_writer_kv(copying->writer, kv->key.ptr, kv->key.len, &kv->value, err);
    }
    return status;
}

static uint64_t row_bytes(hry_file *file, const cli_row *row)
{
    hry_desc desc;
    uint64_t nbytes;
    return hry_file_desc(file, row->i, &desc, NULL) == HRY_OK && hry_desc_data_size(&desc, &nbytes) ? nbytes : 0;
}

uint64_t cli_rows_bytes(hry_file *file, const cli_rows *rows)
{
    uint64_t total = 0;
    for (uint64_t k = 0; k < rows->count; k++)
        total += row_bytes(file, &rows->rows[k]);
    return total;
}

hry_status cli_copy_rows(cli_copying *copying, hry_file *file, const cli_rows *rows, hry_error *err)
{
    for (uint64_t k = 0; k < rows->count; k++) {
        const cli_row *row = &rows->rows[k];
        copying->at = row->name;
        hry_status status = hry_writer_copy(copying->writer, row->name.ptr, row->name.len, file, row->i, err);
        if (status)
            return status;
        if (copying->progress)
            cli_progress_add(copying->progress, row_bytes(file, row));
    }
    copying->at = (hry_str){ 0 };
    return HRY_OK;
}
