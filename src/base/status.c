#include "base/status.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Here they are defined. */
#undef hry_fail
#undef hry_fail_rule
#undef hry_fail_rule_because
#undef hry_fail_errno
#undef hry_fail_memory
#undef hry_fail_usage

static void report(hry_error *err, hry_status status, unsigned rule, unsigned section, uint64_t offset, uint64_t value)
{
    err->status = status;
    err->rule = (uint16_t)rule;
    err->section = (uint16_t)section;
    err->offset = offset;
    err->value = value;
}

hry_status hry_fail(hry_error *err, hry_status status, enum hry_section section, uint64_t offset, uint64_t value,
                    const char *format, ...)
{
    if (!err)
        return status;
    report(err, status, HRY_RULE_NONE, section, offset, value);
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return status;
}

static hry_status status_of(enum hry_rule rule)
{
    return hry_rule_kind_of(rule) == HRY_RULE_KIND_LIMIT ? HRY_E_LIMIT : HRY_E_INPUT;
}

hry_status hry_fail_rule(hry_error *err, enum hry_rule rule, enum hry_section section, uint64_t offset, uint64_t value)
{
    if (!err)
        return status_of(rule);
    report(err, status_of(rule), rule, section, offset, value);
    snprintf(err->message, sizeof err->message, "%s (%" PRIu64 ")", hry_rule_text((uint16_t)rule), value);
    return status_of(rule);
}

hry_status hry_fail_rule_because(hry_error *err, enum hry_rule rule, enum hry_section section, uint64_t offset,
                                 uint64_t value, const char *format, ...)
{
    if (!err)
        return status_of(rule);
    report(err, status_of(rule), rule, section, offset, value);
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return status_of(rule);
}

hry_status hry_fail_errno(hry_error *err, int errnum, const char *what)
{
    hry_status status = errnum == ENOENT ? HRY_E_ABSENT : errnum == ENOMEM ? HRY_E_MEMORY : HRY_E_IO;
    return hry_fail(err, status, HRY_SECTION_NONE, 0, (uint64_t)errnum, "%s: %s", what, strerror(errnum));
}

hry_status hry_fail_memory(hry_error *err, uint64_t nbytes)
{
    return hry_fail(err, HRY_E_MEMORY, HRY_SECTION_NONE, 0, nbytes, "out of memory (%" PRIu64 " bytes)", nbytes);
}

hry_status hry_fail_usage(hry_error *err, const char *format, ...)
{
    if (!err)
        return HRY_E_USAGE;
    report(err, HRY_E_USAGE, HRY_RULE_NONE, HRY_SECTION_NONE, 0, 0);
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return HRY_E_USAGE;
}

void hry_error_shift(hry_error *err, uint64_t base)
{
    if (err)
        err->offset += base;
}

const char *hry_status_name(int32_t status)
{
    static const char *const names[] = { "ok",    "input", "limit",  "unsupported", "memory",   "io",
                                         "usage", "peer",  "absent", "busy",        "cancelled" };
    return status <= 0 && status > -(int32_t)(sizeof names / sizeof *names) ? names[-status] : "unknown";
}

const char *hry_section_name(uint16_t section)
{
    static const char *const names[] = {
        "",      "header",     "shape",          "layout",           "buffers",     "quantization",
        "shard", "statistics", "extension type", "composite member", "file header", "KV metadata",
        "index", "trailer",    "data",           "composite",
    };
    return section < sizeof names / sizeof *names ? names[section] : "";
}
