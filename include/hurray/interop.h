/*
 * Files of other formats, read as a hry_file and written from one. (library hurray-interop)
 *
 * What such a file holds is presented as a container's tensors and metadata would be: whoever reads a hry_file reads
 * it too. Where bytes mean the same in both, they are not copied: buffers point into the file's mapping, at whatever
 * alignment they have there.
 */
#ifndef HURRAY_INTEROP_H
#define HURRAY_INTEROP_H

#include <hurray/file.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What a conversion could not carry ---- */

typedef enum hry_note_kind {
    HRY_NOTE_LEFT_OUT = 1,  /* it is not in the result */
    HRY_NOTE_CHANGED = 2,   /* it is, but not as it was */
    HRY_NOTE_MISSING = 3,   /* the input announces it, but it is not there */
    HRY_NOTE_DUPLICATE = 4, /* the input has it more than once */
    HRY_NOTE_GROWN = 5      /* it is there, with its values exact, but takes more bytes; no fault, even under strict */
} hry_note_kind;

typedef enum hry_note_subject {
    HRY_NOTE_TENSOR = 1,
    HRY_NOTE_KEY = 2, /* of the metadata */
    HRY_NOTE_PART = 3 /* a file of a sharded set */
} hry_note_subject;

/* One remark. name is borrowed for the call and may hold control characters; reason is one line of plain text. */
typedef struct hry_note {
    hry_note_kind kind;
    hry_note_subject subject;
    hry_str name;
    const char *reason;
} hry_note;

typedef void hry_note_fn(void *ctx, const hry_note *note);

/* What is done with blocks of quantized values for which there is a formula. */
typedef enum hry_dequantize {
    HRY_DEQUANTIZE_NONE = 0,   /* nothing: what no scheme holds exactly is refused when it is asked for */
    HRY_DEQUANTIZE_NEEDED = 1, /* float32 where no scheme holds all of a tensor exactly */
    HRY_DEQUANTIZE_ALL = 2     /* always float32 */
} hry_dequantize;

/* Zero is the default in every field. */
typedef struct hry_import_options {
    hry_file_options file; /* limits, private values, permissive, access and allocator count; NULL limits: defaults */
    hry_dequantize dequantize; /* GGUF */
    bool whole_record;         /* GGUF: "gguf.metadata" with what only the blocks tell; opening reads them all */
    bool strict;               /* HRY_E_UNSUPPORTED instead of leaving anything out or changing it */
    hry_note_fn *note;         /* called for each remark, also under strict; NULL: nobody hears them */
    void *note_ctx;
} hry_import_options;

/* Zero is the default in every field. */
typedef struct hry_export_options {
    bool strict;  /* HRY_E_UNSUPPORTED, and nothing written, instead of leaving anything out or changing it */
    bool whole;   /* the same instead of leaving a tensor out; leaving out all of them is refused in any case */
    bool replace; /* paths: replace a file of that name; else saving fails with HRY_E_BUSY when one exists */
    bool no_sync; /* paths: do not wait for the disk */
    bool widen;   /* .npy: element types that NumPy does not have become the narrowest that holds their values */
    const hry_allocator *allocator;
    hry_note_fn *note; /* as above */
    void *note_ctx;
} hry_export_options;

/* ---- Whatever it is ---- */

/*
 * The format of a file by its content, then by its name: "safetensors", "safetensors-index" (the index of a sharded
 * set), "gguf", "npy", or NULL for none of these. head is the file's first nbytes, 16 or more where it has them; size
 * its length; name may be NULL.
 */
HRY_API const char *hry_foreign_format(const void *head, size_t nbytes, uint64_t size, const char *name);

/* Opens a file of any of these formats; HRY_E_INPUT when it has none of them. Other errors are those of the format. */
HRY_API hry_status hry_foreign_open(const char *path, const hry_import_options *options, hry_file **file,
                                    hry_error *err);

/* ---- safetensors ---- */

/*
 * Names, order, types and shapes are kept; __metadata__ becomes metadata of type string, in order. BOOL, a byte for an
 * element, becomes packed bits when the tensor is asked for. Errors: HRY_E_INPUT, with the offset in the file and the
 * tensor's name in the message, for whatever the format does not allow (data that overlaps, is left over or has the
 * wrong size, duplicates, unknown fields or types, text that is not UTF-8); HRY_E_UNSUPPORTED for what has no
 * counterpart (FNUZ floats, more than 64 dimensions, names of more than 65,535 bytes); HRY_E_LIMIT for a header beyond
 * limits.header_length (here 100,000,000 bytes when it is 0, as other readers have it), or more tensors than
 * limits.tensor_count. Opening touches the header only, in time linear in its length.
 */
HRY_API hry_status hry_safetensors_open(const char *path, const hry_import_options *options, hry_file **file,
                                        hry_error *err);
/* fd must be seekable and is duplicated. */
HRY_API hry_status hry_safetensors_open_fd(int fd, const hry_import_options *options, hry_file **file, hry_error *err);
/* bytes stay valid until release(ctx) runs (NULL allowed), after the file and its last tensor are gone. On failure
 * release is not called. */
