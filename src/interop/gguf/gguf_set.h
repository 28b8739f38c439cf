/* Split sets: one model in several files, of which the first is named. (format: gguf, section 1.9) */
#ifndef HRY_INTEROP_GGUF_SET_H
#define HRY_INTEROP_GGUF_SET_H

#include "interop/gguf/gguf_file.h"

/*
 * Adds the other parts to a file that has its first one, when that says that there are more: their names follow from
 * path, and they lie beside it. Parts that are missing are all passed to the options' note; then HRY_E_INPUT. path
 * NULL, or another part than the first: HRY_E_UNSUPPORTED.
 */
hry_status hry_gguf_set_complete(hry_gguf_file *file, const char *path, const hry_import_options *options,
                                 hry_error *err);

#endif
