/* Layouts: their tags and fields. (format: layouts; descriptor, section 5) */
#ifndef HURRAY_LAYOUT_H
#define HURRAY_LAYOUT_H

#include <hurray/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HRY_RANK_MAX 64
#define HRY_DYNAMIC UINT64_MAX /* a dimension whose size is not known yet */
#define HRY_TILE_LEVELS_MAX 8  /* nested tilings that hry_desc_layout_get can hand out */

enum {
    HRY_LAYOUT_ROW_MAJOR = 0x01,
    HRY_LAYOUT_COLUMN_MAJOR = 0x02,
    HRY_LAYOUT_STRIDED = 0x03,
    HRY_LAYOUT_TILED = 0x04,
    HRY_LAYOUT_MORTON = 0x05,
    HRY_LAYOUT_COO = 0x06,
    HRY_LAYOUT_CSR = 0x07,
    HRY_LAYOUT_CSC = 0x08,
    HRY_LAYOUT_CSF = 0x09,
    HRY_LAYOUT_BLOCK_PAGED = 0x0A,
    HRY_LAYOUT_COMPOSITE = 0x0B,
    HRY_LAYOUT_HILBERT = 0x40,
    HRY_LAYOUT_PRIVATE_FIRST = 0xF0,
    HRY_LAYOUT_PRIVATE_LAST = 0xFE
};

/* "row-major", "csr", ...; "private" and "unknown" for tags without a name. A constant string. */
HRY_API const char *hry_layout_name(uint8_t tag);
/* The tag by the format's name, 0 when there is none. */
HRY_API uint8_t hry_layout_by_name(const char *name, size_t len);

/*
 * A layout with its fields, named as in the format. Arrays have rank entries and are borrowed: the caller keeps them
 * alive through the call. Fields of other layouts are ignored; zero is a default where a comment says so.
 */
typedef struct hry_layout {
    uint8_t tag;          /* 0: row-major */
    uint8_t outer_layout; /* tiled: row-major 1, column-major 2, strided 3; 0: row-major */
    uint8_t inner_layout; /* the same, and 4 for a nested tiling; 0: nested when inner is given, else row-major */
    bool is_sorted;       /* COO: coordinates ascend */
    uint8_t kv_role;      /* block-paged: 0 key, 1 value, 2 fused or other */
    uint8_t block_table_index_type; /* block-paged: 0 uint32, 1 uint64 */
    uint8_t composition_rule;       /* composite: 1 partition, 2 overlay, 3 group */
    uint8_t combine_op;             /* overlay: 1 replace, 2 add; others 0 */
    const int64_t *strides;         /* strided: in elements */
    const uint64_t *tile_shape;     /* tiled */
    const int64_t *outer_strides;   /* tiled with outer_layout 3: in tiles */
    const int64_t *inner_strides;   /* tiled with inner_layout 3: in elements */
    const struct hry_layout *inner; /* tiled with inner_layout 4: the tiling inside a tile */
    const uint32_t *morton_bits;    /* Morton; NULL when building: the smallest common number */
    const uint32_t *mode_order;     /* CSF; NULL when building: 0, 1, 2, ... */
    uint64_t nnz;                   /* sparse: stored elements */
    uint64_t num_pages;             /* block-paged */
    uint32_t page_size;             /* block-paged: tokens a page */
    uint32_t paged_axis;
    uint32_t num_seqs;
    uint32_t layer_index;         /* block-paged: 0xFFFFFFFF for none */
    uint32_t member_count;        /* composite */
    uint32_t hilbert_order;       /* Hilbert: every dimension is 2^order; 0 when building: from the shape */
    uint32_t hilbert_rank;        /* Hilbert: the rank; 0 when building: the rank */
    uint64_t extension_layout_id; /* private */
    const void *extension_data;   /* private: extension_data_length bytes */
    uint32_t extension_data_length;
} hry_layout;

/*
 * A part of a tensor: for each dimension k below the rank the indices start[k] + j * step[k], j from 0 to count[k] - 1.
 * A step of 0 stands for 1; negative steps go down from start.
 */
typedef struct hry_box {
    uint64_t start[HRY_RANK_MAX];
    uint64_t count[HRY_RANK_MAX];
    int64_t step[HRY_RANK_MAX];
} hry_box;

/* Room for a layout's arrays, which are unaligned in the bytes. About 18 KiB; contents are private. */
typedef struct hry_layout_store {
    hry_layout level[HRY_TILE_LEVELS_MAX];
    uint64_t shape[HRY_TILE_LEVELS_MAX][HRY_RANK_MAX];
    int64_t outer[HRY_TILE_LEVELS_MAX][HRY_RANK_MAX];
    int64_t inner[HRY_TILE_LEVELS_MAX][HRY_RANK_MAX];
    uint32_t words[HRY_RANK_MAX];
} hry_layout_store;

#ifdef __cplusplus
}
#endif

#endif
