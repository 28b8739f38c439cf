/* The conformance tables that speak of contents: values, regions, lookups, and the rules of index arrays and scales. */
#include "base/bytes.h"
#include "support/naive_layout.h"
#include "support/shared_data.h"
#include "tensor/convert.h"
#include "tensor/object.h"

#include <hurray/file.h>

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static yajl_val find(yajl_val object, const char *key)
{
    return yajl_tree_get(object, (const char *[]){ key, NULL }, yajl_t_any);
}

static const char *text_at(yajl_val object, const char *key)
{
    const char *text = YAJL_GET_STRING(json_at(object, key));
    if (!text)
        fail_msg("%s is no string", key);
    return text ? text : "";
}

static size_t length(yajl_val array)
{
    return YAJL_GET_ARRAY(array)->len;
}

static yajl_val item(yajl_val array, size_t i)
{
    return YAJL_GET_ARRAY(array)->values[i];
}

static uint64_t *numbers(yajl_val array, uint64_t *to)
{
    for (size_t i = 0; i < length(array); i++)
        to[i] = json_u64(item(array, i));
    return to;
}

/* ---- Lookups ---- */

static uint8_t *words(yajl_val array, unsigned size)
{
    uint8_t *bytes = aligned_alloc(64, (length(array) * size + 64) / 64 * 64);
    assert_non_null(bytes);
    for (size_t i = 0; i < length(array); i++)
        for (unsigned b = 0; b < size; b++)
            bytes[i * size + b] = (uint8_t)(json_u64(item(array, i)) >> 8 * b);
    return bytes;
}

/* The arrays of an entry as buffers 1, 2, ... of a tensor of uint8. */
static hry_tensor *tensor_of(hry_layout *layout, uint32_t rank, const uint64_t *shape, const yajl_val *arrays,
                             uint32_t count, uint64_t values, unsigned size)
{
    uint8_t bytes[4096];
    const void *pointers[2 * HRY_RANK_MAX + 1];
    hry_buffer rows[2 * HRY_RANK_MAX + 1] = { { .byte_size = values } };
    hry_desc desc;
    hry_error err;
    hry_tensor *t;
    pointers[0] = calloc(1, values + 1);
    for (uint32_t i = 0; i < count; i++) {
        pointers[i + 1] = words(arrays[i], size);
        rows[i + 1] = (hry_buffer){ .byte_size = length(arrays[i]) * size };
    }
    hry_desc_spec spec = { .type = HRY_TYPE_UINT8,
                           .rank = rank,
                           .shape = shape,
                           .layout = layout,
                           .buffers = rows,
                           .buffer_count = count + 1 };
    assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err), HRY_OK);
    assert_int_equal(hry_tensor_create_stored(&desc, pointers, NULL, NULL, NULL, &t, &err), HRY_OK);
    return t;
}

static void free_tensor(hry_tensor *t)
{
    void *buffers[2 * HRY_RANK_MAX + 1];
    uint32_t count = hry_desc_buffer_count(hry_tensor_desc(t));
    for (uint32_t i = 0; i < count; i++)
        buffers[i] = (void *)t->buffers[i];
    hry_tensor_release(t);
    for (uint32_t i = 0; i < count; i++)
        free(buffers[i]);
}

