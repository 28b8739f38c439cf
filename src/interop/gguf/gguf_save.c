#include "base/status.h"
#include "interop/foreign_out.h"
#include "interop/gguf/gguf_ones.h"
#include "interop/gguf/gguf_plan.h"
#include "os/os.h"

/* Codes and scales as blocks, straight into the output's buffer. */
static hry_status write_blocks(hry_foreign_out *out, hry_file *file, const hry_gguf_item *item, hry_error *err)
{
    uint8_t codes[HRY_GGUF_PIECE * 256], scales[HRY_GGUF_PIECE * 64];
    const hry_gguf_type *type = hry_gguf_type_of(item->type_id);
    size_t size = type->bytes, scale_count = hry_gguf_parts_of(type, item->form);
    uint64_t blocks = item->nbytes / size;
    hry_gguf_source source;
    hry_gguf_ones walk = hry_gguf_ones_begin(item->turns);
    hry_status status = hry_gguf_source_open(file, item->position, &source, err);
    if (status)
        return status;
    for (uint64_t first = 0; first < blocks && status == HRY_OK;) {
        uint8_t *at, some[HRY_GGUF_PIECE * HRY_GGUF_BLOCK_MAX];
        size_t room;
        size_t n = blocks - first < HRY_GGUF_PIECE ? (size_t)(blocks - first) : HRY_GGUF_PIECE;
        unsigned ones;
        n = (size_t)hry_gguf_ones_go(&walk, first, n, scale_count, &ones);
        status = hry_emit_room(&out->emit, &at, &room, err);
        if (status)
            break;
        bool direct = room >= n * size;
        hry_gguf_parts parts = hry_gguf_source_parts(&source, item->form, first, n, codes, scales);
        item->form->give(parts.codes, parts.scales, n, ones, direct ? at : some);
        if (direct)
            hry_emit_filled(&out->emit, n * size);
        else
            status = hry_emit_bytes(&out->emit, some, n * size, err);
        first += n;
    }
    hry_tensor_release(source.tensor);
    return status;
}

static hry_status write_raw(hry_foreign_out *out, const hry_gguf_file *source, const hry_gguf_item *item,
                            hry_error *err)
{
    int fd;
    uint64_t offset;
    hry_gguf_view view;
    hry_status status = hry_gguf_file_view(source, item->position, &view, err);
    if (status)
        return status;
    if (hry_gguf_view_locate(&view, &fd, &offset))
        return hry_emit_file(&out->emit, fd, offset, item->nbytes, err);
    for (uint64_t from = 0; from < item->nbytes && status == HRY_OK;) {
        uint8_t *at;
        size_t room;
        status = hry_emit_room(&out->emit, &at, &room, err);
        if (status)
            return status;
        size_t n = item->nbytes - from < room ? (size_t)(item->nbytes - from) : room;
        status = hry_gguf_view_read(&view, from, at, n, err);
        if (status == HRY_OK)
            hry_emit_filled(&out->emit, n);
        from += n;
    }
    return status;
}

static hry_status write_bytes(hry_foreign_out *out, hry_file *file, const hry_gguf_item *item, hry_error *err)
{
    hry_desc desc;
    hry_stored_buffer stored;
    hry_status status = hry_file_desc(file, item->position, &desc, err);
    if (status == HRY_OK)
        status = file->ops->stored(file, (uint32_t)item->position, &desc, 0, &stored, err);
    if (status)
        return status;
    /* The descriptor said so when the plan was made: only a file that changes meanwhile comes here. */
    if (stored.nbytes < item->nbytes || stored.nbytes - item->nbytes < item->skip)
        status = hry_fail(err, HRY_E_IO, HRY_SECTION_DATA, stored.offset, stored.nbytes, "the file changes");
    else
        status = hry_foreign_out_stored(out, file, &stored, item->skip, item->nbytes, err);
    hry_tensor_release(stored.owner);
    return status;
}

static hry_status write_all(hry_foreign_out *out, hry_file *file, const hry_gguf_plan *plan, hry_error *err)
{
    hry_status status = hry_emit_bytes(&out->emit, plan->header.bytes, plan->header.used, err);
    for (size_t k = 0; k < plan->count && status == HRY_OK; k++) {
        const hry_gguf_item *item = &plan->items[k];
        status = hry_emit_zeros_to(&out->emit, plan->data_at + item->offset, err);
        if (status || item->nbytes == 0)
            continue;
        if (item->is_raw)
            status = write_raw(out, plan->source, item, err);
        else if (item->form)
            status = write_blocks(out, file, item, err);
        else
            status = write_bytes(out, file, item, err);
    }
    return status ? status : hry_emit_zeros_to(&out->emit, plan->end, err);
}

static const hry_export_options no_options;

static hry_status make_plan(hry_file *file, const hry_export_options *options, hry_gguf_plan *plan, hry_error *err)
{
    hry_notes notes = { .fn = options->note, .ctx = options->note_ctx };
    hry_status status = hry_gguf_plan_make(file, options->allocator, &notes, plan, err);
    if (status)
        return status;
    status = hry_notes_settle(&notes, options, hry_file_count(file), "GGUF cannot carry", err);
    if (status)
        hry_gguf_plan_fini(plan);
    return status;
}

static hry_status save(hry_file *file, const hry_target *target, const hry_export_options *options, hry_error *err)
{
    hry_gguf_plan plan;
    hry_foreign_out out;
    options = options ? options : &no_options;
    hry_status status = make_plan(file, options, &plan, err);
    if (status)
        return status;
    status = hry_foreign_out_open(&out, &hry_os_default, target, options, err);
    if (status == HRY_OK)
        status = hry_foreign_out_end(&out, write_all(&out, file, &plan, err), err);
    hry_gguf_plan_fini(&plan);
    return status;
}

hry_status hry_gguf_save(hry_file *file, const char *path, const hry_export_options *options, hry_error *err)
{
    return save(file, &(hry_target){ .kind = HRY_TARGET_PATH, .path = path }, options, err);
}

hry_status hry_gguf_save_fd(hry_file *file, int fd, const hry_export_options *options, hry_error *err)
{
    return save(file, &(hry_target){ .kind = HRY_TARGET_FD, .fd = fd }, options, err);
}

hry_status hry_gguf_save_sink(hry_file *file, const hry_sink *sink, const hry_export_options *options, hry_error *err)
{
    return save(file, &(hry_target){ .kind = HRY_TARGET_SINK, .sink = sink }, options, err);
}
