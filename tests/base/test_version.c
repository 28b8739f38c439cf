#include <hurray/hurray.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

/* The build reads the version from one file; what the library says must be that. */
static void version_is_the_builds(void **state)
{
    (void)state;
    assert_string_equal(hry_version(), HRY_BUILD_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_is_the_builds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
