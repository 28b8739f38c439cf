/* The statistics of the conformance tensors. N:M is not in the tables: it is counted here, over the listed values. */
#include "support/shared_data.h"
#include "tensor/naive_statistics.h"

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

static void field(yajl_val statistics, const char *key, uint32_t bit, double *value, uint32_t *mask)
{
    yajl_val found = json_at(statistics, key);
    if (YAJL_IS_NULL(found))
        return;
    *value = number_of(found);
    *mask |= bit;
}

static hry_statistics listed(yajl_val from)
{
    double nnz = 0, has_nan = 0, has_inf = 0;
    hry_statistics s = { 0 };
    field(from, "nnz", HRY_STATS_NNZ, &nnz, &s.computed_mask);
    field(from, "sparsity_ratio", HRY_STATS_SPARSITY, &s.sparsity_ratio, &s.computed_mask);
    field(from, "value_min", HRY_STATS_RANGE, &s.value_min, &s.computed_mask);
    field(from, "value_max", HRY_STATS_RANGE, &s.value_max, &s.computed_mask);
    field(from, "value_abs_max", HRY_STATS_RANGE, &s.value_abs_max, &s.computed_mask);
    field(from, "value_mean", HRY_STATS_VALUES, &s.value_mean, &s.computed_mask);
    field(from, "value_stddev", HRY_STATS_VALUES, &s.value_stddev, &s.computed_mask);
    field(from, "has_nan", HRY_STATS_NAN_INF, &has_nan, &s.computed_mask);
    field(from, "has_inf", HRY_STATS_NAN_INF, &has_inf, &s.computed_mask);
    s.nnz = (uint64_t)nnz;
    s.has_nan = (uint8_t)has_nan;
    s.has_inf = (uint8_t)has_inf;
    return s;
}

/* Composites are listed without; their values say it. */
static hry_statistics wanted(yajl_val entry, uint64_t last)
{
    yajl_val from = find(entry, "statistics"), list = json_at(entry, "values");
    size_t n = YAJL_GET_ARRAY(list)->len;
    double *values = malloc((n + 1) * sizeof *values);
    hry_statistics s, groups;
    for (size_t i = 0; i < n; i++) {
        yajl_val value = YAJL_GET_ARRAY(list)->values[i];
        bool pair = YAJL_IS_ARRAY(value);
        values[i] = !pair ? number_of(value)
                          : number_of(YAJL_GET_ARRAY(value)->values[0]) != 0.0 ||
                                number_of(YAJL_GET_ARRAY(value)->values[1]) != 0.0;
    }
    naive_statistics(values, n, last, &groups);
    free(values);
    if (!from)
        return groups;
    s = listed(from);
    s.computed_mask |= groups.computed_mask & HRY_STATS_NM;
    s.nm_n = groups.nm_n;
    s.nm_m = groups.nm_m;
    return s;
}

/* A file of the tables, packed or not, as a container in memory. */
static hry_file *open_table(const char *path)
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

/* Values that cannot be read have no statistics either; whether they can be read is for other tests to say. */
static bool check(const hry_tensor *t, yajl_val entry, const char *name)
{
    hry_statistics got, want;
    hry_error err;
    size_t n = YAJL_GET_ARRAY(json_at(entry, "values"))->len;
    double *values = malloc((n + 1) * 2 * sizeof *values);
    bool is_complex = hry_type_find(hry_tensor_type(t))->kind == HRY_KIND_COMPLEX;
    hry_status readable =
        hry_tensor_read(t, NULL, is_complex ? HRY_TYPE_COMPLEX128 : HRY_TYPE_FLOAT64, NULL, values, &err);
    free(values);
    hry_status status = hry_tensor_statistics(t, NULL, &got, &err);
    if (status != readable)
        fail_msg("%s: %s", name, err.message);
    if (status)
        return false;
    uint32_t rank = hry_tensor_rank(t);
    want = wanted(entry, rank ? hry_tensor_dim(t, rank - 1) : 0);
    assert_statistics(&got, &want, name);
    return true;
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
        yajl_val entry = shared_json(path);
        bool refused = find(entry, "refuse") != NULL;
        snprintf(path, sizeof path, "conformance/tensors/%.*s.hrry", (int)(ending - file->d_name), file->d_name);
        hry_file *container = open_table(path);
        hry_tensor *t = NULL;
        hry_error err;
        hry_status status = hry_file_tensor(container, YAJL_GET_STRING(json_at(entry, "tensor")), &t, &err);
        if (refused && !status)
            status = hry_tensor_statistics(t, NULL, &(hry_statistics){ 0 }, &err);
        if (refused ? status == HRY_OK : status != HRY_OK)
            fail_msg("%s: %s", path, refused ? "not refused" : err.message);
        seen += !refused && check(t, entry, file->d_name);
        hry_tensor_release(t);
        hry_file_close(container);
        yajl_tree_free(entry);
    }
    closedir(folder);
    assert_true(seen > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_tensors) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
