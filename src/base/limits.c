#include "base/limits.h"

const hry_limits hry_limits_default = {
    .descriptor_length = HRY_DESCRIPTOR_LENGTH_DEFAULT,
    .index_length = (uint64_t)1 << 30,
    .kv_length = (uint64_t)256 << 20,
    .tensor_count = (uint64_t)1 << 28,
    .buffer_size = (uint64_t)64 << 30,
    .member_count = (uint64_t)1 << 20,
    .header_length = (uint64_t)256 << 20,
    .tile_levels = 8,
    .composite_depth = 8,
};

hry_limits hry_limits_resolve(const hry_limits *limits)
{
    hry_limits r = hry_limits_default;
    if (!limits)
        return r;
#define HRY_TAKE(field) r.field = limits->field ? limits->field : r.field
    HRY_TAKE(descriptor_length);
    HRY_TAKE(index_length);
    HRY_TAKE(kv_length);
    HRY_TAKE(tensor_count);
    HRY_TAKE(buffer_size);
    HRY_TAKE(member_count);
    HRY_TAKE(header_length);
    HRY_TAKE(tile_levels);
    HRY_TAKE(composite_depth);
#undef HRY_TAKE
    if (r.composite_depth > hry_limits_default.composite_depth)
        r.composite_depth = hry_limits_default.composite_depth;
    return r;
}
