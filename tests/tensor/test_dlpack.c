#include "tensor/dlpack_abi.h"

#include <hurray/hurray.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The layout that the public header gives on 64-bit machines. */
_Static_assert(sizeof(void *) != 8 || (sizeof(hry_dl_tensor) == 48 && offsetof(hry_dl_tensor, shape) == 24 &&
                                       offsetof(struct DLManagedTensorVersioned, flags) == 24 &&
                                       offsetof(struct DLManagedTensorVersioned, dl_tensor) == 32 &&
                                       offsetof(struct DLManagedTensor, manager_ctx) == 48),
               "DLPack's structures");

static int released;

static void on_release(void *ctx)
{
    assert_ptr_equal(ctx, &released);
    released++;
}

static _Alignas(64) float numbers[24];

static hry_tensor *dense_tensor(uint8_t type, uint32_t rank, const uint64_t *shape)
{
    hry_tensor *t = NULL;
    released = 0;
    assert_int_equal(hry_tensor_dense(type, rank, shape, numbers, on_release, &released, &t, NULL), HRY_OK);
    return t;
}

static void test_export(void **state)
{
    (void)state;
    hry_tensor *t = dense_tensor(HRY_TYPE_FLOAT32, 3, (uint64_t[]){ 2, 3, 4 });
    struct DLManagedTensorVersioned *m = NULL;
    assert_int_equal(hry_tensor_to_dlpack(t, &m, NULL), HRY_OK);
    hry_tensor_release(t);
    assert_int_equal(released, 0);
    assert_int_equal(m->version.major, 1);
    assert_true(m->flags & HRY_DL_READ_ONLY);
    assert_ptr_equal((uint8_t *)m->dl_tensor.data + m->dl_tensor.byte_offset, numbers);
    assert_int_equal(m->dl_tensor.device.device_type, 1);
    assert_int_equal(m->dl_tensor.ndim, 3);
    assert_int_equal(m->dl_tensor.dtype.code, 2);
    assert_int_equal(m->dl_tensor.dtype.bits, 32);
    assert_int_equal(m->dl_tensor.dtype.lanes, 1);
    assert_memory_equal(m->dl_tensor.shape, ((int64_t[]){ 2, 3, 4 }), 24);
    assert_memory_equal(m->dl_tensor.strides, ((int64_t[]){ 12, 4, 1 }), 24);
    m->deleter(m);
    assert_int_equal(released, 1);
}

static void *delete_elsewhere(void *m)
{
    struct DLManagedTensorVersioned *managed = m;
    managed->deleter(managed);
    return NULL;
}

static void test_deleted_on_another_thread(void **state)
{
    (void)state;
    hry_tensor *t = dense_tensor(HRY_TYPE_FLOAT32, 1, (uint64_t[]){ 4 });
    struct DLManagedTensorVersioned *m[8];
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        assert_int_equal(hry_tensor_to_dlpack(t, &m[i], NULL), HRY_OK);
    hry_tensor_release(t);
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, delete_elsewhere, m[i]), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(released, 1);
}

static hry_tensor *tensor_of(const hry_desc_spec *spec, const void *data)
{
    uint8_t bytes[512];
    hry_desc desc;
    hry_tensor *t = NULL;
    const void *buffers[3] = { data, data, data };
    hry_error err = { 0 };
    if (hry_desc_encode(spec, NULL, bytes, sizeof bytes, &desc, &err) ||
        hry_tensor_create(&desc, buffers, NULL, NULL, NULL, &t, &err))
        fail_msg("%s", err.message);
    return t;
}

