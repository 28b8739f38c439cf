/* Descriptors with one fault each: which field of which valid one is overwritten, and what must be said of it. */
#ifndef HRY_TESTS_BAD_DESCS_H
#define HRY_TESTS_BAD_DESCS_H

#include "desc/valid_descs.h"

enum place { HEADER, LAYOUT, TABLE, QUANT, SHARD, STATS, EXT, MEMBER, END };

/* The offset of a part; 0 for the header, the descriptor's length for the end. */
uint32_t place_of(const desc_bytes *d, enum place place);

/* size bytes at a place of a descriptor overwritten. */
typedef struct damage {
    enum place place;
    int delta;
    unsigned size; /* 0: none */
    uint64_t value;
} damage;

/* What a permissive reader makes of it: the same, an opaque tensor, or a tensor like any other. */
enum permissive { SAME, OPAQUE, FINE };

/* What is broken, and where the fault must be reported. */
typedef struct bad_input {
    const char *rule, *base;
    damage damages[3];
    enum place fault;
    int delta;
    enum permissive permissive;
    enum { ALLOW, FORBID, STORED } how; /* private values are allowed, or not; or the bytes were stored */
} bad_input;

extern const bad_input bad_inputs[];
extern const size_t bad_input_count;

/* The base with its damages; *offset is where the fault is. */
void bad_input_make(const bad_input *b, desc_bytes *d, uint32_t *offset);

enum { VERSION = 4, LENGTH = 6, FLAGS = 10, TYPE = 14, TAG = 15, RANK = 16, SHAPE = 20 };
/* Fields of a row of the buffer table, from the table's buffer_count. */
enum { SIZE_0 = 1, ALIGN_0 = 9, DEVICE_0 = 13, SYNC_0, CLASS_0, RESERVED_0, SIZE_1 = 17 };
/* Fields of the quantization section, from its length. */
enum { SCHEME = 4, SCHEME_VERSION = 5, SCHEME_FLAGS = 6, AXIS = 8, FIELD_2 = 12, FIELD_3 = 16, FIELD_4 = 20 };

#endif
