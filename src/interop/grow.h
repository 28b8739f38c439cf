/* An array of any type that grows by hry_grow, whose pointer to pointer would alias it as another type. */
#ifndef HRY_INTEROP_GROW_H
#define HRY_INTEROP_GROW_H

#include "base/alloc.h"

/* Room for need elements in array, which holds capacity; false, with nothing changed, when there is no memory. */
#define HRY_GROW(allocator, array, capacity, need)                                                                \
    __extension__({                                                                                               \
        void *grown_ = (array);                                                                                   \
        bool ok_ =                                                                                                \
            hry_grow((allocator), &grown_, &(capacity), (need), sizeof *(array), _Alignof(__typeof__(*(array)))); \
        (array) = grown_;                                                                                         \
        ok_;                                                                                                      \
    })

/* Gives such an array back. */
#define HRY_DROP(allocator, array, capacity) \
    hry_free((allocator), (array), (capacity) * sizeof *(array), _Alignof(__typeof__(*(array))))

#endif