static void test_export_strided(void **state)
{
    (void)state;
    hry_layout layout = { .tag = HRY_LAYOUT_STRIDED, .strides = (int64_t[]){ -4, 1 } };
    hry_buffer buffer = { .byte_size = 48 };
    hry_desc_spec spec = { .type = HRY_TYPE_FLOAT32,
                           .rank = 2,
                           .shape = (uint64_t[]){ 3, 4 },
                           .byte_offset = 32,
                           .layout = &layout,
                           .buffer_count = 1,
                           .buffers = &buffer };
    hry_tensor *t = tensor_of(&spec, numbers);
    struct DLManagedTensorVersioned *m = NULL;
    assert_int_equal(hry_tensor_to_dlpack(t, &m, NULL), HRY_OK);
    assert_ptr_equal((uint8_t *)m->dl_tensor.data + m->dl_tensor.byte_offset, numbers + 8);
    assert_memory_equal(m->dl_tensor.strides, ((int64_t[]){ -4, 1 }), 16);
    m->deleter(m);
    hry_tensor_release(t);

    layout = (hry_layout){ .tag = HRY_LAYOUT_COLUMN_MAJOR };
    spec.byte_offset = 0;
    t = tensor_of(&spec, numbers);
    assert_int_equal(hry_tensor_to_dlpack(t, &m, NULL), HRY_OK);
    assert_memory_equal(m->dl_tensor.strides, ((int64_t[]){ 1, 3 }), 16);
    m->deleter(m);
    hry_tensor_release(t);
}

static void test_export_empty_and_scalar(void **state)
{
    (void)state;
    struct DLManagedTensorVersioned *m = NULL;
    hry_tensor *t = dense_tensor(HRY_TYPE_FLOAT32, 2, (uint64_t[]){ 4, 0 });
    assert_int_equal(hry_tensor_to_dlpack(t, &m, NULL), HRY_OK);
    assert_null(m->dl_tensor.data);
    assert_non_null(m->dl_tensor.strides);
    m->deleter(m);
    hry_tensor_release(t);
    assert_int_equal(released, 1);
    t = dense_tensor(HRY_TYPE_INT8, 0, NULL);
    assert_int_equal(hry_tensor_to_dlpack(t, &m, NULL), HRY_OK);
    assert_int_equal(m->dl_tensor.ndim, 0);
    assert_ptr_equal(m->dl_tensor.data, numbers);
    m->deleter(m);
    hry_tensor_release(t);
}

static void refuses(const hry_desc_spec *spec)
{
    hry_tensor *t = tensor_of(spec, numbers);
    struct DLManagedTensorVersioned *m = NULL;
    hry_error err = { 0 };
    assert_int_equal(hry_tensor_to_dlpack(t, &m, &err), HRY_E_UNSUPPORTED);
    assert_int_equal(err.status, HRY_E_UNSUPPORTED);
    assert_true(strlen(err.message) > 0);
    assert_null(m);
    hry_tensor_release(t);
}

static void test_export_refused(void **state)
{
    (void)state;
    uint64_t shape[2] = { 4, 4 };
    hry_layout tiled = { .tag = HRY_LAYOUT_TILED, .tile_shape = (uint64_t[]){ 2, 2 } };
    hry_quantization scheme = { .scheme = HRY_SCHEME_PER_TENSOR, .scale = 0.5f };
    refuses(&(hry_desc_spec){ .type = HRY_TYPE_FLOAT32, .rank = 2, .shape = shape, .layout = &tiled });
    refuses(&(hry_desc_spec){ .type = HRY_TYPE_INT8, .rank = 2, .shape = shape, .quantization = &scheme });
    refuses(&(hry_desc_spec){ .type = HRY_TYPE_BOOL, .rank = 2, .shape = shape });
    refuses(&(hry_desc_spec){ .type = HRY_TYPE_FLOAT128, .rank = 1, .shape = (uint64_t[]){ 2 } });
    refuses(&(hry_desc_spec){ .type = HRY_TYPE_FLOAT32, .rank = 2, .shape = (uint64_t[]){ HRY_DYNAMIC, 4 } });
    refuses(&(hry_desc_spec){ .type = HRY_TYPE_FLOAT32, .rank = 2, .shape = (uint64_t[]){ (uint64_t)1 << 63, 0 } });
    hry_buffer peer = { .byte_size = 64, .device_tag = HRY_DEVICE_CUDA, .memory_class = HRY_MEMORY_PEER };
    refuses(
        &(hry_desc_spec){ .type = HRY_TYPE_FLOAT32, .rank = 2, .shape = shape, .buffer_count = 1, .buffers = &peer });
}

/* A producer that counts how often its deleter runs. */
static int deleted;

static void count_versioned(struct DLManagedTensorVersioned *self)
{
    (void)self;
    deleted++;
}

static void count_unversioned(struct DLManagedTensor *self)
{
    (void)self;
    deleted++;
}

