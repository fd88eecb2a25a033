/* Successive halving and Hyperband's brackets: who goes on, by hand and by what must hold whatever the values. */
#include "statistics/statistics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 200 };

static unsigned char keys[MOST][PL_DIGEST_SIZE];

/* Entrants as letters: a digit is a value, D one that ranks last, - one that has not come to the rung. */
static size_t entrants_of(const char *text, struct pl_entrant *entrants)
{
    size_t count = strlen(text);
    for (size_t i = 0; i < count; i++) {
        char name[24];
        snprintf(name, sizeof name, "%zu", i);
        pl_digest(name, strlen(name), keys[i]);
        entrants[i] = (struct pl_entrant){text[i] == '-'   ? PL_ENTRANT_OPEN
                                          : text[i] == 'D' ? PL_ENTRANT_LAST
                                                           : PL_ENTRANT_VALUE,
                                          text[i] - '0', keys[i]};
    }
    return count;
}

/* Who goes on, as + and . by place; "open" while that is not known. */
static const char *decided(const char *text, double keep, bool maximize)
{
    static char out[MOST + 1];
    struct pl_entrant entrants[MOST] = {0};
    bool goes_on[MOST];
    size_t count = entrants_of(text, entrants);
    if (!pl_halving_decide(entrants, count, keep, maximize, goes_on))
        return "open";
    for (size_t i = 0; i < count; i++)
        out[i] = goes_on[i] ? '+' : '.';
    out[count] = '\0';
    return out;
}

static void the_best_go_on(void **state)
{
    (void)state;
    assert_string_equal(decided("936471852", 1. / 3, false), ".+...+..+");
    assert_string_equal(decided("936471852", 1. / 3, true), "+...+.+..");
    assert_string_equal(decided("12", 0.9, false), "+.");
    assert_string_equal(decided("", 0.5, false), "");
}

static void shares_are_rounded_down_but_one_goes_on(void **state)
{
    (void)state;
    const struct {
        size_t n, kept;
        double keep;
    } cases[] = {{9, 3, 1. / 3}, {8, 2, 1. / 3},  {2, 1, 1. / 3},   {1, 1, 0.1},     {0, 0, 0.5},
                 {10, 7, 0.7},   {27, 9, 1. / 3}, {81, 27, 1. / 3}, {21, 7, 1. / 3}, {64, 16, 0.25}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (pl_halving_kept(cases[i].n, cases[i].keep) != cases[i].kept)
            fail_msg("of %zu go on %zu", cases[i].n, pl_halving_kept(cases[i].n, cases[i].keep));
    for (size_t n = 1; n < 3000; n++) { /* whole shares are exact, and more runs never mean fewer that go on */
        assert_int_equal(pl_halving_kept(3 * n, 1. / 3), n);
        assert_int_equal(pl_halving_kept(7 * n, 1. / 7), n);
        assert_true(pl_halving_kept(n + 1, 0.37) >= pl_halving_kept(n, 0.37));
    }
}

static void a_rung_waits_for_all(void **state)
{
    (void)state;
    assert_string_equal(decided("12-", 1. / 3, false), "open");
    assert_string_equal(decided("-", 0.5, false), "open");
    assert_string_equal(decided("D-1", 0.5, false), "open");
}

static void without_a_value_none_goes_on(void **state)
{
    (void)state;
    assert_string_equal(decided("DD1D", 0.75, false), "..+.");
    assert_string_equal(decided("DDD", 0.5, false), "...");
    assert_string_equal(decided("D9D", 0.9, false), ".+.");
}

/* Equal values: the lower key, in whatever order they come. */
static void keys_break_ties(void **state)
{
    (void)state;
    struct pl_entrant entrants[MOST], turned[MOST];
    bool goes_on[MOST], again[MOST];
    size_t count = entrants_of("555555555", entrants), kept = 0;
    assert_true(pl_halving_decide(entrants, count, 1. / 3, false, goes_on));
    for (size_t i = 0; i < count; i++) {
        kept += goes_on[i];
        for (size_t k = 0; k < count; k++)
            if (goes_on[i] && !goes_on[k])
                assert_true(memcmp(entrants[i].key, entrants[k].key, PL_DIGEST_SIZE) < 0);
    }
    assert_int_equal(kept, 3);
    for (size_t turn = 1; turn < count; turn++) {
        for (size_t i = 0; i < count; i++)
            turned[i] = entrants[(i + turn) % count];
        assert_true(pl_halving_decide(turned, count, 1. / 3, false, again));
        for (size_t i = 0; i < count; i++)
            assert_int_equal(again[i], goes_on[(i + turn) % count]);
    }
}

/* Li and others, Table 1: 81 epochs, a third goes on: 81, 34, 15, 8 and 5 points. */
static void brackets_share_points_as_hyperband_does(void **state)
{
    (void)state;
    const double share[] = {81, 33.75, 15, 7.5, 5};
    struct pl_hyperband h = {0};
    uint64_t counts[5] = {0};
    for (int k = 0; k < 1423; k++) {
        size_t b = pl_hyperband_next(&h, 4, 1. / 3);
        assert_true(b < 5);
        counts[b]++;
        for (int i = 0; i < 5 && k > 20; i++)
            if (fabs((double)counts[i] - (k + 1) * share[i] / 142.25) > 1.5)
                fail_msg("of %d points bracket %d has %d", k + 1, i, (int)counts[i]);
    }
    for (int i = 0; i < 5; i++)
        assert_true(fabs((double)counts[i] - 10 * share[i]) <= 1);
    assert_int_equal(pl_hyperband_next(&(struct pl_hyperband){0}, 4, 1. / 3), 0);
}

/* Entrants as letters again: is the which-th one no worse than the median of the others? */
static void medians_decide_about_one(void **state)
{
    (void)state;
    static const struct {
        const char *entrants;
        size_t which, startup;
        bool maximize, on;
    } cases[] = {{"51234", 0, 4, false, false}, {"21345", 0, 4, false, true},  {"31245", 0, 4, false, true},
                 {"41235", 0, 4, false, false}, {"41235", 0, 5, false, true},  {"41-D5", 0, 3, false, true},
                 {"41-D5", 0, 2, false, false}, {"31-D5", 0, 2, false, true},  {"7", 0, 1, false, true},
                 {"79", 0, 1, true, false},     {"99", 0, 1, true, true},      {"51234", 0, 4, true, true},
                 {"51234", 1, 4, true, false},  {"91111", 0, 1, false, false}, {"9DDDD", 0, 1, false, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pl_entrant entrants[MOST] = {0};
        size_t count = entrants_of(cases[i].entrants, entrants);
        if (pl_median_goes_on(entrants, count, cases[i].which, cases[i].startup, cases[i].maximize) != cases[i].on)
            fail_msg("of %s number %zu %s", cases[i].entrants, cases[i].which, cases[i].on ? "stops" : "goes on");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_go_on),           cmocka_unit_test(shares_are_rounded_down_but_one_goes_on),
        cmocka_unit_test(a_rung_waits_for_all),     cmocka_unit_test(without_a_value_none_goes_on),
        cmocka_unit_test(keys_break_ties),          cmocka_unit_test(brackets_share_points_as_hyperband_does),
        cmocka_unit_test(medians_decide_about_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
