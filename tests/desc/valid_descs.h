/* Valid descriptors of every kind, by name: what tests damage, cut, take apart and build again. */
#ifndef HRY_TESTS_VALID_DESCS_H
#define HRY_TESTS_VALID_DESCS_H

#include "desc/desc_bytes.h"

#include <stdbool.h>

typedef struct valid_desc {
    const char *name;
    void (*make)(desc_bytes *d);
} valid_desc;

extern const valid_desc valid_descs[];
extern const size_t valid_desc_count;

/* Made by name; false when there is none. */
bool valid_desc_make(const char *name, desc_bytes *d);

#endif