HRY_API hry_status hry_safetensors_open_memory(const void *bytes, uint64_t nbytes, hry_release_fn *release, void *ctx,
                                               const hry_import_options *options, hry_file **file, hry_error *err);

/*
 * A sharded set through its index ("model.safetensors.index.json"), as one file with the tensors in the order of the
 * index. The parts lie in the index's folder. Parts and tensors that are missing or there more than once are all
 * passed to note; then opening fails with HRY_E_INPUT.
 */
HRY_API hry_status hry_safetensors_open_set(const char *path, const hry_import_options *options, hry_file **file,
                                            hry_error *err);

/*
 * Tensors that are row-major, unquantized and of a type that safetensors has, in the file's order; metadata as strings
 * (numbers and booleans as their text, which is a change that strict refuses). Everything else is left out and passed
 * to note. Bytes that stay as they are are copied by the kernel where it can. Errors: HRY_E_UNSUPPORTED under strict,
 * for a tensor named __metadata__, and for a header beyond 100,000,000 bytes, which readers refuse; those of reading
 * the file and of writing. For a path: a temporary file beside it, synced and renamed when it is complete.
 */
HRY_API hry_status hry_safetensors_save(hry_file *file, const char *path, const hry_export_options *options,
                                        hry_error *err);
/* Forward only: to a file, pipe or socket. */
HRY_API hry_status hry_safetensors_save_fd(hry_file *file, int fd, const hry_export_options *options, hry_error *err);
HRY_API hry_status hry_safetensors_save_sink(hry_file *file, const hry_sink *sink, const hry_export_options *options,
                                             hry_error *err);

/* ---- GGUF ---- */

/*
 * The private scheme under which blocks are carried as they are: uint8, row-major, the last dimension in bytes. Its
 * payload: "GGUF", u32 type, u32 rank, u64 for each dimension of the logical shape, all little-endian.
 */
#define HRY_SCHEME_GGUF HRY_SCHEME_PRIVATE_FIRST

/* Whether a descriptor is of such a tensor, and then the type's name (a constant string), and the logical shape of as
 * many dimensions as the descriptor has; each may be NULL. */
HRY_API bool hry_gguf_carried(const hry_desc *desc, const char **type, uint64_t *shape);

/* The name of the type ("Q4_K", a constant string) whose blocks tensor i is in the GGUF file that file was opened from,
 * whatever is made of them; NULL for single elements, and for files of any other kind. */
HRY_API const char *hry_gguf_blocks(const hry_file *file, uint64_t i);

/*
 * Version 2, and 3 in both byte orders; the first file of a split set stands for all of it. Names and order are kept,
 * shapes are reversed, so that the last dimension is the one whose elements lie side by side. Single elements (F32,
 * I8, ...) are not copied. Blocks become, when they are asked for, codes and scales of a scheme that holds them
 * exactly: Q8_0, Q4_0 and MXFP4 in as many bytes, Q5_0, Q3_K, Q6_K, IQ4_NL, IQ4_XS, Q8_K, NVFP4, Q1_0, Q2_0, TQ1_0
 * and TQ2_0 in more, which is passed to note. A scale of zero becomes 1 with codes of zero, and back. A block with an
 * infinite or NaN scale, or an e8m0 that the format does not have, is HRY_E_UNSUPPORTED when it is read, with the rule
 * that it breaks; HRY_DEQUANTIZE_NEEDED looks at a tensor's scales when its descriptor is first asked for, and then
 * makes float32 of it. Other types (Q4_1, Q5_1, Q2_K, Q4_K, Q5_K, IQ1 to IQ3) are refused when their descriptor is
 * asked for, unless options.dequantize makes float32 of them, or options.file.parse.allow has HRY_SCHEME_GGUF: then all
 * but Q8_0, Q4_0 and MXFP4 are carried as they are. permissive carries what would be refused, opaque.
 *
 * Metadata have the container's types; what these do not tell (widths, nested arrays, odd booleans, the types of some
 * tensors) stands in the key "gguf.metadata", for hry_gguf_save. With options.whole_record, so does which blocks of
 * codes of zero had a scale of 1 all along, as far as a MiB holds it; else they come back with a scale of zero, which
 * gives the same values.
 *
 * Errors: HRY_E_INPUT, with the offset in the file, for whatever the format does not allow; HRY_E_LIMIT for a header
 * beyond limits.header_length, metadata beyond limits.kv_length, more tensors than limits.tensor_count;
 * HRY_E_UNSUPPORTED for a part of a split set that is not its first. Opening touches the header only, in time linear
 * in its length, but for options.whole_record.
 */
HRY_API hry_status hry_gguf_open(const char *path, const hry_import_options *options, hry_file **file, hry_error *err);
/* fd must be seekable and is duplicated. */
HRY_API hry_status hry_gguf_open_fd(int fd, const hry_import_options *options, hry_file **file, hry_error *err);
/* bytes stay valid until release(ctx) runs (NULL allowed), after the file and its last tensor are gone. On failure
 * release is not called. */
