/* A metadata value from the command line. */
#ifndef HRY_CLI_VALUE_H
#define HRY_CLI_VALUE_H

#include <hurray/file.h>

/*
 * type is a type's name, NULL to guess: true, false, an integer, a number with a point or an exponent, else a string.
 * Bytes are hexadecimal digits and go to bytes, which has room for half of the text. Strings borrow the text. False
 * when text is no such value.
 */
bool cli_value_parse(const char *text, const char *type, void *bytes, hry_kv_value *value);

#endif
