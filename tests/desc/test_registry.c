/* The registry: every public value of the format has its row, and nothing else has one. */
#include <hurray/desc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* The format's tables (element-types, section 2; descriptor, sections 3 and 5; quantization, section 2; buffers). */
static const struct {
    uint8_t space;
    uint16_t value;
    uint8_t tier;
    const char *name;
} values[] = {
    { HRY_SPACE_TYPE, 0x01, 1, "float16" },
    { HRY_SPACE_TYPE, 0x02, 1, "bfloat16" },
    { HRY_SPACE_TYPE, 0x03, 1, "float32" },
    { HRY_SPACE_TYPE, 0x04, 1, "float64" },
    { HRY_SPACE_TYPE, 0x10, 1, "int8" },
    { HRY_SPACE_TYPE, 0x11, 1, "uint8" },
    { HRY_SPACE_TYPE, 0x12, 1, "int16" },
    { HRY_SPACE_TYPE, 0x13, 1, "uint16" },
    { HRY_SPACE_TYPE, 0x14, 1, "int32" },
    { HRY_SPACE_TYPE, 0x15, 1, "uint32" },
    { HRY_SPACE_TYPE, 0x16, 1, "int64" },
    { HRY_SPACE_TYPE, 0x17, 1, "uint64" },
    { HRY_SPACE_TYPE, 0x20, 1, "bool" },
    { HRY_SPACE_TYPE, 0x40, 2, "float8_e4m3" },
    { HRY_SPACE_TYPE, 0x41, 2, "float8_e5m2" },
    { HRY_SPACE_TYPE, 0x42, 2, "float8_e8m0" },
    { HRY_SPACE_TYPE, 0x43, 2, "float4_e2m1" },
    { HRY_SPACE_TYPE, 0x44, 2, "float6_e2m3" },
    { HRY_SPACE_TYPE, 0x45, 2, "float6_e3m2" },
    { HRY_SPACE_TYPE, 0x46, 2, "float128" },
    { HRY_SPACE_TYPE, 0x48, 2, "int4" },
    { HRY_SPACE_TYPE, 0x49, 2, "uint4" },
    { HRY_SPACE_TYPE, 0x4A, 2, "int2" },
    { HRY_SPACE_TYPE, 0x4B, 2, "uint2" },
    { HRY_SPACE_TYPE, 0x50, 2, "complex64" },
    { HRY_SPACE_TYPE, 0x51, 2, "complex128" },
    { HRY_SPACE_LAYOUT, 0x01, 1, "row-major" },
    { HRY_SPACE_LAYOUT, 0x02, 1, "column-major" },
    { HRY_SPACE_LAYOUT, 0x03, 1, "strided" },
    { HRY_SPACE_LAYOUT, 0x04, 1, "tiled" },
    { HRY_SPACE_LAYOUT, 0x05, 1, "morton" },
    { HRY_SPACE_LAYOUT, 0x06, 1, "coo" },
    { HRY_SPACE_LAYOUT, 0x07, 1, "csr" },
    { HRY_SPACE_LAYOUT, 0x08, 1, "csc" },
    { HRY_SPACE_LAYOUT, 0x09, 1, "csf" },
    { HRY_SPACE_LAYOUT, 0x0A, 1, "block-paged" },
    { HRY_SPACE_LAYOUT, 0x0B, 1, "composite" },
    { HRY_SPACE_LAYOUT, 0x40, 2, "hilbert" },
    { HRY_SPACE_SCHEME, 0x01, 1, "per-tensor-affine" },
    { HRY_SPACE_SCHEME, 0x02, 1, "per-channel-affine" },
    { HRY_SPACE_SCHEME, 0x03, 1, "per-block-affine" },
    { HRY_SPACE_SCHEME, 0x04, 2, "nf4" },
    { HRY_SPACE_SCHEME, 0x05, 2, "mxfp" },
    { HRY_SPACE_DEVICE, 0x00, 0, "CPU" },
    { HRY_SPACE_DEVICE, 0x01, 0, "CUDA" },
    { HRY_SPACE_DEVICE, 0x02, 0, "ROCm" },
    { HRY_SPACE_DEVICE, 0x03, 0, "Metal" },
    { HRY_SPACE_DEVICE, 0x04, 0, "Vulkan" },
    { HRY_SPACE_DEVICE, 0x05, 0, "WebGPU" },
    { HRY_SPACE_DEVICE, 0x06, 0, "Hexagon" },
    { HRY_SPACE_DEVICE, 0x07, 0, "LevelZero" },
    { HRY_SPACE_DEVICE, 0x08, 0, "OpenCL" },
    { HRY_SPACE_MEMORY_CLASS, 0, 0, "STANDARD" },
    { HRY_SPACE_MEMORY_CLASS, 1, 0, "HOST_PINNED" },
    { HRY_SPACE_MEMORY_CLASS, 2, 0, "UNIFIED" },
    { HRY_SPACE_MEMORY_CLASS, 3, 0, "PEER" },
    { HRY_SPACE_SYNC_MODE, 0, 0, "PRODUCER_SYNCED" },
    { HRY_SPACE_SYNC_MODE, 1, 0, "EVENT" },
    { HRY_SPACE_SYNC_MODE, 2, 0, "CONSUMER_STREAM" },
    { HRY_SPACE_DESCRIPTOR_FLAG, 0, 0, "HAS_QUANTIZATION" },
    { HRY_SPACE_DESCRIPTOR_FLAG, 1, 0, "HAS_SHARD" },
    { HRY_SPACE_DESCRIPTOR_FLAG, 2, 0, "HAS_EXTENSION_TYPE" },
    { HRY_SPACE_DESCRIPTOR_FLAG, 3, 0, "HAS_STATISTICS" },
    { HRY_SPACE_DESCRIPTOR_FLAG, 4, 0, "HAS_COMPOSITE_MEMBER" },
    { HRY_SPACE_FILE_FLAG, 0, 0, "HAS_KV_METADATA" },
    { HRY_SPACE_FILE_FLAG, 1, 0, "SORTED_INDEX" },
    { HRY_SPACE_FILE_FLAG, 2, 0, "HAS_INDEX_CRC32C" },
    { HRY_SPACE_KV_TYPE, 1, 0, "string" },
    { HRY_SPACE_KV_TYPE, 2, 0, "int64" },
    { HRY_SPACE_KV_TYPE, 3, 0, "uint64" },
    { HRY_SPACE_KV_TYPE, 4, 0, "float64" },
    { HRY_SPACE_KV_TYPE, 5, 0, "bool" },
    { HRY_SPACE_KV_TYPE, 6, 0, "bytes" },
    { HRY_SPACE_KV_TYPE, 7, 0, "array" },
};

