#include "file/check.h"

#include "base/status.h"
#include "tensor/members.h"

hry_status hry_check_violation(hry_check *check, hry_str tensor, const hry_error *err)
{
    if (err->status != HRY_E_INPUT && err->status != HRY_E_LIMIT) {
        if (check->err)
            *check->err = *err;
        return (hry_status)err->status;
    }
    if (check->violations && err->rule == check->last_rule && err->offset == check->last_offset)
        return HRY_OK;
    hry_finding finding = { .status = err->status,
                            .rule = err->rule,
                            .section = err->section,
                            .offset = err->offset,
                            .tensor = tensor,
                            .message = err->message };
    check->violations++;
    check->last_rule = err->rule;
    check->last_offset = err->offset;
    check->report(check->ctx, &finding);
    return HRY_OK;
}

void hry_check_advise(hry_check *check, enum hry_rule rule, enum hry_section section, uint64_t offset, hry_str tensor,
                      const char *message)
{
    hry_finding finding = { .lint = true,
                            .rule = (uint16_t)rule,
                            .section = (uint16_t)section,
                            .offset = offset,
                            .tensor = tensor,
                            .message = message ? message : hry_rule_text((uint16_t)rule) };
    if (check->options.lint)
        check->report(check->ctx, &finding);
}

/* A fault of a member's own is told for the member; only what a composite is as a whole is told for its head. */
static bool is_composite_fault(const hry_error *err)
{
    return (err->rule >= HRY_RULE_L_CMP_20 && err->rule <= HRY_RULE_L_CMP_31) || err->rule == HRY_RULE_NONE;
}

/* *next: the place after the composite, when it is whole. */
static hry_status check_composite(hry_check *check, const hry_write_order *order, uint32_t place, hry_str name,
                                  uint32_t *next)
{
    hry_error err;
    hry_status status = hry_container_verify_composite(order, place, next, &err);
    return status && is_composite_fault(&err) ? hry_check_violation(check, name, &err) : HRY_OK;
}

static hry_status check_container_tensors(hry_check *check, const hry_write_order *order)
{
    hry_container *c = order->container;
    uint32_t inside = 0; /* places before this one belong to a composite that was looked at as a whole */
    for (uint32_t place = 0; place < c->base.count; place++) {
        uint32_t i = hry_write_order_at(order, place);
        hry_file_entry entry = hry_index_entry(&c->index, i);
        hry_desc desc;
        hry_error err;
        hry_status status = HRY_OK;
        if (hry_container_desc(c, i, &desc, &err)) {
            status = hry_check_violation(check, entry.name, &err);
        } else {
            hry_check_desc(check, entry.name, &desc, entry.descriptor_offset, c->frame.info.alignment);
            if (desc.layout == HRY_LAYOUT_COMPOSITE && place >= inside)
                status = check_composite(check, order, place, entry.name, &inside);
            if (!status)
                status = hry_check_contents(check, entry.name, i, &desc);
        }
        if (status)
            return status;
    }
    return HRY_OK;
}

static hry_status check_container(hry_check *check, hry_container *c)
{
    hry_write_order order;
    hry_status status = hry_write_order_init(c, &order, check->err);
    if (status)
        return status;
    hry_check_container(check, c);
    status = check_container_tensors(check, &order);
    return status || !check->options.lint ? status : hry_check_region(check, &order);
}

/* Tensors of another format: the descriptors that stand for them, and what they hold. */
static hry_status check_provided(hry_check *check)
{
    hry_status status = HRY_OK;
    for (uint32_t i = 0; i < check->file->count && !status; i++) {
        hry_desc desc;
        hry_error err;
        hry_str name = hry_file_name(check->file, i);
        status = hry_file_desc(check->file, i, &desc, &err);
        if (status == HRY_E_UNSUPPORTED) {
            /* It has no counterpart here, which is no fault of the file. */
            hry_check_advise(check, HRY_RULE_NONE, (enum hry_section)err.section, err.offset, name, err.message);
            status = HRY_OK;
        } else if (status) {
            status = hry_check_violation(check, name, &err);
        } else {
            hry_check_desc(check, name, &desc, 0, UINT32_MAX);
            status = hry_check_contents(check, name, i, &desc);
        }
    }
    return status;
}

hry_status hry_file_check(hry_file *file, const hry_check_options *options, hry_finding_fn *report, void *ctx,
                          uint64_t *violations, hry_error *err)
{
    hry_check check = { .file = file, .report = report, .ctx = ctx, .err = err };
    if (options)
        check.options = *options;
    hry_status status = file->ops->recheck(file, err);
    if (!status)
        status =
            file->ops == &hry_container_ops ? check_container(&check, hry_container_of(file)) : check_provided(&check);
    if (!status)
        *violations = check.violations;
    return status;
}
