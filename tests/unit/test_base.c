#include "base/base.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void numbers_in_every_spelling(void **state)
{
    (void)state;
    static const char *const same[] = {"1e-3", "1E-3", ".001", "+1e-3", "0.001", "1.0e-03"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        double value = 0;
        assert_true(pl_number_read(same[i], &value));
        assert_true(value == 0.001);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_in_every_spelling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
