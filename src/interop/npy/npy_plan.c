#include "interop/npy/npy_plan.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/status.h"
#include "interop/npy/npy_dtype.h"
#include "tensor/object.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void changed(hry_notes *notes, hry_str name, const char *what, const char *from, const char *to)
{
    char reason[96];
    snprintf(reason, sizeof reason, "%s %s becomes %s", what, from, to);
    hry_notes_add(notes, HRY_NOTE_CHANGED, HRY_NOTE_TENSOR, name, reason);
}

static hry_status choose_type(const hry_desc *desc, hry_str name, bool widen, hry_notes *notes, uint8_t *type,
                              hry_error *err)
{
    hry_quantization q;
    bool exact, quantized = hry_desc_quantization(desc, &q);
    uint8_t own = hry_desc_type(desc), wider = quantized ? HRY_TYPE_FLOAT32 : hry_npy_wider_type(own, &exact);
    if (wider == 0 || (wider != own && !quantized && !widen))
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_NONE, 0, own, "NumPy has no %s%s%s", hry_type_name(own),
                        wider ? "; its values fit " : "", wider ? hry_type_name(wider) : "");
    if (quantized)
        changed(notes, name, "quantization", hry_scheme_name(q.scheme), "float32");
    else if (wider != own)
        changed(notes, name, "type", hry_type_name(own), exact ? hry_type_name(wider) : "float64, rounded");
    *type = wider;
    return HRY_OK;
}

/* Version 1.0, which holds any shape; what follows starts at a multiple of 64. */
static void put_header(const hry_desc *desc, hry_npy_plan *plan)
{
    enum { PREFIX = 10, ALIGN = 64 };
    char dtype[8], *text = (char *)plan->header + PREFIX;
    size_t room = sizeof plan->header - PREFIX, n;
    uint32_t rank = hry_desc_rank(desc);
    hry_npy_dtype_write(plan->type, dtype);
    n = (size_t)snprintf(text, room, "{'descr': '%s', 'fortran_order': False, 'shape': (", dtype);
    for (uint32_t k = 0; k < rank; k++)
        n += (size_t)snprintf(text + n, room - n, k ? ", %" PRIu64 : "%" PRIu64, hry_desc_dim(desc, k));
    n += (size_t)snprintf(text + n, room - n, "%s), }", rank == 1 ? "," : "");
    plan->header_length = (PREFIX + n + 1 + ALIGN - 1) / ALIGN * ALIGN;
    memset(text + n, ' ', plan->header_length - PREFIX - n);
    plan->header[plan->header_length - 1] = '\n';
    memcpy(plan->header, "\x93NUMPY\x01\x00", 8);
    hry_store16(plan->header + 8, (uint16_t)(plan->header_length - PREFIX));
}

hry_status hry_npy_plan_make(const hry_tensor *tensor, hry_str name, const hry_export_options *options,
                             hry_notes *notes, hry_npy_plan *plan, hry_error *err)
{
    const hry_desc *desc = hry_tensor_desc(tensor);
    uint64_t nbytes;
    *plan = (hry_npy_plan){ .tensor = tensor };
    hry_status status = hry_tensor_check_readable(tensor, err);
    if (!status)
        status = choose_type(desc, name, options->widen, notes, &plan->type, err);
    if (status)
        return status;
    const hry_type_info *info = hry_type_find(plan->type);
    plan->size = plan->type == HRY_TYPE_BOOL ? 1 : info->bits / 8u;
    if (!hry_desc_count(desc, &plan->count) || !hry_mul(plan->count, plan->size, &nbytes))
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_SHAPE, 20, 0, "more than 2^64 bytes");
    if (hry_desc_layout(desc) != HRY_LAYOUT_ROW_MAJOR)
        changed(notes, name, "layout", hry_layout_name(hry_desc_layout(desc)), "row-major");
    hry_notes_add_dropped(notes, name, desc);
    put_header(desc, plan);
    return HRY_OK;
}
