#include "base/checked.h"
#include "base/status.h"
#include "interop/byte_bools.h"
#include "interop/made_buffer.h"
#include "interop/quote.h"
#include "interop/safetensors/st_file.h"

static hry_status fail_bool(const hry_st_file *f, uint64_t i, uint64_t offset, hry_error *err)
{
    char quoted[HRY_QUOTE_SIZE];
    uint8_t byte = 0;
    hry_status status = hry_foreign_bytes_read(&f->bytes, offset, &byte, 1, err);
    if (status)
        return status;
    return hry_fail(err, HRY_E_INPUT, HRY_SECTION_DATA, offset, byte, "tensor %s: a BOOL of %u, neither 0 nor 1",
                    hry_quote(quoted, f->header.names[i]), byte);
}

/* count elements from the byte at offset, of a file that is in memory. */
static hry_status pack_memory(const hry_st_file *f, uint64_t i, uint64_t offset, size_t count, uint8_t *bits,
                              hry_error *err)
{
    size_t good = hry_bools_pack(f->bytes.at + offset, count, bits);
    return good == count ? HRY_OK : fail_bool(f, i, offset + good, err);
}

/* The same for one that has to be read. */
static hry_status pack_read(const hry_st_file *f, uint64_t i, uint64_t offset, size_t count, uint8_t *bits,
                            hry_error *err)
{
    uint8_t piece[16384];
    while (count) {
        size_t n = count < sizeof piece ? count : sizeof piece;
        hry_status status = hry_foreign_bytes_read(&f->bytes, offset, piece, n, err);
        if (status)
            return status;
        size_t good = hry_bools_pack(piece, n, bits);
        if (good != n)
            return fail_bool(f, i, offset + good, err);
        offset += n;
        bits += n / 8;
        count -= n;
    }
    return HRY_OK;
}

hry_status hry_st_file_read(const hry_st_file *f, uint64_t i, uint64_t offset, void *dst, size_t nbytes, hry_error *err)
{
    const hry_st_entry *e = &f->header.entries[i];
    uint64_t start = f->header.data_at + e->begin;
    if (e->type != HRY_TYPE_BOOL)
        return hry_foreign_bytes_read(&f->bytes, start + offset, dst, nbytes, err);
    uint64_t first = offset * 8, left = e->end - e->begin - first;
    size_t count = left / 8 < nbytes ? (size_t)left : nbytes * 8;
    return (f->bytes.at ? pack_memory : pack_read)(f, i, start + first, count, dst, err);
}

/* Bytes of the tensor's buffer: those of the file but for bools. */
static uint64_t buffer_size(const hry_st_entry *e)
{
    uint64_t nbytes = e->end - e->begin;
    return e->type == HRY_TYPE_BOOL ? hry_ceil_div(nbytes, 8) : nbytes;
}

hry_status hry_st_file_buffer(const hry_st_file *f, uint64_t i, const void **buffer, hry_release_fn **release,
                              void **release_ctx, hry_error *err)
{
    const hry_st_entry *e = &f->header.entries[i];
    uint64_t nbytes = buffer_size(e);
    *release = NULL;
    *release_ctx = NULL;
    *buffer = NULL;
    if (nbytes == 0)
        return HRY_OK;
    hry_status status = hry_foreign_bytes_still(&f->bytes, f->header.data_at + e->end, err);
    if (status)
        return status;
    if (f->bytes.at && e->type != HRY_TYPE_BOOL) {
        *buffer = f->bytes.at + f->header.data_at + e->begin;
        return HRY_OK;
    }
    void *made = hry_made_buffer(&f->allocator, nbytes);
    if (!made)
        return hry_fail_memory(err, nbytes);
    status = hry_st_file_read(f, i, 0, made, (size_t)nbytes, err);
    if (status) {
        hry_made_buffer_release(made);
        return status;
    }
    *buffer = made;
    *release = hry_made_buffer_release;
    *release_ctx = made;
    return HRY_OK;
}

bool hry_st_file_locate(const hry_st_file *f, uint64_t i, int *fd, uint64_t *offset)
{
    const hry_st_entry *e = &f->header.entries[i];
    if (f->bytes.fd < 0 || e->type == HRY_TYPE_BOOL)
        return false;
    *fd = f->bytes.fd;
    *offset = f->header.data_at + e->begin;
    return true;
}
