#include "cli/cli_filename.h"
#include "cli/cli_out.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Neither separators of any system, nor controls, nor what a shell or another system reads as something else. */
static bool is_harmless(unsigned char c, bool first)
{
    return c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != 0 && strchr("._-+=@,()[]", c) && !(first && (c == '.' || c == '-')));
}

char *cli_filename(hry_str text, const char *ending)
{
    if (text.len > NAME_MAX)
        return NULL;
    char *name = cli_realloc(NULL, 3 * text.len + strlen(ending) + 1), *p = name;
    for (size_t k = 0; k < text.len; k++) {
        unsigned char c = (unsigned char)text.ptr[k];
        if (is_harmless(c, k == 0))
            *p++ = (char)c;
        else
            p += snprintf(p, 4, "%%%02X", c);
    }
    strcpy(p, ending);
    if (strlen(name) <= NAME_MAX)
        return name;
    free(name);
    return NULL;
}
