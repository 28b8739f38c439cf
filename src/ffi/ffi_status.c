#include "ffi/ffi_status.h"

#include <string.h>

/* The format's own table (buffers, section 7); everything that it does not name is an internal error. */
static const struct {
    const char *rule;
    HurrayStatus status;
} codes[] = {
    { "D-02", HURRAY_ERR_INVALID_MAGIC },     { "D-03", HURRAY_ERR_VERSION_MISMATCH },
    { "D-04", HURRAY_ERR_VERSION_MISMATCH },  { "D-08", HURRAY_ERR_INVALID_TYPE },
    { "D-09", HURRAY_ERR_INVALID_TYPE },      { "D-10", HURRAY_ERR_INVALID_TYPE },
    { "D-24", HURRAY_ERR_INVALID_TYPE },      { "D-25", HURRAY_ERR_INVALID_TYPE },
    { "D-28", HURRAY_ERR_INVALID_TYPE },      { "D-29", HURRAY_ERR_INVALID_TYPE },
    { "D-33", HURRAY_ERR_INVALID_TYPE },      { "D-26", HURRAY_ERR_INVALID_SYNC_MODE },
    { "D-27", HURRAY_ERR_INVALID_SYNC_MODE }, { "D-40", HURRAY_ERR_INTERNAL },
    { "D-41", HURRAY_ERR_INTERNAL },          { "D-42", HURRAY_ERR_INTERNAL },
    { "D-43", HURRAY_ERR_INTERNAL },          { "D-44", HURRAY_ERR_INTERNAL },
    { "D-45", HURRAY_ERR_INTERNAL },
};

HurrayStatus hurray_status_of(const hry_error *err)
{
    if (err->status == HRY_OK)
        return HURRAY_OK;
    if (err->status == HRY_E_MEMORY)
        return HURRAY_ERR_OUT_OF_MEMORY;
    const char *rule = hry_rule_id(err->rule);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(codes[i].rule, rule) == 0)
            return codes[i].status;
    bool composite = strncmp(rule, "L-CMP", 5) == 0;
    return rule[0] == 'D' || (rule[0] == 'L' && !composite) ? HURRAY_ERR_INVALID_LAYOUT : HURRAY_ERR_INTERNAL;
}
