/* Memory for the contents of one tensor that are made when it is asked for. */
#ifndef HRY_INTEROP_MADE_BUFFER_H
#define HRY_INTEROP_MADE_BUFFER_H

#include <hurray/base.h>

/* nbytes at a multiple of 64; NULL when there is no memory. */
void *hry_made_buffer(const hry_allocator *allocator, uint64_t nbytes);
/* Gives it back; with the signature of a release callback. */
void hry_made_buffer_release(void *buffer);

#endif
