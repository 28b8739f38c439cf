/*
 * Every rule of a descriptor, broken by bytes of our own: the rule, the offset and the status that are reported, and
 * what a permissive reader says.
 */
#include "desc/valid_descs.h"
#include "support/rules_reached.h"

#include <hurray/desc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const hry_allow all_private = { .all = true };

enum place { HEADER, LAYOUT, TABLE, QUANT, SHARD, STATS, EXT, MEMBER, END };

static uint32_t place_of(const desc_bytes *d, enum place place)
{
    const uint32_t places[] = { 0,         d->layout, d->table, d->quantization, d->shard, d->statistics, d->extension,
                                d->member, d->n };
    return places[place];
}

/* size bytes at a place of a descriptor overwritten. */
typedef struct damage {
    enum place place;
    int delta;
    unsigned size; /* 0: none */
    uint64_t value;
} damage;

/* What a permissive reader makes of it: the same, an opaque tensor, or a tensor like any other. */
enum permissive { SAME, OPAQUE, FINE };

/* What is broken, and where the fault must be reported. */
typedef struct bad_input {
    const char *rule, *base;
    damage damages[3];
    enum place fault;
    int delta;
    enum permissive permissive;
    enum { ALLOW, FORBID, STORED } how; /* private values are allowed, or not; or the bytes were stored */
} bad_input;

enum { VERSION = 4, LENGTH = 6, FLAGS = 10, TYPE = 14, TAG = 15, RANK = 16, SHAPE = 20 };
/* Fields of a row of the buffer table, from the table's buffer_count. */
enum { SIZE_0 = 1, ALIGN_0 = 9, DEVICE_0 = 13, SYNC_0, CLASS_0, RESERVED_0, SIZE_1 = 17 };
/* Fields of the quantization section, from its length. */
enum { SCHEME = 4, SCHEME_VERSION = 5, SCHEME_FLAGS = 6, AXIS = 8, FIELD_2 = 12, FIELD_3 = 16, FIELD_4 = 20 };

