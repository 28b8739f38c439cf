/* Parameters on their way from what was measured, or from the caller, to the tensor's buffers and to the kernels. */
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "tensor/bits.h"
#include "tensor/quantizing.h"

#include <hurray/type.h>
#include <string.h>

const char hry_quantize_not_finite[] = "some value is not finite";
const char hry_quantize_negative[] = "an unsigned symmetric type has no negative values";

hry_status hry_quantize_fail(const char *why, hry_error *err)
{
    return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_DATA, 0, 0, "%s", why);
}

bool hry_quantize_has_negative(const hry_quantize *z, const float *x, size_t n)
{
    bool found = false;
    if (!z->grid.symmetric || z->grid.zero_lo < 0 || z->grid.scheme > HRY_SCHEME_PER_BLOCK)
        return false;
    for (size_t i = 0; i < n; i++)
        found |= x[i] < 0;
    return found;
}

bool hry_quantize_take_room(const hry_quantize *z, uint64_t parameters, uint64_t codes, hry_quantize_room *room)
{
    uint64_t total;
    *room = (hry_quantize_room){ .nbytes = SIZE_MAX };
    if (!hry_mul_add(parameters, 16, codes, &total) || !hry_to_size(total, &room->nbytes))
        return false;
    room->block = hry_alloc(z->how->allocator, room->nbytes, 64);
    if (!room->block)
        return false;
    memset(room->block, 0, (size_t)parameters * 16);
    room->lo = room->block;
    room->hi = room->lo + parameters;
    room->scale = room->hi + parameters;
    room->zp = (void *)(room->scale + parameters);
    room->codes = (uint8_t *)(room->zp + parameters);
    return true;
}

void hry_quantize_give_room(const hry_quantize *z, hry_quantize_room *room)
{
    hry_free(z->how->allocator, room->block, room->nbytes, 64);
}

/* Codes are made with the scale that the tensor has. */
static float as_stored(const hry_grid *g, float scale)
{
    return g->scale_type == HRY_TYPE_FLOAT16    ? hry_f16_to_f32(hry_f32_to_f16(scale))
           : g->scale_type == HRY_TYPE_BFLOAT16 ? hry_bf16_to_f32(hry_f32_to_bf16(scale))
                                                : scale;
}

hry_status hry_quantize_check_given(const hry_quantize *z, uint64_t n, hry_error *err)
{
    const hry_grid *g = &z->grid;
    const float *scales = g->scheme == HRY_SCHEME_MXFP ? z->how->scales : NULL;
    const int32_t *zero_points = z->how->zero_points;
    for (uint64_t i = 0; scales && i < n; i++)
        if (hry_f32_bits(scales[i]) & 0x807FFFFF)
            return hry_fail_usage(err, "scale %llu, %g, is no power of two", (unsigned long long)i, (double)scales[i]);
    for (uint64_t i = 0; zero_points && i < n; i++)
        if (zero_points[i] < g->zero_lo || zero_points[i] > g->zero_hi)
            return hry_fail_usage(err, "zero point %llu, %d, is not one of %s", (unsigned long long)i, zero_points[i],
                                  hry_type_name(g->storage));
    return HRY_OK;
}

const char *hry_quantize_settle(const hry_quantize *z, hry_quantize_room *room, size_t n, uint64_t first,
                                uint64_t apart)
{
    const hry_grid *g = &z->grid;
    if (!z->how->scales)
        return hry_grid_parameters(g, hry_grid_wants_range(g) ? room->lo : NULL, room->hi, n, room->scale, room->zp);
    for (size_t i = 0; i < n; i++) {
        room->scale[i] = as_stored(g, z->how->scales[first + i * apart]);
        room->zp[i] = z->how->zero_points ? z->how->zero_points[first + i * apart] : 0;
    }
    return NULL;
}

void hry_quantize_store(const hry_quantize *z, const hry_quantize_room *room, size_t n, uint64_t first, uint64_t apart)
{
    uint64_t each = hry_type_find(z->grid.scale_type)->bits / 8u;
    hry_grid_store_scales(&z->grid, room->scale, n, apart, z->scales + first * each);
    for (size_t i = 0; z->zero_points && i < n; i++)
        hry_store32(z->zero_points + 4 * (first + i * apart), (uint32_t)room->zp[i]);
}

void hry_quantize_put(const hry_quantize *z, const float *x, size_t n, size_t block, const float *scale,
                      const int32_t *zp, uint64_t first, uint8_t *room)
{
    const hry_grid *g = &z->grid;
    uint64_t bit = first * g->bits;
    /* Kernels write whole bytes: only where both ends are ends of bytes is nothing of a neighbour's written over. */
    bool whole = !room || (hry_codes_are_whole(g->bits, first) && hry_codes_are_whole(g->bits, n));
    uint8_t *to = whole ? z->codes + bit / 8 : room;
    g->encode(x, n, block, scale, zp, g->lo, g->hi, to);
    if (!whole)
        hry_bits_copy(z->codes, (int64_t)bit, room, 0, (uint64_t)n * g->bits);
}
