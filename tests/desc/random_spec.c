#include "desc/random_spec.h"

#include <string.h>

#define BELOW(n) naive_below(seed, n)

static const uint8_t named_types[] = { 0x01, 0x02, 0x03, 0x04, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x20,
                                       0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x48, 0x49, 0x4A, 0x4B, 0x50, 0x51 };
static const uint8_t bits_of_type[] = { 16, 16, 32, 64, 8, 8, 16,  16, 32, 32, 64, 64, 1,
                                        8,  8,  8,  4,  6, 6, 128, 4,  4,  2,  2,  64, 128 };

/* Storage types of each scheme (quantization, section 4). */
static const uint8_t affine[] = { 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x48, 0x49, 0x4A, 0x4B };
static const uint8_t by_block[] = { 0x10, 0x11, 0x48, 0x49, 0x4A, 0x4B };
static const uint8_t nf4[] = { 0x49 };
static const uint8_t mxfp[] = { 0x10, 0x48, 0x40, 0x41, 0x43, 0x44, 0x45 };

#define PICK(list) list[BELOW(sizeof list)]

static bool is_dense(uint8_t tag)
{
    return tag <= HRY_LAYOUT_MORTON || tag == HRY_LAYOUT_HILBERT;
}

static uint64_t product(const uint64_t *shape, uint32_t rank)
{
    uint64_t n = 1;
    for (uint32_t k = 0; k < rank; k++)
        n *= shape[k];
    return n;
}

/* ---- Layout and shape ---- */

static void shuffle_modes(random_spec *r, uint64_t *seed)
{
    for (uint32_t k = 0; k < r->tensor.rank; k++) {
        uint32_t other = (uint32_t)BELOW(k + 1);
        r->words[k] = r->words[other];
        r->words[other] = k;
    }
}

static void make_sparse(random_spec *r, uint64_t *seed, uint8_t tag)
{
    naive_tensor *t = &r->tensor;
    hry_layout *l = &t->layout;
    *l = (hry_layout){ .tag = tag };
    t->rank = tag == HRY_LAYOUT_COO ? 1 + (uint32_t)BELOW(5) : tag == HRY_LAYOUT_CSF ? 3 + (uint32_t)BELOW(3) : 2;
    for (uint32_t k = 0; k < t->rank; k++)
        t->shape[k] = BELOW(12);
    l->nnz = BELOW(product(t->shape, t->rank) + 1);
    l->is_sorted = tag == HRY_LAYOUT_COO && BELOW(2);
    if (tag == HRY_LAYOUT_CSF && BELOW(4)) {
        shuffle_modes(r, seed);
        l->mode_order = r->words;
    }
}

static void make_paged(random_spec *r, uint64_t *seed)
{
    naive_tensor *t = &r->tensor;
    t->rank = 3;
    for (uint32_t k = 0; k < 3; k++)
        t->shape[k] = 1 + BELOW(40);
    t->layout = (hry_layout){ .tag = HRY_LAYOUT_BLOCK_PAGED,
                              .page_size = 1u << BELOW(5),
                              .num_pages = BELOW(20),
                              .num_seqs = 1 + (uint32_t)BELOW(5),
                              .kv_role = (uint8_t)BELOW(3),
                              .layer_index = BELOW(2) ? UINT32_MAX : (uint32_t)BELOW(99),
                              .block_table_index_type = (uint8_t)BELOW(2) };
}

static void make_other(random_spec *r, uint64_t *seed, uint8_t tag)
{
    naive_tensor *t = &r->tensor;
    hry_layout *l = &t->layout;
    *l = (hry_layout){ .tag = tag };
    t->rank = 1 + (uint32_t)BELOW(64);
    for (uint32_t k = 0; k < t->rank; k++)
        t->shape[k] = naive_random(seed) >> BELOW(64);
    if (tag == HRY_LAYOUT_COMPOSITE) {
        l->composition_rule = (uint8_t)(1 + BELOW(3));
        l->combine_op = l->composition_rule == 2 ? (uint8_t)(1 + BELOW(2)) : 0;
        l->member_count = (uint32_t)(naive_random(seed) >> 33 >> BELOW(30)) + 1;
        return;
    }
    l->extension_layout_id = naive_random(seed);
    l->extension_data_length = (uint32_t)BELOW(sizeof r->opaque_bytes);
    for (uint32_t i = 0; i < l->extension_data_length; i++)
        r->opaque_bytes[i] = (uint8_t)naive_random(seed);
    l->extension_data = BELOW(2) || l->extension_data_length ? r->opaque_bytes : NULL;
}

