/* The bytes of tensors: those of the file, or what is made of them piece by piece. */
#include "base/alloc.h"
#include "base/checked.h"
#include "base/rules.h"
#include "interop/gguf/gguf_decode.h"
#include "interop/gguf/gguf_file.h"

#include <inttypes.h>
#include <string.h>

enum { RAW_PIECE = 16384, OUT_MAX = 1024 };

/* What comes out of a block in one of the buffers. */
typedef struct stage {
    size_t in, out; /* bytes of a block, and of what it becomes */
    hry_gguf_take_fn *take;
    hry_gguf_decode_fn *decode;
} stage;

static stage stage_of(const hry_gguf_view *view, uint32_t k)
{
    const hry_gguf_type *type = view->info.type;
    if (view->how == HRY_GGUF_DECODED)
        return (stage){ type->bytes, 4 * (size_t)type->elements, NULL, hry_gguf_decoder(view->info.type_id) };
    if (k == 0)
        return (stage){ type->bytes, view->form->codes, view->form->take_codes, NULL };
    return (stage){ type->bytes, view->form->scales, view->form->take_scales, NULL };
}

static bool is_swapped(const hry_gguf_view *view)
{
    return view->part->header.swapped && view->info.type->bytes > 1;
}

/* The file's own bytes are the buffer's. */
static bool is_same(const hry_gguf_view *view)
{
    return (view->how == HRY_GGUF_PLAIN || view->how == HRY_GGUF_CARRIED) && !is_swapped(view);
}

static uint64_t place(const hry_gguf_view *view)
{
    return view->part->header.data_at + view->info.offset;
}

hry_status hry_gguf_view_still(const hry_gguf_view *view, uint64_t end, hry_error *err)
{
    return hry_foreign_bytes_still(&view->part->bytes, end ? place(view) + end : 0, err);
}

hry_status hry_gguf_view_blocks(const hry_gguf_view *view, uint64_t first, size_t count, uint8_t *raw,
                                const uint8_t **blocks, hry_error *err)
{
    const hry_foreign_bytes *bytes = &view->part->bytes;
    uint64_t at = place(view) + first * view->info.type->bytes;
    if (bytes->at && !is_swapped(view)) {
        *blocks = bytes->at + at;
        return HRY_OK;
    }
    hry_status status = hry_foreign_bytes_read(bytes, at, raw, count * view->info.type->bytes, err);
    if (status == HRY_OK && is_swapped(view))
        hry_gguf_swap(view->info.type, raw, count);
    *blocks = raw;
    return status;
}

static hry_status fail_block(const hry_gguf_view *view, uint64_t block, hry_error *err)
{
    hry_status status = hry_gguf_fail(err, HRY_E_UNSUPPORTED, place(view) + block * view->info.type->bytes, block,
                                      view->name, "block %" PRIu64 " of %s cannot be held exactly: %s; dequantize it",
                                      block, view->info.type->name, hry_gguf_form_objection(view->info.type_id));
    if (err)
        err->rule = view->form->scheme == HRY_SCHEME_MXFP ? HRY_RULE_Q_MX_04 : HRY_RULE_Q_PB_06;
    return status;
}

static hry_status convert(const hry_gguf_view *view, stage s, uint64_t offset, uint8_t *dst, size_t nbytes,
                          hry_error *err)
{
    uint8_t raw[RAW_PIECE], out[OUT_MAX];
    while (nbytes > 0) {
        uint64_t first = offset / s.out;
        size_t skip = (size_t)(offset % s.out), count = skip ? 0 : nbytes / s.out;
        bool whole = count > 0;
        count = count > RAW_PIECE / s.in ? RAW_PIECE / s.in : whole ? count : 1;
        const uint8_t *blocks;
        hry_status status = hry_gguf_view_blocks(view, first, count, raw, &blocks, err);
        if (status)
            return status;
        uint8_t *to = whole ? dst : out;
        size_t done = count;
        if (s.decode)
            s.decode(blocks, count, to);
        else
            /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): a row has one of the two */
            done = s.take(blocks, count, to);
        if (done < count)
            return fail_block(view, first + done, err);
        size_t n = whole ? count * s.out : s.out - skip < nbytes ? s.out - skip : nbytes;
        if (!whole)
            memcpy(dst, out + skip, n);
        offset += n;
        dst += n;
        nbytes -= n;
    }
    return HRY_OK;
}

/* Blocks that have to be turned around, in pieces that need not be whole ones. */
static hry_status read_swapped(const hry_gguf_view *view, uint64_t offset, uint8_t *dst, size_t nbytes, hry_error *err)
{
    size_t size = view->info.type->bytes;
    while (nbytes > 0) {
        uint8_t raw[HRY_GGUF_BLOCK_MAX];
        size_t skip = (size_t)(offset % size), count = skip ? 0 : nbytes / size;
        const uint8_t *blocks;
        hry_status status =
            hry_gguf_view_blocks(view, offset / size, count ? count : 1, count ? dst : raw, &blocks, err);
        if (status)
            return status;
        size_t n = count ? count * size : size - skip < nbytes ? size - skip : nbytes;
        if (!count)
            memcpy(dst, raw + skip, n);
        offset += n;
        dst += n;
        nbytes -= n;
    }
    return HRY_OK;
}

