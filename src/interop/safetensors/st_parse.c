#include "base/status.h"
#include "interop/grow.h"
#include "interop/quote.h"
#include "interop/safetensors/st_parser.h"

enum { DEPTH_MAX = 3 };

static hry_status fail(const hry_json_token *token, const char *what, hry_error *err)
{
    return hry_fail(err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, token->offset, 0, "%s", what);
}

/* A text that stays: where it lies already, or a copy. */
static hry_status keep(hry_st_parser *p, const hry_json_token *token, hry_str *text, hry_error *err)
{
    *text = token->text;
    if (token->in_place || hry_text_arena_copy(&p->header->texts, token->text.ptr, token->text.len, &text->ptr))
        return HRY_OK;
    return hry_fail_memory(err, token->text.len);
}

static hry_str name_at(const void *list, uint32_t i)
{
    return ((const hry_str *)list)[i];
}

static hry_str key_at(const void *list, uint32_t i)
{
    return ((const hry_kv *)list)[i].key;
}

static hry_status at_start(hry_st_parser *p, const hry_json_token *token, hry_error *err)
{
    (void)err; /* the header is known to start with { */
    (void)token;
    p->state = HRY_ST_IN_NAMES;
    return HRY_OK;
}

/* ---- Names ---- */

static hry_status check_name(hry_st_parser *p, const hry_json_token *token, hry_error *err)
{
    size_t count = p->header->count;
    if (p->name.len == 0)
        return fail(token, "a tensor's name is empty", err);
    if (p->name.len > HRY_ST_NAME_MAX)
        return hry_st_fail(err, HRY_E_UNSUPPORTED, token->offset, p->name.len, p->name, "name of more than %d bytes",
                           HRY_ST_NAME_MAX);
    if (count >= p->tensor_limit || count >= HRY_NAMES_MAX)
        return hry_fail(err, HRY_E_LIMIT, HRY_SECTION_FILE_HEADER, token->offset, count, "more than %zu tensors",
                        count);
    return HRY_OK;
}

static hry_status add_name(hry_st_parser *p, const hry_json_token *token, hry_error *err)
{
    hry_st_header *h = p->header;
    hry_status status = check_name(p, token, err);
    if (status)
        return status;
    if (!HRY_GROW(h->allocator, h->names, h->name_capacity, h->count + 1) ||
        !hry_names_reserve(&h->index, h->allocator, h->count + 1))
        return hry_fail_memory(err, (h->count + 1) * sizeof *h->names);
    uint32_t earlier;
    if (!hry_names_add(&h->index, name_at, h->names, p->name, (uint32_t)h->count, &earlier))
        return hry_st_fail(err, HRY_E_INPUT, token->offset, 0, p->name, "duplicate name");
    h->names[h->count] = p->name;
    p->entry = (hry_st_entry){ .key_at = (uint32_t)token->offset };
    p->has = 0;
    p->state = HRY_ST_AT_ENTRY;
    return HRY_OK;
}

static hry_status in_names(hry_st_parser *p, const hry_json_token *token, hry_error *err)
{
    static const char metadata[] = "__metadata__";
    if (token->kind == HRY_JSON_MAP_END)
        return HRY_OK;
    hry_status status = keep(p, token, &p->name, err);
    if (status)
        return status;
    if (!hry_str_equal(p->name, (hry_str){ metadata, sizeof metadata - 1 }))
        return add_name(p, token, err);
    if (p->has_metadata)
        return fail(token, "duplicate key __metadata__", err);
    p->has_metadata = true;
    p->state = HRY_ST_AT_METADATA;
    return HRY_OK;
}

/* ---- Metadata ---- */

static hry_status at_metadata(hry_st_parser *p, const hry_json_token *token, hry_error *err)
{
    if (token->kind != HRY_JSON_MAP)
        return fail(token, "__metadata__ is no object", err);
    p->state = HRY_ST_IN_METADATA;
    return HRY_OK;
}