static void make_layout(random_spec *r, uint64_t *seed)
{
    static const uint8_t tags[] = { 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0x40, 0xF0, 0xFE };
    uint8_t tag = PICK(tags);
    if (is_dense(tag)) {
        uint32_t least = tag == HRY_LAYOUT_HILBERT ? 2 : tag == HRY_LAYOUT_ROW_MAJOR ? 0 : 1;
        naive_make(&r->tensor, seed, tag, least + (uint32_t)BELOW(4), 9);
    } else if (tag <= HRY_LAYOUT_CSF) {
        make_sparse(r, seed, tag);
    } else if (tag == HRY_LAYOUT_BLOCK_PAGED) {
        make_paged(r, seed);
    } else {
        make_other(r, seed, tag);
    }
    uint32_t rank = r->tensor.rank;
    uint64_t *shape = r->tensor.shape;
    if (rank && tag <= HRY_LAYOUT_MORTON && BELOW(8) == 0) /* empty or dynamic */
        shape[BELOW(rank)] = BELOW(2) ? 0 : HRY_DYNAMIC;
    r->spec = (hry_desc_spec){ .rank = rank, .shape = shape, .layout = &r->tensor.layout };
    if (tag == HRY_LAYOUT_ROW_MAJOR && BELOW(2))
        r->spec.layout = NULL;
}

/* ---- Type and quantization ---- */

static void make_type(random_spec *r, uint64_t *seed)
{
    hry_extension_type *e = &r->extension_type;
    if (BELOW(6)) {
        r->spec.type = PICK(named_types);
        return;
    }
    static const uint8_t widths[] = { 1, 2, 4, 8, 16, 24, 32, 128 };
    *e = (hry_extension_type){ .bit_width = PICK(widths) };
    e->packing_factor = (uint8_t)(e->bit_width < 8 ? 8 / e->bit_width : 1);
    e->is_float = e->bit_width >= 4 && BELOW(2);
    if (e->is_float) {
        e->sign_bits = (uint8_t)BELOW(2);
        e->exponent_bits = (uint8_t)(1 + BELOW(e->bit_width - e->sign_bits));
        e->mantissa_bits = (uint8_t)(e->bit_width - e->sign_bits - e->exponent_bits);
        e->exponent_bias = (uint32_t)naive_random(seed);
        e->has_nan = (uint8_t)BELOW(2);
        e->has_inf = (uint8_t)BELOW(2);
    } else {
        e->is_signed = (uint8_t)BELOW(2);
    }
    r->spec.type = (uint8_t)(0xF0 + BELOW(15));
    r->spec.extension_type = e;
}

static uint32_t own_buffers(const hry_desc_spec *spec)
{
    static const uint8_t base[] = { 0, 1, 1, 1, 1, 1, 2, 3, 3, 0, 3, 0 };
    uint8_t tag = spec->layout ? spec->layout->tag : HRY_LAYOUT_ROW_MAJOR;
    if (tag == HRY_LAYOUT_CSF)
        return 2 * spec->rank + 1;
    return tag < sizeof base ? base[tag] : 1;
}

/* Two buffers in either order, or one for both. */
static void pick_indices(hry_quantization *q, uint64_t *seed, uint32_t own)
{
    uint64_t how = BELOW(4);
    q->flags = how == 0 ? HRY_QUANT_SYMMETRIC : 0;
    q->scale_buffer_index = own + (how == 1);
    q->zero_point_buffer_index = how == 0 ? HRY_NO_BUFFER : how == 2 ? own + 1 : own;
}

static uint32_t power_of_two(uint64_t *seed, uint64_t least, uint64_t most)
{
    uint64_t x = least;
    while (2 * x <= most && BELOW(3))
        x *= 2;
    return (uint32_t)x;
}

static void make_per_block(random_spec *r, uint64_t *seed, uint32_t own, uint64_t size)
{
    hry_quantization *q = &r->quantization;
    bool paged = r->tensor.layout.tag == HRY_LAYOUT_BLOCK_PAGED;
    q->block_size = paged ? r->tensor.layout.page_size : power_of_two(seed, 2, size ? size : 1024);
    q->axis = paged ? 0 : q->axis;
    if (q->block_size < 2 || (!paged && size == 1))
        return;
    pick_indices(q, seed, own);
    static const uint8_t scale_types[] = { 0, 1, 2, 3 };
    q->scale_type_tag = PICK(scale_types);
    r->spec.type = PICK(by_block);
    r->spec.quantization = q;
}

