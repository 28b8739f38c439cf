#include "interop/npy_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

uint8_t *npy_frame(unsigned version, const char *header, size_t pad, const void *data, size_t data_size, size_t *nbytes)
{
    size_t text_at = version == 1 ? 10 : 12, length = strlen(header), end = text_at + length;
    size_t data_at = (end + pad - 1) / pad * pad;
    uint8_t *bytes = malloc(data_at + data_size + 1);
    assert_non_null(bytes);
    memset(bytes, ' ', data_at);
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (uint8_t)version;
    bytes[7] = 0;
    for (size_t i = 8; i < text_at; i++)
        bytes[i] = (uint8_t)((data_at - text_at) >> 8 * (i - 8));
    memcpy(bytes + text_at, header, length);
    if (data_at > end)
        bytes[data_at - 1] = '\n';
    if (data_size)
        memcpy(bytes + data_at, data, data_size);
    *nbytes = data_at + data_size;
    /* Exactly so much, so that a sanitizer sees what lies behind. */
    return realloc(bytes, *nbytes);
}

uint8_t *npy_usual(const char *descr, bool fortran_order, const char *shape, const void *data, size_t data_size,
                   size_t *nbytes)
{
    char header[512];
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr,
             fortran_order ? "True" : "False", shape);
    return npy_frame(1, header, 64, data, data_size, nbytes);
}

hry_file *npy_open_kept(uint8_t *bytes, size_t nbytes)
{
    hry_file *file = NULL;
    hry_error err;
    if (hry_npy_open_memory(bytes, nbytes, "a", free, bytes, NULL, &file, &err))
        fail_msg("%s", err.message);
    return file;
}

void npy_hear(void *ctx, const hry_note *note)
{
    npy_heard *h = ctx;
    h->used += (size_t)snprintf(h->text + h->used, sizeof h->text - h->used, "%d %d %.*s: %s\n", (int)note->kind,
                                (int)note->subject, (int)note->name.len, note->name.ptr, note->reason);
    assert_true(h->used < sizeof h->text);
}

static hry_status keep(void *ctx, const void *bytes, size_t nbytes, hry_error *err)
{
    npy_kept *k = ctx;
    if (k->room && k->nbytes + nbytes > k->room) {
        if (err)
            *err = (hry_error){ .status = HRY_E_IO, .message = "full" };
        return HRY_E_IO;
    }
    k->bytes = realloc(k->bytes, k->nbytes + nbytes + 1);
    assert_non_null(k->bytes);
    memcpy(k->bytes + k->nbytes, bytes, nbytes);
    k->nbytes += nbytes;
    return HRY_OK;
}

hry_sink npy_keep(npy_kept *kept)
{
    *kept = (npy_kept){ 0 };
    return (hry_sink){ .write = keep, .ctx = kept };
}
