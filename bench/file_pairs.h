/* A folder of files for a benchmark, and conversions of them beside a plain copy with the same sync. */
#ifndef HRY_BENCH_FILE_PAIRS_H
#define HRY_BENCH_FILE_PAIRS_H

#include <hurray/file.h>
#include <stddef.h>
#include <stdio.h>

/* The folder, under TMPDIR; gone with all its files at bench_folder_end. */
void bench_folder_begin(void);
void bench_folder_end(void);
/* The path of a file in it; few enough to be kept. */
const char *bench_in_folder(const char *name);

void bench_put(FILE *file, const void *bytes, size_t nbytes);
/* nbytes of changing bytes. */
void bench_put_data(FILE *file, size_t nbytes);
/* Until the disk has it, and closed. */
void bench_close(FILE *file);

/* All of an open file, tensors and metadata, into a container at path; closes the file. */
void bench_to_container(hry_file *file, const char *path);

typedef void bench_job(const char *from, const char *to);

/* The median, over pairs because storage is noisy, of copy time to the job's; shown as rates of nbytes. A goal of 0:
 * none. */
void bench_pairs(const char *what, bench_job *job, const char *from, size_t nbytes, double goal);

#endif
