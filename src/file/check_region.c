/* Walks a container from end to end in write order: where tensors and sections lie, and the bytes between them. */
#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "file/check.h"

#define PIECE ((uint64_t)256 << 10)

typedef struct region_walk {
    hry_check *check;
    hry_container *container;
    uint8_t *piece; /* for bytes that cannot be looked at in place */
} region_walk;

static uint64_t align_up(uint64_t offset, uint64_t align)
{
    return (offset + align - 1) & ~(align - 1); /* offsets lie within a file */
}

static size_t count_zeros(const uint8_t *p, size_t nbytes)
{
    size_t i = 0;
    while (nbytes - i >= 8 && hry_load64(p + i) == 0)
        i += 8;
    while (i < nbytes && p[i] == 0)
        i++;
    return i;
}

/* nbytes at offset, at most PIECE: in place or read. */
static hry_status look(region_walk *w, uint64_t offset, uint64_t nbytes, const uint8_t **at)
{
    hry_container *c = w->container;
    *at = hry_container_view(c, offset, nbytes);
    if (*at)
        return HRY_OK;
    *at = w->piece;
    return c->store.ops->read(&c->store, offset, w->piece, nbytes, w->check->err);
}

/* The first byte in [from, to) that is not 0; to when there is none. Looks ahead no farther than it has come, so that
 * many short gaps cost no more than their bytes. */
static hry_status find_nonzero(region_walk *w, uint64_t from, uint64_t to, uint64_t *found)
{
    for (uint64_t step = 64; from < to; step = step < PIECE ? 2 * step : PIECE) {
        const uint8_t *p;
        uint64_t nbytes = to - from < step ? to - from : step;
        hry_status status = look(w, from, nbytes, &p);
        if (status)
            return status;
        size_t zeros = count_zeros(p, (size_t)nbytes);
        from += zeros;
        if (zeros < nbytes)
            break;
    }
    *found = from;
    return HRY_OK;
}

/* A tensor at offset that ends by limit, though no entry names it: where it ends, 0 when there is none. */
static hry_status unlisted_end(region_walk *w, uint64_t offset, uint64_t limit, uint64_t *end)
{
    hry_container *c = w->container;
    const uint8_t *p;
    uint64_t at, align = c->frame.info.alignment;
    uint32_t length;
    hry_desc desc;
    *end = 0;
    hry_status status = limit - offset < 10 ? HRY_OK : look(w, offset, 10, &p);
    if (status || limit - offset < 10 || hry_desc_length(p, 10, &length, NULL) || length > limit - offset ||
        length > PIECE)
        return status;
    status = look(w, offset, length, &p);
    if (status || hry_desc_parse(p, length, &c->parse.options, &desc, NULL))
        return status;
    at = offset + desc.length;
    hry_buffer b;
    for (uint32_t k = 0; hry_desc_buffer(&desc, k, &b); k++)
        if (!hry_align_up(at, align, &at) || !hry_add(at, b.byte_size, &at))
            return HRY_OK;
    *end = at <= limit ? at : 0;
    return HRY_OK;
}

/*
 * The bytes from the end of one thing to the start of the next, which should be zeros. Tensors that the index does not
 * list are stepped over; *last is where the last of them ends, else from.
 */
static hry_status check_gap(region_walk *w, uint64_t from, uint64_t to, bool may_hold_tensors, hry_str tensor,
                            uint64_t *last)
{
    *last = from;
    for (;;) {
        uint64_t at, end = 0;
        hry_status status = find_nonzero(w, from, to, &at);
        if (status || at == to)
            return status;
        uint64_t start = at & ~(uint64_t)7; /* descriptors start at multiples of 8, with a byte that is not 0 */
        if (may_hold_tensors && start == at)
            status = unlisted_end(w, start, to, &end);
        if (status)
            return status;
        if (end == 0) {
            hry_check_advise(w->check, HRY_RULE_FL_01, HRY_SECTION_DATA, at, tensor, NULL);
            return HRY_OK;
        }
        hry_check_advise(w->check, HRY_RULE_FL_10, HRY_SECTION_DATA, start, (hry_str){ 0 }, NULL);
        *last = from = end;
    }
}

/* How far the next descriptor, at next, lies from the end of what is before it (FL-05, FL-11). */
static void check_distance(region_walk *w, uint64_t end, uint64_t next, bool head, hry_str tensor)
{
    if (next - end <= 7)
        return;
    if (next != align_up(end, w->container->frame.info.alignment))
        hry_check_advise(w->check, HRY_RULE_FL_11, HRY_SECTION_DATA, end, tensor, NULL);
    else if (head)
        hry_check_advise(w->check, HRY_RULE_FL_05, HRY_SECTION_DATA, end, tensor, NULL);
}