static const bad_input bad_inputs[] = {
    /* Header */
    { "D-02", "row", { { HEADER, 0, 1, 'h' } }, HEADER, 0, SAME, 0 },
    { "D-02", "row", { { HEADER, 3, 1, 'F' } }, HEADER, 0, SAME, 0 },
    { "D-03", "row", { { HEADER, VERSION, 1, 2 } }, HEADER, VERSION, SAME, 0 },
    { "D-03", "row", { { HEADER, VERSION, 1, 255 } }, HEADER, VERSION, SAME, 0 },
    { "D-04", "row", { { HEADER, VERSION, 1, 0 } }, HEADER, VERSION, SAME, 0 },
    { "D-05", "row", { { HEADER, LENGTH, 4, 19 } }, HEADER, LENGTH, SAME, 0 },
    { "D-05", "row", { { HEADER, LENGTH, 4, 0 } }, HEADER, LENGTH, SAME, 0 },
    { "D-07", "row", { { HEADER, FLAGS, 4, 1u << 5 } }, HEADER, FLAGS, SAME, 0 },
    { "D-07", "row", { { HEADER, FLAGS, 4, 1u << 31 } }, HEADER, FLAGS, SAME, 0 },
    { "D-07", "newer_minor", { { HEADER, FLAGS, 4, 1u << 5 } }, HEADER, FLAGS, SAME, 0 },
    { "D-08", "row", { { HEADER, TYPE, 1, 0 } }, HEADER, TYPE, SAME, 0 },
    { "D-08", "row", { { HEADER, TYPE, 1, 0xFF } }, HEADER, TYPE, SAME, 0 },
    { "D-09", "row", { { HEADER, TYPE, 1, 0x47 } }, HEADER, TYPE, SAME, 0 },
    { "D-09", "row", { { HEADER, TYPE, 1, 0xEF } }, HEADER, TYPE, SAME, 0 },
    { "D-10", "extension_float", { { 0 } }, HEADER, TYPE, OPAQUE, FORBID },
    { "D-11", "row", { { HEADER, TYPE, 1, 0xF0 } }, HEADER, TYPE, SAME, 0 },
    { "D-11", "extension_float", { { HEADER, TYPE, 1, 0x01 } }, HEADER, TYPE, SAME, 0 },
    { "D-12", "row", { { HEADER, TAG, 1, 0 } }, HEADER, TAG, SAME, 0 },
    { "D-12", "row", { { HEADER, TAG, 1, 0xFF } }, HEADER, TAG, SAME, 0 },
    { "D-13", "row", { { HEADER, TAG, 1, 0x0C } }, HEADER, TAG, OPAQUE, 0 },
    { "D-13", "coo", { { HEADER, TAG, 1, 0x7F } }, HEADER, TAG, OPAQUE, 0 },
    { "D-13", "row", { { HEADER, TAG, 1, 0xEF } }, HEADER, TAG, OPAQUE, 0 },
    { "D-14", "private_layout", { { 0 } }, LAYOUT, 0, OPAQUE, FORBID },
    { "D-15", "row", { { HEADER, RANK, 4, 65 } }, HEADER, RANK, SAME, 0 },
    { "D-15", "row", { { HEADER, RANK, 4, UINT32_MAX } }, HEADER, RANK, SAME, 0 },
    { "D-16", "scalar", { { HEADER, TAG, 1, 2 } }, HEADER, RANK, OPAQUE, 0 },
    { "D-16", "scalar", { { HEADER, TAG, 1, 5 } }, HEADER, RANK, OPAQUE, 0 },
    { "D-17", "row", { { HEADER, LENGTH, 4, 62 }, { END, 0, 1, 0 } }, END, 0, SAME, 0 },
    { "D-17", "member", { { HEADER, LENGTH, 4, 113 }, { END, 0, 4, 0 } }, END, 0, SAME, 0 },
    /* Fields past the end: cut off by the length, with all bytes there. */
    { "D-06", "row", { { HEADER, LENGTH, 4, 35 } }, HEADER, SHAPE, SAME, 0 },
    { "D-06", "row", { { HEADER, LENGTH, 4, 43 } }, HEADER, SHAPE + 16, SAME, 0 },
    { "D-06", "row", { { HEADER, LENGTH, 4, 44 } }, TABLE, 0, SAME, 0 },
    { "D-06", "row", { { HEADER, LENGTH, 4, 60 } }, TABLE, 1, SAME, 0 },
    { "D-06", "row", { { TABLE, 0, 1, 2 } }, TABLE, 1, SAME, 0 },
    { "D-06", "coo", { { HEADER, LENGTH, 4, 59 } }, LAYOUT, 0, SAME, 0 },
    { "D-06", "tiled", { { HEADER, LENGTH, 4, 63 } }, LAYOUT, 0, SAME, 0 },
    { "D-06", "tiled_strided", { { HEADER, LENGTH, 4, 95 } }, LAYOUT, 20, SAME, 0 },
    { "D-06", "nested", { { HEADER, LENGTH, 4, 83 } }, LAYOUT, 20, SAME, 0 },
    { "D-06", "private_layout", { { LAYOUT, 8, 4, UINT32_MAX } }, LAYOUT, 12, SAME, 0 },
    { "D-06", "per_tensor", { { HEADER, LENGTH, 4, 56 } }, QUANT, 0, SAME, 0 },
    { "D-06", "per_tensor", { { QUANT, 0, 4, 17 } }, QUANT, 4, SAME, 0 },
    { "D-06", "per_tensor", { { QUANT, 0, 4, UINT32_MAX } }, QUANT, 4, SAME, 0 },
    { "D-06", "row", { { HEADER, FLAGS, 4, 2 } }, END, 0, SAME, 0 },
    { "D-06", "row", { { HEADER, FLAGS, 4, 8 } }, END, 0, SAME, 0 },
    { "D-06", "extension_float", { { HEADER, LENGTH, 4, 80 } }, EXT, 0, SAME, 0 },
    { "D-06", "row", { { HEADER, FLAGS, 4, 16 } }, END, 0, SAME, 0 },
    /* Buffer table */
    { "D-20", "row", { { TABLE, 0, 1, 0 } }, TABLE, 0, SAME, 0 },
    { "D-20", "private_layout", { { TABLE, 0, 1, 0 } }, TABLE, 0, SAME, 0 },
    { "D-22", "per_channel", { { QUANT, FIELD_3, 4, 1 }, { TABLE, SIZE_1, 8, 32 } }, TABLE, 0, OPAQUE, 0 },
    { "D-22", "coo", { { HEADER, TAG, 1, 7 }, { LAYOUT, 8, 1, 0 } }, TABLE, 0, OPAQUE, 0 },
    { "D-23", "row", { { TABLE, RESERVED_0, 1, 1 } }, TABLE, RESERVED_0, SAME, 0 },
    { "D-23", "csr", { { TABLE, 32 + RESERVED_0, 1, 0x80 } }, TABLE, 32 + RESERVED_0, SAME, 0 },
    { "D-24", "row", { { TABLE, DEVICE_0, 1, 0xFF } }, TABLE, DEVICE_0, SAME, 0 },
    { "D-25", "row", { { TABLE, DEVICE_0, 1, 0x09 } }, TABLE, DEVICE_0, SAME, 0 },
    { "D-25", "row", { { TABLE, DEVICE_0, 1, 0xEF } }, TABLE, DEVICE_0, SAME, 0 },
    { "D-26", "cuda", { { TABLE, SYNC_0, 1, 3 } }, TABLE, SYNC_0, SAME, 0 },
    { "D-26", "cuda", { { TABLE, SYNC_0, 1, 0xFF } }, TABLE, SYNC_0, SAME, 0 },
    { "D-27", "row", { { TABLE, SYNC_0, 1, 1 } }, TABLE, SYNC_0, SAME, 0 },
    { "D-28", "cuda", { { TABLE, CLASS_0, 1, 4 } }, TABLE, CLASS_0, SAME, 0 },
    { "D-28", "private_device", { { TABLE, CLASS_0, 1, 0xFF } }, TABLE, CLASS_0, SAME, 0 },
    { "D-29", "row", { { TABLE, CLASS_0, 1, 3 } }, TABLE, CLASS_0, SAME, 0 },
    { "D-29", "row", { { TABLE, CLASS_0, 1, 0xF0 } }, TABLE, CLASS_0, SAME, 0 },
    { "D-29", "private_device", { { TABLE, CLASS_0, 1, 1 } }, TABLE, CLASS_0, SAME, 0 },
    { "D-30", "row", { { TABLE, ALIGN_0, 4, 96 } }, TABLE, ALIGN_0, SAME, 0 },
    { "D-30", "empty", { { TABLE, ALIGN_0, 4, 0 } }, TABLE, ALIGN_0, SAME, 0 },
    { "D-31", "row", { { TABLE, ALIGN_0, 4, 32 } }, TABLE, ALIGN_0, SAME, 0 },
    { "D-32", "per_channel", { { TABLE, 16 + DEVICE_0, 1, 1 } }, TABLE, 16 + DEVICE_0, SAME, 0 },
    { "D-32", "per_channel", { { TABLE, 32 + CLASS_0, 1, 1 } }, TABLE, 32 + CLASS_0, SAME, 0 },
    { "D-33", "private_device", { { 0 } }, TABLE, DEVICE_0, SAME, FORBID },
    { "D-35", "offset", { { HEADER, SHAPE + 8, 8, 36 } }, TABLE, SIZE_0, SAME, 0 },
    { "D-35", "dynamic", { { HEADER, SHAPE + 16, 8, 1 } }, TABLE, SIZE_0, SAME, 0 },
    { "D-36", "coo", { { HEADER, SHAPE + 16, 8, 1 } }, HEADER, SHAPE + 16, SAME, 0 },
    { "D-36", "csr", { { HEADER, SHAPE + 16, 8, 1 } }, HEADER, SHAPE + 16, SAME, 0 },
    { "D-36", "csf", { { HEADER, SHAPE + 24, 8, 1 } }, HEADER, SHAPE + 24, SAME, 0 },
    { "D-36", "paged", { { HEADER, SHAPE + 24, 8, 1 } }, HEADER, SHAPE + 24, SAME, 0 },
    { "D-37", "row", { { TABLE, SIZE_0, 8, 47 } }, TABLE, SIZE_0, OPAQUE, 0 },
    { "D-37", "offset", { { HEADER, SHAPE + 8, 8, 4 } }, TABLE, SIZE_0, OPAQUE, 0 },
    { "D-37", "row", { { HEADER, SHAPE, 8, 1ull << 62 }, { TABLE, SIZE_0, 8, UINT64_MAX } }, TABLE, SIZE_0, OPAQUE, 0 },
    { "D-37", "strided", { { HEADER, SHAPE + 16, 8, 31 } }, TABLE, SIZE_0, OPAQUE, 0 },
    { "D-37", "strided", { { LAYOUT, 8, 8, INT64_MAX } }, TABLE, SIZE_0, OPAQUE, 0 },
    { "D-37", "strided", { { LAYOUT, 0, 8, 1ull << 63 } }, TABLE, SIZE_0, OPAQUE, 0 },
    { "D-37", "strided_int4", { { HEADER, SHAPE + 16, 8, 3 } }, TABLE, SIZE_0, OPAQUE, 0 },
    { "D-37", "strided_int4", { { HEADER, SHAPE, 8, 1ull << 61 } }, TABLE, SIZE_0, OPAQUE, 0 },
    { "D-37", "tiled", { { TABLE, SIZE_0, 8, 191 } }, TABLE, SIZE_0, OPAQUE, 0 },
    { "D-37", "tiled_strided", { { TABLE, SIZE_0, 8, 95 } }, TABLE, SIZE_0, OPAQUE, 0 },
    { "D-37", "tiled", { { LAYOUT, 0, 8, UINT64_MAX } }, TABLE, SIZE_0, OPAQUE, 0 },
    { "D-37", "morton", { { TABLE, SIZE_0, 8, 63 } }, TABLE, SIZE_0, OPAQUE, 0 },
    { "D-37", "morton_unequal", { { TABLE, SIZE_0, 8, 131 } }, TABLE, SIZE_0, OPAQUE, 0 },
    { "D-37", "hilbert", { { TABLE, SIZE_0, 8, 127 } }, TABLE, SIZE_0, OPAQUE, 0 },
    { "D-38", "coo", { { TABLE, SIZE_0, 8, 11 } }, TABLE, SIZE_0, OPAQUE, 0 },
    { "D-38", "coo", { { TABLE, SIZE_1, 8, 47 } }, TABLE, SIZE_1, OPAQUE, 0 },
    { "D-38",
      "coo_huge",
      { { LAYOUT, 0, 8, 1ull << 62 }, { TABLE, SIZE_0, 8, 1ull << 62 }, { TABLE, SIZE_1, 8, UINT64_MAX } },
      TABLE,
      SIZE_1,
      OPAQUE,
      0 },
    { "D-38", "csr", { { TABLE, SIZE_1, 8, 39 } }, TABLE, SIZE_1, OPAQUE, 0 },
    { "D-38", "csr", { { TABLE, 16 + SIZE_1, 8, 39 } }, TABLE, 16 + SIZE_1, OPAQUE, 0 },
    { "D-38", "csc", { { TABLE, 16 + SIZE_1, 8, 47 } }, TABLE, 16 + SIZE_1, OPAQUE, 0 },
    { "D-38", "csf", { { TABLE, SIZE_1, 8, 15 } }, TABLE, SIZE_1, OPAQUE, 0 },
    { "D-38", "csf", { { TABLE, 80 + SIZE_1, 8, 31 } }, TABLE, 80 + SIZE_1, OPAQUE, 0 },
    { "D-38", "paged", { { TABLE, SIZE_0, 8, 639 } }, TABLE, SIZE_0, OPAQUE, 0 },
    { "D-38", "paged", { { LAYOUT, 4, 8, UINT64_MAX } }, TABLE, SIZE_0, OPAQUE, 0 },
    { "D-38", "paged", { { TABLE, 16 + SIZE_1, 8, 11 } }, TABLE, 16 + SIZE_1, OPAQUE, 0 },
    { "D-38", "paged", { { LAYOUT, 25, 1, 1 } }, TABLE, 16 + SIZE_1, OPAQUE, 0 },
    /* Layout fields */
    { "L-TIL-01", "tiled", { { LAYOUT, 8, 8, 0 } }, LAYOUT, 8, SAME, 0 },
    { "L-TIL-01", "nested", { { LAYOUT, 20, 8, 0 } }, LAYOUT, 20, SAME, 0 },
    { "L-TIL-02", "tiled", { { LAYOUT, 16, 1, 4 } }, LAYOUT, 16, SAME, 0 },
    { "L-TIL-02", "nested", { { LAYOUT, 36, 1, 0 } }, LAYOUT, 36, SAME, 0 },
    { "L-TIL-03", "tiled", { { LAYOUT, 17, 1, 5 } }, LAYOUT, 17, SAME, 0 },
    { "L-TIL-03", "tiled", { { LAYOUT, 17, 1, 0 } }, LAYOUT, 17, SAME, 0 },
    { "L-TIL-04", "tiled", { { LAYOUT, 19, 1, 1 } }, LAYOUT, 19, SAME, 0 },
    { "L-TIL-06", "nested", { { LAYOUT, 28, 8, 3 } }, LAYOUT, 28, SAME, 0 },
    { "L-MOR-01", "morton", { { LAYOUT, 4, 4, 0 } }, LAYOUT, 4, SAME, 0 },
    { "L-MOR-02", "morton", { { HEADER, SHAPE, 8, 5 } }, LAYOUT, 0, SAME, 0 },
    { "L-MOR-03", "morton", { { LAYOUT, 0, 4, UINT32_MAX } }, LAYOUT, 0, SAME, 0 },
    { "L-MOR-03", "morton", { { LAYOUT, 0, 4, 62 } }, LAYOUT, 0, SAME, 0 },
    { "L-HIL-01", "hilbert", { { LAYOUT, 0, 4, 0 } }, LAYOUT, 0, SAME, 0 },
    { "L-HIL-02", "hilbert", { { LAYOUT, 4, 4, 3 } }, LAYOUT, 4, SAME, 0 },
    { "L-HIL-03", "hilbert", { { LAYOUT, 4, 4, 1 } }, LAYOUT, 4, SAME, 0 },
    { "L-HIL-04", "hilbert", { { HEADER, SHAPE + 8, 8, 7 } }, LAYOUT, 0, SAME, 0 },
    { "L-HIL-04", "hilbert", { { HEADER, SHAPE, 8, UINT64_MAX } }, LAYOUT, 0, SAME, 0 },
    { "L-HIL-05", "hilbert", { { LAYOUT, 0, 4, 32 } }, LAYOUT, 4, SAME, 0 },
    { "L-HIL-05", "hilbert", { { LAYOUT, 0, 4, UINT32_MAX } }, LAYOUT, 4, SAME, 0 },
    { "L-COO-01", "coo", { { LAYOUT, 8, 1, 2 } }, LAYOUT, 8, SAME, 0 },
    { "L-COO-02", "coo", { { LAYOUT, 15, 1, 1 } }, LAYOUT, 15, SAME, 0 },
    { "L-COO-03", "coo", { { HEADER, SHAPE, 8, 0 } }, LAYOUT, 0, OPAQUE, 0 },
    { "L-CSR-02", "csr", { { LAYOUT, 8, 1, 1 } }, LAYOUT, 8, SAME, 0 },
    { "L-CSR-03", "csr", { { LAYOUT, 0, 8, 21 } }, LAYOUT, 0, OPAQUE, 0 },
    { "L-CSC-02", "csc", { { LAYOUT, 15, 1, 1 } }, LAYOUT, 15, SAME, 0 },
    { "L-CSC-03", "csc", { { LAYOUT, 0, 8, UINT64_MAX } }, LAYOUT, 0, OPAQUE, 0 },
    { "L-CSF-02", "csf", { { LAYOUT, 12, 4, 2 } }, LAYOUT, 12, OPAQUE, 0 },
    { "L-CSF-02", "csf", { { LAYOUT, 8, 4, 3 } }, LAYOUT, 8, OPAQUE, 0 },
    { "L-CSF-03", "csf", { { LAYOUT, 27, 1, 1 } }, LAYOUT, 27, SAME, 0 },
    { "L-CSF-05", "csf", { { LAYOUT, 0, 8, 25 } }, LAYOUT, 0, OPAQUE, 0 },
    { "L-BP-02", "paged", { { LAYOUT, 0, 4, 0 } }, LAYOUT, 0, SAME, 0 },
    { "L-BP-03", "paged", { { LAYOUT, 12, 4, 1 } }, LAYOUT, 12, SAME, 0 },
    { "L-BP-04", "paged", { { LAYOUT, 20, 1, 3 } }, LAYOUT, 20, SAME, 0 },
    { "L-BP-05", "paged", { { LAYOUT, 25, 1, 2 } }, LAYOUT, 25, SAME, 0 },
    { "L-BP-06", "paged", { { LAYOUT, 31, 1, 1 } }, LAYOUT, 31, SAME, 0 },
    { "L-BP-08", "paged_per_channel", { { QUANT, AXIS, 4, 0 } }, QUANT, AXIS, SAME, 0 },
    { "L-BP-09", "paged_per_block", { { QUANT, AXIS, 4, 1 } }, QUANT, AXIS, SAME, 0 },
    { "L-BP-09", "paged_per_block", { { QUANT, FIELD_2, 4, 8 } }, QUANT, FIELD_2, SAME, 0 },
    { "L-BP-11", "paged", { { LAYOUT, 16, 4, 0 } }, LAYOUT, 16, OPAQUE, 0 },
    { "L-CMP-01", "partition", { { LAYOUT, 0, 1, 0 } }, LAYOUT, 0, SAME, 0 },
    { "L-CMP-01", "partition", { { LAYOUT, 0, 1, 4 } }, LAYOUT, 0, SAME, 0 },
    { "L-CMP-01", "partition", { { LAYOUT, 0, 1, 0xFF } }, LAYOUT, 0, SAME, 0 },
    { "L-CMP-02", "partition", { { LAYOUT, 0, 1, 0xF0 } }, LAYOUT, 0, OPAQUE, ALLOW },
    { "L-CMP-02", "partition", { { LAYOUT, 0, 1, 0xFE } }, LAYOUT, 0, SAME, FORBID },
    { "L-CMP-03", "partition", { { LAYOUT, 1, 1, 1 } }, LAYOUT, 1, SAME, 0 },
    { "L-CMP-03", "overlay", { { LAYOUT, 1, 1, 0 } }, LAYOUT, 1, SAME, 0 },
    { "L-CMP-03", "overlay", { { LAYOUT, 1, 1, 3 } }, LAYOUT, 1, SAME, 0 },
    { "L-CMP-04", "group", { { LAYOUT, 3, 1, 1 } }, LAYOUT, 3, SAME, 0 },
    { "L-CMP-05", "group", { { LAYOUT, 4, 4, UINT32_MAX } }, LAYOUT, 4, SAME, 0 },
    { "L-CMP-06", "overlay", { { LAYOUT, 4, 4, 0 } }, LAYOUT, 4, SAME, 0 },
    { "L-CMP-07", "partition", { { TABLE, 0, 1, 1 } }, TABLE, 0, SAME, 0 },
    { "L-CMP-08", "partition", { { HEADER, SHAPE + 16, 8, 1 } }, HEADER, SHAPE + 16, SAME, 0 },
    { "L-CMP-11", "overlay", { { HEADER, SHAPE + 8, 8, UINT64_MAX } }, LAYOUT, 0, SAME, 0 },
    { "L-CMP-11", "partition", { { HEADER, SHAPE, 8, UINT64_MAX } }, LAYOUT, 0, SAME, 0 },
    /* Quantization */
    { "D-40", "per_tensor", { { QUANT, 0, 4, 3 } }, QUANT, 0, SAME, 0 },
    { "D-41", "per_tensor", { { QUANT, SCHEME, 1, 0 } }, QUANT, SCHEME, SAME, 0 },
    { "D-41", "per_tensor", { { QUANT, SCHEME, 1, 0xFF } }, QUANT, SCHEME, SAME, 0 },
    { "D-42", "per_tensor", { { QUANT, SCHEME, 1, 6 } }, QUANT, SCHEME, OPAQUE, 0 },
    { "D-42", "per_tensor", { { QUANT, SCHEME, 1, 0xEF } }, QUANT, SCHEME, OPAQUE, 0 },
    { "D-42", "private_scheme", { { 0 } }, QUANT, SCHEME, OPAQUE, FORBID },
    { "D-43", "per_tensor", { { QUANT, SCHEME_VERSION, 1, 0 } }, QUANT, SCHEME_VERSION, SAME, 0 },
    { "D-43", "mxfp", { { QUANT, SCHEME_VERSION, 1, 2 } }, QUANT, SCHEME_VERSION, SAME, 0 },
    { "D-44", "per_tensor", { { QUANT, SCHEME_FLAGS, 2, 1 } }, QUANT, SCHEME_FLAGS, SAME, 0 },
    { "D-44", "per_block", { { QUANT, SCHEME_FLAGS, 2, 0x8001 } }, QUANT, SCHEME_FLAGS, SAME, 0 },
    { "D-45", "per_tensor", { { QUANT, 0, 4, 15 } }, QUANT, 0, SAME, 0 },
    { "D-45", "per_block", { { QUANT, 0, 4, 20 } }, QUANT, 0, SAME, 0 },
    { "Q-08", "per_tensor", { { HEADER, TYPE, 1, 0x20 }, { TABLE, SIZE_0, 8, 4 } }, QUANT, SCHEME, SAME, 0 },
    { "Q-08", "nf4", { { HEADER, TYPE, 1, 0x48 } }, QUANT, SCHEME, SAME, 0 },
    { "Q-08", "mxfp", { { HEADER, TYPE, 1, 0x42 } }, QUANT, SCHEME, SAME, 0 },
    { "Q-09", "per_channel", { { QUANT, AXIS, 4, 2 } }, QUANT, AXIS, SAME, 0 },
    { "Q-09", "mxfp", { { QUANT, AXIS, 4, UINT32_MAX } }, QUANT, AXIS, SAME, 0 },
    { "Q-10", "per_channel", { { HEADER, SHAPE + 8, 8, UINT64_MAX } }, QUANT, AXIS, SAME, 0 },
    { "Q-10", "per_block", { { HEADER, SHAPE + 8, 8, UINT64_MAX } }, QUANT, AXIS, SAME, 0 },
    { "Q-11", "per_block_dynamic", { { 0 } }, QUANT, AXIS, SAME, STORED },
    { "Q-11", "paged_per_block", { { HEADER, SHAPE + 16, 8, UINT64_MAX } }, QUANT, AXIS, SAME, STORED },
    { "Q-12",
      "paged_per_block",
      { { HEADER, SHAPE + 8, 8, 0 }, { LAYOUT, 4, 8, 1ull << 62 }, { TABLE, 48 + SIZE_0, 8, UINT64_MAX } },
      QUANT,
      FIELD_3,
      SAME,
      0 },
    { "Q-PT-01", "per_tensor", { { QUANT, AXIS, 4, 0x00000000 } }, QUANT, AXIS, SAME, 0 },
    { "Q-PT-01", "per_tensor", { { QUANT, AXIS, 4, 0x80000000 } }, QUANT, AXIS, SAME, 0 },
    { "Q-PT-01", "per_tensor", { { QUANT, AXIS, 4, 0x7F800000 } }, QUANT, AXIS, SAME, 0 },
    { "Q-PT-01", "per_tensor", { { QUANT, AXIS, 4, 0xFFC00001 } }, QUANT, AXIS, SAME, 0 },
    { "Q-PT-02", "per_tensor", { { QUANT, FIELD_2, 4, 256 } }, QUANT, FIELD_2, SAME, 0 },
    { "Q-PT-02", "per_tensor", { { QUANT, FIELD_2, 4, UINT32_MAX } }, QUANT, FIELD_2, SAME, 0 },
    { "Q-PT-03", "per_tensor", { { QUANT, FIELD_3 + 3, 1, 1 } }, QUANT, FIELD_3 + 3, SAME, 0 },
    { "Q-PC-01", "per_channel", { { QUANT, FIELD_4, 1, 1 } }, QUANT, FIELD_4, SAME, 0 },
    { "Q-PC-02", "per_channel", { { QUANT, FIELD_4 + 2, 1, 1 } }, QUANT, FIELD_4 + 2, SAME, 0 },
    { "Q-PC-03", "per_channel_symmetric", { { QUANT, FIELD_3, 4, 1 } }, QUANT, FIELD_3, SAME, 0 },
    { "Q-PB-01", "per_block_asymmetric", { { QUANT, FIELD_2, 4, 6 } }, QUANT, FIELD_2, SAME, 0 },
    { "Q-PB-01", "per_block_asymmetric", { { QUANT, FIELD_2, 4, 1 } }, QUANT, FIELD_2, SAME, 0 },
    { "Q-PB-01", "per_block_empty_axis", { { QUANT, FIELD_2, 4, 0 } }, QUANT, FIELD_2, SAME, 0 },
    { "Q-PB-02", "per_block_asymmetric", { { QUANT, FIELD_2, 4, 16 } }, QUANT, FIELD_2, SAME, 0 },
    { "Q-PB-03", "per_block_asymmetric", { { QUANT, FIELD_4 + 4, 1, 4 } }, QUANT, FIELD_4 + 4, SAME, 0 },
    { "Q-PB-03", "per_block_asymmetric", { { QUANT, FIELD_4 + 4, 1, 0 } }, QUANT, FIELD_4 + 4, SAME, 0 },
    { "Q-PB-04", "per_block_asymmetric", { { QUANT, FIELD_4 + 7, 1, 1 } }, QUANT, FIELD_4 + 7, SAME, 0 },
    { "Q-PB-05", "per_block", { { QUANT, FIELD_4, 4, 1 } }, QUANT, FIELD_4, FINE, 0 },
    { "Q-PB-07", "per_block_plain", { { TABLE, SIZE_0, 8, 151 } }, QUANT, FIELD_2, FINE, 0 },
    { "Q-PB-07", "per_block_padded", { { TABLE, SIZE_0, 8, 193 } }, QUANT, FIELD_2, FINE, 0 },
    { "Q-NF4-01", "nf4", { { QUANT, FIELD_2, 4, 24 } }, QUANT, FIELD_2, SAME, 0 },
    { "Q-NF4-01", "nf4", { { QUANT, FIELD_2, 4, 4 } }, QUANT, FIELD_2, SAME, 0 },
    { "Q-NF4-02", "nf4", { { QUANT, FIELD_2, 4, 128 } }, QUANT, FIELD_2, SAME, 0 },
    { "Q-NF4-05", "nf4_plain", { { TABLE, SIZE_0, 8, 21 } }, QUANT, FIELD_2, FINE, 0 },
    { "Q-MX-01", "mxfp", { { QUANT, FIELD_2, 4, 8 } }, QUANT, FIELD_2, SAME, 0 },
    { "Q-MX-01", "mxfp", { { QUANT, FIELD_2, 4, 48 } }, QUANT, FIELD_2, SAME, 0 },
    { "Q-MX-01", "mxfp", { { QUANT, FIELD_2, 4, 4096 } }, QUANT, FIELD_2, SAME, 0 },
    { "Q-MX-02", "mxfp", { { HEADER, SHAPE, 8, 31 } }, QUANT, FIELD_2, SAME, 0 },
    { "Q-MX-02", "mxfp", { { HEADER, SHAPE, 8, 0 } }, QUANT, FIELD_2, SAME, 0 },
    { "Q-BUF-01", "per_channel", { { QUANT, FIELD_2, 4, 3 } }, QUANT, FIELD_2, SAME, 0 },
    { "Q-BUF-01", "per_channel", { { QUANT, FIELD_3, 4, UINT32_MAX } }, QUANT, FIELD_3, SAME, 0 },
    { "Q-BUF-01", "nf4", { { QUANT, FIELD_3, 4, 2 } }, QUANT, FIELD_3, SAME, 0 },
    { "Q-BUF-02", "per_channel", { { QUANT, FIELD_2, 4, 0 } }, QUANT, FIELD_2, SAME, 0 },
    { "Q-BUF-02", "coo_per_channel", { { QUANT, FIELD_2, 4, 1 } }, QUANT, FIELD_2, SAME, 0 },
    { "Q-BUF-02", "per_channel", { { QUANT, FIELD_3, 4, 0 } }, QUANT, FIELD_3, SAME, 0 },
    { "Q-BUF-04", "per_channel", { { TABLE, SIZE_1, 8, 15 } }, QUANT, FIELD_2, SAME, 0 },
    { "Q-BUF-04", "per_channel", { { TABLE, SIZE_1, 8, 17 } }, QUANT, FIELD_2, FINE, 0 },
    { "Q-BUF-04", "per_channel", { { TABLE, 16 + SIZE_1, 8, 17 } }, QUANT, FIELD_3, FINE, 0 },
    { "Q-BUF-04", "per_block_asymmetric", { { QUANT, FIELD_4 + 4, 1, 1 } }, QUANT, FIELD_3, FINE, 0 },
    { "Q-BUF-04", "mxfp", { { TABLE, SIZE_1, 8, 0 } }, QUANT, FIELD_3, SAME, 0 },
    { "Q-BUF-04", "paged_per_block", { { LAYOUT, 4, 8, 4 } }, QUANT, FIELD_3, FINE, 0 },
    { "Q-BUF-05", "per_block_shared", { { TABLE, SIZE_1, 8, 89 } }, QUANT, FIELD_4, SAME, 0 },
    { "Q-BUF-05", "per_channel_shared", { { TABLE, SIZE_1, 8, 47 } }, QUANT, FIELD_3, SAME, 0 },
    /* Other sections */
    { "D-50", "shard", { { SHARD, 16, 8, 3 } }, SHARD, 16, SAME, 0 },
    { "D-50", "shard", { { SHARD, 24, 8, UINT64_MAX - 3 } }, SHARD, 24, SAME, 0 },
    { "D-51", "shard", { { SHARD, 8, 8, UINT64_MAX } }, SHARD, 8, SAME, 0 },
    { "D-51", "shard", { { HEADER, SHAPE, 8, UINT64_MAX } }, SHARD, 0, SAME, 0 },
    { "D-55", "statistics", { { STATS, 0, 4, 0x40 } }, STATS, 0, SAME, 0 },
    { "D-55", "statistics", { { STATS, 3, 1, 0x80 } }, STATS, 0, SAME, 0 },
    { "D-56", "statistics", { { STATS, 7, 1, 1 } }, STATS, 4, SAME, 0 },
    { "D-56", "statistics", { { STATS, 70, 1, 1 } }, STATS, 70, SAME, 0 },
    { "D-60", "extension_int", { { EXT, 0, 4, 0 } }, EXT, 0, SAME, 0 },
    { "D-61", "extension_int", { { EXT, 0, 4, 6 } }, EXT, 0, SAME, 0 },
    { "D-62", "extension_int", { { EXT, 4, 1, 2 } }, EXT, 4, SAME, 0 },
    { "D-62", "extension_int2", { { EXT, 4, 1, 1 } }, EXT, 4, SAME, 0 },
    { "D-63", "extension_int", { { EXT, 0, 4, 12 } }, EXT, 0, SAME, 0 },
    { "D-63", "extension_int", { { EXT, 0, 4, UINT32_MAX } }, EXT, 0, SAME, 0 },
    { "D-64", "extension_int", { { EXT, 11, 1, 1 } }, EXT, 11, SAME, 0 },
    { "D-64", "extension_int", { { EXT, 18, 1, 1 } }, EXT, 18, SAME, 0 },
    { "D-65", "extension_int", { { EXT, 5, 1, 2 } }, EXT, 5, SAME, 0 },
    { "D-65", "extension_int", { { EXT, 6, 1, 2 } }, EXT, 6, SAME, 0 },
    { "D-65", "extension_float", { { EXT, 17, 1, 0xFF } }, EXT, 17, SAME, 0 },
    { "D-66", "extension_float", { { EXT, 6, 1, 1 } }, EXT, 6, SAME, 0 },
    { "D-66", "extension_float", { { EXT, 7, 1, 2 } }, EXT, 7, SAME, 0 },
    { "D-67", "extension_int", { { EXT, 7, 1, 1 } }, EXT, 7, SAME, 0 },
    { "D-67", "extension_int", { { EXT, 9, 1, 1 } }, EXT, 9, SAME, 0 },
    { "D-67", "extension_int", { { EXT, 15, 1, 1 } }, EXT, 12, SAME, 0 },
    { "D-70", "member", { { MEMBER, 0, 1, 2 } }, MEMBER, 0, SAME, 0 },
    { "D-71", "member", { { MEMBER, 15, 1, 1 } }, MEMBER, 15, SAME, 0 },
};

