/* Blocks that do not fill vectors: scale and zero point are laid out for each element, PIECE elements at a time. */
#ifndef HRY_KERN_LANES_SPREAD_LANES_H
#define HRY_KERN_LANES_SPREAD_LANES_H

#define PIECE 256

struct spread {
    float scale[PIECE];
    int32_t zp[PIECE];
};

/* The next n elements: *b is their block, of which *left elements are to come. zp may be NULL. */
INLINE void spread_blocks(struct spread *spread, size_t n, size_t block, size_t *b, size_t *left, const float *scale,
                          const int32_t *zp)
{
    for (size_t i = 0; i < n;) {
        size_t run = *left < n - i ? *left : n - i, end = i + run;
        float s = scale[*b];
        int32_t z = zp ? zp[*b] : 0;
        for (; i < end; i++) {
            spread->scale[i] = s;
            spread->zp[i] = z;
        }
        *left -= run;
        if (*left == 0) {
            ++*b;
            *left = block;
        }
    }
}

#endif
