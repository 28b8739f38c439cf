/* What the command prints: results to standard output, everything else to standard error. */
#ifndef HRY_CLI_OUT_H
#define HRY_CLI_OUT_H

#include "cli/cli_args.h"

#include <stdio.h>

#define CLI_PRINTF(fmt_arg, first_arg) __attribute__((format(printf, fmt_arg, first_arg)))

/* Ends the program with exit code 2, and leaves nothing that is not complete. */
_Noreturn void cli_out_of_memory(void);
/* realloc that ends the program for lack of memory. */
void *cli_realloc(void *ptr, size_t size);
/* The same for count items, more than which may not fit the address space. */
void *cli_realloc_items(void *ptr, uint64_t count, size_t item_size);
/* A copy of len bytes with a terminator; the caller frees it. */
char *cli_copy(const char *text, size_t len);
/* printf into memory that the caller frees. */
CLI_PRINTF(1, 2) char *cli_format(const char *format, ...);

/* cli_out_finish flushes standard output and gives the program's exit code: code, or 2 after a report when the results
 * could not be written. A closed pipe is no failure. */
void cli_out_start(void);
int cli_out_finish(int code);
/* Nobody reads the results any more: a long listing may stop. */
bool cli_out_closed(void);

/* Text of others: control bytes, invalid UTF-8 and what would reorder the line are escaped. */
void cli_put_text(FILE *out, const char *text, size_t len);
void cli_put_name(FILE *out, const char *text);
/* How many columns cli_put_text takes, a code point each. */
size_t cli_text_width(const char *text, size_t len);

typedef struct cli_size {
    char text[32];
} cli_size;

/* A number as text: digits is 9 for float32 and narrower types, 17 for wider ones; NaN, Infinity, -Infinity. */
cli_size cli_f64_text(double value, int digits);

/* "1.5 MiB", or exact: "1572864". */
cli_size cli_size_text(uint64_t nbytes, bool exact);

/* The length of the UTF-8 sequence at text, 0 when it is not a valid one. *code may be NULL. */
size_t cli_utf8_length(const char *text, size_t len, uint32_t *code);

/* "hurray: FILE: WHERE: what [RULE]" for a failed call; returns the exit code for it. tensor may be NULL. */
int cli_report(const char *file, const char *tensor, size_t tensor_len, const hry_error *err);
/* The same to any stream, without "hurray: " when out is standard output. */
void cli_report_to(FILE *out, const char *file, const char *tensor, size_t tensor_len, const hry_error *err);
/* 1 when the input is to blame, 2 when the call or the system is. */
int cli_code_of(const hry_error *err);
/* A report without a library call behind it; returns code. where may be NULL. */
CLI_PRINTF(4, 5) int cli_fail(int code, const char *file, const char *where, const char *format, ...);
/* A report of errno; returns 2. */
int cli_fail_errno(const char *file, int errnum);
/* A warning, unless --quiet. */
CLI_PRINTF(3, 4) void cli_warn(const cli_args *args, const char *file, const char *format, ...);
/* What is wrong with the call itself; returns 2. command may be NULL. */
CLI_PRINTF(2, 3) int cli_usage(const cli_command *command, const char *format, ...);

#endif
