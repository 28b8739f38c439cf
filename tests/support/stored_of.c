#include "support/stored_of.h"

#include "tensor/convert.h"
#include "type/types.h"

#include <stdlib.h>
#include <string.h>

const void *stored_of(uint8_t type, const void *values, uint64_t n)
{
    size_t nbytes = (size_t)n * hry_type_table[type].bits / 8;
    void *copy = HRY_HOST_SWAPS ? aligned_alloc(64, nbytes / 64 * 64 + 64) : NULL;
    if (!copy)
        return values;
    memcpy(copy, values, nbytes);
    hry_swap_elements(type, copy, (size_t)n);
    return copy;
}
