#include <hurray.h>

uint32_t hurray_c_abi_version(void)
{
    return HURRAY_C_ABI_VERSION;
}
