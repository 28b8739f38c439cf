#include "base/rules.h"

#include <hurray/base.h>
#include <string.h>

static const struct {
    const char *id, *text;
    enum hry_rule_kind kind;
} rows[] = {
    { "", "", HRY_RULE_KIND_REJECT },
#define HRY_RULE(token, id, kind, text) { id, text, HRY_RULE_KIND_##kind },
#include "base/rules.def"
#undef HRY_RULE
};

const char *hry_rule_id(uint16_t rule)
{
    return rows[rule < HRY_RULE_END ? rule : 0].id;
}

const char *hry_rule_text(uint16_t rule)
{
    return rows[rule < HRY_RULE_END ? rule : 0].text;
}

enum hry_rule_kind hry_rule_kind_of(unsigned rule)
{
    return rows[rule < HRY_RULE_END ? rule : 0].kind;
}

uint16_t hry_rule_find(const char *id)
{
    for (unsigned rule = 1; rule < HRY_RULE_END; rule++)
        if (strcmp(rows[rule].id, id) == 0)
            return (uint16_t)rule;
    return 0;
}

uint16_t hry_rule_count(void)
{
    return HRY_RULE_END - 1;
}
