/* Methods that ask more of training than a gradient and a step. */
#include "train/network/network.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "recorder.h"
#include "train_settings.h"

#define NET                                                                                                            \
    "dataset=glyphs train_images=90 test_images=20 valid=10 batch=30 model=cnn width=4 depth=2 epochs=2 shuffle=true "

static void *copy_of(struct pl_network *n, enum pl_arena_kind kind, size_t bytes)
{
    const char *lent = pl_net_lend(n->net, kind, PL_LEND_READ);
    void *copy = pl_copy_bytes(lent, bytes);
    pl_net_take_back(n->net, kind, PL_LEND_READ, (void *)(uintptr_t)lent);
    return copy;
}

struct view {
    void *theta;
    double *statistics;
};

static struct view view_of(struct pl_network *n)
{
    return (struct view){copy_of(n, PL_PARAMETERS, n->layout.length * pl_element_size(n->element)),
                         copy_of(n, PL_STATISTICS, pl_net_length(n->net, PL_STATISTICS) * sizeof(double))};
}

static void forget(struct view *view)
{
    free(view->theta);
    free(view->statistics);
}

static bool equal(struct pl_network *n, const void *a, const void *b, bool statistics)
{
    return !memcmp(a, b,
                   statistics ? pl_net_length(n->net, PL_STATISTICS) * sizeof(double)
                              : n->layout.length * pl_element_size(n->element));
}

/* Schedule-free methods are looked at in another point than they train in: its running statistics are found for it, the
 * same whenever that is asked for, and what training goes on from is left as it was. */
static void statistics_belong_to_the_average(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        bool moves; /* the statistics */
    } cases[] = {
        {NET "optimizer=schedule_free_sgd lambda=0.5", true},
        {NET "optimizer=schedule_free_adamw lambda=0.05 device=ref", true},
        {NET "optimizer=sgd average=on", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pl_settings s = {0};
        struct recorder r;
        struct pl_sink sink = recorder_sink(&r);
        struct pl_network n;
        struct pl_run_result result = {0};
        struct pl_network_shown shown;
        struct pl_error err;
        settings_of(&s, cases[i].words);
        struct pl_run_request request = {.settings = &s, .seed = 1, .threads = 1};
        assert_int_equal(pl_network_open(&n, &request, &sink, &err), 0);
        assert_int_equal(pl_network_train(&n, &result, &err), 0);
        assert_true(pl_net_length(n.net, PL_STATISTICS) > 0);
        struct view before = view_of(&n);
        assert_int_equal(pl_network_show_average(&n, &shown, &err), 0);
        struct view first = view_of(&n);
        pl_network_hide_average(&n, &shown);
        struct view after = view_of(&n);
        assert_int_equal(pl_network_show_average(&n, &shown, &err), 0);
        struct view second = view_of(&n);
        pl_network_hide_average(&n, &shown);
        assert_true(equal(&n, before.theta, after.theta, false) &&
                    equal(&n, before.statistics, after.statistics, true));
        assert_true(equal(&n, first.theta, second.theta, false) &&
                    equal(&n, first.statistics, second.statistics, true));
        assert_false(equal(&n, before.theta, first.theta, false));
        assert_int_equal(equal(&n, before.statistics, first.statistics, true), !cases[i].moves);
        forget(&before);
        forget(&first);
        forget(&after);
        forget(&second);
        pl_network_close(&n);
        recorder_release(&r);
        pl_settings_release(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_belong_to_the_average),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
