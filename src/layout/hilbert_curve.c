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

/*
 * In the plane there are four such states when two bits of each coordinate are read at a time, and an odd order gets a
 * 0 bit on top: entry [state][4 * x + y] holds the four bits of the position below 16, and the next state above them.
 */
static const uint8_t plane[4][16] = {
    { 0x00, 0x33, 0x14, 0x05, 0x11, 0x12, 0x27, 0x06, 0x2E, 0x2D, 0x18, 0x09, 0x0F, 0x3C, 0x2B, 0x0A },
    { 0x10, 0x01, 0x3E, 0x1F, 0x23, 0x02, 0x3D, 0x2C, 0x04, 0x37, 0x08, 0x3B, 0x15, 0x16, 0x19, 0x1A },
    { 0x2A, 0x29, 0x26, 0x25, 0x0B, 0x38, 0x07, 0x34, 0x1C, 0x0D, 0x32, 0x13, 0x2F, 0x0E, 0x31, 0x20 },
    { 0x3A, 0x1B, 0x0C, 0x3F, 0x39, 0x28, 0x1D, 0x1E, 0x36, 0x17, 0x22, 0x21, 0x35, 0x24, 0x03, 0x30 },
};

/* In space there are 24, of which the first is that at the top. Entry [state][4 * x + 2 * y + z] for one bit of each:
 * three bits of the position below 8, and the next state above them. */
static const uint8_t space[HRY_HILBERT_WAYS][8] = {
    { 0x08, 0x11, 0x1B, 0x02, 0x27, 0x2E, 0x34, 0x05 }, { 0x38, 0x47, 0x49, 0x56, 0x5B, 0x14, 0x0A, 0x0D },
    { 0x30, 0x01, 0x67, 0x6E, 0x73, 0x12, 0x0C, 0x15 }, { 0x7E, 0x81, 0x1D, 0x1A, 0x4F, 0x50, 0x8C, 0x03 },
    { 0x94, 0x2B, 0x25, 0x22, 0x7F, 0x80, 0x4E, 0x51 }, { 0x9C, 0x2D, 0x23, 0x2A, 0x1F, 0x06, 0xA0, 0x69 },
    { 0x48, 0x57, 0x8B, 0x04, 0x39, 0x46, 0x32, 0x35 }, { 0x00, 0xAB, 0x6F, 0x4C, 0x31, 0x3A, 0x66, 0x3D },
    { 0xB4, 0x8F, 0x53, 0xB8, 0x45, 0x36, 0x42, 0x61 }, { 0x10, 0x7B, 0x09, 0x4A, 0x2F, 0x3C, 0x26, 0x4D },
    { 0x84, 0x5F, 0x55, 0x0E, 0x43, 0x90, 0x52, 0x21 }, { 0x8E, 0x37, 0xB9, 0x60, 0x5D, 0x74, 0x5A, 0x0B },
    { 0xBC, 0x6B, 0xAF, 0xB0, 0x65, 0x62, 0x3E, 0x41 }, { 0xA4, 0x6D, 0x77, 0x16, 0x63, 0x6A, 0x98, 0x29 },
    { 0xAE, 0xB1, 0x3F, 0x40, 0x75, 0x72, 0x5C, 0x13 }, { 0x1E, 0x7D, 0xA1, 0x7A, 0x07, 0xAC, 0x68, 0x4B },
    { 0x82, 0x19, 0x85, 0xA6, 0xB3, 0x88, 0x54, 0xBF }, { 0x5E, 0x0F, 0x8D, 0x1C, 0x91, 0x20, 0x8A, 0x33 },
    { 0x92, 0x9B, 0x95, 0x24, 0x89, 0x18, 0xBE, 0xA7 }, { 0x9A, 0x9D, 0x93, 0x2C, 0xA9, 0xB6, 0x78, 0x87 },
    { 0xA2, 0xA5, 0x79, 0x86, 0xBB, 0x6C, 0xA8, 0xB7 }, { 0x76, 0xAD, 0x17, 0x7C, 0x99, 0xAA, 0x28, 0x3B },
    { 0xB2, 0x71, 0x83, 0x58, 0xB5, 0x9E, 0x44, 0x97 }, { 0xBA, 0xA3, 0x59, 0x70, 0xBD, 0x64, 0x96, 0x9F },
};

/* Bits of each coordinate that are read at a time. */
static uint32_t bits_read(uint32_t rank)
{
    return rank == 2 ? 2 : 1;
}

