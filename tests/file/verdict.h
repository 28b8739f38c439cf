/* What reading a container comes to: the first rule that it breaks. */
#ifndef HRY_TESTS_FILE_VERDICT_H
#define HRY_TESTS_FILE_VERDICT_H

#include <hurray/file.h>

/* Every descriptor, then every tensor, of an open file. HRY_OK when all can be had. */
hry_status touch_all(hry_file *file, hry_error *err);
/* Opens the bytes from memory and touches all. */
hry_status read_all_of(const void *bytes, size_t nbytes, const hry_file_options *options, hry_error *err);

#endif
