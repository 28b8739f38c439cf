#include "support/naive_layout.h"

#include <string.h>

static int64_t in_order(uint8_t order, const int64_t *strides, uint32_t rank, const uint64_t *extent,
                        const uint64_t *index)
{
    int64_t offset = 0;
    for (uint32_t i = 0; i < rank; i++) {
        if (order == HRY_LAYOUT_STRIDED) {
            offset += (int64_t)index[i] * strides[i];
            continue;
        }
        int64_t stride = 1;
        for (uint32_t k = 0; k < rank; k++)
            if (order == HRY_LAYOUT_ROW_MAJOR ? k > i : k < i)
                stride *= (int64_t)extent[k];
        offset += (int64_t)index[i] * stride;
    }
    return offset;
}

static int64_t tiled(const hry_layout *layout, uint32_t rank, const uint64_t *shape, const uint64_t *index)
{
    uint64_t tile[HRY_RANK_MAX], inside[HRY_RANK_MAX], grid[HRY_RANK_MAX], pitch = 1;
    for (uint32_t k = 0; k < rank; k++) {
        uint64_t t = layout->tile_shape[k];
        tile[k] = index[k] / t;
        inside[k] = index[k] % t;
        grid[k] = (shape[k] + t - 1) / t;
        pitch *= t;
    }
    int64_t number = in_order(layout->outer_layout, layout->outer_strides, rank, grid, tile);
    int64_t intra = layout->inner_layout == 4
                        ? tiled(layout->inner, rank, layout->tile_shape, inside)
                        : in_order(layout->inner_layout, layout->inner_strides, rank, layout->tile_shape, inside);
    return number * (int64_t)pitch + intra;
}

static int64_t morton(const uint32_t *bits, uint32_t rank, const uint64_t *index)
{
    uint64_t code = 0;
    for (uint32_t j = 0; j < 64; j++)
        for (uint32_t d = 0; d < rank; d++)
            if (j < bits[d] && index[d] >> j & 1)
                code |= (uint64_t)1 << (j * rank + d);
    return (int64_t)code;
}

/* Skilling's algorithm as the format prints it. */
static int64_t hilbert(uint32_t p, uint32_t r, const uint64_t *index)
{
    uint64_t X[HRY_RANK_MAX], P, Q, t, h = 0;
    memcpy(X, index, r * sizeof *X);
    for (Q = (uint64_t)1 << (p - 1); Q > 1; Q >>= 1) {
        P = Q - 1;
        for (uint32_t i = 0; i < r; i++) {
            if (X[i] & Q) {
                X[0] ^= P;
            } else {
                t = (X[0] ^ X[i]) & P;
                X[0] ^= t;
                X[i] ^= t;
            }
        }
    }
    for (uint32_t i = 1; i < r; i++)
        X[i] ^= X[i - 1];
    t = 0;
    for (Q = (uint64_t)1 << (p - 1); Q > 1; Q >>= 1)
        if (X[r - 1] & Q)
            t ^= Q - 1;
    for (uint32_t i = 0; i < r; i++)
        for (uint32_t j = 0; j < p; j++)
            h |= ((X[i] ^ t) >> j & 1) << (j * r + (r - 1 - i));
    return (int64_t)h;
}

int64_t naive_offset(const hry_layout *layout, uint32_t rank, const uint64_t *shape, const uint64_t *index)
{
    switch (layout->tag) {
    case HRY_LAYOUT_TILED:
        return tiled(layout, rank, shape, index);
    case HRY_LAYOUT_MORTON:
        return morton(layout->morton_bits, rank, index);
    case HRY_LAYOUT_HILBERT:
        return hilbert(layout->hilbert_order, rank, index);
    default:
        return in_order(layout->tag, layout->strides, rank, shape, index);
    }
}

bool naive_next(uint32_t rank, const uint64_t *shape, uint64_t *index)
{
    for (uint32_t k = rank; k-- > 0;) {
        if (++index[k] < shape[k])
            return true;
        index[k] = 0;
    }
    return false;
}

