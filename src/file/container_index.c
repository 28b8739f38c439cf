#include "file/container_index.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/radix_sort.h"
#include "base/status.h"
#include "base/utf8.h"

#include <inttypes.h>

/* What the walk carries from entry to entry. */
typedef struct walk {
    const hry_frame *frame;
    uint64_t descriptor_limit;
    uint64_t region_end;
    uint64_t previous_end; /* of the tensor before, while offsets ascend */
    hry_str previous_name;
    hry_error *err;
} walk;

static hry_str name_at(const void *list, uint32_t i)
{
    return hry_index_name(list, i);
}

static HRY_COLD hry_status fail_at(const walk *w, enum hry_rule rule, uint64_t at, uint64_t value)
{
    return hry_fail_rule(w->err, rule, HRY_SECTION_INDEX, w->frame->info.index_offset + at, value);
}

static HRY_COLD hry_status fail_name(const walk *w, enum hry_rule rule, uint64_t at, hry_str name, const char *what)
{
    int shown = name.len < 100 ? (int)name.len : 100;
    return hry_fail_rule_because(w->err, rule, HRY_SECTION_INDEX, w->frame->info.index_offset + at, 0,
                                 "tensor \"%.*s\": %s", shown, name.ptr, what);
}

/* The entry's fixed fields against the tensor region (F-18, F-20 .. F-23). at: of fixed in the index. */
static inline hry_status check_entry(const walk *w, const uint8_t *fixed, uint64_t at)
{
    uint64_t first = w->frame->info.first_descriptor_offset, end = w->region_end;
    uint64_t descriptor = hry_load64(fixed + HRY_ENTRY_DESCRIPTOR_OFFSET);
    uint64_t length = hry_load32(fixed + HRY_ENTRY_DESCRIPTOR_LENGTH);
    uint64_t data = hry_load64(fixed + HRY_ENTRY_DATA_OFFSET), nbytes = hry_load64(fixed + HRY_ENTRY_DATA_LENGTH);

    if (hry_load32(fixed + HRY_ENTRY_FLAGS) != 0)
        return fail_at(w, HRY_RULE_F_18, at + HRY_ENTRY_FLAGS, hry_load32(fixed + HRY_ENTRY_FLAGS));
    if (length < 20 || length > w->descriptor_limit)
        return fail_at(w, HRY_RULE_F_20, at + HRY_ENTRY_DESCRIPTOR_LENGTH, length);
    if (descriptor % 8 != 0 || descriptor < first || descriptor > end || length > end - descriptor)
        return fail_at(w, HRY_RULE_F_21, at + HRY_ENTRY_DESCRIPTOR_OFFSET, descriptor);
    if (nbytes == 0)
        return data > end ? fail_at(w, HRY_RULE_F_23, at + HRY_ENTRY_DATA_OFFSET, data) : HRY_OK;
    if ((data & (w->frame->info.alignment - 1)) != 0 || data < descriptor + length || data > end)
        return fail_at(w, HRY_RULE_F_22, at + HRY_ENTRY_DATA_OFFSET, data);
    return nbytes > end - data ? fail_at(w, HRY_RULE_F_22, at + HRY_ENTRY_DATA_LENGTH, nbytes) : HRY_OK;
}

/* F-17 without duplicates, and F-19. */
static inline hry_status check_name(walk *w, const hry_index *index, hry_str name, uint64_t at)
{
    if (name.len == 0)
        return fail_at(w, HRY_RULE_F_17, at, 0);
    if (!hry_utf8_valid(name.ptr, name.len))
        return hry_fail_rule_because(w->err, HRY_RULE_F_17, HRY_SECTION_INDEX, w->frame->info.index_offset + at + 2, 0,
                                     "a tensor's name is not UTF-8");
    if (index->sorted && w->previous_name.len != 0 && hry_str_compare(w->previous_name, name) >= 0)
        return fail_name(w, HRY_RULE_F_19, at + 2, name, "out of order in an index that claims to be sorted");
    w->previous_name = name;
    return HRY_OK;
}

