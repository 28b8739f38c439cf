/* Opening a container: header, trailer, index, metadata, each verified before anything in it is used. */
#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "file/container.h"
#include "kern/kern.h"

#include <inttypes.h>
#include <string.h>

/* The end of the file that is read at once: of most files it holds trailer, index and metadata. */
#define TAIL_SIZE 8192u
/* Sections above this size are used in place where that is possible: fresh pages cost more than mapped ones. */
#define IN_PLACE_MIN ((uint64_t)128 << 10)

typedef struct tail {
    uint64_t offset, nbytes;
    uint8_t bytes[TAIL_SIZE];
} tail;

static hry_status read_header(hry_container *c, const tail *t, hry_error *err)
{
    uint8_t header[HRY_HEADER_SIZE];
    if (t->offset == 0)
        return hry_header_parse(t->bytes, c->store.size, &c->parse.profile, &c->frame, err);
    hry_status status = c->store.ops->read(&c->store, 0, header, sizeof header, err);
    return status ? status : hry_header_parse(header, c->store.size, &c->parse.profile, &c->frame, err);
}

static hry_status read_frame(hry_container *c, tail *t, hry_error *err)
{
    uint64_t size = c->store.size;
    if (size < HRY_FILE_SIZE_MIN)
        return hry_fail_rule_because(err, HRY_RULE_F_01, HRY_SECTION_FILE_HEADER, size, size,
                                     "the file has %" PRIu64
                                     " bytes, less than the %u of an empty one: it is truncated",
                                     size, HRY_FILE_SIZE_MIN);
    t->nbytes = size < TAIL_SIZE ? size : TAIL_SIZE;
    t->offset = size - t->nbytes;
    hry_status status = c->store.ops->read(&c->store, t->offset, t->bytes, t->nbytes, err);
    if (!status)
        status = read_header(c, t, err);
    if (!status)
        status = hry_trailer_parse(t->bytes + t->nbytes - HRY_TRAILER_SIZE, &c->parse.limits, &c->frame, err);
    return status;
}

const uint8_t *hry_container_view(hry_container *container, uint64_t offset, uint64_t nbytes)
{
    return container->access == HRY_MAP ? container->store.ops->view(&container->store, offset, nbytes) : NULL;
}

/* A section's bytes: out of the tail, in place, or read. */
static hry_status take_region(hry_container *c, const tail *t, uint64_t offset, uint64_t nbytes, hry_region *region,
                              hry_error *err)
{
    if (nbytes >= IN_PLACE_MIN && (region->bytes = hry_container_view(c, offset, nbytes)) != NULL)
        return HRY_OK;
    size_t size;
    void *owned = hry_to_size(nbytes, &size) ? hry_alloc(&c->base.allocator, size, 8) : NULL;
    if (!owned)
        return hry_fail_memory(err, nbytes);
    *region = (hry_region){ owned, owned, nbytes };
    if (offset < t->offset)
        return c->store.ops->read(&c->store, offset, owned, nbytes, err);
    memcpy(owned, t->bytes + (offset - t->offset), size);
    return HRY_OK;
}

static hry_status read_index(hry_container *c, const tail *t, hry_error *err)
{
    const hry_file_info *info = &c->frame.info;
    hry_status status = take_region(c, t, info->index_offset, info->index_length, &c->index_bytes, err);
    if (status)
        return status;
    if (info->flags & HRY_FILE_HAS_INDEX_CRC) {
        uint32_t crc = hry_kern()->crc32c(0, c->index_bytes.bytes, (size_t)info->index_length);
        if (crc != c->frame.index_crc32c)
            return hry_fail_rule_because(err, HRY_RULE_F_11, HRY_SECTION_TRAILER,
                                         info->file_size - HRY_TRAILER_SIZE + 28, c->frame.index_crc32c,
                                         "the index has the CRC-32C %08" PRIX32 ", not %08" PRIX32 ": it is damaged",
                                         crc, c->frame.index_crc32c);
    }
    return hry_index_parse(c->index_bytes.bytes, &c->frame, &c->parse.limits, &c->base.allocator, &c->index, err);
}

static hry_status read_kv(hry_container *c, const tail *t, hry_error *err)
{
    hry_file_info *info = &c->frame.info;
    if (info->kv_offset == 0)
        return HRY_OK;
    hry_status status = take_region(c, t, info->kv_offset, info->kv_length, &c->kv_bytes, err);
    return status
               ? status
               : hry_kv_parse(c->kv_bytes.bytes, info->kv_length, info->kv_offset, info->version_minor,
                              c->parse.options.permissive, &c->base.allocator, &c->base.kv, &info->kv_unavailable, err);
}

static hry_status read_sections(hry_container *c, hry_error *err)
{
    tail t;
    hry_status status = read_frame(c, &t, err);
    c->store.align = c->frame.info.alignment; /* before anything is mapped */
    if (!status)
        status = read_index(c, &t, err);
    if (!status)
        status = read_kv(c, &t, err);
    c->base.info = c->frame.info;
    c->base.count = c->index.count;
    return status;
}

hry_status hry_container_open(hry_store *store, const hry_file_options *options, hry_file **file, hry_error *err)
{
    static const hry_file_options none;
    const hry_file_options *o = options ? options : &none;
    hry_container *c = hry_alloc_zeroed(o->allocator, sizeof *c, _Alignof(hry_container));
    if (!c)
        return hry_fail_memory(err, sizeof *c);
    c->base = (hry_file){ .ops = &hry_container_ops,
                          .format = "hurray",
                          .references = 1,
                          .allocator = hry_allocator_or_default(o->allocator) };
    c->store = *store;
    c->access = o->access;
    hry_status status = hry_parse_settings_init(&c->parse, &o->parse, o->allocator)
                            ? read_sections(c, err)
                            : hry_fail_memory(err, c->parse.block_size);
    if (status) {
        *store = c->store; /* with the mapping that may have been made */
        c->store.ops = NULL;
        hry_file_close(&c->base);
        return status;
    }
    *file = &c->base;
    return HRY_OK;
}
