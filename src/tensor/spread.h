/* Values put to places far apart. */
#ifndef HRY_TENSOR_SPREAD_H
#define HRY_TENSOR_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HRY_SPREAD_MOST = 256, HRY_WINDOW_BYTES = 4096 };

/* n values of size bytes, at any address, to elements numbers[i] behind dst (or before: they may wrap). Of several with
 * one number, the first stays. */
void hry_spread(size_t size, uint8_t *dst, const uint64_t *numbers, size_t n, const uint8_t *values);

/*
 * The same over zeros, in ascending order, from element start to end - 1 of dst, all of which are written once: in a
 * window that stays in the first cache, and is moved out when the next number lies behind it. Numbers that are out of
 * order or of the range are left out.
 */
typedef struct hry_window {
    _Alignas(64) uint8_t room[HRY_WINDOW_BYTES];
    uint8_t *dst;
    size_t size;
    uint64_t start, length, end; /* elements: the window's first and how many, and the end of all */
    bool stream;
    void (*move_out)(void *room, size_t n, void *dst, bool stream);
} hry_window;

/* stream: past the caches. */
void hry_window_init(hry_window *window, uint8_t *dst, size_t size, uint64_t start, uint64_t end, bool stream);
void hry_window_put(hry_window *window, const uint64_t *numbers, size_t n, const uint8_t *values);
void hry_window_end(hry_window *window);

#endif
