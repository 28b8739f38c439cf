#include "base/alloc.h"
#include "base/status.h"
#include "layout/layouts.h"
#include "tensor/dlpack_abi.h"
#include "tensor/object.h"

/* What the consumer holds: one allocation with the arrays behind the structure. */
typedef struct export
{
    struct DLManagedTensorVersioned managed;
    hry_tensor *tensor;
    hry_allocator allocator;
    size_t allocated;
    int64_t extents[]; /* shape, then strides */
}
export;

static void delete_export(struct DLManagedTensorVersioned *self)
{
    export *e = self->manager_ctx;
    hry_allocator allocator = e->allocator;
    hry_tensor *tensor = e->tensor;
    hry_free(&allocator, e, e->allocated, _Alignof(export));
    hry_tensor_release(tensor);
}

static hry_status refuse(hry_error *err, const char *what)
{
    return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_NONE, 0, 0, "DLPack has no form for %s", what);
}

static hry_status check(const hry_tensor *t, hry_error *err)
{
    const hry_desc *desc = &t->desc;
    if (desc->state & (HRY_DESC_OPAQUE | HRY_DESC_HAS_DYNAMIC))
        return refuse(err, "an opaque or dynamic tensor");
    if (desc->layout != HRY_LAYOUT_ROW_MAJOR && desc->layout != HRY_LAYOUT_COLUMN_MAJOR &&
        desc->layout != HRY_LAYOUT_STRIDED)
        return refuse(err, hry_layout_name(desc->layout));
    if (desc->flags & HRY_HAS_QUANTIZATION)
        return refuse(err, "quantized elements");
    if (desc->type == HRY_TYPE_BOOL)
        return refuse(err, "packed bool");
    return HRY_OK;
}

static bool fill_extents(const hry_desc *desc, int64_t *shape, int64_t *strides)
{
    hry_layout layout;
    hry_layout_store store;
    uint64_t step = 1;
    bool row = desc->layout == HRY_LAYOUT_ROW_MAJOR;
    if (!hry_desc_layout_get(desc, &layout, &store))
        return false;
    for (uint32_t i = 0; i < desc->rank; i++) {
        uint32_t k = row ? desc->rank - 1 - i : i;
        uint64_t dim = hry_desc_dim(desc, k);
        if (dim > INT64_MAX)
            return false;
        shape[k] = (int64_t)dim;
        strides[k] = layout.strides ? layout.strides[k] : (int64_t)step;
        step *= dim ? dim : 1; /* the product fits for tensors that are not empty; for others no stride is used */
        step &= INT64_MAX;
    }
    return true;
}

static hry_status fill_tensor(const hry_tensor *t, hry_dl_tensor *dl, hry_error *err)
{
    const hry_desc *desc = &t->desc;
    hry_buffer buffer;
    if (!hry_dl_type_from_hurray(desc->type, &dl->dtype.code, &dl->dtype.bits))
        return refuse(err, hry_type_name(desc->type));
    dl->dtype.lanes = 1;
    if (!hry_desc_buffer(desc, 0, &buffer) ||
        !hry_dl_device_from_hurray(buffer.device_tag, buffer.memory_class, &dl->device.device_type))
        return refuse(err, "this device and memory class");
    dl->device.device_id = t->device_id;
    dl->ndim = (int32_t)desc->rank;
    if (!fill_extents(desc, dl->shape, dl->strides))
        return refuse(err, "so large a dimension");
    /* Many consumers forget byte_offset, so that the pointer says it all. */
    if (t->buffers[0] && !(desc->state & HRY_DESC_EMPTY))
        dl->data = (uint8_t *)(uintptr_t)t->buffers[0] + hry_desc_byte_offset(desc);
    return HRY_OK;
}

hry_status hry_tensor_to_dlpack(hry_tensor *tensor, struct DLManagedTensorVersioned **managed, hry_error *err)
{
    hry_status status = check(tensor, err);
    if (status)
        return status;
    uint32_t rank = tensor->desc.rank;
    size_t nbytes = sizeof(export) + 2 * rank * sizeof(int64_t);
    export *e = hry_alloc_zeroed(&tensor->allocator, nbytes, _Alignof(export));
    if (!e)
        return hry_fail_memory(err, nbytes);
    e->allocator = tensor->allocator;
    e->allocated = nbytes;
    e->managed.version.major = HRY_DL_MAJOR;
    e->managed.version.minor = HRY_DL_MINOR;
    e->managed.manager_ctx = e;
    e->managed.deleter = delete_export;
    e->managed.flags = HRY_DL_READ_ONLY;
    e->managed.dl_tensor.shape = e->extents;
    e->managed.dl_tensor.strides = e->extents + rank;
    status = fill_tensor(tensor, &e->managed.dl_tensor, err);
    if (status) {
        hry_free(&tensor->allocator, e, nbytes, _Alignof(export));
        return status;
    }
    e->tensor = hry_tensor_retain(tensor);
    *managed = &e->managed;
    return HRY_OK;
}