static struct DLManagedTensorVersioned make(void *data, int32_t ndim, int64_t *shape, int64_t *strides, uint8_t code,
                                            uint8_t bits)
{
    struct DLManagedTensorVersioned m = { .deleter = count_versioned };
    m.version.major = 1;
    m.dl_tensor.data = data;
    m.dl_tensor.device.device_type = 1;
    m.dl_tensor.ndim = ndim;
    m.dl_tensor.dtype.code = code;
    m.dl_tensor.dtype.bits = bits;
    m.dl_tensor.dtype.lanes = 1;
    m.dl_tensor.shape = shape;
    m.dl_tensor.strides = strides;
    deleted = 0;
    return m;
}

static hry_tensor *import(struct DLManagedTensorVersioned *m)
{
    hry_tensor *t = NULL;
    hry_error err = { 0 };
    if (hry_tensor_from_dlpack(m, NULL, &t, &err))
        fail_msg("%s", err.message);
    return t;
}

static void test_import(void **state)
{
    (void)state;
    struct DLManagedTensorVersioned m = make(numbers, 2, (int64_t[]){ 3, 4 }, NULL, 2, 32);
    m.dl_tensor.byte_offset = 4;
    hry_tensor *t = import(&m);
    assert_int_equal(hry_tensor_desc(t)->layout, HRY_LAYOUT_ROW_MAJOR);
    assert_ptr_equal(hry_tensor_data(t, HRY_TYPE_FLOAT32), numbers + 1);
    assert_int_equal(hry_tensor_dim(t, 1), 4);
    assert_int_equal(deleted, 0);
    hry_tensor_release(t);
    assert_int_equal(deleted, 1);
}

static void test_import_without_deleter(void **state)
{
    (void)state;
    struct DLManagedTensorVersioned m = make(numbers, 0, NULL, NULL, 2, 32);
    m.deleter = NULL;
    hry_tensor *t = import(&m);
    assert_ptr_equal(hry_tensor_data(t, HRY_TYPE_FLOAT32), numbers);
    hry_tensor_release(t);
}

static void test_import_unversioned(void **state)
{
    (void)state;
    struct DLManagedTensorVersioned base = make(numbers, 1, (int64_t[]){ 24 }, NULL, 2, 32);
    struct DLManagedTensor m = { .dl_tensor = base.dl_tensor, .deleter = count_unversioned };
    hry_tensor *t = NULL;
    assert_int_equal(hry_tensor_from_dlpack_unversioned(&m, NULL, &t, NULL), HRY_OK);
    assert_ptr_equal(hry_tensor_data(t, HRY_TYPE_FLOAT32), numbers);
    hry_tensor_release(t);
    assert_int_equal(deleted, 1);
}

static void test_import_order(void **state)
{
    (void)state;
    static const struct {
        int64_t shape[4], strides[4];
        int32_t ndim;
        uint8_t layout;
    } cases[] = {
        { { 3, 4 }, { 1, 3 }, 2, HRY_LAYOUT_COLUMN_MAJOR },
        { { 3, 4 }, { 8, 2 }, 2, HRY_LAYOUT_STRIDED },
        { { 5, 1, 3 }, { 3, 999, 1 }, 3, HRY_LAYOUT_ROW_MAJOR },         /* a size of 1 has no stride that counts */
        { { 1, 8, 0, 128 }, { 7, -3, 0, 11 }, 4, HRY_LAYOUT_ROW_MAJOR }, /* nor has an empty tensor */
        { { 3, 4 }, { 0, 1 }, 2, HRY_LAYOUT_STRIDED },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t shape[4], strides[4];
        memcpy(shape, cases[i].shape, sizeof shape);
        memcpy(strides, cases[i].strides, sizeof strides);
        struct DLManagedTensorVersioned m = make(numbers, cases[i].ndim, shape, strides, 2, 32);
        hry_tensor *t = import(&m);
        assert_int_equal(hry_tensor_desc(t)->layout, cases[i].layout);
        hry_tensor_release(t);
        assert_int_equal(deleted, 1);
    }
}

static void test_import_negative_stride(void **state)
{
    (void)state;
    struct DLManagedTensorVersioned m = make(numbers + 8, 2, (int64_t[]){ 3, 4 }, (int64_t[]){ -4, 1 }, 2, 32);
    hry_tensor *t = import(&m);
    uint64_t nbytes = 0;
    assert_ptr_equal(hry_tensor_buffer(t, 0, &nbytes), numbers);
    assert_int_equal(nbytes, 48);
    assert_int_equal(hry_desc_byte_offset(hry_tensor_desc(t)), 32);
    hry_tensor_release(t);
}