static void make_quantization(random_spec *r, uint64_t *seed)
{
    hry_quantization *q = &r->quantization;
    uint8_t tag = r->tensor.layout.tag, scheme = (uint8_t)(1 + BELOW(6));
    uint32_t own = own_buffers(&r->spec);
    *q = (hry_quantization){ .scheme = scheme, .scale_buffer_index = own, .version = (uint8_t)BELOW(2) };
    if (r->spec.extension_type || tag == HRY_LAYOUT_COMPOSITE || tag >= 0xF0)
        return;
    if (scheme == 6) {
        q->scheme = (uint8_t)(0xF0 + BELOW(15));
        q->version = (uint8_t)BELOW(256);
        q->flags = (uint16_t)naive_random(seed);
        q->payload = r->opaque_bytes;
        q->payload_length = (uint32_t)BELOW(sizeof r->opaque_bytes);
        r->spec.quantization = q;
        return;
    }
    if (scheme == HRY_SCHEME_PER_TENSOR) {
        q->scale = (float)(BELOW(2000) + 1) * (BELOW(2) ? 0.001f : -3e-39f);
        q->zero_point = (int32_t)BELOW(2); /* every storage type has 0 and 1 */
        r->spec.type = PICK(affine);
        r->spec.quantization = q;
        return;
    }
    if (r->spec.rank == 0)
        return;
    q->axis = (uint32_t)BELOW(r->spec.rank);
    uint64_t size = r->spec.shape[q->axis];
    if (size == HRY_DYNAMIC)
        return;
    if (scheme == HRY_SCHEME_PER_CHANNEL) {
        if (tag == HRY_LAYOUT_BLOCK_PAGED)
            q->axis = 1 + (uint32_t)BELOW(2);
        pick_indices(q, seed, own);
        r->spec.type = PICK(affine);
        r->spec.quantization = q;
    } else if (scheme == HRY_SCHEME_PER_BLOCK) {
        make_per_block(r, seed, own, size);
    } else if (scheme == HRY_SCHEME_NF4 && tag != HRY_LAYOUT_BLOCK_PAGED && (size == 0 || size >= 8)) {
        q->block_size = power_of_two(seed, 8, size ? size : 4096);
        r->spec.type = PICK(nf4);
        r->spec.quantization = q;
    } else if (scheme == HRY_SCHEME_MXFP &&
               (tag <= HRY_LAYOUT_STRIDED || (tag >= HRY_LAYOUT_COO && tag <= HRY_LAYOUT_CSF))) {
        q->block_size = power_of_two(seed, 16, 2048);
        r->tensor.shape[q->axis] = q->block_size * (1 + BELOW(3));
        r->spec.type = PICK(mxfp);
        r->spec.quantization = q;
    }
}

/* ---- Other sections ---- */

static void make_shard(random_spec *r, uint64_t *seed)
{
    uint8_t tag = r->tensor.layout.tag;
    if (tag == HRY_LAYOUT_CSF || tag == HRY_LAYOUT_BLOCK_PAGED)
        return;
    for (uint32_t k = 0; k < r->spec.rank; k++) {
        uint64_t size = r->spec.shape[k];
        if (size >= HRY_DYNAMIC - 1)
            return;
        r->shard_offset[k] = BELOW(HRY_DYNAMIC - size) >> BELOW(64);
        uint64_t end = r->shard_offset[k] + size;
        r->parent_shape[k] = end + (BELOW(HRY_DYNAMIC - end) >> BELOW(64));
    }
    r->spec.parent_shape = r->parent_shape;
    r->spec.shard_offset = r->shard_offset;
}

static void make_statistics(random_spec *r, uint64_t *seed)
{
    uint8_t tag = r->tensor.layout.tag;
    hry_statistics *s = &r->statistics;
    *s = (hry_statistics){ .computed_mask = (uint32_t)BELOW(64), .nm_n = (uint8_t)BELOW(3), .nm_m = 4 };
    s->nnz = tag >= HRY_LAYOUT_COO && tag <= HRY_LAYOUT_CSF ? r->tensor.layout.nnz : naive_random(seed);
    s->sparsity_ratio = (double)BELOW(1001) / 1000.0;
    s->value_min = -(double)BELOW(1000);
    s->value_max = (double)BELOW(1000) / 3.0;
    s->value_abs_max = -s->value_min > s->value_max ? -s->value_min : s->value_max;
    s->value_mean = 0.25;
    s->value_stddev = (double)BELOW(100);
    s->has_nan = (uint8_t)BELOW(2);
    s->has_inf = (uint8_t)BELOW(2);
    r->spec.statistics = s;
}

