#include <hurray/base.h>

const char *hry_version(void)
{
    return "0.1.0";
}
