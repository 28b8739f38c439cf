/* How two tensors differ. Sums run in row-major order of the shape, or, where both store the same elements, in the
 * order of these, so that nothing else changes them. */
#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "layout/layouts.h"
#include "tensor/listed.h"
#include "tensor/object.h"

#include <hurray/quantize.h>
#include <math.h>
#include <string.h>

enum { PIECE = 4096 };

typedef struct sums {
    hry_difference d;
    double atol, rtol;
    double signal, noise;
    uint64_t finite;
} sums;

static void add(sums *s, double a, double b)
{
    hry_difference *d = &s->d;
    d->count++;
    if (a == b || (isnan(a) && isnan(b))) {
        if (isfinite(a)) {
            s->signal += a * a;
            s->finite++;
        }
        return;
    }
    d->different++;
    if (!isfinite(a) || !isfinite(b)) {
        d->unlike++;
        d->beyond++;
        return;
    }
    double away = fabs(a - b), size = fabs(a);
    d->max_absolute = fmax(d->max_absolute, away);
    if (size > 0)
        d->max_relative = fmax(d->max_relative, away / size);
    d->beyond += away > s->atol + s->rtol * size;
    s->signal += a * a;
    s->noise += away * away;
    s->finite++;
}

static void finish(sums *s, hry_difference *difference)
{
    s->d.rms = s->finite ? sqrt(s->noise / (double)s->finite) : 0.0;
    s->d.sqnr = s->noise > 0 ? 10.0 * log10(s->signal / s->noise) : INFINITY;
    *difference = s->d;
}

static hry_status check(const hry_tensor *a, const hry_tensor *b, hry_error *err)
{
    hry_status status = hry_tensor_check_readable(a, err);
    if (!status)
        status = hry_tensor_check_readable(b, err);
    bool same = a->desc.rank == b->desc.rank;
    for (uint32_t k = 0; !status && same && k < a->desc.rank; k++)
        same = hry_desc_dim(&a->desc, k) == hry_desc_dim(&b->desc, k);
    return status || same ? status : hry_fail_usage(err, "the shapes differ");
}

static bool is_complex(const hry_tensor *t)
{
    const hry_type_info *info = hry_type_find(t->desc.type);
    return info && info->kind == HRY_KIND_COMPLEX;
}

/* Values of whole slabs along the first dimensions, as many as PIECE holds, or pieces of a longest row. */
typedef struct slabs {
    const hry_tensor *a, *b;
    const hry_relayout_options *options;
    double *room[2];
    uint32_t width; /* doubles an element */
    sums *s;
} slabs;

static hry_status compare_box(const slabs *w, const hry_box *box, uint64_t n, hry_error *err)
{
    uint8_t type = w->width == 2 ? HRY_TYPE_COMPLEX128 : HRY_TYPE_FLOAT64;
    hry_read_options read = { .executor = w->options ? w->options->executor : NULL,
                              .token_counts = w->options ? w->options->token_counts : NULL };
    hry_status status = hry_tensor_read_with(w->a, box, type, NULL, &read, w->room[0], err);
    if (!status)
        status = hry_tensor_read_with(w->b, box, type, NULL, &read, w->room[1], err);
    for (uint64_t i = 0; !status && i < n * w->width; i++)
        add(w->s, w->room[0][i], w->room[1][i]);
    return status;
}

/* From dimension k on: whole where it fits, else cut along k, and deeper where one index is still too much. */
static hry_status compare_from(const slabs *w, hry_box *box, uint32_t k, uint64_t room, hry_error *err)
{
    uint32_t rank = w->a->desc.rank;
    uint64_t below = 1, dim = k < rank ? box->count[k] : 1;
    bool fits = true;
    hry_status status = HRY_OK;
    for (uint32_t j = k + 1; j < rank; j++)
        fits = fits && hry_mul(below, box->count[j], &below);
    uint64_t each = fits && below <= room ? room / below : 0; /* indices of k at a time */
    for (uint64_t i = 0; i < dim && !status; i += each ? each : 1) {
        uint64_t n = !each ? 1 : dim - i < each ? dim - i : each;
        if (k < rank) {
            box->start[k] = i;
            box->count[k] = n;
        }
        status = each ? compare_box(w, box, n * below, err) : compare_from(w, box, k + 1, room, err);
    }
    if (k < rank) {
        box->start[k] = 0;
        box->count[k] = dim;
    }
    return status;
}

