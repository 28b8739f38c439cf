/*
 * The rules about what lies in buffers (phase P3): layouts sections 7 to 10, quantization section 5, element-types E-01
 * and E-02. In linear time and without memory, but for duplicates in unsorted COO.
 */
#ifndef HRY_TENSOR_VERIFY_H
#define HRY_TENSOR_VERIFY_H

#include "base/status.h"
#include "tensor/object.h"

typedef struct hry_verifier {
    const hry_tensor *tensor;
    const hry_executor *executor; /* NULL: the calling thread */
    uint32_t buffer;              /* of the first broken rule; the error's offset is in it */
    hry_error *err;
} hry_verifier;

/* A broken rule at a byte of a buffer. */
HRY_COLD hry_status hry_verify_fail(hry_verifier *v, enum hry_rule rule, uint32_t buffer, uint64_t offset,
                                    uint64_t value);

/* All rules of a level, HRY_VERIFY_…. A composite's are those of its members; *buffer is then one of a member's. buffer
 * may be NULL. */
hry_status hry_verify(const hry_tensor *tensor, int level, const hry_executor *executor, uint32_t *buffer,
                      hry_error *err);

/* The index level, once in the life of a tensor. Whatever it says, reading is safe; this makes it right. */
hry_status hry_verify_once(const hry_tensor *tensor, const hry_executor *executor, hry_error *err);

/* Scales and zero points, once in the life of a tensor: before the first code becomes a value. */
hry_status hry_verify_parameters_once(const hry_tensor *tensor, hry_error *err);

/* Parts, each for tensors of its kind: index arrays of sparse layouts, pages, and what only the deep level looks at. */
hry_status hry_verify_sparse(hry_verifier *v);
hry_status hry_verify_unsorted(hry_verifier *v); /* L-COO-22 */
hry_status hry_verify_paged(hry_verifier *v);
hry_status hry_verify_codes(hry_verifier *v);      /* E-02 */
hry_status hry_verify_parameters(hry_verifier *v); /* Q-PC-05, Q-PC-06, Q-PB-06, Q-NF4-04, Q-MX-04 */

#endif
