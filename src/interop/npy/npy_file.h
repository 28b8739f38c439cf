/* The name of the one tensor of a file. */
#ifndef HRY_INTEROP_NPY_FILE_H
#define HRY_INTEROP_NPY_FILE_H

#include <hurray/base.h>

/* Of a path the last part, without its ending; "array" for NULL and for what is no name in UTF-8. Borrowed. */
hry_str hry_npy_name(const char *path);

#endif
