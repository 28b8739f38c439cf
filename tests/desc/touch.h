/* Everything that can be asked of a view, asked. */
#ifndef HRY_TESTS_DESC_TOUCH_H
#define HRY_TESTS_DESC_TOUCH_H

#include <hurray/desc.h>

/* A number made of all answers: equal for views that say the same of bytes in different places. */
uint64_t touch_all(const hry_desc *desc);

/*
 * Strict and permissive reading of the bytes, the short way and the long way through the parser, and what is built
 * again of what was accepted: fails the test where these contradict each other. True when strict reading accepts.
 */
bool touch_both_ways(const uint8_t *bytes, size_t nbytes, const hry_allow *allow);

#endif