HRY_API hry_status hry_gguf_open_memory(const void *bytes, uint64_t nbytes, hry_release_fn *release, void *ctx,
                                        const hry_import_options *options, hry_file **file, hry_error *err);

/*
 * Version 3, little-endian, in blocks of general.alignment, which is 32 when the metadata do not say: row-major tensors
 * of up to 4 dimensions and of a type that GGUF has, in the file's order. Of quantized ones: int8, int4 and float4_e2m1
 * as hry_gguf_open makes them, in blocks of 32 along the last dimension, become Q8_0, Q4_0 and MXFP4, also with
 * float32 or bfloat16 scales that float16 holds, and uint4 with a zero point of 8; two-bit codes become Q1_0, Q2_0,
 * TQ1_0 and TQ2_0; what is carried becomes what it was. A scale of 1 with codes of zero is written as a scale of
 * zero, unless "gguf.metadata" says that it never was one. Everything else is left out and passed to note, and so are
 * names of more than 63 bytes.
 *
 * Of a file that once was GGUF, "gguf.metadata" brings back types, order and whatever else there was: if nothing
 * changed, the same bytes. Metadata that it does not list get the narrowest type that fits, but for those that GGUF
 * itself defines. A hry_file that is a GGUF file is copied with all its types.
 *
 * Errors: HRY_E_UNSUPPORTED as the options say; those of reading the file and of writing. For a path: a temporary file
 * beside it, synced and renamed when it is complete.
 */
HRY_API hry_status hry_gguf_save(hry_file *file, const char *path, const hry_export_options *options, hry_error *err);
/* Forward only: to a file, pipe or socket. */
HRY_API hry_status hry_gguf_save_fd(hry_file *file, int fd, const hry_export_options *options, hry_error *err);
HRY_API hry_status hry_gguf_save_sink(hry_file *file, const hry_sink *sink, const hry_export_options *options,
                                      hry_error *err);

/* ---- NumPy's .npy ---- */

/*
 * Versions 1, 2 and 3: one tensor, named after the file without folder and ending ("array" where there is no name).
 * fortran_order gives column-major. Bytes of the least significant first are not copied; others are turned round, and
 * bools packed, when the tensor is asked for. Errors: HRY_E_INPUT, with the offset in the file, for whatever is no
 * such file, or shorter than it says; HRY_E_UNSUPPORTED, with the name of the type, for objects (which are pickles),
 * strings, dates, records, and floats of 12 or 16 bytes, whose format depends on the machine that wrote them;
 * HRY_E_LIMIT for a header beyond limits.header_length (here 1 MiB when it is 0). Bytes behind the array are left out
 * and passed to note.
 */
HRY_API hry_status hry_npy_open(const char *path, const hry_import_options *options, hry_file **file, hry_error *err);
/* fd must be seekable and is duplicated. name is a path or a file's name; NULL allowed. */
HRY_API hry_status hry_npy_open_fd(int fd, const char *name, const hry_import_options *options, hry_file **file,
                                   hry_error *err);
/* bytes stay valid until release(ctx) runs (NULL allowed), after the file and its last tensor are gone. On failure
 * release is not called. */
HRY_API hry_status hry_npy_open_memory(const void *bytes, uint64_t nbytes, const char *name, hry_release_fn *release,
                                       void *ctx, const hry_import_options *options, hry_file **file, hry_error *err);

/*
 * The logical values in C order, in version 1.0: dequantized, merged, zeros in the place of what is not stored. Other
 * layouts than row-major, quantization, metadata and sections of the descriptor are passed to note; a byte for each
 * bool is no change. HRY_E_UNSUPPORTED for types that NumPy does not have, unless options.widen: then 2 and 4 bits
 * become int8 or uint8, float128 float64 (rounded), other floats float32. Also under strict, where anything is changed
 * or left out. For a path: a temporary file beside it, synced and renamed when it is complete.
 */
HRY_API hry_status hry_npy_save_tensor(const hry_tensor *tensor, const char *path, const hry_export_options *options,
                                       hry_error *err);
/* Forward only: to a file, pipe or socket. */
HRY_API hry_status hry_npy_save_tensor_fd(const hry_tensor *tensor, int fd, const hry_export_options *options,
                                          hry_error *err);
HRY_API hry_status hry_npy_save_tensor_sink(const hry_tensor *tensor, const hry_sink *sink,
                                            const hry_export_options *options, hry_error *err);

/* The same for the one tensor of a file, or its one composite; HRY_E_UNSUPPORTED when there are others. */
HRY_API hry_status hry_npy_save(hry_file *file, const char *path, const hry_export_options *options, hry_error *err);
HRY_API hry_status hry_npy_save_fd(hry_file *file, int fd, const hry_export_options *options, hry_error *err);
HRY_API hry_status hry_npy_save_sink(hry_file *file, const hry_sink *sink, const hry_export_options *options,
                                     hry_error *err);

#ifdef __cplusplus
}
#endif

#endif
