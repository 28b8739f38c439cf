#include "file/inflow.h"

#include "base/alloc.h"
#include "base/status.h"

#include <string.h>

hry_status hry_inflow_init(hry_inflow *in, const hry_pull *pull, const hry_allocator *allocator, hry_error *err)
{
    *in = (hry_inflow){ .pull = *pull, .buffer = hry_alloc(allocator, HRY_INFLOW_BUFFER, 64) };
    return in->buffer ? HRY_OK : hry_fail_memory(err, HRY_INFLOW_BUFFER);
}

void hry_inflow_fini(hry_inflow *in, const hry_allocator *allocator)
{
    hry_free(allocator, in->buffer, HRY_INFLOW_BUFFER, 64);
    in->buffer = NULL;
}

static hry_status pull(hry_inflow *in, void *dst, size_t nbytes, size_t *got, hry_error *err)
{
    *got = 0;
    hry_status status = in->ended ? HRY_OK : in->pull.read(in->pull.ctx, dst, nbytes, got, err);
    in->ended |= status == HRY_OK && *got == 0;
    return status;
}

hry_status hry_inflow_peek(hry_inflow *in, size_t nbytes, const uint8_t **at, size_t *got, hry_error *err)
{
    if (in->fill - in->start < nbytes && HRY_INFLOW_BUFFER - in->start < nbytes) {
        memmove(in->buffer, in->buffer + in->start, in->fill - in->start);
        in->fill -= in->start;
        in->start = 0;
    }
    while (in->fill - in->start < nbytes && !in->ended) {
        size_t came;
        hry_status status = pull(in, in->buffer + in->fill, HRY_INFLOW_BUFFER - in->fill, &came, err);
        if (status)
            return status;
        in->fill += came;
    }
    *at = in->buffer + in->start;
    *got = in->fill - in->start < nbytes ? in->fill - in->start : nbytes;
    return HRY_OK;
}

void hry_inflow_take(hry_inflow *in, size_t nbytes)
{
    in->start += nbytes;
    in->position += nbytes;
    if (in->start == in->fill)
        in->start = in->fill = 0;
}

hry_status hry_inflow_read(hry_inflow *in, void *dst, size_t nbytes, size_t *got, hry_error *err)
{
    uint8_t *p = dst;
    size_t buffered = in->fill - in->start, done = buffered < nbytes ? buffered : nbytes;
    if (done) {
        memcpy(p, in->buffer + in->start, done);
        hry_inflow_take(in, done);
    }
    while (done < nbytes && !in->ended) {
        size_t came;
        hry_status status = pull(in, p + done, nbytes - done, &came, err);
        if (status)
            return status;
        done += came;
        in->position += came;
    }
    *got = done;
    return HRY_OK;
}

hry_status hry_inflow_skip_to(hry_inflow *in, uint64_t to, hry_error *err)
{
    while (in->position < to) {
        const uint8_t *at;
        size_t got;
        uint64_t left = to - in->position;
        hry_status status =
            hry_inflow_peek(in, left < HRY_INFLOW_BUFFER ? (size_t)left : HRY_INFLOW_BUFFER, &at, &got, err);
        if (status || got == 0)
            return status;
        hry_inflow_take(in, got);
    }
    return HRY_OK;
}
