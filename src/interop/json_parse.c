#include "interop/json_parse.h"

#include "base/alloc.h"
#include "base/status.h"
#include "interop/json_text_check.h"

#include <setjmp.h>
#include <string.h>
#include <yajl/yajl_parse.h>

/* YAJL keeps its places in unsigned ints here and there. */
#define TEXT_MAX ((size_t)1 << 30)

/* Memory of YAJL, in a list: YAJL does not survive a NULL, so that want of memory leaves it by a jump. */
typedef struct memory_head {
    struct memory_head *next, *prev;
    size_t size; /* with the head */
} memory_head;

enum { HEAD_SIZE = (sizeof(memory_head) + 15) & ~(size_t)15 };

typedef struct json_run {
    const hry_allocator *allocator;
    memory_head memory; /* of the list: a ring */
    jmp_buf no_memory;
    yajl_handle handle;
    const char *bytes;
    size_t nbytes;
    size_t end; /* of the token before */
    unsigned depth, depth_max;
    hry_json_fn *fn;
    void *ctx;
    hry_status status; /* of fn */
    hry_error *err;
} json_run;

static void *yajl_memory(void *ctx, size_t size)
{
    json_run *run = ctx;
    memory_head *head = size < SIZE_MAX - HEAD_SIZE ? hry_alloc(run->allocator, HEAD_SIZE + size, 16) : NULL;
    if (!head)
        longjmp(run->no_memory, 1);
    head->size = HEAD_SIZE + size;
    head->prev = &run->memory;
    head->next = run->memory.next;
    head->next->prev = head;
    run->memory.next = head;
    return (char *)head + HEAD_SIZE;
}

static void yajl_memory_free(void *ctx, void *ptr)
{
    json_run *run = ctx;
    if (!ptr)
        return;
    memory_head *head = (memory_head *)(void *)((char *)ptr - HEAD_SIZE);
    head->next->prev = head->prev;
    head->prev->next = head->next;
    hry_free(run->allocator, head, head->size, 16);
}

static void *yajl_memory_again(void *ctx, void *ptr, size_t size)
{
    void *fresh = yajl_memory(ctx, size);
    if (ptr) {
        size_t old = ((memory_head *)(void *)((char *)ptr - HEAD_SIZE))->size - HEAD_SIZE;
        memcpy(fresh, ptr, old < size ? old : size);
        yajl_memory_free(ctx, ptr);
    }
    return fresh;
}

static bool is_between(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == ':';
}

/* Where the token starts that YAJL has just passed. */
static size_t token_start(const json_run *run, size_t end)
{
    size_t at = run->end;
    while (at < end && is_between(run->bytes[at]))
        at++;
    return at;
}

static int hand_out(json_run *run, hry_json_kind kind, const char *text, size_t len)
{
    size_t end = yajl_get_bytes_consumed(run->handle);
    hry_json_token token = { .kind = kind, .offset = token_start(run, end), .text = { text, len } };
    token.in_place = text >= run->bytes && text <= run->bytes + run->nbytes;
    /* A number is known to have ended only when the byte behind it has been read and given back. */
    run->end = end;
    run->status = run->fn(run->ctx, &token, run->err);
    return run->status == HRY_OK;
}

static int open_one(json_run *run, hry_json_kind kind)
{
    if (run->depth == run->depth_max) {
        size_t at = token_start(run, yajl_get_bytes_consumed(run->handle));
        run->status = hry_fail(run->err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, at, run->depth_max + 1,
                               "JSON: nested more than %u deep", run->depth_max);
        return 0;
    }
    run->depth++;
    return hand_out(run, kind, NULL, 0);
}

static int on_null(void *ctx)
{
    return hand_out(ctx, HRY_JSON_NULL, NULL, 0);
}

static int on_boolean(void *ctx, int value)
{
    return hand_out(ctx, value ? HRY_JSON_TRUE : HRY_JSON_FALSE, NULL, 0);
}

static int on_number(void *ctx, const char *text, size_t len)
{
    return hand_out(ctx, HRY_JSON_NUMBER, text, len);
}

static int on_string(void *ctx, const unsigned char *text, size_t len)
{
    return hand_out(ctx, HRY_JSON_STRING, (const char *)text, len);
}

static int on_key(void *ctx, const unsigned char *text, size_t len)
{
    return hand_out(ctx, HRY_JSON_KEY, (const char *)text, len);
}

static int on_map(void *ctx)
{
    return open_one(ctx, HRY_JSON_MAP);
}

static int on_array(void *ctx)
{
    return open_one(ctx, HRY_JSON_ARRAY);
}

static int on_map_end(void *ctx)
{
    ((json_run *)ctx)->depth--;
    return hand_out(ctx, HRY_JSON_MAP_END, NULL, 0);
}

static int on_array_end(void *ctx)
{
    ((json_run *)ctx)->depth--;
    return hand_out(ctx, HRY_JSON_ARRAY_END, NULL, 0);
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_map,
    .yajl_map_key = on_key,
    .yajl_end_map = on_map_end,
    .yajl_start_array = on_array,
    .yajl_end_array = on_array_end,
};

static hry_status fail_syntax(json_run *run, size_t at)
{
    char *why = (char *)yajl_get_error(run->handle, 0, NULL, 0);
    why[strcspn(why, "\n")] = '\0';
    return hry_fail(run->err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, at, 0, "JSON: %s", why);
}

static hry_status run_yajl(json_run *run)
{
    yajl_alloc_funcs memory = { yajl_memory, yajl_memory_again, yajl_memory_free, run };
    if (setjmp(run->no_memory))
        return hry_fail_memory(run->err, 0);
    run->handle = yajl_alloc(&callbacks, &memory, run);
    /* The text is known to be UTF-8, by a check that is stricter than YAJL's. */
    yajl_config(run->handle, yajl_dont_validate_strings, 1);
    yajl_status status = yajl_parse(run->handle, (const unsigned char *)run->bytes, run->nbytes);
    size_t at = yajl_get_bytes_consumed(run->handle);
    if (status == yajl_status_ok) {
        status = yajl_complete_parse(run->handle);
        at = run->nbytes;
    }
    if (status == yajl_status_ok)
        return HRY_OK;
    return status == yajl_status_client_canceled ? run->status : fail_syntax(run, at);
}

hry_status hry_json_parse(const void *bytes, size_t nbytes, unsigned depth, const hry_allocator *allocator,
                          hry_json_fn *fn, void *ctx, hry_error *err)
{
    if (nbytes > TEXT_MAX)
        return hry_fail(err, HRY_E_LIMIT, HRY_SECTION_FILE_HEADER, 0, nbytes, "JSON: more than %zu bytes", TEXT_MAX);
    hry_status status = hry_json_text_check(bytes, nbytes, err);
    if (status)
        return status;
    json_run run = {
        .allocator = allocator, .bytes = bytes, .nbytes = nbytes, .depth_max = depth, .fn = fn, .ctx = ctx, .err = err
    };
    run.memory.next = run.memory.prev = &run.memory;
    status = run_yajl(&run);
    while (run.memory.next != &run.memory)
        yajl_memory_free(&run, (char *)run.memory.next + HEAD_SIZE);
    return status;
}

bool hry_json_u64(const hry_json_token *token, uint64_t *value)
{
    if (token->kind != HRY_JSON_NUMBER)
        return false;
    uint64_t sum = 0;
    for (size_t i = 0; i < token->text.len; i++) {
        unsigned digit = (unsigned)(unsigned char)token->text.ptr[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(sum, 10u, &sum) || __builtin_add_overflow(sum, digit, &sum))
            return false;
    }
    *value = sum;
    return true;
}
