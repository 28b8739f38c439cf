#include "interop/gguf/gguf_ones.h"

#include "interop/gguf/gguf_half.h"

enum { RAW_PIECE = 16384, TURNS_MOST = 1 << 20 }; /* bytes; files that turn more often come back as without a record */

/* ---- Looking for them ---- */

/* The bits of a part's scale, in as many bytes as those of 1 take. */
static inline uint32_t scale_bits(uint32_t one, const uint8_t *scales, size_t part)
{
    if (one <= UINT8_MAX)
        return scales[part];
    return one <= UINT16_MAX ? hry_load16(scales + 2 * part) : hry_load32(scales + 4 * part);
}

/* All but the sign, where there is one: a scale may be -0. */
static inline uint32_t number_bits(uint32_t one)
{
    return one <= UINT8_MAX ? UINT8_MAX : one <= UINT16_MAX ? INT16_MAX : INT32_MAX;
}

/* The first of n blocks, stride apart, with a scale of 1, or of zero; n when there is none. */
static inline __attribute__((always_inline)) size_t find_scale(const uint8_t *scales, size_t stride, size_t n,
                                                               uint32_t one, size_t parts, bool zero)
{
    uint32_t mask = zero ? number_bits(one) : UINT32_MAX, wanted = zero ? 0 : one;
    for (size_t b = 0; b < n; b++, scales += stride)
        for (size_t part = 0; part < parts; part++)
            if ((scale_bits(one, scales, part) & mask) == wanted)
                return b;
    return n;
}

/* Most types have a half: then it is worth to know that. */
static size_t find(const hry_gguf_view *view, const uint8_t *blocks, size_t n, bool zero)
{
    const hry_gguf_form *form = view->form;
    const hry_gguf_type *type = view->info.type;
    const uint8_t *scales = blocks + form->scale_at;
    return form->one == HRY_GGUF_HALF_ONE
               ? find_scale(scales, type->bytes, n, HRY_GGUF_HALF_ONE, 1, zero)
               : find_scale(scales, type->bytes, n, form->one, hry_gguf_parts_of(type, form), zero);
}

static bool are_zeros(const hry_gguf_form *form, const uint8_t *codes, size_t n)
{
    unsigned differ = 0, zero = form->zero_point * 0x55u; /* only codes of two bits have one */
    for (size_t i = 0; i < n; i++)
        differ |= codes[i] ^ zero;
    return differ == 0;
}

typedef struct taker {
    hry_gguf_bytes *to;
    uint64_t last; /* turn */
    bool ones;
} taker;

static void put_turn(taker *t, uint64_t part)
{
    uint64_t distance = part - t->last;
    do {
        uint8_t byte = (uint8_t)((distance & 0x7F) | (distance > 0x7F ? 0x80 : 0));
        hry_gguf_bytes_put(t->to, &byte, 1);
        distance >>= 7;
    } while (distance);
    t->last = part;
    t->ones = !t->ones;
}

/* The turns within a block: a scale of zero after ones, and codes of zero for a scale of 1 after those of zero. */
static void look_into(const hry_gguf_view *view, uint64_t number, const uint8_t *block, taker *t)
{
    uint8_t codes[256];
    const hry_gguf_form *form = view->form;
    size_t parts = hry_gguf_parts_of(view->info.type, form), n = form->codes / parts;
    if (form->take_codes(block, 1, codes) == 0)
        return;
    for (size_t part = 0; part < parts; part++) {
        uint32_t bits = scale_bits(form->one, block + form->scale_at, part);
        if (t->ones ? (bits & number_bits(form->one)) == 0 : bits == form->one && are_zeros(form, codes + part * n, n))
            put_turn(t, number * parts + part);
    }
}

/* Only the kind that would be a turn is looked for. */
static void look_at(const hry_gguf_view *view, uint64_t first, const uint8_t *blocks, size_t n, taker *t)
{
    size_t size = view->info.type->bytes;
    for (size_t b = 0; (b += find(view, blocks + b * size, n - b, t->ones)) < n; b++)
        look_into(view, first + b, blocks + b * size, t);
}

