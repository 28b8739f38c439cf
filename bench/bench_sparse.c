/* Sparse tensors: verified, turned, sorted, spread out and collected again; and what a second thread adds. */
#include "bench.h"
#include "kept_memory.h"

#include <hurray/pool.h>
#include <hurray/tensor.h>

#include <stdlib.h>
#include <string.h>

enum { SIDE = 1000000, EACH = 20, ENTRIES = SIDE * EACH }; /* of the square matrix with few elements in a row */
enum { ROWS = 6144, COLUMNS = 8192 };                      /* of the one of which 9.5 % are stored */

static uint32_t random_number(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33);
}

/* ---- Jobs ---- */

struct job {
    const hry_tensor *tensor;
    hry_layout layout;
    hry_relayout_options options;
    hry_statistics_options statistics;
    void *room;
};

/* Each time as a tensor that nobody has looked into. */
static void run_verify(void *arg)
{
    struct job *job = arg;
    const void *buffers[3];
    hry_tensor *t;
    hry_error err;
    for (uint32_t i = 0; i < hry_tensor_desc(job->tensor)->buffer_count; i++)
        buffers[i] = hry_tensor_buffer(job->tensor, i, NULL);
    bench_must(hry_tensor_create(hry_tensor_desc(job->tensor), buffers, NULL, NULL, NULL, &t, &err), &err);
    bench_must(hry_tensor_verify_with(t, HRY_VERIFY_INDEX, job->options.executor, &err), &err);
    hry_tensor_release(t);
}

static void run_relayout(void *arg)
{
    struct job *job = arg;
    hry_tensor *t;
    hry_error err;
    bench_must(hry_tensor_relayout(job->tensor, &job->layout, &job->options, &t, &err), &err);
    bench_keep(t);
    hry_tensor_release(t);
}

static void run_read(void *arg)
{
    struct job *job = arg;
    hry_error err;
    hry_read_options options = { .executor = job->options.executor };
    bench_must(hry_tensor_read_with(job->tensor, NULL, 0, NULL, &options, job->room, &err), &err);
    bench_keep(job->room);
}

static void run_statistics(void *arg)
{
    struct job *job = arg;
    hry_statistics statistics;
    hry_error err;
    bench_must(hry_tensor_statistics(job->tensor, &job->statistics, &statistics, &err), &err);
    bench_keep(&statistics);
}

static struct job job_of(const hry_tensor *t, uint8_t layout)
{
    return (struct job){ .tensor = t,
                         .layout = { .tag = layout },
                         .options.allocator = &bench_kept_memory,
                         .statistics.allocator = &bench_kept_memory };
}

static double per_entry(bench_fn *fn, struct job *job)
{
    return bench_seconds(fn, job) / ENTRIES;
}

static void with_two(const char *name, struct job job, bench_fn *fn, double nbytes, double goal)
{
    hry_pool *pool;
    hry_error err;
    bench_must(hry_pool_create(2, NULL, &pool, &err), &err);
    hry_executor executor = hry_pool_executor(pool);
    double alone = bench_seconds(fn, &job);
    job.options.executor = job.statistics.executor = &executor;
    double both = bench_seconds(fn, &job);
    bench_rate(name, nbytes / both, "one thread", nbytes / alone, goal);
    hry_pool_destroy(pool);
}

/* ---- Tensors ---- */

static hry_tensor *make(const hry_desc_spec *spec, void **buffers)
{
    uint8_t bytes[1024];
    hry_desc desc;
    hry_tensor *t;
    hry_error err;
    bench_must(hry_desc_encode(spec, NULL, bytes, sizeof bytes, &desc, &err), &err);
    bench_must(hry_tensor_alloc(&desc, &bench_kept_memory, &t, buffers, &err), &err);
    return t;
}

