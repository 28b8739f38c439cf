#include "type/pack.h"
#include "type/types.h"
#include "type/value.h"

void hry_element_bits(uint8_t type, const void *base, uint64_t index, uint64_t *lo, uint64_t *hi)
{
    unsigned bits = hry_type_table[type].bits;
    const uint8_t *bytes = base;
    uint64_t low = 0, high = 0;
    if (bits >= 8)
        bytes += (size_t)(index * (bits / 8));
    switch (bits) {
    case 0:
        break;
    case 8:
        low = *bytes;
        break;
    case 16:
        low = hry_load16(bytes);
        break;
    case 32:
        low = hry_load32(bytes);
        break;
    case 64:
        low = hry_load64(bytes);
        break;
    case 128:
        low = hry_load64(bytes);
        high = hry_load64(bytes + 8);
        break;
    default:
        low = hry_packed_get(bits, bytes, index);
        break;
    }
    *lo = low;
    if (hi)
        *hi = high;
}

void hry_element_set_bits(uint8_t type, void *base, uint64_t index, uint64_t lo, uint64_t hi)
{
    unsigned bits = hry_type_table[type].bits;
    uint8_t *bytes = base;
    if (bits >= 8)
        bytes += (size_t)(index * (bits / 8));
    switch (bits) {
    case 0:
        break;
    case 8:
        *bytes = (uint8_t)lo;
        break;
    case 16:
        hry_store16(bytes, (uint16_t)lo);
        break;
    case 32:
        hry_store32(bytes, (uint32_t)lo);
        break;
    case 64:
        hry_store64(bytes, lo);
        break;
    case 128:
        hry_store64(bytes, lo);
        hry_store64(bytes + 8, hi);
        break;
    default:
        hry_packed_set(bits, bytes, index, (uint32_t)lo);
        break;
    }
}

double hry_element_f64(uint8_t type, const void *base, uint64_t index)
{
    uint64_t lo, hi;
    hry_element_bits(type, base, index, &lo, &hi);
    return hry_value_from_bits(type, lo, hi);
}

static bool set_value(uint8_t type, void *base, uint64_t index, double value, bool saturate)
{
    uint64_t lo, hi;
    if (!hry_value_to_bits(type, value, saturate, &lo, &hi))
        return false;
    hry_element_set_bits(type, base, index, lo, hi);
    return true;
}

bool hry_element_set_f64(uint8_t type, void *base, uint64_t index, double value)
{
    return set_value(type, base, index, value, false);
}

bool hry_element_set_f64_saturate(uint8_t type, void *base, uint64_t index, double value)
{
    return set_value(type, base, index, value, true);
}
