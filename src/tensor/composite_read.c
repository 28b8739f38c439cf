/* Composites read through their members (composite, section 4). */
#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "tensor/access.h"
#include "tensor/add.h"
#include "tensor/members.h"
#include "tensor/move.h"
#include "tensor/split.h"
#include "tensor/stored.h"
#include "tensor/verify.h"
#include "type/types.h"

enum { REPLACE = 1 };

/* ---- The part of a box that lies in a member ---- */

/*
 * The positions of axis k of box whose indices are from low to low + length - 1: the first and how many. False when
 * there are none.
 */
static bool clip_axis(const hry_box *box, uint32_t k, uint64_t low, uint64_t length, uint64_t *first, uint64_t *count)
{
    uint64_t start = box->start[k], n = box->count[k];
    bool down = box->step[k] < 0;
    uint64_t step = down ? 0 - (uint64_t)box->step[k] : (uint64_t)box->step[k];
    if (n == 0 || length == 0)
        return false;
    uint64_t high = low + (length - 1); /* lies in the head, as the members' boxes do */
    uint64_t to_enter = down ? (start > high ? start - high : 0) : (start < low ? low - start : 0);
    if (down ? start < low : start > high)
        return false;
    uint64_t to_leave = down ? start - low : high - start, last = to_leave / step;
    *first = hry_ceil_div(to_enter, step);
    if (last > n - 1)
        last = n - 1;
    if (*first > last)
        return false;
    *count = last - *first + 1;
    return true;
}

/* The part of box in a member, in the member's indices, and the part of the sink that it goes to. */
static bool clip(const hry_tensor *member, const hry_box *box, const hry_value_sink *sink, hry_box *part,
                 hry_value_sink *to)
{
    const hry_desc *desc = &member->desc;
    uint64_t parent[HRY_RANK_MAX], offset[HRY_RANK_MAX], first[HRY_RANK_MAX], count[HRY_RANK_MAX];
    if (!hry_desc_shard(desc, parent, offset))
        return false;
    for (uint32_t k = 0; k < desc->rank; k++)
        if (!clip_axis(box, k, offset[k], hry_desc_dim(desc, k), &first[k], &count[k]))
            return false;
    to->bytes = sink->bytes;
    to->want = sink->want;
    to->bits = sink->bits;
    to->token_counts = NULL;
    to->executor = sink->executor;
    hry_map_copy(&to->map, &sink->map);
    for (uint32_t k = 0; k < desc->rank; k++) {
        part->start[k] = box->start[k] + first[k] * (uint64_t)box->step[k] - offset[k];
        part->count[k] = count[k];
        part->step[k] = box->step[k];
        hry_map_cut(&to->map, k, first[k], count[k]);
    }
    return true;
}

static hry_status check_member(const hry_tensor *member, const hry_value_sink *sink, hry_error *err)
{
    if (sink->want.stored && member->desc.flags & HRY_HAS_QUANTIZATION)
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_QUANTIZATION, 0, 0,
                        "a composite with quantized members has no stored codes of its own");
    return hry_tensor_check_readable(member, err);
}

/* The members that a box may lie in: first to end - 1. */
static void members_around(const hry_tensor *tensor, const hry_box *box, size_t *first, size_t *end)
{
    uint32_t k = tensor->split_axis;
    *first = 0;
    *end = tensor->member_count;
    if (k == HRY_RANK_MAX)
        return;
    uint64_t last = box->start[k] + (box->count[k] - 1) * (uint64_t)box->step[k];
    uint64_t low = box->step[k] < 0 ? last : box->start[k], high = box->step[k] < 0 ? box->start[k] : last;
    *first = hry_split_find(tensor, low);
    *end = hry_split_find(tensor, high);
    *end += *end < tensor->member_count;
}

static hry_status read_partition(const hry_tensor *tensor, const hry_box *box, const hry_value_sink *sink,
                                 hry_error *err)
{
    size_t first, end;
    members_around(tensor, box, &first, &end);
    for (size_t i = first; i < end; i++) {
        const hry_tensor *member = tensor->members[i];
        hry_box part;
        hry_value_sink to;
        if (!clip(member, box, sink, &part, &to))
            continue;
        hry_status status = check_member(member, sink, err);
        if (!status)
            status = hry_read_into(member, &part, &to, err);
        if (status)
            return status;
    }
    return HRY_OK;
}

