/* What stands behind a file that was opened with hry_file_open_provider. */
#ifndef HRY_FILE_PROVIDER_H
#define HRY_FILE_PROVIDER_H

#include <hurray/file.h>

/* NULL for a container. Lives as long as the file. */
const hry_provider *hry_file_provider(const hry_file *file);

#endif
