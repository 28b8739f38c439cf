/* The header of a GGUF file: verified, with its metadata and tensors where they are in its bytes. */
#ifndef HRY_INTEROP_GGUF_HEADER_H
#define HRY_INTEROP_GGUF_HEADER_H

#include "interop/gguf/gguf_types.h"
#include "interop/gguf/gguf_value.h"

enum { HRY_GGUF_MAX_DIMS = 4, HRY_GGUF_MAX_NAME = 64 };

typedef struct hry_gguf_kv {
    hry_str key;
    const uint8_t *value; /* as in the file: an array from its element type on */
    uint64_t nbytes;
    uint32_t type;
} hry_gguf_kv;

typedef struct hry_gguf_info {
    const hry_gguf_type *type;
    uint32_t type_id;
    uint32_t rank;
    uint64_t dims[HRY_GGUF_MAX_DIMS]; /* fastest first; 1 beyond rank */
    uint64_t blocks;                  /* single elements are blocks too */
    uint64_t offset, nbytes;          /* in the data section */
} hry_gguf_info;

/* Names of tensors, of one file or of several in a row. */
typedef struct hry_gguf_names {
    hry_str *items;
    size_t count, capacity;
} hry_gguf_names;

typedef struct hry_gguf_header {
    const uint8_t *bytes;
    uint64_t length;
    uint64_t file_size;
    uint32_t version;
    bool swapped;
    hry_gguf_kv *kvs;
    size_t kv_count, kv_capacity;
    uint64_t tensor_count;
    uint32_t alignment;
    uint64_t data_at;  /* where the data section starts, and */
    uint64_t data_end; /* where the last tensor's data end, in the file; without data the header's end */
    uint64_t types;    /* of its tensors: bits by id */
    bool in_order;     /* data without holes, as ggml writes them */
    /* Of a split set; split_count 0: none. */
    uint64_t split_no, split_count, split_tensors;
    bool has_split_no, has_split_tensors;
} hry_gguf_header;

/*
 * Reads the header of a file whose first have bytes are at bytes, where they stay as long as the header is used. Adds
 * the tensors' names to names. HRY_E_BUSY, *want: as many bytes have to be at hand; then it is called again, with all
 * as it was before. On any failure nothing is added, and the header needs no hry_gguf_header_fini.
 */
hry_status hry_gguf_header_read(hry_gguf_header *header, const uint8_t *bytes, uint64_t have, uint64_t file_size,
                                const hry_limits *limits, const hry_allocator *allocator, hry_gguf_names *names,
                                uint64_t *want, hry_error *err);
void hry_gguf_header_fini(hry_gguf_header *header, const hry_allocator *allocator);

/* The rest of a tensor's entry, behind its name in the header's bytes. */
hry_status hry_gguf_header_info(const hry_gguf_header *header, hry_str name, hry_gguf_info *info, hry_error *err);

/* The type alone; HRY_GGUF_TYPES where the bytes have changed since. */
uint32_t hry_gguf_header_type(const hry_gguf_header *header, hry_str name);

/* Fails with "tensor NAME: ..." at an offset. */
HRY_COLD HRY_PRINTF(6, 7) hry_status hry_gguf_fail(hry_error *err, hry_status status, uint64_t offset, uint64_t value,
                                                   hry_str name, const char *format, ...);
#define hry_gguf_fail(...) hry_never_ok(hry_gguf_fail(__VA_ARGS__))

/* ---- Its parts ---- */

/* A tensor's entry from r->at, behind its name. */
hry_status hry_gguf_info_read(hry_gguf_reader *r, uint32_t alignment, hry_str name, hry_gguf_info *info);
/* The metadata, count entries; HRY_E_BUSY as above. */
hry_status hry_gguf_metadata_read(hry_gguf_reader *r, uint64_t count, const hry_allocator *allocator,
                                  hry_gguf_header *header);
/* Where the data of count tensors, whose names these are, lie: all in the file, no two overlapping. */
hry_status hry_gguf_check_data(hry_gguf_header *header, const hry_str *names, const hry_allocator *allocator,
                               hry_error *err);

#endif
