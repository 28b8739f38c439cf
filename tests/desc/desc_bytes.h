/*
 * Descriptors put together byte by byte, from the tables of the format alone: nothing here calls the library. What is
 * put together can then be damaged at known places.
 */
#ifndef HRY_TESTS_DESC_BYTES_H
#define HRY_TESTS_DESC_BYTES_H

#include <stddef.h>
#include <stdint.h>

#define DB_DYNAMIC UINT64_MAX
#define DB_NONE UINT32_MAX

typedef struct desc_bytes {
    uint8_t bytes[1 << 14];
    uint32_t n;
    uint32_t rank;
    /* Where parts start; 0 for those that are not there. */
    uint32_t layout, table, quantization, shard, statistics, extension, member;
} desc_bytes;

/* ---- Fields ---- */
void db_u8(desc_bytes *d, unsigned x);
void db_u16(desc_bytes *d, unsigned x);
void db_u32(desc_bytes *d, uint32_t x);
void db_u64(desc_bytes *d, uint64_t x);
void db_f32(desc_bytes *d, float x);
void db_f64(desc_bytes *d, double x);
void db_zeros(desc_bytes *d, uint32_t n);
/* Over what is there: n bytes of x at an offset. */
void db_set(desc_bytes *d, uint32_t at, uint32_t n, uint64_t x);

/* Several at a time: DB_U64S(d, 4, 1). */
void db_u64s(desc_bytes *d, const uint64_t *x, size_t n);
void db_u32s(desc_bytes *d, const uint32_t *x, size_t n);
#define DB_U64S(d, ...) \
    db_u64s(d, (const uint64_t[]){ __VA_ARGS__ }, sizeof(uint64_t[]){ __VA_ARGS__ } / sizeof(uint64_t))
#define DB_U32S(d, ...) \
    db_u32s(d, (const uint32_t[]){ __VA_ARGS__ }, sizeof(uint32_t[]){ __VA_ARGS__ } / sizeof(uint32_t))

/* ---- Parts, in the order of the format ---- */

/* Header, shape and a byte_offset of 0. DB_BEGIN(d, 0x03, 0x01, 3, 4) has the shape [3, 4]; db_begin takes an array. */
void db_begin(desc_bytes *d, unsigned type, unsigned layout, const uint64_t *shape, size_t rank);
#define DB_BEGIN(d, type, layout, ...) \
    db_begin(d, type, layout, (const uint64_t[]){ __VA_ARGS__ }, sizeof(uint64_t[]){ __VA_ARGS__ } / sizeof(uint64_t))
void db_byte_offset(desc_bytes *d, uint64_t x);
/* buffer_count with its rows: in plain host memory with the sizes given, or each by db_handle after db_table. */
void db_table(desc_bytes *d, unsigned count);
void db_handle(desc_bytes *d, uint64_t byte_size, uint32_t alignment, unsigned device, unsigned sync, unsigned memory);
void db_buffers(desc_bytes *d, const uint64_t *sizes, size_t count);
#define DB_BUFFERS(d, ...) \
    db_buffers(d, (const uint64_t[]){ __VA_ARGS__ }, sizeof(uint64_t[]){ __VA_ARGS__ } / sizeof(uint64_t))
/* Length and scheme header; the scheme's fields follow. */
void db_quantization(desc_bytes *d, uint32_t length, unsigned scheme, unsigned flags);
void db_per_tensor(desc_bytes *d, float scale, int32_t zero_point);
void db_per_channel(desc_bytes *d, unsigned flags, uint32_t axis, uint32_t scales, uint32_t zero_points);
void db_per_block(desc_bytes *d, unsigned flags, uint32_t axis, uint32_t block, uint32_t scales, uint32_t zero_points,
                  unsigned scale_type);
void db_nf4(desc_bytes *d, uint32_t axis, uint32_t block, uint32_t scales);
void db_mxfp(desc_bytes *d, uint32_t axis, uint32_t block, uint32_t scales);
void db_shard(desc_bytes *d, const uint64_t *parent_shape, const uint64_t *shard_offset);
/* All fields 0 but the mask. */
void db_statistics(desc_bytes *d, uint32_t mask);
/* A float of sign 0 or 1, exponent and mantissa bits. */
void db_extension_float(desc_bytes *d, unsigned sign, unsigned exponent, unsigned mantissa, uint32_t bias);
void db_extension_int(desc_bytes *d, uint32_t bit_width, unsigned is_signed);
void db_member(desc_bytes *d, unsigned role);
/* The length, at last. */
void db_end(desc_bytes *d);

#endif
