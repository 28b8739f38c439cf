/*
 * Where a container's bytes lie: a file, memory, a source of the caller's. A store is read at random by any number of
 * threads; some can also show the bytes in place.
 */
#ifndef HRY_FILE_STORE_H
#define HRY_FILE_STORE_H

#include <hurray/file.h>

struct hry_os;
typedef struct hry_store hry_store;

typedef struct hry_store_ops {
    /* nbytes at offset, within size. A file that has shrunk is F-T05. */
    hry_status (*read)(const hry_store *store, uint64_t offset, void *dst, uint64_t nbytes, hry_error *err);
    /* The bytes in place, NULL where they have to be read. */
    const uint8_t *(*view)(hry_store *store, uint64_t offset, uint64_t nbytes);
    /* Are the bytes up to end still there? (F-T05) */
    hry_status (*recheck)(const hry_store *store, uint64_t end, hry_error *err);
    void (*close)(hry_store *store);
} hry_store_ops;

struct hry_store {
    const hry_store_ops *ops;
    uint64_t size;
    uint32_t align; /* of offset 0 in memory, where the store can choose: set before the first view; 0: any */
    int fd;         /* of the file behind, for copies inside the kernel; -1: none */
    union {
        hry_source source;
        struct {
            const uint8_t *bytes;
            hry_release_fn *release;
            void *ctx;
        } memory;
        struct {
            const struct hry_os *os;
            const uint8_t *map; /* made when first asked for; read and written atomically */
        } file;
    } as;
};

void hry_store_memory(const void *bytes, uint64_t nbytes, hry_release_fn *release, void *ctx, hry_store *store);
void hry_store_source(const hry_source *source, hry_store *store);
/* The file of an open descriptor, which belongs to the store when this succeeds. HRY_E_USAGE when it cannot be read at
 * random. */
hry_status hry_store_file(const struct hry_os *os, int fd, hry_store *store, hry_error *err);

#endif