/* Column j of a row lies anywhere in the j-th of EACH parts. */
static hry_tensor *square(uint8_t type, const hry_quantization *quantization)
{
    const uint64_t shape[] = { SIDE, SIDE };
    hry_layout layout = { .tag = HRY_LAYOUT_CSR, .nnz = ENTRIES };
    hry_desc_spec spec = { .type = type, .rank = 2, .shape = shape, .layout = &layout, .quantization = quantization };
    hry_buffer rows[4] = { { .byte_size = (uint64_t)ENTRIES * hry_type_find(type)->bits / 8 },
                           { .byte_size = (uint64_t)ENTRIES * 8 },
                           { .byte_size = (uint64_t)(SIDE + 1) * 8 },
                           { .byte_size = (uint64_t)SIDE * 4 } };
    void *buffers[4];
    spec.buffers = rows;
    spec.buffer_count = quantization ? 4 : 3;
    hry_tensor *t = make(&spec, buffers);
    uint64_t *columns = buffers[1], *pointers = buffers[2];
    for (uint64_t i = 0; i < ENTRIES; i++) {
        if (type == HRY_TYPE_INT8)
            ((int8_t *)buffers[0])[i] = (int8_t)random_number();
        else
            ((float *)buffers[0])[i] = (float)i;
        columns[i] = i % EACH * (SIDE / EACH) + random_number() % (SIDE / EACH);
    }
    for (uint64_t i = 0; i <= SIDE; i++)
        pointers[i] = i * EACH;
    for (uint64_t i = 0; quantization && i < SIDE; i++)
        ((float *)buffers[3])[i] = 0.001F * (float)(1 + i % 1000);
    return t;
}

static hry_tensor *shuffled(const hry_tensor *csr)
{
    const uint64_t shape[] = { SIDE, SIDE }, *columns = hry_tensor_buffer(csr, 1, NULL);
    const float *from = hry_tensor_buffer(csr, 0, NULL);
    hry_layout layout = { .tag = HRY_LAYOUT_COO, .nnz = ENTRIES };
    hry_desc_spec spec = { .type = HRY_TYPE_FLOAT32, .rank = 2, .shape = shape, .layout = &layout };
    void *buffers[2];
    hry_tensor *t = make(&spec, buffers);
    float *values = buffers[0];
    uint64_t *indices = buffers[1];
    for (uint64_t i = 0; i < ENTRIES; i++) {
        uint64_t j = random_number() % (i + 1);
        values[i] = values[j];
        memcpy(indices + 2 * i, indices + 2 * j, 16);
        values[j] = from[i];
        indices[2 * j] = i / EACH;
        indices[2 * j + 1] = columns[i];
    }
    return t;
}

static hry_tensor *dense(void)
{
    const uint64_t shape[] = { ROWS, COLUMNS };
    float *x = bench_memory((size_t)ROWS * COLUMNS * sizeof *x);
    hry_tensor *t;
    hry_error err;
    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++)
        x[i] = random_number() % 1000 < 95 ? (float)(i + 1) : 0.0F;
    bench_must(hry_tensor_dense(HRY_TYPE_FLOAT32, 2, shape, x, NULL, NULL, &t, &err), &err);
    return t;
}

static hry_tensor *relaid(const hry_tensor *from, uint8_t layout)
{
    hry_tensor *t;
    hry_error err;
    struct job job = job_of(from, layout);
    bench_must(hry_tensor_relayout(from, &job.layout, &job.options, &t, &err), &err);
    return t;
}

/* ---- What is measured ---- */

