/* What the foreign formats share: quoted names, packed booleans, JSON text, remarks. */
#include "interop/byte_bools.h"
#include "interop/json_write.h"
#include "interop/notes.h"
#include "interop/quote.h"
#include "interop/stingy.h"
#include "interop/text_arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>
#include <string.h>

static void quoting(void **state)
{
    (void)state;
    static const struct {
        hry_str text;
        const char *expected;
    } rows[] = {
        { { "", 0 }, "\"\"" },
        { { "blk.0.weight", 12 }, "\"blk.0.weight\"" },
        { { "a\"b\\c", 5 }, "\"a\\\"b\\\\c\"" },
        { { "\x1b[31m\n\0x\x7f", 9 }, "\"\\x1b[31m\\x0a\\x00x\\x7f\"" },
        { { "\xD0\xB8\xD0\xBC\xD1\x8F", 6 }, "\"\xD0\xB8\xD0\xBC\xD1\x8F\"" },
        { { "\xC2\x9B", 2 }, "\"\\u009b\"" },  /* a control character of ISO 6429 */
        { { "\xC2\xA0", 2 }, "\"\xC2\xA0\"" }, /* the first that is none */
        { { "a\xFF\xE2\x82", 4 }, "\"a\\xff\\xe2\\x82\"" },
    };
    char out[HRY_QUOTE_SIZE];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(hry_quote(out, rows[i].text), rows[i].expected);
}

/* Cut at a character, never longer than the room, whatever the width of the last one. */
static void quoting_long(void **state)
{
    (void)state;
    char text[400], out[HRY_QUOTE_SIZE];
    static const char *const letters[] = { "x", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\n", "\"" };
    for (size_t k = 0; k < sizeof letters / sizeof *letters; k++) {
        size_t width = strlen(letters[k]);
        for (size_t i = 0; i + width <= sizeof text; i += width)
            memcpy(text + i, letters[k], width);
        hry_quote(out, (hry_str){ text, sizeof text / width * width });
        size_t n = strlen(out);
        assert_true(n < sizeof out && n > sizeof out - 12);
        assert_string_equal(out + n - 4, "...\"");
        if (k > 0 && k < 4)
            assert_int_equal((n - 5) % width, 0);
    }
}

/* First element in the lowest bit; true false true true false is 0x0D. */
static void bools(void **state)
{
    (void)state;
    static const uint8_t bytes[] = { 1, 0, 1, 1, 0 };
    uint8_t bits = 0xFF, back[5];
    assert_int_equal(hry_bools_pack(bytes, 5, &bits), 5);
    assert_int_equal(bits, 0x0D);
    hry_bools_unpack(&bits, 5, back);
    assert_memory_equal(back, bytes, 5);
}

static void bools_of_any_length(void **state)
{
    (void)state;
    uint8_t bytes[80] = { 0 }, bits[11], back[81];
    uint32_t random = 1;
    for (size_t n = 0; n <= sizeof bytes; n++) {
        for (size_t i = 0; i < n; i++) {
            random = random * 1664525u + 1013904223u;
            bytes[i] = (uint8_t)(random >> 31);
        }
        memset(bits, 0xAA, sizeof bits);
        memset(back, 0xAA, sizeof back);
        assert_int_equal(hry_bools_pack(bytes, n, bits), n);
        for (size_t i = 0; i < (n + 7) / 8 * 8; i++)
            assert_int_equal(bits[i / 8] >> (i % 8) & 1, i < n ? bytes[i] : 0);
        assert_int_equal(bits[(n + 7) / 8], 0xAA);
        hry_bools_unpack(bits, n, back);
        assert_memory_equal(back, bytes, n);
        assert_int_equal(back[n], 0xAA);
    }
}

static void bools_bad(void **state)
{
    (void)state;
    uint8_t bytes[30], bits[4];
    for (size_t bad = 0; bad < sizeof bytes; bad++) {
        for (unsigned value = 2; value < 256; value += 253 / 3) {
            memset(bytes, 1, sizeof bytes);
            bytes[bad] = (uint8_t)value;
            assert_int_equal(hry_bools_pack(bytes, sizeof bytes, bits), bad);
        }
    }
}

static void json_text(void **state)
{
    (void)state;
    hry_json_text text = { .allocator = NULL };
    hry_json_put_string(&text, (hry_str){ "a\"\\/\b\f\n\r\t\0\x1f\x7f\xC3\xA9", 14 });
    hry_json_put_text(&text, ":");
    hry_json_put_u64(&text, UINT64_MAX);
    hry_json_put_string(&text, (hry_str){ "", 0 });
    static const char expected[] = "\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\x7f\xC3\xA9\":18446744073709551615\"\"";
    assert_int_equal(text.used, sizeof expected - 1);
    assert_memory_equal(text.bytes, expected, text.used);
    hry_json_text_fini(&text);
}

static void json_text_no_memory(void **state)
{
    (void)state;
    stingy s;
    stingy_init(&s, 2);
    hry_json_text text = { .allocator = &s.allocator };
    for (int i = 0; i < 100; i++)
        hry_json_put_text(&text, "0123456789");
    assert_true(text.no_memory);
    assert_true(text.used < 1000);
    hry_json_text_fini(&text);
    assert_int_equal(s.live, 0);
}

static void texts(void **state)
{
    (void)state;
    stingy s;
    stingy_init(&s, 0);
    hry_text_arena arena = { .allocator = &s.allocator };
    static char large[40000];
    const char *kept[300], *big[2];
    memset(large, 'L', sizeof large);
    for (int i = 0; i < 300; i++) {
        char name[100];
        memset(name, 'a' + i % 26, sizeof name);
        assert_true(hry_text_arena_copy(&arena, name, sizeof name, &kept[i]));
        if (i % 150 == 100)
            assert_true(hry_text_arena_copy(&arena, large, sizeof large, &big[i / 150]));
    }
    for (int i = 0; i < 300; i++)
        assert_true(kept[i][0] == 'a' + i % 26 && kept[i][99] == 'a' + i % 26);
    assert_memory_equal(big[0], large, sizeof large);
    assert_memory_equal(big[1], large, sizeof large);
    hry_text_arena_free(&arena);
    assert_int_equal(s.live, 0);
}

static void count_note(void *ctx, const hry_note *note)
{
    assert_int_equal(note->kind, HRY_NOTE_MISSING);
    assert_int_equal(note->name.len, 1);
    ++*(unsigned *)ctx;
}

static void remarks(void **state)
{
    (void)state;
    unsigned heard = 0;
    hry_notes notes = { .fn = count_note, .ctx = &heard };
    hry_error err;
    assert_int_equal(hry_notes_refuse(&notes, HRY_E_INPUT, "set", &err), HRY_OK);
    for (int i = 0; i < 100; i++)
        hry_notes_add(&notes, HRY_NOTE_MISSING, i ? HRY_NOTE_TENSOR : HRY_NOTE_PART, (hry_str){ "x", 1 }, "gone");
    assert_int_equal(heard, 100);
    assert_int_equal(hry_notes_refuse(&notes, HRY_E_INPUT, "set", &err), HRY_E_INPUT);
    assert_ptr_equal(strstr(err.message, "set (100): part \"x\": gone; tensor \"x\": gone"), err.message);
    assert_int_equal(err.value, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quoting),   cmocka_unit_test(quoting_long), cmocka_unit_test(bools),
        cmocka_unit_test(bools_bad), cmocka_unit_test(json_text),    cmocka_unit_test(bools_of_any_length),
        cmocka_unit_test(texts),     cmocka_unit_test(remarks),      cmocka_unit_test(json_text_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