static void check_lookup(yajl_val entry)
{
    const char *name = text_at(entry, "layout");
    yajl_val shape_of = json_at(entry, "shape"), lookup = json_at(entry, "lookup"), arrays[2 * HRY_RANK_MAX];
    uint64_t shape[HRY_RANK_MAX], index[HRY_RANK_MAX], position;
    uint32_t rank = (uint32_t)length(shape_of), count = 0, mode[HRY_RANK_MAX];
    hry_layout layout = { .tag = hry_layout_by_name(name, strlen(name)), .mode_order = mode };
    numbers(shape_of, shape);
    if (layout.tag == HRY_LAYOUT_COO) {
        arrays[count++] = json_at(entry, "indices");
        layout.nnz = length(arrays[0]) / rank;
        layout.is_sorted = json_u64(json_at(entry, "is_sorted")) == 1;
    } else if (layout.tag == HRY_LAYOUT_CSF) {
        yajl_val pos = json_at(entry, "pos"), crd = json_at(entry, "crd"), order = json_at(entry, "mode_order");
        for (uint32_t level = 0; level < rank; level++) {
            arrays[count++] = item(pos, level);
            arrays[count++] = item(crd, level);
            mode[level] = (uint32_t)json_u64(item(order, level));
        }
        layout.nnz = length(arrays[count - 1]);
    } else {
        bool csr = layout.tag == HRY_LAYOUT_CSR;
        arrays[count++] = json_at(entry, csr ? "col_indices" : "row_indices");
        arrays[count++] = json_at(entry, csr ? "row_ptr" : "col_ptr");
        layout.nnz = length(arrays[0]);
    }
    hry_tensor *t = tensor_of(&layout, rank, shape, arrays, count, layout.nnz, 8);
    for (size_t i = 0; i < length(lookup); i++) {
        yajl_val pair = item(lookup, i);
        bool found;
        hry_error err;
        numbers(item(pair, 0), index);
        assert_int_equal(hry_tensor_find(t, index, &found, &position, &err), HRY_OK);
        assert_int_equal(found, !YAJL_IS_NULL(item(pair, 1)));
        if (found)
            assert_int_equal(position, json_u64(item(pair, 1)));
    }
    free_tensor(t);
}

static void check_paged_lookup(yajl_val entry)
{
    yajl_val arrays[] = { json_at(entry, "block_table"), json_at(entry, "seq_ptr") };
    yajl_val lookup = json_at(entry, "lookup");
    uint64_t heads = json_u64(json_at(entry, "num_heads")), dim = json_u64(json_at(entry, "head_dim"));
    hry_layout layout = { .tag = HRY_LAYOUT_BLOCK_PAGED,
                          .page_size = (uint32_t)json_u64(json_at(entry, "page_size")),
                          .num_pages = json_u64(json_at(entry, "num_pages")),
                          .num_seqs = (uint32_t)length(arrays[1]) - 1 };
    uint64_t shape[] = { 9, heads, dim }, at[4], values = layout.num_pages * layout.page_size * heads * dim, slot;
    hry_tensor *t = tensor_of(&layout, 3, shape, arrays, 2, values, 4);
    for (size_t i = 0; i < length(lookup); i++) {
        yajl_val pair = item(lookup, i);
        bool found;
        hry_error err;
        numbers(item(pair, 0), at);
        assert_int_equal(hry_tensor_find_token(t, at[0], at[1], &found, &slot, &err), HRY_OK);
        found = found && at[2] < heads && at[3] < dim;
        assert_int_equal(found, !YAJL_IS_NULL(item(pair, 1)));
        if (found)
            assert_int_equal((slot * heads + at[2]) * dim + at[3], json_u64(item(pair, 1)));
    }
    free_tensor(t);
}

static void test_lookup(void **state)
{
    (void)state;
    yajl_val tree = shared_json("conformance/values/sparse_lookup.json");
    for (size_t i = 0; i < YAJL_GET_OBJECT(tree)->len; i++) {
        yajl_val entry = YAJL_GET_OBJECT(tree)->values[i];
        if (strcmp(text_at(entry, "layout"), "block-paged") == 0)
            check_paged_lookup(entry);
        else
            check_lookup(entry);
    }
    yajl_tree_free(tree);
}

/* ---- Values ---- */

/* "1,:,::3" as a box; dimensions with an index keep one element. Only what the tables use: no negative numbers. */
static void box_of(const char *text, uint32_t rank, const uint64_t *shape, hry_box *box)
{
    for (uint32_t k = 0; k < rank; k++) {
        uint64_t part[3] = { 0, shape[k], 1 };
        char *end = (char *)text;
        int n = 0;
        for (;; n++) {
            uint64_t number = strtoull(text, &end, 10);
            if (end != text)
                part[n] = number;
            text = end;
            if (*text != ':')
                break;
            text++;
        }
        uint64_t stop = n == 0 ? part[0] + 1 : part[1] < shape[k] ? part[1] : shape[k];
        box->start[k] = part[0];
        box->step[k] = (int64_t)part[2];
        box->count[k] = stop > part[0] ? (stop - part[0] - 1) / part[2] + 1 : 0;
        text += *text == ',';
    }
}

