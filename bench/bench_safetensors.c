/*
 * safetensors beside its limits: conversion there and back against a plain copy of the same bytes with the same sync,
 * in pairs because storage is noisy; opening against the number of tensors.
 */
#include "bench.h"
#include "file_pairs.h"

#include <hurray/interop.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BIG_TENSORS = 6, SMALL_TENSORS = 60 };

#define BIG_BYTES ((size_t)40 << 20)
#define SMALL_BYTES ((size_t)4 << 10)

/* A header that is complete, then its data. */
static void write_model(const char *path, const char *json, size_t data_size)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        bench_stop(strerror(errno));
    uint8_t head[8];
    size_t length = strlen(json);
    for (int i = 0; i < 8; i++)
        head[i] = (uint8_t)((uint64_t)length >> (8 * i));
    bench_put(file, head, sizeof head);
    bench_put(file, json, length);
    bench_put_data(file, data_size);
    bench_close(file);
}

/* The header of tensors of nbytes each, which *json takes over from. */
static char *model_json(size_t count, size_t big, size_t *data_size)
{
    char *json = malloc(160 * count + 64);
    size_t used = 0, at = 0;
    if (!json)
        bench_stop("no memory");
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

static void to_container(const char *from, const char *to)
{
    hry_error err;
    hry_file *file;
    if (hry_safetensors_open(from, NULL, &file, &err))
        bench_stop(err.message);
    bench_to_container(file, to);
}

static void from_container(const char *from, const char *to)
{
    hry_error err;
    hry_file *file;
    if (hry_file_open(from, NULL, &file, &err) ||
        hry_safetensors_save(file, to, &(hry_export_options){ .replace = true }, &err))
        bench_stop(err.message);
    hry_file_close(file);
}

static void conversions(void)
{
    size_t nbytes;
    char *json = model_json(BIG_TENSORS + SMALL_TENSORS, BIG_TENSORS, &nbytes);
    const char *model = bench_in_folder("model.safetensors"), *container = bench_in_folder("model.hrry");
    write_model(model, json, nbytes);
    free(json);
    bench_title("safetensors, 240 MiB");
    bench_pairs("safetensors to .hrry", to_container, model, nbytes, 0.8);
    to_container(model, container);
    bench_pairs(".hrry to safetensors", from_container, container, nbytes, 0.8);
}

/* ---- Opening ---- */

static void open_once(void *arg)
{
    hry_error err;
    hry_file *file;
    if (hry_safetensors_open(arg, NULL, &file, &err))
        bench_stop(err.message);
    hry_file_close(file);
}

static double opening(size_t count)
{
    size_t nbytes;
    char *json = model_json(count, 0, &nbytes);
    const char *path = bench_in_folder("many");
    write_model(path, json, 0);
    /* What is measured is the header: the data may be a hole. */
    if (truncate(path, (off_t)(8 + strlen(json) + nbytes)))
        bench_stop(strerror(errno));
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
    bench_folder_begin();
    conversions();
    openings();
    bench_folder_end();
    return bench_end();
}
