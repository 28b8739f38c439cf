/* Moving elements between dense layouts, beside what copying the same bytes past the caches takes. */
#include "bench.h"

#include <hurray/pool.h>
#include <hurray/tensor.h>

#include <stdio.h>
#include <stdlib.h>

/* Both sides are written before anything is measured, so that no page is touched for the first time. */
#define ROOM ((size_t)256 << 20)

static char *stored, *loose;
static const hry_executor *executor;

/* Elements of a tensor in stored, to or from loose. */
struct job {
    uint8_t type;
    uint32_t rank;
    const uint64_t *shape;
    hry_layout layout;
    const int64_t *strides; /* in loose; NULL: row-major */
    const hry_box *box;     /* NULL: all of it */
    bool writes;            /* from loose */
    hry_desc desc;
    hry_tensor *tensor;
};

static void run(void *arg)
{
    struct job *job = arg;
    hry_error err;
    const hry_read_options read = { .executor = executor, .stored = true };
    const hry_write_options write = { .executor = executor, .stored = true };
    void *const buffers[] = { stored };
    if (job->writes)
        bench_must(hry_desc_write(&job->desc, job->box, 0, job->strides, loose, &write, buffers, &err), &err);
    else
        bench_must(hry_tensor_read_with(job->tensor, job->box, 0, job->strides, &read, loose, &err), &err);
    bench_keep(loose);
}

/* The bytes that are moved. */
static double nbytes_of(const struct job *job)
{
    double nbytes = hry_type_find(job->type)->bits / 8.0;
    for (uint32_t k = 0; k < job->rank; k++)
        nbytes *= (double)(job->box ? job->box->count[k] : job->shape[k]);
    return nbytes;
}

static double rate_of(struct job *job)
{
    static uint8_t bytes[1024];
    hry_error err;
    hry_buffer buffer = { .byte_size = ROOM };
    hry_desc_spec spec = { .type = job->type,
                           .rank = job->rank,
                           .shape = job->shape,
                           .layout = &job->layout,
                           .buffers = &buffer,
                           .buffer_count = 1 };
    bench_must(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &job->desc, &err), &err);
    bench_must(hry_tensor_create(&job->desc, (const void *const[]){ stored }, NULL, NULL, NULL, &job->tensor, &err),
               &err);
    double rate = nbytes_of(job) / bench_seconds(run, job);
    hry_tensor_release(job->tensor);
    return rate;
}

static void measure(const char *name, struct job job, double goal)
{
    double rate = rate_of(&job);
    bench_rate(name, rate, "copy", bench_mixed_limit(1), goal);
}

static void regions(void)
{
    static const uint64_t shape[] = { 8192, 8192 };
    static const hry_box rows = { .start = { 64 }, .count = { 8000, 8192 } };
    static const hry_box columns = { .start = { 0, 64 }, .count = { 8192, 8064 } };
    static const hry_box odd = { .start = { 3, 5 }, .count = { 8181, 8175 } };
    static const hry_box apart = { .count = { 8192, 4096 }, .step = { 1, 2 } };
    struct job job = { .type = HRY_TYPE_FLOAT32, .rank = 2, .shape = shape };
    bench_title("regions of 8192x8192 float32");
    measure("all of it", job, 0.95);
    job.box = &rows;
    measure("8000 rows", job, 0.95);
    job.box = &columns;
    measure("8064 columns", job, 0.9);
    job.box = &odd;
    measure("8181x8175 from [3,5]", job, 0);
    job.box = &apart;
    measure("every other column", job, 0);
}

static void transposes(void)
{
    static const uint64_t square[] = { 8192, 8192 }, odd[] = { 8001, 8003 }, small[] = { 4096, 4096 };
    static const uint64_t wide[] = { 16384, 16384 };
    static const struct {
        const char *name;
        uint8_t type;
        const uint64_t *shape;
        double goal;
    } rows[] = { { "8192x8192 float32", HRY_TYPE_FLOAT32, square, 0.4 },
                 { "8001x8003 float32", HRY_TYPE_FLOAT32, odd, 0 },
                 { "8192x8192 int8", HRY_TYPE_INT8, square, 0 },
                 { "8001x8003 int8", HRY_TYPE_INT8, odd, 0 },
                 { "8192x8192 float16", HRY_TYPE_FLOAT16, square, 0 },
                 { "4096x4096 float64", HRY_TYPE_FLOAT64, small, 0 },
                 { "4096x4096 complex128", HRY_TYPE_COMPLEX128, small, 0 },
                 { "16384x16384 int4", HRY_TYPE_INT4, wide, 0 },
                 { "16384x16384 float6_e2m3", HRY_TYPE_FLOAT6_E2M3, wide, 0 },
                 { "16384x16384 bool", HRY_TYPE_BOOL, wide, 0 } };
    bench_title("column-major to row-major");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        measure(
            rows[i].name,
            (struct job){
                .type = rows[i].type, .rank = 2, .shape = rows[i].shape, .layout = { .tag = HRY_LAYOUT_COLUMN_MAJOR } },
            rows[i].goal);
}