/* Padding inside a tensor: before its first buffer, and between buffers. */
static hry_status check_inside(region_walk *w, const hry_file_entry *entry, const hry_desc *desc)
{
    uint64_t end = entry->descriptor_offset + entry->descriptor_length, unused;
    hry_buffer b;
    hry_status status = HRY_OK;
    if (entry->data_offset > align_up(end, w->container->frame.info.alignment))
        hry_check_advise(w->check, HRY_RULE_FL_04, HRY_SECTION_INDEX, entry->data_offset, entry->name, NULL);
    for (uint32_t k = 0; hry_desc_buffer(desc, k, &b) && !status; k++) {
        uint64_t start = hry_container_buffer_offset(w->container, entry, desc, k);
        status = start > end ? check_gap(w, end, start, false, entry->name, &unused) : HRY_OK;
        end = start + b.byte_size;
    }
    return status;
}

/* Where the tensor at a place ends, and where what comes after it starts. */
typedef struct stretch {
    hry_file_entry entry;
    uint64_t end, next;
    bool last, head;
} stretch;

static hry_status check_after(region_walk *w, const stretch *s)
{
    uint64_t last;
    hry_status status = check_gap(w, s->end, s->next, true, s->entry.name, &last);
    if (status)
        return status;
    if (last != s->end)
        return HRY_OK; /* an unlisted tensor explains the distance */
    if (!s->last)
        check_distance(w, s->end, s->next, s->head, s->entry.name);
    else if (s->next - s->end >= 8)
        hry_check_advise(w->check, HRY_RULE_FL_03, HRY_SECTION_DATA, s->end, s->entry.name, NULL);
    return HRY_OK;
}

static hry_status check_tensor(region_walk *w, const hry_write_order *order, uint32_t place)
{
    hry_container *c = w->container;
    stretch s = { .entry = hry_index_entry(&c->index, hry_write_order_at(order, place)) };
    hry_desc desc;
    hry_status status = HRY_OK;
    bool readable = hry_container_desc(c, hry_write_order_at(order, place), &desc, NULL) == HRY_OK;
    s.end = hry_entry_end(&s.entry);
    s.head = readable && desc.layout == HRY_LAYOUT_COMPOSITE;
    if (readable && hry_desc_buffer_count(&desc) > 0 && s.entry.data_offset > s.end)
        s.end = s.entry.data_offset; /* no bytes, but a place for them */
    s.last = place + 1 == c->base.count;
    s.next = hry_frame_region_end(&c->frame);
    if (!s.last)
        s.next = hry_index_entry(&c->index, hry_write_order_at(order, place + 1)).descriptor_offset;
    if (readable)
        status = check_inside(w, &s.entry, &desc);
    return status || s.end > s.next ? status : check_after(w, &s);
}

/* A gap of 8 bytes or more between sections is not padding any more; the trailer takes none at all. */
static hry_status check_sections(region_walk *w)
{
    const hry_file_info *info = &w->container->frame.info;
    uint64_t kv_end = info->kv_offset + info->kv_length, index_end = info->index_offset + info->index_length;
    uint64_t trailer = info->file_size - HRY_TRAILER_SIZE, unused;
    hry_str none = { 0 };
    hry_status status = HRY_OK;
    if (info->kv_offset) {
        if (info->index_offset - kv_end >= 8)
            hry_check_advise(w->check, HRY_RULE_FL_03, HRY_SECTION_KV, kv_end, none, NULL);
        status = check_gap(w, kv_end, info->index_offset, false, none, &unused);
    }
    if (index_end != trailer)
        hry_check_advise(w->check, HRY_RULE_FL_03, HRY_SECTION_INDEX, index_end, none, NULL);
    return status ? status : check_gap(w, index_end, trailer, false, none, &unused);
}

/* What stands before the first tensor: at a newer minor it may be a longer header. */
static hry_status check_start(region_walk *w)
{
    const hry_file_info *info = &w->container->frame.info;
    uint64_t first = info->first_descriptor_offset, end = hry_frame_region_end(&w->container->frame), last;
    hry_str none = { 0 };
    hry_status status = HRY_OK;
    if (info->version_minor == 0)
        status = check_gap(w, HRY_HEADER_SIZE, first, false, none, &last);
    if (status || w->container->base.count > 0)
        return status;
    status = check_gap(w, first, end, true, none, &last);
    if (!status && last == first && end - first >= 8)
        hry_check_advise(w->check, HRY_RULE_FL_03, HRY_SECTION_DATA, first, none, NULL);
    return status;
}

hry_status hry_check_region(hry_check *check, const hry_write_order *order)
{
    region_walk w = { check, order->container, NULL };
    const hry_allocator *allocator = &check->file->allocator;
    w.piece = hry_alloc(allocator, PIECE, 64);
    if (!w.piece)
        return hry_fail_memory(check->err, PIECE);
    hry_status status = check_start(&w);
    for (uint32_t place = 0; place < order->container->base.count && !status; place++)
        status = check_tensor(&w, order, place);
    if (!status)
        status = check_sections(&w);
    hry_free(allocator, w.piece, PIECE, 64);
    return status;
}
