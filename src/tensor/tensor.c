#include "tensor/object.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "layout/layouts.h"
#include "tensor/convert.h"
#include "tensor/split.h"

#include <string.h>

/* A tensor with room for pointers, its descriptor copied. */
static hry_status allocate(const hry_desc *desc, size_t pointers, const hry_allocator *allocator, hry_tensor **tensor,
                           hry_error *err)
{
    uint64_t total;
    size_t nbytes;
    if (!hry_mul_add(pointers, sizeof(void *), sizeof(hry_tensor), &total) || !hry_add(total, desc->length, &total) ||
        !hry_to_size(total, &nbytes))
        return hry_fail_memory(err, UINT64_MAX);
    hry_tensor *t = hry_alloc(allocator, nbytes, _Alignof(hry_tensor));
    if (!t)
        return hry_fail_memory(err, nbytes);
    *t = (hry_tensor){ .allocator = hry_allocator_or_default(allocator), .allocated = nbytes, .desc = *desc };
    atomic_init(&t->references, 1);
    atomic_init(&t->verified, 0);
    uint8_t *bytes = (uint8_t *)(t + 1) + pointers * sizeof(void *);
    memcpy(bytes, desc->bytes, desc->length);
    t->desc.bytes = bytes;
    *tensor = t;
    return HRY_OK;
}

static hry_status check_buffers(const hry_desc *desc, const void *const *buffers, bool aligned, hry_error *err)
{
    hry_buffer row;
    for (uint32_t i = 0; hry_desc_buffer(desc, i, &row); i++) {
        if (row.byte_size == 0)
            continue;
        if (!buffers || !buffers[i])
            return hry_fail_usage(err, "buffer %u is NULL and not empty", i);
        if (aligned && row.device_tag == HRY_DEVICE_CPU && (uintptr_t)buffers[i] % row.alignment != 0)
            return hry_fail_usage(err, "buffer %u is not aligned to the %u bytes that its descriptor promises", i,
                                  row.alignment);
    }
    return HRY_OK;
}

static hry_status create(const hry_desc *desc, const void *const *buffers, bool stored, hry_release_fn *release,
                         void *ctx, const hry_allocator *allocator, hry_tensor **tensor, hry_error *err)
{
    if (desc->layout == HRY_LAYOUT_COMPOSITE)
        return hry_fail_usage(err, "a composite is made of its members");
    hry_tensor *t;
    hry_status status = check_buffers(desc, buffers, !stored, err);
    if (!status)
        status = allocate(desc, desc->buffer_count, allocator, &t, err);
    if (status)
        return status;
    t->buffers = (const void **)(t + 1);
    for (uint32_t i = 0; i < desc->buffer_count; i++)
        t->buffers[i] = buffers ? buffers[i] : NULL;
    hry_buffer row;
    t->in_host = stored || !hry_desc_buffer(desc, 0, &row) || row.device_tag == HRY_DEVICE_CPU;
    t->release = release;
    t->release_ctx = ctx;
    *tensor = t;
    return HRY_OK;
}

hry_status hry_tensor_create(const hry_desc *desc, const void *const *buffers, hry_release_fn *release, void *ctx,
                             const hry_allocator *allocator, hry_tensor **tensor, hry_error *err)
{
    return create(desc, buffers, false, release, ctx, allocator, tensor, err);
}

hry_status hry_tensor_create_stored(const hry_desc *desc, const void *const *buffers, hry_release_fn *release,
                                    void *ctx, const hry_allocator *allocator, hry_tensor **tensor, hry_error *err)
{
    return create(desc, buffers, true, release, ctx, allocator, tensor, err);
}

hry_status hry_tensor_create_foreign(const hry_desc *desc, const void *const *buffers, int32_t device_id,
                                     hry_release_fn *release, void *ctx, const hry_allocator *allocator,
                                     hry_tensor **tensor, hry_error *err)
{
    hry_tensor *t;
    hry_buffer row;
    hry_status status = create(desc, buffers, true, release, ctx, allocator, &t, err);
    if (status)
        return status;
    t->in_host = !hry_desc_buffer(desc, 0, &row) || row.device_tag == HRY_DEVICE_CPU;
    t->device_id = device_id;
    *tensor = t;
    return HRY_OK;
}

hry_status hry_tensor_dense(uint8_t type, uint32_t rank, const uint64_t *shape, const void *data,
                            hry_release_fn *release, void *ctx, hry_tensor **tensor, hry_error *err)
{
    uint8_t bytes[64 + 8 * HRY_RANK_MAX];
    hry_desc desc;
    hry_desc_spec spec = { .type = type, .rank = rank, .shape = shape };
    hry_status status = hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, err);
    return status ? status : hry_tensor_create_stored(&desc, &data, release, ctx, NULL, tensor, err);
}

