#include "base/bytes.h"
#include "base/status.h"

#include <hurray/interop.h>
#include <string.h>

#include "interop/foreign_bytes.h"

static bool ends_in(const char *name, const char *ending)
{
    size_t n = name ? strlen(name) : 0, e = strlen(ending);
    return n > e && memcmp(name + n - e, ending, e) == 0;
}

/* The first byte of JSON that is no white space; 0 when there is none. */
static char first_letter(const uint8_t *p, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++)
        if (!memchr(" \t\r\n", p[i], 4))
            return (char)p[i];
    return 0;
}

const char *hry_foreign_format(const void *head, size_t nbytes, uint64_t size, const char *name)
{
    const uint8_t *p = head;
    if (nbytes >= 4 && memcmp(p, "GGUF", 4) == 0)
        return "gguf";
    if (nbytes >= 6 && memcmp(p, "\x93NUMPY", 6) == 0)
        return "npy";
    /* A header that fits, and starts as its readers ask: as a length, JSON text would be beyond any file. */
    if (nbytes > 8 && hry_load64(p) <= size - 8 && p[8] == '{')
        return "safetensors";
    if (ends_in(name, ".safetensors"))
        return "safetensors";
    if (ends_in(name, ".gguf"))
        return "gguf";
    if (ends_in(name, ".npy"))
        return "npy";
    if (ends_in(name, ".json") && first_letter(p, nbytes) == '{')
        return "safetensors-index";
    return NULL;
}

hry_status hry_foreign_open(const char *path, const hry_import_options *options, hry_file **file, hry_error *err)
{
    uint8_t head[64];
    hry_foreign_bytes bytes;
    hry_status status = hry_foreign_bytes_open(path, HRY_READ, &bytes, err);
    if (status)
        return status;
    uint64_t size = bytes.size;
    size_t n = size < sizeof head ? (size_t)size : sizeof head;
    status = hry_foreign_bytes_read(&bytes, 0, head, n, err);
    hry_foreign_bytes_close(&bytes);
    if (status)
        return status;
    const char *format = hry_foreign_format(head, n, size, path);
    if (!format)
        return hry_fail(err, HRY_E_INPUT, HRY_SECTION_NONE, 0, 0, "a file of no known format");
    if (strcmp(format, "gguf") == 0)
        return hry_gguf_open(path, options, file, err);
    if (strcmp(format, "npy") == 0)
        return hry_npy_open(path, options, file, err);
    return strcmp(format, "safetensors") == 0 ? hry_safetensors_open(path, options, file, err)
                                              : hry_safetensors_open_set(path, options, file, err);
}
