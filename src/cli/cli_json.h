/* JSON on standard output, through YAJL's generator: one document, UTF-8, exact integers. */
#ifndef HRY_CLI_JSON_H
#define HRY_CLI_JSON_H

#include <hurray/base.h>

typedef struct cli_json cli_json;

cli_json *cli_json_begin(void);
void cli_json_end(cli_json *json); /* closes the document with a line end and frees json */

/* Each takes the key of its value, NULL inside an array and at the top. */
void cli_json_open(cli_json *json, const char *key);
void cli_json_close(cli_json *json);
void cli_json_open_array(cli_json *json, const char *key);
void cli_json_close_array(cli_json *json);
void cli_json_null(cli_json *json, const char *key);
void cli_json_bool(cli_json *json, const char *key, bool value);
void cli_json_u64(cli_json *json, const char *key, uint64_t value);
void cli_json_i64(cli_json *json, const char *key, int64_t value);
/* 17 significant digits; the strings "NaN", "Infinity" and "-Infinity" for those. */
void cli_json_f64(cli_json *json, const char *key, double value);
/* NULL is null. Bytes that are no UTF-8 become U+FFFD. */
void cli_json_str(cli_json *json, const char *key, const char *value);
void cli_json_text(cli_json *json, const char *key, const char *value, size_t len);
void cli_json_hex(cli_json *json, const char *key, const void *bytes, size_t nbytes);
void cli_json_base64(cli_json *json, const char *key, const void *bytes, size_t nbytes);
/* A key of its own, for keys that are not terminated: the value that follows takes NULL. */
void cli_json_key(cli_json *json, const char *key, size_t len);

#endif
