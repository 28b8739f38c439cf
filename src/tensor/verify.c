#include "tensor/verify.h"

#include "layout/layouts.h"

hry_status hry_verify_fail(hry_verifier *v, enum hry_rule rule, uint32_t buffer, uint64_t offset, uint64_t value)
{
    v->buffer = buffer;
    return hry_fail_rule(v->err, rule, HRY_SECTION_DATA, offset, value);
}

static hry_status verify_index(hry_verifier *v)
{
    const hry_layout_row *layout = hry_layout_row_of(v->tensor->desc.layout);
    if (layout && layout->category == HRY_SPARSE)
        return hry_verify_sparse(v);
    return layout && layout->category == HRY_INDIRECT ? hry_verify_paged(v) : HRY_OK;
}

static hry_status verify_deep(hry_verifier *v)
{
    hry_status status = hry_verify_unsorted(v);
    if (!status)
        status = hry_verify_codes(v);
    return status ? status : hry_verify_parameters(v);
}

static hry_status verify_level(hry_verifier *v, int level)
{
    return level == HRY_VERIFY_INDEX ? verify_index(v) : verify_deep(v);
}

static hry_status verify_members(const hry_tensor *tensor, int level, const hry_executor *executor, uint32_t *buffer,
                                 hry_error *err)
{
    hry_status status = HRY_OK;
    for (size_t i = 0; i < tensor->member_count && !status; i++)
        status = hry_verify(tensor->members[i], level, executor, buffer, err);
    return status;
}

hry_status hry_verify(const hry_tensor *tensor, int level, const hry_executor *executor, uint32_t *buffer,
                      hry_error *err)
{
    if (tensor->desc.layout == HRY_LAYOUT_COMPOSITE)
        return verify_members(tensor, level, executor, buffer, err);
    if (tensor->desc.state & HRY_DESC_HAS_DYNAMIC && !hry_desc_is_opaque(&tensor->desc))
        return HRY_OK; /* there is no telling what belongs to it */
    hry_status status = hry_tensor_check_readable(tensor, err);
    if (status)
        return status;
    /* What is remembered is no part of the value: it may change in a constant tensor. */
    atomic_int *verified = &((hry_tensor *)tensor)->verified;
    hry_verifier v = { .tensor = tensor, .executor = executor, .err = err };
    for (int done = atomic_load_explicit(verified, memory_order_relaxed); done < level && !status;) {
        status = verify_level(&v, ++done);
        if (!status)
            atomic_store_explicit(verified, done, memory_order_relaxed);
    }
    if (status && buffer)
        *buffer = v.buffer;
    return status;
}

hry_status hry_verify_once(const hry_tensor *tensor, const hry_executor *executor, hry_error *err)
{
    return hry_verify(tensor, HRY_VERIFY_INDEX, executor, NULL, err);
}

hry_status hry_verify_parameters_once(const hry_tensor *tensor, hry_error *err)
{
    atomic_bool *verified = &((hry_tensor *)tensor)->scales_verified;
    if (atomic_load_explicit(verified, memory_order_relaxed))
        return HRY_OK;
    hry_verifier v = { .tensor = tensor, .err = err };
    /* Which scales of a block-paged tensor belong to tokens is in its index arrays. */
    hry_status status = hry_verify_once(tensor, NULL, err);
    if (!status)
        status = hry_verify_parameters(&v);
    if (!status)
        atomic_store_explicit(verified, true, memory_order_relaxed);
    return status;
}

hry_status hry_tensor_verify(const hry_tensor *tensor, hry_verify_level level, hry_error *err)
{
    return hry_verify(tensor, (int)level, NULL, NULL, err);
}

hry_status hry_tensor_verify_with(const hry_tensor *tensor, hry_verify_level level, const hry_executor *executor,
                                  hry_error *err)
{
    return hry_verify(tensor, (int)level, executor, NULL, err);
}
