#include "interop/gguf/gguf_ones.h"

enum { RAW_PIECE = 16384, TURNS_MOST = 1 << 20 }; /* bytes; files that turn more often come back as without a record */

/* ---- Looking for them ---- */

typedef enum kind { NEITHER, HAD_ZERO, HAD_ONE } kind;

/* The bits of a part's scale, in as many bytes as those of 1 take. */
static inline uint32_t scale_bits(uint32_t one, const uint8_t *scales, size_t part)
{
    if (one <= UINT8_MAX)
        return scales[part];
    return one <= UINT16_MAX ? hry_load16(scales + 2 * part) : hry_load32(scales + 4 * part);
}

static inline bool is_zero(uint32_t one, uint32_t scale)
{
    uint32_t sign = one <= UINT8_MAX ? 0 : one <= UINT16_MAX ? UINT32_C(1) << 15 : UINT32_C(1) << 31;
    return (scale & ~sign) == 0;
}

static bool are_zeros(const hry_gguf_form *form, const uint8_t *codes, size_t n)
{
    unsigned differ = 0, zero = form->zero_point * 0x55u; /* only codes of two bits have one */
    for (size_t i = 0; i < n; i++)
        differ |= codes[i] ^ zero;
    return differ == 0;
}

/* A block with a scale that is 1 where its type has it. */
static kind look_at_codes(const hry_gguf_form *form, const uint8_t *block, size_t part, size_t parts)
{
    uint8_t codes[256];
    size_t n = form->codes / parts;
    return form->take_codes(block, 1, codes) == 1 && are_zeros(form, codes + part * n, n) ? HAD_ONE : NEITHER;
}

/* The first part that is of either kind tells for the block. */
static inline kind kind_of(const hry_gguf_form *form, const uint8_t *block, size_t parts)
{
    kind found = NEITHER;
    for (size_t part = 0; part < parts && found == NEITHER; part++) {
        uint32_t scale = scale_bits(form->one, block + form->scale_at, part);
        if (is_zero(form->one, scale))
            found = HAD_ZERO;
        else if (scale == form->one)
            found = look_at_codes(form, block, part, parts);
    }
    return found;
}

typedef struct taker {
    hry_gguf_bytes *to;
    uint64_t last; /* turn */
    bool ones;
} taker;

static void put_turn(taker *t, uint64_t block)
{
    uint64_t distance = block - t->last;
    do {
        uint8_t byte = (uint8_t)((distance & 0x7F) | (distance > 0x7F ? 0x80 : 0));
        hry_gguf_bytes_put(t->to, &byte, 1);
        distance >>= 7;
    } while (distance);
    t->last = block;
    t->ones = !t->ones;
}

static hry_status put_turns(const hry_gguf_view *view, size_t most, hry_gguf_bytes *to, hry_error *err)
{
    uint8_t raw[RAW_PIECE];
    const hry_gguf_type *type = view->info.type;
    size_t piece = RAW_PIECE / type->bytes, parts = type->elements / view->form->block;
    taker t = { .to = to };
    for (uint64_t first = 0; first < view->info.blocks && to->used <= most && !to->no_memory; first += piece) {
        const uint8_t *blocks;
        size_t n = view->info.blocks - first < piece ? (size_t)(view->info.blocks - first) : piece;
        hry_status status = hry_gguf_view_blocks(view, first, n, raw, &blocks, err);
        if (status)
            return status;
        for (size_t b = 0; b < n; b++) {
            kind k = kind_of(view->form, blocks + b * type->bytes, parts);
            if (k != NEITHER && (k == HAD_ONE) != t.ones)
                put_turn(&t, first + b);
        }
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
    uint64_t end = view->part->header.data_at + view->info.offset + view->info.nbytes;
    hry_status status = view->info.nbytes ? hry_foreign_bytes_still(&view->part->bytes, end, err) : HRY_OK;
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
        hry_status status = hry_gguf_file_view(f, i, &view, err);
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

uint64_t hry_gguf_ones_go(hry_gguf_ones *walk, uint64_t block, uint64_t count)
{
    while (walk->next <= block) {
        walk->ones = !walk->ones;
        read_turn(walk);
    }
    return walk->next - block < count ? walk->next - block : count;
}
