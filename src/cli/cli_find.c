#include "cli/cli_find.h"
#include "cli/cli_out.h"

#include <string.h>

static int find_name(const cli_input *input, const char *text, size_t len, cli_found *found)
{
    found->name = (hry_str){ text, len };
    return hry_file_find(input->file, text, len, &found->i);
}

int cli_find(const cli_input *input, const char *text, const char *region, const cli_args *args, cli_found *found)
{
    size_t len = strlen(text);
    const char *bracket = len && text[len - 1] == ']' ? strrchr(text, '[') : NULL;
    *found = (cli_found){ .has_region = region != NULL };
    if (region && !cli_region_parse(region, strlen(region), &found->region))
        return cli_usage(args->command, "'%s' is not a region", region);
    if (find_name(input, text, len, found))
        return CLI_OK;
    if (!bracket || !find_name(input, text, (size_t)(bracket - text), found))
        return cli_fail(CLI_NO, input->source.name, text, "there is no such tensor");
    if (region)
        return cli_usage(args->command, "two regions: '%s' and '%s'", bracket, region);
    if (!cli_region_parse(bracket, strlen(bracket), &found->region))
        return cli_usage(args->command, "'%s' is not a region", bracket);
    found->has_region = true;
    return CLI_OK;
}

int cli_find_part(const cli_input *input, const cli_found *found, hry_tensor **tensor, cli_part *part)
{
    hry_error err;
    char why[160];
    uint64_t shape[HRY_RANK_MAX];
    if (hry_file_tensor_at(input->file, found->i, tensor, &err))
        return cli_report(input->source.name, found->name.ptr, found->name.len, &err);
    const hry_desc *desc = hry_tensor_desc(*tensor);
    hry_desc_shape(desc, shape);
    cli_part_whole(hry_desc_rank(desc), shape, part);
    const char *wrong = found->has_region ? cli_part_cut(&found->region, hry_desc_rank(desc), shape, part, why) : NULL;
    if (!wrong)
        return CLI_OK;
    hry_tensor_release(*tensor);
    err = (hry_error){ .status = HRY_E_ABSENT };
    strcpy(err.message, why);
    return cli_report(input->source.name, found->name.ptr, found->name.len, &err);
}