/* ---- Overlays ---- */

static bool is_sparse(const hry_tensor *tensor)
{
    return tensor->desc.layout >= HRY_LAYOUT_COO && tensor->desc.layout <= HRY_LAYOUT_CSF;
}

/* A correction that replaces: what it stores goes over what is there. */
static hry_status replace(const hry_tensor *member, const hry_box *part, const hry_value_sink *to, hry_error *err)
{
    return is_sparse(member) ? hry_put_sparse(member, part, to, err) : hry_read_into(member, part, to, err);
}

/* Adds what is stored, element by element: there may be few, far apart. */
static hry_status add_stored(const hry_tensor *member, const hry_box *part, const hry_value_sink *to, hry_add_fn *add,
                             hry_error *err)
{
    hry_stored stored;
    hry_decoder decoder;
    bool all = true;
    hry_status status = hry_decoder_init(&decoder, member, &to->want, err);
    if (!status)
        status = hry_verify_once(member, to->executor, err);
    if (status)
        return status;
    hry_sparse_of(member, &stored.sparse);
    hry_stored_start(&stored, part);
    while (hry_stored_step(&stored)) {
        _Alignas(16) uint8_t code[16], value[16];
        uint64_t at[HRY_RANK_MAX];
        int64_t from = (int64_t)stored.position, first = 0;
        for (uint32_t k = 0; k < stored.sparse.rank; k++)
            hry_box_position(part, k, stored.index[k], &at[k]);
        hry_move_list(decoder.bits, hry_tensor_first(member), &from, code, &first, 1);
        all &= hry_decoder_run(&decoder, code, 1, stored.index, stored.sparse.rank - 1, 1, value);
        add(to->bytes + hry_map_offset(&to->map, at) * (int64_t)(to->bits / 8), 0, value, 1);
    }
    return all ? HRY_OK : hry_fail_no_value(to, err);
}

/* Adds a part that is dense: read by slices along its first axis, so that little memory is enough. */
static hry_status add_dense(const hry_tensor *member, const hry_box *part, const hry_value_sink *to, hry_add_fn *add,
                            hry_error *err)
{
    enum { ENOUGH = 1 << 18 };
    size_t size = to->bits / 8;
    uint64_t slice = 1, rows, nbytes;
    uint32_t rank = member->desc.rank;
    for (uint32_t k = 1; k < rank; k++)
        if (!hry_mul(slice, part->count[k], &slice))
            return hry_fail_memory(err, UINT64_MAX);
    rows = slice < ENOUGH / size ? ENOUGH / size / slice : 1;
    rows = rows < part->count[0] ? rows : part->count[0];
    size_t room_size;
    if (!hry_mul(slice, rows, &nbytes) || !hry_mul(nbytes, size, &nbytes) || !hry_to_size(nbytes, &room_size))
        return hry_fail_memory(err, UINT64_MAX);
    uint8_t *room = hry_alloc(&member->allocator, room_size, 64);
    if (!room)
        return hry_fail_memory(err, nbytes);
    hry_status status = HRY_OK;
    for (uint64_t j = 0; j < part->count[0] && !status; j += rows) {
        hry_box box = *part;
        hry_value_sink packed = { .bytes = room, .want = to->want, .bits = to->bits, .executor = to->executor };
        hry_map target;
        hry_walk walk;
        box.start[0] += j * (uint64_t)part->step[0];
        box.count[0] = part->count[0] - j < rows ? part->count[0] - j : rows;
        hry_map_packed(&packed.map, rank, box.count);
        hry_map_copy(&target, &to->map);
        hry_map_cut(&target, 0, j, box.count[0]);
        status = hry_read_into(member, &box, &packed, err);
        const uint8_t *from = room;
        uint64_t n = target.axis[target.rank - 1].count;
        int64_t stride = hry_map_stride(&target, target.rank - 1) * (int64_t)size;
        for (bool more = !status && hry_walk_init(&walk, &target); more; more = hry_walk_row(&walk), from += n * size)
            add(to->bytes + walk.row * (int64_t)size, stride, from, n);
    }
    hry_free(&member->allocator, room, room_size, 64);
    return status;
}

