/* How a function fails: fill in the caller's report, return the status. */
#ifndef HRY_BASE_STATUS_H
#define HRY_BASE_STATUS_H

#include "base/rules.h"

#include <hurray/base.h>

#define HRY_COLD __attribute__((cold, noinline))
/* Out of the way of a caller that mostly goes without it. */
#define HRY_APART __attribute__((noinline))
#define HRY_PRINTF(fmt_arg, first_arg) __attribute__((format(printf, fmt_arg, first_arg)))

/* Fills *err (may be NULL) and returns status. The message is format; value is also stored. */
HRY_COLD HRY_PRINTF(6, 7) hry_status hry_fail(hry_error *err, hry_status status, enum hry_section section,
                                              uint64_t offset, uint64_t value, const char *format, ...);

/* A broken rule: the status follows from its kind, and the message is the rule's text with the value. */
HRY_COLD hry_status hry_fail_rule(hry_error *err, enum hry_rule rule, enum hry_section section, uint64_t offset,
                                  uint64_t value);

/* A broken rule with a message that says more than the rule's text. */
HRY_COLD HRY_PRINTF(6, 7) hry_status hry_fail_rule_because(hry_error *err, enum hry_rule rule, enum hry_section section,
                                                           uint64_t offset, uint64_t value, const char *format, ...);

/* errno as HRY_E_IO (ENOENT as HRY_E_ABSENT, ENOMEM as HRY_E_MEMORY): "what: strerror". */
HRY_COLD hry_status hry_fail_errno(hry_error *err, int errnum, const char *what);

HRY_COLD hry_status hry_fail_memory(hry_error *err, uint64_t nbytes);
HRY_COLD HRY_PRINTF(2, 3) hry_status hry_fail_usage(hry_error *err, const char *format, ...);

/* A failure is never HRY_OK. The compiler cannot see that across files, so each call says it: then it knows what is
 * written when and what is not, and drops the checks that follow. */
static inline hry_status hry_never_ok(hry_status status)
{
    if (status == HRY_OK)
        __builtin_unreachable();
    return status;
}

#define hry_fail(...) hry_never_ok(hry_fail(__VA_ARGS__))
#define hry_fail_rule(...) hry_never_ok(hry_fail_rule(__VA_ARGS__))
#define hry_fail_rule_because(...) hry_never_ok(hry_fail_rule_because(__VA_ARGS__))
#define hry_fail_errno(...) hry_never_ok(hry_fail_errno(__VA_ARGS__))
#define hry_fail_memory(...) hry_never_ok(hry_fail_memory(__VA_ARGS__))
#define hry_fail_usage(...) hry_never_ok(hry_fail_usage(__VA_ARGS__))

/* For want of count things of size bytes. */
static inline hry_status hry_fail_array(hry_error *err, uint64_t count, size_t size)
{
    return hry_fail_memory(err, count > UINT64_MAX / size ? UINT64_MAX : count * size);
}

/* Moves a report's offset from one frame of reference to another: offset += base. */
void hry_error_shift(hry_error *err, uint64_t base);

#endif