static void describe(char *what, size_t n, const bad_input *b)
{
    const damage *d = &b->damages[0];
    snprintf(what, n, "%s by %s (%d+%d := %llx)", b->rule, b->base, (int)d->place, d->delta,
             (unsigned long long)d->value);
}

static hry_status parse(const desc_bytes *d, const bad_input *b, bool permissive, hry_desc *desc, hry_error *err)
{
    hry_parse_options options = { .allow = b->how == FORBID ? NULL : &all_private,
                                  .stored = b->how == STORED,
                                  .permissive = permissive };
    uint8_t *exact = malloc(d->n); /* a sanitizer sees every byte that is read behind it */
    assert_non_null(exact);
    memcpy(exact, d->bytes, d->n);
    hry_status status = hry_desc_parse(exact, d->n, &options, desc, err);
    free(exact);
    return status;
}

static void check_permissive(const char *what, const desc_bytes *d, const bad_input *b, uint64_t offset)
{
    hry_error err = { 0 };
    hry_desc desc;
    hry_status status = parse(d, b, true, &desc, &err);
    if (b->permissive == SAME) {
        assert_rule(what, status, &err, b->rule, offset);
        return;
    }
    if (status)
        fail_msg("%s: permissive: %s", what, err.message);
    if (hry_desc_is_opaque(&desc) != (b->permissive == OPAQUE))
        fail_msg("%s: permissive: opaque %d", what, hry_desc_is_opaque(&desc));
}