/* Base and corrections in order into a sink of the head's own type, whose map is affine. */
static hry_status merge(const hry_tensor *tensor, const hry_box *box, const hry_value_sink *sink, hry_add_fn *add,
                        hry_error *err)
{
    for (size_t i = 0; i < tensor->member_count; i++) {
        const hry_tensor *member = tensor->members[i];
        hry_box part;
        hry_value_sink to;
        if (!clip(member, box, sink, &part, &to))
            continue;
        hry_status status = check_member(member, sink, err);
        if (!status && i == 0)
            status = hry_read_into(member, &part, &to, err);
        else if (!status && !add)
            status = replace(member, &part, &to, err);
        else if (!status)
            status =
                is_sparse(member) ? add_stored(member, &part, &to, add, err) : add_dense(member, &part, &to, add, err);
        if (status)
            return status;
    }
    return HRY_OK;
}

/* In memory of our own, in the head's type and the format's byte order, and from there to what is wanted. */
static hry_status merge_aside(const hry_tensor *tensor, const hry_box *box, const hry_value_sink *sink, hry_add_fn *add,
                              hry_error *err)
{
    uint32_t bits = hry_desc_bits(&tensor->desc);
    hry_value_sink aside = { .want = { .type = tensor->desc.type, .raw = true, .stored = sink->want.stored },
                             .bits = bits,
                             .executor = sink->executor };
    hry_decoder decoder;
    hry_map from;
    uint64_t count, nbytes;
    size_t size;
    hry_status status = hry_decoder_init(&decoder, tensor, &sink->want, err);
    if (status)
        return status;
    hry_map_packed(&aside.map, tensor->desc.rank, box->count);
    hry_map_copy(&from, &aside.map);
    if (!hry_map_count(&aside.map, &count) || !hry_type_size(bits, count, &nbytes) || !hry_to_size(nbytes, &size))
        return hry_fail_memory(err, UINT64_MAX);
    aside.bytes = hry_alloc(&tensor->allocator, size, 64);
    if (!aside.bytes)
        return hry_fail_memory(err, nbytes);
    status = merge(tensor, box, &aside, add, err);
    if (!status)
        status = hry_read_dense(&decoder, aside.bytes, &from, box, sink, err);
    hry_free(&tensor->allocator, aside.bytes, size, 64);
    return status;
}

static bool sink_is_affine(const hry_value_sink *sink)
{
    for (uint32_t k = 0; k < sink->map.rank; k++)
        if (sink->map.hilbert_order || !hry_map_is_affine(&sink->map, k))
            return false;
    return true;
}

static hry_status read_overlay(const hry_tensor *tensor, uint8_t combine_op, const hry_box *box,
                               const hry_value_sink *sink, hry_error *err)
{
    uint8_t type = tensor->desc.type;
    hry_add_fn *add = NULL;
    if (combine_op != REPLACE) {
        add = hry_add_of(type);
        if (!add)
            return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_NONE, 0, type,
                            "an overlay of %s cannot be added up (composite, section 4.2)", hry_type_name(type));
    }
    /* A sum is kept in the format's byte order, which on some hosts is not the one that is asked for. */
    bool direct = sink->want.type == type && sink_is_affine(sink) && (!add || sink->want.raw || !HRY_HOST_SWAPS);
    return direct ? merge(tensor, box, sink, add, err) : merge_aside(tensor, box, sink, add, err);
}

hry_status hry_read_composite(const hry_tensor *tensor, const hry_box *box, const hry_value_sink *sink, hry_error *err)
{
    hry_layout layout;
    hry_layout_store store;
    hry_desc_layout_get(&tensor->desc, &layout, &store);
    hry_value_sink inner = { .bytes = sink->bytes, .want = sink->want, .bits = sink->bits, .executor = sink->executor };
    hry_map_copy(&inner.map, &sink->map);
    if (!inner.want.through)
        inner.want.through = tensor->desc.type;
    if (layout.composition_rule == HRY_COMPOSITE_PARTITION)
        return read_partition(tensor, box, &inner, err);
    if (layout.composition_rule == HRY_COMPOSITE_OVERLAY)
        return read_overlay(tensor, layout.combine_op, box, &inner, err);
    return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_LAYOUT, 0, layout.composition_rule,
                    "a group has no values of its own: ask its members");
}
