/* Valid descriptors with quantization and the other sections, and in other places than host memory. */
#include "desc/valid_descs.h"

#define VALID(name) static void make_##name(desc_bytes *d)

/* ---- Quantization ---- */

VALID(per_tensor)
{
    DB_BEGIN(d, U8, ROW, 4);
    DB_BUFFERS(d, 4);
    db_per_tensor(d, 0.015625f, 128);
}

VALID(per_channel)
{
    DB_BEGIN(d, I8, ROW, 6, 4);
    DB_BUFFERS(d, 24, 16, 16);
    db_per_channel(d, 0, 1, 1, 2);
}

VALID(per_channel_symmetric)
{
    DB_BEGIN(d, I32, COLUMN, 6, 4);
    DB_BUFFERS(d, 96, 24);
    db_per_channel(d, 1, 0, 1, DB_NONE);
}

VALID(per_channel_shared)
{
    DB_BEGIN(d, I8, ROW, 6, 4);
    DB_BUFFERS(d, 24, 48);
    db_per_channel(d, 0, 0, 1, 1);
}

/* Dump C of descriptor, section 13. */
VALID(per_block)
{
    DB_BEGIN(d, I4, ROW, 128, 128);
    DB_BUFFERS(d, 8192, 256);
    db_per_block(d, 1, 1, 128, 1, DB_NONE, 1);
}

/* Three blocks in each of 5 rows, the scales after the zero points. */
VALID(per_block_asymmetric)
{
    DB_BEGIN(d, U8, ROW, 5, 12);
    DB_BUFFERS(d, 60, 60, 60);
    db_per_block(d, 0, 1, 4, 2, 1, 3);
}

VALID(per_block_shared)
{
    DB_BEGIN(d, U8, ROW, 5, 12);
    DB_BUFFERS(d, 60, 15 * 2 + 15 * 4);
    db_per_block(d, 0, 1, 4, 1, 1, 2);
}

/* quantization, section 8.3: the data have the size of the shape, or that of whole blocks. */
VALID(per_block_plain)
{
    DB_BEGIN(d, U4, ROW, 3, 100);
    DB_BUFFERS(d, 150, 24);
    db_per_block(d, 1, 1, 64, 1, DB_NONE, 3);
}

VALID(per_block_padded)
{
    DB_BEGIN(d, U4, ROW, 3, 100);
    DB_BUFFERS(d, 192, 24);
    db_per_block(d, 1, 1, 64, 1, DB_NONE, 3);
}

VALID(per_block_dynamic)
{
    DB_BEGIN(d, U8, ROW, DB_DYNAMIC, 12);
    DB_BUFFERS(d, 0, 0);
    db_per_block(d, 1, 1, 4, 1, DB_NONE, 3);
}

VALID(per_block_empty_axis)
{
    DB_BEGIN(d, U8, ROW, 5, 0);
    DB_BUFFERS(d, 0, 0);
    db_per_block(d, 1, 1, 4, 1, DB_NONE, 3);
}

VALID(nf4)
{
    DB_BEGIN(d, U4, ROW, 2, 64);
    DB_BUFFERS(d, 64, 32);
    db_nf4(d, 1, 16, 1);
}

VALID(nf4_plain)
{
    DB_BEGIN(d, U4, ROW, 2, 20);
    DB_BUFFERS(d, 20, 16);
    db_nf4(d, 1, 16, 1);
}

VALID(mxfp)
{
    DB_BEGIN(d, E4M3, ROW, 32);
    DB_BUFFERS(d, 32, 1);
    db_mxfp(d, 0, 32, 1);
}

/* Longer than its scheme says: the tail is kept and not looked at. */
VALID(quantization_tail)
{
    DB_BEGIN(d, E4M3, ROW, 32);
    DB_BUFFERS(d, 32, 1);
    db_mxfp(d, 0, 32, 1);
    db_set(d, d->quantization, 4, 19);
    db_u16(d, 0xBEEF);
    db_u8(d, 0xAD);
}

VALID(private_scheme)
{
    DB_BEGIN(d, F32, ROW, 4);
    DB_BUFFERS(d, 16, 3);
    db_quantization(d, 7, 0xF9, 0xFFFF);
    db_set(d, d->quantization + 5, 1, 0x77); /* a version that is the scheme's own matter */
    db_u8(d, 1);
    db_u16(d, 2);
}

/* Built again, it does not become a version 1. */
VALID(private_scheme_version_0)
{
    DB_BEGIN(d, U8, ROW, 4);
    DB_BUFFERS(d, 4);
    db_quantization(d, 4, 0xF0, 0);
    db_set(d, d->quantization + 5, 1, 0);
}

VALID(coo_per_channel)
{
    DB_BEGIN(d, I8, COO, 4, 4);
    db_u64(d, 3);
    db_zeros(d, 8);
    DB_BUFFERS(d, 3, 48, 16);
    db_per_channel(d, 1, 1, 2, DB_NONE);
}

VALID(csf_per_tensor)
{
    DB_BEGIN(d, I8, CSF, 2, 3, 4);
    db_u64(d, 4);
    DB_U32S(d, 0, 1, 2);
    db_zeros(d, 8);
    DB_BUFFERS(d, 4, 16, 16, 24, 24, 32, 32);
    db_per_tensor(d, -2.5f, -128);
}

VALID(paged_per_channel)
{
    valid_put_paged(d, I8);
    DB_BUFFERS(d, 320, 12, 12, 8);
    db_per_channel(d, 1, 1, 3, DB_NONE);
}

/* A scale for each of 20 slots of a page (quantization, section 9). */
VALID(paged_per_block)
{
    valid_put_paged(d, I8);
    DB_BUFFERS(d, 320, 12, 12, 40, 80);
    db_per_block(d, 0, 0, 4, 3, 4, 2);
}

