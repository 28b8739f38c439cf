/* Tensors over the same memory: no element is copied, and the tensor that is looked into lives as long as the view. */
#include "base/status.h"
#include "layout/layouts.h"
#include "tensor/access.h"
#include "tensor/members.h"

enum { DESC_ROOM = 64 + 32 * HRY_RANK_MAX + 16 * 255 };

/* A dense arrangement of elements of a tensor. */
typedef struct view {
    uint32_t rank;
    uint64_t shape[HRY_RANK_MAX];
    int64_t strides[HRY_RANK_MAX];
    int64_t base;  /* the offset of element [0,...,0] from the tensor's */
    uint32_t axis; /* where the axis of the channels is; HRY_RANK_MAX: nowhere, or cut, so that they no longer fit */
} view;

static void release_parent(void *ctx)
{
    hry_tensor_release(ctx);
}

static hry_status refuse(const hry_tensor *tensor, const char *why, hry_error *err)
{
    return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_LAYOUT, 15, tensor->desc.layout,
                    "no view of this %s tensor: %s", hry_layout_name(tensor->desc.layout), why);
}

/* The strides of the tensor, or of a box of it, where they are strides. */
static hry_status open_view(const hry_tensor *tensor, const hry_box *box, view *v, hry_error *err)
{
    hry_map map;
    hry_box whole;
    uint64_t shape[HRY_RANK_MAX];
    hry_quantization q;
    hry_status status = hry_tensor_check_readable(tensor, err);
    hry_desc_shape(&tensor->desc, shape);
    if (!status)
        status = hry_box_resolve(box, tensor->desc.rank, shape, &whole, err);
    if (status)
        return status;
    if (!hry_tensor_map(tensor, &map))
        return refuse(tensor, "its elements are not in one place each", err);
    hry_map_select(&map, &whole);
    v->rank = tensor->desc.rank;
    v->base = map.empty ? 0 : map.base;
    v->axis = HRY_RANK_MAX;
    for (uint32_t k = 0; k < v->rank; k++) {
        if (map.hilbert_order || !hry_map_is_affine(&map, k))
            return refuse(tensor, "no strides lead through it", err);
        v->shape[k] = whole.count[k];
        v->strides[k] = map.empty ? 0 : hry_map_stride(&map, k);
    }
    if (hry_desc_quantization(&tensor->desc, &q) && q.scheme == HRY_SCHEME_PER_CHANNEL &&
        whole.count[q.axis] == shape[q.axis] && whole.step[q.axis] == 1)
        v->axis = q.axis;
    return HRY_OK;
}

static bool is_row_major(const view *v)
{
    uint64_t stride = 1;
    for (uint32_t k = v->rank; k-- > 0; stride *= v->shape[k])
        if (v->shape[k] > 1 && v->strides[k] != (int64_t)stride)
            return false;
    return true;
}

/* Parameters that go by channel move with their axis; those that go by block follow the order of elements. */
static hry_status view_quantization(const hry_tensor *tensor, const view *v, hry_quantization *q, hry_error *err)
{
    if (q->scheme == HRY_SCHEME_PER_TENSOR)
        return HRY_OK;
    if (q->scheme != HRY_SCHEME_PER_CHANNEL || v->axis == HRY_RANK_MAX)
        return refuse(tensor, "its scales would not fit the parts", err);
    q->axis = v->axis;
    return HRY_OK;
}

