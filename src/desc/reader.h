/* Who reads a descriptor: options with their defaults, and the questions that the parser asks of them. */
#ifndef HRY_DESC_READER_H
#define HRY_DESC_READER_H

#include "base/frame.h"

#include <hurray/desc.h>

typedef struct hry_reader {
    uint64_t descriptor_length; /* limit */
    uint32_t tile_levels;       /* limit */
    const hry_profile *profile;
    const hry_allow *allow; /* NULL: nothing */
    bool permissive, stored;
} hry_reader;

void hry_reader_init(hry_reader *reader, const hry_parse_options *options);

/* False for a public value that the profile is too old for; rows the profile does not speak of are this build's. */
bool hry_reader_knows(const hry_reader *reader, enum hry_space space, uint16_t value);

bool hry_reader_allows_type(const hry_reader *reader, uint8_t tag);
bool hry_reader_allows_layout(const hry_reader *reader, uint64_t id);
bool hry_reader_allows_scheme(const hry_reader *reader, uint8_t tag);
bool hry_reader_allows_device(const hry_reader *reader, uint8_t tag);
bool hry_reader_allows_memory_class(const hry_reader *reader, uint8_t value);
bool hry_reader_allows_composition_rule(const hry_reader *reader, uint8_t rule);

static inline bool hry_is_private(uint8_t value)
{
    return value >= 0xF0 && value <= 0xFE;
}

/* Where the parts after the layout's fields lie; 0 where a section is absent. */
typedef struct hry_sections {
    uint32_t quantization, shard, statistics, extension_type, composite_member;
    uint32_t end;
} hry_sections;

/* Phase P1 over the sections that f->flags announces, from offset pos. Sets f->bits for private types. */
hry_status hry_sections_parse(hry_frame *f, const hry_reader *reader, uint32_t pos, hry_sections *sections);

/* Phase P1 over the row of the buffer table at offset at (D-23 .. D-31). */
hry_status hry_handle_verify(const hry_frame *f, uint32_t at);
/* D-33 for a row that passed the above. */
hry_status hry_handle_verify_allowed(const hry_frame *f, const hry_reader *reader, uint32_t at);
/* The device and memory class of a row as one number, to compare (D-32). */
static inline uint32_t hry_handle_place(const hry_frame *f, uint32_t at)
{
    return hry_load32(f->bytes + at + 12) & 0x00FF00FFu;
}

/*
 * The buffer table under a layout tag that is not known: the one position where a table, the sections and the end fit
 * (descriptor, section 9). False when there is none, or several.
 */
bool hry_table_search(const hry_frame *f, const hry_reader *reader, uint32_t *buffers_offset);

#endif
