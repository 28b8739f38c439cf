/*
 * The container (.hrry): named tensors and metadata in one file, read at random or written in a single pass.
 * (format: file-format)
 *
 * After it is open, any number of threads may call any reading function on one hry_file. A writer belongs to one
 * thread at a time.
 */
#ifndef HURRAY_FILE_H
#define HURRAY_FILE_H

#include <hurray/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Metadata: keys and values ---- */

enum {
    HRY_KV_STRING = 0x01,
    HRY_KV_INT64 = 0x02,
    HRY_KV_UINT64 = 0x03,
    HRY_KV_FLOAT64 = 0x04,
    HRY_KV_BOOL = 0x05,
    HRY_KV_BYTES = 0x06,
    HRY_KV_ARRAY = 0x07
};

/* A value. type says which member counts; strings and bytes are borrowed from whoever hands the value out. */
typedef struct hry_kv_value {
    uint8_t type;         /* HRY_KV_… */
    uint8_t element_type; /* arrays: HRY_KV_STRING .. HRY_KV_BYTES */
    union {
        hry_str string; /* also bytes */
        int64_t int64;
        uint64_t uint64;
        double float64;
        bool boolean;
        struct {
            uint32_t count;
            uint64_t nbytes;     /* of the encoded elements */
            const void *encoded; /* as in the file: read it with hry_kv_array_next */
        } array;
    } as;
} hry_kv_value;

typedef struct hry_kv {
    hry_str key;
    hry_kv_value value;
} hry_kv;

/* Walks an array: *cursor starts at 0; false at its end. *element is untouched then. */
HRY_API bool hry_kv_array_next(const hry_kv_value *array, uint64_t *cursor, hry_kv_value *element);
/*
 * Builds an array: encodes an element (no array) at dst when room holds it, and returns the bytes that it takes; 0 for
 * what cannot be an element. The elements one after the other are as.array.encoded.
 */
HRY_API size_t hry_kv_element_put(const hry_kv_value *element, void *dst, size_t room);

/* ---- Reading ---- */

typedef struct hry_file hry_file;

/*
 * Bytes of the caller's own that can be read at random. read fills dst with exactly nbytes from offset, from any
 * thread; it returns a status, with *err filled in when it is not HRY_OK. at, which may be NULL, returns a pointer to
 * nbytes at offset that stays valid until close, or NULL. close runs once, when the file and all its tensors are gone;
 * it may be NULL.
 */
typedef struct hry_source {
    uint64_t size; /* bytes */
    hry_status (*read)(void *ctx, uint64_t offset, void *dst, size_t nbytes, hry_error *err);
    const void *(*at)(void *ctx, uint64_t offset, uint64_t nbytes);
    void (*close)(void *ctx);
    void *ctx;
} hry_source;

typedef enum hry_access {
    HRY_MAP = 0, /* map: zero copy, pages come as they are touched. The file must not shrink meanwhile */
    HRY_READ = 1 /* read each tensor into memory when it is asked for: for storage that may change */
} hry_access;

/* Zero is the default in every field. */
typedef struct hry_file_options {
    hry_parse_options parse; /* limits, profile, allowances, permissive; stored is implied */
    hry_access access;
    const hry_allocator *allocator; /* copied */
} hry_file_options;

/* Each opens strictly: every rule F-01 .. F-30 is checked, tensors' descriptors when they are touched (F-T). */
HRY_API hry_status hry_file_open(const char *path, const hry_file_options *options, hry_file **file, hry_error *err);
/* fd must be seekable and is duplicated: the caller still closes its own. */
HRY_API hry_status hry_file_open_fd(int fd, const hry_file_options *options, hry_file **file, hry_error *err);
/* bytes stay valid until release(ctx) runs (NULL allowed), after the file and its last tensor are gone. */
HRY_API hry_status hry_file_open_memory(const void *bytes, uint64_t nbytes, hry_release_fn *release, void *ctx,
                                        const hry_file_options *options, hry_file **file, hry_error *err);
/* source is copied. On failure its close is not called. */
HRY_API hry_status hry_file_open_source(const hry_source *source, const hry_file_options *options, hry_file **file,
                                        hry_error *err);
