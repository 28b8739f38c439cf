/* A GGUF file, or a split set of them, open. Everything but opening may be called from any thread. */
#ifndef HRY_INTEROP_GGUF_FILE_H
#define HRY_INTEROP_GGUF_FILE_H

#include "interop/foreign_bytes.h"
#include "interop/gguf/gguf_forms.h"
#include "interop/gguf/gguf_record.h"
#include "interop/notes.h"

#include <stdatomic.h>

/* What becomes of the tensors of a type. */
typedef enum hry_gguf_how {
    HRY_GGUF_PLAIN,  /* single elements: the bytes are the same */
    HRY_GGUF_FORMED, /* a quantization scheme holds its blocks exactly */
    HRY_GGUF_DECODED,
    HRY_GGUF_CARRIED, /* blocks as they are, under a private scheme */
    HRY_GGUF_REFUSED
} hry_gguf_how;

typedef struct hry_gguf_part {
    hry_foreign_bytes bytes;
    uint8_t *copy; /* of the header, where the file is not in memory */
    size_t copy_size;
    hry_gguf_header header;
    uint64_t first; /* position of its first tensor in the whole */
} hry_gguf_part;

typedef struct hry_gguf_file {
    hry_allocator allocator;
    hry_limits limits;
    hry_gguf_part *parts; /* one, or those of a split set in order */
    size_t part_count, part_capacity;
    hry_gguf_names names;
    _Atomic(uint8_t *) *descs; /* encoded when first asked for; their length stands in them */
    uint8_t how[HRY_GGUF_TYPES];
    hry_parse_options parse; /* of the descriptors made here */
    bool look_at_blocks;     /* for the record */
    bool decode_bad;         /* tensors with blocks that the form cannot hold are decoded */
    _Atomic(uint8_t)
        *fits; /* with decode_bad, for each tensor: whether all its blocks can be held; 0: not looked yet */
    hry_kv *kvs;
    size_t kv_count, kv_capacity;
    uint8_t *arrays; /* elements of arrays as a container has them */
    size_t arrays_size;
    hry_gguf_bytes record;
} hry_gguf_file;

/* ---- Opening ---- */

/* An empty one; NULL without memory. */
hry_gguf_file *hry_gguf_file_create(const hry_import_options *options, hry_error *err);
/* Reads the header of one more part; takes bytes over, on success only. */
hry_status hry_gguf_file_add(hry_gguf_file *file, const hry_foreign_bytes *bytes, hry_error *err);
/* Metadata and record, when all parts are there. merged: without what says how the set was split. */
hry_status hry_gguf_file_map_metadata(hry_gguf_file *file, bool merged, hry_error *err);
/* The types of its tensors: bits by id. */
uint64_t hry_gguf_file_types(const hry_gguf_file *file);
/* Remarks on tensors that grow. */
void hry_gguf_file_note(const hry_gguf_file *file, hry_notes *notes);
/* Frees it; with_bytes: closes the parts too. */
void hry_gguf_file_destroy(hry_gguf_file *file, bool with_bytes);

/* ---- One tensor ---- */

typedef struct hry_gguf_view {
    const hry_gguf_part *part;
    hry_str name;
    hry_gguf_info info;
    hry_gguf_how how;
    const hry_gguf_form *form; /* FORMED */
} hry_gguf_view;

hry_status hry_gguf_file_view(const hry_gguf_file *file, uint64_t i, hry_gguf_view *view, hry_error *err);
/* By its type alone, without a look at the blocks. */
hry_status hry_gguf_file_type_view(const hry_gguf_file *file, uint64_t i, hry_gguf_view *view, hry_error *err);

/* What hry_provider asks for. */
hry_status hry_gguf_file_desc(const hry_gguf_file *file, uint64_t i, hry_desc *desc, hry_error *err);
hry_status hry_gguf_file_buffers(const hry_gguf_file *file, uint64_t i, const void **buffers, hry_release_fn **release,
                                 void **release_ctx, hry_error *err);
bool hry_gguf_file_locate(const hry_gguf_file *file, uint64_t i, int *fd, uint64_t *offset);
hry_status hry_gguf_file_read(const hry_gguf_file *file, uint64_t i, uint32_t k, uint64_t offset, void *dst,
                              size_t nbytes, hry_error *err);
/* Are the tensor's bytes up to end, counted from its first, still there? To be asked before its blocks are touched. */
hry_status hry_gguf_view_still(const hry_gguf_view *view, uint64_t end, hry_error *err);
/* count blocks from first on, little-endian: where they lie, or in raw, which has room for them. */
hry_status hry_gguf_view_blocks(const hry_gguf_view *view, uint64_t first, size_t count, uint8_t *raw,
                                const uint8_t **blocks, hry_error *err);
/* nbytes of the blocks themselves, little-endian, whatever becomes of them. */
hry_status hry_gguf_view_read(const hry_gguf_view *view, uint64_t offset, void *dst, size_t nbytes, hry_error *err);
/* Where they lie in an open file, if they do so little-endian. */
bool hry_gguf_view_locate(const hry_gguf_view *view, int *fd, uint64_t *offset);

/* The GGUF file that a hry_file was opened from; NULL for any other. */
hry_gguf_file *hry_gguf_file_behind(const hry_file *file);

/* ---- The private scheme ---- */

enum { HRY_GGUF_PAYLOAD_MAX = 12 + 8 * HRY_GGUF_MAX_DIMS };

/* What stands behind the scheme's header: "GGUF", the type, the rank, the logical shape. Returns its length. */
uint32_t hry_gguf_payload_put(const hry_gguf_info *info, uint8_t payload[HRY_GGUF_PAYLOAD_MAX]);
/* Reads it back; false for a scheme that is none of ours, or whose tensor does not go with it. */
bool hry_gguf_payload_get(const hry_desc *desc, hry_gguf_info *info);

#endif