hry_status hry_gguf_view_read(const hry_gguf_view *view, uint64_t offset, void *dst, size_t nbytes, hry_error *err)
{
    hry_status status = hry_gguf_view_still(view, offset + nbytes, err);
    if (status)
        return status;
    if (is_swapped(view))
        return read_swapped(view, offset, dst, nbytes, err);
    return hry_foreign_bytes_read(&view->part->bytes, place(view) + offset, dst, nbytes, err);
}

/* The same zero point for every block, as int32. */
static void put_zero_points(uint8_t zero_point, uint64_t offset, uint8_t *dst, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++)
        dst[i] = (offset + i) % 4 == 0 ? zero_point : 0;
}

static hry_status read_view(const hry_gguf_view *view, uint32_t k, uint64_t offset, void *dst, size_t nbytes,
                            hry_error *err)
{
    if (view->how == HRY_GGUF_PLAIN || view->how == HRY_GGUF_CARRIED)
        return hry_gguf_view_read(view, offset, dst, nbytes, err);
    if (k == 2) {
        put_zero_points(view->form->zero_point, offset, dst, nbytes);
        return HRY_OK;
    }
    hry_status status = hry_gguf_view_still(view, view->info.nbytes, err);
    return status ? status : convert(view, stage_of(view, k), offset, dst, nbytes, err);
}

hry_status hry_gguf_file_read(const hry_gguf_file *f, uint64_t i, uint32_t k, uint64_t offset, void *dst, size_t nbytes,
                              hry_error *err)
{
    hry_gguf_view view;
    hry_status status = hry_gguf_file_view(f, i, &view, err);
    return status ? status : read_view(&view, k, offset, dst, nbytes, err);
}

bool hry_gguf_view_locate(const hry_gguf_view *view, int *fd, uint64_t *offset)
{
    if (is_swapped(view) || view->part->bytes.fd < 0)
        return false;
    *fd = view->part->bytes.fd;
    *offset = place(view);
    return true;
}

bool hry_gguf_file_locate(const hry_gguf_file *f, uint64_t i, int *fd, uint64_t *offset)
{
    hry_gguf_view view;
    return hry_gguf_file_view(f, i, &view, NULL) == HRY_OK && is_same(&view) && hry_gguf_view_locate(&view, fd, offset);
}

/* ---- Buffers of our own: one block of memory for all of a tensor's, behind a head that keeps their alignment ---- */

enum { BUFFER_ALIGN = 64 };

typedef struct own_buffers {
    _Alignas(BUFFER_ALIGN) hry_allocator allocator;
    size_t size; /* with the head */
} own_buffers;

static void release_own(void *ctx)
{
    own_buffers *own = ctx;
    hry_allocator allocator = own->allocator;
    hry_free(&allocator, own, own->size, BUFFER_ALIGN);
}

static hry_status allocate(const hry_gguf_file *f, const hry_desc *desc, own_buffers **own, hry_error *err)
{
    uint64_t total = sizeof **own;
    hry_buffer row;
    bool fits = true;
    for (uint32_t k = 0; hry_desc_buffer(desc, k, &row) && fits; k++) {
        uint64_t padded;
        fits = hry_align_up(row.byte_size, BUFFER_ALIGN, &padded) && hry_add(total, padded, &total);
    }
    size_t size;
    own_buffers *o = fits && hry_to_size(total, &size) ? hry_alloc(&f->allocator, size, BUFFER_ALIGN) : NULL;
    if (!o)
        return hry_fail_memory(err, total);
    *o = (own_buffers){ .allocator = f->allocator, .size = size };
    *own = o;
    return HRY_OK;
}

static hry_status fill(const hry_gguf_view *view, const hry_desc *desc, own_buffers *own, const void **buffers,
                       hry_error *err)
{
    uint8_t *at = (uint8_t *)(own + 1);
    hry_status status = HRY_OK;
    hry_buffer row;
    for (uint32_t k = 0; hry_desc_buffer(desc, k, &row) && status == HRY_OK; k++) {
        buffers[k] = row.byte_size ? at : NULL;
        status = read_view(view, k, 0, at, (size_t)row.byte_size, err);
        at += (row.byte_size + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
    }
    return status;
}

hry_status hry_gguf_file_buffers(const hry_gguf_file *f, uint64_t i, const void **buffers, hry_release_fn **release,
                                 void **release_ctx, hry_error *err)
{
    hry_gguf_view view;
    hry_desc desc;
    hry_status status = hry_gguf_file_view(f, i, &view, err);
    if (status == HRY_OK)
        status = hry_gguf_file_desc(f, i, &desc, err);
    if (status)
        return status;
    *release = NULL;
    *release_ctx = NULL;
    if (is_same(&view) && view.part->bytes.at) {
        buffers[0] = view.info.nbytes ? view.part->bytes.at + place(&view) : NULL;
        return hry_gguf_view_still(&view, view.info.nbytes, err);
    }
    own_buffers *own = NULL;
    status = allocate(f, &desc, &own, err);
    if (status)
        return status;
    status = fill(&view, &desc, own, buffers, err);
    if (status) {
        release_own(own);
        return status;
    }
    *release = release_own;
    *release_ctx = own;
    return HRY_OK;
}
