/* A program of the ABI's: it knows hurray.h and nothing else of this library. */
#include <hurray.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Row-major float32 [3,4] (the format's dump A, with the exact byte_size). */
static const uint8_t dense[61] = {
    'H', 'R', 'R', 'Y', 1, 0, 61, 0, 0, 0, 0, 0, 0, 0, 3,  1, 2, 0, 0, 0, 3, 0, 0,  0, 0, 0, 0, 0, 4, 0, 0,
    0,   0,   0,   0,   0, 0, 0,  0, 0, 0, 0, 0, 0, 1, 48, 0, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0,
};

static _Alignas(64) uint8_t memory[64];
static int released;
static void *released_data, *released_context;

static void on_release(void *data, void *context)
{
    released++;
    released_data = data;
    released_context = context;
}

static int owners;

static void on_owner(void *owner)
{
    owners++;
    assert_ptr_equal(owner, &owners);
}

static HurrayBuffer *plain_buffer(void)
{
    HurrayBuffer *buffer = NULL;
    assert_int_equal(hurray_buffer_from_ptr(memory, 48, 64, 0, 0, 0, on_release, &released, &buffer), HURRAY_OK);
    return buffer;
}

static void test_version(void **state)
{
    (void)state;
    assert_int_equal(hurray_c_abi_version(), 4);
}

static void test_buffer(void **state)
{
    (void)state;
    HurrayBuffer *buffer = plain_buffer();
    uint64_t size = 0;
    uint32_t alignment = 0;
    uint8_t device = 9, sync = 9, memory_class = 9;
    void *data = NULL;
    assert_int_equal(hurray_buffer_byte_size(buffer, &size), HURRAY_OK);
    assert_int_equal(hurray_buffer_alignment(buffer, &alignment), HURRAY_OK);
    assert_int_equal(hurray_buffer_device_tag(buffer, &device), HURRAY_OK);
    assert_int_equal(hurray_buffer_sync_mode(buffer, &sync), HURRAY_OK);
    assert_int_equal(hurray_buffer_memory_class(buffer, &memory_class), HURRAY_OK);
    assert_int_equal(hurray_buffer_data_ptr(buffer, &data), HURRAY_OK);
    assert_int_equal(size, 48);
    assert_int_equal(alignment, 64);
    assert_int_equal(device | sync | memory_class, 0);
    assert_ptr_equal(data, memory);
    released = 0;
    assert_int_equal(hurray_buffer_destroy(buffer), HURRAY_OK);
    assert_int_equal(released, 1);
    assert_ptr_equal(released_data, memory);
    assert_ptr_equal(released_context, &released);
}

static HurrayStatus make(void *data, uint64_t size, uint32_t alignment, uint8_t device, uint8_t sync, uint8_t class)
{
    HurrayBuffer *buffer = NULL;
    HurrayStatus status = hurray_buffer_from_ptr(data, size, alignment, device, sync, class, NULL, NULL, &buffer);
    if (status)
        assert_null(buffer);
    else
        assert_int_equal(hurray_buffer_destroy(buffer), HURRAY_OK);
    return status;
}

static void test_buffer_rules(void **state)
{
    (void)state;
    assert_int_equal(make(NULL, 0, 1, 0, 0, 0), HURRAY_OK); /* an empty one needs no pointer */
    assert_int_equal(make(NULL, 1, 64, 0, 0, 0), HURRAY_ERR_NULL_POINTER);
    assert_int_equal(make(memory, 1, 0, 0, 0, 0), HURRAY_ERR_INVALID_LAYOUT);
    assert_int_equal(make(memory, 1, 48, 0, 0, 0), HURRAY_ERR_INVALID_LAYOUT);
    assert_int_equal(make(memory, 1, 32, 0, 0, 0), HURRAY_ERR_INVALID_LAYOUT);
    assert_int_equal(make(memory + 8, 1, 64, 0, 0, 0), HURRAY_ERR_INVALID_LAYOUT);
    assert_int_equal(make(memory + 8, 1, 64, 1, 0, 0), HURRAY_OK); /* a device pointer is not looked at */
    assert_int_equal(make(memory, 1, 64, 0xFF, 0, 0), HURRAY_ERR_INVALID_TYPE);
    assert_int_equal(make(memory, 1, 64, 0x09, 0, 0), HURRAY_ERR_INVALID_TYPE);
    assert_int_equal(make(memory, 1, 64, 0xF3, 0, 0), HURRAY_OK);
    assert_int_equal(make(memory, 1, 64, 0, 1, 0), HURRAY_ERR_INVALID_SYNC_MODE);
    assert_int_equal(make(memory, 1, 64, 1, 3, 0), HURRAY_ERR_INVALID_SYNC_MODE);
    assert_int_equal(make(memory, 1, 64, 0, 0, 4), HURRAY_ERR_INVALID_TYPE);
    assert_int_equal(make(memory, 1, 64, 0, 0, 3), HURRAY_ERR_INVALID_TYPE); /* no PEER on a CPU */
    assert_int_equal(make(memory, 1, 64, 1, 0, 3), HURRAY_OK);
}

