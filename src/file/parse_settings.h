/* How descriptors are to be parsed, kept beyond the call that said so: a deep copy of hry_parse_options. */
#ifndef HRY_FILE_PARSE_SETTINGS_H
#define HRY_FILE_PARSE_SETTINGS_H

#include <hurray/desc.h>

typedef struct hry_parse_settings {
    hry_parse_options options; /* with limits, profile and allow pointing into this struct and block */
    hry_limits limits;         /* resolved */
    hry_profile profile;
    hry_allow allow;
    void *block; /* what allow's and profile's arrays lie in */
    size_t block_size;
} hry_parse_settings;

/* False when there is no memory. The struct must not move afterwards. */
bool hry_parse_settings_init(hry_parse_settings *settings, const hry_parse_options *options,
                             const hry_allocator *allocator);
void hry_parse_settings_fini(hry_parse_settings *settings, const hry_allocator *allocator);

#endif
