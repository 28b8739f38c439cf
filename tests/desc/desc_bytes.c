#include "desc/desc_bytes.h"

#include <stdlib.h>
#include <string.h>

static void put(desc_bytes *d, uint64_t x, uint32_t n)
{
    if (n > sizeof d->bytes - d->n)
        abort();
    d->n += n;
    db_set(d, d->n - n, n, x);
}

void db_set(desc_bytes *d, uint32_t at, uint32_t n, uint64_t x)
{
    for (uint32_t i = 0; i < n; i++)
        d->bytes[at + i] = (uint8_t)(x >> (8 * i));
}

void db_u8(desc_bytes *d, unsigned x)
{
    put(d, x, 1);
}

void db_u16(desc_bytes *d, unsigned x)
{
    put(d, x, 2);
}

void db_u32(desc_bytes *d, uint32_t x)
{
    put(d, x, 4);
}

void db_u64(desc_bytes *d, uint64_t x)
{
    put(d, x, 8);
}

void db_f32(desc_bytes *d, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    put(d, bits, 4);
}

void db_f64(desc_bytes *d, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put(d, bits, 8);
}

void db_zeros(desc_bytes *d, uint32_t n)
{
    while (n--)
        put(d, 0, 1);
}

void db_u64s(desc_bytes *d, const uint64_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put(d, x[i], 8);
}

void db_u32s(desc_bytes *d, const uint32_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put(d, x[i], 4);
}

void db_begin(desc_bytes *d, unsigned type, unsigned layout, const uint64_t *shape, size_t rank)
{
    *d = (desc_bytes){ .rank = (uint32_t)rank };
    db_u8(d, 'H');
    db_u8(d, 'R');
    db_u8(d, 'R');
    db_u8(d, 'Y');
    db_u8(d, 1); /* version */
    db_u8(d, 0);
    db_u32(d, 0); /* descriptor_length: db_end */
    db_u32(d, 0); /* flags: each section */
    db_u8(d, type);
    db_u8(d, layout);
    db_u32(d, d->rank);
    db_u64s(d, shape, rank);
    db_u64(d, 0); /* byte_offset */
    d->layout = d->n;
}

void db_byte_offset(desc_bytes *d, uint64_t x)
{
    db_set(d, 20 + 8 * d->rank, 8, x);
}

void db_table(desc_bytes *d, unsigned count)
{
    d->table = d->n;
    db_u8(d, count);
}

void db_handle(desc_bytes *d, uint64_t byte_size, uint32_t alignment, unsigned device, unsigned sync, unsigned memory)
{
    db_u64(d, byte_size);
    db_u32(d, alignment);
    db_u8(d, device);
    db_u8(d, sync);
    db_u8(d, memory);
    db_u8(d, 0);
}

void db_buffers(desc_bytes *d, const uint64_t *sizes, size_t count)
{
    db_table(d, (unsigned)count);
    for (size_t i = 0; i < count; i++)
        db_handle(d, sizes[i], 64, 0, 0, 0);
}

static void start_section(desc_bytes *d, uint32_t *where, unsigned flag)
{
    *where = d->n;
    d->bytes[10] = (uint8_t)(d->bytes[10] | flag);
}

void db_quantization(desc_bytes *d, uint32_t length, unsigned scheme, unsigned flags)
{
    start_section(d, &d->quantization, 1);
    db_u32(d, length);
    db_u8(d, scheme);
    db_u8(d, 1);
    db_u16(d, flags);
}

void db_per_tensor(desc_bytes *d, float scale, int32_t zero_point)
{
    db_quantization(d, 16, 1, 0);
    db_f32(d, scale);
    db_u32(d, (uint32_t)zero_point);
    db_zeros(d, 4);
}

void db_per_channel(desc_bytes *d, unsigned flags, uint32_t axis, uint32_t scales, uint32_t zero_points)
{
    db_quantization(d, 20, 2, flags);
    DB_U32S(d, axis, scales, zero_points);
    db_u8(d, 3);
    db_zeros(d, 3);
}

void db_per_block(desc_bytes *d, unsigned flags, uint32_t axis, uint32_t block, uint32_t scales, uint32_t zero_points,
                  unsigned scale_type)
{
    db_quantization(d, 24, 3, flags);
    DB_U32S(d, axis, block, scales, zero_points);
    db_u8(d, scale_type);
    db_zeros(d, 3);
}

void db_nf4(desc_bytes *d, uint32_t axis, uint32_t block, uint32_t scales)
{
    db_quantization(d, 16, 4, 0);
    DB_U32S(d, axis, block, scales);
}

void db_mxfp(desc_bytes *d, uint32_t axis, uint32_t block, uint32_t scales)
{
    db_quantization(d, 16, 5, 0);
    DB_U32S(d, axis, block, scales);
}

void db_shard(desc_bytes *d, const uint64_t *parent_shape, const uint64_t *shard_offset)
{
    start_section(d, &d->shard, 2);
    db_u64s(d, parent_shape, d->rank);
    db_u64s(d, shard_offset, d->rank);
}

void db_statistics(desc_bytes *d, uint32_t mask)
{
    start_section(d, &d->statistics, 8);
    db_u32(d, mask);
    db_zeros(d, 68);
}

static void extension(desc_bytes *d, uint32_t bit_width, unsigned is_float, unsigned is_signed)
{
    start_section(d, &d->extension, 4);
    db_u32(d, bit_width);
    db_u8(d, bit_width < 8 ? 8 / bit_width : 1);
    db_u8(d, is_float);
    db_u8(d, is_signed);
    db_zeros(d, 13);
}

void db_extension_float(desc_bytes *d, unsigned sign, unsigned exponent, unsigned mantissa, uint32_t bias)
{
    extension(d, sign + exponent + mantissa, 1, 0);
    db_set(d, d->extension + 7, 1, sign);
    db_set(d, d->extension + 8, 1, exponent);
    db_set(d, d->extension + 9, 1, mantissa);
    db_set(d, d->extension + 12, 4, bias);
    db_set(d, d->extension + 16, 1, 1); /* has_nan */
}

void db_extension_int(desc_bytes *d, uint32_t bit_width, unsigned is_signed)
{
    extension(d, bit_width, 0, is_signed);
}

void db_member(desc_bytes *d, unsigned role)
{
    start_section(d, &d->member, 16);
    db_u8(d, role);
    db_zeros(d, 15);
}

void db_end(desc_bytes *d)
{
    db_set(d, 6, 4, d->n);
}
