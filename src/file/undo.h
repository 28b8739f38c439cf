/*
 * PATH.undo: what stood where a change in place writes, and what is to stand there, so that a change that was cut short
 * can be told from a file that somebody else has changed since. All integers little-endian:
 *
 *     0  "HRRYUNDO"
 *     8  offset of the part that changes, old and new size of the file: u64 each
 *    32  old and new header, 64 bytes each
 *   160  the old bytes from offset to the old size, the new ones to the new size
 *        CRC-32C of all that: u32
 */
#ifndef HRY_FILE_UNDO_H
#define HRY_FILE_UNDO_H

#include "file/container_header.h"

struct hry_os;

typedef struct hry_change {
    uint64_t offset, old_size, new_size;
    const uint8_t *old_header, *new_header;
    const uint8_t *old_tail, *new_tail; /* from offset on */
} hry_change;

/* Writes and syncs PATH.undo. HRY_E_BUSY when there is one. */
hry_status hry_undo_write(const struct hry_os *os, const hry_allocator *allocator, const char *path,
                          const hry_change *change, hry_error *err);
/* The change is made: PATH.undo goes. */
hry_status hry_undo_remove(const struct hry_os *os, const hry_allocator *allocator, const char *path, hry_error *err);
hry_status hry_undo_restore_on(const struct hry_os *os, const hry_allocator *allocator, const char *path,
                               bool *restored, hry_error *err);

#endif
