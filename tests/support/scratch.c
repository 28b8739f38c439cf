#include "support/scratch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[256];

const char *scratch_make(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/hurray-test-XXXXXX", base && *base ? base : "/tmp");
    return mkdtemp(directory);
}

const char *scratch_path(const char *name)
{
    static char paths[8][512];
    static unsigned turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static size_t each_entry(void (*visit)(const char *name))
{
    size_t count = 0;
    DIR *dir = opendir(directory);
    if (!dir)
        return 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        if (visit)
            visit(entry->d_name);
    }
    closedir(dir);
    return count;
}

static void remove_entry(const char *name)
{
    remove(scratch_path(name));
}

void scratch_remove(void)
{
    each_entry(remove_entry);
    rmdir(directory);
}

size_t scratch_count(void)
{
    return each_entry(NULL);
}

int scratch_write(const char *name, const void *bytes, size_t nbytes)
{
    FILE *file = fopen(scratch_path(name), "wb");
    if (!file)
        return 0;
    size_t written = nbytes ? fwrite(bytes, 1, nbytes, file) : 0;
    return fclose(file) == 0 && written == nbytes;
}

int scratch_is(const char *name, const void *bytes, size_t nbytes)
{
    FILE *file = fopen(scratch_path(name), "rb");
    char *found = malloc(nbytes + 1);
    int same = file && found && fread(found, 1, nbytes + 1, file) == nbytes && memcmp(found, bytes, nbytes) == 0;
    free(found);
    if (file)
        fclose(file);
    return same;
}

size_t scratch_size(const char *name)
{
    struct stat found;
    return stat(scratch_path(name), &found) ? 0 : (size_t)found.st_size;
}

int scratch_setup(void **state)
{
    (void)state;
    return scratch_make() ? 0 : -1;
}

int scratch_teardown(void **state)
{
    (void)state;
    scratch_remove();
    return 0;
}
