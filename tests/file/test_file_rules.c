/* Every rule of a container's own sections, broken by bytes of our own: the rule and the offset that are reported. */
#include "file/assemble.h"
#include "file/verdict.h"
#include "support/rules_reached.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum place { HEADER, KV, INDEX, NAME_0, ENTRY_0, NAME_1, ENTRY_1, DESCRIPTOR_0, TRAILER, END };

static size_t place_of(const assembly *a, enum place place)
{
    switch (place) {
    case HEADER:
        return 0;
    case KV:
        return a->kv;
    case INDEX:
        return a->index;
    case NAME_0:
        return a->entry[0];
    case ENTRY_0:
        return a->fixed[0];
    case NAME_1:
        return a->entry[1];
    case ENTRY_1:
        return a->fixed[1];
    case DESCRIPTOR_0:
        return a->descriptor[0];
    case TRAILER:
        return a->trailer;
    default:
        return a->nbytes;
    }
}

/* One field of the standard container overwritten, and what has to come of it. */
typedef struct damage {
    const char *rule;
    enum place place;
    size_t delta;
    unsigned nbytes;
    uint64_t value;
    enum place fault; /* the reported offset ... */
    size_t fault_delta;
    uint32_t flags; /* of the container; 0: KV and CRC */
} damage;

enum { ALL = ASM_HAS_KV | ASM_CRC };

