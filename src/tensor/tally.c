#include "tensor/tally.h"

#include <math.h>

void hry_tally_init(hry_tally *tally)
{
    *tally = (hry_tally){ .min = INFINITY, .max = -INFINITY };
}

/* Joins two sets of values by their means (Chan, Golub and LeVeque), from that of the larger one on: beside very many
 * zeros, a small mean stays what it is. */
static void join(hry_tally *tally, double finite, double mean, double spread)
{
    double before = tally->finite, total = before + finite, away = mean - tally->mean;
    if (finite == 0)
        return;
    if (finite > before)
        tally->mean = mean - away * (before / total);
    else
        tally->mean += away * (finite / total);
    tally->spread += spread + away * away * (before * (finite / total));
    tally->finite = total;
}

void hry_tally_chunk(hry_tally *tally, const struct hry_moments *m, const uint64_t *nonzero, size_t n)
{
    size_t words = (n + 63) / 64;
    tally->count += (double)n;
    tally->nnz += hry_kern()->most_ones(nonzero, words, tally->most);
    tally->min = m->min < tally->min ? m->min : tally->min;
    tally->max = m->max > tally->max ? m->max : tally->max;
    tally->has_nan |= m->has_nan;
    tally->has_inf |= m->has_inf;
    if (m->finite) {
        double away = m->sum / (double)m->finite, spread = m->squares - away * m->sum;
        join(tally, (double)m->finite, m->shift + away, spread > 0.0 ? spread : 0.0);
    }
}

void hry_tally_merge(hry_tally *tally, const hry_tally *next)
{
    tally->count += next->count;
    tally->nnz += next->nnz;
    tally->min = next->min < tally->min ? next->min : tally->min;
    tally->max = next->max > tally->max ? next->max : tally->max;
    tally->has_nan |= next->has_nan;
    tally->has_inf |= next->has_inf;
    for (unsigned g = 0; g < HRY_TALLY_GROUPS; g++)
        tally->most[g] = next->most[g] > tally->most[g] ? next->most[g] : tally->most[g];
    join(tally, next->finite, next->mean, next->spread);
}

void hry_tally_zeros(hry_tally *tally, double count)
{
    hry_tally zeros = { .count = count, .finite = count };
    if (count > 0)
        hry_tally_merge(tally, &zeros);
}

void hry_tally_repeat(hry_tally *tally, uint64_t times)
{
    double factor = (double)times;
    tally->count *= factor;
    tally->finite *= factor;
    tally->spread *= factor;
    tally->nnz *= times;
}

void hry_tally_groups(hry_tally *tally, const uint64_t *words, size_t n)
{
    hry_kern()->most_ones(words, n, tally->most);
}

/* The pair with the smallest N/M, the smaller M on a tie; none where N = M for all. */
static void choose_groups(const hry_tally *tally, uint64_t last, hry_statistics *s)
{
    for (unsigned g = 0; last > 0 && g < HRY_TALLY_GROUPS; g++) {
        unsigned m = 4u << g, n = tally->most[g];
        if (last % m != 0 || n == m)
            continue;
        if (s->nm_m == 0 || n * s->nm_m < s->nm_n * m) {
            s->nm_n = (uint8_t)n;
            s->nm_m = (uint8_t)m;
        }
    }
    s->computed_mask |= HRY_STATS_NM;
}

void hry_tally_statistics(const hry_tally *tally, uint64_t last, hry_statistics *statistics)
{
    hry_statistics s = { .computed_mask = HRY_STATS_NNZ, .nnz = tally->nnz };
    if (tally->count > 0) {
        s.computed_mask |= HRY_STATS_SPARSITY | HRY_STATS_NAN_INF;
        s.sparsity_ratio = (tally->count - (double)tally->nnz) / tally->count;
        s.has_nan = tally->has_nan;
        s.has_inf = tally->has_inf;
        choose_groups(tally, last, &s);
    }
    if (tally->min <= tally->max) { /* some value is a number */
        s.computed_mask |= HRY_STATS_RANGE;
        s.value_min = tally->min + 0.0; /* one zero for both */
        s.value_max = tally->max + 0.0;
        s.value_abs_max = fmax(fabs(tally->min), fabs(tally->max));
    }
    if (tally->finite > 0 && !tally->has_inf) {
        s.computed_mask |= HRY_STATS_VALUES;
        s.value_mean = tally->mean;
        s.value_stddev = sqrt(tally->spread / tally->finite);
    }
    *statistics = s;
}
