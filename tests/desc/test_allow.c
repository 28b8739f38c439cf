/* Private values, agreed on out of band: each space has its own list, and what is not listed stays unknown. */
#include "desc/valid_descs.h"
#include "support/rules_reached.h"

#include <hurray/desc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static hry_status parse(const desc_bytes *d, const hry_allow *allow, bool permissive, hry_desc *desc, hry_error *err)
{
    return hry_desc_parse(d->bytes, d->n, &(hry_parse_options){ .allow = allow, .permissive = permissive }, desc, err);
}

/* right allows what the descriptor holds; wrong allows everything else, in every space. */
static void check(const char *name, const hry_allow *right, const hry_allow *wrong, const char *rule, uint32_t offset,
                  bool soft)
{
    static desc_bytes d;
    hry_desc desc;
    hry_error err = { 0 };
    assert_true(valid_desc_make(name, &d));
    if (parse(&d, right, false, &desc, &err))
        fail_msg("%s: %s", name, err.message);
    assert_false(hry_desc_is_opaque(&desc));
    assert_rule(name, parse(&d, wrong, false, &desc, &err), &err, rule, offset);
    assert_rule(name, parse(&d, NULL, false, &desc, &err), &err, rule, offset);
    assert_rule(name, parse(&d, &(hry_allow){ 0 }, false, &desc, &err), &err, rule, offset);
    assert_int_equal(parse(&d, &(hry_allow){ .all = true }, false, &desc, NULL), HRY_OK);
    if (!soft) {
        assert_rule(name, parse(&d, wrong, true, &desc, &err), &err, rule, offset);
        return;
    }
    assert_int_equal(parse(&d, wrong, true, &desc, &err), HRY_OK);
    assert_true(hry_desc_is_opaque(&desc));
}

/* Every private value but one of each space. */
typedef struct others {
    uint8_t bytes[5][16];
    uint64_t ids[2];
    hry_allow allow;
} others;

static void make_others(others *o, uint8_t type, uint64_t layout_id, uint8_t scheme, uint8_t device, uint8_t memory)
{
    const uint8_t but[5] = { type, scheme, device, memory, 0 };
    size_t count[5] = { 0 };
    for (int list = 0; list < 5; list++)
        for (unsigned value = 0xF0; value <= 0xFE; value++)
            if (value != but[list])
                o->bytes[list][count[list]++] = (uint8_t)value;
    o->ids[0] = layout_id + 1;
    o->ids[1] = layout_id - 1;
    o->allow = (hry_allow){ .types = o->bytes[0],
                            .type_count = count[0],
                            .layout_ids = o->ids,
                            .layout_id_count = layout_id ? 2 : 0,
                            .schemes = o->bytes[1],
                            .scheme_count = count[1],
                            .devices = o->bytes[2],
                            .device_count = count[2],
                            .memory_classes = o->bytes[3],
                            .memory_class_count = count[3],
                            .composition_rules = o->bytes[4],
                            .composition_rule_count = count[4] };
}

static void test_spaces(void **state)
{
    (void)state;
    static const uint8_t type[] = { 0xF1, 0xF0 }, scheme[] = { 0xF9 }, device[] = { 0xF5 }, memory[] = { 0xF0 };
    static const uint64_t id[] = { 7, 0x1122334455667788 };
    static desc_bytes d;
    others o;

    make_others(&o, 0xF0, 0, 0, 0, 0);
    check("extension_float", &(hry_allow){ .types = type, .type_count = 2 }, &o.allow, "D-10", 14, true);

    make_others(&o, 0, id[1], 0, 0, 0);
    valid_desc_make("private_layout", &d);
    check("private_layout", &(hry_allow){ .layout_ids = id, .layout_id_count = 2 }, &o.allow, "D-14", d.layout, true);

    make_others(&o, 0, 0, 0xF9, 0, 0);
    valid_desc_make("private_scheme", &d);
    check("private_scheme", &(hry_allow){ .schemes = scheme, .scheme_count = 1 }, &o.allow, "D-42", d.quantization + 4,
          true);

    valid_desc_make("private_device", &d);
    const hry_allow both = { .devices = device, .device_count = 1, .memory_classes = memory, .memory_class_count = 1 };
    make_others(&o, 0, 0, 0, 0xF5, 0);
    check("private_device", &both, &o.allow, "D-33", d.table + 13, false);
    make_others(&o, 0, 0, 0, 0, 0xF0); /* the device is allowed, its memory class is not */
    hry_desc desc;
    hry_error err = { 0 };
    for (int permissive = 0; permissive < 2; permissive++)
        assert_rule("class", parse(&d, &o.allow, permissive, &desc, &err), &err, "D-33", d.table + 15);
}

/* A private composition rule takes both: the list, and a permissive reader; and then the head is opaque. */
static void test_composition_rules(void **state)
{
    (void)state;
    static const uint8_t rules[] = { 0xFA };
    static desc_bytes d;
    const hry_allow allow = { .composition_rules = rules, .composition_rule_count = 1 };
    hry_desc desc, built;
    hry_error err = { 0 };
    valid_desc_make("partition", &d);
    db_set(&d, d.layout, 2, 0xFA | 0x33 << 8); /* with a combine_op of its own */
    assert_rule("strict", parse(&d, &allow, false, &desc, &err), &err, "L-CMP-02", d.layout);
    assert_rule("not listed", parse(&d, NULL, true, &desc, &err), &err, "L-CMP-02", d.layout);
    assert_int_equal(parse(&d, &allow, true, &desc, &err), HRY_OK);
    assert_true(hry_desc_is_opaque(&desc));

    /* The one thing that a writer makes permissively. */
    static hry_desc_store store;
    hry_desc_spec spec;
    uint8_t bytes[128];
    assert_true(hry_desc_unpack(&desc, &spec, &store));
    const hry_parse_options strict = { .allow = &allow }, permissive = { .allow = &allow, .permissive = true };
    assert_rule("built", hry_desc_encode(&spec, &strict, bytes, sizeof bytes, &built, &err), &err, "L-CMP-02",
                d.layout);
    assert_int_equal(hry_desc_encode(&spec, &permissive, bytes, sizeof bytes, &built, &err), HRY_OK);
    assert_memory_equal(bytes, d.bytes, d.n);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_spaces), cmocka_unit_test(test_composition_rules) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
