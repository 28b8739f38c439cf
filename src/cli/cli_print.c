#include "cli/cli_print.h"
#include "cli/cli_element.h"

void cli_print_begin(cli_print *print, const cli_part *part, FILE *out, uint8_t type, bool json)
{
    *print = (cli_print){ .out = out, .json = json, .type = type, .rank = part->rank, .shape = part->shape };
}

/* How many dimensions, the last ones, the next element is the first of. */
static uint32_t opened(const cli_print *print)
{
    uint32_t n = 0;
    while (n < print->rank && print->at[print->rank - 1 - n] == 0)
        n++;
    return n;
}

/* Goes on by one element; how many dimensions, the last ones, end with the one before. */
static uint32_t advance(cli_print *print)
{
    uint32_t n = 0;
    while (n < print->rank) {
        uint32_t k = print->rank - 1 - n;
        if (++print->at[k] < print->shape[k])
            break;
        print->at[k] = 0;
        n++;
    }
    return n;
}

static void put_times(FILE *out, char c, uint32_t times)
{
    for (uint32_t k = 0; k < times; k++)
        putc_unlocked(c, out);
}

static void add_json(cli_print *print, const uint8_t *piece, uint64_t index)
{
    put_times(print->out, '[', opened(print));
    cli_element_put(print->out, print->type, piece, index, true);
    uint32_t closed = advance(print);
    put_times(print->out, ']', closed);
    if (closed < print->rank)
        fputs(closed ? ",\n" : ", ", print->out);
    else
        putc_unlocked('\n', print->out);
}

static void add_text(cli_print *print, const uint8_t *piece, uint64_t index)
{
    cli_element_put(print->out, print->type, piece, index, false);
    uint32_t closed = advance(print);
    bool row = print->rank < 2 || closed > 0;
    putc_unlocked(row ? '\n' : ' ', print->out);
    if (closed > 1 && closed < print->rank)
        putc_unlocked('\n', print->out);
}

void cli_print_add(cli_print *print, const uint8_t *piece, uint64_t count)
{
    enum { LOOK = 4096 }; /* elements between two looks at whether anybody reads on */
    for (uint64_t k = 0; k < count; k++) {
        if (k % LOOK == 0 && ferror(print->out))
            return;
        if (print->json)
            add_json(print, piece, k);
        else
            add_text(print, piece, k);
    }
}

static void empty_from(const cli_print *print, uint32_t k)
{
    putc_unlocked('[', print->out);
    for (uint64_t i = 0; i < print->shape[k] && !ferror(print->out); i++) {
        if (i)
            fputs(", ", print->out);
        empty_from(print, k + 1);
    }
    putc_unlocked(']', print->out);
}

void cli_print_empty(cli_print *print)
{
    for (uint32_t k = 0; k < print->rank; k++)
        if (print->shape[k] == 0) {
            if (print->json) {
                empty_from(print, 0);
                putc_unlocked('\n', print->out);
            }
            return;
        }
}
