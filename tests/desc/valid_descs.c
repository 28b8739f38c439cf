#include "desc/valid_descs.h"

#include <string.h>

#define VALID(name) static void make_##name(desc_bytes *d)

/* ---- Dense layouts ---- */

VALID(row)
{
    DB_BEGIN(d, F32, ROW, 3, 4);
    DB_BUFFERS(d, 48);
}

VALID(column)
{
    DB_BEGIN(d, F16, COLUMN, 3, 4, 5);
    DB_BUFFERS(d, 120);
}

VALID(scalar)
{
    db_begin(d, BOOL, ROW, NULL, 0);
    DB_BUFFERS(d, 1);
}

VALID(empty)
{
    DB_BEGIN(d, F32, ROW, 3, 0, 5);
    db_table(d, 1);
    db_handle(d, 0, 1, 0, 0, 0);
}

VALID(dynamic)
{
    DB_BEGIN(d, F32, ROW, DB_DYNAMIC, 4);
    DB_BUFFERS(d, 0);
}

VALID(offset)
{
    DB_BEGIN(d, COMPLEX128, ROW, 2);
    db_byte_offset(d, 3);
    DB_BUFFERS(d, 35);
}

VALID(rank_64)
{
    uint64_t shape[64];
    for (int k = 0; k < 64; k++)
        shape[k] = 1;
    db_begin(d, U8, ROW, shape, 64);
    DB_BUFFERS(d, 1);
}

/* The offsets -8 .. 3 of layouts, section 3. */
VALID(strided)
{
    DB_BEGIN(d, F32, STRIDED, 3, 4);
    db_byte_offset(d, 32);
    DB_U64S(d, (uint64_t)-4, 1);
    DB_BUFFERS(d, 48);
}

/* Strides of 0, backwards through packed 4-bit elements: offsets -7 .. 0, bytes -4 .. 0. */
VALID(strided_int4)
{
    DB_BEGIN(d, I4, STRIDED, 1000, 8);
    db_byte_offset(d, 4);
    DB_U64S(d, 0, (uint64_t)-1);
    DB_BUFFERS(d, 5);
}

VALID(tiled)
{
    DB_BEGIN(d, F32, TILED, 5, 7);
    DB_U64S(d, 2, 4);
    db_u8(d, 2);
    db_u8(d, 2);
    db_zeros(d, 2);
    DB_BUFFERS(d, 48 * 4);
}

/* Both orders strided: the last element is tile 5, element 3 of 4. */
VALID(tiled_strided)
{
    DB_BEGIN(d, F32, TILED, 6, 4);
    DB_U64S(d, 2, 2);
    db_u8(d, 3);
    db_u8(d, 3);
    db_zeros(d, 2);
    DB_U64S(d, 1, 3);
    DB_U64S(d, 1, 2);
    DB_BUFFERS(d, 96);
}

/* Dump H of descriptor, section 13. */
VALID(nested)
{
    DB_BEGIN(d, F32, TILED, 6, 8);
    DB_U64S(d, 2, 4);
    db_u8(d, 1);
    db_u8(d, 4);
    db_zeros(d, 2);
    DB_U64S(d, 1, 2);
    db_u8(d, 2);
    db_u8(d, 1);
    db_zeros(d, 2);
    DB_BUFFERS(d, 192);
}

VALID(tiled_8_levels)
{
    DB_BEGIN(d, U8, TILED, 256);
    for (unsigned level = 0; level < 8; level++) {
        db_u64(d, 128u >> level);
        db_u8(d, 1 + level % 2);
        db_u8(d, level == 7 ? 1 : 4);
        db_zeros(d, 2);
    }
    DB_BUFFERS(d, 256);
}

VALID(morton)
{
    DB_BEGIN(d, F32, MORTON, 4, 3);
    DB_U32S(d, 2, 2);
    DB_BUFFERS(d, 64);
}

/* The highest code in use is 175 (layouts, section 5). */
VALID(morton_unequal)
{
    DB_BEGIN(d, E2M3, MORTON, 3, 15);
    DB_U32S(d, 2, 4);
    DB_BUFFERS(d, 132);
}

VALID(hilbert)
{
    DB_BEGIN(d, F16, HILBERT, 8, 8);
    DB_U32S(d, 3, 2);
    DB_BUFFERS(d, 128);
}

/* ---- Sparse, paged, virtual, private ---- */

VALID(coo)
{
    DB_BEGIN(d, F32, COO, 4, 4);
    db_u64(d, 3);
    db_u8(d, 1);
    db_zeros(d, 7);
    DB_BUFFERS(d, 12, 48);
}