/*
 * A collection of named tensors that does not lie in a container: another format's file, say. Opened, it is a hry_file
 * like any other, so that whoever reads containers reads it too. ctx, names and kvs live until close runs, once, when
 * the file and all its tensors are gone. Functions may be called from any thread.
 */
typedef struct hry_provider {
    const char *format;   /* "safetensors", ...: a constant string */
    uint64_t count;       /* tensors */
    const hry_str *names; /* one each, unique, UTF-8 */
    uint64_t kv_count;
    const hry_kv *kvs;
    uint64_t file_size; /* of all files together, for hry_file_info; 0: unknown */
    /* The descriptor of tensor i: a view that lives until close. */
    hry_status (*desc)(void *ctx, uint64_t i, hry_desc *desc, hry_error *err);
    /* Its buffers, one pointer for each row of the buffer table; they live until close, or, when *release is set,
     * until release(*release_ctx) runs. */
    hry_status (*buffers)(void *ctx, uint64_t i, const void **buffers, hry_release_fn **release, void **release_ctx,
                          hry_error *err);
    /* May be NULL. True when the bytes of buffer k lie as they are in an open file, so that the kernel can copy them.
     */
    bool (*locate)(void *ctx, uint64_t i, uint32_t k, int *fd, uint64_t *offset);
    /* May be NULL. nbytes of buffer k from offset into dst, in any pieces: for buffers that are made when they are
     * asked for, so that whoever copies them needs no memory for the whole. */
    hry_status (*read)(void *ctx, uint64_t i, uint32_t k, uint64_t offset, void *dst, size_t nbytes, hry_error *err);
    /* May be NULL. A tensor in full, instead of buffers: for composites. */
    hry_status (*tensor)(void *ctx, uint64_t i, hry_tensor **tensor, hry_error *err);
    void (*close)(void *ctx); /* may be NULL */
    void *ctx;
} hry_provider;

/* provider is copied. On failure its close is not called. */
HRY_API hry_status hry_file_open_provider(const hry_provider *provider, const hry_allocator *allocator, hry_file **file,
                                          hry_error *err);
/*
 * Several open files as one model: the tensors of each, in that order, under their names, and the metadata of all; a
 * key that several have counts once, with the first one's value. Works for any mix of formats. Each file is kept open
 * by a reference; the caller still closes its own. HRY_E_INPUT, with the name, for a tensor that two of them have.
 */
HRY_API hry_status hry_file_join(hry_file *const *files, size_t count, const hry_allocator *allocator,
                                 hry_file **joined, hry_error *err);
/* "hurray" for a container, else the provider's. */
HRY_API const char *hry_file_format(const hry_file *file);

/* Gives up the caller's hold; what its tensors need lives on with them. NULL allowed. */
HRY_API void hry_file_close(hry_file *file);

enum { HRY_FILE_HAS_KV = 1u << 0, HRY_FILE_SORTED_INDEX = 1u << 1, HRY_FILE_HAS_INDEX_CRC = 1u << 2 };

typedef struct hry_file_info {
    uint8_t version_major, version_minor;
    uint32_t flags;     /* HRY_FILE_… as stored */
    uint32_t alignment; /* data_buffer_alignment, bytes */
    uint64_t file_size; /* bytes; of a set of files, all of them; 0: unknown */
    uint64_t first_descriptor_offset;
    uint64_t tensor_count_hint;    /* UINT64_MAX: unknown */
    uint64_t kv_offset, kv_length; /* 0 without a KV section */
    uint64_t index_offset, index_length;
    bool kv_unavailable; /* permissive only: the KV section holds private values and could not be read */
} hry_file_info;

HRY_API void hry_file_info_get(const hry_file *file, hry_file_info *info);

/* Tensors by position, in the order of the index; composite members have entries of their own. */
HRY_API uint64_t hry_file_count(const hry_file *file);
HRY_API hry_str hry_file_name(const hry_file *file, uint64_t i);
/* The position of a name, in constant time or by binary search; false when there is none. */
HRY_API bool hry_file_find(const hry_file *file, const char *name, size_t len, uint64_t *i);

