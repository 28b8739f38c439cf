#include "tensor/wide.h"

#include "base/checked.h"

#include <string.h>

static void times(hry_wide *x, uint64_t factor)
{
    uint64_t carry = 0;
    for (uint32_t i = 0; i < x->used; i++)
        x->word[i] = hry_mul_wide(x->word[i], factor, carry, &carry);
    if (carry)
        x->word[x->used++] = carry;
}

void hry_wide_product(const uint64_t *factors, size_t count, hry_wide *product)
{
    product->used = 1;
    product->word[0] = 1;
    for (size_t i = 0; i < count; i++)
        times(product, factors[i]);
    while (product->used && product->word[product->used - 1] == 0)
        product->used--;
}

void hry_wide_add(hry_wide *sum, const hry_wide *x)
{
    uint64_t carry = 0;
    for (uint32_t i = 0; i < x->used || carry; i++) {
        uint64_t a = i < sum->used ? sum->word[i] : 0, b = i < x->used ? x->word[i] : 0, s = a + b;
        sum->word[i] = s + carry;
        carry = (s < a) | (sum->word[i] < s);
        sum->used = i < sum->used ? sum->used : i + 1;
    }
}

bool hry_wide_equal(const hry_wide *a, const hry_wide *b)
{
    return a->used == b->used && memcmp(a->word, b->word, a->used * sizeof *a->word) == 0;
}
