/* Which rules the bad inputs of our own tests reach; tests/house/test_rules_reached.py compares with rules.def. */
#ifndef HRY_TESTS_RULES_REACHED_H
#define HRY_TESTS_RULES_REACHED_H

#include <hurray/base.h>

/*
 * A report says that an input breaks a rule. To be called by tests of inputs that are the project's own, never for
 * those of shared folders, and only after the test has found the rule to be the right one.
 */
void rule_reached(uint16_t rule);

/*
 * Asserts that a call failed by the rule of that name at that offset, with the status that belongs to it; then the
 * rule counts as reached. what names the input when it did not.
 */
void assert_rule(const char *what, hry_status status, const hry_error *err, const char *id, uint64_t offset);

#endif