static const damage damages[] = {
    { "F-02", HEADER, 7, 1, 'X', HEADER, 0, 0 },
    { "F-02", HEADER, 0, 1, 'h', HEADER, 0, 0 },
    { "F-03", HEADER, 8, 1, 2, HEADER, 8, 0 },
    { "F-03", HEADER, 8, 1, 0, HEADER, 8, 0 },
    { "F-04", HEADER, 12, 4, ALL | 8, HEADER, 12, 0 },
    { "F-04", HEADER, 12, 4, ALL | 1u << 31, HEADER, 12, 0 },
    { "F-05", HEADER, 16, 4, 0, HEADER, 16, 0 },
    { "F-05", HEADER, 16, 4, 2048, HEADER, 16, 0 },
    { "F-05", HEADER, 16, 4, 12288, HEADER, 16, 0 },
    { "F-05", HEADER, 16, 4, 4u << 20, HEADER, 16, 0 },
    { "F-06", HEADER, 20, 8, 56, HEADER, 20, 0 },
    { "F-06", HEADER, 20, 8, 68, HEADER, 20, 0 },
    { "F-06", HEADER, 20, 8, 1u << 20, HEADER, 20, 0 },
    { "F-06", HEADER, 20, 8, UINT64_MAX - 7, HEADER, 20, 0 },
    { "F-07", HEADER, 10, 1, 1, HEADER, 10, 0 },
    { "F-07", HEADER, 63, 1, 1, HEADER, 63, 0 },
    { "F-07", TRAILER, 32, 4, 0x01000000, TRAILER, 35, 0 },
    { "F-08", TRAILER, 39, 1, 'Z', TRAILER, 36, 0 },
    { "F-09", TRAILER, 0, 8, UINT64_MAX - 7, TRAILER, 8, 0 },
    { "F-09", TRAILER, 8, 8, UINT64_MAX, TRAILER, 8, 0 },
    { "F-09", TRAILER, 8, 8, 1u << 20, TRAILER, 8, 0 },
    { "F-10", TRAILER, 0, 8, 56, TRAILER, 0, 0 },
    { "F-10", TRAILER, 0, 8, 68, TRAILER, 0, 0 },
    { "F-10", TRAILER, 8, 8, 7, TRAILER, 8, 0 },
    { "F-12", TRAILER, 28, 4, 1, TRAILER, 28, ASM_HAS_KV },
    { "F-13", TRAILER, 16, 8, 0, TRAILER, 16, 0 },
    { "F-13", TRAILER, 24, 4, 0, TRAILER, 24, 0 },
    { "F-13", TRAILER, 24, 4, 9, TRAILER, 16, ASM_CRC },
    { "F-14", TRAILER, 16, 8, 56, TRAILER, 16, 0 },
    { "F-14", TRAILER, 16, 8, 8260, TRAILER, 16, 0 },
    { "F-14", TRAILER, 24, 4, 3, TRAILER, 24, 0 },
    { "F-14", TRAILER, 16, 8, UINT64_MAX - 7, TRAILER, 24, 0 },
    { "F-14", TRAILER, 24, 4, 4096, TRAILER, 24, 0 },
    { "F-15", INDEX, 0, 8, 3, INDEX, 0, 0 },
    { "F-15", INDEX, 0, 8, UINT64_MAX, INDEX, 0, 0 },
    { "F-15", INDEX, 0, 8, (uint64_t)1 << 61, INDEX, 0, 0 },
    { "F-16", INDEX, 0, 8, 1, NAME_1, 0, 0 },
    { "F-16", NAME_1, 0, 2, 2, NAME_1, 4, 0 },
    { "F-16", NAME_1, 0, 2, 0xFFFF, NAME_1, 0, 0 },
    { "F-17", NAME_0, 0, 2, 0, NAME_0, 0, 0 },
    { "F-17", NAME_0, 2, 1, 0xFF, NAME_0, 2, 0 },
    { "F-17", NAME_1, 2, 1, 'w', NAME_1, 2, 0 },
    { "F-18", ENTRY_0, 28, 4, 1, ENTRY_0, 28, 0 },
    { "F-18", ENTRY_1, 28, 4, 1u << 31, ENTRY_1, 28, 0 },
    { "F-19", NAME_1, 2, 1, 'b', NAME_1, 2, ASM_CRC | ASM_SORTED },
    { "F-19", NAME_1, 2, 1, 'a', NAME_1, 2, ASM_CRC | ASM_SORTED },
    { "F-20", ENTRY_0, 8, 4, 19, ENTRY_0, 8, 0 },
    { "F-20", ENTRY_0, 8, 4, (16u << 20) + 1, ENTRY_0, 8, 0 },
    { "F-21", ENTRY_0, 0, 8, 68, ENTRY_0, 0, 0 },
    { "F-21", ENTRY_0, 0, 8, 56, ENTRY_0, 0, 0 },
    { "F-21", ENTRY_0, 0, 8, UINT64_MAX - 7, ENTRY_0, 0, 0 },
    { "F-21", ENTRY_0, 8, 4, 16u << 20, ENTRY_0, 0, 0 },
    { "F-22", ENTRY_0, 12, 8, 4096 + 64, ENTRY_0, 12, 0 },
    { "F-22", ENTRY_0, 12, 8, 0, ENTRY_0, 12, 0 },
    { "F-22", ENTRY_0, 12, 8, (uint64_t)1 << 63, ENTRY_0, 12, 0 },
    { "F-22", ENTRY_0, 20, 8, UINT64_MAX, ENTRY_0, 20, 0 },
    { "F-22", ENTRY_1, 20, 8, 4096, ENTRY_1, 20, 0 },
    { "F-24", ENTRY_0, 20, 8, 4096, ENTRY_1, 0, 0 },
    { "F-24", ENTRY_1, 0, 8, 64, ENTRY_1, 0, 0 },
    { "F-24", ENTRY_1, 0, 8, 4096 + 40, ENTRY_1, 0, 0 },
    { "F-26", KV, 0, 4, 3, TRAILER, 0, 0 }, /* the fault is set by hand below */
    { "F-26", KV, 0, 4, UINT32_MAX, KV, 0, 0 },
    { "F-26", KV, 0, 4, 1, KV, 13, 0 },
    { "F-26", KV, 8, 4, 0xFFFFFFFF, KV, 8, 0 },
    { "F-26", KV, 4, 2, 0xFFFF, KV, 4, 0 },
    { "F-27", KV, 4, 2, 0, KV, 4, 0 },
    { "F-27", KV, 6, 1, 0xFF, KV, 6, 0 },
    { "F-27", KV, 15, 1, 'a', KV, 15, 0 },
    { "F-28", KV, 7, 1, 0x00, KV, 7, 0 },
    { "F-28", KV, 7, 1, 0x08, KV, 7, 0 },
    { "F-28", KV, 7, 1, 0xEF, KV, 7, 0 },
    { "F-28", KV, 7, 1, 0xF0, KV, 7, 0 },
    { "F-28", KV, 7, 1, 0xFE, KV, 7, 0 },
    { "F-28", KV, 7, 1, 0xFF, KV, 7, 0 },
    { "F-29", KV, 12, 1, 0xFF, KV, 12, 0 },
    { "F-T01", DESCRIPTOR_0, 6, 4, 60, DESCRIPTOR_0, 6, 0 },
    { "F-T01", DESCRIPTOR_0, 6, 4, 62, DESCRIPTOR_0, 6, 0 },
    { "F-T01", ENTRY_0, 8, 4, 60, DESCRIPTOR_0, 6, 0 },
    { "F-T02", ENTRY_0, 20, 8, 44, ENTRY_0, 20, 0 },
    { "F-T02", ENTRY_0, 20, 8, 0, ENTRY_0, 20, 0 },
    { "D-02", DESCRIPTOR_0, 0, 1, 'h', DESCRIPTOR_0, 0, 0 },
    { "D-08", DESCRIPTOR_0, 14, 1, 0, DESCRIPTOR_0, 14, 0 },
    { "F-T04", DESCRIPTOR_0, 28, 8, UINT64_MAX, DESCRIPTOR_0, 28, 0 },
};

