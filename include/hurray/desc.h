/*
 * The tensor descriptor: parse, look into, build. (format: descriptor, layouts, quantization, versioning)
 *
 * A hry_desc is a view over encoded bytes, made by one verifying pass; it owns nothing and costs no heap. The bytes
 * must outlive it and stay unchanged. Any number of threads may read one view.
 */
#ifndef HURRAY_DESC_H
#define HURRAY_DESC_H

#include <hurray/layout.h>
#include <hurray/quant.h>
#include <hurray/type.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    HRY_DEVICE_CPU = 0x00,
    HRY_DEVICE_CUDA = 0x01,
    HRY_DEVICE_ROCM = 0x02,
    HRY_DEVICE_METAL = 0x03,
    HRY_DEVICE_VULKAN = 0x04,
    HRY_DEVICE_WEBGPU = 0x05,
    HRY_DEVICE_HEXAGON = 0x06,
    HRY_DEVICE_LEVEL_ZERO = 0x07,
    HRY_DEVICE_OPENCL = 0x08
};

enum { HRY_SYNC_PRODUCER = 0x00, HRY_SYNC_EVENT = 0x01, HRY_SYNC_CONSUMER_STREAM = 0x02 };
enum { HRY_MEMORY_STANDARD = 0x00, HRY_MEMORY_HOST_PINNED = 0x01, HRY_MEMORY_UNIFIED = 0x02, HRY_MEMORY_PEER = 0x03 };

/* Bits of a descriptor's flags word: which optional sections follow the buffer table. */
enum {
    HRY_HAS_QUANTIZATION = 1u << 0,
    HRY_HAS_SHARD = 1u << 1,
    HRY_HAS_EXTENSION_TYPE = 1u << 2,
    HRY_HAS_STATISTICS = 1u << 3,
    HRY_HAS_COMPOSITE_MEMBER = 1u << 4
};

/* "CPU", "CUDA", ...; "private" and "unknown" for tags without a name. A constant string. */
HRY_API const char *hry_device_name(uint8_t tag);

/* ---- The parts of a descriptor, as values ---- */

/* One row of the buffer table: what a buffer declares. (buffers, section 1) */
typedef struct hry_buffer {
    uint64_t byte_size;
    uint32_t alignment; /* bytes; 0 when building stands for 64, for other devices than the CPU 4096 */
    uint8_t device_tag;
    uint8_t sync_mode;
    uint8_t memory_class;
} hry_buffer;

/* Bits of hry_statistics.computed_mask. */
enum {
    HRY_STATS_NNZ = 1u << 0,
    HRY_STATS_SPARSITY = 1u << 1,
    HRY_STATS_RANGE = 1u << 2,  /* value_min, value_max, value_abs_max */
    HRY_STATS_VALUES = 1u << 3, /* value_mean, value_stddev */
    HRY_STATS_NM = 1u << 4,
    HRY_STATS_NAN_INF = 1u << 5
};

/* Advisory: no result of this library depends on statistics found in a descriptor. (descriptor, section 7) */
typedef struct hry_statistics {
    uint32_t computed_mask;
    uint8_t nm_n, nm_m;
    uint8_t has_nan, has_inf;
    uint64_t nnz;
    double sparsity_ratio;
    double value_min, value_max, value_abs_max;
    double value_mean, value_stddev;
} hry_statistics;

/* What a private element type is made of. (descriptor, section 7) */
typedef struct hry_extension_type {
    uint32_t bit_width;
    uint8_t packing_factor;
    uint8_t is_float, is_signed;
    uint8_t sign_bits, exponent_bits, mantissa_bits;
    uint32_t exponent_bias;
    uint8_t has_nan, has_inf;
} hry_extension_type;

/* ---- Who reads: profile, allowances, options ---- */

/* One public or private value of any tag space, with its life. (versioning, sections 3 and 7) */
typedef struct hry_registry_row {
    uint8_t space; /* hry_space */
    uint8_t tier;  /* 1 or 2; 0 where tiers mean nothing */
    uint16_t value;
    const char *name;
    uint8_t since_minor;      /* descriptor 1.N (container 1.N for file flags and KV tags) that brought it */
    uint8_t deprecated_minor; /* 0: not deprecated */
    uint16_t replacement;     /* the value to use instead; 0: none */
} hry_registry_row;