/* Reads the bits from level on: the state for those below, and the position with what they add. */
static inline uint64_t read_on(uint32_t rank, const uint64_t *index, uint32_t level, unsigned *at, uint64_t h)
{
    if (rank == 2) {
        unsigned entry = plane[*at][(index[0] >> level & 3) << 2 | (index[1] >> level & 3)];
        *at = entry >> 4;
        return h << 4 | (entry & 15);
    }
    unsigned entry = space[*at][(index[0] >> level & 1) << 2 | (index[1] >> level & 1) << 1 | (index[2] >> level & 1)];
    *at = entry >> 3;
    return h << 3 | (entry & 7);
}

/* The state above the first bits that are read, and the level from which they are. */
static uint32_t read_start(uint32_t order, uint32_t rank, unsigned *at)
{
    *at = rank == 2 ? order & 1 : 0;
    return rank == 2 ? order + (order & 1) : order;
}

uint64_t hry_hilbert_cube(uint32_t order, uint32_t rank, const uint64_t *index, uint32_t bits, unsigned *way)
{
    uint64_t h = 0;
    for (uint32_t level = read_start(order, rank, way); level > bits; level -= bits_read(rank))
        h = read_on(rank, index, level - bits_read(rank), way, h);
    return h << (rank * bits);
}

/* Where in row-major order an index is whose coordinates, of some bits, follow one another in packed. */
static uint32_t place_of(uint32_t packed, uint32_t rank, uint32_t packed_bits, uint32_t shift, uint32_t bits)
{
    uint32_t place = 0;
    for (uint32_t k = rank; k-- > 0;)
        place = place << bits | (packed >> packed_bits * k & ((1u << packed_bits) - 1)) << shift;
    return place;
}

void hry_hilbert_list(unsigned way, uint32_t rank, uint32_t bits, uint16_t *list)
{
    uint32_t read = bits_read(rank), above = bits - read, inner[16];
    uint32_t cells = 1u << rank * read;
    for (uint32_t v = 0; v < cells; v++)
        inner[v] = place_of(v, rank, read, 0, bits);
    /* What the last reading tells apart shares all that is above. */
    for (uint32_t u = 0; u < 1u << rank * above; u++) {
        uint64_t index[3] = { 0 }, h = 0;
        unsigned at = way;
        for (uint32_t k = 0; k < rank; k++)
            index[k] = (uint64_t)(u >> above * (rank - 1 - k)) << read;
        for (uint32_t level = bits; level > read; level -= read)
            h = read_on(rank, index, level - read, &at, h);
        uint16_t *corner = list + place_of(u, rank, above, read, bits);
        const uint8_t *entry = rank == 2 ? plane[at] : space[at];
        for (uint32_t v = 0; v < cells; v++)
            corner[inner[v]] = (uint16_t)(h << rank * read | (entry[v] & (cells - 1)));
    }
}

uint64_t hry_hilbert_encode(uint32_t order, uint32_t rank, const uint64_t *index)
{
    unsigned way;
    if (rank <= 3)
        return hry_hilbert_cube(order, rank, index, 0, &way);
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

/* Of each time that bits are read: the state before it, and the position so far. */
static inline void line_read(uint32_t order, uint32_t rank, const uint64_t *index, uint64_t step, size_t n,
                             int64_t *offsets)
{
    enum { READS = 32 }; /* order is at most 31 in the plane, 21 in space */
    unsigned before[READS];
    uint64_t sofar[READS], at[3];
    uint32_t read = bits_read(rank), top = read_start(order, rank, &before[0]) / read, from = top;
    memcpy(at, index, rank * sizeof *at);
    before[top] = before[0];
    sofar[top] = 0;
    for (size_t i = 0; i < n; i++) {
        for (uint32_t k = from; k > 0; k--) {
            before[k - 1] = before[k];
            sofar[k - 1] = read_on(rank, at, read * (k - 1), &before[k - 1], sofar[k]);
        }
        offsets[i] = (int64_t)sofar[0];
        uint64_t last = at[rank - 1], next = last + step;
        from = next == last ? 0 : top_bit(next ^ last) / read + 1;
        if (from > top) /* beyond the last element */
            from = top;
        at[rank - 1] = next;
    }
}

void hry_hilbert_line(uint32_t order, uint32_t rank, const uint64_t *index, int64_t step, size_t n, int64_t *offsets)
{
    if (rank <= 3) { /* constants for the compiler */
        if (rank == 2)
            line_read(order, 2, index, (uint64_t)step, n, offsets);
        else
            line_read(order, 3, index, (uint64_t)step, n, offsets);
        return;
    }
    uint64_t at[HRY_RANK_MAX];
    state before[HRY_RANK_MAX / 4 + 1];
    uint64_t sofar[HRY_RANK_MAX / 4 + 1];
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
