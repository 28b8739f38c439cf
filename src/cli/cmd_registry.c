/* hurray registry: the values of the format that this build knows. */
#include "cli/cli_commands.h"
#include "cli/cli_json.h"
#include "cli/cli_out.h"

#include <hurray/desc.h>

#include <inttypes.h>
#include <stdlib.h>

/* The optional sections of a descriptor, in the order of the bytes, each with the flag that announces it. */
static const struct {
    const char *name;
    uint8_t flag_bit;
} sections[] = {
    { "quantization", 0 }, { "shard", 1 }, { "statistics", 3 }, { "extension type", 2 }, { "composite member", 4 },
};

enum { SECTION_COUNT = sizeof sections / sizeof *sections };

static const char *version_text(uint8_t minor)
{
    static char text[8];
    snprintf(text, sizeof text, "1.%u", minor);
    return text;
}

static bool is_flag(uint8_t space)
{
    return space == HRY_SPACE_DESCRIPTOR_FLAG || space == HRY_SPACE_FILE_FLAG;
}

static void put_value(uint8_t space, uint16_t value)
{
    char text[16];
    snprintf(text, sizeof text, is_flag(space) ? "bit %u" : "0x%02x", value);
    printf("  %-6s", text);
}

static void put_row(const hry_registry_row *row)
{
    put_value(row->space, row->value);
    if (row->tier)
        printf("  tier %u", row->tier);
    else
        printf("  %-6s", "");
    printf("  since %s  %s", version_text(row->since_minor), row->name);
    if (row->deprecated_minor)
        printf("  deprecated since %s", version_text(row->deprecated_minor));
    if (row->replacement)
        printf(", use 0x%02x", row->replacement);
    fputc('\n', stdout);
}

static void print_text(void)
{
    const hry_profile *profile = hry_profile_current();
    hry_registry_row row;
    printf("descriptor 1.%u\ncontainer 1.%u\n", profile->descriptor_minor, profile->container_minor);
    for (size_t k = 0; hry_registry_at(k, &row); k++)
        if (row.space == HRY_SPACE_SCHEME)
            printf("scheme %s version %u\n", row.name, profile->scheme_version);
    uint8_t space = 0;
    for (size_t k = 0; hry_registry_at(k, &row); k++) {
        if (row.space != space)
            printf("\n%s\n", hry_space_name(space = row.space));
        put_row(&row);
    }
    puts("\nsection");
    for (size_t k = 0; k < SECTION_COUNT; k++) {
        hry_registry_row flag;
        if (!hry_registry_find(HRY_SPACE_DESCRIPTOR_FLAG, sections[k].flag_bit, &flag))
            continue;
        put_value(HRY_SPACE_DESCRIPTOR_FLAG, flag.value);
        printf("          since %s  %s\n", version_text(flag.since_minor), sections[k].name);
    }
}

static void row_json(cli_json *json, const hry_registry_row *row)
{
    cli_json_open(json, NULL);
    cli_json_str(json, "name", row->name);
    cli_json_u64(json, is_flag(row->space) ? "bit" : "tag", row->value);
    if (row->tier)
        cli_json_u64(json, "tier", row->tier);
    else
        cli_json_null(json, "tier");
    cli_json_str(json, "since", version_text(row->since_minor));
    cli_json_str(json, "deprecated_since", row->deprecated_minor ? version_text(row->deprecated_minor) : NULL);
    if (row->replacement)
        cli_json_u64(json, "replacement", row->replacement);
    else
        cli_json_null(json, "replacement");
    cli_json_close(json);
}

static void space_json(cli_json *json, const char *key, uint8_t space)
{
    hry_registry_row row;
    cli_json_open_array(json, key);
    for (size_t k = 0; hry_registry_at(k, &row); k++)
        if (row.space == space)
            row_json(json, &row);
    cli_json_close_array(json);
}

static void versions_json(cli_json *json)
{
    const hry_profile *profile = hry_profile_current();
    hry_registry_row row;
    cli_json_open(json, "versions");
    cli_json_str(json, "descriptor", version_text(profile->descriptor_minor));
    cli_json_str(json, "container", version_text(profile->container_minor));
    cli_json_open(json, "schemes");
    for (size_t k = 0; hry_registry_at(k, &row); k++)
        if (row.space == HRY_SPACE_SCHEME)
            cli_json_u64(json, row.name, profile->scheme_version);
    cli_json_close(json);
    cli_json_close(json);
}

static void sections_json(cli_json *json)
{
    cli_json_open_array(json, "sections");
    for (size_t k = 0; k < SECTION_COUNT; k++) {
        hry_registry_row flag;
        if (!hry_registry_find(HRY_SPACE_DESCRIPTOR_FLAG, sections[k].flag_bit, &flag))
            continue;
        cli_json_open(json, NULL);
        cli_json_str(json, "name", sections[k].name);
        cli_json_u64(json, "flag_bit", flag.value);
        cli_json_str(json, "since", version_text(flag.since_minor));
        cli_json_close(json);
    }
    cli_json_close_array(json);
}

static void print_json(void)
{
    static const struct {
        uint8_t space;
        const char *key;
    } spaces[] = {
        { HRY_SPACE_TYPE, "types" },
        { HRY_SPACE_LAYOUT, "layouts" },
        { HRY_SPACE_SCHEME, "schemes" },
        { HRY_SPACE_DEVICE, "devices" },
        { HRY_SPACE_MEMORY_CLASS, "memory_classes" },
        { HRY_SPACE_SYNC_MODE, "sync_modes" },
        { HRY_SPACE_DESCRIPTOR_FLAG, "descriptor_flags" },
        { HRY_SPACE_FILE_FLAG, "file_flags" },
        { HRY_SPACE_KV_TYPE, "kv_types" },
    };
    cli_json *json = cli_json_begin();
    cli_json_open(json, NULL);
    cli_json_str(json, "hurray", hry_version());
    versions_json(json);
    for (size_t k = 0; k < sizeof spaces / sizeof *spaces; k++)
        space_json(json, spaces[k].key, spaces[k].space);
    sections_json(json);
    cli_json_close(json);
    cli_json_end(json);
}

static int run(const cli_args *args)
{
    if (cli_has(args, CLI_OPT_JSON))
        print_json();
    else
        print_text();
    return CLI_OK;
}

const cli_command cli_registry = {
    .name = "registry",
    .usage = "",
    .summary = "list the types, layouts, schemes and flags that this build knows",
    .details = "Each value with its tier and the version it came in, and the current version on each axis.",
    .groups = CLI_REPORTS,
    .run = run,
};