static void few_in_a_row(void)
{
    hry_tensor *csr = square(HRY_TYPE_FLOAT32, NULL), *coo = shuffled(csr), *sorted = relaid(csr, HRY_LAYOUT_COO);
    struct job rows = job_of(csr, HRY_LAYOUT_CSC), list = job_of(coo, HRY_LAYOUT_CSR), order = job_of(sorted, 0);
    bench_title("20 M entries, 20 in a row of 1 M: time for each");
    double check = per_entry(run_verify, &rows), turn = per_entry(run_relayout, &rows);
    double sort = per_entry(run_relayout, &list);
    bench_time("verify CSR", check, 1e-9);
    bench_time("verify sorted COO", per_entry(run_verify, &order), 0);
    bench_time("CSR to CSC", turn, 13e-9);
    bench_time("shuffled COO to CSR", sort, 35e-9);
    bench_title("beside others");
    bench_peer_time("verify CSR", check, "csr_check");
    bench_peer_time("CSR to CSC", turn, "csr_to_csc");
    bench_peer_time("shuffled COO to CSR", sort, "coo_to_csr");
    bench_title("the same with two threads");
    with_two("verify CSR", rows, run_verify, 8.0 * ENTRIES, 0);
    with_two("verify sorted COO", order, run_verify, 16.0 * ENTRIES, 0);
    with_two("CSR to CSC", rows, run_relayout, 12.0 * ENTRIES, 0);
    with_two("shuffled COO to CSR", list, run_relayout, 20.0 * ENTRIES, 1.8);
    hry_tensor_release(sorted);
    hry_tensor_release(coo);
    hry_tensor_release(csr);
    bench_drop_memory();
}

static void dense_and_back(void)
{
    const double nbytes = (double)ROWS * COLUMNS * sizeof(float);
    hry_tensor *full = dense(), *csr = relaid(full, HRY_LAYOUT_CSR);
    struct job out = job_of(csr, 0), in = job_of(full, HRY_LAYOUT_CSR);
    out.room = bench_memory((size_t)nbytes);
    bench_title("float32 of which 9.5 % are stored: bytes of the dense side");
    double spread = nbytes / bench_seconds(run_read, &out), collect = nbytes / bench_seconds(run_relayout, &in);
    bench_rate("CSR to dense", spread, "write", bench_mixed_limit(0), 0.7);
    bench_rate("dense to CSR", collect, "read", bench_read_limit(), 0.4);
    bench_peer("CSR to dense", spread, "csr_to_dense");
    bench_peer("dense to CSR", collect, "dense_to_csr");
    with_two("CSR to dense, two threads", out, run_read, nbytes, 0);
    with_two("dense to CSR, two threads", in, run_relayout, nbytes, 0);
    void *memory = (void *)hry_tensor_buffer(full, 0, NULL);
    hry_tensor_release(csr);
    hry_tensor_release(full);
    free(out.room);
    free(memory);
    bench_drop_memory();
}

static void sparse_statistics(void)
{
    hry_quantization by_row = { .scheme = HRY_SCHEME_PER_CHANNEL,
                                .flags = HRY_QUANT_SYMMETRIC,
                                .scale_type_tag = HRY_TYPE_FLOAT32,
                                .scale_buffer_index = 3,
                                .zero_point_buffer_index = HRY_NO_BUFFER };
    hry_tensor *plain = square(HRY_TYPE_FLOAT32, NULL), *codes = square(HRY_TYPE_INT8, &by_row);
    hry_tensor *turned = relaid(plain, HRY_LAYOUT_CSC);
    struct job job[] = { job_of(plain, 0), job_of(codes, 0), job_of(turned, 0) };
    static const char *const names[] = { "float32, CSR", "int8 with a scale for each row, CSR", "float32, CSC" };
    bench_title("statistics, 20 M entries, 20 in a row of 1 M: time for each");
    for (int i = 0; i < 3; i++)
        bench_time(names[i], per_entry(run_statistics, &job[i]), 0);
    bench_title("the same with two threads");
    for (int i = 0; i < 3; i++)
        with_two(names[i], job[i], run_statistics, 12.0 * ENTRIES, i ? 1.8 : 0);
    hry_tensor_release(turned);
    hry_tensor_release(codes);
    hry_tensor_release(plain);
    bench_drop_memory();
}

int main(void)
{
    bench_print_limits();
    few_in_a_row();
    dense_and_back();
    sparse_statistics();
    return bench_end();
}
