/* Containers: opening them, finding names, telling whether a partition is whole. */
#include "base/bytes.h"
#include "bench.h"
#include "tensor/boxes.h"

#include <hurray/file.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[4096];

static uint64_t random_state = 88172645463325252u;

static uint64_t below(uint64_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % n;
}

static size_t name_of(char *name, size_t size, uint32_t i)
{
    return (size_t)snprintf(name, size, "model.layers.%06u.self_attn.k.weight", i);
}

/* A file of tensors of 256 bytes, in the order of their names or in a random one. */
static void write_file(uint32_t count, bool in_order, bool sorted)
{
    static const float data[64];
    hry_error err;
    hry_writer *w;
    hry_tensor *t;
    uint32_t *order = malloc(count * sizeof *order);
    hry_writer_options options = { .sorted = sorted, .replace = true, .no_sync = true };
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = in_order ? i : (uint32_t)below(i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    bench_must(hry_tensor_dense(HRY_TYPE_FLOAT32, 2, (uint64_t[]){ 8, 8 }, data, NULL, NULL, &t, &err), &err);
    bench_must(hry_writer_create(path, &options, &w, &err), &err);
    for (uint32_t i = 0; i < count; i++) {
        char name[64];
        name_of(name, sizeof name, order[i]);
        bench_must(hry_writer_add(w, name, t, &err), &err);
    }
    bench_must(hry_writer_finish(w, &err), &err);
    hry_writer_destroy(w);
    hry_tensor_release(t);
    free(order);
}

static void open_and_close(void *arg)
{
    (void)arg;
    hry_error err;
    hry_file *f;
    bench_must(hry_file_open(path, NULL, &f, &err), &err);
    hry_file_close(f);
}

static void open_time(const char *title, uint32_t count, bool in_order, bool sorted, double goal)
{
    write_file(count, in_order, sorted);
    bench_time(title, bench_seconds(open_and_close, NULL), goal);
}

enum { LOOKUPS = 4096 };

typedef struct lookups {
    hry_file *file;
    char name[LOOKUPS][64];
    size_t len[LOOKUPS];
} lookups;

static void find_all(void *arg)
{
    lookups *l = arg;
    for (size_t i = 0; i < LOOKUPS; i++) {
        uint64_t found;
        if (!hry_file_find(l->file, l->name[i], l->len[i], &found))
            exit(2);
        bench_keep(&found);
    }
}

static void lookup_time(const char *title, uint32_t count)
{
    static lookups l;
    hry_error err;
    bench_must(hry_file_open(path, NULL, &l.file, &err), &err);
    for (size_t i = 0; i < LOOKUPS; i++)
        l.len[i] = name_of(l.name[i], sizeof l.name[i], (uint32_t)below(count));
    bench_time(title, bench_seconds(find_all, &l) / LOOKUPS, 300e-9);
    hry_file_close(l.file);
}

static void list_all(void *arg)
{
    hry_file *f = arg;
    for (uint64_t i = 0; i < hry_file_count(f); i++) {
        hry_desc desc;
        if (hry_file_desc(f, i, &desc, NULL))
            exit(2);
        bench_keep(&desc);
    }
}

static void listing_time(const char *title, uint32_t count)
{
    hry_error err;
    hry_file *f;
    bench_must(hry_file_open(path, NULL, &f, &err), &err);
    bench_time(title, bench_seconds(list_all, f) / count, 0);
    hry_file_close(f);
}

enum { SIDE = 100, MEMBERS = SIDE * SIDE };

static void cover_grid(void *arg)
{
    static uint64_t offset[MEMBERS * 2], size[MEMBERS * 2], space[2] = { SIDE * 64, SIDE * 64 };
    const uint32_t *order = arg;
    hry_boxes boxes = { 2, MEMBERS, space, offset, size };
    size_t pair[2];
    for (size_t i = 0; i < MEMBERS; i++) {
        offset[2 * i] = order[i] / SIDE * 64;
        offset[2 * i + 1] = order[i] % SIDE * 64;
        size[2 * i] = size[2 * i + 1] = 64;
    }
    if (hry_boxes_cover(&boxes, NULL, pair) != HRY_COVER_EXACT)
        exit(2);
}

int main(void)
{
    static uint32_t order[MEMBERS];
    const char *dir = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/hurray-bench-%ld.hrry", dir ? dir : "/tmp", (long)getpid());

    bench_title("open and close a container");
    open_time("10 tensors", 10, true, false, 6e-6);
    open_time("1,000 tensors, sorted", 1000, true, true, 60e-6);
    open_time("1,000 tensors, unsorted", 1000, false, false, 60e-6);
    open_time("100,000 tensors, in any order", 100000, false, false, 10e-3);
    lookup_time("find a name among 100,000, hashed", 100000);
    open_time("100,000 tensors, sorted by name alone", 100000, false, true, 2.5e-3);
    open_time("100,000 tensors, names and offsets ascend", 100000, true, true, 1.5e-3);
    lookup_time("find a name among 100,000, sorted", 100000);
    listing_time("descriptor of each of 100,000, once mapped", 100000);
    remove(path);

    bench_title("composites");
    for (uint32_t i = 0; i < MEMBERS; i++) {
        uint32_t k = (uint32_t)below(i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    bench_time("exact cover of 10,000 members", bench_seconds(cover_grid, order), 3e-3);
    return bench_end();
}