static hry_status in_metadata(hry_st_parser *p, const hry_json_token *token, hry_error *err)
{
    if (token->kind == HRY_JSON_MAP_END) {
        p->state = HRY_ST_IN_NAMES;
        return HRY_OK;
    }
    p->state = HRY_ST_AT_VALUE;
    return keep(p, token, &p->key, err);
}

static hry_status add_kv(hry_st_parser *p, const hry_json_token *token, hry_str value, hry_error *err)
{
    hry_st_header *h = p->header;
    if (!HRY_GROW(h->allocator, h->kvs, h->kv_capacity, h->kv_count + 1) ||
        !hry_names_reserve(&p->keys, h->allocator, h->kv_count + 1))
        return hry_fail_memory(err, (h->kv_count + 1) * sizeof *h->kvs);
    uint32_t earlier;
    if (!hry_names_add(&p->keys, key_at, h->kvs, p->key, (uint32_t)h->kv_count, &earlier)) {
        char quoted[HRY_QUOTE_SIZE];
        return hry_fail(err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, token->offset, 0, "__metadata__: duplicate key %s",
                        hry_quote(quoted, p->key));
    }
    h->kvs[h->kv_count++] = (hry_kv){ .key = p->key, .value = { .type = HRY_KV_STRING, .as.string = value } };
    return HRY_OK;
}

static hry_status at_value(hry_st_parser *p, const hry_json_token *token, hry_error *err)
{
    char quoted[HRY_QUOTE_SIZE];
    if (token->kind != HRY_JSON_STRING)
        return hry_fail(err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, token->offset, 0,
                        "__metadata__: the value of %s is no string", hry_quote(quoted, p->key));
    p->state = HRY_ST_IN_METADATA;
    if (p->key.len == 0 || p->key.len > HRY_ST_NAME_MAX) {
        hry_notes_add(p->notes, HRY_NOTE_LEFT_OUT, HRY_NOTE_KEY, p->key,
                      p->key.len == 0 ? "a key cannot be empty" : "a key cannot have more than 65535 bytes");
        return HRY_OK;
    }
    hry_str value;
    hry_status status = keep(p, token, &value, err);
    return status ? status : add_kv(p, token, value, err);
}

/* ---- All of it ---- */

static hry_st_step *const steps[HRY_ST_STATE_COUNT] = {
    [HRY_ST_AT_START] = at_start,
    [HRY_ST_IN_NAMES] = in_names,
    [HRY_ST_AT_METADATA] = at_metadata,
    [HRY_ST_IN_METADATA] = in_metadata,
    [HRY_ST_AT_VALUE] = at_value,
    [HRY_ST_AT_ENTRY] = hry_st_at_entry,
    [HRY_ST_IN_ENTRY] = hry_st_in_entry,
    [HRY_ST_AT_DTYPE] = hry_st_at_dtype,
    [HRY_ST_AT_SHAPE] = hry_st_at_shape,
    [HRY_ST_IN_SHAPE] = hry_st_in_shape,
    [HRY_ST_AT_OFFSETS] = hry_st_at_offsets,
    [HRY_ST_IN_OFFSETS] = hry_st_in_offsets,
};

static hry_status on_token(void *ctx, const hry_json_token *token, hry_error *err)
{
    hry_st_parser *p = ctx;
    return steps[p->state](p, token, err);
}

hry_status hry_st_header_parse(hry_st_header *header, const uint8_t *json, uint64_t nbytes, const hry_limits *limits,
                               hry_notes *notes, hry_error *err)
{
    hry_st_parser p = { .header = header, .notes = notes, .tensor_limit = limits->tensor_count };
    hry_status status;
    /* Readers of the format take a header only when it starts like this, without white space. */
    if (json[0] == '{')
        status = hry_json_parse(json, (size_t)nbytes, DEPTH_MAX, header->allocator, on_token, &p, err);
    else
        status = hry_fail(err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, 0, json[0], "the header does not start with {");
    hry_names_fini(&p.keys, header->allocator);
    /* Offsets up to here are those in the JSON. */
    if (status && status != HRY_E_MEMORY)
        hry_error_shift(err, HRY_ST_LENGTH_SIZE);
    return status;
}
