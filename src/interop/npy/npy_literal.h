/* The little of Python's literals that headers of .npy files need: strings, whole numbers, names, punctuation. */
#ifndef HRY_INTEROP_NPY_LITERAL_H
#define HRY_INTEROP_NPY_LITERAL_H

#include <hurray/base.h>

typedef struct hry_npy_text {
    const char *start, *at, *end;
} hry_npy_text;

static inline uint64_t hry_npy_text_place(const hry_npy_text *text)
{
    return (uint64_t)(text->at - text->start);
}

/* The next character that is no white space, which is skipped; 0 at the end. */
char hry_npy_peek(hry_npy_text *text);
/* Each takes what is there and returns whether it was that; else only white space is gone. */
bool hry_npy_take(hry_npy_text *text, char c);
bool hry_npy_take_word(hry_npy_text *text, const char *word);
/* In quotes of either kind, without escapes. The string is borrowed. */
bool hry_npy_take_string(hry_npy_text *text, hry_str *string);
/* Decimal, without sign and superfluous zeros; an L may follow, as Python 2 wrote it. False also beyond 64 bits. */
bool hry_npy_take_number(hry_npy_text *text, uint64_t *number);

#endif