typedef struct hry_file_entry {
    hry_str name;
    uint64_t descriptor_offset;
    uint32_t descriptor_length;
    uint64_t data_offset;
    uint64_t data_length;
} hry_file_entry;

HRY_API bool hry_file_entry_get(const hry_file *file, uint64_t i, hry_file_entry *entry);

/* The descriptor of tensor i: a view that lives as long as the file is open. Errors carry file offsets. */
HRY_API hry_status hry_file_desc(hry_file *file, uint64_t i, hry_desc *desc, hry_error *err);
/* Where buffer k of tensor i starts in the file. False when there is no such buffer or the tensor cannot be read. */
HRY_API bool hry_file_buffer_offset(hry_file *file, uint64_t i, uint32_t k, uint64_t *offset, uint64_t *nbytes);

/* A tensor, one reference to the caller. For a composite head with its members. HRY_E_ABSENT without such a name. */
HRY_API hry_status hry_file_tensor(hry_file *file, const char *name, hry_tensor **tensor, hry_error *err);
HRY_API hry_status hry_file_tensor_at(hry_file *file, uint64_t i, hry_tensor **tensor, hry_error *err);

/* The stored bytes of buffer k of tensor i into dst; nbytes must be its byte_size. Parallel with an executor. */
HRY_API hry_status hry_file_read_into(hry_file *file, uint64_t i, uint32_t k, void *dst, uint64_t nbytes,
                                      const hry_executor *executor, hry_error *err);

/* Metadata in file order, valid until the file is closed. NULL when there is none. */
HRY_API uint64_t hry_file_kv_count(const hry_file *file);
HRY_API const hry_kv *hry_file_kv_at(const hry_file *file, uint64_t i);
HRY_API const hry_kv *hry_file_kv(const hry_file *file, const char *key);
HRY_API const hry_kv *hry_file_kv_find(const hry_file *file, const char *key, size_t len);

/* ---- Reading in one pass ---- */

/* Bytes in order, from a pipe say. read gives up to nbytes; *got is 0 only at their end. */
typedef struct hry_pull {
    hry_status (*read)(void *ctx, void *dst, size_t nbytes, size_t *got, hry_error *err);
    void *ctx;
} hry_pull;

typedef struct hry_scan hry_scan;

/*
 * Reads a container from start to end, without going back: tensors as they come, names and metadata after the last.
 * Memory is taken for one descriptor, for what follows the tensors, and 40 bytes for each tensor seen. The same rules
 * hold as for reading at random, and F-31. options->access does not matter. A scan belongs to one thread at a time.
 */
HRY_API hry_status hry_scan_open(const hry_pull *pull, const hry_file_options *options, hry_scan **scan,
                                 hry_error *err);
/* From the descriptor's position on. fd stays the caller's. */
HRY_API hry_status hry_scan_open_fd(int fd, const hry_file_options *options, hry_scan **scan, hry_error *err);

/*
 * The next tensor: *more is true, and *desc a view until the next call. What was not read of the tensor before is
 * passed over. After the last one everything is verified, and *more is false. A failure is final.
 */
HRY_API hry_status hry_scan_next(hry_scan *scan, bool *more, hry_desc *desc, hry_error *err);

/* Bytes of that tensor's buffers, one after the other without the padding between them: as many as are left, up to
 * nbytes. *got is 0 after the last. F-T04 for a tensor with a dynamic dimension. */
HRY_API hry_status hry_scan_data(hry_scan *scan, void *dst, size_t nbytes, size_t *got, hry_error *err);

/*
 * After the last tensor: names, entries and metadata, as an open file whose tensors cannot be had any more (asking for
 * one is HRY_E_UNSUPPORTED). Lives as long as the scan. NULL before.
 */
HRY_API hry_file *hry_scan_directory(hry_scan *scan);
/* The position in the directory of the tensor that came as number k. False before the end, and beyond the last. */
HRY_API bool hry_scan_position(const hry_scan *scan, uint64_t k, uint64_t *i);
/* NULL allowed. */
HRY_API void hry_scan_close(hry_scan *scan);

/* ---- Checking ---- */

