#include "interop/npy/npy_header.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/status.h"
#include "interop/npy/npy_literal.h"

#include <inttypes.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";
enum { MAGIC = sizeof magic - 1 };

static hry_status fail_short(uint64_t size, hry_error *err)
{
    return hry_fail(err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, size, size,
                    "file of %" PRIu64 " bytes, too short for its header (truncated?)", size);
}

hry_status hry_npy_header_locate(const uint8_t *prefix, uint64_t size, uint64_t most, uint64_t *text_at,
                                 uint32_t *text_length, hry_error *err)
{
    if (size < MAGIC || memcmp(prefix, magic, MAGIC) != 0)
        return hry_fail(err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, 0, 0, "no .npy file");
    if (size < 10)
        return fail_short(size, err);
    uint8_t major = prefix[MAGIC], minor = prefix[MAGIC + 1];
    if (major < 1 || major > 3 || minor != 0)
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_FILE_HEADER, MAGIC, major,
                        ".npy version %u.%u; 1.0, 2.0 and 3.0 are known", major, minor);
    uint64_t at = major == 1 ? 10 : 12;
    if (size < at)
        return fail_short(size, err);
    uint32_t length = major == 1 ? hry_load16(prefix + 8) : hry_load32(prefix + 8);
    if (length > size - at)
        return fail_short(size, err);
    if (length > most)
        return hry_fail(err, HRY_E_LIMIT, HRY_SECTION_FILE_HEADER, 8, length,
                        "header of %" PRIu32 " bytes, more than the limit of %" PRIu64, length, most);
    *text_at = at;
    *text_length = length;
    return HRY_OK;
}

/* ---- The dictionary ---- */

enum { DESCR = 1, FORTRAN_ORDER = 2, SHAPE = 4, ALL_KEYS = 7 };

typedef struct parser {
    hry_npy_text text;
    uint64_t text_at;
    hry_npy_header *header;
    unsigned seen;
    hry_error *err;
} parser;

static uint64_t place(const parser *p)
{
    return p->text_at + hry_npy_text_place(&p->text);
}

static hry_status fail(parser *p, const char *what)
{
    hry_npy_peek(&p->text);
    return hry_fail(p->err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, place(p), 0, "%s", what);
}

static hry_status unsupported(parser *p, const char *what)
{
    return hry_fail(p->err, HRY_E_UNSUPPORTED, HRY_SECTION_FILE_HEADER, place(p), 0, "%s", what);
}

static hry_status read_descr(parser *p)
{
    hry_str text;
    char next = hry_npy_peek(&p->text);
    uint64_t at = place(p);
    if (next == '[')
        return unsupported(p, "a structured array: its records have no counterpart");
    if (next == '(')
        return unsupported(p, "an array of arrays: its elements have no counterpart");
    if (!hry_npy_take_string(&p->text, &text))
        return fail(p, "'descr' is no string");
    return hry_npy_dtype_read(text, at, &p->header->dtype, p->err);
}

static hry_status read_order(parser *p)
{
    p->header->fortran_order = hry_npy_take_word(&p->text, "True");
    if (p->header->fortran_order || hry_npy_take_word(&p->text, "False"))
        return HRY_OK;
    return fail(p, "'fortran_order' is neither True nor False");
}

/* (), (3,), (3, 4), (3, 4,): one number needs its comma. */
static hry_status read_shape(parser *p)
{
    hry_npy_header *h = p->header;
    bool comma = true;
    h->rank = 0;
    if (!hry_npy_take(&p->text, '('))
        return fail(p, "'shape' is no tuple");
    while (!hry_npy_take(&p->text, ')')) {
        uint64_t dim;
        if (!comma)
            return fail(p, "a comma is missing in 'shape'");
        if (!hry_npy_take_number(&p->text, &dim))
            return fail(p, "a dimension is no whole number of up to 64 bits");
        if (dim == HRY_DYNAMIC)
            return fail(p, "a dimension of 2^64 - 1");
        if (h->rank == HRY_RANK_MAX)
            return unsupported(p, "more than 64 dimensions");
        h->shape[h->rank++] = dim;
        comma = hry_npy_take(&p->text, ',');
    }
    return h->rank == 1 && !comma ? fail(p, "'shape' is a number in parentheses, no tuple") : HRY_OK;
}

static hry_status read_entry(parser *p)
{
    static const struct {
        const char *key;
        unsigned bit;
        hry_status (*read)(parser *p);
    } keys[] = { { "descr", DESCR, read_descr },
                 { "fortran_order", FORTRAN_ORDER, read_order },
                 { "shape", SHAPE, read_shape } };
    hry_str key;
    if (!hry_npy_take_string(&p->text, &key))
        return fail(p, "a key is no string");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strlen(keys[i].key) != key.len || memcmp(keys[i].key, key.ptr, key.len) != 0)
            continue;
        if (p->seen & keys[i].bit)
            return fail(p, "a key occurs twice");
        p->seen |= keys[i].bit;
        return hry_npy_take(&p->text, ':') ? keys[i].read(p) : fail(p, "a colon is missing");
    }
    return fail(p, "a key other than 'descr', 'fortran_order' and 'shape'");
}

static hry_status read_dictionary(parser *p)
{
    bool comma = true;
    if (!hry_npy_take(&p->text, '{'))
        return fail(p, "the header is no dictionary");
    while (!hry_npy_take(&p->text, '}')) {
        if (!comma)
            return fail(p, "a comma is missing between entries");
        hry_status status = read_entry(p);
        if (status)
            return status;
        comma = hry_npy_take(&p->text, ',');
    }
    if (p->seen != ALL_KEYS)
        return fail(p, "'descr', 'fortran_order' or 'shape' is missing");
    return hry_npy_peek(&p->text) || p->text.at != p->text.end ? fail(p, "something follows the dictionary") : HRY_OK;
}

static hry_status check_size(const hry_npy_header *h, uint64_t size, hry_error *err)
{
    uint64_t nbytes, left = size - h->data_at;
    if (!hry_mul(h->count, h->dtype.size, &nbytes) || nbytes > left)
        return hry_fail(err, HRY_E_INPUT, HRY_SECTION_DATA, h->data_at, left,
                        "%" PRIu64 " elements of %u bytes, but only %" PRIu64 " bytes of data (truncated?)", h->count,
                        h->dtype.size, left);
    return HRY_OK;
}

hry_status hry_npy_header_read(const char *text, uint64_t text_at, uint32_t text_length, uint64_t size,
                               hry_npy_header *header, hry_error *err)
{
    parser p = { .text = { text, text, text + text_length }, .text_at = text_at, .header = header, .err = err };
    header->data_at = text_at + text_length;
    hry_status status = read_dictionary(&p);
    if (status)
        return status;
    if (!hry_product(header->shape, header->rank, &header->count))
        return hry_fail(err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, text_at, 0, "more than 2^64 elements");
    return check_size(header, size, err);
}
