/*
 * What every hry_file is: a counted reference to named tensors and metadata. Where they come from is behind ops: a
 * container (container.c) or a provider (provider.c).
 */
#ifndef HRY_FILE_COLLECTION_H
#define HRY_FILE_COLLECTION_H

#include "file/kv_list.h"

#include <hurray/file.h>
#include <stdatomic.h>

#define HRY_NOWHERE UINT64_MAX /* an offset of what lies in no file */

/* The stored bytes of one buffer: in memory, or in a file, or to be had from ops->read_stored. */
typedef struct hry_stored_buffer {
    uint64_t nbytes;
    const uint8_t *bytes;    /* NULL where they are not in memory */
    hry_tensor *owner;       /* keeps bytes alive; for the caller to release */
    int fd;                  /* the file they lie in, at offset; -1: none that a kernel could copy from */
    uint64_t offset;         /* in the container, or in fd; HRY_NOWHERE */
    uint32_t tensor, buffer; /* whose it is, where a provider makes the bytes when they are read */
} hry_stored_buffer;

typedef struct hry_file_ops {
    hry_str (*name)(const hry_file *file, uint32_t i);
    bool (*find)(const hry_file *file, hry_str name, uint32_t *i);
    /* Has what is mapped shrunk since? (F-T05) */
    hry_status (*recheck)(const hry_file *file, hry_error *err);
    hry_status (*desc)(hry_file *file, uint32_t i, hry_desc *desc, hry_error *err);
    hry_status (*tensor)(hry_file *file, uint32_t i, hry_tensor **tensor, hry_error *err);
    /* Buffer k of desc, which is tensor i's. */
    hry_status (*stored)(hry_file *file, uint32_t i, const hry_desc *desc, uint32_t k, hry_stored_buffer *stored,
                         hry_error *err);
    /* nbytes of it, from a position in the buffer on; only where stored->bytes is NULL. On any thread. */
    hry_status (*read_stored)(const hry_file *file, const hry_stored_buffer *stored, uint64_t from, void *dst,
                              uint64_t nbytes, hry_error *err);
    void (*destroy)(hry_file *file); /* and frees it */
} hry_file_ops;

struct hry_file {
    const hry_file_ops *ops;
    const char *format;
    atomic_size_t references; /* the caller's and one for each tensor */
    uint32_t count;
    hry_allocator allocator;
    hry_file_info info;
    hry_kv_list kv;
};

hry_file *hry_file_retain(hry_file *file);
/* hry_file_close with the signature of a release callback. */
void hry_file_release(void *file);

#endif