/* ---- The sizes that buffers need ---- */

uint32_t spec_bits(const hry_desc_spec *spec)
{
    for (size_t i = 0; i < sizeof named_types; i++)
        if (named_types[i] == spec->type)
            return bits_of_type[i];
    return spec->extension_type->bit_width;
}

static uint64_t packed(uint32_t bits, uint64_t count)
{
    if (bits == 6)
        return (count + 3) / 4 * 3;
    return bits < 8 ? (count * bits + 7) / 8 : count * (bits / 8);
}

/* The last byte behind all elements of a dense layout, from the first one's, and the bytes before that. */
static uint64_t dense_size(const hry_desc_spec *spec, const hry_layout *l, uint64_t *before)
{
    uint64_t shape[HRY_RANK_MAX], index[HRY_RANK_MAX] = { 0 }, most = 0, least = 0;
    bool morton = l->tag == HRY_LAYOUT_MORTON;
    for (uint32_t k = 0; k < spec->rank; k++) {
        shape[k] = spec->shape[k];
        if (l->tag == HRY_LAYOUT_TILED) /* whole tiles, padding included */
            shape[k] = (shape[k] + l->tile_shape[k] - 1) / l->tile_shape[k] * l->tile_shape[k];
    }
    hry_layout plain = *l;
    plain.tag = plain.tag ? plain.tag : HRY_LAYOUT_ROW_MAJOR;
    do {
        int64_t at = naive_offset(&plain, spec->rank, shape, index);
        most = at > 0 && (uint64_t)at > most ? (uint64_t)at : most;
        least = at < 0 && (uint64_t)-at > least ? (uint64_t)-at : least;
    } while (naive_next(spec->rank, shape, index));
    if (morton) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < spec->rank; k++)
            sum += l->morton_bits[k];
        most = ((uint64_t)1 << sum) - 1 > most ? ((uint64_t)1 << sum) - 1 : most;
    }
    /* Back to the start of a byte, or of a group of four: as many bytes as so many elements fill. */
    *before = packed(spec_bits(spec), least);
    return packed(spec_bits(spec), most + 1);
}

static bool is_empty_or_dynamic(const hry_desc_spec *spec)
{
    for (uint32_t k = 0; k < spec->rank; k++)
        if (spec->shape[k] == 0 || spec->shape[k] == HRY_DYNAMIC)
            return true;
    return false;
}

static void own_sizes(const hry_desc_spec *spec, const hry_layout *l, uint64_t *sizes)
{
    uint32_t bits = spec_bits(spec), rank = spec->rank;
    uint64_t before;
    uint64_t pointers = l->tag == HRY_LAYOUT_CSR ? spec->shape[0] : spec->shape[1];
    switch (l->tag) {
    case HRY_LAYOUT_COO:
        sizes[0] = packed(bits, l->nnz);
        sizes[1] = 8 * l->nnz * rank;
        break;
    case HRY_LAYOUT_CSR:
    case HRY_LAYOUT_CSC:
        sizes[0] = packed(bits, l->nnz);
        sizes[1] = 8 * l->nnz;
        sizes[2] = pointers == HRY_DYNAMIC ? 0 : 8 * (pointers + 1);
        break;
    case HRY_LAYOUT_CSF:
        sizes[0] = packed(bits, l->nnz);
        for (uint32_t level = 0; level < rank; level++) {
            sizes[2 * level + 1] = level ? 8 : 16;
            sizes[2 * level + 2] = level + 1 < rank ? 0 : 8 * l->nnz;
        }
        break;
    case HRY_LAYOUT_BLOCK_PAGED:
        sizes[0] = packed(bits, l->num_pages * l->page_size * spec->shape[1] * spec->shape[2]);
        sizes[1] = 0;
        sizes[2] = (l->block_table_index_type ? 8u : 4u) * ((uint64_t)l->num_seqs + 1);
        break;
    default:
        if (l->tag < 0xF0 && l->tag != HRY_LAYOUT_COMPOSITE)
            sizes[0] = spec->byte_offset + (is_empty_or_dynamic(spec) ? 0 : dense_size(spec, l, &before));
    }
}