static void expect(const assembly *a, const hry_file_options *options, const char *rule, uint64_t offset)
{
    static const hry_access ways[] = { HRY_MAP, HRY_READ };
    for (size_t k = 0; k < 2; k++) {
        hry_error err = { 0 };
        hry_file_options o = options ? *options : (hry_file_options){ 0 };
        o.access = ways[k];
        hry_status status = read_all_of(a->bytes, a->nbytes, &o, &err);
        if (!status || strcmp(hry_rule_id(err.rule), rule) != 0 || err.offset != offset)
            fail_msg("%s at %zu expected, got %s at %zu: %s", rule, (size_t)offset, hry_rule_id(err.rule),
                     (size_t)err.offset, status ? err.message : "accepted");
        assert_int_equal(err.status, status);
        assert_int_equal(status, strcmp(rule, "F-30") == 0 ? HRY_E_LIMIT : HRY_E_INPUT);
        assert_in_range(strlen(err.message), 1, sizeof err.message - 1);
        rule_reached(err.rule);
    }
}

static void expect_accepted(const assembly *a)
{
    hry_error err = { 0 };
    if (read_all_of(a->bytes, a->nbytes, NULL, &err))
        fail_msg("%s at %zu: %s", hry_rule_id(err.rule), (size_t)err.offset, err.message);
}

static void standard_is_right(void **state)
{
    (void)state;
    static const uint32_t flags[] = { 0, ASM_CRC, ASM_HAS_KV, ASM_SORTED, ALL, ALL | ASM_SORTED };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        assembly a;
        asm_standard(&a, flags[i]);
        expect_accepted(&a);
        asm_free(&a);
    }
}

static void damaged_fields(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        const damage *d = &damages[i];
        assembly a;
        asm_standard(&a, d->flags ? d->flags : ALL);
        asm_set(&a, place_of(&a, d->place) + d->delta, d->value, d->nbytes);
        if (strcmp(d->rule, "F-12") != 0)
            asm_seal(&a);
        size_t fault = place_of(&a, d->fault) + d->fault_delta;
        if (d->place == KV && d->value == 3)
            fault = a.kv + a.kv_length;
        print_message("%s (row %zu)\n", d->rule, i);
        expect(&a, NULL, d->rule, fault);
        asm_free(&a);
    }
}

/* F-01 below 112 bytes; above, what was cut off is the trailer. */
static void truncated(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ALL);
    size_t whole = a.nbytes;
    static const size_t sizes[] = { 0, 1, 39, 63, 64, 103, 111 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        a.nbytes = sizes[i];
        expect(&a, NULL, "F-01", sizes[i]);
    }
    for (a.nbytes = whole - 100; a.nbytes < whole; a.nbytes++)
        expect(&a, NULL, "F-08", a.nbytes - 4);
    asm_bytes(&a, "\0\0\0\0\0\0\0", 7);
    expect(&a, NULL, "F-08", a.nbytes - 4);
    asm_free(&a);
}

static void damaged_index(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ALL);
    a.bytes[a.entry[1] + 2] ^= 1; /* not sealed again */
    expect(&a, NULL, "F-11", a.trailer + 28);
    asm_free(&a);
}

