/*
 * Any tensor, dense, sparse or paged, into any layout and from there into another: what the layouts can hold keeps the
 * bits of its elements, passes verification, and has no bits that belong to no element.
 */
#include "small_blocks.h"
#include "tensor_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { COUNT_MAX = 1 << 14 };

/* A layout of the right form, which may still be one that cannot hold the tensor. */
static void choose_layout(tensor_input *in, hry_layout *layout, hry_layout_store *store)
{
    static const uint8_t tags[] = { HRY_LAYOUT_ROW_MAJOR, HRY_LAYOUT_COLUMN_MAJOR, HRY_LAYOUT_STRIDED,
                                    HRY_LAYOUT_TILED,     HRY_LAYOUT_MORTON,       HRY_LAYOUT_HILBERT,
                                    HRY_LAYOUT_COO,       HRY_LAYOUT_CSR,          HRY_LAYOUT_CSC,
                                    HRY_LAYOUT_CSF,       HRY_LAYOUT_BLOCK_PAGED };
    const hry_desc *desc = hry_tensor_desc(in->tensor);
    uint32_t rank = desc->rank;
    uint64_t step = 1; /* dimensions beside one of 0 may be of any size */
    *layout = (hry_layout){ .tag = tags[choose(in, sizeof tags)] };
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t k = (i + 1) % rank;
        store->outer[0][k] = (int64_t)(choose(in, 2) ? step : 0 - step);
        step *= hry_desc_dim(desc, k) + choose(in, 2);
        store->shape[1][k] = 1 + choose(in, 3);
        store->shape[0][k] = store->shape[1][k] * (1 + choose(in, 5));
        store->words[k] = rank - 1 - k;
    }
    if (layout->tag == HRY_LAYOUT_STRIDED)
        layout->strides = store->outer[0];
    if (layout->tag == HRY_LAYOUT_TILED) {
        store->level[1] = (hry_layout){ .tag = HRY_LAYOUT_TILED, .tile_shape = store->shape[1], .outer_layout = 2 };
        layout->tile_shape = store->shape[0];
        layout->outer_layout = (uint8_t)(1 + choose(in, 2));
        layout->inner = choose(in, 2) ? &store->level[1] : NULL;
    }
    if (layout->tag == HRY_LAYOUT_CSF && choose(in, 2))
        layout->mode_order = store->words;
    if (layout->tag == HRY_LAYOUT_BLOCK_PAGED)
        *layout =
            (hry_layout){ .tag = HRY_LAYOUT_BLOCK_PAGED, .page_size = 1 + (uint32_t)choose(in, 5), .num_seqs = 1 };
}

/* NULL when the layout cannot hold the tensor, or index arrays break a rule. */
static hry_tensor *relaid(tensor_input *in, const hry_tensor *from)
{
    hry_layout layout;
    hry_layout_store store;
    hry_tensor *t = NULL;
    hry_error err;
    choose_layout(in, &layout, &store);
    hry_relayout_options options = { .allocator = &small_blocks };
    hry_status status = hry_tensor_relayout(from, &layout, &options, &t, &err);
    REQUIRE(status == HRY_OK || status == HRY_E_UNSUPPORTED || status == HRY_E_INPUT || status == HRY_E_USAGE ||
            status == HRY_E_MEMORY);
    REQUIRE((status == HRY_OK) == (t != NULL));
    if (t)
        REQUIRE(hry_tensor_desc(t)->layout == layout.tag && hry_tensor_verify(t, HRY_VERIFY_INDEX, &err) == HRY_OK);
    return t;
}

/* The elements as they are stored, packed in row-major order; NULL when they cannot be read. */
static uint8_t *packed(const hry_tensor *t, uint64_t *nbytes)
{
    uint64_t count;
    hry_read_options options = { .stored = true };
    REQUIRE(hry_desc_count(hry_tensor_desc(t), &count));
    REQUIRE(hry_type_size(hry_desc_bits(hry_tensor_desc(t)), count, nbytes));
    uint8_t *bytes = calloc(1, (size_t)*nbytes + 1);
    REQUIRE(bytes);
    if (hry_tensor_read_with(t, NULL, 0, NULL, &options, bytes, NULL) == HRY_OK)
        return bytes;
    free(bytes);
    return NULL;
}

static uint64_t ones(const uint8_t *bytes, uint64_t nbytes)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < nbytes; i++)
        n += (uint64_t)__builtin_popcount(bytes[i]);
    return n;
}

static void check(const hry_tensor *t, const uint8_t *want, uint64_t nbytes)
{
    uint64_t n, stored;
    uint8_t *got = packed(t, &n);
    const void *values = hry_tensor_buffer(t, 0, &stored);
    REQUIRE(got && n == nbytes && memcmp(got, want, (size_t)n) == 0);
    REQUIRE(ones(values, stored) == ones(want, nbytes));
    free(got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tensor_input in;
    uint64_t count, nbytes;
    if (!tensor_input_start(&in, data, size))
        return 0;
    const hry_desc *desc = hry_tensor_desc(in.tensor);
    bool small = hry_type_find(desc->type) && !(desc->state & HRY_DESC_HAS_DYNAMIC) && hry_desc_count(desc, &count) &&
                 count <= COUNT_MAX;
    hry_tensor *once = small ? relaid(&in, in.tensor) : NULL;
    hry_tensor *twice = once ? relaid(&in, once) : NULL;
    uint8_t *want = once ? packed(in.tensor, &nbytes) : NULL;
    REQUIRE(!once || want);
    if (once)
        check(once, want, nbytes);
    if (twice)
        check(twice, want, nbytes);
    free(want);
    hry_tensor_release(once);
    hry_tensor_release(twice);
    tensor_input_end(&in);
    return 0;
}