static void test_import_bool(void **state)
{
    (void)state;
    uint8_t bytes[] = { 1, 0, 1, 1, 0 };
    struct DLManagedTensorVersioned m = make(bytes, 1, (int64_t[]){ 5 }, NULL, 6, 8);
    hry_tensor *t = import(&m);
    assert_int_equal(deleted, 1); /* packed into memory of ours */
    uint64_t nbytes = 0;
    const uint8_t *packed = hry_tensor_buffer(t, 0, &nbytes);
    assert_int_equal(nbytes, 1);
    assert_int_equal(packed[0], 0x0D);
    hry_tensor_release(t);
    assert_int_equal(deleted, 1);

    m = make(bytes + 4, 1, (int64_t[]){ 5 }, (int64_t[]){ -1 }, 6, 8);
    t = import(&m);
    packed = hry_tensor_buffer(t, 0, NULL);
    assert_int_equal(packed[0], 0x16); /* 0 1 1 0 1 from the lowest bit */
    hry_tensor_release(t);
}

static void test_import_padded_nibbles(void **state)
{
    (void)state;
    uint8_t bytes[] = { 5, 12, 3 };
    struct DLManagedTensorVersioned m = make(bytes, 1, (int64_t[]){ 3 }, NULL, 1, 4);
    m.flags = HRY_DL_SUBBYTE_PADDED;
    hry_tensor *t = import(&m);
    const uint8_t *packed = hry_tensor_buffer(t, 0, NULL);
    assert_int_equal(packed[0], 0xC5);
    assert_int_equal(packed[1], 0x03);
    hry_tensor_release(t);
    m = make(bytes, 1, (int64_t[]){ 6 }, NULL, 1, 4); /* packed already: shared */
    t = import(&m);
    assert_ptr_equal(hry_tensor_buffer(t, 0, NULL), bytes);
    assert_int_equal(deleted, 0);
    hry_tensor_release(t);
}

/* There and back: the device and its number, every type. */
static void test_round_trip(void **state)
{
    (void)state;
    static const int32_t devices[] = { 1, 2, 3, 13, 10, 11, 8, 7, 15, 16, 14, 4 };
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        struct DLManagedTensorVersioned m = make(numbers, 1, (int64_t[]){ 4 }, NULL, 2, 32), *back = NULL;
        m.dl_tensor.device.device_type = devices[i];
        m.dl_tensor.device.device_id = 3;
        hry_tensor *t = import(&m);
        assert_int_equal(hry_tensor_to_dlpack(t, &back, NULL), HRY_OK);
        assert_int_equal(back->dl_tensor.device.device_type, devices[i]);
        assert_int_equal(back->dl_tensor.device.device_id, 3);
        assert_true((hry_tensor_data(t, HRY_TYPE_FLOAT32) != NULL) == (devices[i] == 1));
        hry_tensor_release(t);
        assert_int_equal(deleted, 0);
        back->deleter(back);
        assert_int_equal(deleted, 1);
    }
    static const uint8_t types[][3] = {
        { 0, 2, HRY_TYPE_INT2 },         { 0, 4, HRY_TYPE_INT4 },         { 0, 8, HRY_TYPE_INT8 },
        { 0, 16, HRY_TYPE_INT16 },       { 0, 32, HRY_TYPE_INT32 },       { 0, 64, HRY_TYPE_INT64 },
        { 1, 2, HRY_TYPE_UINT2 },        { 1, 4, HRY_TYPE_UINT4 },        { 1, 8, HRY_TYPE_UINT8 },
        { 1, 16, HRY_TYPE_UINT16 },      { 1, 32, HRY_TYPE_UINT32 },      { 1, 64, HRY_TYPE_UINT64 },
        { 2, 16, HRY_TYPE_FLOAT16 },     { 2, 32, HRY_TYPE_FLOAT32 },     { 2, 64, HRY_TYPE_FLOAT64 },
        { 4, 16, HRY_TYPE_BFLOAT16 },    { 5, 64, HRY_TYPE_COMPLEX64 },   { 5, 128, HRY_TYPE_COMPLEX128 },
        { 10, 8, HRY_TYPE_FLOAT8_E4M3 }, { 12, 8, HRY_TYPE_FLOAT8_E5M2 }, { 14, 8, HRY_TYPE_FLOAT8_E8M0 },
        { 15, 6, HRY_TYPE_FLOAT6_E2M3 }, { 16, 6, HRY_TYPE_FLOAT6_E3M2 }, { 17, 4, HRY_TYPE_FLOAT4_E2M1 },
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct DLManagedTensorVersioned m = make(numbers, 1, (int64_t[]){ 4 }, NULL, types[i][0], types[i][1]);
        struct DLManagedTensorVersioned *back = NULL;
        hry_tensor *t = import(&m);
        assert_int_equal(hry_tensor_type(t), types[i][2]);
        assert_int_equal(hry_tensor_to_dlpack(t, &back, NULL), HRY_OK);
        assert_int_equal(back->dl_tensor.dtype.code, types[i][0]);
        assert_int_equal(back->dl_tensor.dtype.bits, types[i][1]);
        back->deleter(back);
        hry_tensor_release(t);
    }
}

