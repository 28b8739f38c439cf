#include "layout/map.h"

/* The last index lies in the dimension; counted in steps, so that nothing overflows. */
static bool last_fits(uint64_t start, uint64_t count, int64_t step, uint64_t dim)
{
    uint64_t stride = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
    uint64_t room = step < 0 ? start : dim - 1 - start;
    return count - 1 <= room / stride;
}

hry_status hry_box_resolve(const hry_box *box, uint32_t rank, const uint64_t *shape, hry_box *whole, hry_error *err)
{
    for (uint32_t k = 0; k < rank; k++) {
        uint64_t start = box ? box->start[k] : 0, count = box ? box->count[k] : shape[k];
        int64_t step = box && box->step[k] ? box->step[k] : 1;
        if (start > shape[k] || (count && (start == shape[k] || !last_fits(start, count, step, shape[k]))))
            return hry_fail_usage(
                err, "the box leaves dimension %u, which has %llu elements: start %llu, count %llu, step %lld", k,
                (unsigned long long)shape[k], (unsigned long long)start, (unsigned long long)count, (long long)step);
        whole->start[k] = start;
        whole->count[k] = count;
        whole->step[k] = step;
    }
    if (rank == 0)
        whole->start[0] = 0, whole->count[0] = 1, whole->step[0] = 1;
    return HRY_OK;
}
