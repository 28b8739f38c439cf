#include "interop/npy/npy_array.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "interop/byte_bools.h"
#include "interop/made_buffer.h"
#include "tensor/convert.h"

#include <string.h>

enum { USUAL_LIMIT = 1 << 20 }; /* bytes of a header; real ones have some hundred */
enum { PIECE = 16384 };         /* bytes that are changed at a time */

static hry_status make_desc(hry_npy_array *a, hry_error *err)
{
    const hry_npy_header *h = &a->header;
    static const hry_layout column_major = { .tag = HRY_LAYOUT_COLUMN_MAJOR };
    hry_desc_spec spec = { .type = h->dtype.type,
                           .rank = h->rank,
                           .shape = h->shape,
                           .layout = h->fortran_order && h->rank > 1 ? &column_major : NULL };
    return hry_desc_encode(&spec, NULL, a->desc_bytes, sizeof a->desc_bytes, &a->desc, err);
}

static hry_status read_header(const hry_foreign_bytes *bytes, uint64_t size, uint64_t most,
                              const hry_allocator *allocator, hry_npy_array *a, hry_error *err)
{
    uint8_t prefix[HRY_NPY_PREFIX];
    uint64_t text_at;
    uint32_t length;
    char *text;
    hry_status status =
        hry_foreign_bytes_read(bytes, a->start, prefix, size < sizeof prefix ? (size_t)size : sizeof prefix, err);
    if (!status)
        status = hry_npy_header_locate(prefix, size, most, &text_at, &length, err);
    if (status)
        return status;
    if (bytes->at)
        return hry_npy_header_read((const char *)bytes->at + a->start + text_at, text_at, length, size, &a->header,
                                   err);
    text = hry_alloc(allocator, length, 1);
    if (!text)
        return hry_fail_memory(err, length);
    status = hry_foreign_bytes_read(bytes, a->start + text_at, text, length, err);
    if (!status)
        status = hry_npy_header_read(text, text_at, length, size, &a->header, err);
    hry_free(allocator, text, length, 1);
    return status;
}

hry_status hry_npy_array_open(const hry_foreign_bytes *bytes, uint64_t start, uint64_t size, const hry_limits *limits,
                              const hry_allocator *allocator, hry_npy_array *array, hry_error *err)
{
    uint64_t most = limits && limits->header_length ? limits->header_length : USUAL_LIMIT;
    array->start = start;
    hry_status status = read_header(bytes, size, most, allocator, array, err);
    if (!status)
        status = make_desc(array, err);
    if (status) {
        hry_error_shift(err, start);
        return status;
    }
    array->end = start + array->header.data_at + array->header.count * array->header.dtype.size;
    return HRY_OK;
}

/* ---- Contents ---- */

static hry_status fail_bool(uint64_t offset, uint8_t byte, hry_error *err)
{
    return hry_fail(err, HRY_E_INPUT, HRY_SECTION_DATA, offset, byte, "a bool of %u, neither 0 nor 1", byte);
}

/* Bytes of bools from the one at `at` on, count of them, packed. */
static hry_status pack(const hry_foreign_bytes *bytes, uint64_t at, uint64_t count, uint8_t *bits, hry_error *err)
{
    uint8_t room[PIECE];
    while (count) {
        size_t n = count < PIECE ? (size_t)count : PIECE;
        const uint8_t *piece = bytes->at ? bytes->at + at : room;
        hry_status status = bytes->at ? HRY_OK : hry_foreign_bytes_read(bytes, at, room, n, err);
        if (status)
            return status;
        size_t good = hry_bools_pack(piece, n, bits);
        if (good != n)
            return fail_bool(at + good, piece[good], err);
        at += n;
        bits += n / 8;
        count -= n;
    }
    return HRY_OK;
}

/* Elements the other way round; what is asked for may start and end within one. */
static hry_status swap(const hry_npy_array *a, const hry_foreign_bytes *bytes, uint64_t offset, uint8_t *dst,
                       size_t nbytes, hry_error *err)
{
    _Alignas(16) uint8_t room[PIECE];
    size_t size = a->header.dtype.size;
    uint64_t data = a->start + a->header.data_at, end = offset + nbytes;
    for (uint64_t first = offset / size * size; first < end; first += PIECE) {
        uint64_t left = hry_ceil_div(end - first, size) * size;
        size_t n = left < PIECE ? (size_t)left : PIECE, skip = first < offset ? (size_t)(offset - first) : 0;
        hry_status status = hry_foreign_bytes_read(bytes, data + first, room, n, err);
        if (status)
            return status;
        hry_swap_elements(a->header.dtype.type, room, n / size);
        size_t some = (end - first < n ? (size_t)(end - first) : n) - skip;
        memcpy(dst, room + skip, some);
        dst += some;
    }
    return HRY_OK;
}

hry_status hry_npy_array_read(const hry_npy_array *a, const hry_foreign_bytes *bytes, uint64_t offset, void *dst,
                              size_t nbytes, hry_error *err)
{
    uint64_t data = a->start + a->header.data_at;
    if (nbytes == 0)
        return HRY_OK;
    if (a->header.dtype.swapped)
        return swap(a, bytes, offset, dst, nbytes, err);
    if (a->header.dtype.type != HRY_TYPE_BOOL)
        return hry_foreign_bytes_read(bytes, data + offset, dst, nbytes, err);
    uint64_t first = offset * 8, left = a->header.count - first;
    return pack(bytes, data + first, left / 8 < nbytes ? left : (uint64_t)nbytes * 8, dst, err);
}

hry_status hry_npy_array_buffer(const hry_npy_array *a, const hry_foreign_bytes *bytes, const hry_allocator *allocator,
                                const void **buffer, hry_release_fn **release, void **release_ctx, hry_error *err)
{
    uint64_t nbytes = a->header.count * a->header.dtype.size;
    *buffer = NULL;
    *release = NULL;
    *release_ctx = NULL;
    if (nbytes == 0)
        return HRY_OK;
    hry_status status = hry_foreign_bytes_still(bytes, a->end, err);
    if (status)
        return status;
    if (bytes->at && hry_npy_array_is_plain(a)) {
        *buffer = bytes->at + a->start + a->header.data_at;
        return HRY_OK;
    }
    if (a->header.dtype.type == HRY_TYPE_BOOL)
        nbytes = hry_ceil_div(nbytes, 8);
    void *made = hry_made_buffer(allocator, nbytes);
    if (!made)
        return hry_fail_memory(err, nbytes);
    status = hry_npy_array_read(a, bytes, 0, made, (size_t)nbytes, err);
    if (status) {
        hry_made_buffer_release(made);
        return status;
    }
    *buffer = made;
    *release = hry_made_buffer_release;
    *release_ctx = made;
    return HRY_OK;
}