/* F-16 by what no single field can do: a name that ends with the index, and bytes too many. */
static void index_length(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ALL);
    asm_insert(&a, a.trailer, 3);
    a.trailer += 3;
    asm_set(&a, a.trailer + 8, a.trailer - a.index, 8);
    asm_seal(&a);
    expect(&a, NULL, "F-16", a.trailer - 3);
    a.bytes[9] = 1; /* at a newer minor they are some later version's */
    expect_accepted(&a);
    asm_free(&a);
}

static void kv_tail(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ALL);
    asm_set(&a, a.trailer + 24, a.kv_length + 2, 4);
    expect(&a, NULL, "F-26", a.kv + a.kv_length);
    a.bytes[9] = 1;
    expect_accepted(&a);
    asm_free(&a);
}

/* F-23 and F-25 need tensors without data, or a gap before the first. */
static void empty_tensors(void **state)
{
    (void)state;
    assembly a;
    uint8_t descriptor[128];
    uint64_t shape[] = { 4, 0 }, size = 0;
    size_t length = asm_dense(descriptor, 0x03, 2, shape, 0);
    asm_begin(&a, ASM_CRC, 4096);
    asm_tensor(&a, "e", descriptor, length, NULL, &size, 1);
    asm_end(&a);
    expect_accepted(&a);
    asm_set(&a, a.fixed[0] + 12, a.index, 8);
    asm_seal(&a);
    expect_accepted(&a);
    asm_set(&a, a.fixed[0] + 12, a.index + 1, 8);
    asm_seal(&a);
    expect(&a, NULL, "F-23", a.fixed[0] + 12);
    asm_free(&a);
}

static void first_tensor_elsewhere(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ALL);
    asm_set(&a, 20, 56 + 16, 8); /* inside the first descriptor: its entry lies before the region */
    expect(&a, NULL, "F-21", a.fixed[0]);
    asm_free(&a);
    asm_begin(&a, ASM_CRC, 4096);
    for (int i = 0; i < 8; i++)
        asm_u8(&a, 0);
    asm_floats(&a, "x", (float[]){ 1 }, 1, (uint64_t[]){ 1 });
    asm_end(&a);
    expect(&a, NULL, "F-25", a.fixed[0]);
    asm_free(&a);
}

/* Overlaps among tensors whose entries are in any order. */
static void overlap_out_of_order(void **state)
{
    (void)state;
    assembly a;
    asm_begin(&a, ASM_CRC, 4096);
    for (size_t i = 0; i < 3; i++)
        asm_floats(&a, (const char *[]){ "x", "y", "z" }[i], (float[]){ 1, 2 }, 1, (uint64_t[]){ 2 });
    asm_end(&a);
    uint8_t entry[32]; /* the first and the last entry change places, names stay */
    memcpy(entry, a.bytes + a.fixed[0], 32);
    memcpy(a.bytes + a.fixed[0], a.bytes + a.fixed[2], 32);
    memcpy(a.bytes + a.fixed[2], entry, 32);
    asm_seal(&a);
    expect_accepted(&a);
    asm_set(&a, a.fixed[2] + 20, 4096, 8);
    asm_seal(&a);
    expect(&a, NULL, "F-24", a.fixed[1]);
    asm_free(&a);
}

typedef struct kv_case {
    const char *rule;
    size_t nbytes, fault; /* fault counts from the section's start */
    const char *entry;
} kv_case;

/* One entry each, at offset 4 of the section: key "k", then tag and value. */
static const kv_case kv_cases[] = {
    { "F-26", 3, 7, "\1\0k" },                               /* no tag */
    { "F-26", 1, 4, "\1" },                                  /* half a key_length */
    { "F-26", 11, 8, "\1\0k\2\0\0\0\0\0\0\0" },              /* seven bytes of an int64 */
    { "F-26", 11, 8, "\1\0k\4\0\0\0\0\0\0\0" },              /* of a float64 */
    { "F-26", 4, 8, "\1\0k\5" },                             /* no bool */
    { "F-26", 7, 8, "\1\0k\6\0\0\0" },                       /* half a length */
    { "F-26", 9, 8, "\1\0k\6\2\0\0\0x" },                    /* bytes past the end */
    { "F-26", 8, 8, "\1\0k\7\5\1\0\0" },                     /* half an array's count */
    { "F-26", 17, 17, "\1\0k\7\6\2\0\0\0\0\0\0\0\3\0\0\0" }, /* an element past the end */
    { "F-29", 5, 8, "\1\0k\5\2" },                           /* bool 2 */
    { "F-29", 9, 8, "\1\0k\7\7\0\0\0\0" },                   /* array of arrays */
    { "F-29", 9, 8, "\1\0k\7\0\0\0\0\0" },                   /* array of nothing */
    { "F-29", 9, 9, "\1\0k\7\2\1\0\0\0" },                   /* more elements than bytes */
    { "F-29", 9, 9, "\1\0k\7\3\377\377\377\377" },           /* far more */
    { "F-29", 11, 14, "\1\0k\7\5\2\0\0\0\1\2" },             /* a bool of 2 among them */
    { "F-29", 15, 17, "\1\0k\7\1\1\0\0\0\2\0\0\0\300\200" }, /* a string that is not UTF-8 */
};

