#include "file/container.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "file/container_composite.h"

#include <inttypes.h>

struct hry_kept_desc {
    uint32_t nbytes;
    uint8_t bytes[];
};

static hry_str container_name(const hry_file *file, uint32_t i)
{
    return hry_index_name(&hry_container_of(file)->index, i);
}

static bool container_find(const hry_file *file, hry_str name, uint32_t *i)
{
    return hry_index_find(&hry_container_of(file)->index, name, i);
}

static hry_status container_recheck(const hry_file *file, hry_error *err)
{
    const hry_container *c = hry_container_of(file);
    return c->store.ops->recheck(&c->store, c->store.size, err);
}

static size_t kept_size(uint32_t nbytes)
{
    return sizeof(hry_kept_desc) + nbytes;
}

/* The place for tensor i's descriptor among those that were read. NULL when there is no memory. */
static _Atomic(hry_kept_desc *) *kept_place(hry_container *c, uint32_t i)
{
    _Atomic(hry_kept_desc *) *descs = atomic_load_explicit(&c->descs, memory_order_acquire);
    if (!descs) {
        size_t size = c->base.count * sizeof *descs;
        _Atomic(hry_kept_desc *) *expected = NULL;
        descs = hry_alloc_zeroed(&c->base.allocator, size, _Alignof(hry_kept_desc *));
        if (descs && !atomic_compare_exchange_strong(&c->descs, &expected, descs)) {
            hry_free(&c->base.allocator, descs, size, _Alignof(hry_kept_desc *));
            descs = expected;
        }
    }
    return descs ? &descs[i] : NULL;
}

/* Reads a descriptor and keeps it. Two threads may do so at once: one result stays. */
static hry_status read_desc(hry_container *c, uint32_t i, const hry_file_entry *entry, const uint8_t **bytes,
                            hry_error *err)
{
    uint32_t nbytes = entry->descriptor_length;
    _Atomic(hry_kept_desc *) *place = kept_place(c, i);
    hry_kept_desc *kept = place ? atomic_load_explicit(place, memory_order_acquire) : NULL;
    if (!kept) {
        hry_kept_desc *fresh = place ? hry_alloc(&c->base.allocator, kept_size(nbytes), _Alignof(hry_kept_desc)) : NULL;
        if (!fresh)
            return hry_fail_memory(err, kept_size(nbytes));
        fresh->nbytes = nbytes;
        hry_status status = c->store.ops->read(&c->store, entry->descriptor_offset, fresh->bytes, nbytes, err);
        bool stays = !status && atomic_compare_exchange_strong(place, &kept, fresh);
        if (!stays)
            hry_free(&c->base.allocator, fresh, kept_size(nbytes), _Alignof(hry_kept_desc));
        if (status)
            return status;
        kept = stays ? fresh : kept;
    }
    *bytes = kept->bytes;
    return HRY_OK;
}

static uint64_t round_up(const hry_container *c, uint64_t offset)
{
    uint64_t mask = (uint64_t)c->frame.info.alignment - 1;
    return (offset + mask) & ~mask;
}

/* data_length as the buffer table has it (file-format, 3). False when it does not fit 64 bits. */
static bool placed_length(const hry_container *c, const hry_desc *desc, uint64_t *nbytes)
{
    uint64_t end = 0;
    for (uint32_t k = 0; k < hry_desc_buffer_count(desc); k++) {
        hry_buffer buffer;
        hry_desc_buffer(desc, k, &buffer);
        if (!hry_align_up(end, c->frame.info.alignment, &end) || !hry_add(end, buffer.byte_size, &end))
            return false;
    }
    *nbytes = end;
    return true;
}

uint64_t hry_container_buffer_offset(const hry_container *container, const hry_file_entry *entry, const hry_desc *desc,
                                     uint32_t k)
{
    uint64_t offset = entry->data_offset;
    for (uint32_t b = 0; b < k; b++) {
        hry_buffer buffer;
        hry_desc_buffer(desc, b, &buffer);
        offset = round_up(container, offset + buffer.byte_size);
    }
    return offset;
}

static hry_status check_data_length(const hry_container *c, uint32_t i, const hry_file_entry *entry,
                                    const hry_desc *desc, hry_error *err)
{
    uint64_t nbytes;
    if (desc->state & HRY_DESC_NO_BUFFERS || (placed_length(c, desc, &nbytes) && nbytes == entry->data_length))
        return HRY_OK;
    uint64_t at = (uint64_t)(hry_index_fixed(&c->index, i) - c->index.bytes) + HRY_ENTRY_DATA_LENGTH;
    return hry_fail_rule_because(
        err, HRY_RULE_F_T02, HRY_SECTION_INDEX, c->frame.info.index_offset + at, entry->data_length,
        "data_length is %" PRIu64 ", which is not what the descriptor's buffers take", entry->data_length);
}

/* F-T01 by the bytes that the entry promises; a length that cannot be read at all is left to the parser. */
static hry_status check_length(const hry_file_entry *entry, const uint8_t *bytes, hry_error *err)
{
    uint32_t own;
    if (hry_desc_length(bytes, entry->descriptor_length, &own, NULL) || own == entry->descriptor_length)
        return HRY_OK;
    return hry_fail_rule_because(err, HRY_RULE_F_T01, HRY_SECTION_HEADER, entry->descriptor_offset + 6, own,
                                 "descriptor_length is %" PRIu32 ", and %" PRIu32 " in the index", own,
                                 entry->descriptor_length);
}