static double number_of(yajl_val value)
{
    if (YAJL_IS_TRUE(value) || YAJL_IS_FALSE(value))
        return YAJL_IS_TRUE(value);
    if (YAJL_IS_NUMBER(value))
        return strtod(YAJL_GET_NUMBER(value), NULL);
    const char *text = YAJL_GET_STRING(value);
    assert_non_null(text);
    return !text || strcmp(text, "NaN") == 0 ? NAN : strcmp(text, "Infinity") == 0 ? INFINITY : -INFINITY;
}

static void same(double got, yajl_val want, const char *name)
{
    double number = number_of(want);
    if (isnan(number) ? !isnan(got) : got != number || signbit(got) != signbit(number))
        fail_msg("%s: %.17g, not %.17g", name, got, number);
}

/* Values of the host, also where they are what is stored. */
static hry_status read_values(const hry_tensor *t, const hry_box *box, uint8_t type, const hry_read_options *options,
                              size_t n, void *values, hry_error *err)
{
    hry_status status = hry_tensor_read_with(t, box, type, NULL, options, values, err);
    if (!status && HRY_HOST_SWAPS && options && options->stored)
        hry_swap_elements(type, values, n);
    return status;
}

/* The values of a box against a list, as float64, as float32 where that says all, and whole numbers exactly. */
static void check_values(const hry_tensor *t, const hry_box *box, const hry_read_options *options, uint8_t type,
                         yajl_val list, const char *name)
{
    size_t n = length(list);
    const hry_type_info *info = hry_type_find(type);
    hry_error err;
    bool is_complex = info->kind == HRY_KIND_COMPLEX;
    double *wide = calloc(2 * n + 1, sizeof *wide);
    uint8_t to = is_complex ? HRY_TYPE_COMPLEX128 : HRY_TYPE_FLOAT64;
    if (read_values(t, box, to, options, n, wide, &err))
        fail_msg("%s: %s", name, err.message);
    for (size_t i = 0; i < n; i++) {
        if (is_complex)
            for (size_t part = 0; part < 2; part++)
                same(wide[2 * i + part], item(item(list, i), part), name);
        else
            same(wide[i], item(list, i), name);
    }
    if (info->bits == 64 && (info->kind == HRY_KIND_INT || info->kind == HRY_KIND_UINT)) {
        uint64_t *whole = calloc(n + 1, sizeof *whole);
        assert_int_equal(read_values(t, box, type, options, n, whole, &err), HRY_OK);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(whole[i], json_u64(item(list, i)));
        free(whole);
    }
    if (info->bits <= 32 && !is_complex) {
        float *narrow = calloc(n + 1, sizeof *narrow);
        assert_int_equal(read_values(t, box, HRY_TYPE_FLOAT32, options, n, narrow, &err), HRY_OK);
        for (size_t i = 0; i < n; i++)
            assert_true(isnan(wide[i]) ? isnan(narrow[i]) : narrow[i] == (float)wide[i]);
        free(narrow);
    }
    free(wide);
}

static uint8_t codes_type(const hry_tensor *t)
{
    return hry_tensor_member_count(t) ? hry_tensor_type(t) : HRY_TYPE_FLOAT32;
}

