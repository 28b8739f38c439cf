#ifndef HRY_FILE_CONTAINER_COMPOSITE_H
#define HRY_FILE_CONTAINER_COMPOSITE_H

#include "file/container.h"

/* The entries of a container in the order in which their tensors were written. */
typedef struct hry_write_order {
    hry_container *container;
    const uint32_t *positions; /* NULL: the order of the index */
} hry_write_order;

hry_status hry_write_order_init(hry_container *container, hry_write_order *order, hry_error *err);
/* The index position of the tensor at a place in write order, and back. */
static inline uint32_t hry_write_order_at(const hry_write_order *order, uint32_t place)
{
    return order->positions ? order->positions[place] : place;
}
uint32_t hry_write_order_place(const hry_write_order *order, uint32_t i);

/* The composite whose head stands at place, with all that it holds (L-CMP-20 .. -31). *next: the place after it. */
hry_status hry_container_verify_composite(const hry_write_order *order, uint32_t place, uint32_t *next, hry_error *err);
/* The same, and the tensor of it. */
hry_status hry_container_composite(hry_container *container, uint32_t i, hry_tensor **tensor, hry_error *err);

#endif
