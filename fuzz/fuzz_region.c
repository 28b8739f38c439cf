/*
 * Boxes of dense tensors of any layout, strides and tiling: a box read is its elements one by one, what is written is
 * read again, and a view has the values of what it looks into.
 */
#include "tensor_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const hry_read_options as_stored = { .stored = true };

static void check_elements(const hry_tensor *t, const hry_box *box, const uint8_t *values, uint64_t count)
{
    const hry_desc *desc = hry_tensor_desc(t);
    uint64_t at[HRY_RANK_MAX] = { 0 };
    for (uint64_t n = 0; n < count; n++) {
        uint8_t element[16] = { 0 };
        uint64_t got[2], want[2];
        hry_box one = { .count = { 0 } };
        index_of(box, desc->rank, at, one.start);
        for (uint32_t k = 0; k < desc->rank; k++)
            one.count[k] = 1;
        REQUIRE(hry_tensor_read_with(t, &one, 0, NULL, &as_stored, element, NULL) == HRY_OK);
        hry_element_bits(desc->type, element, 0, &want[0], &want[1]);
        hry_element_bits(desc->type, values, n, &got[0], &got[1]);
        REQUIRE(got[0] == want[0] && got[1] == want[1]);
        next_position(box, desc->rank, at);
    }
}

static void check_written(tensor_input *in, const hry_box *box, const uint8_t *values, uint64_t nbytes)
{
    hry_write_options options = { .stored = true };
    uint8_t *again = malloc((size_t)nbytes + 1);
    uint64_t size;
    hry_tensor_buffer(in->tensor, 0, &size);
    memset(in->buffers[0], 0x5A, (size_t)size);
    /* Strides by which elements share a place are not written through. */
    if (hry_desc_write(hry_tensor_desc(in->tensor), box, 0, NULL, values, &options, in->buffers, NULL) == HRY_OK) {
        REQUIRE(again && hry_tensor_read_with(in->tensor, box, 0, NULL, &as_stored, again, NULL) == HRY_OK);
        REQUIRE(memcmp(again, values, (size_t)nbytes) == 0);
    }
    free(again);
}

static void check_view(tensor_input *in, const hry_box *box, const uint8_t *values, uint64_t nbytes)
{
    hry_tensor *view;
    uint8_t *again = malloc((size_t)nbytes + 1);
    if (hry_tensor_slice(in->tensor, box, &view, NULL) == HRY_OK) {
        REQUIRE(again && hry_tensor_read_with(view, NULL, 0, NULL, &as_stored, again, NULL) == HRY_OK);
        REQUIRE(memcmp(again, values, (size_t)nbytes) == 0);
        hry_tensor_release(view);
    }
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tensor_input in;
    hry_box box;
    if (!tensor_input_start(&in, data, size))
        return 0;
    const hry_desc *desc = hry_tensor_desc(in.tensor);
    uint32_t bits = hry_desc_bits(desc);
    uint64_t nbytes;
    bool dense = desc->layout <= HRY_LAYOUT_MORTON || desc->layout == HRY_LAYOUT_HILBERT;
    if (!dense || !hry_type_find(desc->type) || desc->state & HRY_DESC_HAS_DYNAMIC) {
        tensor_input_end(&in);
        return 0;
    }
    uint64_t count = choose_box(&in, &box);
    REQUIRE(hry_type_size(bits, count, &nbytes));
    uint8_t *values = calloc(1, (size_t)nbytes + 1);
    float *floats = malloc(sizeof *floats * (size_t)count + 1);
    REQUIRE(values && floats);
    REQUIRE(hry_tensor_read_with(in.tensor, &box, 0, NULL, &as_stored, values, NULL) == HRY_OK);
    check_elements(in.tensor, &box, values, count);
    hry_tensor_read(in.tensor, &box, HRY_TYPE_FLOAT32, NULL, floats, NULL); /* complex numbers and bad scales refuse */
    check_view(&in, &box, values, nbytes);
    check_written(&in, &box, values, nbytes);
    free(values);
    free(floats);
    tensor_input_end(&in);
    return 0;
}
