#include "file/parse_settings.h"

#include "base/alloc.h"
#include "base/limits.h"

#include <string.h>

/* Moves an array into the block; *next is the first free byte of it. */
static const void *keep(const void *array, size_t nbytes, uint8_t **next)
{
    if (nbytes == 0)
        return NULL;
    uint8_t *kept = *next;
    memcpy(kept, array, nbytes);
    *next += nbytes;
    return kept;
}

/* The widest elements come first, so that each array is aligned. */
static void keep_arrays(hry_parse_settings *s, uint8_t *next)
{
    hry_allow *a = &s->allow;
    s->profile.extra = keep(s->profile.extra, s->profile.extra_count * sizeof *s->profile.extra, &next);
    a->layout_ids = keep(a->layout_ids, a->layout_id_count * sizeof *a->layout_ids, &next);
    a->types = keep(a->types, a->type_count, &next);
    a->schemes = keep(a->schemes, a->scheme_count, &next);
    a->devices = keep(a->devices, a->device_count, &next);
    a->memory_classes = keep(a->memory_classes, a->memory_class_count, &next);
    a->composition_rules = keep(a->composition_rules, a->composition_rule_count, &next);
}

bool hry_parse_settings_init(hry_parse_settings *settings, const hry_parse_options *options,
                             const hry_allocator *allocator)
{
    static const hry_parse_options none;
    const hry_parse_options *o = options ? options : &none;
    hry_parse_settings *s = settings;
    *s = (hry_parse_settings){ .limits = hry_limits_resolve(o->limits),
                               .profile = o->profile ? *o->profile : *hry_profile_current(),
                               .allow = o->allow ? *o->allow : (hry_allow){ 0 } };
    const hry_allow *a = &s->allow;
    s->block_size = s->profile.extra_count * sizeof *s->profile.extra + a->layout_id_count * sizeof *a->layout_ids +
                    a->type_count + a->scheme_count + a->device_count + a->memory_class_count +
                    a->composition_rule_count;
    if (s->block_size) {
        s->block = hry_alloc(allocator, s->block_size, _Alignof(max_align_t));
        if (!s->block)
            return false;
        keep_arrays(s, s->block);
    }
    s->options = (hry_parse_options){ .limits = &s->limits,
                                      .profile = &s->profile,
                                      .allow = o->allow ? &s->allow : NULL,
                                      .permissive = o->permissive,
                                      .stored = true };
    return true;
}

void hry_parse_settings_fini(hry_parse_settings *settings, const hry_allocator *allocator)
{
    hry_free(allocator, settings->block, settings->block_size, _Alignof(max_align_t));
    settings->block = NULL;
}
