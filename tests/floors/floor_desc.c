/* Descriptors: the verifying parse of a small and of a full one, and encoding with verification. */
#include "floors/floors.h"

#include <hurray/desc.h>
#include <stdlib.h>
#include <string.h>

static uint8_t small[61], full[512], room[512];
static size_t full_length;
static hry_desc view;

FLOOR_FUNCTION parse_row_major_61(void)
{
    floors_use((void *)(intptr_t)hry_desc_parse(small, sizeof small, NULL, &view, NULL));
}

FLOOR_FUNCTION parse_full_269(void)
{
    floors_use((void *)(intptr_t)hry_desc_parse(full, full_length, NULL, &view, NULL));
}

static const uint64_t shape[] = { 3, 4 };
static const hry_buffer buffers[] = { { .byte_size = 48, .alignment = 64 } };
static const hry_desc_spec given = {
    .type = HRY_TYPE_FLOAT32, .rank = 2, .shape = shape, .buffer_count = 1, .buffers = buffers
};
static const hry_desc_spec defaults = { .type = HRY_TYPE_FLOAT32, .rank = 2, .shape = shape };

FLOOR_FUNCTION encode_given_buffers(void)
{
    floors_use((void *)(intptr_t)hry_desc_encode(&given, NULL, room, sizeof room, &view, NULL));
}

FLOOR_FUNCTION encode_default_buffers(void)
{
    floors_use((void *)(intptr_t)hry_desc_encode(&defaults, NULL, room, sizeof room, &view, NULL));
}

/* int8 [4, 8, 16, 2], asymmetric by channel, a shard, with statistics: 269 bytes. */
static void make_full(void)
{
    static const uint64_t dims[] = { 4, 8, 16, 2 }, parent[] = { 8, 8, 16, 2 }, offset[] = { 4, 0, 0, 0 };
    static const hry_quantization q = {
        .scheme = HRY_SCHEME_PER_CHANNEL, .axis = 1, .scale_buffer_index = 1, .zero_point_buffer_index = 2
    };
    static const hry_statistics statistics = { .computed_mask = HRY_STATS_NNZ | HRY_STATS_RANGE,
                                               .nnz = 500,
                                               .value_min = -2.0,
                                               .value_max = 3.5,
                                               .value_abs_max = 3.5 };
    const hry_desc_spec spec = { .type = HRY_TYPE_INT8,
                                 .rank = 4,
                                 .shape = dims,
                                 .quantization = &q,
                                 .parent_shape = parent,
                                 .shard_offset = offset,
                                 .statistics = &statistics };
    if (hry_desc_encoded_length(&spec, &full_length, NULL) || full_length != 269 ||
        hry_desc_encode(&spec, NULL, full, full_length, &view, NULL))
        abort();
}

int main(int argc, char **argv)
{
    static const floor_job jobs[] = {
        FLOOR(parse_row_major_61, 250),
        FLOOR(parse_full_269, 700),
        FLOOR(encode_given_buffers, 450),
        FLOOR(encode_default_buffers, 450),
    };
    if (hry_desc_encode(&given, NULL, small, sizeof small, &view, NULL))
        abort();
    make_full();
    return floors_main(argc, argv, jobs, sizeof jobs / sizeof *jobs);
}
