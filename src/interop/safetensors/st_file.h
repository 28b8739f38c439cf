/* One safetensors file, open. Everything here may be called from any thread. */
#ifndef HRY_INTEROP_ST_FILE_H
#define HRY_INTEROP_ST_FILE_H

#include "interop/foreign_bytes.h"
#include "interop/safetensors/st_header.h"

typedef struct hry_st_file {
    hry_allocator allocator;
    hry_foreign_bytes bytes;
    uint8_t *json; /* a copy of the header, where the file is not in memory */
    size_t json_size;
    hry_st_header header;
} hry_st_file;

/* Takes bytes over, on success only. */
hry_status hry_st_file_open(const hry_foreign_bytes *bytes, const hry_file_options *options, hry_notes *notes,
                            hry_st_file **file, hry_error *err);
void hry_st_file_close(hry_st_file *file);

/* What hry_provider asks for, of tensor i. */
hry_status hry_st_file_desc(const hry_st_file *file, uint64_t i, hry_desc *desc, hry_error *err);
hry_status hry_st_file_buffer(const hry_st_file *file, uint64_t i, const void **buffer, hry_release_fn **release,
                              void **release_ctx, hry_error *err);
bool hry_st_file_locate(const hry_st_file *file, uint64_t i, int *fd, uint64_t *offset);
hry_status hry_st_file_read(const hry_st_file *file, uint64_t i, uint64_t offset, void *dst, size_t nbytes,
                            hry_error *err);

#endif
