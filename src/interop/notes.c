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
    if (kind != HRY_NOTE_GROWN) {
        notes->count++;
        summarize(notes, subject, name, reason);
    }
    if (notes->fn)
        notes->fn(notes->ctx, &(hry_note){ .kind = kind, .subject = subject, .name = name, .reason = reason });
}

hry_status hry_notes_refuse(const hry_notes *notes, hry_status status, const char *what, hry_error *err)
{
    if (notes->count == 0)
        return HRY_OK;
    return hry_fail(err, status, HRY_SECTION_NONE, 0, notes->count, "%s (%" PRIu64 "): %s", what, notes->count,
                    notes->summary);
}
