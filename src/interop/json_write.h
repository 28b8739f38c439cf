/* JSON text in memory that grows. */
#ifndef HRY_INTEROP_JSON_WRITE_H
#define HRY_INTEROP_JSON_WRITE_H

#include <hurray/base.h>

typedef struct hry_json_text {
    const hry_allocator *allocator;
    char *bytes;
    size_t used, capacity;
    bool no_memory; /* once true, nothing is added any more */
} hry_json_text;

/* As it is. */
void hry_json_put(hry_json_text *text, const char *bytes, size_t nbytes);
void hry_json_put_text(hry_json_text *text, const char *terminated);
/* UTF-8 in quotes, escaped where JSON asks for it and not elsewhere. */
void hry_json_put_string(hry_json_text *text, hry_str string);
void hry_json_put_u64(hry_json_text *text, uint64_t value);
void hry_json_text_fini(hry_json_text *text);

#endif
