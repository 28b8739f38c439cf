/* Metadata for people and for programs. */
#ifndef HRY_CLI_KV_H
#define HRY_CLI_KV_H

#include "cli/cli_json.h"
#include "cli/cli_out.h"

#include <hurray/file.h>

/* "string", "int64", ...; NULL for other tags. */
const char *cli_kv_type_name(uint8_t type);
/* {"type", "value"}, for arrays with "element_type". */
void cli_kv_json(cli_json *json, const hry_kv *kv);
/* All metadata of a file as one object. */
void cli_kv_all_json(cli_json *json, const char *key, const hry_file *file);
/* "KEY  TYPE  VALUE" on a line, in full or cut to what fits a line. */
void cli_kv_print(const hry_kv *kv, bool full);
/* The value alone, as kv get prints it: strings as they are, escaped. */
void cli_kv_value_print(const hry_kv_value *value);

#endif
