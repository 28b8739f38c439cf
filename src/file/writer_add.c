/* Whole tensors: from memory, with their members, or as they stand in another file. */
#include "base/alloc.h"
#include "base/status.h"
#include "file/collection.h"
#include "file/container.h"
#include "file/writer.h"
#include "tensor/object.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* NAME#0, NAME#1, ... A name that gets too long is refused when it is checked. */
static char *member_name(const hry_writer *w, hry_str head, size_t i, size_t *size)
{
    char suffix[24];
    int n = snprintf(suffix, sizeof suffix, "#%zu", i);
    *size = head.len + (size_t)n;
    char *name = hry_alloc(&w->allocator, *size, 1);
    if (name) {
        memcpy(name, head.ptr, head.len);
        memcpy(name + head.len, suffix, (size_t)n);
    }
    return name;
}

typedef hry_status tensor_step(hry_writer *w, hry_str name, const hry_tensor *tensor, hry_error *err);

/* Takes a step for the tensor, then for its members, in write order. */
static hry_status walk(hry_writer *w, hry_str name, const hry_tensor *tensor, tensor_step *step, hry_error *err)
{
    hry_status status = step(w, name, tensor, err);
    for (size_t i = 0; i < hry_tensor_member_count(tensor) && !status; i++) {
        size_t size;
        char *member = member_name(w, name, i, &size);
        if (!member)
            return hry_fail_memory(err, size);
        status = walk(w, (hry_str){ member, size }, hry_tensor_member(tensor, i), step, err);
        hry_free(&w->allocator, member, size, 1);
    }
    return status;
}

static hry_status check_step(hry_writer *w, hry_str name, const hry_tensor *tensor, hry_error *err)
{
    hry_desc own;
    if (!tensor->in_host)
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_BUFFERS, 0, 0, "the data are not in host memory");
    return hry_writer_check(w, name, &tensor->desc, 0, &own, err);
}

static hry_status write_step(hry_writer *w, hry_str name, const hry_tensor *tensor, hry_error *err)
{
    hry_status status = hry_writer_open_tensor(w, name, hry_tensor_desc(tensor), err);
    for (uint32_t k = 0; k < hry_desc_buffer_count(hry_tensor_desc(tensor)) && !status; k++) {
        uint64_t nbytes;
        const void *bytes = hry_tensor_buffer(tensor, k, &nbytes);
        status = hry_writer_data(w, bytes, (size_t)nbytes, err);
    }
    return status ? status : hry_writer_end(w, err);
}

hry_status hry_writer_add(hry_writer *writer, const char *name, const hry_tensor *tensor, hry_error *err)
{
    hry_str n = { name, strlen(name) };
    hry_status status = hry_writer_usable(writer, HRY_WRITER_BETWEEN, err);
    writer->wanted = 0;
    if (!status)
        status = walk(writer, n, tensor, check_step, err);
    return status ? status : walk(writer, n, tensor, write_step, err);
}

/* A stored buffer that is neither in memory nor in a file: read a piece, write a piece. */
static hry_status copy_through(hry_writer *w, hry_file *from, const hry_stored_buffer *stored, hry_error *err)
{
    size_t size = stored->nbytes < HRY_EMIT_BUFFER ? (size_t)stored->nbytes : HRY_EMIT_BUFFER;
    void *piece = hry_alloc(&w->allocator, size, 64);
    if (!piece)
        return hry_fail_memory(err, size);
    hry_status status = HRY_OK;
    for (uint64_t done = 0; done < stored->nbytes && !status; done += size) {
        uint64_t left = stored->nbytes - done;
        size_t n = left < size ? (size_t)left : size;
        status = from->ops->read_stored(from, stored, done, piece, n, err);
        if (!status)
            status = hry_writer_data(w, piece, n, err);
    }
    hry_free(&w->allocator, piece, size, 64);
    return status;
}

static hry_status copy_stored(hry_writer *w, hry_file *from, const hry_stored_buffer *stored, hry_error *err)
{
    if (stored->nbytes == 0)
        return HRY_OK;
    if (stored->bytes)
        return hry_writer_data(w, stored->bytes, (size_t)stored->nbytes, err);
    if (stored->fd >= 0)
        return hry_writer_data_fd(w, stored->fd, stored->offset, stored->nbytes, err);
    return copy_through(w, from, stored, err);
}

static hry_status copy_buffer(hry_writer *w, hry_file *from, uint32_t i, const hry_desc *desc, uint32_t k,
                              hry_error *err)
{
    hry_stored_buffer stored;
    hry_status status = from->ops->stored(from, i, desc, k, &stored, err);
    if (status)
        return status;
    status = copy_stored(w, from, &stored, err);
    hry_tensor_release(stored.owner);
    return status;
}

/* A tensor whose buffer table is out of reach: its data as they lie, which means the same only at the same alignment.
 */
static hry_status copy_opaque(hry_writer *w, hry_str name, hry_file *from, uint64_t i, const hry_desc *desc,
                              hry_error *err)
{
    hry_file_entry entry;
    if (!hry_file_entry_get(from, i, &entry) || (entry.data_length && hry_writer_alignment(w) != from->info.alignment))
        return hry_fail(
            err, HRY_E_UNSUPPORTED, HRY_SECTION_BUFFERS, 0, i,
            "tensor %" PRIu64 " has an unknown layout: it can go only to a file of its own file's alignment", i);
    hry_stored_buffer stored = { .nbytes = entry.data_length,
                                 .fd = hry_container_of(from)->store.fd,
                                 .offset = entry.data_offset };
    hry_status status = hry_writer_open_opaque(w, name, desc, entry.data_length, err);
    if (!status)
        status = copy_stored(w, from, &stored, err);
    return status ? hry_writer_result(w, status) : hry_writer_end(w, err);
}

hry_status hry_writer_copy(hry_writer *writer, const char *name, size_t len, hry_file *from, uint64_t i, hry_error *err)
{
    hry_desc desc, own;
    hry_str n = { name, len };
    hry_status status = hry_writer_usable(writer, HRY_WRITER_BETWEEN, err);
    writer->wanted = 0;
    if (!status)
        status = from->ops->recheck(from, err);
    if (!status)
        status = hry_file_desc(from, i, &desc, err);
    if (!status)
        status =
            hry_writer_check(writer, n, &desc, HRY_CARRY_DEVICES | HRY_CARRY_ALIGNMENT | HRY_CARRY_DYNAMIC, &own, err);
    if (status)
        return status;
    if (own.state & HRY_DESC_NO_BUFFERS)
        return copy_opaque(writer, n, from, i, &own, err);
    status = hry_writer_open_tensor(writer, n, &own, err);
    for (uint32_t k = 0; k < hry_desc_buffer_count(&own) && !status; k++)
        status = copy_buffer(writer, from, (uint32_t)i, &own, k, err);
    if (!status)
        return hry_writer_end(writer, err);
    return hry_writer_result(writer, status);
}