uint64_t naive_random(uint64_t *seed)
{
    uint64_t x = *seed += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

uint64_t naive_below(uint64_t *seed, uint64_t n)
{
    return naive_random(seed) % n;
}

/* Strides that give each index a place of its own: a shuffled order of dimensions, with gaps and signs. */
static void random_strides(uint64_t *seed, uint32_t rank, const uint64_t *extent, bool gaps, int64_t *strides)
{
    uint32_t order[HRY_RANK_MAX];
    int64_t stride = 1;
    for (uint32_t k = 0; k < rank; k++) {
        uint32_t other = (uint32_t)naive_below(seed, k + 1);
        order[k] = order[other];
        order[other] = k;
    }
    for (uint32_t i = 0; i < rank; i++) {
        stride += gaps ? (int64_t)naive_below(seed, 3) : 0;
        strides[order[i]] = gaps && naive_below(seed, 3) == 0 ? -stride : stride;
        stride *= (int64_t)extent[order[i]];
    }
}

static void random_tiling(naive_tensor *t, uint64_t *seed)
{
    hry_layout *l = &t->layout;
    uint64_t grid[HRY_RANK_MAX];
    for (uint32_t depth = 0;; depth++) {
        uint64_t *tile = t->store.shape[depth];
        for (uint32_t k = 0; k < t->rank; k++) {
            if (depth == 0) {
                tile[k] = (uint64_t)1 << naive_below(seed, 5);
                grid[k] = (t->shape[k] + tile[k] - 1) / tile[k];
            } else { /* a divisor of the tile around it */
                uint64_t around = t->store.shape[depth - 1][k];
                tile[k] = around >> naive_below(seed, 3);
                tile[k] = tile[k] ? tile[k] : 1;
                grid[k] = around / tile[k];
            }
        }
        bool nested = depth + 1 < HRY_TILE_LEVELS_MAX && naive_below(seed, 3) == 0;
        *l = (hry_layout){ .tag = HRY_LAYOUT_TILED,
                           .tile_shape = tile,
                           .outer_layout = (uint8_t)(1 + naive_below(seed, 3)),
                           .inner_layout = nested ? 4 : (uint8_t)(1 + naive_below(seed, 3)),
                           .outer_strides = t->store.outer[depth],
                           .inner_strides = t->store.inner[depth],
                           .inner = nested ? &t->store.level[depth] : NULL };
        random_strides(seed, t->rank, grid, depth == 0, t->store.outer[depth]);
        random_strides(seed, t->rank, tile, false, t->store.inner[depth]);
        if (!nested)
            return;
        l = &t->store.level[depth];
    }
}

void naive_make(naive_tensor *t, uint64_t *seed, uint8_t tag, uint32_t rank, uint64_t largest)
{
    t->rank = rank;
    t->layout = (hry_layout){ .tag = tag };
    uint32_t order = 1;
    while (order < 6 && (uint64_t)1 << (order + 1) <= largest && naive_below(seed, 3))
        order++;
    for (uint32_t k = 0; k < rank; k++)
        t->shape[k] = tag == HRY_LAYOUT_HILBERT ? (uint64_t)1 << order : 1 + naive_below(seed, largest);
    if (tag == HRY_LAYOUT_STRIDED) {
        random_strides(seed, rank, t->shape, true, t->store.outer[0]);
        t->layout.strides = t->store.outer[0];
    } else if (tag == HRY_LAYOUT_TILED) {
        random_tiling(t, seed);
    } else if (tag == HRY_LAYOUT_MORTON) {
        for (uint32_t k = 0; k < rank; k++) {
            t->store.words[k] = 1 + (uint32_t)naive_below(seed, 2);
            while ((uint64_t)1 << t->store.words[k] < t->shape[k])
                t->store.words[k]++;
        }
        t->layout.morton_bits = t->store.words;
    } else if (tag == HRY_LAYOUT_HILBERT) {
        t->layout.hilbert_order = order;
        t->layout.hilbert_rank = rank;
    }
}
