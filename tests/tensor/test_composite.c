/* Members against their head: each rule by members of our own, and trees of tensors. */
#include "support/composites.h"
#include "support/rules_reached.h"

#include <hurray/tensor.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <string.h>

static const uint64_t shape44[] = { 4, 4 }, shape24[] = { 2, 4 }, at00[] = { 0, 0 }, at20[] = { 2, 0 };
static const uint8_t base = 1, correction = 0;

/* A float32 member of a [4,4] head: two rows from a place, base or correction of an overlay when role says so. */
static member_spec rows_at(const uint64_t *place)
{
    return (member_spec){ .spec = { .type = HRY_TYPE_FLOAT32,
                                    .rank = 2,
                                    .shape = shape24,
                                    .parent_shape = shape44,
                                    .shard_offset = place } };
}

static void expect(uint8_t rule, uint8_t op, const member_spec *members, size_t count, uint32_t declared,
                   const char *broken, uint64_t offset)
{
    hry_error err = { 0 };
    hry_tensor *t = composite_of(HRY_TYPE_FLOAT32, 2, shape44, rule, op, members, count, declared, &err);
    if ((t == NULL) != (broken != NULL) || (broken && strcmp(hry_rule_id(err.rule), broken) != 0))
        fail_msg("%s expected, got %s: %s", broken ? broken : "no fault", t ? "a tensor" : hry_rule_id(err.rule),
                 err.message);
    if (broken) {
        assert_int_equal(err.offset, offset);
        assert_int_equal(err.status, HRY_E_INPUT);
        rule_reached(err.rule);
    }
    hry_tensor_release(t);
}

enum { PARTITION = 1, OVERLAY = 2, GROUP = 3 };
enum { LENGTH = 28 + 16 + 1 + 16 }; /* of a row-major rank-2 descriptor up to its sections */

static void partitions(void **state)
{
    (void)state;
    member_spec m[3] = { rows_at(at00), rows_at(at20) };
    expect(PARTITION, 0, m, 2, 2, NULL, 0);
    expect(PARTITION, 0, m, 1, 2, "L-CMP-29", 28 + 16 + 4);
    expect(PARTITION, 0, m, 1, 1, "L-CMP-28", 20);
    m[2] = rows_at((uint64_t[]){ 1, 0 });
    expect(PARTITION, 0, m, 3, 3, "L-CMP-27", LENGTH + 16);
    m[1] = rows_at(at00);
    expect(PARTITION, 0, m, 2, 2, "L-CMP-27", LENGTH + 16);
    m[1] = rows_at(at20);
    m[1].spec.parent_shape = (uint64_t[]){ 4, 5 };
    expect(PARTITION, 0, m, 2, 2, "L-CMP-21", LENGTH + 8);
    m[1] = rows_at(at20);
    m[1].spec.parent_shape = m[1].spec.shard_offset = NULL;
    expect(PARTITION, 0, m, 2, 2, "L-CMP-20", 10);
    m[1] = rows_at(at20);
    m[1].spec.type = HRY_TYPE_INT32;
    expect(PARTITION, 0, m, 2, 2, "L-CMP-22", 14);
    m[1] = rows_at(at20);
    m[1].spec.member_role = &correction;
    expect(PARTITION, 0, m, 2, 2, "L-CMP-26", 10);
    m[1] = (member_spec){ .spec = { .type = HRY_TYPE_FLOAT32,
                                    .rank = 1,
                                    .shape = (uint64_t[]){ 4 },
                                    .parent_shape = (uint64_t[]){ 4 },
                                    .shard_offset = (uint64_t[]){ 0 } } };
    expect(PARTITION, 0, m, 2, 2, "L-CMP-21", 28 + 8 + 1 + 16);
}

/* A quantized member decodes to float32: fine for a head of a wide float type, and for no other. */
static void quantized_members(void **state)
{
    (void)state;
    hry_quantization q = { .scheme = HRY_SCHEME_PER_TENSOR, .scale = 1 };
    static const uint8_t heads[] = { HRY_TYPE_FLOAT16, HRY_TYPE_BFLOAT16, HRY_TYPE_FLOAT32,     HRY_TYPE_FLOAT64,
                                     HRY_TYPE_INT8,    HRY_TYPE_UINT8,    HRY_TYPE_FLOAT8_E4M3, HRY_TYPE_FLOAT128 };
    for (size_t i = 0; i < sizeof heads; i++) {
        member_spec m = { .spec = { .type = HRY_TYPE_INT8,
                                    .rank = 2,
                                    .shape = shape44,
                                    .parent_shape = shape44,
                                    .shard_offset = at00,
                                    .quantization = &q } };
        hry_error err = { 0 };
        hry_tensor *t = composite_of(heads[i], 2, shape44, PARTITION, 0, &m, 1, 1, &err);
        assert_int_equal(t != NULL, i < 4);
        assert_string_equal(hry_rule_id(err.rule), i < 4 ? "" : "L-CMP-22");
        hry_tensor_release(t);
    }
}

