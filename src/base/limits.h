/* The defaults of hry_limits, applied. */
#ifndef HRY_BASE_LIMITS_H
#define HRY_BASE_LIMITS_H

#include <hurray/base.h>

#define HRY_DESCRIPTOR_LENGTH_DEFAULT ((uint64_t)16 << 20)

extern const hry_limits hry_limits_default;

/* Each field of limits, or its default where it is 0; NULL gives all defaults. */
hry_limits hry_limits_resolve(const hry_limits *limits);

#endif
