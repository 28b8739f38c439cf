#include "support/rules_reached.h"

#include "base/rules.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void rule_reached(uint16_t rule)
{
    const char *path = getenv("HURRAY_RULES_REACHED");
    assert_in_range(rule, 1, hry_rule_count());
    if (!path)
        return;
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fprintf(file, "%s\n", hry_rule_id(rule));
    assert_int_equal(fclose(file), 0);
}

void assert_rule(const char *what, hry_status status, const hry_error *err, const char *id, uint64_t offset)
{
    uint16_t rule = hry_rule_find(id);
    if (!rule)
        fail_msg("%s: there is no rule %s", what, id);
    hry_status expected = hry_rule_kind_of(rule) == HRY_RULE_KIND_LIMIT ? HRY_E_LIMIT : HRY_E_INPUT;
    if (status == HRY_OK || err->rule != rule || err->offset != offset || status != expected || err->status != status)
        fail_msg("%s: %s at %" PRIu64 " expected, not %s %s at %" PRIu64 ": %s", what, id, offset,
                 hry_status_name(status), status ? hry_rule_id(err->rule) : "", status ? err->offset : 0,
                 status ? err->message : "");
    if (!memchr(err->message, 0, sizeof err->message) || err->message[0] == 0)
        fail_msg("%s: no message", what);
    rule_reached(rule);
}
