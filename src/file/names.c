#include "file/names.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "os/os.h"

#include <string.h>

static inline uint64_t rotate(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

static inline void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

/* SipHash-1-3: short names hash in a few nanoseconds, and without the key nobody can aim at a slot. */
static uint32_t hash_name(const uint64_t key[2], hry_str name)
{
    uint64_t v[4] = { key[0] ^ 0x736F6D6570736575u, key[1] ^ 0x646F72616E646F6Du, key[0] ^ 0x6C7967656E657261u,
                      key[1] ^ 0x7465646279746573u };
    const unsigned char *p = (const unsigned char *)name.ptr;
    size_t left = name.len;
    for (; left >= 8; p += 8, left -= 8) {
        uint64_t word = hry_load64(p);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    uint64_t last = (uint64_t)name.len << 56;
    for (size_t i = 0; i < left; i++)
        last |= (uint64_t)p[i] << (8 * i);
    v[3] ^= last;
    sip_round(v);
    v[0] ^= last;
    v[2] ^= 0xFF;
    sip_round(v);
    sip_round(v);
    sip_round(v);
    uint64_t h = v[0] ^ v[1] ^ v[2] ^ v[3];
    return (uint32_t)(h ^ h >> 32);
}

/* Slots are taken from the hash itself, so that growing needs no name. */
static void move_slots(const hry_name_slot *from, size_t from_capacity, hry_name_slot *to, size_t to_capacity)
{
    for (size_t i = 0; i < from_capacity; i++) {
        if (from[i].place == 0)
            continue;
        size_t s = from[i].hash & (to_capacity - 1);
        while (to[s].place != 0)
            s = (s + 1) & (to_capacity - 1);
        to[s] = from[i];
    }
}

bool hry_names_reserve(hry_names *names, const hry_allocator *allocator, uint64_t count)
{
    if (count <= names->capacity / 3 * 2)
        return true;
    if (count > HRY_NAMES_MAX)
        return false;
    uint64_t capacity = 16;
    while (capacity / 3 * 2 < count)
        capacity *= 2;
    hry_name_slot *slots = hry_alloc_array(allocator, capacity, sizeof *slots, _Alignof(hry_name_slot));
    if (!slots)
        return false;
    memset(slots, 0, (size_t)capacity * sizeof *slots);
    if (names->capacity == 0)
        for (int i = 0; i < 2; i++)
            names->key[i] = hry_os_default.unique(&hry_os_default);
    move_slots(names->slots, names->capacity, slots, (size_t)capacity);
    hry_names_fini(names, allocator);
    names->slots = slots;
    names->capacity = (size_t)capacity;
    return true;
}

/* The slot of name, or the free one where it belongs. */
static size_t find_slot(const hry_names *names, hry_name_at *at, const void *list, hry_str name, uint32_t hash)
{
    size_t s = hash & (names->capacity - 1);
    for (; names->slots[s].place != 0; s = (s + 1) & (names->capacity - 1))
        if (names->slots[s].hash == hash && hry_str_equal(at(list, names->slots[s].place - 1), name))
            break;
    return s;
}

bool hry_names_add(hry_names *names, hry_name_at *at, const void *list, hry_str name, uint32_t i, uint32_t *earlier)
{
    uint32_t hash = hash_name(names->key, name);
    hry_name_slot *slot = &names->slots[find_slot(names, at, list, name, hash)];
    if (slot->place != 0) {
        *earlier = slot->place - 1;
        return false;
    }
    *slot = (hry_name_slot){ hash, i + 1 };
    names->used++;
    return true;
}

bool hry_names_find(const hry_names *names, hry_name_at *at, const void *list, hry_str name, uint32_t *i)
{
    if (names->capacity == 0)
        return false;
    const hry_name_slot *slot = &names->slots[find_slot(names, at, list, name, hash_name(names->key, name))];
    if (slot->place == 0)
        return false;
    *i = slot->place - 1;
    return true;
}

void hry_names_fini(hry_names *names, const hry_allocator *allocator)
{
    hry_free(allocator, names->slots, names->capacity * sizeof *names->slots, _Alignof(hry_name_slot));
    names->slots = NULL;
    names->capacity = 0;
}

int hry_str_compare(hry_str a, hry_str b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int order = n == 0 ? 0 : memcmp(a.ptr, b.ptr, n);
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}
