#include "desc/reader.h"

const hry_profile hry_profile_of_build = { .scheme_version = 1 };

const hry_profile *hry_profile_current(void)
{
    return &hry_profile_of_build;
}

bool hry_profile_knows(const hry_profile *profile, enum hry_space space, uint16_t value)
{
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

bool hry_allows_type(const hry_allow *a, uint8_t tag)
{
    return a && (a->all || listed(a->types, a->type_count, tag));
}

bool hry_allows_layout(const hry_allow *a, uint64_t id)
{
    if (!a || a->all)
        return a != NULL;
    for (size_t i = 0; i < a->layout_id_count; i++)
        if (a->layout_ids[i] == id)
            return true;
    return false;
}

bool hry_allows_scheme(const hry_allow *a, uint8_t tag)
{
    return a && (a->all || listed(a->schemes, a->scheme_count, tag));
}

bool hry_allows_device(const hry_allow *a, uint8_t tag)
{
    return a && (a->all || listed(a->devices, a->device_count, tag));
}

bool hry_allows_memory_class(const hry_allow *a, uint8_t value)
{
    return a && (a->all || listed(a->memory_classes, a->memory_class_count, value));
}

bool hry_allows_composition_rule(const hry_allow *a, uint8_t rule)
{
    return a && (a->all || listed(a->composition_rules, a->composition_rule_count, rule));
}
