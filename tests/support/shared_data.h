/* The conformance data and model files that may stand beside the source tree. */
#ifndef HRY_TESTS_SHARED_DATA_H
#define HRY_TESTS_SHARED_DATA_H

#include <stddef.h>
#include <stdint.h>

#include <yajl/yajl_tree.h>

/* Both skip the calling test where the file is not there, and fail it where it cannot be read. */

/* The file, decompressed if it is gzip's, with a 0 byte behind it; to be freed by the caller. */
uint8_t *shared_read(const char *path, size_t *nbytes);
/* The file parsed as JSON; freed by yajl_tree_free. */
yajl_val shared_json(const char *path);

/* What lies under a key, which must be there. */
yajl_val json_at(yajl_val object, const char *key);
/* A whole number, up to 2^64 - 1. */
uint64_t json_u64(yajl_val value);
int64_t json_i64(yajl_val value);
/* A string of up to 16 hexadecimal digits as a number. */
uint64_t json_hex(yajl_val value);

#endif