typedef enum hry_space {
    HRY_SPACE_TYPE = 1,
    HRY_SPACE_LAYOUT,
    HRY_SPACE_SCHEME,
    HRY_SPACE_DEVICE,
    HRY_SPACE_MEMORY_CLASS,
    HRY_SPACE_SYNC_MODE,
    HRY_SPACE_DESCRIPTOR_FLAG, /* bit numbers */
    HRY_SPACE_FILE_FLAG,       /* bit numbers */
    HRY_SPACE_KV_TYPE
} hry_space;

/* "type", "layout", ... */
HRY_API const char *hry_space_name(uint8_t space);

/* The registry of this build by position, and the row of one value; false from the end on, and for an unassigned one.
 */
HRY_API bool hry_registry_at(size_t position, hry_registry_row *row);
HRY_API bool hry_registry_find(uint8_t space, uint16_t value, hry_registry_row *row);

/*
 * What a reader knows: ceilings on each version axis. Values that came with a later minor are unknown to it, and read
 * and refused as such. hry_profile_current() is this build's.
 */
typedef struct hry_profile {
    uint8_t descriptor_minor; /* of major 1 */
    uint8_t container_minor;
    uint8_t scheme_version;        /* the highest, for every scheme */
    bool no_quantization;          /* a reader without quantization support (D-42) */
    const hry_registry_row *extra; /* rows beside this build's, for tests of newer readers; NULL: none */
    size_t extra_count;
} hry_profile;

HRY_API const hry_profile *hry_profile_current(void);

/* Private values agreed out of band. Each array is borrowed; all = every private value of every space. */
typedef struct hry_allow {
    bool all;
    const uint8_t *types;
    size_t type_count;
    const uint64_t *layout_ids;
    size_t layout_id_count;
    const uint8_t *schemes;
    size_t scheme_count;
    const uint8_t *devices;
    size_t device_count;
    const uint8_t *memory_classes;
    size_t memory_class_count;
    const uint8_t *composition_rules; /* only with permissive (L-CMP-02) */
    size_t composition_rule_count;
} hry_allow;

/* Zero is the default in every field. */
typedef struct hry_parse_options {
    const hry_limits *limits;
    const hry_profile *profile;
    const hry_allow *allow;
    bool permissive; /* keep what the format lets a reader keep, marked opaque (descriptor, section 9) */
    bool stored;     /* the bytes come from a file, stream or peer, so that dynamic dimensions stay unresolved */
} hry_parse_options;

/* ---- Parsing and looking ---- */

/* Bits of hry_desc.state. */
enum {
    HRY_DESC_OPAQUE = 1u << 0,        /* permissive only: the data must not be interpreted */
    HRY_DESC_NO_BUFFERS = 1u << 1,    /* permissive only: the buffer table and the sections cannot be reached */
    HRY_DESC_HAS_DYNAMIC = 1u << 2,   /* some dimension is HRY_DYNAMIC */
    HRY_DESC_EMPTY = 1u << 3,         /* some dimension is 0 */
    HRY_DESC_NEWER_MINOR = 1u << 4,   /* written by a newer minor version than the reader's; information only (V-03) */
    HRY_DESC_UNKNOWN_LAYOUT = 1u << 5 /* permissive only: layout_tag means nothing to this reader */
};

/* The view. Read it through the functions below; the members may change between versions. */
typedef struct hry_desc {
    const uint8_t *bytes;
    uint32_t length;
    uint32_t flags;
    uint8_t type, layout, rank, buffer_count;
    uint8_t state;
    uint32_t layout_offset; /* of each part, from bytes; 0 where absent */
    uint32_t buffers_offset;
    uint32_t quantization_offset;
    uint32_t shard_offset;
    uint32_t statistics_offset;
    uint32_t extension_type_offset;
    uint32_t composite_member_offset;
    uint32_t end; /* where the known fields end; what follows up to length is a newer minor's */
} hry_desc;

