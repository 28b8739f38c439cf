#include "file/pipe_in.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

hry_status pull_pipe(void *ctx, void *dst, size_t nbytes, size_t *got, hry_error *err)
{
    pipe_in *p = ctx;
    (void)err;
    size_t n = p->left < nbytes ? p->left : nbytes;
    n = p->piece < n ? p->piece : n;
    if (n)
        memcpy(dst, p->bytes, n);
    p->bytes += n;
    p->left -= n;
    *got = n;
    return HRY_OK;
}

/* Descriptor and data of the tensors, one after the other, as they pass by. */
typedef struct record {
    uint8_t *bytes;
    size_t nbytes;
} record;

static void add(record *r, const void *bytes, size_t nbytes)
{
    r->bytes = realloc(r->bytes, r->nbytes + nbytes + 1);
    assert_non_null(r->bytes);
    if (nbytes)
        memcpy(r->bytes + r->nbytes, bytes, nbytes);
    r->nbytes += nbytes;
}

static hry_status scan_tensor(hry_scan *s, const hry_desc *desc, record *r, hry_error *err)
{
    char piece[333];
    size_t got = 1;
    hry_status status = HRY_OK;
    add(r, desc->bytes, desc->length);
    while (got && !status && !(desc->state & HRY_DESC_HAS_DYNAMIC)) {
        status = hry_scan_data(s, piece, sizeof piece, &got, err);
        if (!status)
            add(r, piece, got);
    }
    return status;
}

static bool compare(hry_scan *s, size_t tensors, hry_file *file, const record *r)
{
    const uint8_t *p = r->bytes;
    bool same = hry_file_count(file) == tensors;
    for (size_t k = 0; k < tensors && same; k++) {
        uint64_t i, j;
        hry_desc desc;
        if (!hry_scan_position(s, k, &i))
            return false;
        hry_str name = hry_file_name(hry_scan_directory(s), i);
        same = hry_file_find(file, name.ptr, name.len, &j) && i == j && hry_file_desc(file, j, &desc, NULL) == HRY_OK &&
               memcmp(p, desc.bytes, desc.length) == 0;
        p += same ? desc.length : 0;
        hry_buffer b;
        for (uint32_t n = 0; same && !(desc.state & HRY_DESC_HAS_DYNAMIC) && hry_desc_buffer(&desc, n, &b); n++) {
            uint8_t *data = malloc(b.byte_size + 1);
            same = hry_file_read_into(file, j, n, data, b.byte_size, NULL, NULL) == HRY_OK &&
                   memcmp(p, data, b.byte_size) == 0;
            free(data);
            p += b.byte_size;
        }
    }
    return same && p == r->bytes + r->nbytes;
}

hry_status scan_all(const uint8_t *bytes, size_t nbytes, size_t piece, const hry_file_options *options, scanned *seen,
                    hry_error *err)
{
    pipe_in pipe = { bytes, nbytes, piece };
    hry_pull pull = { pull_pipe, &pipe };
    hry_scan *s;
    hry_file *file;
    record r = { 0 };
    bool more = true;
    *seen = (scanned){ 0 };
    hry_status status = hry_scan_open(&pull, options, &s, err);
    if (status)
        return status;
    while (more && !status) {
        hry_desc desc;
        status = hry_scan_next(s, &more, &desc, err);
        if (!status && more)
            status = scan_tensor(s, &desc, &r, err);
        seen->tensors += !status && more;
    }
    if (!status) {
        hry_file_options plain = { .parse = options ? options->parse : (hry_parse_options){ 0 } };
        assert_int_equal(hry_file_open_memory(bytes, nbytes, NULL, NULL, &plain, &file, NULL), HRY_OK);
        seen->same_as_at_random = compare(s, seen->tensors, file, &r);
        hry_file_close(file);
    }
    hry_scan_close(s);
    free(r.bytes);
    return status;
}