static void import_fails(struct DLManagedTensorVersioned *m, hry_status status)
{
    hry_tensor *t = NULL;
    hry_error err = { 0 };
    assert_int_equal(hry_tensor_from_dlpack(m, NULL, &t, &err), status);
    assert_int_equal(err.status, status);
    assert_null(t);
    assert_int_equal(deleted, 0); /* it is still the caller's */
}

static void test_import_refused(void **state)
{
    (void)state;
    int64_t shape[65] = { 3, 4 }, huge[2] = { INT64_MAX, 3 };
    struct DLManagedTensorVersioned m = make(numbers, 2, shape, NULL, 2, 32);
    m.version.major = 2;
    import_fails(&m, HRY_E_UNSUPPORTED);
    m = make(numbers, -1, shape, NULL, 2, 32);
    import_fails(&m, HRY_E_INPUT);
    m = make(numbers, 2, NULL, NULL, 2, 32);
    import_fails(&m, HRY_E_INPUT);
    m = make(numbers, 65, shape, NULL, 2, 32);
    import_fails(&m, HRY_E_UNSUPPORTED);
    m = make(NULL, 2, shape, NULL, 2, 32);
    import_fails(&m, HRY_E_INPUT);
    m = make(numbers, 2, (int64_t[]){ 3, -4 }, NULL, 2, 32);
    import_fails(&m, HRY_E_INPUT);
    m = make(numbers, 2, huge, NULL, 2, 32);
    import_fails(&m, HRY_E_INPUT);
    m = make(numbers, 2, shape, (int64_t[]){ INT64_MIN, 1 }, 2, 32);
    import_fails(&m, HRY_E_INPUT);
    m = make(numbers, 2, shape, NULL, 2, 32);
    m.dl_tensor.dtype.lanes = 4;
    import_fails(&m, HRY_E_UNSUPPORTED);
    static const uint8_t types[][2] = { { 3, 64 }, { 7, 8 },  { 8, 8 },   { 9, 8 },
                                        { 11, 8 }, { 13, 8 }, { 2, 128 }, { 0, 7 } };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        m = make(numbers, 2, shape, NULL, types[i][0], types[i][1]);
        import_fails(&m, HRY_E_UNSUPPORTED);
    }
    static const int32_t devices[] = { 0, -1, 9, 12, 17, 99 };
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        m = make(numbers, 2, shape, NULL, 2, 32);
        m.dl_tensor.device.device_type = devices[i];
        import_fails(&m, HRY_E_UNSUPPORTED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_export),
        cmocka_unit_test(test_deleted_on_another_thread),
        cmocka_unit_test(test_export_strided),
        cmocka_unit_test(test_export_empty_and_scalar),
        cmocka_unit_test(test_export_refused),
        cmocka_unit_test(test_import),
        cmocka_unit_test(test_import_without_deleter),
        cmocka_unit_test(test_import_unversioned),
        cmocka_unit_test(test_import_order),
        cmocka_unit_test(test_import_negative_stride),
        cmocka_unit_test(test_import_bool),
        cmocka_unit_test(test_import_padded_nibbles),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_import_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