VALID(coo_huge)
{
    DB_BEGIN(d, U8, COO, 1ull << 40, 1ull << 40, 1ull << 40);
    db_u64(d, 5);
    db_zeros(d, 8);
    DB_BUFFERS(d, 5, 120);
}

VALID(csr)
{
    DB_BEGIN(d, F32, CSR, 4, 5);
    db_u64(d, 5);
    db_zeros(d, 8);
    DB_BUFFERS(d, 20, 40, 40);
}

VALID(csc)
{
    DB_BEGIN(d, F32, CSC, 4, 5);
    db_u64(d, 5);
    db_zeros(d, 8);
    DB_BUFFERS(d, 20, 40, 48);
}

VALID(csf)
{
    DB_BEGIN(d, F32, CSF, 2, 3, 4);
    db_u64(d, 4);
    DB_U32S(d, 2, 0, 1);
    db_zeros(d, 8);
    DB_BUFFERS(d, 16, 16, 16, 24, 24, 32, 32);
}

void valid_put_paged(desc_bytes *d, unsigned type)
{
    DB_BEGIN(d, type, PAGED, 9, 2, 8);
    db_u32(d, 4); /* page_size */
    db_u64(d, 5); /* num_pages */
    db_u32(d, 0);
    db_u32(d, 2); /* num_seqs */
    db_u8(d, 1);
    db_u32(d, 3);
    db_u8(d, 0);
    db_zeros(d, 6);
}

VALID(paged)
{
    valid_put_paged(d, F16);
    DB_BUFFERS(d, 640, 12, 12);
}

VALID(partition)
{
    DB_BEGIN(d, F32, COMPOSITE, 8, 8);
    db_u8(d, 1);
    db_zeros(d, 3);
    db_u32(d, 2);
    db_table(d, 0);
}

VALID(overlay)
{
    DB_BEGIN(d, F32, COMPOSITE, 4, 4);
    db_u8(d, 2);
    db_u8(d, 1);
    db_zeros(d, 2);
    db_u32(d, 2);
    db_table(d, 0);
}

VALID(group)
{
    DB_BEGIN(d, F32, COMPOSITE, DB_DYNAMIC);
    db_u8(d, 3);
    db_zeros(d, 3);
    db_u32(d, 0);
    db_table(d, 0);
}

VALID(private_layout)
{
    DB_BEGIN(d, F32, 0xF3, 3, 4);
    db_u64(d, 0x1122334455667788);
    db_u32(d, 5);
    DB_U32S(d, 0xA0B0C0D0);
    db_u8(d, 0xEE);
    DB_BUFFERS(d, 7, 9);
}

VALID(private_layout_255)
{
    DB_BEGIN(d, I8, 0xFE, 1);
    db_u64(d, 1);
    db_u32(d, 0);
    db_table(d, 255);
    for (int i = 0; i < 255; i++)
        db_handle(d, 1, 128, 0, 0, 0);
}

#undef VALID

static const valid_desc layouts[] = {
#define VALID(name)        \
    {                      \
#name, make_##name \
    }
    VALID(row),
    VALID(column),
    VALID(scalar),
    VALID(empty),
    VALID(dynamic),
    VALID(offset),
    VALID(rank_64),
    VALID(strided),
    VALID(strided_int4),
    VALID(tiled),
    VALID(tiled_strided),
    VALID(nested),
    VALID(tiled_8_levels),
    VALID(morton),
    VALID(morton_unequal),
    VALID(hilbert),
    VALID(coo),
    VALID(coo_huge),
    VALID(csr),
    VALID(csc),
    VALID(csf),
    VALID(paged),
    VALID(partition),
    VALID(overlay),
    VALID(group),
    VALID(private_layout),
    VALID(private_layout_255),
#undef VALID
    { 0 },
};

const valid_desc *valid_desc_at(size_t i)
{
    size_t n = sizeof layouts / sizeof *layouts - 1;
    if (i < n)
        return &layouts[i];
    for (size_t k = 0; valid_sections[k].name; k++)
        if (k == i - n)
            return &valid_sections[k];
    return NULL;
}

bool valid_desc_make(const char *name, desc_bytes *d)
{
    const valid_desc *v;
    for (size_t i = 0; (v = valid_desc_at(i)); i++)
        if (strcmp(v->name, name) == 0) {
            v->make(d);
            db_end(d);
            return true;
        }
    return false;
}
