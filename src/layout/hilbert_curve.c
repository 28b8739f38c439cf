#include "layout/curve.h"

#include <hurray/layout.h>
#include <string.h>

/*
 * Skilling's encoding works on all lower bits of the coordinates at once: it exchanges and inverts them. Seen from the
 * top, bit by bit, that is a state: which coordinate stands for which, which of them are inverted, and the parity that
 * the Gray code carries down. So a neighbour on a line, most of whose upper bits are the same, costs only the lower
 * levels.
 */
typedef struct state {
    uint64_t inverted; /* bit i: what stands at i is inverted */
    uint64_t parity;   /* 0 or all ones */
    uint8_t at[HRY_RANK_MAX];
} state;

static void start(state *s, uint32_t rank)
{
    s->inverted = s->parity = 0;
    for (uint32_t i = 0; i < rank; i++)
        s->at[i] = (uint8_t)i;
}

/* One level: rank bits of the position from bit `level` of each coordinate, and the state for the level below. */
static uint64_t descend(state *s, uint32_t rank, const uint64_t *index, uint32_t level)
{
    uint64_t bits = 0, sum = 0;
    for (uint32_t i = 0; i < rank; i++)
        bits |= ((index[s->at[i]] >> level ^ s->inverted >> i) & 1) << i;
    uint64_t position = 0;
    for (uint32_t i = 0; i < rank; i++) {
        uint64_t bit = bits >> i & 1;
        if (bit) {
            s->inverted ^= 1;
        } else if (i) {
            uint8_t at = s->at[0];
            s->at[0] = s->at[i];
            s->at[i] = at;
            uint64_t differ = (s->inverted ^ s->inverted >> i) & 1;
            s->inverted ^= differ | differ << i;
        }
        sum ^= bit;
        position = position << 1 | ((sum ^ s->parity) & 1);
    }
    s->parity ^= 0 - sum;
    return position;
}

const uint8_t hry_hilbert_plane[4][16] = {
    { 0x00, 0x33, 0x14, 0x05, 0x11, 0x12, 0x27, 0x06, 0x2E, 0x2D, 0x18, 0x09, 0x0F, 0x3C, 0x2B, 0x0A },
    { 0x10, 0x01, 0x3E, 0x1F, 0x23, 0x02, 0x3D, 0x2C, 0x04, 0x37, 0x08, 0x3B, 0x15, 0x16, 0x19, 0x1A },
    { 0x2A, 0x29, 0x26, 0x25, 0x0B, 0x38, 0x07, 0x34, 0x1C, 0x0D, 0x32, 0x13, 0x2F, 0x0E, 0x31, 0x20 },
    { 0x3A, 0x1B, 0x0C, 0x3F, 0x39, 0x28, 0x1D, 0x1E, 0x36, 0x17, 0x22, 0x21, 0x35, 0x24, 0x03, 0x30 },
};

static unsigned plane_entry(unsigned at, uint64_t x, uint64_t y, uint32_t level)
{
    return hry_hilbert_plane[at][(x >> level & 3) << 2 | (y >> level & 3)];
}

static uint64_t encode_plane(uint32_t order, uint64_t x, uint64_t y)
{
    unsigned at = hry_hilbert_plane_start(order);
    uint64_t h = 0;
    for (uint32_t level = order + (order & 1); level > 0; level -= 2) {
        unsigned entry = plane_entry(at, x, y, level - 2);
        h = h << 4 | (entry & 15);
        at = entry >> 4;
    }
    return h;
}

uint64_t hry_hilbert_encode(uint32_t order, uint32_t rank, const uint64_t *index)
{
    if (rank == 2)
        return encode_plane(order, index[0], index[1]);
    state s;
    uint64_t h = 0;
    start(&s, rank);
    for (uint32_t level = order; level-- > 0;)
        h = h << rank | descend(&s, rank, index, level);
    return h;
}

/* The inverse, by the format's text: all levels at once. */
void hry_hilbert_decode(uint32_t order, uint32_t rank, uint64_t h, uint64_t *index)
{
    memset(index, 0, rank * sizeof *index);
    for (uint32_t j = 0; j < order; j++)
        for (uint32_t k = 0; k < rank; k++)
            index[k] |= (h >> (j * rank + rank - 1 - k) & 1) << j;
    uint64_t t = index[rank - 1] >> 1;
    for (uint32_t k = rank - 1; k > 0; k--)
        index[k] ^= index[k - 1];
    index[0] ^= t;
    for (uint32_t j = 1; j < order; j++) {
        uint64_t below = ((uint64_t)1 << j) - 1;
        for (uint32_t k = rank; k-- > 0;) {
            if (index[k] >> j & 1) {
                index[0] ^= below;
            } else {
                t = (index[0] ^ index[k]) & below;
                index[0] ^= t;
                index[k] ^= t;
            }
        }
    }
}

static unsigned top_bit(uint64_t x)
{
    return 63u - (unsigned)__builtin_clzll(x);
}

static void line_plane(uint32_t order, uint64_t x, uint64_t y, uint64_t step, size_t n, int64_t *offsets)
{
    /* Of each pair of bits: the state before it, and the position so far. */
    uint8_t before[34];
    uint64_t sofar[34];
    uint32_t top = (order + 1) / 2, from = top;
    before[top] = (uint8_t)hry_hilbert_plane_start(order);
    sofar[top] = 0;
    for (size_t i = 0; i < n; i++) {
        for (uint32_t pair = from; pair > 0; pair--) {
            unsigned entry = plane_entry(before[pair], x, y, 2 * (pair - 1));
            before[pair - 1] = (uint8_t)(entry >> 4);
            sofar[pair - 1] = sofar[pair] << 4 | (entry & 15);
        }
        offsets[i] = (int64_t)sofar[0];
        uint64_t next = y + step;
        from = next == y ? 0 : top_bit(next ^ y) / 2 + 1;
        if (from > top) /* beyond the last element */
            from = top;
        y = next;
    }
}

void hry_hilbert_line(uint32_t order, uint32_t rank, const uint64_t *index, int64_t step, size_t n, int64_t *offsets)
{
    if (rank == 2) {
        line_plane(order, index[0], index[1], (uint64_t)step, n, offsets);
        return;
    }
    uint64_t at[HRY_RANK_MAX];
    state before[HRY_RANK_MAX / 3 + 1];
    uint64_t sofar[HRY_RANK_MAX / 3 + 1];
    uint32_t from = order;
    memcpy(at, index, rank * sizeof *at);
    start(&before[order], rank);
    sofar[order] = 0;
    for (size_t i = 0; i < n; i++) {
        for (uint32_t level = from; level > 0; level--) {
            before[level - 1] = before[level];
            sofar[level - 1] = sofar[level] << rank | descend(&before[level - 1], rank, at, level - 1);
        }
        offsets[i] = (int64_t)sofar[0];
        uint64_t next = at[rank - 1] + (uint64_t)step;
        from = next == at[rank - 1] ? 0 : top_bit(next ^ at[rank - 1]) + 1;
        if (from > order)
            from = order;
        at[rank - 1] = next;
    }
}
