/* Runs a fuzz target on the files given as arguments and on those in the folders given, without a fuzzing engine. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input in a block of exactly its size, so that a sanitizer sees a read past its end. */
static int replay_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(size ? size : 1);
    int failed = !file || !data || fread(data, 1, size, file) != size;
    if (failed)
        perror(path);
    else
        LLVMFuzzerTestOneInput(data, size);
    free(data);
    if (file)
        fclose(file);
    return failed;
}

static int replay(const char *path, size_t *count)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        perror(path);
        return 1;
    }
    if (!S_ISDIR(info.st_mode)) {
        ++*count;
        return replay_file(path, (size_t)info.st_size);
    }
    struct dirent **entries = NULL;
    int found = scandir(path, &entries, NULL, alphasort), failed = found < 0;
    for (int i = 0; i < found; i++) {
        char name[4096];
        int length = snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            failed |= length < 0 || (size_t)length >= sizeof name || replay(name, count);
        free(entries[i]);
    }
    free(entries);
    return failed;
}

int main(int argc, char **argv)
{
    size_t count = 0;
    int failed = 0;
    for (int i = 1; i < argc; i++)
        failed |= replay(argv[i], &count);
    printf("%zu inputs\n", count);
    return failed || count == 0;
}