static hry_status walk_entries(walk *w, hry_index *index)
{
    const uint8_t *bytes = index->bytes;
    uint32_t pos = 8, length = index->length;
    for (uint32_t i = 0; i < index->count; i++) {
        if (length - pos < 2)
            return fail_at(w, HRY_RULE_F_16, pos, i);
        uint32_t name_length = hry_load16(bytes + pos), left = length - pos - 2;
        if (left < name_length || left - name_length < HRY_ENTRY_FIXED)
            return fail_at(w, HRY_RULE_F_16, left < name_length ? pos : pos + 2 + name_length, i);
        hry_status status = check_name(w, index, (hry_str){ (const char *)bytes + pos + 2, name_length }, pos);
        if (status)
            return status;
        const uint8_t *fixed = bytes + pos + 2 + name_length;
        status = check_entry(w, fixed, pos + 2 + name_length);
        if (status)
            return status;
        index->at[i] = pos;
        hry_file_entry entry = hry_index_entry(index, i);
        index->ascending &= i == 0 || entry.descriptor_offset >= w->previous_end;
        w->previous_end = hry_entry_end(&entry);
        pos += 2 + name_length + HRY_ENTRY_FIXED;
    }
    if (pos != length && w->frame->info.version_minor == 0)
        return hry_fail_rule_because(w->err, HRY_RULE_F_16, HRY_SECTION_INDEX, w->frame->info.index_offset + pos,
                                     length - pos, "%" PRIu32 " bytes after the last index entry", length - pos);
    return HRY_OK;
}

/* Duplicate names of an index that is not sorted (F-17). */
static hry_status collect_names(walk *w, hry_index *index, const hry_allocator *allocator)
{
    if (!hry_names_reserve(&index->names, allocator, index->count))
        return hry_fail_memory(w->err, (uint64_t)index->count * sizeof(hry_name_slot));
    for (uint32_t i = 0; i < index->count; i++) {
        hry_str name = hry_index_name(index, i);
        uint32_t earlier;
        if (!hry_names_add(&index->names, name_at, index, name, i, &earlier))
            return fail_name(w, HRY_RULE_F_17, index->at[i] + 2, name, "there is another one of that name");
    }
    return HRY_OK;
}

/* Where a tensor ends, in units of 8 bytes from its start; the most when that takes more than 32 bits. */
static uint32_t span_of(const hry_file_entry *entry)
{
    uint64_t span = (hry_entry_end(entry) - entry->descriptor_offset + 7) / 8;
    return span < UINT32_MAX ? (uint32_t)span : UINT32_MAX;
}

/* Entries by offset, each with its span: what F-24 asks is then in one array. Room for count keys twice. */
static void sort_by_offset(const hry_index *index, hry_sort_key *keys)
{
    for (uint32_t i = 0; i < index->count; i++) {
        hry_file_entry entry = hry_index_entry(index, i);
        keys[i] = (hry_sort_key){ entry.descriptor_offset, i, span_of(&entry) };
    }
    hry_sort_keys(keys, keys + index->count, index->count);
}

static hry_sort_key *sorted_keys(const hry_index *index, const hry_allocator *allocator)
{
    hry_sort_key *keys = hry_alloc_array(allocator, (uint64_t)index->count * 2, sizeof *keys, _Alignof(hry_sort_key));
    if (keys)
        sort_by_offset(index, keys);
    return keys;
}

static void free_keys(const hry_index *index, hry_sort_key *keys, const hry_allocator *allocator)
{
    hry_free(allocator, keys, (size_t)index->count * 2 * sizeof *keys, _Alignof(hry_sort_key));
}

/* Does a tensor reach into the one that starts at next? Offsets are multiples of 8. */
static bool reaches(const hry_index *index, const hry_sort_key *key, uint64_t next)
{
    if (key->value < UINT32_MAX)
        return key->value > (next - key->key) / 8;
    hry_file_entry entry = hry_index_entry(index, key->position);
    return hry_entry_end(&entry) > next;
}

