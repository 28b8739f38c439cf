#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "interop/byte_bools.h"
#include "interop/foreign_out.h"
#include "interop/npy/npy_dtype.h"
#include "interop/npy/npy_plan.h"
#include "tensor/convert.h"
#include "tensor/in_order.h"
#include "tensor/object.h"

enum { PIECE = 1 << 20 }; /* elements that are read at a time, at least */
enum { BOOLS = 8192 };    /* that become bytes at a time */

static hry_status write_bools(hry_foreign_out *out, const uint8_t *bits, uint64_t n, hry_error *err)
{
    uint8_t bytes[BOOLS];
    hry_status status = HRY_OK;
    for (uint64_t done = 0; done < n && !status; done += BOOLS) {
        size_t some = n - done < BOOLS ? (size_t)(n - done) : BOOLS;
        hry_bools_unpack(bits + done / 8, some, bytes);
        status = hry_emit_bytes(&out->emit, bytes, some, err);
    }
    return status;
}

/* All elements in row-major order, box by box through room. */
static hry_status write_boxes(hry_foreign_out *out, const hry_npy_plan *plan, uint64_t piece, uint8_t *room,
                              hry_error *err)
{
    hry_box whole = { 0 }, box;
    uint32_t rank = hry_tensor_rank(plan->tensor);
    hry_status status = HRY_OK;
    for (uint32_t k = 0; k < rank; k++) {
        whole.count[k] = hry_tensor_dim(plan->tensor, k);
        whole.step[k] = 1;
    }
    for (uint64_t done = 0, n; done < plan->count && !status; done += n) {
        uint64_t left = plan->count - done;
        n = hry_box_in_order(&whole, rank, done, left < piece ? left : piece, &box);
        status = hry_tensor_read(plan->tensor, &box, plan->type, NULL, room, err);
        if (status)
            break;
        if (HRY_HOST_SWAPS)
            hry_swap_elements(plan->type, room, (size_t)n);
        if (plan->type == HRY_TYPE_BOOL)
            status = write_bools(out, room, n, err);
        else
            status = hry_emit_bytes(&out->emit, room, n * plan->size, err);
    }
    return status;
}

static hry_status write_elements(hry_foreign_out *out, const hry_npy_plan *plan, hry_error *err)
{
    const void *data = HRY_HOST_SWAPS ? NULL : hry_tensor_data(plan->tensor, plan->type);
    uint64_t cost = hry_tensor_box_cost(plan->tensor), piece = cost > PIECE ? cost : PIECE, nbytes;
    size_t size = 0;
    uint8_t *room = NULL;
    if (plan->count == 0)
        return HRY_OK;
    if (data)
        return hry_emit_bytes(&out->emit, data, plan->count * plan->size, err);
    piece = piece < plan->count ? piece : plan->count;
    if (hry_mul(piece, plan->size, &nbytes) && hry_to_size(nbytes, &size))
        room = hry_alloc(out->allocator, size, 64);
    if (!room)
        return hry_fail_memory(err, size);
    hry_status status = write_boxes(out, plan, piece, room, err);
    hry_free(out->allocator, room, size, 64);
    return status;
}

static hry_status save(const hry_npy_plan *plan, const hry_target *target, const hry_export_options *options,
                       hry_error *err)
{
    hry_foreign_out out;
    hry_status status = hry_foreign_out_open(&out, &hry_os_default, target, options, err);
    if (status)
        return status;
    status = hry_emit_bytes(&out.emit, plan->header, plan->header_length, err);
    if (!status)
        status = write_elements(&out, plan, err);
    return hry_foreign_out_end(&out, status, err);
}

static const hry_export_options no_options;

static hry_status make_plan(const hry_tensor *tensor, hry_str name, const hry_export_options *options, hry_notes *notes,
                            hry_npy_plan *plan, hry_error *err)
{
    hry_status status = hry_npy_plan_make(tensor, name, options, notes, plan, err);
    if (status || !options->strict)
        return status;
    return hry_notes_refuse(notes, HRY_E_UNSUPPORTED, "a .npy file cannot carry", err);
}

static hry_notes notes_of(const hry_export_options *options)
{
    return (hry_notes){ .fn = options->note, .ctx = options->note_ctx };
}