static hry_status put_turns(const hry_gguf_view *view, size_t most, hry_gguf_bytes *to, hry_error *err)
{
    uint8_t raw[RAW_PIECE];
    size_t piece = RAW_PIECE / view->info.type->bytes;
    taker t = { .to = to };
    for (uint64_t first = 0; first < view->info.blocks && to->used <= most && !to->no_memory; first += piece) {
        const uint8_t *blocks;
        size_t n = view->info.blocks - first < piece ? (size_t)(view->info.blocks - first) : piece;
        hry_status status = hry_gguf_view_blocks(view, first, n, raw, &blocks, err);
        if (status)
            return status;
        look_at(view, first, blocks, n, &t);
    }
    return HRY_OK;
}

/* The tensor's turns behind its name and type. *put: it has any, and they are not too many. */
static hry_status record_tensor(const hry_gguf_view *view, size_t most, hry_gguf_bytes *to, bool *put, hry_error *err)
{
    size_t start = to->used;
    hry_gguf_bytes_put_string(to, view->name);
    hry_gguf_bytes_put32(to, view->info.type_id);
    hry_gguf_bytes_put64(to, view->info.blocks);
    hry_gguf_bytes_put64(to, 0);
    size_t turns_at = to->used;
    hry_status status = hry_gguf_view_still(view, view->info.nbytes, err);
    if (status == HRY_OK)
        status = put_turns(view, most, to, err);
    if (status)
        return status;
    *put = to->used > turns_at && to->used <= most;
    if (*put)
        hry_gguf_bytes_put64_at(to, turns_at - 8, to->used - turns_at);
    else
        to->used = start;
    return HRY_OK;
}

hry_status hry_gguf_ones_record(hry_gguf_file *f, hry_error *err)
{
    hry_gguf_bytes *to = &f->record;
    size_t start = to->used, most = start + TURNS_MOST;
    uint64_t count = 0;
    hry_gguf_bytes_put64(to, 0);
    for (uint64_t i = 0; i < f->names.count; i++) {
        hry_gguf_view view;
        bool put = false;
        hry_status status = hry_gguf_file_type_view(f, i, &view, err);
        if (status == HRY_OK && view.how == HRY_GGUF_FORMED && view.form->one)
            status = record_tensor(&view, most, to, &put, err);
        if (status)
            return status;
        count += put;
    }
    if (count)
        hry_gguf_bytes_put64_at(to, start, count);
    else
        to->used = start;
    return HRY_OK;
}

/* ---- Walking along them ---- */

static void read_turn(hry_gguf_ones *walk)
{
    uint64_t distance = 0, from = walk->next;
    unsigned shift = 0;
    walk->next = UINT64_MAX;
    while (walk->at < walk->end && shift < 63) {
        uint8_t byte = *walk->at++;
        distance |= (uint64_t)(byte & 0x7F) << shift;
        shift += 7;
        if (byte < 0x80) {
            walk->next = distance < UINT64_MAX - from ? from + distance : UINT64_MAX;
            return;
        }
    }
}

hry_gguf_ones hry_gguf_ones_begin(hry_str turns)
{
    const uint8_t *bytes = (const uint8_t *)turns.ptr;
    hry_gguf_ones walk = { .at = bytes, .end = bytes ? bytes + turns.len : NULL };
    read_turn(&walk);
    return walk;
}

/* Whether zeros of a part had a scale of 1; parts in their order. */
static bool go(hry_gguf_ones *walk, uint64_t part)
{
    while (walk->next <= part) {
        walk->ones = !walk->ones;
        read_turn(walk);
    }
    return walk->ones;
}

uint64_t hry_gguf_ones_go(hry_gguf_ones *walk, uint64_t block, uint64_t count, size_t parts, unsigned *ones)
{
    *ones = 0;
    for (size_t part = 0; part < parts; part++)
        *ones |= (unsigned)go(walk, block * parts + part) << part;
    /* Blocks before the one with the next turn. NOLINTNEXTLINE(clang-analyzer-core.DivideZero): each has a scale */
    uint64_t alike = walk->next / parts - block;
    bool turns = *ones != 0 && *ones != (1u << parts) - 1;
    return turns ? 1 : alike < count ? alike : count;
}
