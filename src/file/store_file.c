#include "base/status.h"
#include "file/store.h"
#include "os/io.h"

#include <inttypes.h>

static HRY_COLD hry_status fail_gone(hry_error *err, uint64_t end, uint64_t size)
{
    return hry_fail_rule_because(err, HRY_RULE_F_T05, HRY_SECTION_DATA, end, size,
                                 "the file has shrunk to %" PRIu64 " bytes since it was opened", size);
}

static hry_status file_read(const hry_store *store, uint64_t offset, void *dst, uint64_t nbytes, hry_error *err)
{
    size_t got;
    hry_status status = hry_os_read_some(store->as.file.os, store->fd, offset, dst, (size_t)nbytes, &got, err);
    return status || got == nbytes ? status : fail_gone(err, offset + got, offset + got);
}

/*
 * The first to ask makes the mapping; of several at once, one wins and the others take theirs down again. NULL where
 * the file cannot be mapped (its file system, or a small address space): it is read then.
 */
static const uint8_t *map_file(hry_store *store)
{
    const void *mapped;
    if (hry_os_map(store->as.file.os, store->fd, store->size, store->align ? store->align : 1, &mapped, NULL))
        return NULL;
    const uint8_t *expected = NULL;
    if (__atomic_compare_exchange_n(&store->as.file.map, &expected, (const uint8_t *)mapped, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return mapped;
    hry_os_unmap(store->as.file.os, mapped, store->size);
    return expected;
}

static const uint8_t *file_view(hry_store *store, uint64_t offset, uint64_t nbytes)
{
    (void)nbytes;
    const uint8_t *map = __atomic_load_n(&store->as.file.map, __ATOMIC_ACQUIRE);
    if (!map)
        map = map_file(store);
    return map ? map + offset : NULL;
}

static hry_status file_recheck(const hry_store *store, uint64_t end, hry_error *err)
{
    struct hry_os_stat stat;
    hry_status status = hry_os_stat_fd(store->as.file.os, store->fd, &stat, err);
    return status || stat.size >= end ? status : fail_gone(err, end, stat.size);
}

static void file_close(hry_store *store)
{
    const uint8_t *map = __atomic_load_n(&store->as.file.map, __ATOMIC_ACQUIRE);
    if (map)
        hry_os_unmap(store->as.file.os, map, store->size);
    hry_os_close(store->as.file.os, store->fd);
}

static const hry_store_ops file_ops = { file_read, file_view, file_recheck, file_close };

hry_status hry_store_file(const struct hry_os *os, int fd, hry_store *store, hry_error *err)
{
    struct hry_os_stat stat;
    hry_status status = hry_os_stat_fd(os, fd, &stat, err);
    if (status)
        return status;
    if (!stat.regular)
        return hry_fail_usage(err, "%s, not a file that can be read at random",
                              stat.directory ? "a directory" : "a device or pipe");
    *store = (hry_store){ .ops = &file_ops, .size = stat.size, .fd = fd, .as.file = { .os = os } };
    return HRY_OK;
}
