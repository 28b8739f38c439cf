/* Making the changes: in a file beside the old one, or in the old one itself. */
#include "base/alloc.h"
#include "base/status.h"
#include "file/edit.h"
#include "os/atomic.h"
#include "os/io.h"

static const char *path_of(const hry_edit *e)
{
    return e->path.bytes;
}

/* File systems share whole blocks: what fills them is copied first, and the rest by itself. */
static hry_status copy_tensors(const hry_edit *e, int from, int to, uint64_t nbytes, hry_error *err)
{
    uint64_t blocks = nbytes & ~(uint64_t)4095;
    hry_status status = blocks ? hry_os_copy(e->os, from, 0, to, blocks, err) : HRY_OK;
    return status ? status : hry_os_copy(e->os, from, blocks, to, nbytes - blocks, err);
}

static hry_status commit_beside(const hry_edit *e, const hry_change *c, hry_error *err)
{
    struct hry_atomic atomic;
    hry_status status = hry_atomic_begin(&atomic, e->os, &e->allocator, path_of(e), HRY_ATOMIC_REPLACE, err);
    if (status)
        return status;
    status = copy_tensors(e, hry_container_of(e->file)->store.fd, atomic.fd, c->offset, err);
    if (!status)
        status = hry_os_write_all(e->os, atomic.fd, c->new_tail, (size_t)(c->new_size - c->offset), err);
    if (!status)
        status = hry_os_write_at(e->os, atomic.fd, 0, c->new_header, HRY_HEADER_SIZE, err);
    if (!status)
        return hry_atomic_commit(&atomic, err);
    hry_atomic_abort(&atomic);
    return status;
}

/* Is what path names still the file that was opened, and as long? */
static hry_status check_same(const hry_edit *e, int fd, hry_error *err)
{
    struct hry_os_stat opened, now;
    const hry_container *c = hry_container_of(e->file);
    hry_status status = hry_os_stat_fd(e->os, c->store.fd, &opened, err);
    if (!status)
        status = hry_os_stat_fd(e->os, fd, &now, err);
    if (!status && (opened.device != now.device || opened.inode != now.inode || now.size != c->store.size))
        status = hry_fail(err, HRY_E_BUSY, HRY_SECTION_NONE, 0, 0, "%s has been changed meanwhile", path_of(e));
    return status;
}

static hry_status overwrite(const hry_edit *e, int fd, const hry_change *c, hry_error *err)
{
    hry_status status = hry_os_write_at(e->os, fd, c->offset, c->new_tail, (size_t)(c->new_size - c->offset), err);
    if (!status && c->new_size < c->old_size)
        status = hry_os_truncate(e->os, fd, c->new_size, err);
    if (!status && memcmp(c->old_header, c->new_header, HRY_HEADER_SIZE) != 0)
        status = hry_os_write_at(e->os, fd, 0, c->new_header, HRY_HEADER_SIZE, err);
    return status ? status : hry_os_sync(e->os, fd, err);
}

static hry_status commit_in_place(const hry_edit *e, const hry_change *c, hry_error *err)
{
    int fd;
    hry_status status = hry_os_open_update(e->os, path_of(e), &fd, err);
    if (status)
        return status;
    status = check_same(e, fd, err);
    if (!status)
        status = hry_undo_write(e->os, &e->allocator, path_of(e), c, err);
    if (status) {
        hry_os_close(e->os, fd);
        return status;
    }
    status = overwrite(e, fd, c, err);
    hry_os_close(e->os, fd);
    if (status) {
        hry_undo_restore_on(e->os, &e->allocator, path_of(e), NULL, NULL);
        return status;
    }
    return hry_undo_remove(e->os, &e->allocator, path_of(e), err);
}

/* The old bytes are read from the file once more: what the edit has of them is only their meaning. */
static hry_status commit_change(const hry_edit *e, hry_change c, hry_error *err)
{
    const hry_container *f = hry_container_of(e->file);
    uint8_t header[HRY_HEADER_SIZE];
    hry_status status = f->store.ops->read(&f->store, 0, header, sizeof header, err);
    c.old_header = header;
    if (status || !e->in_place)
        return status ? status : commit_beside(e, &c, err);
    size_t nbytes = (size_t)(c.old_size - c.offset);
    uint8_t *tail = hry_alloc(&e->allocator, nbytes, 8);
    if (!tail)
        return hry_fail_memory(err, nbytes);
    status = f->store.ops->read(&f->store, c.offset, tail, nbytes, err);
    c.old_tail = tail;
    if (!status)
        status = commit_in_place(e, &c, err);
    hry_free(&e->allocator, tail, nbytes, 8);
    return status;
}

hry_status hry_edit_commit(hry_edit *edit, hry_error *err)
{
    uint8_t header[HRY_HEADER_SIZE], *tail;
    size_t nbytes;
    const hry_container *c = hry_container_of(edit->file);
    if (edit->done)
        return hry_fail_usage(err, "the changes have been made");
    hry_status status = edit->file->ops->recheck(edit->file, err);
    if (!status)
        status = hry_edit_encode(edit, header, &tail, &nbytes, err);
    if (status)
        return status;
    uint64_t offset = hry_frame_region_end(&c->frame);
    hry_change change = {
        .offset = offset, .old_size = c->store.size, .new_size = offset + nbytes, .new_header = header, .new_tail = tail
    };
    status = commit_change(edit, change, err);
    edit->done = status == HRY_OK;
    hry_free(&edit->allocator, tail, nbytes, 8);
    return status;
}
