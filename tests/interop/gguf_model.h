/* GGUF files as a test sees and makes them: not by the code under test. */
#ifndef HRY_TESTS_INTEROP_GGUF_MODEL_H
#define HRY_TESTS_INTEROP_GGUF_MODEL_H

#include <hurray/interop.h>

/* Converts an open file to a container at path, tensor for tensor and key for key, private values included. */
hry_status gguf_to_container(hry_file *file, const char *path, hry_error *err);
/* Opens one that has them. */
hry_status gguf_open_container(const char *path, hry_file **file, hry_error *err);
/* Every private value. */
extern const hry_allow gguf_all;

/* How files are written here: whatever takes time left out. */
extern const hry_export_options gguf_quick, gguf_strict;

/* A file under construction, in either byte order. Parts go in as they come. */
typedef struct gguf_maker {
    uint8_t *bytes;
    size_t used, capacity;
    int big;
} gguf_maker;

void gguf_begin(gguf_maker *m, int big, uint32_t version, uint64_t tensors, uint64_t kvs);
void gguf_u8(gguf_maker *m, unsigned x);
void gguf_u16(gguf_maker *m, unsigned x);
void gguf_u32(gguf_maker *m, uint32_t x);
void gguf_u64(gguf_maker *m, uint64_t x);
void gguf_raw(gguf_maker *m, const void *bytes, size_t n);
void gguf_string(gguf_maker *m, const char *text);
/* A key and the type of its value, which follows. */
void gguf_key(gguf_maker *m, const char *key, uint32_t type);
void gguf_info(gguf_maker *m, const char *name, uint32_t rank, const uint64_t *dims, uint32_t type, uint64_t offset);
void gguf_pad(gguf_maker *m, size_t alignment);
void gguf_free(gguf_maker *m);

/* Opens what was made, in place; fails the test when that cannot be done. */
hry_file *gguf_open_made(const gguf_maker *m, const hry_import_options *options);
/* Saves file as GGUF, and fails the test unless that gives these bytes. */
void gguf_assert_saved(hry_file *file, const hry_export_options *options, const gguf_maker *wanted);

/* One tensor of so many blocks for each formula, with scales that can be held; in either byte order the same values. */
enum { GGUF_ROWS = 3 };
void gguf_make_blocks(gguf_maker *m, int big);

#endif
