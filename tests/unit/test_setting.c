/* Settings: what is legal, defaults, the canonical text, what is idle. */
#include "base/base.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const struct pl_setting table[] = {
    {.key = "lambda", .aliases = "lr λ", .type = PL_REAL, .initial = "0.1", .range = "(0,inf)", .help = "step size"},
    {.key = "epsilon", .type = PL_REAL, .initial = ".inf", .range = "(0,inf]", .help = "boosting"},
    {.key = "steps", .type = PL_INTEGER, .initial = "10", .range = "[1,100]", .help = "steps"},
    {.key = "nesterov", .type = PL_BOOLEAN, .initial = "false", .help = "look ahead"},
    {.key = "variant", .type = PL_STRING, .initial = "paper", .range = "paper official", .help = "order"},
};

static void settings_are_checked(void **state)
{
    (void)state;
    struct pl_value v;
    struct pl_error err;
    assert_ptr_equal(pl_setting_find(table, COUNT(table), "λ"), &table[0]);
    assert_null(pl_setting_find(table, COUNT(table), "lamda"));
    assert_int_equal(pl_setting_read(&table[0], "1e-3", &v, &err), 0);
    assert_true(v.type == PL_REAL && v.real == 0.001);
    assert_int_equal(pl_setting_read(&table[0], "0", &v, &err), PL_EINPUT);
    assert_string_equal(err.text, "lambda is 0, but must be a number in (0,inf)");
    assert_int_equal(pl_setting_read(&table[0], ".inf", &v, &err), PL_EINPUT);
    assert_int_equal(pl_setting_read(&table[1], ".inf", &v, &err), 0);
    assert_int_equal(pl_setting_read(&table[0], "fast", &v, &err), PL_EINPUT);
    assert_string_equal(err.text, "lambda is \"fast\", but must be a number in (0,inf)");
    assert_int_equal(pl_setting_read(&table[2], "1e2", &v, &err), 0);
    assert_true(v.type == PL_INTEGER && v.integer == 100);
    assert_int_equal(pl_setting_read(&table[2], "1.5", &v, &err), PL_EINPUT);
    assert_int_equal(pl_setting_read(&table[2], "101", &v, &err), PL_EINPUT);
    assert_int_equal(pl_setting_read(&table[3], "yes", &v, &err), PL_EINPUT);
    assert_int_equal(pl_setting_read(&table[4], "offical", &v, &err), PL_EINPUT);
    assert_string_equal(err.text, "variant is \"offical\", but must be one of: paper official");
    v = (struct pl_value){PL_REAL, {.real = NAN}};
    assert_int_equal(pl_setting_check(&table[1], &v, &err), PL_EINPUT);
}

/* B12: when a setting changes nothing is one expression of its descriptor. */
static void idle_settings(void **state)
{
    (void)state;
    static const struct {
        const char *when;
        bool idle;
    } cases[] = {
        {NULL, false},
        {"always", true},
        {"eta=0", true},
        {"eta=0.0", true},
        {"eta=1", false},
        {"eta!=1", true},
        {"eta=0 and beta!=1", false},
        {"eta=0 and beta=1", true},
        {"eta=2 or beta=1", true},
        {"beta=1 or eta=2", true},
        {"eta=2 and beta=1 or nesterov=true", true},
        {"nesterov=true and eta=2 or beta=2", false},
        {"nesterov=false", false},
        {"every>=epochs", true},
        {"epochs>=every", false},
        {"epochs>=100", true},
        {"epochs>=101", false},
        {"every>=lack", false},
        {"lack=0", false},
        {"lack!=0", false},
        {"variant=paper", true},
        {"variant!=paper", false},
        {"variant=*", true},
        {"lack=*", false},
        {"hidden=[]", true},
    };
    struct pl_settings s = {0};
    pl_settings_set_real(&s, "eta", 0);
    pl_settings_set_integer(&s, "beta", 1);
    pl_settings_set_integer(&s, "every", 150);
    pl_settings_set_integer(&s, "epochs", 100);
    pl_settings_set_boolean(&s, "nesterov", true);
    pl_settings_set_string(&s, "variant", "paper");
    pl_settings_set_string(&s, "hidden", "[]");
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pl_setting setting = {.key = "r", .type = PL_REAL, .idle_when = cases[i].when};
        if (pl_setting_is_idle(&setting, &s) != cases[i].idle)
            fail_msg("\"%s\" is %sidle", cases[i].when, cases[i].idle ? "not " : "");
    }
    pl_settings_release(&s);
}

