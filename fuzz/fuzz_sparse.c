/*
 * Sparse and paged tensors whose index arrays may say anything. What verification lets pass is walked, looked up and
 * read, and all three say the same; what it does not, each refuses by the same rule.
 */
#include "tensor_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every element of a box against its own lookup. */
static void check_box(tensor_input *in)
{
    const hry_tensor *t = in->tensor;
    const hry_desc *desc = hry_tensor_desc(t);
    hry_box box;
    uint64_t count = choose_box(in, &box), at[HRY_RANK_MAX] = { 0 }, index[HRY_RANK_MAX], position;
    bool found;
    if (desc->flags & HRY_HAS_QUANTIZATION || !hry_type_find(desc->type))
        return;
    uint8_t *values = malloc(16 * (size_t)count + 1);
    hry_read_options options = { .stored = true };
    REQUIRE(values && hry_tensor_read_with(t, &box, 0, NULL, &options, values, NULL) == HRY_OK);
    for (uint64_t n = 0; n < count; n++) {
        uint64_t got[2], want[2] = { 0, 0 };
        index_of(&box, desc->rank, at, index);
        REQUIRE(hry_tensor_find(t, index, &found, &position, NULL) == HRY_OK);
        if (found)
            hry_element_bits(desc->type, in->buffers[0], position, &want[0], &want[1]);
        hry_element_bits(desc->type, values, n, &got[0], &got[1]);
        REQUIRE(got[0] == want[0] && got[1] == want[1]);
        next_position(&box, desc->rank, at);
    }
    free(values);
}

static void check_walk(const hry_tensor *t)
{
    hry_stored *stored;
    uint64_t index[HRY_RANK_MAX], position, at, n = 0;
    bool found;
    REQUIRE(hry_stored_create(t, NULL, &stored, NULL) == HRY_OK);
    while (hry_stored_next(stored, index, &position)) {
        REQUIRE(position == n++);
        if (n < 64)
            REQUIRE(hry_tensor_find(t, index, &found, &at, NULL) == HRY_OK && found && at <= position);
    }
    hry_stored_destroy(stored);
}

static void check_pages(tensor_input *in)
{
    const hry_tensor *t = in->tensor;
    const hry_desc *desc = hry_tensor_desc(t);
    uint64_t slot, sequence = choose(in, 4), token = choose(in, 64);
    bool found;
    hry_box box;
    hry_tensor *view;
    uint8_t *values = malloc(16 * BOX_MAX);
    REQUIRE(values && hry_tensor_find_token(t, sequence, token, &found, &slot, NULL) == HRY_OK);
    hry_read_options options = { .stored = true };
    if (hry_type_find(desc->type) && choose_box(in, &box))
        hry_tensor_read_with(t, &box, 0, NULL, &options, values, NULL); /* refused where there are several sequences */
    if (hry_tensor_sequence(in->tensor, sequence, token, &view, NULL) == HRY_OK) {
        REQUIRE(hry_tensor_dim(view, 0) == token);
        hry_tensor_release(view);
    }
    free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tensor_input in;
    hry_error err, again;
    if (!tensor_input_start(&in, data, size)) {
        return 0;
    }
    uint8_t layout = hry_tensor_desc(in.tensor)->layout;
    bool paged = layout == HRY_LAYOUT_BLOCK_PAGED, sparse = layout >= HRY_LAYOUT_COO && layout <= HRY_LAYOUT_CSF;
    hry_status status = hry_tensor_verify(in.tensor, HRY_VERIFY_INDEX, &err);
    if (status) {
        uint64_t position, index[HRY_RANK_MAX] = { 0 };
        bool found;
        REQUIRE(err.section == HRY_SECTION_DATA || err.rule == 0 || status != HRY_E_INPUT);
        if (sparse && !(hry_tensor_desc(in.tensor)->state & HRY_DESC_HAS_DYNAMIC))
            REQUIRE(hry_tensor_find(in.tensor, index, &found, &position, &again) == status && again.rule == err.rule);
    } else if (!(hry_tensor_desc(in.tensor)->state & HRY_DESC_HAS_DYNAMIC)) {
        if (sparse)
            check_walk(in.tensor), check_box(&in);
        if (paged)
            check_pages(&in);
        hry_tensor_verify(in.tensor, HRY_VERIFY_DEEP, &err);
    }
    tensor_input_end(&in);
    return 0;
}
