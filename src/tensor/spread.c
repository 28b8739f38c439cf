#include "tensor/spread.h"

#include "kern/kern.h"

#include <string.h>

/* From number i on, those that are within bound elements of start. The size is a constant to the compiler. */
#define SPREAD(SIZE)                                                            \
    for (; i < n && numbers[i] - start < bound; i++)                            \
        memcpy(dst + (numbers[i] - start) * (SIZE), values + i * (SIZE), SIZE); \
    break

static size_t spread_within(size_t size, uint8_t *dst, uint64_t start, uint64_t bound, const uint64_t *numbers,
                            size_t i, size_t n, const uint8_t *values)
{
    switch (size) {
    case 1:
        SPREAD(1);
    case 2:
        SPREAD(2);
    case 4:
        SPREAD(4);
    case 8:
        SPREAD(8);
    default:
        SPREAD(size);
    }
    return i;
}

void hry_spread(size_t size, uint8_t *dst, const uint64_t *numbers, size_t n, const uint8_t *values)
{
    /* Numbers may stand for negative offsets: products wrap as they should. */
    switch (size) {
/* From the last to the first: of several at one place, the first stays. */
#define EACH(SIZE)                                                                      \
    for (size_t i = n; i-- > 0;)                                                        \
        memcpy(dst + (int64_t)numbers[i] * (int64_t)(SIZE), values + i * (SIZE), SIZE); \
    break
    case 1:
        EACH(1);
    case 2:
        EACH(2);
    case 4:
        EACH(4);
    case 8:
        EACH(8);
    default:
        EACH(size);
    }
}

/* The window's length from its start on: to a boundary that streams can go on from. */
static void open_window(hry_window *w)
{
    uint64_t length = HRY_WINDOW_BYTES / w->size, left = w->end - w->start;
    size_t beyond = (size_t)(uintptr_t)(w->dst + w->start * w->size) % 64;
    if (beyond % w->size == 0)
        length -= beyond / w->size;
    w->length = length < left ? length : left;
}

void hry_window_init(hry_window *w, uint8_t *dst, size_t size, uint64_t start, uint64_t end, bool stream)
{
    memset(w->room, 0, sizeof w->room);
    w->dst = dst;
    w->size = size;
    w->start = start;
    w->end = start < end ? end : start;
    w->stream = stream;
    w->move_out = hry_kern()->move_out;
    open_window(w);
}

static void move_on(hry_window *w)
{
    w->move_out(w->room, (size_t)w->length * w->size, w->dst + w->start * w->size, w->stream);
    w->start += w->length;
    open_window(w);
}

void hry_window_put(hry_window *w, const uint64_t *numbers, size_t n, const uint8_t *values)
{
    for (size_t i = 0; i < n;) {
        i = spread_within(w->size, w->room, w->start, w->length, numbers, i, n, values);
        if (i == n)
            return;
        if (numbers[i] < w->start || numbers[i] >= w->end)
            i++;
        else
            move_on(w);
    }
}

void hry_window_end(hry_window *w)
{
    while (w->length > 0)
        move_on(w);
    if (w->stream)
        hry_kern()->stream_end();
}