static void overlays(void **state)
{
    (void)state;
    member_spec m[2] = { rows_at(at00), rows_at(at20) };
    m[0].spec.shape = shape44;
    m[0].spec.member_role = &base;
    m[1].spec.member_role = &correction;
    expect(OVERLAY, 1, m, 2, 2, NULL, 0);
    expect(OVERLAY, 2, m, 1, 1, NULL, 0);
    m[1].spec.member_role = NULL;
    expect(OVERLAY, 1, m, 2, 2, "L-CMP-23", 10);
    m[1].spec.member_role = &base;
    expect(OVERLAY, 1, m, 2, 2, "L-CMP-25", LENGTH + 32);
    m[0].spec.member_role = &correction;
    expect(OVERLAY, 1, m, 1, 1, "L-CMP-24", LENGTH + 32);
    m[0].spec.member_role = &base;
    m[0].spec.shape = shape24;
    expect(OVERLAY, 1, m, 1, 1, "L-CMP-24", 20);
    m[0].spec.shard_offset = at20;
    expect(OVERLAY, 1, m, 1, 1, "L-CMP-24", LENGTH + 16);
    m[0] = rows_at(at00);
    m[0].spec.shape = shape44;
    m[0].spec.member_role = NULL;
    expect(OVERLAY, 1, m, 1, 1, "L-CMP-23", 10);
}

/* Members of a group are whatever they are; only the section of overlays is out of place. */
static void groups(void **state)
{
    (void)state;
    member_spec m[2] = { { .spec = { .type = HRY_TYPE_INT8, .rank = 0 } }, rows_at(at20) };
    expect(GROUP, 0, m, 2, 2, NULL, 0);
    expect(GROUP, 0, NULL, 0, 0, NULL, 0);
    m[1].spec.member_role = &correction;
    expect(GROUP, 0, m, 2, 2, "L-CMP-26", 10);
}

/* Only where the head has no elements are no members a partition. */
static void partition_of_nothing(void **state)
{
    (void)state;
    hry_error err = { 0 };
    expect(PARTITION, 0, NULL, 0, 0, "L-CMP-28", 20);
    hry_tensor *t = composite_of(HRY_TYPE_FLOAT32, 1, (uint64_t[]){ 0 }, PARTITION, 0, NULL, 0, 0, &err);
    assert_non_null(t);
    assert_int_equal(hry_tensor_member_count(t), 0);
    assert_null(hry_tensor_member(t, 0));
    hry_tensor_release(t);
}

/* Eight heads on one path are the most. */
static void nesting(void **state)
{
    (void)state;
    hry_error err = { 0 };
    member_spec m = { .tensor = NULL };
    hry_tensor *inner = NULL;
    for (unsigned depth = 1; depth <= 9; depth++) {
        hry_tensor *outer =
            composite_of(HRY_TYPE_FLOAT32, 2, shape44, GROUP, 0, &m, inner ? 1 : 0, inner ? 1 : 0, &err);
        assert_int_equal(outer != NULL, depth <= 8);
        if (outer) {
            hry_tensor_release(inner);
            inner = outer;
        }
        m.tensor = inner;
    }
    assert_string_equal(hry_rule_id(err.rule), "L-CMP-30");
    rule_reached(err.rule);
    unsigned depth = 0;
    for (hry_tensor *t = inner; t; t = hry_tensor_member(t, 0))
        depth++;
    assert_int_equal(depth, 8);
    hry_tensor_release(inner);
}

static void composites_inside(void **state)
{
    (void)state;
    hry_error err = { 0 };
    member_spec halves[2] = { rows_at(at00), rows_at(at20) };
    for (size_t i = 0; i < 2; i++) {
        halves[i].spec.parent_shape = shape44;
        halves[i].spec.shape = shape24;
    }
    /* The upper half is itself a partition into columns. */
    static const uint64_t shape22[] = { 2, 2 }, at02[] = { 0, 2 };
    member_spec quarters[2] = { { .spec = { .type = HRY_TYPE_FLOAT32,
                                            .rank = 2,
                                            .shape = shape22,
                                            .parent_shape = shape24,
                                            .shard_offset = at00 } } };
    quarters[1] = quarters[0];
    quarters[1].spec.shard_offset = at02;
    hry_tensor *upper = composite_shard_of(HRY_TYPE_FLOAT32, 2, shape24, shape44, at00, quarters, 2, &err);
    assert_non_null(upper);
    halves[0] = (member_spec){ .tensor = upper };
    expect(PARTITION, 0, halves, 2, 2, NULL, 0);
    /* In an overlay a head would need a section that heads may not have. */
    expect(OVERLAY, 1, halves, 1, 1, "L-CMP-31", 15);
    hry_tensor_release(upper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partitions),
        cmocka_unit_test(quantized_members),
        cmocka_unit_test(overlays),
        cmocka_unit_test(groups),
        cmocka_unit_test(partition_of_nothing),
        cmocka_unit_test(nesting),
        cmocka_unit_test(composites_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
