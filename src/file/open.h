/* Opening through a table of system calls that tests replace. */
#ifndef HRY_FILE_OPEN_H
#define HRY_FILE_OPEN_H

#include <hurray/file.h>

struct hry_os;

hry_status hry_file_open_on(const struct hry_os *os, const char *path, const hry_file_options *options, hry_file **file,
                            hry_error *err);

#endif
