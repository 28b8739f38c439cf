/* A part of a tensor as a tensor of its own. */
#ifndef HRY_CLI_SLICE_H
#define HRY_CLI_SLICE_H

#include "cli/cli_region.h"

#include <hurray/tensor.h>

/*
 * Row-major, or sparse in the same layout (COO where that does not hold the part). Quantized tensors keep codes and
 * scales: channels in any choice, blocks from the start of one on; where the last block comes to be partial, rows are
 * padded and the part may be strided. Elsewhere *decoded, and the values are float32. Statistics, shard and member role
 * stay behind.
 */
hry_status cli_slice(hry_tensor *tensor, const cli_part *part, const hry_relayout_options *options, hry_tensor **out,
                     bool *decoded, hry_error *err);

#endif
