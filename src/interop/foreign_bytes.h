/* The bytes of a foreign file: mapped, in memory of the caller's, or read when they are asked for. */
#ifndef HRY_INTEROP_FOREIGN_BYTES_H
#define HRY_INTEROP_FOREIGN_BYTES_H

#include <hurray/file.h>

struct hry_os;

typedef struct hry_foreign_bytes {
    const struct hry_os *os;
    uint64_t size;
    const uint8_t *at; /* all of them; NULL when they have to be read */
    int fd;            /* -1 for memory */
    bool mapped;
    hry_release_fn *release; /* of memory */
    void *release_ctx;
} hry_foreign_bytes;

hry_status hry_foreign_bytes_open(const char *path, hry_access access, hry_foreign_bytes *bytes, hry_error *err);
/* fd is duplicated. HRY_E_USAGE when it cannot be read at random. */
hry_status hry_foreign_bytes_open_fd(int fd, hry_access access, hry_foreign_bytes *bytes, hry_error *err);
void hry_foreign_bytes_memory(const void *at, uint64_t size, hry_foreign_bytes *bytes);
/* Exactly nbytes, from any thread; the caller has compared with size. */
hry_status hry_foreign_bytes_read(const hry_foreign_bytes *bytes, uint64_t offset, void *dst, size_t nbytes,
                                  hry_error *err);
/* Are the bytes up to end still there? A mapped file that shrank would kill the process where it is touched. */
hry_status hry_foreign_bytes_still(const hry_foreign_bytes *bytes, uint64_t end, hry_error *err);
/* Also runs release. */
void hry_foreign_bytes_close(hry_foreign_bytes *bytes);

#endif
