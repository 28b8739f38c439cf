#include "cli/cli_json.h"
#include "cli/cli_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_gen.h>

struct cli_json {
    yajl_gen gen;
    bool any; /* something has been printed */
};

static void print(void *ctx, const char *text, size_t len)
{
    cli_json *json = ctx;
    json->any = true;
    fwrite(text, 1, len, stdout);
}

cli_json *cli_json_begin(void)
{
    cli_json *json = cli_realloc(NULL, sizeof *json);
    *json = (cli_json){ .gen = yajl_gen_alloc(NULL) };
    if (!json->gen || !yajl_gen_config(json->gen, yajl_gen_print_callback, print, json))
        cli_out_of_memory();
    return json;
}

void cli_json_end(cli_json *json)
{
    yajl_gen_free(json->gen);
    if (json->any)
        fputc('\n', stdout);
    free(json);
}

static void put_string(cli_json *json, const char *text, size_t len)
{
    yajl_gen_string(json->gen, (const unsigned char *)text, len);
}

void cli_json_key(cli_json *json, const char *key, size_t len)
{
    cli_json_text(json, NULL, key, len);
}

static void put_key(cli_json *json, const char *key)
{
    if (key)
        put_string(json, key, strlen(key));
}

void cli_json_open(cli_json *json, const char *key)
{
    put_key(json, key);
    yajl_gen_map_open(json->gen);
}

void cli_json_close(cli_json *json)
{
    yajl_gen_map_close(json->gen);
}

void cli_json_open_array(cli_json *json, const char *key)
{
    put_key(json, key);
    yajl_gen_array_open(json->gen);
}

void cli_json_close_array(cli_json *json)
{
    yajl_gen_array_close(json->gen);
}

void cli_json_null(cli_json *json, const char *key)
{
    put_key(json, key);
    yajl_gen_null(json->gen);
}

void cli_json_bool(cli_json *json, const char *key, bool value)
{
    put_key(json, key);
    yajl_gen_bool(json->gen, value);
}

static void put_number(cli_json *json, const char *key, const char *text)
{
    put_key(json, key);
    yajl_gen_number(json->gen, text, strlen(text));
}

void cli_json_u64(cli_json *json, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    put_number(json, key, text);
}

void cli_json_i64(cli_json *json, const char *key, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    put_number(json, key, text);
}

void cli_json_f64(cli_json *json, const char *key, double value)
{
    if (!isfinite(value)) {
        cli_json_str(json, key, isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
        return;
    }
    char text[40];
    int len = snprintf(text, sizeof text, "%.17g", value);
    /* A float stays one for readers that tell integers apart; -0 would lose its sign. */
    if (!strpbrk(text, ".e"))
        memcpy(text + len, ".0", 3);
    put_number(json, key, text);
}

void cli_json_str(cli_json *json, const char *key, const char *value)
{
    if (value)
        cli_json_text(json, key, value, strlen(value));
    else
        cli_json_null(json, key);
}

static bool is_utf8(const char *text, size_t len)
{
    for (size_t k = 0, n; k < len; k += n)
        if (!(n = cli_utf8_length(text + k, len - k, NULL)))
            return false;
    return true;
}

void cli_json_text(cli_json *json, const char *key, const char *value, size_t len)
{
    put_key(json, key);
    if (is_utf8(value, len)) {
        put_string(json, value, len);
        return;
    }
    char *fixed = cli_realloc(NULL, 3 * len);
    size_t out = 0;
    for (size_t k = 0; k < len;) {
        size_t n = cli_utf8_length(value + k, len - k, NULL);
        memcpy(fixed + out, n ? value + k : "\xEF\xBF\xBD", n ? n : 3);
        out += n ? n : 3;
        k += n ? n : 1;
    }
    put_string(json, fixed, out);
    free(fixed);
}

void cli_json_hex(cli_json *json, const char *key, const void *bytes, size_t nbytes)
{
    const unsigned char *p = bytes;
    char *text = cli_realloc(NULL, 2 * nbytes + 1);
    for (size_t k = 0; k < nbytes; k++)
        snprintf(text + 2 * k, 3, "%02x", p[k]);
    cli_json_text(json, key, text, 2 * nbytes);
    free(text);
}

void cli_json_base64(cli_json *json, const char *key, const void *bytes, size_t nbytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *p = bytes;
    char *text = cli_realloc(NULL, nbytes / 3 * 4 + 4);
    size_t out = 0;
    for (size_t k = 0; k < nbytes; k += 3) {
        size_t left = nbytes - k;
        uint32_t group = (uint32_t)p[k] << 16 | (left > 1 ? (uint32_t)p[k + 1] << 8 : 0) | (left > 2 ? p[k + 2] : 0);
        for (size_t d = 0; d < 4; d++)
            text[out++] = d <= left ? digits[group >> (18 - 6 * d) & 63] : '=';
    }
    cli_json_text(json, key, text, out);
    free(text);
}