static void canonical_text_ignores_order_and_spelling(void **state)
{
    (void)state;
    struct pl_settings a = {0}, b = {0}, c = {0};
    struct pl_text x = {0}, y = {0};
    pl_settings_set_real(&a, "lambda", 0.1);
    pl_settings_set_string(&a, "note", "say \"hi\"\n");
    pl_settings_set_real(&a, "iterations", 100);
    pl_settings_set_real(&a, "epsilon", INFINITY);
    pl_settings_set_integer(&b, "iterations", 100);
    pl_settings_set_real(&b, "epsilon", INFINITY);
    pl_settings_set_string(&b, "note", "say \"hi\"\n");
    pl_settings_set_real(&b, "lambda", 1e-1);
    pl_settings_write(&a, &x);
    pl_settings_write(&b, &y);
    assert_string_equal(pl_text(&x), pl_text(&y));
    assert_string_equal(pl_text(&x), "{\"epsilon\":\"inf\",\"iterations\":100,\"lambda\":0.1,"
                                     "\"note\":\"say \\\"hi\\\"\\n\"}");
    struct pl_error err;
    assert_int_equal(pl_settings_read(&c, pl_text(&x), &err), 0);
    assert_true(pl_settings_real(&c, "epsilon", 0) == INFINITY);
    assert_true(pl_settings_real(&c, "iterations", 0) == 100);
    assert_int_equal(pl_settings_integer(&c, "iterations", 0), 100);
    pl_text_clear(&y);
    pl_settings_write(&c, &y);
    assert_string_equal(pl_text(&x), pl_text(&y));
    assert_int_equal(pl_settings_read(&c, "{\"a\":[1]}", &err), PL_ECORRUPT);
    assert_int_equal(pl_settings_read(&c, "[", &err), PL_ECORRUPT);
    pl_settings_release(&a);
    pl_settings_release(&b);
    pl_settings_release(&c);
    pl_text_release(&x);
    pl_text_release(&y);
}

/* A late setting that has a default is there when settings are complete, and not in their canonical text. */
static void silent_at_its_default(struct pl_settings *s)
{
    static const struct pl_setting late = {
        .key = "newest", .type = PL_REAL, .initial = "0.5", .range = "[0,1]", .late = true};
    struct pl_text before = {0}, after = {0};
    struct pl_value value;
    struct pl_error err;
    pl_settings_write(s, &before);
    assert_ptr_equal(pl_settings_lack(s, &late, 1), &late);
    pl_settings_fill(s, &late, 1);
    assert_true(pl_settings_need_real(s, "newest") == 0.5);
    assert_int_equal(pl_setting_read(&late, "0.50", &value, &err), 0);
    pl_settings_set(s, "newest", value);
    pl_settings_write(s, &after);
    assert_string_equal(pl_text(&before), pl_text(&after));
    assert_int_equal(pl_setting_read(&late, "0.25", &value, &err), 0);
    pl_settings_set(s, "newest", value);
    pl_text_clear(&after);
    pl_settings_write(s, &after);
    assert_non_null(strstr(pl_text(&after), "\"newest\":0.25"));
    pl_text_release(&before);
    pl_text_release(&after);
}

static void defaults_fill_what_is_absent(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    pl_settings_set_real(&s, "lambda", 7);
    pl_settings_fill(&s, table, COUNT(table));
    assert_int_equal(s.count, COUNT(table));
    assert_true(pl_settings_real(&s, "lambda", 0) == 7);
    assert_true(pl_settings_real(&s, "epsilon", 0) == INFINITY);
    assert_string_equal(pl_settings_string(&s, "variant", ""), "paper");
    pl_settings_remove(&s, "epsilon");
    assert_null(pl_settings_find(&s, "epsilon"));
    static const struct pl_setting late = {.key = "late", .type = PL_BOOLEAN, .initial = ""};
    pl_settings_fill(&s, &late, 1);
    assert_null(pl_settings_find(&s, "late")); /* the key of a run is what it was */
    silent_at_its_default(&s);
    pl_settings_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_checked),
        cmocka_unit_test(idle_settings),
        cmocka_unit_test(canonical_text_ignores_order_and_spelling),
        cmocka_unit_test(defaults_fill_what_is_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