static void check_bad_input(const bad_input *b)
{
    static desc_bytes d;
    char what[128];
    describe(what, sizeof what, b);
    if (!valid_desc_make(b->base, &d))
        fail_msg("%s: no such base", what);
    uint32_t offset = place_of(&d, b->fault) + (uint32_t)b->delta;
    for (int i = 0; i < 3 && b->damages[i].size; i++) {
        uint32_t at = place_of(&d, b->damages[i].place) + (uint32_t)b->damages[i].delta;
        db_set(&d, at, b->damages[i].size, b->damages[i].value);
        if (at + b->damages[i].size > d.n)
            d.n = at + b->damages[i].size;
    }
    hry_desc desc, before;
    memset(&desc, 0xA5, sizeof desc);
    before = desc;
    hry_error err = { 0 };
    assert_rule(what, parse(&d, b, false, &desc, &err), &err, b->rule, offset);
    if (memcmp(&desc, &before, sizeof desc) != 0)
        fail_msg("%s: the view was written to", what);
    if (parse(&d, b, false, &desc, NULL) != err.status) /* without a report */
        fail_msg("%s: another status without a report", what);
    check_permissive(what, &d, b, offset);
}

static void test_damaged(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_inputs / sizeof *bad_inputs; i++)
        check_bad_input(&bad_inputs[i]);
}

