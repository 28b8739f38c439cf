/*
 * safetensors beside its limits: conversion there and back against a plain copy of the same bytes with the same sync,
 * in pairs because storage is noisy; opening against the number of tensors.
 */
#include "bench.h"

#include <hurray/interop.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAIRS = 7, BIG_TENSORS = 6, SMALL_TENSORS = 60 };

#define BIG_BYTES ((size_t)40 << 20)
#define SMALL_BYTES ((size_t)4 << 10)

static char folder[256];

static void stop(const char *what)
{
    fprintf(stderr, "bench_safetensors: %s\n", what);
    exit(2);
}

/* The path of a file of the benchmark's own; few enough to be kept. */
static const char *in_folder(const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (!path)
        stop("no memory");
    snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static void put(FILE *file, const void *bytes, size_t nbytes)
{
    if (fwrite(bytes, 1, nbytes, file) != nbytes)
        stop(strerror(errno));
}

/* A header that is complete, then its data. */
static void write_model(const char *path, const char *json, size_t data_size)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        stop(strerror(errno));
    uint8_t head[8];
    size_t length = strlen(json), block_size = (size_t)1 << 20;
    for (int i = 0; i < 8; i++)
        head[i] = (uint8_t)((uint64_t)length >> (8 * i));
    put(file, head, sizeof head);
    put(file, json, length);
    void *block = bench_memory(block_size);
    for (size_t left = data_size; left;) {
        size_t n = left < block_size ? left : block_size;
        put(file, block, n);
        left -= n;
    }
    free(block);
    if (fflush(file) || fsync(fileno(file)) || fclose(file))
        stop(strerror(errno));
}

/* The header of tensors of nbytes each, which *json takes over from. */
static char *model_json(size_t count, size_t big, size_t *data_size)
{
    char *json = malloc(160 * count + 64);
    size_t used = 0, at = 0;
    if (!json)
        stop("no memory");
    json[used++] = '{';
    for (size_t i = 0; i < count; i++) {
        size_t nbytes = i < big ? BIG_BYTES : SMALL_BYTES;
        used += (size_t)sprintf(json + used,
                                "%s\"model.layers.%zu.weight\":{\"dtype\":\"F32\",\"shape\":[%zu,16],\"data_offsets\":"
                                "[%zu,%zu]}",
                                i ? "," : "", i, nbytes / 64, at, at + nbytes);
        at += nbytes;
    }
    strcpy(json + used, "}");
    *data_size = at;
    return json;
}

/* ---- Conversion ---- */

/* As cp does it, then a sync. */
static void plain_copy(const char *from, const char *to)
{
    int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    struct stat info;
    if (in < 0 || out < 0 || fstat(in, &info))
        stop(strerror(errno));
    for (off_t left = info.st_size; left > 0;) {
        ssize_t n = copy_file_range(in, NULL, out, NULL, (size_t)left, 0);
        if (n <= 0)
            stop("the kernel cannot copy here");
        left -= n;
    }
    if (fsync(out) || close(out) || close(in))
        stop(strerror(errno));
}

static void to_container(const char *from, const char *to)
{
    hry_error err;
    hry_file *file;
    hry_writer *writer;
    if (hry_safetensors_open(from, NULL, &file, &err) ||
        hry_writer_create(to, &(hry_writer_options){ .replace = true }, &writer, &err))
        stop(err.message);
    for (uint64_t i = 0; i < hry_file_count(file); i++) {
        hry_str name = hry_file_name(file, i);
        if (hry_writer_copy(writer, name.ptr, name.len, file, i, &err))
            stop(err.message);
    }
    if (hry_writer_finish(writer, &err))
        stop(err.message);
    hry_writer_destroy(writer);
    hry_file_close(file);
}

static void from_container(const char *from, const char *to)
{
    hry_error err;
    hry_file *file;
    if (hry_file_open(from, NULL, &file, &err) ||
        hry_safetensors_save(file, to, &(hry_export_options){ .replace = true }, &err))
        stop(err.message);
    hry_file_close(file);
}

static double seconds(void (*job)(const char *, const char *), const char *from, const char *to)
{
    unlink(to);
    double start = bench_now();
    job(from, to);
    return bench_now() - start;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median, over pairs, of copy time to conversion time; shown as rates. */
static void pairs(const char *what, void (*job)(const char *, const char *), const char *from, size_t nbytes)
{
    double ratio[PAIRS], copy[PAIRS];
    const char *copied = in_folder("copy"), *converted = in_folder("converted");
    for (int i = 0; i < PAIRS; i++) {
        copy[i] = seconds(plain_copy, from, copied);
        ratio[i] = copy[i] / seconds(job, from, converted);
    }
    qsort(ratio, PAIRS, sizeof *ratio, ascending);
    qsort(copy, PAIRS, sizeof *copy, ascending);
    double rate = (double)nbytes / copy[PAIRS / 2];
    bench_rate(what, rate * ratio[PAIRS / 2], "copy and sync", rate, 0.8);
}

static void conversions(void)
{
    size_t nbytes;
    char *json = model_json(BIG_TENSORS + SMALL_TENSORS, BIG_TENSORS, &nbytes);
    const char *model = in_folder("model.safetensors"), *container = in_folder("model.hrry");
    write_model(model, json, nbytes);
    free(json);
    bench_title("safetensors, 240 MiB");
    pairs("safetensors to .hrry", to_container, model, nbytes);
    to_container(model, container);
    pairs(".hrry to safetensors", from_container, container, nbytes);
}

/* ---- Opening ---- */

static void open_once(void *arg)
{
    hry_error err;
    hry_file *file;
    if (hry_safetensors_open(arg, NULL, &file, &err))
        stop(err.message);
    hry_file_close(file);
}

static double opening(size_t count)
{
    size_t nbytes;
    char *json = model_json(count, 0, &nbytes);
    const char *path = in_folder("many");
    write_model(path, json, 0);
    /* What is measured is the header: the data may be a hole. */
    if (truncate(path, (off_t)(8 + strlen(json) + nbytes)))
        stop(strerror(errno));
    free(json);
    return bench_seconds(open_once, (void *)(uintptr_t)path);
}

static void openings(void)
{
    bench_title("opening safetensors");
    double thousand = opening(1000);
    bench_time("1,000 tensors", thousand, 0);
    /* Linear: a hundred times as many take no more than about a hundred times as long. */
    bench_time("100,000 tensors", opening(100000), 150 * thousand);
}

int main(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/hurray-bench-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder))
        stop(strerror(errno));
    conversions();
    openings();
    static const char *const left[] = { "copy", "converted", "model.safetensors", "model.hrry", "many" };
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        unlink(in_folder(left[i]));
    rmdir(folder);
    return bench_end();
}
