/* Tensors made anew on the way from SRC to DST: each one that can be, the others as they are. */
#ifndef HRY_CLI_REMAKE_H
#define HRY_CLI_REMAKE_H

#include "cli/cli_transform.h"

struct cli_remake;

/* Makes out of a tensor; place is its item's in the plan. */
typedef hry_status cli_remake_fn(struct cli_remake *remake, hry_tensor *tensor, uint64_t place, hry_tensor **out,
                                 hry_error *err);

typedef struct cli_remake {
    cli_transform *transform;
    cli_remake_fn *make;
    const char *what; /* "quantized": what is done to tensors, for reports */
    void *ctx;
    uint64_t done;
    hry_error why; /* why the first one that was not made is as it was; status HRY_OK: none */
} cli_remake;

/* Has an item of the transform's plan made. */
void cli_remake_item(cli_remake *remake, cli_item *item);
/* Sees to it that at least one tensor is made. Exit code CLI_NO after a report when none can be by its looks. */
int cli_remake_start(cli_remake *remake);

#endif
