/*
 * The loops of conversions, for any vector: a lanes_ header comes before, and functions get_NAME and put_NAME for LANES
 * elements. What is left over goes through a whole vector of its own.
 */
#ifndef HRY_KERN_LANES_CONVERT_LANES_H
#define HRY_KERN_LANES_CONVERT_LANES_H

typedef lanes get_fn(const uint8_t *src);
typedef void put_fn(uint8_t *dst, lanes x, bool stream);

INLINE void widen(get_fn *get, size_t size, const uint8_t *src, size_t n, float *dst, bool stream)
{
    size_t i = 0;
    for (; n - i >= LANES; i += LANES)
        lanes_put(dst + i, get(src + i * size), stream);
    if (i < n) {
        uint8_t part[4 * LANES] = { 0 };
        memcpy(part, src + i * size, (n - i) * size);
        lanes_put_part(dst + i, get(part), n - i);
    }
}

/* Up to a boundary by way of the cache; the rest of the source then starts anywhere, which costs nothing. */
INLINE void widen_streaming(get_fn *get, size_t size, const uint8_t *src, size_t n, float *dst)
{
    size_t head = (sizeof(lanes) - (uintptr_t)dst % sizeof(lanes)) % sizeof(lanes) / sizeof *dst;
    head = head < n ? head : n;
    widen(get, size, src, head, dst, false);
    widen(get, size, src + head * size, n - head, dst + head, true);
}

INLINE void narrow(put_fn *put, size_t size, const float *src, size_t n, uint8_t *dst, bool stream)
{
    size_t i = 0;
    for (; n - i >= LANES; i += LANES)
        put(dst + i * size, lanes_load(src + i), stream);
    if (i < n) {
        uint8_t part[4 * LANES];
        put(part, lanes_load_part(src + i, n - i), false);
        memcpy(dst + i * size, part, (n - i) * size);
    }
}

INLINE void narrow_streaming(put_fn *put, size_t size, const float *src, size_t n, uint8_t *dst)
{
    size_t vector = LANES * size, before = (vector - (uintptr_t)dst % vector) % vector;
    size_t head = before / size < n ? before / size : n;
    narrow(put, size, src, head, dst, false);
    /* A destination at an odd address never comes to a boundary. */
    narrow(put, size, src + head, n - head, dst + head * size, before % size == 0);
}

#define WIDEN(name, size)                                                       \
    TARGET static void name(const void *src, size_t n, float *dst, bool stream) \
    {                                                                           \
        if (stream)                                                             \
            widen_streaming(get_##name, size, src, n, dst);                     \
        else                                                                    \
            widen(get_##name, size, src, n, dst, false);                        \
    }

#define NARROW(name, size)                                                      \
    TARGET static void name(const float *src, size_t n, void *dst, bool stream) \
    {                                                                           \
        if (stream)                                                             \
            narrow_streaming(put_##name, size, src, n, dst);                    \
        else                                                                    \
            narrow(put_##name, size, src, n, dst, false);                       \
    }

#endif
