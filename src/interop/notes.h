/* Remarks of a conversion: passed on, counted, and summed up where they end it. */
#ifndef HRY_INTEROP_NOTES_H
#define HRY_INTEROP_NOTES_H

#include <hurray/interop.h>

typedef struct hry_notes {
    hry_note_fn *fn;
    void *ctx;
    uint64_t count, left_out; /* of all kinds; tensors that are not in the result */
    size_t used;
    char summary[192];        /* the first remarks, as many as find room */
    char first_left_out[192]; /* the first of those tensors, and why */
} hry_notes;

/* HRY_NOTE_GROWN is passed on only: nothing is lost. */
void hry_notes_add(hry_notes *notes, hry_note_kind kind, hry_note_subject subject, hry_str name, const char *reason);
/* What is said of a tensor that is carried, but without some part of its descriptor. */
void hry_notes_add_dropped(hry_notes *notes, hry_str name, const hry_desc *desc);
/* Fails with status and the summary when there was a remark: "what: part "a": reason; ...". */
hry_status hry_notes_refuse(const hry_notes *notes, hry_status status, const char *what, hry_error *err);
/* What is to be written of so many tensors goes on, or fails with HRY_E_UNSUPPORTED as the options want it. */
hry_status hry_notes_settle(const hry_notes *notes, const hry_export_options *options, uint64_t tensors,
                            const char *what, hry_error *err);

#endif