/* ---- Other sections ---- */

VALID(shard)
{
    DB_BEGIN(d, F32, ROW, 3, 4);
    DB_BUFFERS(d, 48);
    db_shard(d, (const uint64_t[]){ 5, 8 }, (const uint64_t[]){ 2, 4 });
}

VALID(statistics)
{
    DB_BEGIN(d, F32, ROW, 3, 4);
    DB_BUFFERS(d, 48);
    db_statistics(d, 0x3F);
    db_set(d, d->statistics + 8, 8, 6);
    db_set(d, d->statistics + 16, 8, 0x3FE0000000000000);             /* sparsity_ratio 0.5 */
    db_set(d, d->statistics + 24, 8, 0xC000000000000000);             /* value_min -2 */
    db_set(d, d->statistics + 32, 8, 0x400C000000000000);             /* value_max 3.5 */
    db_set(d, d->statistics + 40, 8, 0x400C000000000000);             /* value_abs_max */
    db_set(d, d->statistics + 56, 8, 0x3FF0000000000000);             /* value_stddev 1 */
    db_set(d, d->statistics + 64, 4, 2 | 4 << 8 | 1 << 16 | 0 << 24); /* 2:4, has_nan */
}

VALID(statistics_unset)
{
    DB_BEGIN(d, F32, CSR, 4, 5);
    db_u64(d, 5);
    db_zeros(d, 8);
    DB_BUFFERS(d, 20, 40, 40);
    db_statistics(d, 0);
    for (uint32_t i = 8; i < 68; i++) /* means nothing, and is kept */
        db_set(d, d->statistics + i, 1, 0xFF);
}

VALID(extension_float)
{
    DB_BEGIN(d, 0xF0, ROW, 8, 4);
    DB_BUFFERS(d, 64);
    db_extension_float(d, 1, 6, 9, 31);
}

VALID(extension_int)
{
    DB_BEGIN(d, 0xFE, COO, 8, 4);
    db_u64(d, 2);
    db_zeros(d, 8);
    DB_BUFFERS(d, 6, 32);
    db_extension_int(d, 24, 1);
}

VALID(extension_int2)
{
    DB_BEGIN(d, 0xF1, ROW, 5);
    DB_BUFFERS(d, 2);
    db_extension_int(d, 2, 0);
}

/* Dump D2 of descriptor, section 13. */
VALID(member)
{
    DB_BEGIN(d, F32, ROW, 4, 4);
    DB_BUFFERS(d, 64);
    db_shard(d, (const uint64_t[]){ 4, 4 }, (const uint64_t[]){ 0, 0 });
    db_member(d, 1);
}

VALID(all_sections)
{
    DB_BEGIN(d, I8, ROW, 6, 4);
    DB_BUFFERS(d, 24, 24, 24);
    db_per_channel(d, 0, 0, 1, 2);
    db_shard(d, (const uint64_t[]){ 6, 8 }, (const uint64_t[]){ 0, 4 });
    db_statistics(d, 1);
    db_set(d, d->statistics + 8, 8, 20);
    db_member(d, 0);
}

VALID(partition_member_head)
{
    DB_BEGIN(d, 0xF2, COMPOSITE, 4, 4);
    db_u8(d, 1);
    db_zeros(d, 3);
    db_u32(d, 1);
    db_table(d, 0);
    db_shard(d, (const uint64_t[]){ 8, 4 }, (const uint64_t[]){ 4, 0 });
    db_statistics(d, 1);
    db_extension_int(d, 8, 0);
}

/* ---- Places ---- */

VALID(cuda)
{
    DB_BEGIN(d, I8, ROW, 4);
    db_table(d, 2);
    db_handle(d, 4, 4096, 1, 1, 2);
    db_handle(d, 4, 256, 1, 2, 2);
    db_per_channel(d, 1, 0, 1, DB_NONE);
    db_set(d, d->table + 1 + 16, 8, 16);
}

VALID(private_device)
{
    DB_BEGIN(d, I8, ROW, 4);
    db_table(d, 1);
    db_handle(d, 4, 64, 0xF5, 2, 0xF0);
}

VALID(newer_minor)
{
    DB_BEGIN(d, F32, ROW, 3, 4);
    DB_BUFFERS(d, 48);
    db_set(d, 5, 1, 7);
    db_u32(d, 0xFFFFFFFF);
}

#undef VALID

const valid_desc valid_sections[] = {
#define VALID(name)        \
    {                      \
#name, make_##name \
    }
    VALID(per_tensor),
    VALID(per_channel),
    VALID(per_channel_symmetric),
    VALID(per_channel_shared),
    VALID(per_block),
    VALID(per_block_asymmetric),
    VALID(per_block_shared),
    VALID(per_block_plain),
    VALID(per_block_padded),
    VALID(per_block_dynamic),
    VALID(per_block_empty_axis),
    VALID(nf4),
    VALID(nf4_plain),
    VALID(mxfp),
    VALID(quantization_tail),
    VALID(private_scheme),
    VALID(private_scheme_version_0),
    VALID(coo_per_channel),
    VALID(csf_per_tensor),
    VALID(paged_per_channel),
    VALID(paged_per_block),
    VALID(shard),
    VALID(statistics),
    VALID(statistics_unset),
    VALID(extension_float),
    VALID(extension_int),
    VALID(extension_int2),
    VALID(member),
    VALID(all_sections),
    VALID(partition_member_head),
    VALID(cuda),
    VALID(private_device),
    VALID(newer_minor),
#undef VALID
    { 0 },
};
