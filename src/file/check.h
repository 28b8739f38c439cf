/* Checking an open file: what the parts of it share. */
#ifndef HRY_FILE_CHECK_H
#define HRY_FILE_CHECK_H

#include "base/rules.h"
#include "file/container_composite.h"

typedef struct hry_check {
    hry_file *file;
    hry_check_options options;
    hry_finding_fn *report;
    void *ctx;
    uint64_t violations;
    uint64_t last_offset; /* of the last violation, so that a fault of an inner composite is told once */
    uint16_t last_rule;
    hry_error *err; /* of what stops the check itself */
} hry_check;

/* A failed call as a violation of a tensor ("" for the container). Returns the status when it was no fault of the
 * input, so that the check stops with it; else HRY_OK. */
hry_status hry_check_violation(hry_check *check, hry_str tensor, const hry_error *err);
/* Advice; nothing when none is wanted. */
void hry_check_advise(hry_check *check, enum hry_rule rule, enum hry_section section, uint64_t offset, hry_str tensor,
                      const char *message);

/* FL-02, FL-06, FL-09 */
void hry_check_container(hry_check *check, const hry_container *container);
/* FL-07, FL-08, F-T04 and the descriptor's own advice. base: the descriptor's offset in the file. */
void hry_check_desc(hry_check *check, hry_str tensor, const hry_desc *desc, uint64_t base, uint32_t alignment);
/* Index arrays, scales and zero points, reserved codes, E-01. i: the position in the file. */
hry_status hry_check_contents(hry_check *check, hry_str name, uint32_t i, const hry_desc *desc);
/* Where everything lies, and what lies between: FL-01, FL-03, FL-04, FL-05, FL-10, FL-11. */
hry_status hry_check_region(hry_check *check, const hry_write_order *order);

#endif