/* ---- Two sparse tensors with the same index arrays ---- */

/* All elements that neither stores are zeros; their number has to be known. */
static bool store_the_same(const hry_tensor *a, const hry_tensor *b)
{
    const hry_layout_row *row = hry_layout_row_of(a->desc.layout);
    uint64_t all, na, nb;
    if (row->category != HRY_SPARSE || a->desc.layout != b->desc.layout || !hry_desc_count(&a->desc, &all) ||
        !hry_list_count(a, &na) || !hry_list_count(b, &nb) || na != nb || na > all)
        return false;
    for (uint32_t i = 1; i < hry_layout_own_buffers(row, a->desc.rank); i++) {
        const void *of_a = hry_tensor_buffer(a, i, &na), *of_b = hry_tensor_buffer(b, i, &nb);
        if (na != nb || (na && (!of_a || !of_b || memcmp(of_a, of_b, (size_t)na) != 0)))
            return false;
    }
    hry_layout la, lb;
    hry_layout_store sa, sb;
    return a->desc.layout != HRY_LAYOUT_CSF ||
           (hry_desc_layout_get(&a->desc, &la, &sa) && hry_desc_layout_get(&b->desc, &lb, &sb) &&
            memcmp(la.mode_order, lb.mode_order, a->desc.rank * sizeof *la.mode_order) == 0);
}

static hry_status compare_stored(slabs *w, hry_error *err)
{
    const hry_allocator *allocator = w->options ? w->options->allocator : NULL;
    uint64_t all, n, nbytes;
    hry_desc_count(&w->a->desc, &all);
    hry_list_count(w->a, &n);
    if (!hry_mul(n, 2 * w->width * sizeof(double), &nbytes) || nbytes > SIZE_MAX)
        return hry_fail_memory(err, UINT64_MAX);
    w->s->d.count = w->s->finite = all - n;
    if (n == 0)
        return HRY_OK;
    double *values = hry_alloc(allocator, (size_t)nbytes, 64);
    if (!values)
        return hry_fail_memory(err, nbytes);
    uint64_t half = n * w->width;
    hry_value_sink sink = { .bytes = (uint8_t *)values,
                            .want.type = w->width == 2 ? HRY_TYPE_COMPLEX128 : HRY_TYPE_FLOAT64,
                            .bits = w->width * 64,
                            .executor = w->options ? w->options->executor : NULL };
    hry_status status = hry_read_list(w->a, &sink, err);
    sink.bytes = (uint8_t *)(values + half);
    if (!status)
        status = hry_read_list(w->b, &sink, err);
    for (uint64_t i = 0; !status && i < half; i++)
        add(w->s, values[i], values[half + i]);
    hry_free(allocator, values, (size_t)nbytes, 64);
    return status;
}

static hry_status compare_all(slabs *w, hry_box *box, hry_error *err)
{
    /* Large pieces, so that the general way of reading has something to do. */
    const hry_allocator *allocator = w->options ? w->options->allocator : NULL;
    uint64_t room = (uint64_t)PIECE * 64;
    size_t nbytes = (size_t)room * 2 * w->width * sizeof(double);
    w->room[0] = hry_alloc(allocator, nbytes, 64);
    if (!w->room[0])
        return hry_fail_memory(err, nbytes);
    w->room[1] = w->room[0] + room * w->width;
    hry_status status = compare_from(w, box, 0, room, err);
    hry_free(allocator, w->room[0], nbytes, 64);
    return status;
}

hry_status hry_tensor_compare(const hry_tensor *a, const hry_tensor *b, double atol, double rtol,
                              const hry_relayout_options *options, hry_difference *difference, hry_error *err)
{
    sums s = { .atol = atol, .rtol = rtol };
    slabs w = { .a = a, .b = b, .options = options, .s = &s };
    hry_box box = { .step = { 0 } };
    hry_status status = check(a, b, err);
    if (status)
        return status;
    w.width = is_complex(a) || is_complex(b) ? 2 : 1;
    bool empty = false;
    for (uint32_t k = 0; k < a->desc.rank; k++) {
        box.start[k] = 0;
        box.count[k] = hry_desc_dim(&a->desc, k);
        empty |= box.count[k] == 0;
    }
    if (!empty)
        status = store_the_same(a, b) ? compare_stored(&w, err) : compare_all(&w, &box, err);
    if (!status)
        finish(&s, difference);
    return status;
}