static void on_event(void *handle, void *context)
{
    (void)handle, (void)context;
}

static void test_handoff(void **state)
{
    (void)state;
    HurrayBuffer *buffers[3] = { 0 };
    for (uint8_t mode = 0; mode < 3; mode++)
        assert_int_equal(hurray_buffer_from_ptr(memory, 8, 64, 1, mode, 0, NULL, NULL, &buffers[mode]), HURRAY_OK);
    HurraySyncEventPayload event = { memory, 1, on_event, NULL };
    HurraySyncConsumerStreamPayload stream = { memory, 1 };
    for (int mode = 0; mode < 3; mode++) {
        HurrayStatus wrong = HURRAY_ERR_SYNC_MODE_MISMATCH;
        assert_int_equal(hurray_buffer_handoff_producer_synced(buffers[mode]), mode == 0 ? HURRAY_OK : wrong);
        assert_int_equal(hurray_buffer_handoff_event(buffers[mode], &event), mode == 1 ? HURRAY_OK : wrong);
        assert_int_equal(hurray_buffer_handoff_consumer_stream(buffers[mode], &stream), mode == 2 ? HURRAY_OK : wrong);
    }
    HurraySyncEventPayload bad_events[] = { { NULL, 1, on_event, NULL },
                                            { memory, 2, on_event, NULL },
                                            { memory, 1, NULL, NULL } };
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(hurray_buffer_handoff_event(buffers[1], &bad_events[i]), HURRAY_ERR_SYNC_MODE_MISMATCH);
    HurraySyncConsumerStreamPayload bad_streams[] = { { NULL, 1 }, { memory, 2 } };
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(hurray_buffer_handoff_consumer_stream(buffers[2], &bad_streams[i]),
                         HURRAY_ERR_SYNC_MODE_MISMATCH);
    for (int mode = 0; mode < 3; mode++)
        hurray_buffer_destroy(buffers[mode]);
}

static void test_list(void **state)
{
    (void)state;
    HurrayBufferList *list = NULL;
    HurrayBuffer *got = NULL;
    uint64_t len = 9;
    assert_int_equal(hurray_buffer_list_new(UINT64_MAX, &list), HURRAY_OK);
    assert_int_equal(hurray_buffer_list_len(list, &len), HURRAY_OK);
    assert_int_equal(len, 0);
    HurrayBuffer *first = plain_buffer();
    assert_int_equal(hurray_buffer_list_push(list, first), HURRAY_OK);
    for (int i = 1; i < 200; i++)
        assert_int_equal(hurray_buffer_list_push(list, plain_buffer()), HURRAY_OK);
    assert_int_equal(hurray_buffer_list_get(list, 0, &got), HURRAY_OK);
    assert_ptr_equal(got, first);
    assert_int_equal(hurray_buffer_list_get(list, 200, &got), HURRAY_ERR_INDEX_OUT_OF_BOUNDS);
    assert_ptr_equal(got, first);
    released = 0;
    assert_int_equal(hurray_buffer_list_destroy(&list), HURRAY_OK);
    assert_int_equal(released, 200);
    assert_null(list);
    assert_int_equal(hurray_buffer_list_destroy(&list), HURRAY_OK);
    assert_int_equal(released, 200);
}

