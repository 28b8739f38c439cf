/* Names of files for tensors. */
#ifndef HRY_CLI_FILENAME_H
#define HRY_CLI_FILENAME_H

#include <hurray/base.h>

/*
 * A file name, without folder, for any text: letters, digits and what else is harmless everywhere stay as they are,
 * other bytes become %XX; equal names come from equal texts only. NULL when the text is too long for a file name. The
 * caller frees it.
 */
char *cli_filename(hry_str text, const char *ending);

#endif
