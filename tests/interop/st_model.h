/* A safetensors file as a test sees it: read by a tree, not by the code under test. */
#ifndef HRY_TESTS_INTEROP_ST_MODEL_H
#define HRY_TESTS_INTEROP_ST_MODEL_H

#include <hurray/interop.h>
#include <yajl/yajl_tree.h>

typedef struct st_model {
    yajl_val header;
    const uint8_t *data;
    size_t data_size;
} st_model;

/* bytes stay the caller's, and stay. Fails the test when it is no safetensors file. */
void st_model_read(st_model *model, const uint8_t *bytes, size_t nbytes);
void st_model_free(st_model *model);

/* Fails the test unless both have the same tensors, in the same order, with the same bytes, and the same metadata. */
void st_model_assert_same(const st_model *a, const st_model *b);

/* A file of a header, padded to pad, and data: to be freed by the caller. */
uint8_t *st_frame(const char *json, const void *data, size_t data_size, size_t pad, size_t *nbytes);
/* A whole file, to be freed by the caller. */
uint8_t *read_file(const char *path, size_t *nbytes);

/* Converts an open file to a container at path, tensor for tensor and key for key. allocator may be NULL. */
hry_status to_container_with(hry_file *file, const char *path, const hry_allocator *allocator, hry_error *err);
hry_status to_container(hry_file *file, const char *path, hry_error *err);

#endif