/* Their bytes as the format stores values of their type: codes are not values. */
static void check_raw(const hry_tensor *t, uint64_t nbytes, const char *hex, const char *name)
{
    bool codes = hry_desc_flags(hry_tensor_desc(t)) & HRY_HAS_QUANTIZATION || hry_tensor_member_count(t) > 0;
    uint8_t *bytes = malloc(nbytes + 1);
    hry_error err;
    assert_int_equal(hry_tensor_read_with(t, NULL, 0, NULL, &(hry_read_options){ .stored = !codes }, bytes, &err),
                     HRY_OK);
    if (codes && HRY_HOST_SWAPS)
        hry_swap_elements(codes_type(t), bytes, nbytes / (hry_type_find(codes_type(t))->bits / 8u));
    assert_int_equal(strlen(hex), 2 * nbytes);
    for (uint64_t i = 0; i < nbytes; i++) {
        char pair[3] = { hex[2 * i], hex[2 * i + 1], 0 };
        uint8_t want = (uint8_t)strtoul(pair, NULL, 16);
        /* The format says that codes of NaN give NaN, not which. */
        bool nan = codes && codes_type(t) == HRY_TYPE_FLOAT32 && isnan(hry_load_f32(bytes + i / 4 * 4));
        if (nan ? i % 4 == 2 && (want & 0xC0) != 0xC0 : want != bytes[i])
            fail_msg("%s: byte %llu is %02x, not %s", name, (unsigned long long)i, bytes[i], pair);
    }
    free(bytes);
}

static void check_tensor(const hry_tensor *t, yajl_val entry, const char *name)
{
    const char *type_name = text_at(entry, "value_type");
    uint8_t type = hry_type_by_name(type_name, strlen(type_name));
    yajl_val stored = find(entry, "stored"), regions = find(entry, "regions"), raw = find(entry, "raw");
    uint32_t rank = hry_tensor_rank(t);
    uint64_t shape[HRY_RANK_MAX];
    hry_error err;
    hry_desc_shape(hry_tensor_desc(t), shape);
    if (hry_tensor_verify(t, HRY_VERIFY_DEEP, &err))
        fail_msg("%s: %s", name, err.message);
    if (stored)
        check_values(t, NULL, &(hry_read_options){ .stored = true }, hry_tensor_type(t), stored, name);
    check_values(t, NULL, NULL, type, json_at(entry, "values"), name);
    for (size_t i = 0; regions && i < length(regions); i++) {
        hry_box box;
        box_of(text_at(item(regions, i), "region"), rank, shape, &box);
        check_values(t, &box, NULL, type, json_at(item(regions, i), "values"), name);
    }
    if (raw) {
        uint64_t count, nbytes;
        assert_true(hry_desc_count(hry_tensor_desc(t), &count));
        assert_true(hry_type_size(hry_type_find(type)->bits, count, &nbytes));
        check_raw(t, nbytes, YAJL_GET_STRING(raw), name);
    }
}

/* Values must not be given, by what the layout or the composite leaves open. */
static void check_refused(const hry_tensor *t)
{
    hry_error err = { 0 };
    double room[64];
    assert_int_equal(hry_tensor_read(t, NULL, HRY_TYPE_FLOAT64, NULL, room, &err), HRY_E_UNSUPPORTED);
}

/* A file of a folder beside the tree, packed or not, as a container in memory. */
static hry_file *open_shared(const char *path)
{
    char full[1024], packed[1024];
    size_t nbytes;
    hry_file *container;
    hry_error err;
    snprintf(full, sizeof full, "%s/%s", HRY_SHARED_DIR, path);
    snprintf(packed, sizeof packed, "%s.gz", path);
    uint8_t *bytes = shared_read(access(full, F_OK) == 0 ? path : packed, &nbytes);
    if (hry_file_open_memory(bytes, nbytes, free, bytes, NULL, &container, &err))
        fail_msg("%s: %s", path, err.message);
    return container;
}

