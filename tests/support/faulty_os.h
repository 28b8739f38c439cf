/* The real system with faults at will: the call of one kind and number fails, or moves less than asked. */
#ifndef HRY_TESTS_SUPPORT_FAULTY_OS_H
#define HRY_TESTS_SUPPORT_FAULTY_OS_H

#include "os/os.h"

enum faulty_call {
    CALL_NONE,
    CALL_OPEN,
    CALL_CLOSE,
    CALL_DUP,
    CALL_PREAD,
    CALL_READ,
    CALL_PWRITE,
    CALL_WRITE,
    CALL_COPY_RANGE,
    CALL_SEND,
    CALL_TRUNCATE,
    CALL_SYNC,
    CALL_CHMOD,
    CALL_STAT,
    CALL_STAT_PATH,
    CALL_RESOLVE,
    CALL_RENAME,
    CALL_RENAME_NEW,
    CALL_LINK,
    CALL_UNLINK,
    CALL_MAP,
    CALL_UNMAP,
    CALL_KINDS
};

struct faulty_os {
    struct hry_os os; /* first: the table finds its state here */
    enum faulty_call kind;
    unsigned first, count; /* calls first .. first + count - 1 of that kind, from 0, ... */
    int error;             /* ... fail so; 0: they move nothing */
    size_t piece;          /* no read, write or copy moves more; 0: no such bound */
    uint64_t unique;       /* what the next name is made of; 0: the real thing */
    unsigned calls[CALL_KINDS];
    int open_files;
};

void faulty_os_init(struct faulty_os *faulty);
/* The next calls of a kind from now on. */
void faulty_os_fail(struct faulty_os *faulty, enum faulty_call kind, unsigned first, unsigned count, int error);

#endif
