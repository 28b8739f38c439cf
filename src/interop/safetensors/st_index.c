#include "interop/safetensors/st_index.h"

#include "base/status.h"
#include "interop/grow.h"
#include "interop/json_parse.h"
#include "interop/quote.h"

#include <string.h>

enum { DEPTH_MAX = 64, NAME_LIMIT = 65535, FILE_NAME_LIMIT = 255 };

/* What may come next. Unknown values are stepped over, whatever is in them. */
enum state { AT_START, IN_TOP, AT_METADATA, IN_METADATA, AT_VALUE, AT_WEIGHTS, IN_WEIGHTS, AT_PART, AT_UNKNOWN };

typedef struct reader {
    hry_st_index *index;
    hry_notes *notes;
    uint64_t tensor_limit;
    enum state state, after_unknown;
    unsigned unknown_depth;
    bool has_metadata, has_weights;
    hry_str name; /* the key at hand */
} reader;

static hry_status fail(const hry_json_token *token, const char *what, hry_error *err)
{
    return hry_fail(err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, token->offset, 0, "index: %s", what);
}

static hry_status fail_name(const hry_json_token *token, const char *subject, hry_str name, const char *what,
                            hry_error *err)
{
    char quoted[HRY_QUOTE_SIZE];
    return hry_fail(err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, token->offset, 0, "index: %s %s: %s", subject,
                    hry_quote(quoted, name), what);
}

static hry_status keep(reader *r, const hry_json_token *token, hry_str *text, hry_error *err)
{
    text->len = token->text.len;
    if (hry_text_arena_copy(&r->index->texts, token->text.ptr, token->text.len, &text->ptr))
        return HRY_OK;
    return hry_fail_memory(err, token->text.len);
}

static hry_str str_at(const void *list, uint32_t i)
{
    return ((const hry_str *)list)[i];
}

static hry_status expect_map(reader *r, const hry_json_token *token, enum state next, const char *what, hry_error *err)
{
    if (token->kind != HRY_JSON_MAP)
        return fail(token, what, err);
    r->state = next;
    return HRY_OK;
}

/* ---- Top ---- */

static bool is_key(const hry_json_token *token, const char *name)
{
    return hry_str_equal(token->text, (hry_str){ name, strlen(name) });
}

static void step_over(reader *r, enum state after)
{
    r->state = AT_UNKNOWN;
    r->after_unknown = after;
    r->unknown_depth = 0;
}

static hry_status on_top(reader *r, const hry_json_token *token, hry_error *err)
{
    if (token->kind == HRY_JSON_MAP_END)
        return r->has_weights ? HRY_OK : fail(token, "no weight_map", err);
    if (is_key(token, "metadata")) {
        r->state = AT_METADATA;
        if (r->has_metadata)
            return fail(token, "duplicate key metadata", err);
        r->has_metadata = true;
    } else if (is_key(token, "weight_map")) {
        r->state = AT_WEIGHTS;
        if (r->has_weights)
            return fail(token, "duplicate key weight_map", err);
        r->has_weights = true;
    } else {
        hry_notes_add(r->notes, HRY_NOTE_LEFT_OUT, HRY_NOTE_KEY, token->text, "the index has no such field");
        step_over(r, IN_TOP);
    }
    return HRY_OK;
}

static hry_status on_unknown(reader *r, const hry_json_token *token)
{
    if (token->kind == HRY_JSON_MAP || token->kind == HRY_JSON_ARRAY)
        r->unknown_depth++;
    else if (token->kind == HRY_JSON_MAP_END || token->kind == HRY_JSON_ARRAY_END)
        r->unknown_depth--;
    if (r->unknown_depth == 0)
        r->state = r->after_unknown;
    return HRY_OK;
}

/* ---- Metadata ---- */

static hry_status on_metadata_key(reader *r, const hry_json_token *token, hry_error *err)
{
    if (token->kind == HRY_JSON_MAP_END) {
        r->state = IN_TOP;
        return HRY_OK;
    }
    r->state = AT_VALUE;
    /* total_size follows from the tensors. */
    if (is_key(token, "total_size"))
        step_over(r, IN_METADATA);
    return keep(r, token, &r->name, err);
}

static bool read_value(reader *r, const hry_json_token *token, hry_kv_value *value)
{
    (void)r;
    *value = (hry_kv_value){ .type = HRY_KV_STRING };
    if (token->kind == HRY_JSON_TRUE || token->kind == HRY_JSON_FALSE) {
        value->type = HRY_KV_BOOL;
        value->as.boolean = token->kind == HRY_JSON_TRUE;
    } else if (token->kind == HRY_JSON_NUMBER) {
        value->type = HRY_KV_UINT64;
        return hry_json_u64(token, &value->as.uint64);
    }
    return token->kind != HRY_JSON_NULL && token->kind != HRY_JSON_MAP && token->kind != HRY_JSON_ARRAY;
}

static hry_status on_metadata_value(reader *r, const hry_json_token *token, hry_error *err)
{
    hry_st_index *index = r->index;
    hry_kv kv = { .key = r->name };
    r->state = IN_METADATA;
    if (!read_value(r, token, &kv.value) || kv.key.len == 0 || kv.key.len > NAME_LIMIT) {
        hry_notes_add(r->notes, HRY_NOTE_LEFT_OUT, HRY_NOTE_KEY, r->name,
                      "metadata of the index that is no text, bool or whole number");
        step_over(r, IN_METADATA);
        return on_unknown(r, token);
    }
    hry_status status = token->kind == HRY_JSON_STRING ? keep(r, token, &kv.value.as.string, err) : HRY_OK;
    if (status)
        return status;
    if (!HRY_GROW(index->allocator, index->kvs, index->kv_capacity, index->kv_count + 1))
        return hry_fail_memory(err, (index->kv_count + 1) * sizeof kv);
    index->kvs[index->kv_count++] = kv;
    return HRY_OK;
}

