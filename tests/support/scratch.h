/* A directory of a test's own, gone with all its files when the test is through. */
#ifndef HRY_TESTS_SUPPORT_SCRATCH_H
#define HRY_TESTS_SUPPORT_SCRATCH_H

#include <stddef.h>

/* The directory's path, in static memory; NULL when it cannot be made. One at a time. */
const char *scratch_make(void);
void scratch_remove(void);
/* The same around a group of cmocka's tests. */
int scratch_setup(void **state);
int scratch_teardown(void **state);
/* "DIRECTORY/name", in one of a few static places that take turns. */
const char *scratch_path(const char *name);
/* How many entries it has. */
size_t scratch_count(void);
/* Both return whether it worked; scratch_is also whether the file has exactly these bytes. */
int scratch_write(const char *name, const void *bytes, size_t nbytes);
int scratch_is(const char *name, const void *bytes, size_t nbytes);
/* The file's bytes; 0 when it is not there. */
size_t scratch_size(const char *name);

#endif