static hry_status close_view(hry_tensor *tensor, const view *v, hry_tensor **result, hry_error *err)
{
    const hry_desc *desc = &tensor->desc;
    uint8_t bytes[DESC_ROOM];
    hry_desc made;
    hry_buffer rows[255];
    hry_quantization q;
    hry_extension_type extension;
    hry_layout layout = { .tag = is_row_major(v) ? HRY_LAYOUT_ROW_MAJOR : HRY_LAYOUT_STRIDED, .strides = v->strides };
    hry_desc_spec spec = { .type = desc->type,
                           .rank = v->rank,
                           .shape = v->shape,
                           .layout = &layout,
                           .buffers = rows,
                           .buffer_count = desc->buffer_count };
    int64_t bits = (int64_t)hry_desc_bits(desc), unit = bits == 6 ? 4 : bits < 8 ? 8 / bits : 1;
    if (v->base % unit != 0)
        return refuse(tensor, "it would start inside a byte", err);
    spec.byte_offset = hry_desc_byte_offset(desc) + (uint64_t)(v->base / unit *
                                                               (bits == 6  ? 3
                                                                : bits < 8 ? 1
                                                                           : bits / 8));
    for (uint32_t i = 0; i < desc->buffer_count; i++)
        hry_desc_buffer(desc, i, &rows[i]);
    if (hry_desc_quantization(desc, &q)) {
        hry_status status = view_quantization(tensor, v, &q, err);
        if (status)
            return status;
        spec.quantization = &q;
    }
    if (hry_desc_extension_type(desc, &extension))
        spec.extension_type = &extension;
    /* What the tensor was allowed, its view is. */
    hry_parse_options options = { .allow = &(hry_allow){ .all = true } };
    hry_status status = hry_desc_encode(&spec, &options, bytes, sizeof bytes, &made, err);
    if (!status)
        status =
            hry_tensor_create_stored(&made, tensor->buffers, release_parent, tensor, &tensor->allocator, result, err);
    if (!status)
        hry_tensor_retain(tensor);
    return status;
}

/* The member of a partition that a box lies in, with the box in its indices; NULL when there is none. */
static hry_tensor *member_around(const hry_tensor *tensor, const hry_box *box, hry_box *part)
{
    for (size_t i = 0; i < tensor->member_count; i++) {
        uint64_t parent[HRY_RANK_MAX], offset[HRY_RANK_MAX];
        const hry_desc *member = &tensor->members[i]->desc;
        bool inside = hry_desc_shard(member, parent, offset);
        for (uint32_t k = 0; inside && k < member->rank; k++) {
            uint64_t last = box->start[k] + (box->count[k] - 1) * (uint64_t)box->step[k];
            uint64_t low = box->step[k] < 0 ? last : box->start[k], high = box->step[k] < 0 ? box->start[k] : last;
            inside = box->count[k] > 0 && low >= offset[k] && high - offset[k] < hry_desc_dim(member, k);
            part->start[k] = box->start[k] - offset[k];
            part->count[k] = box->count[k];
            part->step[k] = box->step[k];
        }
        if (inside)
            return tensor->members[i];
    }
    return NULL;
}

static hry_status slice_composite(hry_tensor *tensor, const hry_box *box, hry_tensor **result, hry_error *err)
{
    hry_layout layout;
    hry_layout_store store;
    hry_box whole, part;
    uint64_t shape[HRY_RANK_MAX];
    hry_status status = hry_tensor_check_readable(tensor, err);
    hry_desc_shape(&tensor->desc, shape);
    if (!status)
        status = hry_box_resolve(box, tensor->desc.rank, shape, &whole, err);
    if (status)
        return status;
    hry_desc_layout_get(&tensor->desc, &layout, &store);
    if (layout.composition_rule != HRY_COMPOSITE_PARTITION)
        return refuse(tensor, "its elements are made from several members", err);
    hry_tensor *member = member_around(tensor, &whole, &part);
    return member ? hry_tensor_slice(member, &part, result, err)
                  : refuse(tensor, "the box does not lie in one member", err);
}

hry_status hry_tensor_slice(hry_tensor *tensor, const hry_box *box, hry_tensor **result, hry_error *err)
{
    view v;
    if (tensor->desc.layout == HRY_LAYOUT_COMPOSITE)
        return slice_composite(tensor, box, result, err);
    hry_status status = open_view(tensor, box, &v, err);
    return status ? status : close_view(tensor, &v, result, err);
}