/* The bases are valid, but for what the damages do to them. */
static void test_undamaged(void **state)
{
    (void)state;
    static desc_bytes d;
    for (size_t i = 0; i < valid_desc_count; i++) {
        hry_desc desc;
        hry_error err = { 0 };
        assert_true(valid_desc_make(valid_descs[i].name, &d));
        if (parse(&d, &(bad_input){ 0 }, false, &desc, &err))
            fail_msg("%s: %s %s at %llu", valid_descs[i].name, hry_rule_id(err.rule), err.message,
                     (unsigned long long)err.offset);
        if (desc.length != d.n || hry_desc_is_opaque(&desc))
            fail_msg("%s: length %u of %u, opaque %d", valid_descs[i].name, desc.length, d.n,
                     hry_desc_is_opaque(&desc));
    }
}

static void check_rule(const char *what, const desc_bytes *d, const char *rule, uint32_t offset)
{
    hry_error err = { 0 };
    hry_desc desc;
    assert_rule(what, parse(d, &(bad_input){ 0 }, false, &desc, &err), &err, rule, offset);
}

/* Rules that one field of another descriptor does not break. */
static void test_composed(void **state)
{
    (void)state;
    static desc_bytes d;

    DB_BEGIN(&d, 0x03, 0x09, 4, 5); /* CSF of rank 2 */
    db_u64(&d, 0);
    DB_U32S(&d, 0, 1);
    db_zeros(&d, 8);
    DB_BUFFERS(&d, 0, 16, 0, 8, 0);
    db_end(&d);
    check_rule("CSF of rank 2", &d, "L-CSF-01", RANK);

    DB_BEGIN(&d, 0x01, 0x0A, 4, 5); /* paged of rank 2 */
    DB_U32S(&d, 4, 0, 0, 0, 0, 0, 0, 0);
    DB_BUFFERS(&d, 0, 0, 4);
    db_end(&d);
    check_rule("paged of rank 2", &d, "L-BP-01", RANK);

    for (unsigned tag = 7; tag <= 8; tag++) {
        DB_BEGIN(&d, 0x03, tag, 4, 5, 1);
        DB_U64S(&d, 0, 0);
        DB_BUFFERS(&d, 0, 0, 48);
        db_end(&d);
        check_rule("rank 3", &d, tag == 7 ? "L-CSR-01" : "L-CSC-01", RANK);
    }

    valid_desc_make("csf", &d);
    db_shard(&d, (const uint64_t[]){ 2, 3, 4 }, (const uint64_t[]){ 0, 0, 0 });
    db_end(&d);
    check_rule("sharded CSF", &d, "L-CSF-04", d.shard);

    valid_desc_make("paged", &d);
    db_shard(&d, (const uint64_t[]){ 9, 2, 8 }, (const uint64_t[]){ 0, 0, 0 });
    db_end(&d);
    check_rule("sharded pages", &d, "L-BP-07", d.shard);

    valid_desc_make("group", &d);
    db_per_tensor(&d, 1.0f, 0);
    db_end(&d);
    check_rule("quantized head", &d, "L-CMP-09", d.quantization);

    valid_desc_make("overlay", &d);
    db_member(&d, 1);
    db_end(&d);
    check_rule("head as a member", &d, "L-CMP-10", d.member);

    DB_BEGIN(&d, 0x49, 0x0A, 9, 2, 64);
    DB_U32S(&d, 4, 5, 0, 0, 2, 0, 0, 0);
    DB_BUFFERS(&d, 1280, 12, 12, 72);
    db_nf4(&d, 2, 16, 3);
    db_end(&d);
    check_rule("NF4 pages", &d, "L-BP-10", d.quantization + SCHEME);

    DB_BEGIN(&d, 0x40, 0x0A, 9, 2, 64);
    DB_U32S(&d, 4, 5, 0, 0, 2, 0, 0, 0);
    DB_BUFFERS(&d, 2560, 12, 12, 36);
    db_mxfp(&d, 2, 32, 3);
    db_end(&d);
    check_rule("MXFP pages", &d, "L-BP-10", d.quantization + SCHEME);

    /* A count of blocks beyond 64 bits: sparse tensors may have such shapes. */
    DB_BEGIN(&d, 0x10, 0x06, 1ull << 40, 1ull << 40, 4);
    db_u64(&d, 1);
    db_zeros(&d, 8);
    DB_BUFFERS(&d, 1, 24, 0);
    db_per_block(&d, 1, 2, 2, 2, DB_NONE, 3);
    db_end(&d);
    check_rule("2^81 blocks", &d, "Q-12", d.quantization + FIELD_2);

    /* A private memory class of a private device that is allowed. */
    valid_desc_make("private_device", &d);
    const hry_allow device = { .devices = (const uint8_t[]){ 0xF5 }, .device_count = 1 };
    const hry_parse_options options = { .allow = &device };
    hry_error err = { 0 };
    hry_desc desc;
    assert_rule("private class", hry_desc_parse(d.bytes, d.n, &options, &desc, &err), &err, "D-33", d.table + CLASS_0);
}

