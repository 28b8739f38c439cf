#include "file_pairs.h"

#include "bench.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAIRS = 7 };

static char folder[256];

void bench_folder_begin(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/hurray-bench-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder))
        bench_stop(strerror(errno));
}

void bench_folder_end(void)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    while (dir && (entry = readdir(dir)) != NULL)
        if (entry->d_name[0] != '.')
            unlink(bench_in_folder(entry->d_name));
    if (dir)
        closedir(dir);
    rmdir(folder);
}

const char *bench_in_folder(const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (!path)
        bench_stop("no memory");
    snprintf(path, size, "%s/%s", folder, name);
    return path;
}

void bench_put(FILE *file, const void *bytes, size_t nbytes)
{
    if (fwrite(bytes, 1, nbytes, file) != nbytes)
        bench_stop(strerror(errno));
}

void bench_put_data(FILE *file, size_t nbytes)
{
    size_t block_size = (size_t)1 << 20;
    void *block = bench_memory(block_size);
    for (size_t left = nbytes; left;) {
        size_t n = left < block_size ? left : block_size;
        bench_put(file, block, n);
        left -= n;
    }
    free(block);
}

void bench_close(FILE *file)
{
    if (fflush(file) || fsync(fileno(file)) || fclose(file))
        bench_stop(strerror(errno));
}

void bench_to_container(hry_file *file, const char *path)
{
    hry_error err;
    hry_writer *writer;
    hry_status status = hry_writer_create(path, &(hry_writer_options){ .replace = true }, &writer, &err);
    for (uint64_t i = 0; i < hry_file_kv_count(file) && !status; i++) {
        const hry_kv *kv = hry_file_kv_at(file, i);
        status = hry_writer_kv(writer, kv->key.ptr, kv->key.len, &kv->value, &err);
    }
    for (uint64_t i = 0; i < hry_file_count(file) && !status; i++) {
        hry_str name = hry_file_name(file, i);
        status = hry_writer_copy(writer, name.ptr, name.len, file, i, &err);
    }
    if (status || hry_writer_finish(writer, &err))
        bench_stop(err.message);
    hry_writer_destroy(writer);
    hry_file_close(file);
}

/* As cp does it, then a sync. */
static void plain_copy(const char *from, const char *to)
{
    int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    struct stat info;
    if (in < 0 || out < 0 || fstat(in, &info))
        bench_stop(strerror(errno));
    for (off_t left = info.st_size; left > 0;) {
        ssize_t n = copy_file_range(in, NULL, out, NULL, (size_t)left, 0);
        if (n <= 0)
            bench_stop("the kernel cannot copy here");
        left -= n;
    }
    if (fsync(out) || close(out) || close(in))
        bench_stop(strerror(errno));
}

static double seconds(bench_job *job, const char *from, const char *to)
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

void bench_pairs(const char *what, bench_job *job, const char *from, size_t nbytes, double goal)
{
    double ratio[PAIRS], copy[PAIRS];
    const char *copied = bench_in_folder("copy"), *converted = bench_in_folder("converted");
    for (int i = 0; i < PAIRS; i++) {
        copy[i] = seconds(plain_copy, from, copied);
        ratio[i] = copy[i] / seconds(job, from, converted);
    }
    qsort(ratio, PAIRS, sizeof *ratio, ascending);
    qsort(copy, PAIRS, sizeof *copy, ascending);
    double rate = (double)nbytes / copy[PAIRS / 2];
    bench_rate(what, rate * ratio[PAIRS / 2], "copy and sync", rate, goal);
}