/*
 * The length in bytes of the descriptor that starts at bytes, from its first 10 bytes, whether or not it can be
 * parsed. HRY_E_INPUT with D-01 (fewer than 10 bytes), D-02, D-03, D-04 or D-05. *length is untouched on failure.
 */
HRY_API hry_status hry_desc_length(const void *bytes, size_t nbytes, uint32_t *length, hry_error *err);

/*
 * Verifies a descriptor (every rule of phases P1 and P2: descriptor, section 11, and Q-*) and makes a view of it.
 * nbytes may exceed the descriptor: what follows belongs to the next item. options may be NULL. No allocation.
 * HRY_E_INPUT with the first broken rule, HRY_E_LIMIT with D-18 or L-TIL-05. *desc is untouched on failure.
 */
HRY_API hry_status hry_desc_parse(const void *bytes, size_t nbytes, const hry_parse_options *options, hry_desc *desc,
                                  hry_error *err);

/*
 * The encoded descriptor, *nbytes long, as it was read: what to write when nothing is changed, trailing bytes that this
 * version knows nothing of included. Not a copy.
 */
HRY_API const void *hry_desc_bytes(const hry_desc *desc, size_t *nbytes);
HRY_API uint8_t hry_desc_type(const hry_desc *desc);
HRY_API uint8_t hry_desc_layout(const hry_desc *desc);
HRY_API uint32_t hry_desc_rank(const hry_desc *desc);
HRY_API uint64_t hry_desc_dim(const hry_desc *desc, uint32_t k); /* elements; HRY_DYNAMIC; 0 when k is not below rank */
HRY_API void hry_desc_shape(const hry_desc *desc, uint64_t *shape); /* rank entries */
HRY_API uint64_t hry_desc_byte_offset(const hry_desc *desc);
HRY_API uint8_t hry_desc_version_major(const hry_desc *desc);
HRY_API uint8_t hry_desc_version_minor(const hry_desc *desc);
HRY_API uint32_t hry_desc_flags(const hry_desc *desc);
HRY_API bool hry_desc_is_opaque(const hry_desc *desc);
/* The number of logical elements: 1 for a scalar, 0 when a dimension is 0. False while a dimension is dynamic or when
 * the product does not fit 64 bits. */
HRY_API bool hry_desc_count(const hry_desc *desc, uint64_t *count);
/* Bits of one element; for private types from the extension type section. */
HRY_API uint32_t hry_desc_bits(const hry_desc *desc);

HRY_API uint32_t hry_desc_buffer_count(const hry_desc *desc);
/* Row i of the buffer table; false when there is none. */
HRY_API bool hry_desc_buffer(const hry_desc *desc, uint32_t i, hry_buffer *buffer);
/* The sum of all byte_sizes; false when it does not fit 64 bits. */
HRY_API bool hry_desc_data_size(const hry_desc *desc, uint64_t *nbytes);

/* The layout and its fields; arrays lie in store, extension_data in the descriptor. False for an unknown layout tag
 * (permissive) and for more tilings than HRY_TILE_LEVELS_MAX. */
HRY_API bool hry_desc_layout_get(const hry_desc *desc, hry_layout *layout, hry_layout_store *store);

/* Each section: false when it is absent (or, permissive, out of reach). */
HRY_API bool hry_desc_quantization(const hry_desc *desc, hry_quantization *quantization);
HRY_API bool hry_desc_shard(const hry_desc *desc, uint64_t *parent_shape, uint64_t *shard_offset); /* rank entries */
HRY_API bool hry_desc_statistics(const hry_desc *desc, hry_statistics *statistics);
HRY_API bool hry_desc_extension_type(const hry_desc *desc, hry_extension_type *extension_type);
HRY_API bool hry_desc_composite_member(const hry_desc *desc, uint8_t *member_role);

/* Advice on a valid descriptor that a reader accepts and a writer should not make (D-57, D-68): called once for each
 * finding. offset is from the descriptor's first byte. */
