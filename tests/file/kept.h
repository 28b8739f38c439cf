/* A writer's output kept in memory, and judged by readers: our own and one that shares no code with it. */
#ifndef HRY_TESTS_FILE_KEPT_H
#define HRY_TESTS_FILE_KEPT_H

#include <hurray/file.h>

/* What a sink got. */
typedef struct kept {
    uint8_t *bytes;
    size_t nbytes;
} kept;

hry_status keep(void *ctx, const void *bytes, size_t nbytes, hry_error *err);
hry_writer *writer_to(kept *k, const hry_writer_options *options);
/* Each fails the test when the call does. */
void finish(hry_writer *w);
void add(hry_writer *w, const char *name, uint8_t type, uint32_t rank, const uint64_t *shape, const void *data);

/* What the independent reader says of the bytes; its complaint when it refuses them. Needs a scratch directory. */
void assert_read_as(const kept *k, const char *expected);
/* Our own reader has it all. */
void assert_readable(const kept *k);

extern const uint8_t four[4]; /* 1 2 3 4 */
extern const uint64_t shape4[1];

#endif