static void metadata(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kv_cases / sizeof *kv_cases; i++) {
        const kv_case *c = &kv_cases[i];
        assembly a;
        asm_begin(&a, ALL, 4096);
        asm_kv(&a, 1, c->entry, c->nbytes);
        asm_end(&a);
        print_message("%s (row %zu)\n", c->rule, i);
        /* A count that the section cannot hold is told at the count. */
        expect(&a, NULL, c->rule, a.kv + (c->nbytes < 4 ? 0 : c->fault));
        asm_free(&a);
    }
}

static void private_metadata(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ALL);
    asm_set(&a, a.kv + 16, 0xF3, 1);
    expect(&a, NULL, "F-28", a.kv + 16);
    hry_file *file;
    hry_file_info info;
    hry_file_options permissive = { .parse.permissive = true };
    assert_int_equal(hry_file_open_memory(a.bytes, a.nbytes, NULL, NULL, &permissive, &file, NULL), HRY_OK);
    hry_file_info_get(file, &info);
    assert_true(info.kv_unavailable);
    assert_int_equal(hry_file_kv_count(file), 0);
    assert_null(hry_file_kv(file, "a"));
    assert_int_equal(touch_all(file, NULL), HRY_OK);
    hry_file_close(file);
    asm_free(&a);
}

/* F-30 */
static void limits(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ALL);
    size_t index_length = a.trailer - a.index;
    struct {
        hry_limits over, within;
        size_t offset;
    } cases[] = {
        { { .index_length = index_length - 1 }, { .index_length = index_length }, a.trailer + 8 },
        { { .kv_length = a.kv_length - 1 }, { .kv_length = a.kv_length }, a.trailer + 24 },
        { { .tensor_count = 1 }, { .tensor_count = 2 }, a.index },
    };
    for (size_t i = 0; i < 3; i++) {
        expect(&a, &(hry_file_options){ .parse.limits = &cases[i].over }, "F-30", cases[i].offset);
        hry_file_options within = { .parse.limits = &cases[i].within };
        assert_int_equal(read_all_of(a.bytes, a.nbytes, &within, NULL), HRY_OK);
    }
    asm_free(&a);
}

/* A duplicate among many names is told by its name, and found without comparing each with all. */
static void duplicate_says_its_name(void **state)
{
    (void)state;
    assembly a;
    asm_begin(&a, ASM_CRC, 4096);
    for (size_t i = 0; i < 12; i++) {
        static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "twice", "h", "i", "j", "twice" };
        asm_floats(&a, names[i], (float[]){ 1 }, 1, (uint64_t[]){ 1 });
    }
    asm_end(&a);
    expect(&a, NULL, "F-17", a.entry[11] + 2);
    hry_error err;
    assert_int_equal(read_all_of(a.bytes, a.nbytes, NULL, &err), HRY_E_INPUT);
    assert_non_null(strstr(err.message, "twice"));
    asm_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_is_right),
        cmocka_unit_test(damaged_fields),
        cmocka_unit_test(truncated),
        cmocka_unit_test(damaged_index),
        cmocka_unit_test(index_length),
        cmocka_unit_test(kv_tail),
        cmocka_unit_test(empty_tensors),
        cmocka_unit_test(first_tensor_elsewhere),
        cmocka_unit_test(overlap_out_of_order),
        cmocka_unit_test(metadata),
        cmocka_unit_test(private_metadata),
        cmocka_unit_test(limits),
        cmocka_unit_test(duplicate_says_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