static hry_status save_tensor(const hry_tensor *tensor, const hry_target *target, const hry_export_options *options,
                              hry_error *err)
{
    hry_npy_plan plan;
    options = options ? options : &no_options;
    hry_notes notes = notes_of(options);
    hry_status status = make_plan(tensor, (hry_str){ "", 0 }, options, &notes, &plan, err);
    return status ? status : save(&plan, target, options, err);
}

hry_status hry_npy_save_tensor(const hry_tensor *tensor, const char *path, const hry_export_options *options,
                               hry_error *err)
{
    return save_tensor(tensor, &(hry_target){ .kind = HRY_TARGET_PATH, .path = path }, options, err);
}

hry_status hry_npy_save_tensor_fd(const hry_tensor *tensor, int fd, const hry_export_options *options, hry_error *err)
{
    return save_tensor(tensor, &(hry_target){ .kind = HRY_TARGET_FD, .fd = fd }, options, err);
}

hry_status hry_npy_save_tensor_sink(const hry_tensor *tensor, const hry_sink *sink, const hry_export_options *options,
                                    hry_error *err)
{
    return save_tensor(tensor, &(hry_target){ .kind = HRY_TARGET_SINK, .sink = sink }, options, err);
}

/* ---- The one tensor of a file ---- */

static uint64_t tree_size(const hry_tensor *tensor)
{
    uint64_t size = 1;
    for (size_t i = 0; i < hry_tensor_member_count(tensor); i++)
        size += tree_size(hry_tensor_member(tensor, i));
    return size;
}

/* Position of the only tensor, or of the head of the only composite; the first one that may be it. */
static hry_status find_head(hry_file *file, uint64_t *i, hry_error *err)
{
    hry_desc desc;
    uint64_t count = hry_file_count(file);
    for (*i = 0; *i < count && count > 1; ++*i) {
        hry_status status = hry_file_desc(file, *i, &desc, err);
        if (status)
            return status;
        if (hry_desc_layout(&desc) == HRY_LAYOUT_COMPOSITE)
            return HRY_OK;
    }
    return HRY_OK;
}

static hry_status only_tensor(hry_file *file, uint64_t *i, hry_tensor **tensor, hry_error *err)
{
    uint64_t count = hry_file_count(file);
    hry_status status = find_head(file, i, err);
    if (status)
        return status;
    if (*i < count) {
        status = hry_file_tensor_at(file, *i, tensor, err);
        if (status || tree_size(*tensor) == count)
            return status;
        hry_tensor_release(*tensor);
    }
    return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_NONE, 0, count,
                    "a .npy file holds one tensor, and here are %llu entries", (unsigned long long)count);
}

static hry_status save_file(hry_file *file, const hry_target *target, const hry_export_options *options, hry_error *err)
{
    uint64_t i;
    hry_tensor *tensor;
    hry_npy_plan plan;
    options = options ? options : &no_options;
    hry_notes notes = notes_of(options);
    hry_status status = only_tensor(file, &i, &tensor, err);
    if (status)
        return status;
    for (uint64_t k = 0; k < hry_file_kv_count(file); k++)
        hry_notes_add(&notes, HRY_NOTE_LEFT_OUT, HRY_NOTE_KEY, hry_file_kv_at(file, k)->key,
                      "a .npy file has no metadata");
    status = make_plan(tensor, hry_file_name(file, i), options, &notes, &plan, err);
    if (!status)
        status = save(&plan, target, options, err);
    hry_tensor_release(tensor);
    return status;
}

hry_status hry_npy_save(hry_file *file, const char *path, const hry_export_options *options, hry_error *err)
{
    return save_file(file, &(hry_target){ .kind = HRY_TARGET_PATH, .path = path }, options, err);
}

hry_status hry_npy_save_fd(hry_file *file, int fd, const hry_export_options *options, hry_error *err)
{
    return save_file(file, &(hry_target){ .kind = HRY_TARGET_FD, .fd = fd }, options, err);
}

hry_status hry_npy_save_sink(hry_file *file, const hry_sink *sink, const hry_export_options *options, hry_error *err)
{
    return save_file(file, &(hry_target){ .kind = HRY_TARGET_SINK, .sink = sink }, options, err);
}
