/* Parts of tensors as NumPy writes them: "0:2,3,::4". */
#ifndef HRY_CLI_REGION_H
#define HRY_CLI_REGION_H

#include <hurray/layout.h>

/* What is said of one dimension. Numbers beyond 64 bits are held at the ends of that range. */
typedef struct cli_cut {
    bool is_index; /* start alone: the dimension goes away */
    bool has_start, has_stop;
    int64_t start, stop, step;
} cli_cut;

typedef struct cli_region {
    cli_cut cuts[HRY_RANK_MAX];
    uint32_t count;
    uint32_t rest; /* the dimensions that "..." stands for come before this cut; count without one */
} cli_region;

/* Brackets around the text may be left out. False when it is no region. */
bool cli_region_parse(const char *text, size_t len, cli_region *region);

/* A box of a tensor, and the shape of what is in it. */
typedef struct cli_part {
    hry_box box;
    bool kept[HRY_RANK_MAX]; /* for each dimension of the tensor: it is no index */
    uint32_t rank;
    uint64_t shape[HRY_RANK_MAX]; /* of the dimensions that are kept */
} cli_part;

/* All of a tensor. */
void cli_part_whole(uint32_t rank, const uint64_t *shape, cli_part *part);
/* The region of a tensor of that shape. NULL, or what is wrong: a text of up to 160 characters in why. */
const char *cli_part_cut(const cli_region *region, uint32_t rank, const uint64_t *shape, cli_part *part, char *why);

#endif