hry_status hry_tensor_transpose(hry_tensor *tensor, const uint32_t *order, hry_tensor **result, hry_error *err)
{
    view v, t;
    uint64_t seen = 0;
    hry_status status = open_view(tensor, NULL, &v, err);
    if (status)
        return status;
    t = v;
    for (uint32_t k = 0; k < v.rank; k++) {
        uint32_t from = order ? order[k] : v.rank - 1 - k;
        if (from >= v.rank || seen >> from & 1)
            return hry_fail_usage(err, "the order is not one of the dimensions");
        seen |= (uint64_t)1 << from;
        t.shape[k] = v.shape[from];
        t.strides[k] = v.strides[from];
        if (from == v.axis)
            t.axis = k;
    }
    return close_view(tensor, &t, result, err);
}

hry_status hry_tensor_broadcast(hry_tensor *tensor, uint32_t rank, const uint64_t *shape, hry_tensor **result,
                                hry_error *err)
{
    view v, wide = { .rank = rank };
    hry_status status = open_view(tensor, NULL, &v, err);
    if (status)
        return status;
    if (rank < v.rank || rank > HRY_RANK_MAX)
        return hry_fail_usage(err, "rank %u cannot become rank %u", v.rank, rank);
    uint32_t more = rank - v.rank;
    wide.base = v.base;
    wide.axis = v.axis < v.rank ? v.axis + more : HRY_RANK_MAX;
    for (uint32_t k = 0; k < rank; k++) {
        wide.shape[k] = shape[k];
        wide.strides[k] = 0;
        if (k < more || (v.shape[k - more] == 1 && shape[k] != 1 && k != wide.axis))
            continue;
        if (v.shape[k - more] != shape[k])
            return hry_fail_usage(err, "dimension %u of %llu elements cannot become one of %llu", k - more,
                                  (unsigned long long)v.shape[k - more], (unsigned long long)shape[k]);
        wide.strides[k] = v.strides[k - more];
    }
    return close_view(tensor, &wide, result, err);
}

/* Joins axes that run on, and drops those of one element. */
static void join(view *v)
{
    uint32_t rank = 0;
    for (uint32_t k = 0; k < v->rank; k++) {
        uint64_t count = v->shape[k];
        if (count == 1)
            continue;
        if (rank > 0 && v->strides[rank - 1] == (int64_t)(count * (uint64_t)v->strides[k])) {
            v->shape[rank - 1] *= count;
            v->strides[rank - 1] = v->strides[k];
            continue;
        }
        v->shape[rank] = count;
        v->strides[rank++] = v->strides[k];
    }
    v->rank = rank;
}

/* Cuts joined axes into those of a shape, from the last on; false when a dimension would lie on two of them. */
static bool cut(const view *joined, uint32_t rank, const uint64_t *shape, int64_t *strides)
{
    uint32_t axis = joined->rank;
    uint64_t left = 1;
    int64_t stride = 1;
    for (uint32_t k = rank; k-- > 0;) {
        while (left == 1 && axis > 0 && shape[k] != 1) {
            left = joined->shape[--axis];
            stride = joined->strides[axis];
        }
        if (left % shape[k] != 0)
            return false;
        strides[k] = shape[k] == 1 ? 0 : stride;
        left /= shape[k];
        stride = (int64_t)((uint64_t)stride * shape[k]);
    }
    return true;
}

hry_status hry_tensor_reshape(hry_tensor *tensor, uint32_t rank, const uint64_t *shape, hry_tensor **result,
                              hry_error *err)
{
    view v, made = { .rank = rank };
    uint64_t before, after;
    hry_status status = open_view(tensor, NULL, &v, err);
    if (status)
        return status;
    if (rank > HRY_RANK_MAX || !hry_shape_product(shape, rank, &after) ||
        !hry_shape_product(v.shape, v.rank, &before) || before != after)
        return hry_fail_usage(err, "the shapes do not have the same number of elements");
    made.base = v.base;
    made.axis = HRY_RANK_MAX; /* a channel may have been cut or joined */
    for (uint32_t k = 0; k < rank; k++)
        made.shape[k] = shape[k];
    join(&v);
    if (before && !cut(&v, rank, shape, made.strides))
        return refuse(tensor, "no strides lead through it in that shape", err);
    return close_view(tensor, &made, result, err);
}
