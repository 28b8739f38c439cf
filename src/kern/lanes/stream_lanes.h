/* Writing past the caches to places that are not at a multiple of the vector's size. After a lanes_ header. */
#ifndef HRY_KERN_LANES_STREAM_LANES_H
#define HRY_KERN_LANES_STREAM_LANES_H

/* How much is made in cache before it is written out. */
#define BOUNCE 1024

INLINE bool lanes_aligned(const void *p)
{
    return (uintptr_t)p % sizeof(lanes) == 0;
}

/* n floats from the cache to dst: vectors where they fall on a boundary, single floats before and after. */
TARGET static void stream_out(float *dst, const float *src, size_t n)
{
    size_t i = 0;
    for (; i < n && !lanes_aligned(dst + i); i++)
        dst[i] = src[i];
    for (; n - i >= LANES; i += LANES)
        lanes_put(dst + i, lanes_load(src + i), true);
    for (; i < n; i++)
        dst[i] = src[i];
}

#endif
