#include "interop/notes.h"

#include "base/status.h"
#include "interop/quote.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void summarize(hry_notes *notes, hry_note_subject subject, hry_str name, const char *reason)
{
    static const char *const subjects[] = { "", "tensor", "key", "part" };
    char quoted[HRY_QUOTE_SIZE], line[sizeof notes->summary + HRY_QUOTE_SIZE];
    int n = snprintf(line, sizeof line, "%s%s %s: %s", notes->used ? "; " : "", subjects[subject],
                     hry_quote(quoted, name), reason);
    if (n < 0 || notes->used + (size_t)n >= sizeof notes->summary) {
        /* The first remark is never dropped, only its reason. */
        if (notes->used)
            return;
        n = snprintf(line, sizeof line, "%s %s", subjects[subject], quoted);
    }
    memcpy(notes->summary + notes->used, line, (size_t)n + 1);
    notes->used += (size_t)n;
}

void hry_notes_add(hry_notes *notes, hry_note_kind kind, hry_note_subject subject, hry_str name, const char *reason)
{
    char quoted[HRY_QUOTE_SIZE];
    if (kind == HRY_NOTE_LEFT_OUT && subject == HRY_NOTE_TENSOR && notes->left_out++ == 0)
        snprintf(notes->first_left_out, sizeof notes->first_left_out, "tensor %s: %s", hry_quote(quoted, name), reason);
    if (kind != HRY_NOTE_GROWN) {
        notes->count++;
        summarize(notes, subject, name, reason);
    }
    if (notes->fn)
        notes->fn(notes->ctx, &(hry_note){ .kind = kind, .subject = subject, .name = name, .reason = reason });
}

void hry_notes_add_dropped(hry_notes *notes, hry_str name, const hry_desc *desc)
{
    static const struct {
        uint32_t flag;
        const char *reason;
    } parts[] = { { HRY_HAS_SHARD, "its place in a larger tensor is dropped" },
                  { HRY_HAS_STATISTICS, "its statistics are dropped" },
                  { HRY_HAS_COMPOSITE_MEMBER, "its role in a composite is dropped" } };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (hry_desc_flags(desc) & parts[i].flag)
            hry_notes_add(notes, HRY_NOTE_CHANGED, HRY_NOTE_TENSOR, name, parts[i].reason);
}

hry_status hry_notes_refuse(const hry_notes *notes, hry_status status, const char *what, hry_error *err)
{
    if (notes->count == 0)
        return HRY_OK;
    return hry_fail(err, status, HRY_SECTION_NONE, 0, notes->count, "%s (%" PRIu64 "): %s", what, notes->count,
                    notes->summary);
}

hry_status hry_notes_settle(const hry_notes *notes, const hry_export_options *options, uint64_t tensors,
                            const char *what, hry_error *err)
{
    if (options->strict)
        return hry_notes_refuse(notes, HRY_E_UNSUPPORTED, what, err);
    if (!notes->left_out || (!options->whole && notes->left_out < tensors))
        return HRY_OK;
    return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_NONE, 0, notes->left_out,
                    "%s (%" PRIu64 " of %" PRIu64 " tensors): %s", what, notes->left_out, tensors,
                    notes->first_left_out);
}