/* One thing that is wrong with a file, or advisable to change. Borrowed for the call. */
typedef struct hry_finding {
    bool lint;      /* advice: the file is valid all the same */
    int32_t status; /* HRY_E_INPUT or HRY_E_LIMIT; HRY_OK for advice */
    uint16_t rule;  /* 0 where a limit has no rule */
    uint16_t section;
    uint64_t offset; /* in the file */
    hry_str tensor;  /* the name; .ptr NULL for the container's own parts */
    const char *message;
} hry_finding;

typedef void hry_finding_fn(void *ctx, const hry_finding *finding);

/* Zero is the default in every field. */
typedef struct hry_check_options {
    bool lint;         /* advice too: it reads all padding */
    bool headers_only; /* leave alone what buffers hold: index arrays, scales and zero points, reserved codes */
    const hry_executor *executor; /* for what buffers hold; it changes no finding. NULL: the calling thread */
} hry_check_options;

/*
 * What the format requires beyond what opening has verified: the first fault of each tensor and each composite is
 * reported, and all advice if it is wanted. HRY_OK when the check could be made, whatever it found; *violations counts
 * what is no advice. A file that does not open has one violation: the error that opening it gave. Of another format's
 * file: what stands for its tensors; one that nothing can stand for is advice, values that break a rule here are not.
 */
HRY_API hry_status hry_file_check(hry_file *file, const hry_check_options *options, hry_finding_fn *report, void *ctx,
                                  uint64_t *violations, hry_error *err);

/* ---- Writing ---- */

typedef struct hry_writer hry_writer;

/* Where bytes go, in order. write takes all nbytes or fails; finish makes them durable; both fill *err on failure. */
typedef struct hry_sink {
    hry_status (*write)(void *ctx, const void *bytes, size_t nbytes, hry_error *err);
    hry_status (*finish)(void *ctx, hry_error *err); /* may be NULL */
    void *ctx;
} hry_sink;

/* Zero is the default in every field. */
typedef struct hry_writer_options {
    uint32_t alignment; /* of data buffers in the file: a power of two, 4096 .. 2 MiB; 0: 4096, or what the first
                           tensor declares when that is more */
    bool sorted;        /* write the index in name order (SORTED_INDEX) */
    bool no_kv;         /* promise no metadata: no KV section */
    bool replace;       /* paths: replace a file of that name; else finishing fails with HRY_E_BUSY when one exists */
    bool no_sync;       /* paths: do not wait for the disk */
    bool any_device;    /* take buffers tagged for other devices too; their bytes are in host memory all the same */
    uint64_t tensor_count;   /* for the header's hint; 0: unknown */
    hry_parse_options parse; /* private values need to be allowed; permissive carries opaque tensors */
    const hry_allocator *allocator;
} hry_writer_options;

/* To a path: a temporary file beside it, synced and renamed by hry_writer_finish; nothing at path before that. */
HRY_API hry_status hry_writer_create(const char *path, const hry_writer_options *options, hry_writer **writer,
                                     hry_error *err);
/* From the descriptor's position on, which may be a pipe's. fd stays the caller's. */
HRY_API hry_status hry_writer_create_fd(int fd, const hry_writer_options *options, hry_writer **writer, hry_error *err);
HRY_API hry_status hry_writer_create_sink(const hry_sink *sink, const hry_writer_options *options, hry_writer **writer,
                                          hry_error *err);
/* Gives up what is not finished: no file, no temporary. Also frees a finished writer. NULL allowed. */
HRY_API void hry_writer_destroy(hry_writer *writer);

/* Metadata, at any time before finish; a key once only. Names and keys are UTF-8, 1 .. 65,535 bytes. */
HRY_API hry_status hry_writer_kv(hry_writer *writer, const char *key, size_t len, const hry_kv_value *value,
                                 hry_error *err);
HRY_API hry_status hry_writer_kv_string(hry_writer *writer, const char *key, const char *value, hry_error *err);
HRY_API hry_status hry_writer_kv_uint64(hry_writer *writer, const char *key, uint64_t value, hry_error *err);
HRY_API hry_status hry_writer_kv_int64(hry_writer *writer, const char *key, int64_t value, hry_error *err);
HRY_API hry_status hry_writer_kv_float64(hry_writer *writer, const char *key, double value, hry_error *err);
HRY_API hry_status hry_writer_kv_bool(hry_writer *writer, const char *key, bool value, hry_error *err);