static void test_descriptor(void **state)
{
    (void)state;
    HurrayDescriptor *d = NULL;
    uint8_t copy[sizeof dense];
    memcpy(copy, dense, sizeof copy);
    assert_int_equal(hurray_descriptor_decode(copy, sizeof copy, &d), HURRAY_OK);
    memset(copy, 0, sizeof copy); /* the handle has its own */
    uint32_t rank = 0, count = 0;
    uint8_t type = 0, layout = 0;
    uint64_t offset = 9, dims[3] = { 7, 7, 7 };
    assert_int_equal(hurray_descriptor_rank(d, &rank), HURRAY_OK);
    assert_int_equal(hurray_descriptor_element_type_tag(d, &type), HURRAY_OK);
    assert_int_equal(hurray_descriptor_layout_tag(d, &layout), HURRAY_OK);
    assert_int_equal(hurray_descriptor_byte_offset(d, &offset), HURRAY_OK);
    assert_int_equal(hurray_descriptor_buffer_count(d, &count), HURRAY_OK);
    assert_int_equal(rank, 2);
    assert_int_equal(type, 3);
    assert_int_equal(layout, 1);
    assert_int_equal(offset, 0);
    assert_int_equal(count, 1);
    uintptr_t room = 1;
    assert_int_equal(hurray_descriptor_shape(d, dims, &room), HURRAY_ERR_BUFFER_TOO_SMALL);
    assert_int_equal(room, 2);
    assert_int_equal(dims[0], 7);
    assert_int_equal(hurray_descriptor_shape(d, NULL, &room), HURRAY_ERR_BUFFER_TOO_SMALL);
    room = 3;
    assert_int_equal(hurray_descriptor_shape(d, dims, &room), HURRAY_OK);
    assert_int_equal(room, 2);
    assert_int_equal(dims[0], 3);
    assert_int_equal(dims[1], 4);
    assert_int_equal(dims[2], 7);
    assert_int_equal(hurray_descriptor_destroy(d), HURRAY_OK);
}

/* One changed byte each. */
static void test_descriptor_refused(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint8_t value;
        HurrayStatus status;
    } cases[] = {
        { 0, 'h', HURRAY_ERR_INVALID_MAGIC },    { 4, 2, HURRAY_ERR_VERSION_MISMATCH },
        { 6, 62, HURRAY_ERR_INVALID_LAYOUT },    { 10, 32, HURRAY_ERR_INVALID_LAYOUT },
        { 14, 0, HURRAY_ERR_INVALID_TYPE },      { 15, 0, HURRAY_ERR_INVALID_LAYOUT },
        { 16, 65, HURRAY_ERR_INVALID_LAYOUT },   { 45, 47, HURRAY_ERR_INVALID_LAYOUT },
        { 53, 48, HURRAY_ERR_INVALID_LAYOUT },   { 57, 0xFF, HURRAY_ERR_INVALID_TYPE },
        { 58, 1, HURRAY_ERR_INVALID_SYNC_MODE }, { 59, 3, HURRAY_ERR_INVALID_TYPE },
        { 60, 1, HURRAY_ERR_INVALID_LAYOUT },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t bytes[sizeof dense];
        HurrayDescriptor *d = NULL;
        memcpy(bytes, dense, sizeof bytes);
        bytes[cases[i].at] = cases[i].value;
        assert_int_equal(hurray_descriptor_decode(bytes, sizeof bytes, &d), cases[i].status);
        assert_null(d);
    }
    HurrayDescriptor *d = NULL;
    assert_int_equal(hurray_descriptor_decode(dense, 60, &d), HURRAY_ERR_INVALID_LAYOUT);
    assert_null(d);
}

/* Quantization and composite faults have no code of their own in the ABI. */
static void test_descriptor_internal(void **state)
{
    (void)state;
    static const uint8_t scheme_0[] = {
        'H', 'R', 'R', 'Y', 1, 0, 61, 0, 0, 0, 1, 0, 0, 0, 0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0,
        0,   0,   0,   0,   0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 12,   0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    };
    static const uint8_t open_composite[] = {
        'H', 'R', 'R', 'Y', 1, 0, 45, 0, 0, 0, 0, 0, 0, 0, 3, 11, 1, 0,    0,    0,    1,    0, 0,
        0,   0,   0,   0,   0, 0, 0,  0, 0, 0, 0, 0, 0, 3, 0, 0,  0, 0xFF, 0xFF, 0xFF, 0xFF, 0,
    };
    HurrayDescriptor *d = NULL;
    assert_int_equal(hurray_descriptor_decode(scheme_0, sizeof scheme_0, &d), HURRAY_ERR_INTERNAL);
    assert_int_equal(hurray_descriptor_decode(open_composite, sizeof open_composite, &d), HURRAY_ERR_INTERNAL);
    assert_null(d);
}