static void test_short_and_limited(void **state)
{
    (void)state;
    static desc_bytes d;
    hry_error err = { 0 };
    hry_desc desc;
    uint32_t length = 77;
    valid_desc_make("row", &d);
    for (uint32_t n = 0; n < d.n; n++) {
        assert_rule("cut", hry_desc_parse(d.bytes, n, NULL, &desc, &err), &err, "D-01", n);
        if (n < 10)
            assert_rule("length of 9", hry_desc_length(d.bytes, n, &length, &err), &err, "D-01", n);
    }
    assert_int_equal(length, 77);
    const hry_limits limits = { .descriptor_length = 60 };
    const hry_parse_options options = { .limits = &limits };
    assert_rule("limit", hry_desc_parse(d.bytes, d.n, &options, &desc, &err), &err, "D-18", LENGTH);
    db_set(&d, LENGTH, 4, (16u << 20) + 1);
    assert_rule("default limit", hry_desc_parse(d.bytes, d.n, NULL, &desc, &err), &err, "D-18", LENGTH);
    db_set(&d, LENGTH, 4, 16u << 20);
    assert_rule("at the limit", hry_desc_parse(d.bytes, d.n, NULL, &desc, &err), &err, "D-01", d.n);

    /* A ninth tiling, and a third when two are the limit. */
    valid_desc_make("tiled_8_levels", &d);
    db_set(&d, d.layout + 7 * 12 + 9, 1, 4);
    assert_rule("9 levels", hry_desc_parse(d.bytes, d.n, NULL, &desc, &err), &err, "L-TIL-05", d.layout + 8 * 12);
    const hry_limits two = { .tile_levels = 2 };
    assert_rule("3 levels", hry_desc_parse(d.bytes, d.n, &(hry_parse_options){ .limits = &two }, &desc, &err), &err,
                "L-TIL-05", d.layout + 2 * 12);
}

