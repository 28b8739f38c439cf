/* What buffers hold: the rules of phase P3, and advice on the bits behind the last element. */
#include "file/check.h"
#include "tensor/verify.h"

/* Whether any rule asks for a look at the bytes, which another format's file may have to make first. */
static bool has_rules(const hry_check *check, const hry_desc *desc)
{
    hry_quantization quantization;
    if (hry_desc_is_opaque(desc) || desc->state & HRY_DESC_HAS_DYNAMIC || desc->layout == HRY_LAYOUT_COMPOSITE)
        return false;
    return (desc->layout >= HRY_LAYOUT_COO && desc->layout <= HRY_LAYOUT_BLOCK_PAGED) ||
           desc->type == HRY_TYPE_FLOAT8_E8M0 || (check->options.lint && hry_desc_bits(desc) < 8) ||
           (hry_desc_quantization(desc, &quantization) && quantization.scheme != HRY_SCHEME_PER_TENSOR);
}

typedef struct advice {
    hry_check *check;
    hry_str name;
    uint64_t base; /* of buffer 0 in the file */
} advice;

static void pass_on(void *ctx, uint16_t rule, uint64_t offset, const char *message)
{
    const advice *a = ctx;
    hry_check_advise(a->check, (enum hry_rule)rule, HRY_SECTION_DATA, a->base + offset, a->name, message);
}

/* Where a buffer lies in the file; 0 for those of other formats. */
static uint64_t buffer_base(hry_file *file, uint32_t i, uint32_t k)
{
    uint64_t offset, nbytes;
    return hry_file_buffer_offset(file, i, k, &offset, &nbytes) ? offset : 0;
}

/* The tensor itself, without looking for members. */
static hry_status open_tensor(hry_file *file, uint32_t i, const hry_desc *desc, hry_tensor **tensor, hry_error *err)
{
    return file->ops == &hry_container_ops ? hry_container_tensor(hry_container_of(file), i, desc, tensor, err)
                                           : hry_file_tensor_at(file, i, tensor, err);
}

hry_status hry_check_contents(hry_check *check, hry_str name, uint32_t i, const hry_desc *desc)
{
    hry_error err;
    hry_tensor *tensor;
    uint32_t buffer = 0;
    if (check->options.headers_only || !has_rules(check, desc))
        return HRY_OK;
    hry_status status = open_tensor(check->file, i, desc, &tensor, &err);
    bool opened = status == HRY_OK;
    if (opened)
        status = hry_verify(tensor, HRY_VERIFY_DEEP, check->options.executor, &buffer, &err);
    if (opened && !status)
        hry_tensor_lint(tensor, pass_on, &(advice){ check, name, buffer_base(check->file, i, 0) });
    if (opened)
        hry_tensor_release(tensor);
    if (status == HRY_E_UNSUPPORTED && err.rule == HRY_RULE_NONE)
        return HRY_OK; /* private contents, other devices: nobody can tell */
    if (status == HRY_E_UNSUPPORTED)
        err.status = HRY_E_INPUT; /* another format allows it */
    if (opened && status && err.section == HRY_SECTION_DATA)
        err.offset += buffer_base(check->file, i, buffer);
    return status ? hry_check_violation(check, name, &err) : HRY_OK;
}
