/* Status codes, the error report, allocator, limits and executor: what every other part is called with. */
#ifndef HURRAY_BASE_H
#define HURRAY_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HRY_API __attribute__((visibility("default")))
#else
#define HRY_API
#endif

/* The library's version, "MAJOR.MINOR.PATCH". A constant string. */
HRY_API const char *hry_version(void);

/* What went wrong, by kind. The values are pinned: they never change their meaning. */
typedef enum hry_status {
    HRY_OK = 0,
    HRY_E_INPUT = -1,       /* the bytes break a rule of the format; hry_error.rule names it */
    HRY_E_LIMIT = -2,       /* a limit of the caller's (hry_limits) is exceeded */
    HRY_E_UNSUPPORTED = -3, /* valid, but this call or build cannot do it */
    HRY_E_MEMORY = -4,      /* the allocator returned NULL */
    HRY_E_IO = -5,          /* the system refused; hry_error.value is errno */
    HRY_E_USAGE = -6,       /* the call itself is wrong */
    HRY_E_PEER = -7,        /* the other side of a connection broke the protocol or left */
    HRY_E_ABSENT = -8,      /* no tensor, key or file of that name */
    HRY_E_BUSY = -9,        /* would block, or in use */
    HRY_E_CANCELLED = -10   /* stopped by the caller */
} hry_status;

/* "input", "limit", ... A constant string; "unknown" for any other value. */
HRY_API const char *hry_status_name(int32_t status);

/* The part of the bytes that an error is about. */
typedef enum hry_section {
    HRY_SECTION_NONE = 0,
    HRY_SECTION_HEADER = 1, /* of a descriptor */
    HRY_SECTION_SHAPE = 2,
    HRY_SECTION_LAYOUT = 3,
    HRY_SECTION_BUFFERS = 4,
    HRY_SECTION_QUANTIZATION = 5,
    HRY_SECTION_SHARD = 6,
    HRY_SECTION_STATISTICS = 7,
    HRY_SECTION_EXTENSION_TYPE = 8,
    HRY_SECTION_COMPOSITE_MEMBER = 9,
    HRY_SECTION_FILE_HEADER = 10,
    HRY_SECTION_KV = 11,
    HRY_SECTION_INDEX = 12,
    HRY_SECTION_TRAILER = 13,
    HRY_SECTION_DATA = 14, /* contents of buffers, and the padding between them */
    HRY_SECTION_COMPOSITE = 15
} hry_section;

HRY_API const char *hry_section_name(uint16_t section);

/*
 * The error report. Owned by the caller, who may pass NULL instead; written only when a call fails.
 * offset counts from the first byte handed to the call (for a file: from the file's first byte) and is that of the
 * first byte of the field at fault; for a relation between fields, of the later one. value is the offending value
 * where one number says it, errno for HRY_E_IO, else 0. message is one line of UTF-8, always terminated.
 */
typedef struct hry_error {
    int32_t status;
    uint16_t rule;    /* hry_rule_id() gives its name; 0 where no rule of the format is broken */
    uint16_t section; /* hry_section */
    uint64_t offset;
    uint64_t value;
    char message[256];
} hry_error;

/* The format's name of a rule ("D-13"), "" for 0 and for numbers that no rule has. A constant string. */
HRY_API const char *hry_rule_id(uint16_t rule);
/* One line that says what the rule refuses; "" as above. */
HRY_API const char *hry_rule_text(uint16_t rule);
/* The number of a rule by its name, 0 when there is none. Numbers may differ between versions; names do not. */
HRY_API uint16_t hry_rule_find(const char *id);
/* Rule numbers run from 1 to hry_rule_count(). */
HRY_API uint16_t hry_rule_count(void);

/* Text that is not terminated: len bytes of UTF-8. */
typedef struct hry_str {
    const char *ptr;
    size_t len;
} hry_str;

/*
 * Where memory comes from. A NULL hry_allocator * means the C heap. alloc returns memory aligned to align (a power of
 * two) or NULL; free gets the size and alignment of the allocation back, and never NULL. Both may be called from any
 * thread that calls the library, at the same time.
 */
typedef struct hry_allocator {
    void *(*alloc)(void *ctx, size_t size, size_t align);
    void (*free)(void *ctx, void *ptr, size_t size, size_t align);
    void *ctx;
} hry_allocator;

/*
 * Bounds on what untrusted bytes may make the library do. A field of 0 stands for the default given beside it;
 * a NULL hry_limits * for all defaults.
 */
typedef struct hry_limits {
    uint64_t descriptor_length; /* bytes of one descriptor (D-18): 16 MiB */
    uint64_t index_length;      /* bytes of a container's index (F-30): 1 GiB */
    uint64_t kv_length;         /* bytes of a container's KV section (F-30): 256 MiB */
    uint64_t tensor_count;      /* entries of a container's index (F-30): 2^28 */
    uint64_t buffer_size;       /* bytes of one buffer in a stream: 64 GiB */
    uint64_t member_count;      /* members of one composite: 1,048,576 */
    uint64_t header_length;     /* bytes of a foreign format's header, such as safetensors' JSON: 256 MiB */
    uint32_t tile_levels;       /* nested tilings (L-TIL-05): 8 */
    uint32_t composite_depth;   /* composite heads on one path (L-CMP-30): 8, which is also the most */
} hry_limits;

/*
 * Who does parallel work. run calls task(arg, i) once for each i in 0..count-1, on any threads and in any order, and
 * returns when all have returned. width is how many may run at once, at least 1. A NULL hry_executor * means: on the
 * calling thread, in order.
 */
typedef struct hry_executor {
    void (*run)(void *ctx, size_t count, void (*task)(void *arg, size_t i), void *arg);
    void *ctx;
    size_t width;
} hry_executor;

/* "ref", "avx2", "avx512" or "neon": the widest kernels in use, after the environment's HURRAY_CPU. */
HRY_API const char *hry_cpu_level(void);

#ifdef __cplusplus
}
#endif

#endif