/* The length of any descriptor, also of one that cannot be parsed. */
static void test_length(void **state)
{
    (void)state;
    static desc_bytes d;
    uint32_t length = 77;
    hry_error err = { 0 };
    valid_desc_make("row", &d);
    static const struct {
        const char *rule;
        uint32_t at, n;
        uint64_t value;
    } bad[] = { { "D-02", 0, 1, 0 }, { "D-03", 4, 1, 2 }, { "D-04", 4, 1, 0 }, { "D-05", 6, 4, 19 } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        desc_bytes broken = d;
        db_set(&broken, bad[i].at, bad[i].n, bad[i].value);
        assert_rule("length", hry_desc_length(broken.bytes, 10, &length, &err), &err, bad[i].rule, bad[i].at);
    }
    assert_int_equal(length, 77);
    for (uint32_t i = 10; i < d.n; i++)
        d.bytes[i] = 0xFF;
    db_set(&d, 5, 1, 9);
    db_set(&d, LENGTH, 4, UINT32_MAX);
    assert_int_equal(hry_desc_length(d.bytes, 10, &length, NULL), HRY_OK);
    assert_int_equal(length, UINT32_MAX);
}

typedef struct lints {
    size_t count;
    uint16_t rule[8];
    uint64_t offset[8];
} lints;

