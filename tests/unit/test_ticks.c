/* Labels of axes (rows F5 and F8 of the cases): on any range they say where they stand and keep clear of each other. */
#include "plot/ticks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t state_of_draw = 5;

static double draw(void) /* Knuth's MMIX generator; between 0 and 1 */
{
    state_of_draw = state_of_draw * 6364136223846793005u + 1442695040888963407u;
    return (double)(state_of_draw >> 11) / 9007199254740992.0;
}

/* The number that a label says, as a reader would take it: "−2.5·10^{−3}". */
static double number_of(const char *label)
{
    char digits[80];
    size_t length = 0;
    for (const char *c = label; *c && length + 2 < sizeof digits; c++) {
        if (!strncmp(c, "−", 3)) {
            digits[length++] = '-';
            c += 2;
        } else if (!strncmp(c, "·10^{", 6)) {
            digits[length++] = 'e';
            c += 5;
        } else if (!strncmp(c, "10^{", 4)) {
            digits[length++] = '1';
            digits[length++] = 'e';
            c += 3;
        } else if (*c != '}') {
            digits[length++] = *c;
        }
    }
    digits[length] = '\0';
    return atof(digits);
}

static size_t letters_of(const char *label)
{
    size_t letters = 0;
    for (; *label; label++)
        letters += ((unsigned char)*label & 0xc0) != 0x80 && !strchr("{}^", *label);
    return letters;
}

static double place_of(const struct pl_tick_axis *axis, double at)
{
    const double *r = axis->range;
    return axis->length * (axis->log ? log(at / r[0]) / log(r[1] / r[0]) : (at - r[0]) / (r[1] - r[0]));
}

static void check(const struct pl_tick_axis *axis)
{
    struct pl_ticks ticks;
    double end = -INFINITY, unit = pow(10, axis->power);
    pl_ticks_make(axis, &ticks);
    for (size_t i = 0; i < ticks.count; i++) {
        const struct pl_tick *t = &ticks.list[i];
        double place = place_of(axis, t->at), half = axis->letter * (double)letters_of(t->label) / 2;
        if (!(place > -1e-6 * axis->length && place < axis->length * (1 + 1e-6)))
            fail_msg("%.17g is not on [%.17g, %.17g]", t->at, axis->range[0], axis->range[1]);
        if (axis->whole && axis->range[1] < 1e15)
            assert_true(fabs(t->at - round(t->at)) < 1e-9);
        if (!*t->label)
            continue;
        double said = number_of(t->label) / unit;
        if (fabs(said - t->at) > 1e-9 * fabs(t->at) + 1e-9 * (axis->log ? 0 : axis->range[1] - axis->range[0]))
            fail_msg("'%s' stands at %.17g of [%.17g, %.17g]", t->label, t->at, axis->range[0], axis->range[1]);
        if (place - half < end + axis->gap / 2)
            fail_msg("'%s' runs into the label before it on [%.17g, %.17g], %g long", t->label, axis->range[0],
                     axis->range[1], axis->length);
        end = place + half;
    }
    pl_ticks_release(&ticks);
}

static void labels_are_true_and_apart(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double low = pow(10, 40 * draw() - 20) * (i % 3 ? 1 : -1), span = pow(10, 30 * draw() - 15);
        struct pl_tick_axis axis = {.log = i % 2 && low > 0,
                                    .whole = i % 5 == 0,
                                    .plain = i % 7 == 0,
                                    .length = 1.5 + 6 * draw(),
                                    .letter = i % 4 ? 0.086 : 0,
                                    .gap = i % 4 ? 0.15 : 0.26};
        axis.whole &= !axis.log || low >= 1;
        axis.range[0] = low;
        axis.range[1] = axis.log ? low * (1.01 + span) : low + fmax(span, 1e-9 * fabs(low));
        check(&axis);
    }
}

static size_t count_labels(const double low, const double high, bool log, bool whole, double length)
{
    struct pl_tick_axis axis = {{low, high}, 0, log, whole, false, length, 0.086, 0.15};
    struct pl_ticks ticks;
    size_t count = 0;
    check(&axis);
    pl_ticks_make(&axis, &ticks);
    for (size_t i = 0; i < ticks.count; i++)
        count += *ticks.list[i].label != '\0';
    pl_ticks_release(&ticks);
    return count;
}

static void ordinary_axes_have_several_labels(void **state)
{
    (void)state;
    assert_int_equal(count_labels(1, 4, false, true, 5), 4); /* epochs 1, 2, 3, 4; no 1.5 */
    assert_int_equal(count_labels(1, 2, false, true, 5), 2);
    assert_in_range(count_labels(0, 200, false, true, 2.4), 3, 6); /* three panels of 200 iterations */
    assert_in_range(count_labels(0, 100000, false, true, 2.1), 2, 6);
    assert_in_range(count_labels(0.97, 1.0006, false, false, 3), 3, 8);
    assert_in_range(count_labels(1e-9, 1e21, true, false, 3), 4, 11);
    assert_in_range(count_labels(0.66, 1.5, true, false, 3), 3, 11);
    assert_in_range(count_labels(30, 70, true, false, 3), 3, 11);
    /* F5: near 2^53 neighbouring numbers are 1 apart, and so are the steps of the axis. */
    assert_int_equal(count_labels(9007199254740991, 9007199254740992, false, true, 5), 2);
    assert_in_range(count_labels(9007199254740980, 9007199254740992, false, true, 5), 2, 3);
}

static void values_that_have_no_room_lose_their_labels(void **state)
{
    (void)state;
    /* F8: irregular values; all have a tick, the outermost have labels, and no two run into each other. */
    double values[] = {1, 1.1, 1.2, 1.3, 2, 2.01, 3, 5, 5.5, 6, 6.5, 7, 8, 9, 9.9, 10};
    enum { COUNT = sizeof values / sizeof *values };
    struct pl_tick_axis axis = {{0.5, 10.5}, 0, false, false, false, 3, 0.086, 0.15};
    struct pl_tick ticks[COUNT];
    double end = -INFINITY;
    int shown = 0;
    for (size_t i = 0; i < COUNT; i++) {
        struct pl_text label = {0};
        pl_text_add_number(&label, values[i]);
        ticks[i] = (struct pl_tick){values[i], pl_text_take(&label), NULL};
    }
    pl_ticks_thin(&axis, ticks, COUNT);
    assert_string_equal(ticks[0].label, "1");
    assert_string_equal(ticks[COUNT - 1].label, "10");
    for (size_t i = 0; i < COUNT; i++) {
        double place = place_of(&axis, ticks[i].at), half = axis.letter * (double)letters_of(ticks[i].label) / 2;
        if (*ticks[i].label) {
            assert_true(place - half > end + axis.gap / 2);
            end = place + half;
            shown++;
        }
        free(ticks[i].label);
    }
    assert_in_range(shown, 6, COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_true_and_apart),
        cmocka_unit_test(ordinary_axes_have_several_labels),
        cmocka_unit_test(values_that_have_no_room_lose_their_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
