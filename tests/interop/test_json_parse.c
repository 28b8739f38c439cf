/* JSON as tokens: places, decoded texts, what is refused, and want of memory. */
#include "interop/json_parse.h"
#include "interop/stingy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>
#include <string.h>

typedef struct trace {
    char text[2048];
    size_t used;
} trace;

/* "KIND@OFFSET:TEXT " for each token; texts that do not lie in the JSON are marked with a star. */
static hry_status record(void *ctx, const hry_json_token *token, hry_error *err)
{
    static const char kinds[] = "0ftnsk{}[]";
    trace *t = ctx;
    (void)err;
    bool has_text = token->kind == HRY_JSON_NUMBER || token->kind == HRY_JSON_STRING || token->kind == HRY_JSON_KEY;
    t->used += (size_t)snprintf(t->text + t->used, sizeof t->text - t->used, "%c@%u%s%s%.*s ", kinds[token->kind],
                                (unsigned)token->offset, has_text && !token->in_place ? "*" : "", has_text ? ":" : "",
                                (int)token->text.len, has_text ? token->text.ptr : "");
    return HRY_OK;
}

static hry_status parse(const char *json, size_t nbytes, trace *t, hry_error *err)
{
    *t = (trace){ .used = 0 };
    return hry_json_parse(json, nbytes, 4, NULL, record, t, err);
}

static void tokens(void **state)
{
    (void)state;
    static const struct {
        const char *json, *expected;
    } rows[] = {
        { "{}", "{@0 }@1 " },
        { " { \"a\" : [ 1 , -2.5e3 , true,false , null ] , \"b\":\"x\" } ",
          "{@1 k@3:a [@9 n@11:1 n@15:-2.5e3 t@24 f@29 0@37 ]@42 k@46:b s@50:x }@54 " },
        { "[\"\\u00e9\\n\",\"\\ud83d\\ude00\",\"\\u0041\"]",
          "[@0 s@1*:\xC3\xA9\n s@12*:\xF0\x9F\x98\x80 s@27*:A ]@35 " },
        { "[\"\\\\ud800\"]", "[@0 s@1*:\\ud800 ]@10 " }, /* a backslash, then plain letters */
        { "{\"\":{\"\":\"\"}}", "{@0 k@1: {@4 k@5: s@8: }@10 }@11 " },
        { "123", "n@0*:123 " }, /* known to have ended only behind the JSON */
        { "[[[[]]]]", "[@0 [@1 [@2 [@3 ]@4 ]@5 ]@6 ]@7 " },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        trace t;
        hry_error err;
        if (parse(rows[i].json, strlen(rows[i].json), &t, &err))
            fail_msg("%s: %s", rows[i].json, err.message);
        assert_string_equal(t.text, rows[i].expected);
    }
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        unsigned offset;
        const char *says;
    } rows[] = {
        { "", 0, "premature EOF" },
        { "  ", 2, "premature EOF" },
        { "{\"a\":1", 6, "premature EOF" },
        { "[\"abc", 5, "premature EOF" },
        { "{} {}", 4, "trailing garbage" },
        { "[1,]", 4, "" },
        { "[01]", 3, "" },
        { "[\v]", 1, "control character" },
        { "[\f]", 1, "control character" },
        { "[\"\xFF\"]", 2, "not UTF-8" },
        { "[\"ab\xE2\x82\"]", 4, "not UTF-8" },
        { "[\"\xC3\xA9\xC0\x80\"]", 4, "not UTF-8" },
        { "[\"\xED\xA0\x80\"]", 2, "not UTF-8" },
        { "[\"\xF5\x80\x80\x80\"]", 2, "not UTF-8" },
        { "[\"\\ud800\"]", 2, "surrogate" },
        { "[\"\\ud800x\"]", 2, "surrogate" },
        { "[\"\\ud800\\n12345\"]", 2, "surrogate" },
        { "[\"\\ud800\\ud800\"]", 2, "surrogate" },
        { "[\"\\ud800\\u0041\"]", 2, "surrogate" },
        { "[\"\\udc00\"]", 2, "surrogate" },
        { "[\"\\uDFFF\"]", 2, "surrogate" },
        { "[\"\\u12g4\"]", 6, "hex" },
        { "[\"\\", 3, "inside a string" },
        { "[[[[[]]]]]", 4, "more than 4 deep" },
        { "[{\"a\":[{\"b\":{}}]}]", 12, "more than 4 deep" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        trace t;
        hry_error err = { 0 };
        hry_status status = parse(rows[i].json, strlen(rows[i].json), &t, &err);
        if (status != HRY_E_INPUT || err.offset != rows[i].offset || !strstr(err.message, rows[i].says))
            fail_msg("%s: status %d, offset %u: %s", rows[i].json, status, (unsigned)err.offset, err.message);
        assert_null(strchr(err.message, '\n'));
        assert_int_equal(err.rule, 0);
    }
}

static hry_status stop_at_number(void *ctx, const hry_json_token *token, hry_error *err)
{
    unsigned *seen = ctx;
    (*seen)++;
    if (token->kind != HRY_JSON_NUMBER)
        return HRY_OK;
    if (err)
        err->status = HRY_E_BUSY;
    return HRY_E_BUSY;
}

/* The first failure of the callback ends it, and comes out as it is. */
static void callback_fails(void **state)
{
    (void)state;
    static const char json[] = "[\"a\",1,\"b\"]";
    unsigned seen = 0;
    hry_error err = { 0 };
    assert_int_equal(hry_json_parse(json, sizeof json - 1, 4, NULL, stop_at_number, &seen, &err), HRY_E_BUSY);
    assert_int_equal(err.status, HRY_E_BUSY);
    assert_int_equal(seen, 3);
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_u64;
        uint64_t value;
    } rows[] = { { "0", true, 0 },
                 { "18446744073709551615", true, UINT64_MAX },
                 { "18446744073709551616", false, 0 },
                 { "18446744073709551620", false, 0 },
                 { "99999999999999999999999", false, 0 },
                 { "-1", false, 0 },
                 { "-0", false, 0 },
                 { "1.0", false, 0 },
                 { "1e2", false, 0 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t value = 0;
        hry_json_token token = { .kind = HRY_JSON_NUMBER, .text = { rows[i].text, strlen(rows[i].text) } };
        assert_int_equal(hry_json_u64(&token, &value), rows[i].is_u64);
        assert_int_equal(value, rows[i].value);
        token.kind = HRY_JSON_STRING;
        assert_false(hry_json_u64(&token, &value));
    }
}

/* Whichever allocation fails, the answer is that memory is short, and all of it is given back. */
static void no_memory(void **state)
{
    (void)state;
    char json[4096];
    size_t n = (size_t)snprintf(json, sizeof json, "{\"a\\n\":[\"");
    while (n < 3000)
        n += (size_t)snprintf(json + n, sizeof json - n, "\\u00e9");
    n += (size_t)snprintf(json + n, sizeof json - n, "\"]}");
    for (size_t fail_at = 1;; fail_at++) {
        unsigned seen = 0;
        stingy s;
        hry_error err;
        stingy_init(&s, fail_at);
        hry_status status = hry_json_parse(json, n, 4, &s.allocator, stop_at_number, &seen, &err);
        assert_int_equal(s.live, 0);
        if (status == HRY_OK) {
            assert_true(fail_at > 3);
            break;
        }
        assert_int_equal(status, HRY_E_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens),  cmocka_unit_test(refused),   cmocka_unit_test(callback_fails),
        cmocka_unit_test(numbers), cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
