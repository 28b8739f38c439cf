#include "base/bytes.h"
#include "base/status.h"
#include "interop/byte_bools.h"
#include "interop/foreign_out.h"
#include "interop/safetensors/st_plan.h"

/* Elements that are turned into bytes at a time, and the bytes that their bits take. */
enum { PIECE = 8192, PIECE_BITS = PIECE / 8 };

static hry_status write_bools(hry_foreign_out *out, const hry_file *file, const hry_stored_buffer *stored,
                              const hry_st_item *item, hry_error *err)
{
    uint8_t packed[PIECE_BITS], bytes[PIECE];
    uint64_t from = item->skip, left = item->nbytes;
    hry_status status = HRY_OK;
    while (left && status == HRY_OK) {
        size_t n = left < PIECE ? (size_t)left : PIECE;
        size_t nbits = (n + 7) / 8;
        if (!stored->bytes)
            status = file->ops->read_stored(file, stored, from, packed, nbits, err);
        if (status)
            break;
        hry_bools_unpack(stored->bytes ? stored->bytes + from : packed, n, bytes);
        status = hry_emit_bytes(&out->emit, bytes, n, err);
        from += nbits;
        left -= n;
    }
    return status;
}

static hry_status write_item(hry_foreign_out *out, hry_file *file, const hry_st_item *item, hry_error *err)
{
    hry_desc desc;
    hry_stored_buffer stored;
    if (item->nbytes == 0)
        return HRY_OK;
    hry_status status = hry_file_desc(file, item->position, &desc, err);
    if (status == HRY_OK)
        status = file->ops->stored(file, item->position, &desc, 0, &stored, err);
    if (status)
        return status;
    uint64_t need = item->is_bool ? (item->nbytes + 7) / 8 : item->nbytes;
    /* The descriptor said so when the plan was made: only a file that changes meanwhile comes here. */
    if (stored.nbytes < need || stored.nbytes - need < item->skip)
        status = hry_fail(err, HRY_E_IO, HRY_SECTION_DATA, stored.offset, stored.nbytes, "the file changes");
    else if (item->is_bool)
        status = write_bools(out, file, &stored, item, err);
    else
        status = hry_foreign_out_stored(out, file, &stored, item->skip, item->nbytes, err);
    hry_tensor_release(stored.owner);
    return status;
}

static hry_status write_all(hry_foreign_out *out, hry_file *file, const hry_st_plan *plan, hry_error *err)
{
    uint8_t length[8];
    hry_store64(length, plan->json.used);
    hry_status status = hry_emit_bytes(&out->emit, length, sizeof length, err);
    if (status == HRY_OK)
        status = hry_emit_bytes(&out->emit, plan->json.bytes, plan->json.used, err);
    for (size_t i = 0; i < plan->count && status == HRY_OK; i++)
        status = write_item(out, file, &plan->items[i], err);
    return status;
}

static const hry_export_options no_options;

static hry_status make_plan(hry_file *file, const hry_export_options *options, hry_st_plan *plan, hry_error *err)
{
    hry_notes notes = { .fn = options->note, .ctx = options->note_ctx };
    hry_status status = hry_st_plan_make(file, options->allocator, &notes, plan, err);
    if (status)
        return status;
    status = hry_notes_settle(&notes, options, hry_file_count(file), "safetensors cannot carry", err);
    if (status)
        hry_st_plan_fini(plan);
    return status;
}

static hry_status save(hry_file *file, const hry_target *target, const hry_export_options *options, hry_error *err)
{
    hry_st_plan plan;
    hry_foreign_out out;
    options = options ? options : &no_options;
    hry_status status = make_plan(file, options, &plan, err);
    if (status)
        return status;
    status = hry_foreign_out_open(&out, &hry_os_default, target, options, err);
    if (status == HRY_OK)
        status = hry_foreign_out_end(&out, write_all(&out, file, &plan, err), err);
    hry_st_plan_fini(&plan);
    return status;
}

hry_status hry_safetensors_save(hry_file *file, const char *path, const hry_export_options *options, hry_error *err)
{
    return save(file, &(hry_target){ .kind = HRY_TARGET_PATH, .path = path }, options, err);
}

hry_status hry_safetensors_save_fd(hry_file *file, int fd, const hry_export_options *options, hry_error *err)
{
    return save(file, &(hry_target){ .kind = HRY_TARGET_FD, .fd = fd }, options, err);
}

hry_status hry_safetensors_save_sink(hry_file *file, const hry_sink *sink, const hry_export_options *options,
                                     hry_error *err)
{
    return save(file, &(hry_target){ .kind = HRY_TARGET_SINK, .sink = sink }, options, err);
}
