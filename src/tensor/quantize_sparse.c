/*
 * Codes of the values that a sparse tensor stores. Which of them share parameters follows from their coordinates, so
 * that the tensor is gone through once for the parameters and once for the codes, and each time in the order of
 * storage.
 */
#include "base/alloc.h"
#include "base/checked.h"
#include "kern/kern.h"
#include "layout/map.h"
#include "tensor/quantizing.h"
#include "tensor/stored.h"
#include "tensor/verify.h"

#include <string.h>

enum { PIECE = 512 }; /* codes that are made at a time: they fill whole bytes, whatever their width */

typedef struct sparse_job {
    hry_quantize *z;
    size_t n; /* values */
    uint64_t parameters;
    hry_stored stored;
    uint32_t axis;
    uint64_t block, step[HRY_RANK_MAX]; /* as in hry_dequant */
    hry_quantize_room room;
} sparse_job;

static hry_status number_parameters(sparse_job *job, hry_error *err)
{
    const hry_quantize *z = job->z;
    const hry_sparse *sparse = &job->stored.sparse;
    bool blocks = z->how->scheme >= HRY_SCHEME_PER_BLOCK;
    job->axis = z->how->axis;
    job->block = blocks ? z->block : 1;
    job->parameters = blocks ? z->blocks : z->size;
    for (uint32_t k = sparse->rank; blocks && k-- > 0;)
        if (k != job->axis) {
            job->step[k] = job->parameters;
            if (!hry_mul(job->parameters, sparse->shape[k], &job->parameters))
                return hry_fail_memory(err, UINT64_MAX);
        }
    return HRY_OK;
}

static void start(sparse_job *job)
{
    hry_box whole;
    hry_box_resolve(NULL, job->stored.sparse.rank, job->stored.sparse.shape, &whole, NULL);
    hry_stored_start(&job->stored, &whole);
}

/* The number of the next value's parameters. */
static bool next(sparse_job *job, uint64_t *number)
{
    hry_stored *s = &job->stored;
    if (!hry_stored_step(s))
        return false;
    *number = s->index[job->axis] / job->block;
    for (uint32_t k = 0; k < s->sparse.rank; k++)
        *number += k == job->axis ? 0 : job->step[k] * s->index[k];
    return true;
}

static const char *measure(sparse_job *job)
{
    const float *x = job->z->x;
    uint64_t number;
    float most = 0;
    if (!hry_kern()->absmax(x, job->n, job->n, &most))
        return hry_quantize_not_finite;
    if (hry_quantize_has_negative(job->z, x, job->n))
        return hry_quantize_negative;
    start(job);
    bool range = hry_grid_wants_range(&job->z->grid);
    while (next(job, &number)) {
        float v = x[job->stored.position], *lo = &job->room.lo[number], *hi = &job->room.hi[number];
        float high = range || v > 0 ? v : -v;
        *lo = v < *lo ? v : *lo;
        *hi = high > *hi ? high : *hi;
    }
    return hry_quantize_settle(job->z, &job->room, (size_t)job->parameters, 0, 1);
}

/* Values that share a scale, one after the other: starts[p] is where those of p begin, once they are in place. */
static bool search(sparse_job *job)
{
    const hry_allocator *allocator = job->z->how->allocator;
    uint64_t number;
    size_t begin = 0, groups = (size_t)job->parameters;
    float *grouped = hry_alloc_array(allocator, job->n, sizeof *grouped, _Alignof(float));
    size_t *ends = hry_alloc_array(allocator, groups, sizeof *ends, _Alignof(size_t));
    if (grouped && ends) {
        memset(ends, 0, groups * sizeof *ends);
        for (start(job); next(job, &number);)
            ends[number]++;
        for (size_t p = 0, before = 0; p < groups; p++) {
            size_t count = ends[p];
            ends[p] = before;
            before += count;
        }
        for (start(job); next(job, &number);)
            grouped[ends[number]++] = job->z->x[job->stored.position];
        for (size_t p = 0; p < groups; begin = ends[p++])
            hry_grid_search(&job->z->grid, grouped + begin, ends[p] - begin, &job->room.scale[p]);
    }
    hry_free(allocator, grouped, job->n * sizeof *grouped, _Alignof(float));
    hry_free(allocator, ends, groups * sizeof *ends, _Alignof(size_t));
    return grouped && ends;
}

static void encode(sparse_job *job)
{
    float scale[PIECE];
    int32_t zp[PIECE];
    uint64_t number;
    size_t n = 0, first = 0;
    start(job);
    for (bool more = true; more;) {
        more = next(job, &number);
        if (more) {
            scale[n] = job->room.scale[number];
            zp[n++] = job->room.zp[number];
        }
        if (n == PIECE || !more) {
            hry_quantize_put(job->z, job->z->x + first, n, 1, scale, job->z->zero_points ? zp : NULL, first, NULL);
            first += n;
            n = 0;
        }
    }
}

hry_status hry_quantize_sparse(hry_quantize *z, const hry_tensor *tensor, hry_error *err)
{
    sparse_job job = { .z = z };
    hry_status status = hry_verify_once(tensor, z->how->executor, err);
    if (status)
        return status;
    hry_sparse_of(tensor, &job.stored.sparse);
    job.n = (size_t)job.stored.sparse.nnz;
    status = number_parameters(&job, err);
    if (!status && !hry_quantize_take_room(z, job.parameters, 0, &job.room))
        status = hry_fail_memory(err, job.room.nbytes);
    if (status)
        return status;
    const char *why = measure(&job);
    if (!why && z->searches && !search(&job))
        status = hry_fail_memory(err, job.n * sizeof(float) + job.parameters * sizeof(size_t));
    if (!why && !status) {
        hry_quantize_store(z, &job.room, (size_t)job.parameters, 0, 1);
        encode(&job);
    }
    hry_quantize_give_room(z, &job.room);
    return why ? hry_quantize_fail(why, err) : status;
}
