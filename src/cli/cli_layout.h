/* A layout as the command line names it. */
#ifndef HRY_CLI_LAYOUT_H
#define HRY_CLI_LAYOUT_H

#include <hurray/layout.h>

/* rank is that of the tensors it is for: 0 for any. Pointers of layout go to store, which stays in place. */
typedef struct cli_layout {
    hry_layout layout;
    uint32_t rank;
    hry_layout_store store;
} cli_layout;

/* row, col, strided:S0,S1, tiled:64x64[/8x8][,outer=col,inner=row], morton, hilbert, coo, csr, csc, csf[:2,0,1]; also
 * the format's own names. False for anything else. */
bool cli_layout_parse(const char *text, cli_layout *layout);

#endif