hry_status hry_tensor_adopt_members(const hry_desc *head, hry_tensor *const *members, size_t count,
                                    const hry_allocator *allocator, hry_tensor **tensor, hry_error *err)
{
    hry_tensor *t;
    hry_status status = allocate(head, count, allocator, &t, err);
    if (status)
        return status;
    t->in_host = true; /* it has no buffers; its members speak for themselves */
    t->members = (hry_tensor **)(t + 1);
    t->member_count = count;
    if (count)
        memcpy(t->members, members, count * sizeof(void *));
    t->split_axis = hry_split_axis(t);
    *tensor = t;
    return HRY_OK;
}

hry_tensor *hry_tensor_retain(hry_tensor *tensor)
{
    if (tensor)
        atomic_fetch_add_explicit(&tensor->references, 1, memory_order_relaxed);
    return tensor;
}

/* State is taken out and freed before the callback runs, which may do as it likes with what it released. */
void hry_tensor_release(hry_tensor *tensor)
{
    if (!tensor || atomic_fetch_sub_explicit(&tensor->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < tensor->member_count; i++)
        hry_tensor_release(tensor->members[i]);
    hry_release_fn *release = tensor->release;
    void *ctx = tensor->release_ctx;
    hry_allocator allocator = tensor->allocator;
    hry_free(&allocator, tensor, tensor->allocated, _Alignof(hry_tensor));
    if (release)
        release(ctx);
}

const hry_desc *hry_tensor_desc(const hry_tensor *tensor)
{
    return &tensor->desc;
}

uint8_t hry_tensor_type(const hry_tensor *tensor)
{
    return tensor->desc.type;
}

uint32_t hry_tensor_rank(const hry_tensor *tensor)
{
    return tensor->desc.rank;
}

uint64_t hry_tensor_dim(const hry_tensor *tensor, uint32_t k)
{
    return hry_desc_dim(&tensor->desc, k);
}

const void *hry_tensor_buffer(const hry_tensor *tensor, uint32_t i, uint64_t *nbytes)
{
    hry_buffer row = { 0 };
    bool there = tensor->buffers && hry_desc_buffer(&tensor->desc, i, &row) && row.byte_size > 0;
    if (nbytes)
        *nbytes = there ? row.byte_size : 0;
    return there ? tensor->buffers[i] : NULL;
}

hry_status hry_tensor_check_readable(const hry_tensor *tensor, hry_error *err)
{
    const hry_desc *desc = &tensor->desc;
    hry_buffer row;
    if (desc->state & HRY_DESC_OPAQUE)
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_NONE, 0, 0, "an opaque tensor has no values to read");
    if (desc->state & HRY_DESC_HAS_DYNAMIC)
        return hry_fail_rule(err, HRY_RULE_F_T04, HRY_SECTION_SHAPE, 20, HRY_DYNAMIC);
    if (!tensor->in_host && hry_desc_buffer(desc, 0, &row))
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_BUFFERS, 0, row.device_tag, "the data are in %s memory",
                        hry_device_name(row.device_tag));
    return HRY_OK;
}

const void *hry_tensor_data(const hry_tensor *tensor, uint8_t type)
{
    const hry_desc *desc = &tensor->desc;
    const hry_type_info *info = hry_type_find(type);
    hry_buffer row;
    if (!info || info->bits < 8 || desc->type != type || desc->layout != HRY_LAYOUT_ROW_MAJOR ||
        desc->flags & HRY_HAS_QUANTIZATION || hry_tensor_check_readable(tensor, NULL) ||
        !hry_desc_buffer(desc, 0, &row) || !tensor->buffers[0])
        return NULL;
    const uint8_t *first = (const uint8_t *)tensor->buffers[0] + hry_desc_byte_offset(desc);
    return (uintptr_t)first % info->alignment == 0 ? first : NULL;
}

const float *hry_tensor_f32(const hry_tensor *tensor)
{
    return HRY_HOST_SWAPS ? NULL : hry_tensor_data(tensor, HRY_TYPE_FLOAT32);
}

const double *hry_tensor_f64(const hry_tensor *tensor)
{
    return HRY_HOST_SWAPS ? NULL : hry_tensor_data(tensor, HRY_TYPE_FLOAT64);
}

size_t hry_tensor_member_count(const hry_tensor *tensor)
{
    return tensor->member_count;
}

hry_tensor *hry_tensor_member(const hry_tensor *tensor, size_t i)
{
    return i < tensor->member_count ? tensor->members[i] : NULL;
}
