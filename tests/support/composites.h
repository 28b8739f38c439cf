/* Composites made from specs, in one call. */
#ifndef HRY_TESTS_SUPPORT_COMPOSITES_H
#define HRY_TESTS_SUPPORT_COMPOSITES_H

#include <hurray/tensor.h>

/* A member: a tensor that is there (the caller keeps its reference), or one to be made by spec over zeros. */
typedef struct member_spec {
    hry_desc_spec spec;
    hry_tensor *tensor;
} member_spec;

/* A tensor by spec over zeros (up to 1 MiB a buffer); fails the test when the spec is not valid. */
hry_tensor *zeros_by_spec(const hry_desc_spec *spec);

/* A head that declares a number of members over those given; NULL, with *err, when they do not fit it. */
hry_tensor *composite_of(uint8_t type, uint32_t rank, const uint64_t *shape, uint8_t rule, uint8_t op,
                         const member_spec *members, size_t count, uint32_t declared, hry_error *err);
/* A partition that is itself a shard of a parent. */
hry_tensor *composite_shard_of(uint8_t type, uint32_t rank, const uint64_t *shape, const uint64_t *parent_shape,
                               const uint64_t *shard_offset, const member_spec *members, size_t count, hry_error *err);

#endif