/* F-24 for offsets in any order; the caller saw that they do not simply ascend. */
static hry_status check_overlap(walk *w, hry_index *index, const hry_allocator *allocator)
{
    hry_sort_key *keys = sorted_keys(index, allocator);
    if (!keys)
        return hry_fail_memory(w->err, (uint64_t)index->count * 2 * sizeof *keys);
    hry_status status = HRY_OK;
    for (uint32_t k = 1; k < index->count && !status; k++) {
        if (!reaches(index, &keys[k - 1], keys[k].key))
            continue;
        uint32_t i = keys[k].position;
        uint64_t at = (uint64_t)(hry_index_fixed(index, i) - index->bytes);
        status = fail_name(w, HRY_RULE_F_24, at + HRY_ENTRY_DESCRIPTOR_OFFSET, hry_index_name(index, i),
                           "it starts inside another tensor");
    }
    free_keys(index, keys, allocator);
    return status;
}

/* F-25 */
static hry_status check_first(walk *w, const hry_index *index)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < index->count && !index->ascending; i++)
        if (hry_load64(hry_index_fixed(index, i)) < hry_load64(hry_index_fixed(index, first)))
            first = i;
    if (index->count == 0)
        return HRY_OK;
    const uint8_t *fixed = hry_index_fixed(index, first);
    uint64_t offset = hry_load64(fixed + HRY_ENTRY_DESCRIPTOR_OFFSET);
    return offset == w->frame->info.first_descriptor_offset
               ? HRY_OK
               : fail_at(w, HRY_RULE_F_25, (uint64_t)(fixed - index->bytes) + HRY_ENTRY_DESCRIPTOR_OFFSET, offset);
}

static hry_status parse_entries(walk *w, hry_index *index, const hry_allocator *allocator)
{
    hry_status status = walk_entries(w, index);
    if (!status && !index->sorted)
        status = collect_names(w, index, allocator);
    if (!status && !index->ascending)
        status = check_overlap(w, index, allocator);
    return status ? status : check_first(w, index);
}

hry_status hry_index_parse(const uint8_t *bytes, const hry_frame *frame, const hry_limits *limits,
                           const hry_allocator *allocator, hry_index *index, hry_error *err)
{
    walk w = { .frame = frame,
               .descriptor_limit = limits->descriptor_length,
               .region_end = hry_frame_region_end(frame),
               .err = err };
    uint64_t count = hry_load64(bytes);
    if (count > (frame->info.index_length - 8) / 34)
        return fail_at(&w, HRY_RULE_F_15, 0, count);
    if (count > limits->tensor_count || count > HRY_NAMES_MAX)
        return fail_at(&w, HRY_RULE_F_30, 0, count);

    hry_index parsed = { .bytes = bytes,
                         .count = (uint32_t)count,
                         .length = (uint32_t)frame->info.index_length,
                         .sorted = (frame->info.flags & HRY_FILE_SORTED_INDEX) != 0,
                         .ascending = true };
    parsed.at = hry_alloc_array(allocator, count, sizeof *parsed.at, _Alignof(uint32_t));
    if (!parsed.at)
        return hry_fail_memory(err, count * sizeof *parsed.at);
    hry_status status = parse_entries(&w, &parsed, allocator);
    if (status)
        hry_index_fini(&parsed, allocator);
    else
        *index = parsed;
    return status;
}

void hry_index_fini(hry_index *index, const hry_allocator *allocator)
{
    hry_free(allocator, index->at, index->count * sizeof *index->at, _Alignof(uint32_t));
    hry_names_fini(&index->names, allocator);
    index->at = NULL;
}

bool hry_index_find(const hry_index *index, hry_str name, uint32_t *i)
{
    if (!index->sorted)
        return hry_names_find(&index->names, name_at, index, name, i);
    uint32_t low = 0, high = index->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = hry_str_compare(hry_index_name(index, middle), name);
        if (order == 0) {
            *i = middle;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

uint32_t *hry_index_order(const hry_index *index, const hry_allocator *allocator)
{
    hry_sort_key *keys = sorted_keys(index, allocator);
    uint32_t *order = keys ? hry_alloc_array(allocator, index->count, sizeof *order, _Alignof(uint32_t)) : NULL;
    for (uint32_t i = 0; order && i < index->count; i++)
        order[i] = keys[i].position;
    free_keys(index, keys, allocator);
    return order;
}
