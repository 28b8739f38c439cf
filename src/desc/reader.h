/* What the parts of the descriptor's parser ask of each other, and of the caller's options. */
#ifndef HRY_DESC_READER_H
#define HRY_DESC_READER_H

#include "base/draft.h"

static inline bool hry_is_private(uint8_t value)
{
    return value >= 0xF0 && value <= 0xFE;
}

extern const hry_profile hry_profile_of_build;

/* False for a public value that the profile is too old for; rows the profile does not speak of are this build's. */
bool hry_profile_knows(const hry_profile *profile, enum hry_space space, uint16_t value);

/* What the caller agreed on out of band; allow may be NULL. */
bool hry_allows_type(const hry_allow *allow, uint8_t tag);
bool hry_allows_layout(const hry_allow *allow, uint64_t id);
bool hry_allows_scheme(const hry_allow *allow, uint8_t tag);
bool hry_allows_device(const hry_allow *allow, uint8_t tag);
bool hry_allows_memory_class(const hry_allow *allow, uint8_t value);
bool hry_allows_composition_rule(const hry_allow *allow, uint8_t rule);

/*
 * Phase P1 over the sections that the flags announce, from offset pos: their offsets, and where they end, go to the
 * view. Sets bits for private types and the scheme of quantized ones.
 */
hry_status hry_sections_scan(hry_draft *f, uint32_t pos);

/* Phase P1 over the row of the buffer table at offset at (D-23 .. D-31), in full. */
hry_status hry_handle_verify(const hry_draft *f, uint32_t at);
/* D-33 for a row that passed the above. */
hry_status hry_handle_verify_allowed(const hry_draft *f, uint32_t at);

/* The row is in plain host memory, well aligned: there is nothing more to verify. */
static inline bool hry_handle_is_plain(const uint8_t *row)
{
    uint64_t rest = hry_load64(row + 8); /* alignment, then four zeros */
    return rest - 64 <= UINT32_MAX - 64 && (rest & (rest - 1)) == 0;
}

/* The device and memory class of a row as one number, to compare (D-32). */
static inline uint32_t hry_handle_place(const hry_draft *f, uint32_t at)
{
    return hry_load32(f->view.bytes + at + 12) & 0x00FF00FFu;
}

/*
 * The buffer table under a layout tag that is not known: the one position where a table, the sections and the end fit
 * (descriptor, section 9). False when there is none, or several.
 */
bool hry_table_search(const hry_draft *f, uint32_t *buffers_offset);

#endif
