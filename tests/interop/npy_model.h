/* .npy files as a test makes and sees them, and what is said about them. */
#ifndef HRY_TESTS_INTEROP_NPY_MODEL_H
#define HRY_TESTS_INTEROP_NPY_MODEL_H

#include <hurray/interop.h>

/* A file of a version, with this text as its header, padded to `pad` bytes before the data. To be freed. */
uint8_t *npy_frame(unsigned version, const char *header, size_t pad, const void *data, size_t data_size,
                   size_t *nbytes);
/* The usual header, version 1: descr "<f4", shape "(2, 3)". */
uint8_t *npy_usual(const char *descr, bool fortran_order, const char *shape, const void *data, size_t data_size,
                   size_t *nbytes);

/* Opens it, and fails the test when that fails. Takes bytes over. name is "a". */
hry_file *npy_open_kept(uint8_t *bytes, size_t nbytes);

/* One remark a line: "KIND SUBJECT NAME: REASON", kind and subject as numbers. */
typedef struct npy_heard {
    char text[2048];
    size_t used;
} npy_heard;
void npy_hear(void *ctx, const hry_note *note);

/* A sink that keeps, and may run full. */
typedef struct npy_kept {
    uint8_t *bytes;
    size_t nbytes;
    size_t room; /* 0: endless */
} npy_kept;
hry_sink npy_keep(npy_kept *kept);

#endif
