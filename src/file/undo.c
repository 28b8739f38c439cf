#include "file/undo.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/status.h"
#include "kern/kern.h"
#include "os/atomic.h"
#include "os/io.h"

enum { AT_OFFSET = 8, AT_OLD_SIZE = 16, AT_NEW_SIZE = 24, AT_HEADERS = 32, FIXED = 160, CRC_SIZE = 4 };
static const char magic[8] = { 'H', 'R', 'R', 'Y', 'U', 'N', 'D', 'O' };

/* PATH.undo, to be freed with *size. NULL when there is no memory. */
static char *undo_path(const hry_allocator *allocator, const char *path, size_t *size)
{
    *size = strlen(path) + sizeof ".undo";
    char *name = hry_alloc(allocator, *size, 1);
    if (name) {
        memcpy(name, path, *size - sizeof ".undo");
        memcpy(name + *size - sizeof ".undo", ".undo", sizeof ".undo");
    }
    return name;
}

static hry_status write_part(const struct hry_os *os, int fd, const void *bytes, size_t nbytes, uint32_t *crc,
                             hry_error *err)
{
    *crc = hry_kern()->crc32c(*crc, bytes, nbytes);
    return hry_os_write_all(os, fd, bytes, nbytes, err);
}

static hry_status write_all(const struct hry_os *os, int fd, const hry_change *c, hry_error *err)
{
    uint8_t head[FIXED], end[CRC_SIZE];
    uint32_t crc = 0;
    memcpy(head, magic, sizeof magic);
    hry_store64(head + AT_OFFSET, c->offset);
    hry_store64(head + AT_OLD_SIZE, c->old_size);
    hry_store64(head + AT_NEW_SIZE, c->new_size);
    memcpy(head + AT_HEADERS, c->old_header, HRY_HEADER_SIZE);
    memcpy(head + AT_HEADERS + HRY_HEADER_SIZE, c->new_header, HRY_HEADER_SIZE);
    hry_status status = write_part(os, fd, head, sizeof head, &crc, err);
    if (!status)
        status = write_part(os, fd, c->old_tail, (size_t)(c->old_size - c->offset), &crc, err);
    if (!status)
        status = write_part(os, fd, c->new_tail, (size_t)(c->new_size - c->offset), &crc, err);
    hry_store32(end, crc);
    return status ? status : hry_os_write_all(os, fd, end, sizeof end, err);
}

hry_status hry_undo_write(const struct hry_os *os, const hry_allocator *allocator, const char *path,
                          const hry_change *change, hry_error *err)
{
    size_t size;
    struct hry_atomic atomic;
    char *name = undo_path(allocator, path, &size);
    if (!name)
        return hry_fail_memory(err, size);
    hry_status status = hry_atomic_begin(&atomic, os, allocator, name, 0, err);
    if (!status) {
        status = write_all(os, atomic.fd, change, err);
        if (status)
            hry_atomic_abort(&atomic);
        else
            status = hry_atomic_commit(&atomic, err);
    }
    hry_free(allocator, name, size, 1);
    return status;
}

hry_status hry_undo_remove(const struct hry_os *os, const hry_allocator *allocator, const char *path, hry_error *err)
{
    size_t size;
    char *name = undo_path(allocator, path, &size);
    if (!name)
        return hry_fail_memory(err, size);
    int result = os->unlink(os, name);
    hry_status status =
        result < 0 ? hry_fail_errno(err, -result, name) : hry_os_sync_directory_of(os, allocator, name, err);
    hry_free(allocator, name, size, 1);
    return status;
}

/* The undo file's bytes as a change; false when they are not what hry_undo_write writes. */
static bool parse(const uint8_t *bytes, uint64_t nbytes, hry_change *c)
{
    uint64_t old_tail, new_tail, total;
    if (nbytes < FIXED + CRC_SIZE || memcmp(bytes, magic, sizeof magic) != 0)
        return false;
    *c = (hry_change){ .offset = hry_load64(bytes + AT_OFFSET),
                       .old_size = hry_load64(bytes + AT_OLD_SIZE),
                       .new_size = hry_load64(bytes + AT_NEW_SIZE),
                       .old_header = bytes + AT_HEADERS,
                       .new_header = bytes + AT_HEADERS + HRY_HEADER_SIZE,
                       .old_tail = bytes + FIXED };
    if (c->offset < HRY_HEADER_SIZE || c->old_size < c->offset || c->new_size < c->offset)
        return false;
    old_tail = c->old_size - c->offset;
    new_tail = c->new_size - c->offset;
    if (!hry_add(old_tail, new_tail, &total) || total != nbytes - FIXED - CRC_SIZE)
        return false;
    c->new_tail = c->old_tail + old_tail;
    return hry_kern()->crc32c(0, bytes, (size_t)nbytes - CRC_SIZE) == hry_load32(bytes + nbytes - CRC_SIZE);
}