static uint64_t parameters(const hry_desc_spec *spec, const hry_layout *l)
{
    const hry_quantization *q = spec->quantization;
    if (q->scheme == HRY_SCHEME_PER_CHANNEL)
        return spec->shape[q->axis];
    if (l->tag == HRY_LAYOUT_BLOCK_PAGED)
        return l->num_pages * l->page_size;
    uint64_t blocks = (spec->shape[q->axis] + q->block_size - 1) / q->block_size;
    for (uint32_t k = 0; k < spec->rank; k++) {
        if (spec->shape[k] == HRY_DYNAMIC)
            return 0;
        blocks *= k == q->axis ? 1 : spec->shape[k];
    }
    return blocks;
}

uint32_t spec_buffers(const hry_desc_spec *spec, uint64_t *sizes)
{
    static const hry_layout row_major = { .tag = HRY_LAYOUT_ROW_MAJOR };
    const hry_layout *l = spec->layout ? spec->layout : &row_major;
    const hry_quantization *q = spec->quantization;
    uint32_t own = own_buffers(spec), count = own;
    for (uint32_t i = 0; i < own + 2; i++)
        sizes[i] = 0;
    if (own)
        own_sizes(spec, l, sizes);
    if (!q || q->scheme == HRY_SCHEME_PER_TENSOR || q->scheme >= 0xF0)
        return count;
    static const uint8_t scale_sizes[] = { 4, 2, 2, 4 };
    uint64_t n = parameters(spec, l);
    sizes[q->scale_buffer_index] += n * (q->scheme == HRY_SCHEME_MXFP        ? 1
                                         : q->scheme == HRY_SCHEME_PER_BLOCK ? scale_sizes[q->scale_type_tag]
                                                                             : 4);
    count++;
    if (q->scheme > HRY_SCHEME_PER_BLOCK || q->flags & HRY_QUANT_SYMMETRIC)
        return count;
    sizes[q->zero_point_buffer_index] += 4 * n;
    return count + (q->zero_point_buffer_index != q->scale_buffer_index);
}

void random_spec_make(random_spec *r, uint64_t *seed)
{
    make_layout(r, seed);
    make_type(r, seed);
    uint8_t tag = r->tensor.layout.tag;
    if (BELOW(2))
        make_quantization(r, seed);
    if (BELOW(3) == 0)
        make_shard(r, seed);
    if (BELOW(3) == 0)
        make_statistics(r, seed);
    if (tag != HRY_LAYOUT_COMPOSITE && BELOW(3) == 0) {
        r->member_role = (uint8_t)BELOW(2);
        r->spec.member_role = &r->member_role;
    }
    if (!is_dense(tag))
        return;
    uint64_t before = 0;
    if (!is_empty_or_dynamic(&r->spec))
        dense_size(&r->spec, &r->tensor.layout, &before);
    r->spec.byte_offset = before + (BELOW(3) == 0 ? BELOW(100) : 0);
}

void random_buffers(random_spec *r, uint64_t *seed)
{
    static const uint8_t classes[] = { 0x7, 0xF, 0xF, 0x7, 0xF, 0x1, 0x7, 0xF, 0x7, 1 }; /* buffers, section 4 */
    const hry_quantization *q = r->spec.quantization;
    uint64_t sizes[140];
    uint32_t count = spec_buffers(&r->spec, sizes), own = own_buffers(&r->spec);
    uint8_t device = (uint8_t)BELOW(10), memory;
    do
        memory = (uint8_t)BELOW(4);
    while (!(classes[device] >> memory & 1));
    bool exact = q && (q->scheme == HRY_SCHEME_PER_BLOCK || q->scheme == HRY_SCHEME_NF4);
    for (uint32_t i = 0; i < count; i++) {
        r->buffers[i] = (hry_buffer){ .byte_size = sizes[i] + (i < own && !exact ? BELOW(3) : 0),
                                      .alignment = BELOW(2) ? 0 : 64u << BELOW(26),
                                      .device_tag = device < 9 ? device : 0xF7,
                                      .sync_mode = device ? (uint8_t)BELOW(3) : 0,
                                      .memory_class = memory };
    }
    r->spec.buffers = r->buffers;
    r->spec.buffer_count = count;
}
