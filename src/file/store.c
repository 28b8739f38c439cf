#include "file/store.h"

#include "base/status.h"

#include <string.h>

static hry_status memory_read(const hry_store *store, uint64_t offset, void *dst, uint64_t nbytes, hry_error *err)
{
    (void)err;
    if (nbytes)
        memcpy(dst, store->as.memory.bytes + offset, (size_t)nbytes);
    return HRY_OK;
}

static const uint8_t *memory_view(hry_store *store, uint64_t offset, uint64_t nbytes)
{
    (void)nbytes;
    return store->as.memory.bytes + offset;
}

static hry_status always_there(const hry_store *store, uint64_t end, hry_error *err)
{
    (void)store, (void)end, (void)err;
    return HRY_OK;
}

static void memory_close(hry_store *store)
{
    if (store->as.memory.release)
        store->as.memory.release(store->as.memory.ctx);
}

static const hry_store_ops memory_ops = { memory_read, memory_view, always_there, memory_close };

void hry_store_memory(const void *bytes, uint64_t nbytes, hry_release_fn *release, void *ctx, hry_store *store)
{
    *store = (hry_store){
        .ops = &memory_ops, .size = nbytes, .fd = -1, .as.memory = { .bytes = bytes, .release = release, .ctx = ctx }
    };
}

static hry_status source_read(const hry_store *store, uint64_t offset, void *dst, uint64_t nbytes, hry_error *err)
{
    const hry_source *source = &store->as.source;
    return source->read(source->ctx, offset, dst, (size_t)nbytes, err);
}

static const uint8_t *source_view(hry_store *store, uint64_t offset, uint64_t nbytes)
{
    const hry_source *source = &store->as.source;
    return source->at ? source->at(source->ctx, offset, nbytes) : NULL;
}

static void source_close(hry_store *store)
{
    if (store->as.source.close)
        store->as.source.close(store->as.source.ctx);
}

static const hry_store_ops source_ops = { source_read, source_view, always_there, source_close };

void hry_store_source(const hry_source *source, hry_store *store)
{
    *store = (hry_store){ .ops = &source_ops, .size = source->size, .fd = -1, .as.source = *source };
}