static void test_tensors(void **state)
{
    (void)state;
    size_t nbytes, seen = 0;
    free(shared_read("conformance/README.md", &nbytes));
    DIR *folder = opendir(HRY_SHARED_DIR "/conformance/tensors");
    assert_non_null(folder);
    for (struct dirent *file; (file = readdir(folder));) {
        char path[512], *ending = strrchr(file->d_name, '.');
        if (!ending || strcmp(ending, ".json") != 0)
            continue;
        snprintf(path, sizeof path, "conformance/tensors/%s", file->d_name);
        yajl_val entry = shared_json(path), refuse = find(entry, "refuse");
        snprintf(path, sizeof path, "conformance/tensors/%.*s.hrry", (int)(ending - file->d_name), file->d_name);
        hry_file *container = open_shared(path);
        hry_tensor *t;
        hry_error err;
        if (hry_file_tensor(container, text_at(entry, "tensor"), &t, &err)) {
            t = NULL;
            if (!refuse || strcmp(hry_rule_id(err.rule), text_at(entry, "refuse")) != 0)
                fail_msg("%s: %s", path, err.message);
        } else if (refuse)
            check_refused(t);
        else
            check_tensor(t, entry, file->d_name);
        hry_tensor_release(t);
        hry_file_close(container);
        yajl_tree_free(entry);
        seen++;
    }
    closedir(folder);
    assert_true(seen > 100);
}

/* ---- Rules of contents, in raw streams ---- */

/* Verifies the tensors of a stream, one after the other; the first broken rule, "" for none. Items that do not parse or
 * do not come to an end are for others to judge. */
static const char *verdict_of(const uint8_t *bytes, size_t nbytes)
{
    while (nbytes) {
        hry_desc desc;
        hry_error err = { 0 };
        hry_tensor *t;
        const void *buffers[255];
        hry_buffer row;
        if (hry_desc_parse(bytes, nbytes, &(hry_parse_options){ .stored = true }, &desc, &err))
            return "unread";
        bytes += desc.length;
        nbytes -= desc.length;
        for (uint32_t i = 0; hry_desc_buffer(&desc, i, &row); i++) {
            if (row.byte_size > nbytes)
                return "unread";
            buffers[i] = bytes;
            bytes += row.byte_size;
            nbytes -= row.byte_size;
        }
        if (hry_desc_layout(&desc) == HRY_LAYOUT_COMPOSITE)
            continue;
        assert_int_equal(hry_tensor_create_stored(&desc, buffers, NULL, NULL, NULL, &t, &err), HRY_OK);
        hry_status status = hry_tensor_verify(t, HRY_VERIFY_DEEP, &err);
        hry_tensor_release(t);
        if (status)
            return hry_rule_id(err.rule);
    }
    return "";
}

static bool of_contents(const char *rule)
{
    static const char *const rules[] = { "L-COO-2", "L-CSR-2", "L-CSC-2", "L-CSF-2",  "L-BP-2", "E-02",
                                         "Q-PC-05", "Q-PC-06", "Q-PB-06", "Q-NF4-04", "Q-MX-04" };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strncmp(rule, rules[i], strlen(rules[i])) == 0)
            return true;
    return false;
}

static void test_streams(void **state)
{
    (void)state;
    size_t nbytes, seen = 0;
    char *table = (char *)shared_read("conformance/streams.tsv", &nbytes), *rest = table;
    for (char *line; (line = strsep(&rest, "\n")) && *line;) {
        char *name = strsep(&line, "\t"), *path = strsep(&line, "\t"), *verdict = strsep(&line, "\t"), full[512];
        char *rule = strsep(&line, "\t");
        bool accepted = strcmp(verdict, "accept") == 0 || strcmp(verdict, "lint") == 0;
        if (!accepted && !of_contents(rule))
            continue;
        snprintf(full, sizeof full, "conformance/%s", path);
        size_t size;
        uint8_t *file = shared_read(full, &size);
        uint8_t *bytes = malloc(size + 1); /* its end is where a sanitizer sees it */
        memcpy(bytes, file, size);
        bytes = realloc(bytes, size ? size : 1);
        const char *got = verdict_of(bytes, size);
        if (accepted ? got[0] && strcmp(got, "unread") != 0 : strcmp(got, rule) != 0)
            fail_msg("%s: %s expected, got %s", name, accepted ? "no fault" : rule, got);
        seen += !accepted;
        free(file);
        free(bytes);
    }
    free(table);
    assert_true(seen > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lookup),
        cmocka_unit_test(test_tensors),
        cmocka_unit_test(test_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