enum { VALUES = sizeof values / sizeof *values };

static void test_rows(void **state)
{
    (void)state;
    hry_registry_row row;
    for (size_t i = 0; i < VALUES; i++) {
        if (!hry_registry_find(values[i].space, values[i].value, &row))
            fail_msg("no row of %s", values[i].name);
        assert_string_equal(row.name, values[i].name);
        assert_int_equal(row.tier, values[i].tier);
        assert_int_equal(row.space, values[i].space);
        assert_int_equal(row.value, values[i].value);
        /* Everything is of 1.0, and nothing is deprecated (versioning, section 7). */
        assert_int_equal(row.since_minor | row.deprecated_minor | row.replacement, 0);
    }
    size_t count = 0;
    while (hry_registry_at(count, &row))
        count++;
    assert_int_equal(count, VALUES);
    assert_false(hry_registry_at(SIZE_MAX, &row));
    for (unsigned space = 0; space < 12; space++)
        for (unsigned value = 0; value < 300; value++) {
            bool listed = false;
            for (size_t i = 0; i < VALUES; i++)
                listed |= values[i].space == space && values[i].value == value;
            assert_int_equal(hry_registry_find((uint8_t)space, (uint16_t)value, &row), listed);
        }
}

static void test_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < VALUES; i++) {
        const char *name = values[i].name;
        uint8_t value = (uint8_t)values[i].value;
        if (values[i].space == HRY_SPACE_LAYOUT) {
            assert_string_equal(hry_layout_name(value), name);
            assert_int_equal(hry_layout_by_name(name, strlen(name)), value);
        } else if (values[i].space == HRY_SPACE_SCHEME) {
            assert_string_equal(hry_scheme_name(value), name);
            assert_int_equal(hry_scheme_by_name(name, strlen(name)), value);
        } else if (values[i].space == HRY_SPACE_DEVICE) {
            assert_string_equal(hry_device_name(value), name);
        }
    }
    assert_string_equal(hry_layout_name(0x0C), "unknown");
    assert_string_equal(hry_layout_name(0xF0), "private");
    assert_string_equal(hry_layout_name(0xFF), "unknown");
    assert_string_equal(hry_scheme_name(0x00), "unknown");
    assert_string_equal(hry_scheme_name(0x06), "unknown");
    assert_string_equal(hry_scheme_name(0xFE), "private");
    assert_string_equal(hry_device_name(0x09), "unknown");
    assert_string_equal(hry_device_name(0xF0), "private");
    assert_int_equal(hry_layout_by_name("private", 7), 0); /* the tag is not told by the name */
    assert_int_equal(hry_layout_by_name("tile", 4), 0);
    assert_int_equal(hry_layout_by_name("tiledx", 5), HRY_LAYOUT_TILED);
    assert_int_equal(hry_scheme_by_name("", 0), 0);
    assert_string_equal(hry_space_name(HRY_SPACE_TYPE), "type");
    assert_string_equal(hry_space_name(HRY_SPACE_KV_TYPE), "KV type");
    assert_string_equal(hry_space_name(0), "");
    assert_string_equal(hry_space_name(99), "");
    assert_int_equal(hry_profile_current()->descriptor_minor, 0);
    assert_int_equal(hry_profile_current()->scheme_version, 1);
}

/* Values are the format's and stay so (S2). */
static void test_pinned(void **state)
{
    (void)state;
    assert_int_equal(HRY_LAYOUT_COMPOSITE, 0x0B);
    assert_int_equal(HRY_LAYOUT_HILBERT, 0x40);
    assert_int_equal(HRY_SCHEME_MXFP, 0x05);
    assert_int_equal(HRY_QUANT_SYMMETRIC, 1);
    assert_int_equal(HRY_HAS_COMPOSITE_MEMBER, 0x10);
    assert_int_equal(HRY_STATS_NAN_INF, 0x20);
    assert_int_equal(HRY_E_INPUT, -1);
    assert_int_equal(HRY_E_CANCELLED, -10);
    assert_int_equal(HRY_SECTION_COMPOSITE, 15);
    assert_true(HRY_DYNAMIC == UINT64_MAX && HRY_NO_BUFFER == UINT32_MAX && HRY_RANK_MAX == 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows), cmocka_unit_test(test_names),
                                        cmocka_unit_test(test_pinned) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
