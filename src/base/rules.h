/* The rules as numbers: HRY_RULE_D_01, ... Rows that later come are appended to their group; ids are what is stable. */
#ifndef HRY_BASE_RULES_H
#define HRY_BASE_RULES_H

enum hry_rule {
    HRY_RULE_NONE = 0,
#define HRY_RULE(token, id, kind, text) HRY_RULE_##token,
#include "base/rules.def"
#undef HRY_RULE
    HRY_RULE_END
};

enum hry_rule_kind { HRY_RULE_KIND_REJECT, HRY_RULE_KIND_LINT, HRY_RULE_KIND_LIMIT };

/* The kind of a rule, REJECT for numbers that none has. */
enum hry_rule_kind hry_rule_kind_of(unsigned rule);

#endif