/* ---- Weights ---- */

static hry_status on_weight(reader *r, const hry_json_token *token, hry_error *err)
{
    hry_st_index *index = r->index;
    uint32_t earlier;
    if (token->kind == HRY_JSON_MAP_END) {
        r->state = IN_TOP;
        return HRY_OK;
    }
    r->state = AT_PART;
    hry_status status = keep(r, token, &r->name, err);
    if (status)
        return status;
    if (r->name.len == 0 || r->name.len > NAME_LIMIT)
        return fail_name(token, "tensor", r->name, "name of 0 or more than 65535 bytes", err);
    if (index->count >= r->tensor_limit || index->count >= HRY_NAMES_MAX)
        return hry_fail(err, HRY_E_LIMIT, HRY_SECTION_FILE_HEADER, token->offset, index->count,
                        "index: more than %zu tensors", index->count);
    if (!HRY_GROW(index->allocator, index->names, index->name_capacity, index->count + 1) ||
        !HRY_GROW(index->allocator, index->part_of, index->part_of_capacity, index->count + 1) ||
        !hry_names_reserve(&index->by_name, index->allocator, index->count + 1))
        return hry_fail_memory(err, (index->count + 1) * sizeof r->name);
    if (!hry_names_add(&index->by_name, str_at, index->names, r->name, (uint32_t)index->count, &earlier))
        return fail_name(token, "tensor", r->name, "duplicate name", err);
    index->names[index->count] = r->name;
    return HRY_OK;
}

/* The name of a file in the index's own folder: nothing that leads elsewhere. */
static bool stays_in_folder(hry_str name)
{
    static const hry_str here = { ".", 1 }, above = { "..", 2 };
    return name.len > 0 && name.len <= FILE_NAME_LIMIT && !memchr(name.ptr, '/', name.len) &&
           !memchr(name.ptr, '\0', name.len) && !hry_str_equal(name, here) && !hry_str_equal(name, above);
}

static hry_status add_part(hry_st_index *index, hry_str name, uint32_t *part, hry_error *err)
{
    const char *copy;
    if (!HRY_GROW(index->allocator, index->parts, index->part_capacity, index->part_count + 1) ||
        !hry_names_reserve(&index->by_part, index->allocator, index->part_count + 1) ||
        !hry_text_arena_copy(&index->texts, name.ptr, name.len, &copy))
        return hry_fail_memory(err, (index->part_count + 1) * sizeof name);
    uint32_t at = (uint32_t)index->part_count;
    index->parts[at] = (hry_str){ copy, name.len };
    hry_names_add(&index->by_part, str_at, index->parts, index->parts[at], at, part);
    index->part_count++;
    *part = at;
    return HRY_OK;
}

static hry_status on_part(reader *r, const hry_json_token *token, hry_error *err)
{
    hry_st_index *index = r->index;
    uint32_t part = 0;
    hry_status status = HRY_OK;
    if (token->kind != HRY_JSON_STRING)
        return fail_name(token, "tensor", r->name, "its part is no string", err);
    if (!stays_in_folder(token->text))
        return fail_name(token, "part", token->text, "no name of a file in the index's folder", err);
    if (!hry_names_find(&index->by_part, str_at, index->parts, token->text, &part))
        status = add_part(index, token->text, &part, err);
    if (status)
        return status;
    index->part_of[index->count++] = part;
    r->state = IN_WEIGHTS;
    return HRY_OK;
}

static hry_status on_token(void *ctx, const hry_json_token *token, hry_error *err)
{
    reader *r = ctx;
    switch (r->state) {
    case AT_START:
        return expect_map(r, token, IN_TOP, "no JSON object", err);
    case IN_TOP:
        return on_top(r, token, err);
    case AT_METADATA:
        return expect_map(r, token, IN_METADATA, "metadata is no object", err);
    case IN_METADATA:
        return on_metadata_key(r, token, err);
    case AT_VALUE:
        return on_metadata_value(r, token, err);
    case AT_WEIGHTS:
        return expect_map(r, token, IN_WEIGHTS, "weight_map is no object", err);
    case IN_WEIGHTS:
        return on_weight(r, token, err);
    case AT_PART:
        return on_part(r, token, err);
    case AT_UNKNOWN:
        break;
    }
    return on_unknown(r, token);
}

hry_status hry_st_index_read(hry_st_index *index, const uint8_t *json, uint64_t nbytes, const hry_limits *limits,
                             const hry_allocator *allocator, hry_notes *notes, hry_error *err)
{
    *index = (hry_st_index){ .allocator = allocator, .texts.allocator = allocator };
    reader r = { .index = index, .notes = notes, .tensor_limit = limits->tensor_count };
    hry_status status = hry_json_parse(json, (size_t)nbytes, DEPTH_MAX, allocator, on_token, &r, err);
    if (status)
        hry_st_index_fini(index);
    return status;
}

bool hry_st_index_find(const hry_st_index *index, hry_str name, uint32_t *i)
{
    return hry_names_find(&index->by_name, str_at, index->names, name, i);
}

void hry_st_index_fini(hry_st_index *index)
{
    const hry_allocator *allocator = index->allocator;
    hry_names_fini(&index->by_name, allocator);
    hry_names_fini(&index->by_part, allocator);
    HRY_DROP(allocator, index->names, index->name_capacity);
    HRY_DROP(allocator, index->part_of, index->part_of_capacity);
    HRY_DROP(allocator, index->parts, index->part_capacity);
    HRY_DROP(allocator, index->kvs, index->kv_capacity);
    hry_text_arena_free(&index->texts);
    *index = (hry_st_index){ .allocator = allocator };
}
