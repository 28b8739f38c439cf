#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "layout/layouts.h"
#include "tensor/dlpack_abi.h"
#include "tensor/object.h"

static void delete_versioned(void *managed)
{
    struct DLManagedTensorVersioned *m = managed;
    if (m->deleter)
        m->deleter(m);
}

static void delete_unversioned(void *managed)
{
    struct DLManagedTensor *m = managed;
    if (m->deleter)
        m->deleter(m);
}

/* What is taken over, checked and in our terms. */
typedef struct import {
    const hry_dl_tensor *dl;
    uint8_t type;
    uint32_t bits;
    bool bytes; /* an element a byte, to be packed */
    hry_buffer buffer;
    uint64_t shape[HRY_RANK_MAX];
    int64_t strides[HRY_RANK_MAX];
    uint64_t count;
    hry_reach reach;
} import;

static HRY_COLD hry_status malformed(hry_error *err, const char *what)
{
    return hry_fail(err, HRY_E_INPUT, HRY_SECTION_NONE, 0, 0, "DLPack tensor: %s", what);
}

static HRY_COLD hry_status unsupported(hry_error *err, const char *what, uint64_t value)
{
    return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_NONE, 0, value, "DLPack tensor: %s (%llu)", what,
                    (unsigned long long)value);
}

static hry_status take_type(import *in, uint64_t flags, hry_error *err)
{
    const hry_dl_tensor *dl = in->dl;
    if (dl->dtype.lanes != 1)
        return unsupported(err, "vectors as elements", dl->dtype.lanes);
    in->type = hry_dl_type_to_hurray(dl->dtype.code, dl->dtype.bits);
    if (in->type == 0)
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_NONE, 0, dl->dtype.code,
                        "DLPack tensor: no element type for code %u with %u bits", dl->dtype.code, dl->dtype.bits);
    in->bits = hry_type_find(in->type)->bits;
    in->bytes = in->type == HRY_TYPE_BOOL || (in->bits < 8 && flags & HRY_DL_SUBBYTE_PADDED);
    if (!hry_dl_device_to_hurray(dl->device.device_type, &in->buffer.device_tag, &in->buffer.memory_class))
        return unsupported(err, "no counterpart for the device", (uint32_t)dl->device.device_type);
    if (in->bytes && in->buffer.device_tag != HRY_DEVICE_CPU)
        return unsupported(err, "elements to be packed in device memory", in->type);
    return HRY_OK;
}

static hry_status take_extents(import *in, hry_error *err)
{
    const hry_dl_tensor *dl = in->dl;
    if (dl->ndim < 0 || (dl->ndim > 0 && !dl->shape))
        return malformed(err, "a shape is missing");
    if (dl->ndim > HRY_RANK_MAX)
        return unsupported(err, "more than 64 dimensions", (uint32_t)dl->ndim);
    uint32_t rank = (uint32_t)dl->ndim;
    for (uint32_t k = 0; k < rank; k++) {
        if (dl->shape[k] < 0)
            return malformed(err, "a negative dimension");
        in->shape[k] = (uint64_t)dl->shape[k];
    }
    if (!hry_shape_product(in->shape, rank, &in->count))
        return malformed(err, "more elements than 64 bits can count");
    uint64_t step = 1;
    for (uint32_t k = rank; k-- > 0;) {
        in->strides[k] = dl->strides ? dl->strides[k] : (int64_t)step;
        step *= in->shape[k];
    }
    for (uint32_t k = 0; in->count && k < rank; k++)
        if (!hry_reach_stride(&in->reach, in->strides[k], in->shape[k]))
            return malformed(err, "strides beyond 64 bits");
    if (in->reach.below > INT64_MAX / 2 || in->reach.above > INT64_MAX / 2)
        return malformed(err, "strides beyond 64 bits");
    if (in->count && !dl->data)
        return malformed(err, "data are missing");
    return HRY_OK;
}

/* True when the elements lie as the order says; dimensions of size 1 and empty tensors do not count. */
static bool is_order(const import *in, bool row)
{
    uint64_t step = 1;
    uint32_t rank = (uint32_t)in->dl->ndim;
    if (in->count == 0)
        return row;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t k = row ? rank - 1 - i : i;
        if (in->shape[k] != 1 && in->strides[k] != (int64_t)step)
            return false;
        step *= in->shape[k];
    }
    return true;
}

static hry_status encode(const import *in, bool packed, uint64_t byte_offset, uint64_t byte_size, void *bytes,
                         size_t nbytes, hry_desc *desc, hry_error *err)
{
    hry_layout layout = { .tag = HRY_LAYOUT_STRIDED, .strides = in->strides };
    if (packed || is_order(in, true))
        layout.tag = HRY_LAYOUT_ROW_MAJOR;
    else if (is_order(in, false))
        layout.tag = HRY_LAYOUT_COLUMN_MAJOR;
    hry_buffer buffer = in->buffer;
    buffer.byte_size = byte_size;
    hry_desc_spec spec = {
        .type = in->type,
        .rank = (uint32_t)in->dl->ndim,
        .shape = in->shape,
        .byte_offset = byte_offset,
        .layout = &layout,
        .buffer_count = 1,
        .buffers = &buffer,
    };
    return hry_desc_encode(&spec, NULL, bytes, nbytes, desc, err);
}