static void tiles(void)
{
    static const uint64_t square[] = { 8192, 8192 }, ragged[] = { 8100, 8100 };
    static const uint64_t edges[][2] = { { 64, 64 }, { 16, 16 }, { 8, 8 }, { 4, 4 }, { 2, 2 } };
    char name[64];
    for (int writes = 1; writes >= 0; writes--) {
        bench_title(writes ? "row-major to tiles, 8192x8192" : "tiles to row-major, 8192x8192");
        for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
            struct job job = { .type = HRY_TYPE_FLOAT32,
                               .rank = 2,
                               .shape = square,
                               .layout = { .tag = HRY_LAYOUT_TILED, .tile_shape = edges[i] },
                               .writes = writes };
            snprintf(name, sizeof name, "float32, %ux%u", (unsigned)edges[i][0], (unsigned)edges[i][1]);
            measure(name, job, i == 0 ? 0.85 : 0);
            if (i == 0) {
                job.shape = ragged;
                measure("float32, 64x64, of 8100x8100", job, 0);
                job.layout.inner_layout = HRY_LAYOUT_COLUMN_MAJOR;
                job.shape = square;
                measure("float32, 64x64, column-major in a tile", job, 0);
                job.layout.inner_layout = 0;
                job.type = HRY_TYPE_INT4;
                measure("int4, 64x64", job, 0);
            }
        }
    }
}

/* The strides of N, C, H, W where channels are the fastest. */
static void channels(const char *name, uint8_t type, const uint64_t *shape, double goal)
{
    int64_t c = (int64_t)shape[1], h = (int64_t)shape[2], w = (int64_t)shape[3];
    const int64_t last[] = { c * h * w, 1, w * c, c };
    char text[64];
    struct job job = { .type = type, .rank = 4, .shape = shape, .strides = last };
    snprintf(text, sizeof text, "NCHW to NHWC, %s", name);
    measure(text, job, goal);
    job.writes = true;
    snprintf(text, sizeof text, "NHWC to NCHW, %s", name);
    measure(text, job, goal);
}

/* How much faster two threads are than one. */
static void with_two(const char *name, struct job job)
{
    hry_pool *pool;
    hry_error err;
    bench_must(hry_pool_create(2, NULL, &pool, &err), &err);
    hry_executor two = hry_pool_executor(pool);
    double alone = rate_of(&job);
    executor = &two;
    bench_rate(name, rate_of(&job), "one thread", alone, 0);
    executor = NULL;
    hry_pool_destroy(pool);
}

static void peers(const uint64_t *features)
{
    static const uint64_t square[] = { 8192, 8192 }, edges[] = { 64, 64 };
    int64_t c = (int64_t)features[1], h = (int64_t)features[2], w = (int64_t)features[3];
    const int64_t last[] = { c * h * w, 1, w * c, c };
    struct job turn = { .type = HRY_TYPE_FLOAT32, .rank = 2, .shape = square };
    struct job tile = turn, images = { .type = HRY_TYPE_FLOAT32, .rank = 4, .shape = features, .strides = last };
    turn.layout.tag = HRY_LAYOUT_COLUMN_MAJOR;
    tile.layout = (hry_layout){ .tag = HRY_LAYOUT_TILED, .tile_shape = edges };
    bench_title("beside others");
    bench_peer("8192x8192 float32, column- to row-major", rate_of(&turn), "transpose");
    bench_peer("tiles of 64x64 to row-major", rate_of(&tile), "from_tiles");
    tile.writes = true;
    bench_peer("row-major to tiles of 64x64", rate_of(&tile), "to_tiles");
    bench_peer("NCHW to NHWC", rate_of(&images), "to_nhwc");
}

int main(void)
{
    static const uint64_t features[] = { 32, 64, 112, 112 }, pictures[] = { 128, 3, 512, 512 };
    static const uint64_t square[] = { 8192, 8192 }, edges[] = { 64, 64 };
    stored = bench_memory(ROOM);
    loose = bench_memory(ROOM);
    regions();
    transposes();
    tiles();
    bench_title("channels");
    channels("32x64x112x112 float32", HRY_TYPE_FLOAT32, features, 0.45);
    channels("128x3x512x512 uint8", HRY_TYPE_UINT8, pictures, 0.45);
    bench_title("with two threads, 8192x8192 float32");
    struct job job = { .type = HRY_TYPE_FLOAT32, .rank = 2, .shape = square };
    job.layout.tag = HRY_LAYOUT_COLUMN_MAJOR;
    with_two("column-major to row-major", job);
    job.layout = (hry_layout){ .tag = HRY_LAYOUT_TILED, .tile_shape = edges };
    with_two("tiles of 64x64 to row-major", job);
    peers(features);
    free(stored);
    free(loose);
    return bench_end();
}
