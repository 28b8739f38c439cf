/* The rows of conformance/descriptors.tsv. */
#ifndef HRY_TESTS_DESC_CONFORMANCE_TABLE_H
#define HRY_TESTS_DESC_CONFORMANCE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct conformance_row {
    const char *name, *verdict, *rule, *also, *permissive;
    bool all_private; /* read with every private value allowed */
    uint8_t *bytes;   /* in a block of exactly its size */
    size_t nbytes;
} conformance_row;

typedef struct conformance_table {
    conformance_row *rows;
    size_t count;
    uint8_t *text; /* what the rows point into */
} conformance_table;

/* Skips the calling test where the file is not there. */
conformance_table conformance_read(void);
void conformance_free(conformance_table *table);
const conformance_row *conformance_find(const conformance_table *table, const char *name);
/* A rule is that of the row, or one that the row lists beside it. */
bool conformance_has_rule(const conformance_row *row, const char *rule);

/* Bytes of a string of hexadecimal digits, of which there is an even number; a block of exactly their size. */
uint8_t *conformance_hex(const char *text, size_t *nbytes);

#endif