/* What the change can have left so far: every byte old, new, or not written yet. *made: all of it is new. */
static bool is_between(const hry_change *c, const uint8_t *header, const uint8_t *tail, uint64_t nbytes, bool *made)
{
    uint64_t old_tail = c->old_size - c->offset, new_tail = c->new_size - c->offset;
    *made = nbytes == new_tail && memcmp(header, c->new_header, HRY_HEADER_SIZE) == 0 &&
            memcmp(tail, c->new_tail, (size_t)nbytes) == 0;
    for (size_t i = 0; i < HRY_HEADER_SIZE; i++)
        if (header[i] != c->old_header[i] && header[i] != c->new_header[i])
            return false;
    for (uint64_t i = 0; i < nbytes; i++)
        if (tail[i] != 0 && !(i < old_tail && tail[i] == c->old_tail[i]) &&
            !(i < new_tail && tail[i] == c->new_tail[i]))
            return false;
    return nbytes <= (old_tail > new_tail ? old_tail : new_tail);
}

static hry_status put_back(const struct hry_os *os, int fd, const hry_change *c, hry_error *err)
{
    hry_status status = hry_os_write_at(os, fd, c->offset, c->old_tail, (size_t)(c->old_size - c->offset), err);
    if (!status)
        status = hry_os_write_at(os, fd, 0, c->old_header, HRY_HEADER_SIZE, err);
    if (!status)
        status = hry_os_truncate(os, fd, c->old_size, err);
    return status ? status : hry_os_sync(os, fd, err);
}

static hry_status restore_file(const struct hry_os *os, const hry_allocator *allocator, const char *path, int fd,
                               const hry_change *c, hry_error *err)
{
    struct hry_os_stat stat;
    uint8_t header[HRY_HEADER_SIZE];
    bool made = false, between = false;
    hry_status status = hry_os_stat_fd(os, fd, &stat, err);
    size_t nbytes = 0;
    bool sane = !status && stat.size >= c->offset && hry_to_size(stat.size - c->offset, &nbytes) &&
                stat.size - c->offset <= (c->old_size - c->offset) + (c->new_size - c->offset);
    uint8_t *tail = sane ? hry_alloc(allocator, nbytes, 8) : NULL;
    if (sane && !tail)
        status = hry_fail_memory(err, nbytes);
    if (!status && sane)
        status = hry_os_read_exact(os, fd, 0, header, sizeof header, err);
    if (!status && sane)
        status = hry_os_read_exact(os, fd, c->offset, tail, nbytes, err);
    if (!status && sane)
        between = is_between(c, header, tail, nbytes, &made);
    hry_free(allocator, tail, nbytes, 8);
    if (!status && !between)
        return hry_fail(err, HRY_E_INPUT, HRY_SECTION_NONE, 0, 0,
                        "%s has been changed since %s.undo was written: the two do not belong together", path, path);
    return status || made ? status : put_back(os, fd, c, err);
}

static hry_status read_undo(const struct hry_os *os, const hry_allocator *allocator, const char *name, uint8_t **bytes,
                            size_t *nbytes, hry_error *err)
{
    struct hry_os_stat stat;
    int fd;
    hry_status status = hry_os_open_read(os, name, &fd, err);
    if (status)
        return status;
    status = hry_os_stat_fd(os, fd, &stat, err);
    if (!status && (!hry_to_size(stat.size, nbytes) || !(*bytes = hry_alloc(allocator, *nbytes, 8))))
        status = hry_fail_memory(err, stat.size);
    if (!status)
        status = hry_os_read_exact(os, fd, 0, *bytes, *nbytes, err);
    hry_os_close(os, fd);
    return status;
}

static hry_status restore(const struct hry_os *os, const hry_allocator *allocator, const char *path, const char *name,
                          bool *restored, hry_error *err)
{
    uint8_t *bytes = NULL;
    size_t nbytes = 0;
    hry_change c;
    int fd;
    hry_status status = read_undo(os, allocator, name, &bytes, &nbytes, err);
    if (status == HRY_E_ABSENT) {
        *restored = false;
        return HRY_OK;
    }
    if (!status && !parse(bytes, nbytes, &c))
        status = hry_fail(err, HRY_E_INPUT, HRY_SECTION_NONE, 0, 0, "%s is damaged", name);
    if (!status)
        status = hry_os_open_update(os, path, &fd, err);
    if (!status) {
        status = restore_file(os, allocator, path, fd, &c, err);
        hry_os_close(os, fd);
    }
    hry_free(allocator, bytes, nbytes, 8);
    if (!status)
        status = hry_undo_remove(os, allocator, path, err);
    *restored = status == HRY_OK;
    return status;
}

hry_status hry_undo_restore_on(const struct hry_os *os, const hry_allocator *allocator, const char *path,
                               bool *restored, hry_error *err)
{
    size_t size;
    bool found = false;
    char *name = undo_path(allocator, path, &size);
    if (!name)
        return hry_fail_memory(err, size);
    hry_status status = restore(os, allocator, path, name, &found, err);
    hry_free(allocator, name, size, 1);
    if (!status && restored)
        *restored = found;
    return status;
}

hry_status hry_undo_restore(const char *path, bool *restored, hry_error *err)
{
    return hry_undo_restore_on(&hry_os_default, NULL, path, restored, err);
}
