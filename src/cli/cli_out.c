#include "cli/cli_out.h"
#include "cli/cli_signals.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cli_out_of_memory(void)
{
    fputs("hurray: out of memory\n", stderr);
    cli_drop_temporaries();
    exit(CLI_FAILED);
}

void *cli_realloc(void *ptr, size_t size)
{
    void *out = realloc(ptr, size ? size : 1);
    if (!out)
        cli_out_of_memory();
    return out;
}

void *cli_realloc_items(void *ptr, uint64_t count, size_t item_size)
{
    return cli_realloc(ptr, count > SIZE_MAX / 2 / item_size ? SIZE_MAX / 2 : (size_t)count * item_size);
}

char *cli_copy(const char *text, size_t len)
{
    char *out = cli_realloc(NULL, len + 1);
    memcpy(out, text, len);
    out[len] = 0;
    return out;
}

char *cli_format(const char *format, ...)
{
    char *out;
    va_list args;
    va_start(args, format);
    int len = vasprintf(&out, format, args);
    va_end(args);
    if (len < 0)
        cli_out_of_memory();
    return out;
}

void cli_out_start(void)
{
    static char buffer[1 << 16];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
}

bool cli_out_closed(void)
{
    return ferror(stdout);
}

int cli_out_finish(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    int errnum = errno ? errno : EIO;
    /* The first failure may be long past and errno with it: ask the pipe itself. */
    struct pollfd gone = { .fd = STDOUT_FILENO };
    if (errnum == EPIPE || (poll(&gone, 1, 0) == 1 && (gone.revents & POLLERR)))
        return code;
    fprintf(stderr, "hurray: standard output: %s\n", strerror(errnum));
    return CLI_FAILED;
}