static void on_lint(void *ctx, uint16_t rule, uint64_t offset, const char *message)
{
    lints *l = ctx;
    assert_in_range(l->count, 0, 7);
    assert_true(message[0]);
    l->rule[l->count] = rule;
    l->offset[l->count++] = offset;
}

static void check_lint(const desc_bytes *d, const char *rule, uint32_t offset)
{
    hry_desc desc;
    lints l = { 0 };
    assert_int_equal(hry_desc_parse(d->bytes, d->n, &(hry_parse_options){ .allow = &all_private }, &desc, NULL),
                     HRY_OK);
    hry_desc_lint(&desc, on_lint, &l);
    if (!rule) {
        assert_int_equal(l.count, 0);
        return;
    }
    assert_int_equal(l.count, 1);
    assert_string_equal(hry_rule_id(l.rule[0]), rule);
    assert_int_equal(l.offset[0], offset);
    rule_reached(l.rule[0]);

    /* What is advice to a reader is law to a writer. */
    static hry_desc_store store;
    hry_desc_spec spec;
    hry_desc untouched = { .length = 1 };
    hry_error err = { 0 };
    uint8_t bytes[512];
    assert_true(hry_desc_unpack(&desc, &spec, &store));
    assert_rule(
        "written",
        hry_desc_encode(&spec, &(hry_parse_options){ .allow = &all_private }, bytes, sizeof bytes, &untouched, &err),
        &err, rule, offset);
    assert_int_equal(untouched.length, 1);
}

static void test_lints(void **state)
{
    (void)state;
    static const struct {
        const char *rule, *base;
        damage damage;
        enum place place;
        uint32_t delta;
    } advice[] = {
        { "D-57", "statistics", { STATS, 16, 8, 0x3FF0000000000001 }, STATS, 16 }, /* a ratio just above 1 */
        { "D-57", "statistics", { STATS, 16, 8, 0xBFE0000000000000 }, STATS, 16 },
        { "D-57", "statistics", { STATS, 16, 8, 0x7FF8000000000000 }, STATS, 16 },
        { "D-57", "statistics", { STATS, 40, 8, 0x4000000000000000 }, STATS, 40 },
        { "D-57", "statistics", { STATS, 56, 8, 0xBFF0000000000000 }, STATS, 56 },
        { "D-57", "statistics", { STATS, 64, 1, 5 }, STATS, 64 },
        { "D-57", "statistics", { STATS, 66, 1, 2 }, STATS, 66 },
        { "D-57", "statistics", { STATS, 67, 1, 2 }, STATS, 67 },
        { "D-57", "statistics_unset", { STATS, 0, 1, 1 }, STATS, 8 }, /* nnz is not that of the CSR */
        { "D-68", "extension_int", { EXT, 17, 1, 1 }, EXT, 16 },
        { "D-68", "extension_float", { EXT, 9, 1, 8 }, EXT, 7 },
    };
    static desc_bytes d;
    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++) {
        valid_desc_make(advice[i].base, &d);
        db_set(&d, place_of(&d, advice[i].damage.place) + (uint32_t)advice[i].damage.delta, advice[i].damage.size,
               advice[i].damage.value);
        check_lint(&d, advice[i].rule, place_of(&d, advice[i].place) + advice[i].delta);
    }
    for (size_t i = 0; i < valid_desc_count; i++) {
        valid_desc_make(valid_descs[i].name, &d);
        check_lint(&d, NULL, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undamaged),         cmocka_unit_test(test_damaged), cmocka_unit_test(test_composed),
        cmocka_unit_test(test_short_and_limited), cmocka_unit_test(test_length),  cmocka_unit_test(test_lints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