/* A whole tensor; a composite with its members, named NAME#0, NAME#1, ... */
HRY_API hry_status hry_writer_add(hry_writer *writer, const char *name, const hry_tensor *tensor, hry_error *err);

/*
 * A tensor in pieces: begin with its descriptor, then the bytes of its buffers one after the other, in pieces of any
 * size without the padding between them, then end. end fails unless exactly the bytes that the descriptor announces
 * have come.
 */
HRY_API hry_status hry_writer_begin(hry_writer *writer, const char *name, size_t len, const hry_desc *desc,
                                    hry_error *err);
HRY_API hry_status hry_writer_data(hry_writer *writer, const void *bytes, size_t nbytes, hry_error *err);
/* The same with bytes of an open file, copied by the kernel where it can. */
HRY_API hry_status hry_writer_data_fd(hry_writer *writer, int fd, uint64_t offset, uint64_t nbytes, hry_error *err);
HRY_API hry_status hry_writer_end(hry_writer *writer, hry_error *err);

/*
 * Tensor i of an open file as it is stored, under that name: descriptor and buffers unchanged, copied by the kernel
 * where both sides are files. A composite head alone: its members are tensors of their own.
 */
HRY_API hry_status hry_writer_copy(hry_writer *writer, const char *name, size_t len, hry_file *from, uint64_t i,
                                   hry_error *err);

/* Index and trailer; for a path, sync and rename. After it, only hry_writer_destroy may follow. */
HRY_API hry_status hry_writer_finish(hry_writer *writer, hry_error *err);

/* ---- Changing names and metadata ---- */

/*
 * A container whose names and metadata are to be changed, its data not. Changes are collected and made by commit, all
 * or none. The file must not be changed by others meanwhile.
 */
typedef struct hry_edit hry_edit;

/* Zero is the default in every field. */
typedef struct hry_edit_options {
    /*
     * false: a changed file is written beside the old one, data shared or copied by the kernel, synced and renamed over
     * it. true: only what follows the tensors is written, after a copy of what was there went to PATH.undo and to disk;
     * whoever reads the file at that moment may see it between the two.
     */
    bool in_place;
    hry_parse_options parse;
    const hry_allocator *allocator;
} hry_edit_options;

/* Opens a container. A PATH.undo that is found is put back first (hry_undo_restore). */
HRY_API hry_status hry_edit_open(const char *path, const hry_edit_options *options, hry_edit **edit, hry_error *err);
/* The file as it is before the changes; lives as long as the edit. */
HRY_API hry_file *hry_edit_file(hry_edit *edit);
/* Gives a key a value: at its place when it is there, else at the end. key and value are copied. */
HRY_API hry_status hry_edit_kv(hry_edit *edit, const char *key, size_t len, const hry_kv_value *value, hry_error *err);
/* HRY_E_ABSENT when there is no such key. */
HRY_API hry_status hry_edit_kv_remove(hry_edit *edit, const char *key, size_t len, hry_error *err);
/* Gives tensor i another name, which is copied. Names are compared when the edit is committed, so that two tensors can
 * change theirs for each other's. */
HRY_API hry_status hry_edit_rename(hry_edit *edit, uint64_t i, const char *name, size_t len, hry_error *err);
/*
 * Makes the changes, at most once. HRY_E_INPUT with F-17 for a name that is there twice. On failure the file is what it
 * was; should even that fail in place, PATH.undo stays and puts it back later.
 */
HRY_API hry_status hry_edit_commit(hry_edit *edit, hry_error *err);
HRY_API void hry_edit_close(hry_edit *edit); /* NULL allowed */

/*
 * Puts the file back to what it was when a change in place was cut short, by PATH.undo; nothing when there is none. A
 * change that is complete is kept. *restored (may be NULL): a PATH.undo was there. HRY_E_INPUT, and nothing touched,
 * when the file is not one that the change can have left behind.
 */
HRY_API hry_status hry_undo_restore(const char *path, bool *restored, hry_error *err);

#ifdef __cplusplus
}
#endif

#endif