hry_status hry_container_desc(hry_container *container, uint32_t i, hry_desc *desc, hry_error *err)
{
    if (container->passed_by)
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_DATA, 0, i,
                        "the tensor has passed by: it cannot be had again");
    hry_file_entry entry = hry_index_entry(&container->index, i);
    const uint8_t *bytes = hry_container_view(container, entry.descriptor_offset, entry.descriptor_length);
    hry_status status = bytes ? HRY_OK : read_desc(container, i, &entry, &bytes, err);
    if (!status)
        status = check_length(&entry, bytes, err);
    if (status)
        return status;
    hry_desc parsed;
    status = hry_desc_parse(bytes, entry.descriptor_length, &container->parse.options, &parsed, err);
    if (status) {
        hry_error_shift(err, entry.descriptor_offset);
        return status;
    }
    status = check_data_length(container, i, &entry, &parsed, err);
    if (!status)
        *desc = parsed;
    return status;
}

hry_status hry_container_check_static(const hry_container *container, uint32_t i, const hry_desc *desc, hry_error *err)
{
    if (!(desc->state & HRY_DESC_HAS_DYNAMIC))
        return HRY_OK;
    uint32_t k = 0;
    while (hry_desc_dim(desc, k) != HRY_DYNAMIC)
        k++;
    uint64_t offset = hry_index_entry(&container->index, i).descriptor_offset + 20 + 8 * (uint64_t)k;
    return hry_fail_rule(err, HRY_RULE_F_T04, HRY_SECTION_SHAPE, offset, k);
}

static hry_status container_desc(hry_file *file, uint32_t i, hry_desc *desc, hry_error *err)
{
    return hry_container_desc(hry_container_of(file), i, desc, err);
}

static hry_status container_tensor(hry_file *file, uint32_t i, hry_tensor **tensor, hry_error *err)
{
    hry_container *c = hry_container_of(file);
    hry_desc desc;
    hry_status status = hry_container_desc(c, i, &desc, err);
    if (status)
        return status;
    return desc.layout == HRY_LAYOUT_COMPOSITE ? hry_container_composite(c, i, tensor, err)
                                               : hry_container_tensor(c, i, &desc, tensor, err);
}

static hry_status container_stored(hry_file *file, uint32_t i, const hry_desc *desc, uint32_t k,
                                   hry_stored_buffer *stored, hry_error *err)
{
    (void)err;
    hry_container *c = hry_container_of(file);
    hry_file_entry entry = hry_index_entry(&c->index, i);
    hry_buffer buffer;
    hry_desc_buffer(desc, k, &buffer);
    *stored = (hry_stored_buffer){ .nbytes = buffer.byte_size,
                                   .fd = c->store.fd,
                                   .offset = hry_container_buffer_offset(c, &entry, desc, k) };
    return HRY_OK;
}

static hry_status container_read_stored(const hry_file *file, const hry_stored_buffer *stored, uint64_t from, void *dst,
                                        uint64_t nbytes, hry_error *err)
{
    const hry_container *c = hry_container_of(file);
    return c->store.ops->read(&c->store, stored->offset + from, dst, nbytes, err);
}

static void free_descs(hry_container *c)
{
    _Atomic(hry_kept_desc *) *descs = atomic_load(&c->descs);
    for (uint32_t i = 0; descs && i < c->base.count; i++) {
        hry_kept_desc *kept = atomic_load(&descs[i]);
        hry_free(&c->base.allocator, kept, kept ? kept_size(kept->nbytes) : 0, _Alignof(hry_kept_desc));
    }
    hry_free(&c->base.allocator, descs, c->base.count * sizeof *descs, _Alignof(hry_kept_desc *));
}

static void container_destroy(hry_file *file)
{
    hry_container *c = hry_container_of(file);
    hry_allocator allocator = file->allocator;
    free_descs(c);
    hry_free(&allocator, atomic_load(&c->write_order), file->count * sizeof(uint32_t), _Alignof(uint32_t));
    hry_index_fini(&c->index, &allocator);
    hry_kv_list_fini(&file->kv, &allocator);
    hry_free(&allocator, c->index_bytes.owned, (size_t)c->index_bytes.nbytes, 8);
    hry_free(&allocator, c->kv_bytes.owned, (size_t)c->kv_bytes.nbytes, 8);
    hry_parse_settings_fini(&c->parse, &allocator);
    if (c->store.ops)
        c->store.ops->close(&c->store);
    hry_free(&allocator, c, sizeof *c, _Alignof(hry_container));
}

const hry_file_ops hry_container_ops = { .name = container_name,
                                         .find = container_find,
                                         .recheck = container_recheck,
                                         .desc = container_desc,
                                         .tensor = container_tensor,
                                         .stored = container_stored,
                                         .read_stored = container_read_stored,
                                         .destroy = container_destroy };

bool hry_file_entry_get(const hry_file *file, uint64_t i, hry_file_entry *entry)
{
    if (file->ops != &hry_container_ops || i >= file->count)
        return false;
    *entry = hry_index_entry(&hry_container_of(file)->index, (uint32_t)i);
    return true;
}
