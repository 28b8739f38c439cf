#include "base/checked.h"
#include "base/status.h"
#include "interop/grow.h"
#include "interop/quote.h"
#include "interop/safetensors/st_parser.h"

#include <hurray/desc.h>
#include <inttypes.h>
#include <string.h>

enum { HAS_DTYPE = 1, HAS_SHAPE = 2, HAS_OFFSETS = 4, HAS_ALL = 7 };

static hry_status fail(const hry_st_parser *p, const hry_json_token *token, const char *what, hry_error *err)
{
    return hry_st_fail(err, HRY_E_INPUT, token->offset, 0, p->name, "%s", what);
}

static hry_status expect(hry_st_parser *p, const hry_json_token *token, hry_json_kind kind, enum hry_st_state next,
                         const char *what, hry_error *err)
{
    if (token->kind != kind)
        return fail(p, token, what, err);
    p->state = next;
    return HRY_OK;
}

hry_status hry_st_at_entry(hry_st_parser *p, const hry_json_token *token, hry_error *err)
{
    return expect(p, token, HRY_JSON_MAP, HRY_ST_IN_ENTRY, "entry is no object", err);
}

/* ---- The three fields ---- */

hry_status hry_st_at_dtype(hry_st_parser *p, const hry_json_token *token, hry_error *err)
{
    char quoted[HRY_QUOTE_SIZE];
    if (token->kind != HRY_JSON_STRING)
        return fail(p, token, "dtype is no string", err);
    p->dtype = hry_st_dtype_by_name(token->text);
    if (!p->dtype)
        return hry_st_fail(err, HRY_E_INPUT, token->offset, 0, p->name, "unknown dtype %s",
                           hry_quote(quoted, token->text));
    if (p->dtype->type == 0)
        return hry_st_fail(err, HRY_E_UNSUPPORTED, token->offset, 0, p->name, "dtype %s has no counterpart",
                           p->dtype->name);
    p->entry.type = p->dtype->type;
    p->state = HRY_ST_IN_ENTRY;
    return HRY_OK;
}

hry_status hry_st_at_shape(hry_st_parser *p, const hry_json_token *token, hry_error *err)
{
    p->entry.dims_at = (uint32_t)p->header->dims_used;
    return expect(p, token, HRY_JSON_ARRAY, HRY_ST_IN_SHAPE, "shape is no array", err);
}

hry_status hry_st_in_shape(hry_st_parser *p, const hry_json_token *token, hry_error *err)
{
    hry_st_header *h = p->header;
    uint64_t dim;
    if (token->kind == HRY_JSON_ARRAY_END) {
        p->state = HRY_ST_IN_ENTRY;
        return HRY_OK;
    }
    if (!hry_json_u64(token, &dim))
        return fail(p, token, "shape holds something else than integers from 0 to 2^64 - 1", err);
    if (dim == HRY_DYNAMIC)
        return hry_st_fail(err, HRY_E_UNSUPPORTED, token->offset, dim, p->name, "dimension of 2^64 - 1");
    if (p->entry.rank == HRY_RANK_MAX)
        return hry_st_fail(err, HRY_E_UNSUPPORTED, token->offset, HRY_RANK_MAX + 1, p->name, "more than %d dimensions",
                           HRY_RANK_MAX);
    if (!HRY_GROW(h->allocator, h->dims, h->dims_capacity, h->dims_used + 1))
        return hry_fail_memory(err, (h->dims_used + 1) * sizeof dim);
    h->dims[h->dims_used++] = dim;
    p->entry.rank++;
    return HRY_OK;
}

hry_status hry_st_at_offsets(hry_st_parser *p, const hry_json_token *token, hry_error *err)
{
    p->offsets_at = token->offset;
    p->offset_count = 0;
    return expect(p, token, HRY_JSON_ARRAY, HRY_ST_IN_OFFSETS, "data_offsets are no array", err);
}

hry_status hry_st_in_offsets(hry_st_parser *p, const hry_json_token *token, hry_error *err)
{
    uint64_t offset;
    if (token->kind == HRY_JSON_ARRAY_END && p->offset_count == 2) {
        p->state = HRY_ST_IN_ENTRY;
        return HRY_OK;
    }
    if (p->offset_count == 2 || !hry_json_u64(token, &offset))
        return fail(p, token, "data_offsets are not two integers from 0 to 2^64 - 1", err);
    *(p->offset_count == 0 ? &p->entry.begin : &p->entry.end) = offset;
    p->offset_count++;
    return HRY_OK;
}

