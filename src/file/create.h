/* Writing through a table of system calls that tests replace. */
#ifndef HRY_FILE_CREATE_H
#define HRY_FILE_CREATE_H

#include <hurray/file.h>

struct hry_os;

hry_status hry_writer_create_on(const struct hry_os *os, const char *path, const hry_writer_options *options,
                                hry_writer **writer, hry_error *err);

#endif