typedef void hry_lint_fn(void *ctx, uint16_t rule, uint64_t offset, const char *message);
HRY_API void hry_desc_lint(const hry_desc *desc, hry_lint_fn *report, void *ctx);

/* ---- Building ---- */

/*
 * All that a descriptor says. Zero is a default in every field but type: a scalar, row-major, with buffers as the
 * layout and the quantization need them. Pointers are borrowed.
 */
typedef struct hry_desc_spec {
    uint8_t type;
    uint32_t rank;
    const uint64_t *shape;
    uint64_t byte_offset;
    const hry_layout *layout; /* NULL: row-major */
    uint32_t buffer_count;
    const hry_buffer *buffers; /* NULL: sizes computed where the descriptor determines them, 64-aligned, CPU */
    const hry_quantization *quantization;
    const uint64_t *parent_shape; /* with shard_offset: the shard section; rank entries */
    const uint64_t *shard_offset;
    const hry_statistics *statistics;
    const hry_extension_type *extension_type; /* for private types */
    const uint8_t *member_role;               /* members of an overlay: 1 base, 0 correction */
} hry_desc_spec;

/* The bytes that the encoded descriptor takes. HRY_E_USAGE when the spec is incomplete (a missing array, NULL shape).
 */
HRY_API hry_status hry_desc_encoded_length(const hry_desc_spec *spec, size_t *nbytes, hry_error *err);

/*
 * Encodes spec at the lowest versions that cover it into bytes (capacity nbytes) and verifies the result: *desc, a
 * view of bytes, is written only when every rule holds; else the status and rule are those of hry_desc_parse, and the
 * contents of bytes are unspecified. What is advice to readers is refused too (D-57, D-68: HRY_E_INPUT). options as for
 * parsing: private values need to be allowed; permissive counts only for a private composition_rule, which no strict
 * reader takes. HRY_E_USAGE as above, when nbytes is too small, and for values that options->profile deprecates. No
 * allocation. (descriptor, section 12)
 */
HRY_API hry_status hry_desc_encode(const hry_desc_spec *spec, const hry_parse_options *options, void *bytes,
                                   size_t nbytes, hry_desc *desc, hry_error *err);

/* Room for what a spec points to. Contents are private. */
typedef struct hry_desc_store {
    uint64_t shape[HRY_RANK_MAX], parent_shape[HRY_RANK_MAX], shard_offset[HRY_RANK_MAX];
    hry_layout layout;
    hry_layout_store layout_store;
    hry_buffer buffers[255];
    hry_quantization quantization;
    hry_statistics statistics;
    hry_extension_type extension_type;
    uint8_t member_role;
} hry_desc_store;

/*
 * Takes a view apart, to change something and encode it again; bytes that this version knows nothing of are left out
 * (DW-9). Pointers go to store and to the descriptor's bytes. False where hry_desc_layout_get is, and where the buffer
 * table cannot be reached.
 */
HRY_API bool hry_desc_unpack(const hry_desc *desc, hry_desc_spec *spec, hry_desc_store *store);

/*
 * Gives dynamic dimensions their sizes: shape has rank entries, those that are static in desc must be equal. The new
 * descriptor goes to bytes, with buffers of at least nbytes = desc->length. Errors as for hry_desc_encode.
 */
HRY_API hry_status hry_desc_resolve(const hry_desc *desc, const uint64_t *shape, const hry_parse_options *options,
                                    void *bytes, size_t nbytes, hry_desc *resolved, hry_error *err);

/*
 * The same descriptor with these statistics in place of those it has; NULL, or without any bit in computed_mask: with
 * none. The new one goes to bytes, of at least desc->length + 72. What this version knows nothing of is left out
 * (DW-9). HRY_E_INPUT with D-57 when they are out of range or another nnz than the layout's (DW-7); others as for
 * hry_desc_encode.
 */
HRY_API hry_status hry_desc_with_statistics(const hry_desc *desc, const hry_statistics *statistics,
                                            const hry_parse_options *options, void *bytes, size_t nbytes, hry_desc *out,
                                            hry_error *err);

#ifdef __cplusplus
}
#endif

#endif
