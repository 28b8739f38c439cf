/*
 * Which of many names is it: a hash table of positions in a list that somebody else keeps. Keyed, so that nobody can
 * choose names that all fall into one place.
 */
#ifndef HRY_FILE_NAMES_H
#define HRY_FILE_NAMES_H

#include <hurray/base.h>

#define HRY_NAMES_MAX (UINT32_MAX - 1)

/* Name i of the list. */
typedef hry_str hry_name_at(const void *list, uint32_t i);

typedef struct hry_name_slot {
    uint32_t hash;
    uint32_t place; /* the position, plus 1; 0: free */
} hry_name_slot;

typedef struct hry_names {
    hry_name_slot *slots;
    size_t capacity; /* a power of two; 0 before anything is added */
    size_t used;
    uint64_t key[2];
} hry_names;

/* Room for count names in all. False when there is no memory. */
bool hry_names_reserve(hry_names *names, const hry_allocator *allocator, uint64_t count);
/*
 * Adds a name at position i, for which there is room. When the name is there already, false and its position in
 * *earlier.
 */
bool hry_names_add(hry_names *names, hry_name_at *at, const void *list, hry_str name, uint32_t i, uint32_t *earlier);
bool hry_names_find(const hry_names *names, hry_name_at *at, const void *list, hry_str name, uint32_t *i);
void hry_names_fini(hry_names *names, const hry_allocator *allocator);

static inline bool hry_str_equal(hry_str a, hry_str b)
{
    return a.len == b.len && (a.len == 0 || __builtin_memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* Bytewise order, the shorter of two with a common start first: below 0, 0, above 0. */
int hry_str_compare(hry_str a, hry_str b);

#endif