static void test_context(void **state)
{
    (void)state;
    HurrayTensorContext *context = NULL;
    uint32_t version = 0;
    const uint8_t *bytes = NULL;
    uint64_t len = 0;
    owners = 0;
    assert_int_equal(hurray_tensor_context_new(7, dense, sizeof dense, &owners, on_owner, &context), HURRAY_OK);
    assert_int_equal(hurray_tensor_context_abi_version(context, &version), HURRAY_OK);
    assert_int_equal(version, 7);
    assert_int_equal(hurray_tensor_context_descriptor(context, &bytes, &len), HURRAY_OK);
    assert_int_equal(len, sizeof dense);
    assert_ptr_not_equal(bytes, dense);
    assert_memory_equal(bytes, dense, sizeof dense);
    assert_int_equal(hurray_tensor_context_destroy(&context), HURRAY_OK);
    assert_null(context);
    assert_int_equal(owners, 1);
    assert_int_equal(hurray_tensor_context_destroy(&context), HURRAY_OK);
    assert_int_equal(owners, 1);

    assert_int_equal(hurray_tensor_context_new(4, NULL, 0, NULL, NULL, &context), HURRAY_OK);
    assert_int_equal(hurray_tensor_context_descriptor(context, &bytes, &len), HURRAY_OK);
    assert_null(bytes);
    assert_int_equal(len, 0);
    assert_int_equal(hurray_tensor_context_destroy(&context), HURRAY_OK);
}

static void test_null_pointers(void **state)
{
    (void)state;
    HurrayBuffer *buffer = plain_buffer();
    HurrayBufferList *list = NULL;
    HurrayTensorContext *context = NULL;
    HurrayDescriptor *descriptor = NULL;
    uint64_t u64 = 5;
    uint32_t u32 = 5;
    const uint8_t *bytes = NULL;
    uintptr_t room = 0;
    assert_int_equal(hurray_buffer_list_new(1, &list), HURRAY_OK);
    HurrayStatus null = HURRAY_ERR_NULL_POINTER;
    assert_int_equal(hurray_buffer_from_ptr(memory, 1, 64, 0, 0, 0, NULL, NULL, NULL), null);
    assert_int_equal(hurray_buffer_destroy(NULL), null);
    assert_int_equal(hurray_buffer_byte_size(NULL, &u64), null);
    assert_int_equal(hurray_buffer_byte_size(buffer, NULL), null);
    assert_int_equal(hurray_buffer_handoff_producer_synced(NULL), null);
    assert_int_equal(hurray_buffer_handoff_event(buffer, NULL), null);
    assert_int_equal(hurray_buffer_handoff_consumer_stream(buffer, NULL), null);
    assert_int_equal(hurray_buffer_list_new(1, NULL), null);
    assert_int_equal(hurray_buffer_list_push(list, NULL), null);
    assert_int_equal(hurray_buffer_list_push(NULL, buffer), null);
    assert_int_equal(hurray_buffer_list_len(NULL, &u64), null);
    assert_int_equal(hurray_buffer_list_get(NULL, 0, &buffer), null);
    assert_int_equal(hurray_buffer_list_destroy(NULL), null);
    assert_int_equal(hurray_descriptor_decode(NULL, 1, &descriptor), null);
    assert_int_equal(hurray_descriptor_decode(dense, 1, NULL), null);
    assert_int_equal(hurray_descriptor_destroy(NULL), null);
    assert_int_equal(hurray_descriptor_rank(NULL, &u32), null);
    assert_int_equal(hurray_descriptor_shape(NULL, &u64, &room), null);
    assert_int_equal(hurray_tensor_context_new(4, NULL, 1, NULL, NULL, &context), null);
    assert_int_equal(hurray_tensor_context_new(4, dense, 1, NULL, NULL, NULL), null);
    assert_int_equal(hurray_tensor_context_abi_version(NULL, &u32), null);
    assert_int_equal(hurray_tensor_context_descriptor(NULL, &bytes, &u64), null);
    assert_int_equal(hurray_tensor_context_destroy(NULL), null);
    assert_int_equal(u64, 5);
    assert_int_equal(u32, 5);
    assert_int_equal(hurray_buffer_list_destroy(&list), HURRAY_OK);
    released = 0;
    assert_int_equal(hurray_buffer_destroy(buffer), HURRAY_OK);
    assert_int_equal(released, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_buffer),
        cmocka_unit_test(test_buffer_rules),
        cmocka_unit_test(test_handoff),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_descriptor),
        cmocka_unit_test(test_descriptor_refused),
        cmocka_unit_test(test_descriptor_internal),
        cmocka_unit_test(test_context),
        cmocka_unit_test(test_null_pointers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