size_t cli_utf8_length(const char *text, size_t len, uint32_t *code)
{
    const unsigned char *p = (const unsigned char *)text;
    uint32_t first = len ? p[0] : 0x80, value;
    size_t n = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    if (n == 0 || n > len)
        return 0;
    value = n == 1 ? first : first & (0x7Fu >> n);
    for (size_t k = 1; k < n; k++) {
        if ((p[k] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (p[k] & 0x3Fu);
    }
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    if (value < least[n] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    if (code)
        *code = value;
    return n;
}

/* Controls of either kind, line separators, and what changes the direction of the text around it. */
static bool is_hostile(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E || code == 0x200F ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

/* Writes the next code point of text, escaped where needed, to piece (at least 12 bytes); returns bytes consumed. */
static size_t next_piece(const char *text, size_t len, char *piece)
{
    uint32_t code;
    size_t n = cli_utf8_length(text, len, &code);
    if (n == 0) {
        snprintf(piece, 12, "\\x%02x", (unsigned char)*text);
        return 1;
    }
    if (!is_hostile(code)) {
        memcpy(piece, text, n);
        piece[n] = 0;
    } else if (code == '\n' || code == '\r' || code == '\t') {
        snprintf(piece, 12, "\\%c", code == '\n' ? 'n' : code == '\r' ? 'r' : 't');
    } else {
        snprintf(piece, 12, code < 0x80 ? "\\x%02x" : "\\u{%x}", (unsigned)code);
    }
    return n;
}

void cli_put_text(FILE *out, const char *text, size_t len)
{
    char piece[12];
    for (size_t k = 0; k < len;) {
        k += next_piece(text + k, len - k, piece);
        fputs(piece, out);
    }
}

void cli_put_name(FILE *out, const char *text)
{
    cli_put_text(out, text, strlen(text));
}

size_t cli_text_width(const char *text, size_t len)
{
    char piece[12];
    size_t width = 0;
    for (size_t k = 0; k < len;) {
        k += next_piece(text + k, len - k, piece);
        for (const char *p = piece; *p; p++)
            width += ((unsigned char)*p & 0xC0) != 0x80;
    }
    return width;
}

cli_size cli_f64_text(double value, int digits)
{
    cli_size out;
    if (isfinite(value))
        snprintf(out.text, sizeof out.text, "%.*g", digits, value);
    else
        snprintf(out.text, sizeof out.text, "%s", isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
    return out;
}

cli_size cli_size_text(uint64_t nbytes, bool exact)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    cli_size out;
    if (exact) {
        snprintf(out.text, sizeof out.text, "%" PRIu64, nbytes);
        return out;
    }
    double value = (double)nbytes;
    size_t unit = 0;
    while (value >= 1023.95 && unit < sizeof units / sizeof *units - 1) {
        value /= 1024;
        unit++;
    }
    snprintf(out.text, sizeof out.text, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return out;
}

static const char *shown_file(const char *file)
{
    return strcmp(file, "-") == 0 ? "standard input" : file;
}

static void put_head(FILE *out, const char *file)
{
    if (out != stdout)
        fputs("hurray: ", out);
    if (file) {
        cli_put_name(out, shown_file(file));
        fputs(": ", out);
    }
}

/* Whether the message names the tensor itself: 'tensor "NAME"'. */
static bool names_tensor(const char *message, const char *tensor, size_t len)
{
    static const char start[] = "tensor \"";
    size_t n = sizeof start - 1;
    return strncmp(message, start, n) == 0 && strncmp(message + n, tensor, len) == 0 && message[n + len] == '"';
}

void cli_report_to(FILE *out, const char *file, const char *tensor, size_t tensor_len, const hry_error *err)
{
    put_head(out, file);
    bool has_offset = err->rule || err->offset;
    if (has_offset)
        fprintf(out, "%" PRIu64 ": ", err->offset);
    if (tensor && !(has_offset && names_tensor(err->message, tensor, tensor_len))) {
        fputs(has_offset ? "tensor '" : "", out);
        cli_put_text(out, tensor, tensor_len);
        fputs(has_offset ? "': " : ": ", out);
    }
    size_t len = file ? strlen(file) : 0;
    const char *message = err->message;
    if (len && strncmp(message, file, len) == 0 && strncmp(message + len, ": ", 2) == 0)
        message += len + 2; /* it names the file itself */
    cli_put_name(out, message);
    if (err->rule)
        fprintf(out, " [%s]", hry_rule_id(err->rule));
    fputc('\n', out);
}

int cli_code_of(const hry_error *err)
{
    switch (err->status) {
    case HRY_OK:
        return CLI_OK;
    case HRY_E_INPUT:
    case HRY_E_LIMIT:
    case HRY_E_UNSUPPORTED:
    case HRY_E_ABSENT:
        return CLI_NO;
    default:
        return CLI_FAILED;
    }
}

int cli_report(const char *file, const char *tensor, size_t tensor_len, const hry_error *err)
{
    fflush(stdout);
    cli_report_to(stderr, file, tensor, tensor_len, err);
    return cli_code_of(err);
}

static void put_line(const char *file, const char *where, const char *format, va_list args)
{
    fflush(stdout);
    char *text;
    if (vasprintf(&text, format, args) < 0)
        return;
    put_head(stderr, file);
    if (where) {
        cli_put_name(stderr, where);
        fputs(": ", stderr);
    }
    cli_put_name(stderr, text);
    fputc('\n', stderr);
    free(text);
}

int cli_fail(int code, const char *file, const char *where, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_line(file, where, format, args);
    va_end(args);
    return code;
}

int cli_fail_errno(const char *file, int errnum)
{
    return cli_fail(CLI_FAILED, file, NULL, "%s", strerror(errnum));
}

void cli_warn(const cli_args *args, const char *file, const char *format, ...)
{
    if (cli_has(args, CLI_OPT_QUIET))
        return;
    va_list list;
    va_start(list, format);
    put_line(file, "warning", format, list);
    va_end(list);
}

int cli_usage(const cli_command *command, const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    int len = vasprintf(&text, format, args);
    va_end(args);
    if (len < 0)
        return CLI_FAILED;
    if (command)
        cli_fail(CLI_FAILED, command->name, NULL, "%s; see 'hurray help %s'", text, command->name);
    else
        cli_fail(CLI_FAILED, NULL, NULL, "%s; see 'hurray help'", text);
    free(text);
    return CLI_FAILED;
}
