/* Scales and zero points of a part of a quantized tensor. */
#ifndef HRY_CLI_SLICE_SCALES_H
#define HRY_CLI_SLICE_SCALES_H

#include "cli/cli_region.h"

#include <hurray/tensor.h>

typedef struct cli_scales {
    const hry_tensor *tensor;
    const cli_part *part;
    hry_quantization whole, section; /* the tensor's, the part's */
} cli_scales;

/*
 * The section of a part whose own buffers are `own` in number: parameters follow them. Channels that are picked take
 * theirs along, and one alone is a tensor with one scale; blocks go along whole from the first on, and the last may be
 * cut where the scheme has partial ones. *fit is false where no section says the same as the tensor's.
 */
hry_status cli_scales_cut(cli_scales *scales, const hry_tensor *tensor, const cli_part *part, uint32_t own, bool *fit,
                          hry_error *err);

/* The parameters, to the buffers of the part that are theirs. */
hry_status cli_scales_fill(const cli_scales *scales, void *const *buffers, hry_error *err);

#endif
