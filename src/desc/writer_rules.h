/* What a writer must do beyond what a reader demands. Each is about a view of bytes that were just verified. */
#ifndef HRY_DESC_WRITER_RULES_H
#define HRY_DESC_WRITER_RULES_H

#include "base/status.h"

#include <hurray/desc.h>

/* Advice to a reader is law to a writer: fails by the first of D-57 and D-68. */
hry_status hry_writer_check_advice(const hry_desc *view, hry_error *err);

/*
 * The lowest minor version that has all the values used goes to bytes, which view is of (W1). HRY_E_USAGE for a value
 * that the profile's registry deprecates in favour of another (W3).
 */
hry_status hry_writer_set_version(const hry_desc *view, const hry_profile *profile, uint8_t *bytes, hry_error *err);

#endif
