/* Calls libhurray-interop, so that it must be there at link and run time. */
#include <hurray/interop.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    const unsigned char head[16] = { 2, 0, 0, 0, 0, 0, 0, 0, '{', '}' };
    const char *format = hry_foreign_format(head, 10, 10, "empty.safetensors");
    hry_file *file = NULL;
    hry_error err;
    if (!format || strcmp(format, "safetensors") != 0)
        return 1;
    if (hry_safetensors_open_memory(head, 10, NULL, NULL, NULL, &file, &err) != HRY_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    hry_file_close(file);
    puts(hry_version());
    return 0;
}
