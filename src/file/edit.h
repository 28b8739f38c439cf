/* A container whose names and metadata change. */
#ifndef HRY_FILE_EDIT_H
#define HRY_FILE_EDIT_H

#include "file/container.h"
#include "file/undo.h"
#include "file/writer.h"

/* A name or a key with its value that the edit keeps. */
typedef struct hry_kept_text {
    void *bytes;
    size_t size;
} hry_kept_text;

struct hry_edit {
    const struct hry_os *os;
    hry_allocator allocator;
    bool in_place, done, kv_changed;
    hry_kept_text path;
    hry_file *file;
    hry_kv *kvs; /* as they will be */
    size_t kv_count, kv_room;
    hry_str *names; /* one each; ptr NULL: unchanged. NULL before the first */
    hry_kept_text *kept;
    size_t kept_count, kept_room;
};

hry_status hry_edit_open_on(const struct hry_os *os, const char *path, const hry_edit_options *options, hry_edit **edit,
                            hry_error *err);

/* What the file will end with from the end of the tensor region on, and its header. Freed by the caller. */
hry_status hry_edit_encode(const hry_edit *edit, uint8_t header[HRY_HEADER_SIZE], uint8_t **tail, size_t *nbytes,
                           hry_error *err);

#endif
