/* The smallest program on the core: what the tests of the installed tree build. */
#include <hurray/hurray.h>

#include <stdio.h>

int main(void)
{
    puts(hry_version());
    return 0;
}
