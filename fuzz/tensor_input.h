/*
 * A tensor from untrusted bytes: 8 bytes that choose what is asked, a descriptor, and its buffers one behind the other,
 * zeros where they end early. Each buffer lies in a block of exactly its size, so that a sanitizer sees what lies
 * outside.
 */
#ifndef HRY_FUZZ_TENSOR_INPUT_H
#define HRY_FUZZ_TENSOR_INPUT_H

#include "base/bytes.h"
#include "tensor/object.h"

#include <stdlib.h>

#define REQUIRE(condition) ((condition) ? (void)0 : abort())
enum { DATA_MAX = 1 << 16, BOX_MAX = 1 << 12 }; /* bytes of all buffers, elements of a box */

typedef struct tensor_input {
    uint64_t choice;
    hry_tensor *tensor;
    void *buffers[255];
    uint32_t count;
} tensor_input;

static inline uint64_t choose(tensor_input *in, uint64_t n)
{
    in->choice = in->choice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (in->choice >> 20) % n;
}

static inline void tensor_input_end(tensor_input *in)
{
    hry_tensor_release(in->tensor);
    for (uint32_t i = 0; i < in->count; i++)
        free(in->buffers[i]);
}

/* False when the bytes do not describe a tensor of a size worth the while. */
static inline bool tensor_input_start(tensor_input *in, const uint8_t *data, size_t size)
{
    hry_desc desc;
    hry_buffer row;
    uint64_t total;
    in->count = 0;
    in->tensor = NULL;
    if (size < 8 || hry_desc_parse(data + 8, size - 8, NULL, &desc, NULL) || desc.layout == HRY_LAYOUT_COMPOSITE ||
        !hry_desc_data_size(&desc, &total) || total > DATA_MAX)
        return false;
    in->choice = hry_load64(data);
    data += 8 + desc.length;
    size -= 8 + desc.length;
    for (; hry_desc_buffer(&desc, in->count, &row); in->count++) {
        size_t nbytes = (size_t)row.byte_size, there = nbytes < size ? nbytes : size;
        in->buffers[in->count] = calloc(1, nbytes ? nbytes : 1);
        REQUIRE(in->buffers[in->count]);
        if (there)
            memcpy(in->buffers[in->count], data, there);
        data += there;
        size -= there;
    }
    REQUIRE(hry_tensor_create_stored(&desc, (const void *const *)in->buffers, NULL, NULL, NULL, &in->tensor, NULL) ==
            HRY_OK);
    return true;
}

/* A box of up to BOX_MAX elements, some of it empty now and then; the number of its elements. */
static inline uint64_t choose_box(tensor_input *in, hry_box *box)
{
    const hry_desc *desc = hry_tensor_desc(in->tensor);
    uint64_t count = 1;
    for (uint32_t k = 0; k < desc->rank; k++) {
        uint64_t dim = hry_desc_dim(desc, k), step = 1 + choose(in, 3), most;
        bool down = choose(in, 2);
        box->start[k] = dim ? choose(in, dim) : 0;
        most = !dim ? 0 : (down ? box->start[k] : dim - 1 - box->start[k]) / step + 1;
        most = most < BOX_MAX / count ? most : BOX_MAX / count;
        box->count[k] = choose(in, 16) ? most - (most ? choose(in, most) : 0) : 0;
        box->step[k] = down ? -(int64_t)step : (int64_t)step;
        count *= box->count[k] ? box->count[k] : 1;
    }
    for (uint32_t k = 0; k < desc->rank; k++)
        count = box->count[k] ? count : 0;
    return count;
}

/* To the next position of a box in row-major order; false behind the last. */
static inline bool next_position(const hry_box *box, uint32_t rank, uint64_t *at)
{
    for (uint32_t k = rank; k-- > 0;) {
        if (++at[k] < box->count[k])
            return true;
        at[k] = 0;
    }
    return false;
}

static inline void index_of(const hry_box *box, uint32_t rank, const uint64_t *at, uint64_t *index)
{
    for (uint32_t k = 0; k < rank; k++)
        index[k] = box->start[k] + at[k] * (uint64_t)box->step[k];
}

#endif
