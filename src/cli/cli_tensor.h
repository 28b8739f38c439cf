/* A descriptor for people and for programs. */
#ifndef HRY_CLI_TENSOR_H
#define HRY_CLI_TENSOR_H

#include "cli/cli_json.h"
#include "cli/cli_out.h"

#include <hurray/file.h>

/* Names as the command prints them: private tags are "extension". Constant strings. */
const char *cli_type_name(uint8_t tag);
const char *cli_layout_name(uint8_t tag);

/* The T of the JSON contract. entry is NULL for a bare descriptor. With desc NULL, what the index says and the error.
 */
void cli_tensor_json(cli_json *json, const hry_desc *desc, const hry_file_entry *entry, const hry_error *err);

/* "[4096,4096]", "[]" for a scalar, "?" for a dynamic dimension; the caller frees it. */
char *cli_shape_text(const hry_desc *desc);
/* The scheme's name, that of a carried block type, "-" without quantization; a constant string. */
const char *cli_quantization_text(const hry_desc *desc);
/* "partition of 2", "" for all but composite heads; the caller frees it. */
char *cli_composite_text(const hry_desc *desc);
/* The member_count of a composite head, 0 for others. */
uint32_t cli_member_count(const hry_desc *desc);
/* A composite that is its members, and has no values of its own; of a file's tensor, false where it cannot be read. */
bool cli_is_group(const hry_desc *desc);
bool cli_is_group_at(hry_file *file, uint64_t i);

/* Every field, a line each, indented (--long). */
void cli_tensor_long(const hry_desc *desc, const hry_file_entry *entry, bool exact);

#endif