/* ---- The entry ---- */

/* False when there are too many for 64 bits. A dimension of 0 makes any shape empty. */
static bool count_elements(const hry_st_parser *p, uint64_t *count)
{
    const hry_st_entry *e = &p->entry;
    const uint64_t *dims = e->rank ? p->header->dims + e->dims_at : NULL;
    for (unsigned k = 0; k < e->rank; k++) {
        if (dims[k] == 0) {
            *count = 0;
            return true;
        }
    }
    *count = 1;
    for (unsigned k = 0; k < e->rank; k++)
        if (!hry_mul(*count, dims[k], count))
            return false;
    return true;
}

static hry_status check_range(const hry_st_parser *p, hry_error *err)
{
    const hry_st_entry *e = &p->entry;
    uint64_t have = p->header->data_size;
    if (e->begin > e->end)
        return hry_st_fail(err, HRY_E_INPUT, p->offsets_at, e->begin, p->name, "data_offsets end before they begin");
    if (e->end > have)
        return hry_st_fail(err, HRY_E_INPUT, p->offsets_at, e->end, p->name,
                           "data ends at %" PRIu64 ", but there are only %" PRIu64 " bytes of data (truncated?)",
                           e->end, have);
    return HRY_OK;
}

static hry_status check_size(const hry_st_parser *p, hry_error *err)
{
    const hry_st_entry *e = &p->entry;
    uint64_t count, need, given = e->end - e->begin;
    bool fits = count_elements(p, &count);
    if (fits && !hry_st_dtype_fills_bytes(p->dtype, count))
        return hry_st_fail(err, HRY_E_INPUT, p->offsets_at, count, p->name,
                           "%" PRIu64 " elements of %s do not fill whole bytes", count, p->dtype->name);
    if (!fits || !hry_st_dtype_size(p->dtype, count, &need))
        return hry_st_fail(err, HRY_E_INPUT, p->offsets_at, 0, p->name, "the size of its shape does not fit 64 bits");
    if (need != given)
        return hry_st_fail(err, HRY_E_INPUT, p->offsets_at, given, p->name,
                           "shape and dtype take %" PRIu64 " bytes, data_offsets give %" PRIu64, need, given);
    return HRY_OK;
}

static hry_status end_entry(hry_st_parser *p, const hry_json_token *token, hry_error *err)
{
    hry_st_header *h = p->header;
    if (p->has != HAS_ALL)
        return fail(p, token,
                    !(p->has & HAS_DTYPE)   ? "no dtype"
                    : !(p->has & HAS_SHAPE) ? "no shape"
                                            : "no data_offsets",
                    err);
    hry_status status = check_range(p, err);
    if (status == HRY_OK)
        status = check_size(p, err);
    if (status)
        return status;
    if (!HRY_GROW(h->allocator, h->entries, h->entry_capacity, h->count + 1))
        return hry_fail_memory(err, (h->count + 1) * sizeof *h->entries);
    h->entries[h->count++] = p->entry;
    p->state = HRY_ST_IN_NAMES;
    return HRY_OK;
}

hry_status hry_st_in_entry(hry_st_parser *p, const hry_json_token *token, hry_error *err)
{
    static const struct {
        hry_str name;
        unsigned has;
        enum hry_st_state next;
    } fields[] = { { { "dtype", 5 }, HAS_DTYPE, HRY_ST_AT_DTYPE },
                   { { "shape", 5 }, HAS_SHAPE, HRY_ST_AT_SHAPE },
                   { { "data_offsets", 12 }, HAS_OFFSETS, HRY_ST_AT_OFFSETS } };
    if (token->kind == HRY_JSON_MAP_END)
        return end_entry(p, token, err);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!hry_str_equal(token->text, fields[i].name))
            continue;
        if (p->has & fields[i].has)
            return hry_st_fail(err, HRY_E_INPUT, token->offset, 0, p->name, "duplicate field %s", fields[i].name.ptr);
        p->has |= fields[i].has;
        p->state = fields[i].next;
        return HRY_OK;
    }
    char quoted[HRY_QUOTE_SIZE];
    return hry_st_fail(err, HRY_E_INPUT, token->offset, 0, p->name, "unknown field %s", hry_quote(quoted, token->text));
}