enum { DESC_ROOM = 64 + 16 * HRY_RANK_MAX };

static hry_status share(const import *in, hry_release_fn *release, void *ctx, const hry_allocator *allocator,
                        hry_tensor **tensor, hry_error *err)
{
    uint8_t bytes[DESC_ROOM];
    hry_desc desc;
    uint64_t before = 0, after = 0, size = 0, first = 0, last;
    if (in->count && (!hry_reach_bytes(&in->reach, in->bits, &before, &after) || !hry_add(before, after, &size) ||
                      !hry_add((uintptr_t)in->dl->data, in->dl->byte_offset, &first) || first < before ||
                      !hry_add(first, after, &last) || last > UINTPTR_MAX))
        return malformed(err, "more bytes than there are addresses");
    hry_status status = encode(in, false, before, size, bytes, sizeof bytes, &desc, err);
    if (status)
        return status;
    const void *base = in->count ? (const void *)(uintptr_t)(first - before) : NULL;
    return hry_tensor_create_foreign(&desc, &base, in->dl->device.device_id, release, ctx, allocator, tensor, err);
}

/* Elements of a byte each, in any order, packed into bits in row-major order. */
static void pack_elements(const import *in, uint8_t *dst)
{
    if (in->count == 0)
        return;
    uint64_t index[HRY_RANK_MAX] = { 0 };
    const uint8_t *first = (const uint8_t *)in->dl->data + in->dl->byte_offset;
    int64_t at = 0;
    for (uint64_t i = 0; i < in->count; i++) {
        uint8_t value = first[at];
        hry_element_set_bits(in->type, dst, i, in->type == HRY_TYPE_BOOL ? value != 0 : value, 0);
        for (uint32_t k = (uint32_t)in->dl->ndim; k-- > 0;) {
            at += in->strides[k];
            if (++index[k] < in->shape[k])
                break;
            at -= in->strides[k] * (int64_t)in->shape[k];
            index[k] = 0;
        }
    }
}

typedef struct packed {
    hry_allocator allocator;
    void *data;
    size_t nbytes;
} packed;

static void release_packed(void *ctx)
{
    packed *p = ctx;
    hry_allocator allocator = p->allocator;
    hry_free(&allocator, p->data, p->nbytes, 64);
    hry_free(&allocator, p, sizeof *p, _Alignof(packed));
}

static hry_status copy(const import *in, const hry_allocator *allocator, hry_tensor **tensor, hry_error *err)
{
    uint8_t bytes[DESC_ROOM];
    hry_desc desc;
    uint64_t size;
    size_t nbytes;
    if (!hry_type_size(in->bits, in->count, &size) || !hry_to_size(size, &nbytes))
        return malformed(err, "more bytes than memory can hold");
    hry_status status = encode(in, true, 0, size, bytes, sizeof bytes, &desc, err);
    if (status)
        return status;
    packed *p = hry_alloc(allocator, sizeof *p, _Alignof(packed));
    void *data = p ? hry_alloc_zeroed(allocator, nbytes, 64) : NULL;
    if (!data) {
        hry_free(allocator, p, sizeof *p, _Alignof(packed));
        return hry_fail_memory(err, size);
    }
    *p = (packed){ hry_allocator_or_default(allocator), data, nbytes };
    pack_elements(in, data);
    const void *base = data;
    status = hry_tensor_create(&desc, &base, release_packed, p, allocator, tensor, err);
    if (status)
        release_packed(p);
    return status;
}

static hry_status take(const hry_dl_tensor *dl, uint64_t flags, void *managed, hry_release_fn *release,
                       const hry_allocator *allocator, hry_tensor **tensor, hry_error *err)
{
import in = {.dl = dl };
    hry_status status = take_type(&in, flags, err);
    if (!status)
        status = take_extents(&in, err);
    if (status)
        return status;
    if (!in.bytes)
        return share(&in, release, managed, allocator, tensor, err);
    status = copy(&in, allocator, tensor, err);
    if (!status)
        release(managed);
    return status;
}

hry_status hry_tensor_from_dlpack(struct DLManagedTensorVersioned *managed, const hry_allocator *allocator,
                                  hry_tensor **tensor, hry_error *err)
{
    if (managed->version.major != HRY_DL_MAJOR)
        return unsupported(err, "another major version", managed->version.major);
    return take(&managed->dl_tensor, managed->flags, managed, delete_versioned, allocator, tensor, err);
}

hry_status hry_tensor_from_dlpack_unversioned(struct DLManagedTensor *managed, const hry_allocator *allocator,
                                              hry_tensor **tensor, hry_error *err)
{
    return take(&managed->dl_tensor, 0, managed, delete_unversioned, allocator, tensor, err);
}
