/* Calls libhurray_ffi, so that it must be there at link and run time. */
#include <hurray.h>
#include <hurray/base.h>

#include <stdio.h>

int main(void)
{
    if (hurray_c_abi_version() != HURRAY_C_ABI_VERSION)
        return 1;
    puts(hry_version());
    return 0;
}
