#include "desc/reader.h"

#include "base/limits.h"

const hry_profile *hry_profile_current(void)
{
    static const hry_profile current = { .scheme_version = 1 };
    return &current;
}

void hry_reader_init(hry_reader *reader, const hry_parse_options *options)
{
    *reader = (hry_reader){
        .descriptor_length = hry_limits_default.descriptor_length,
        .tile_levels = hry_limits_default.tile_levels,
        .profile = hry_profile_current(),
    };
    if (!options)
        return;
    const hry_limits *limits = options->limits;
    if (limits && limits->descriptor_length)
        reader->descriptor_length = limits->descriptor_length;
    if (limits && limits->tile_levels)
        reader->tile_levels = limits->tile_levels;
    if (options->profile)
        reader->profile = options->profile;
    reader->allow = options->allow;
    reader->permissive = options->permissive;
    reader->stored = options->stored;
}

bool hry_reader_knows(const hry_reader *reader, enum hry_space space, uint16_t value)
{
    const hry_profile *profile = reader->profile;
    for (size_t i = 0; i < profile->extra_count; i++)
        if (profile->extra[i].space == space && profile->extra[i].value == value)
            return profile->extra[i].since_minor <= profile->descriptor_minor;
    return true;
}

static bool listed(const uint8_t *list, size_t count, uint8_t value)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == value)
            return true;
    return false;
}

bool hry_reader_allows_type(const hry_reader *reader, uint8_t tag)
{
    const hry_allow *a = reader->allow;
    return a && (a->all || listed(a->types, a->type_count, tag));
}

bool hry_reader_allows_layout(const hry_reader *reader, uint64_t id)
{
    const hry_allow *a = reader->allow;
    if (!a || a->all)
        return a != NULL;
    for (size_t i = 0; i < a->layout_id_count; i++)
        if (a->layout_ids[i] == id)
            return true;
    return false;
}

bool hry_reader_allows_scheme(const hry_reader *reader, uint8_t tag)
{
    const hry_allow *a = reader->allow;
    return a && (a->all || listed(a->schemes, a->scheme_count, tag));
}

bool hry_reader_allows_device(const hry_reader *reader, uint8_t tag)
{
    const hry_allow *a = reader->allow;
    return a && (a->all || listed(a->devices, a->device_count, tag));
}

bool hry_reader_allows_memory_class(const hry_reader *reader, uint8_t value)
{
    const hry_allow *a = reader->allow;
    return a && (a->all || listed(a->memory_classes, a->memory_class_count, value));
}

bool hry_reader_allows_composition_rule(const hry_reader *reader, uint8_t rule)
{
    const hry_allow *a = reader->allow;
    return a && (a->all || listed(a->composition_rules, a->composition_rule_count, rule));
}
