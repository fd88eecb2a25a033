/* Schedules beside the formulas of torch.optim.lr_scheduler and of the papers, which are written down here as they are
 * there, each in its own terms. */
#include "optim/optim.h"
#include "recorder.h"

#include "train/train_priv.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "train_settings.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

enum { EPOCHS = 30, STEPS = 7 };

static void start(struct pl_schedule *schedule, const char *words)
{
    struct pl_settings s = {0};
    struct pl_text all = {0};
    struct pl_error err;
    pl_text_addf(&all, "problem=quadratic iterations=%d %s%s", EPOCHS,
                 strstr(words, "optimizer=") ? "" : "optimizer=sgd lambda=0.5 ", words);
    settings_of(&s, pl_text(&all));
    if (pl_schedule_init(schedule, &s, EPOCHS, &err))
        fail_msg("%s: %s", words, err.text);
    pl_settings_release(&s);
    pl_text_release(&all);
}

/* ---- what others compute of epoch e (or step), in their terms */

static double step_lr(double e)
{
    return pow(0.5, floor(e / 4));
}

static double multi_step_lr(double e)
{
    return pow(0.1, (e >= 5) + (e >= 12));
}

static double exponential_lr(double e)
{
    return pow(0.95, e);
}

static double linear_lr(double e) /* start_factor 0.2, total_iters 8 */
{
    return 0.2 + (1 - 0.2) * fmin(e, 8) / 8;
}

static double cosine_annealing_lr(double e) /* eta_min 0.1 */
{
    return 0.1 + (1 - 0.1) * (1 + cos(M_PI * e / EPOCHS)) / 2;
}

static double warm_restarts(double e) /* T_0 4, T_mult 2, eta_min 0.1; closed form of step(epoch) */
{
    double n = e >= 4 ? floor(log2(e / 4 * (2 - 1) + 1) + 1e-12) : 0;
    double current = e >= 4 ? e - 4 * (pow(2, n) - 1) / (2 - 1) : e, length = 4 * pow(2, n);
    return 0.1 + (1 - 0.1) * (1 + cos(M_PI * current / length)) / 2;
}

static double csgld(double e) /* K = 30 in M = 4 cycles, k = e + 1 */
{
    double cycle = ceil(30.0 / 4);
    return 0.5 * (cos(M_PI * fmod(e + 1 - 1, cycle) / cycle) + 1);
}

static double sgld_paper(double e) /* a (b + t)^-gamma with a b^-gamma = 1 */
{
    double a = pow(10, 0.55);
    return a * pow(10 + e, -0.55);
}

static double inverse_root(double e)
{
    return 1 / sqrt(e + 1);
}

static double noam(double e) /* Vaswani et al.: min(t^-0.5, t warmup^-1.5), 1 at t = warmup */
{
    double t = e + 1;
    return sqrt(6) * fmin(pow(t, -0.5), t * pow(6, -1.5));
}

static double warmup_stable_decay(double e) /* transformers' get_wsd_schedule, 0 warm-up, 24 stable, 6 decay */
{
    return e < 24 ? 1 : 0.1 + (1 - 0.1) * fmax(0, 1 - (e - 0 - 24) / 6);
}

static double warmup_stable_exponential(double e) /* MiniCPM: down to a tenth in the last steps */
{
    return e < 6 ? (e + 1) / 6 : e < 18 ? 1 : pow(0.1, (e - 18) / 12);
}

static double one_cycle_lr(double e) /* total_steps 30, pct_start 0.3, div_factor 25, final_div_factor 1e4 */
{
    double initial = 1 / 25.0, least = initial / 1e4, end = 0.3 * 30 - 1, last = 30 - 1, from = 0, to = end;
    double start = initial, finish = 1;
    if (e > end) {
        from = end;
        to = last;
        start = 1;
        finish = least;
    }
    double share = (e - from) / (to - from), out = cos(M_PI * share) + 1;
    return finish + (start - finish) / 2.0 * out;
}

static double sequential(double e) /* LinearLR(1/5, 4) for 5 epochs, then CosineAnnealingLR(25) */
{
    return e < 5 ? 0.2 + 0.8 * fmin(e, 4) / 4 : (1 + cos(M_PI * (e - 5) / 25)) / 2;
}

static double linear_to_a_floor(double e)
{
    return 1 + (0.25 - 1) * e / EPOCHS;
}

static double one_in_the_end(double e)
{
    (void)e;
    return 1;
}

static const struct {
    const char *words;
    double (*factor)(double e);
} cases[] = {
    {"decay=0.5 every=4", step_lr},
    {"decay=0.1 milestones=[5,12]", multi_step_lr},
    {"decay=0.95 every=1", exponential_lr},
    {"warmup=9 warmup_from=0.1", linear_lr}, /* 0.1 + 0.9 / 9 = 0.2 */
    {"anneal=cosine floor=0.1", cosine_annealing_lr},
    {"anneal=cosine floor=0.1 cycle=4 cycle_growth=2", warm_restarts},
    {"anneal=cosine cycle=8", csgld},
    {"anneal=polynomial offset=10 exponent=0.55", sgld_paper},
    {"anneal=sqrt", inverse_root},
    {"anneal=sqrt warmup=6", noam},
    {"anneal=linear stable=0.8 floor=0.1", warmup_stable_decay},
    {"anneal=exponential warmup=6 stable=0.5 floor=0.1", warmup_stable_exponential},
    {"anneal=onecycle warmup=9 warmup_from=0.04 floor=4e-6", one_cycle_lr},
    {"anneal=cosine warmup=5", sequential},
    {"anneal=linear floor=0.25", linear_to_a_floor},
    {"warmup=1", one_in_the_end},
};

/* By epochs, and the same by steps and by fractions of epochs. */
static void test_formulas(void **state)
{
    (void)state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        struct pl_schedule schedule;
        start(&schedule, cases[c].words);
        for (int e = 0; e < EPOCHS; e++) {
            double factor = pl_schedule_factor(&schedule, (struct pl_moment){e, 1}), wanted = cases[c].factor(e);
            if (!(fabs(factor - wanted) <= 2e-16 * fmax(1, fabs(wanted))))
                fail_msg("%s, epoch %d: %.17g, not %.17g", cases[c].words, e, factor, wanted);
        }
        pl_schedule_release(&schedule);
    }
}

/* ---- other numbers */

static double value_at(struct pl_schedule *schedule, const char *key, double e)
{
    size_t count;
    const struct pl_tuned *tuned = pl_schedule_tunings(schedule, (struct pl_moment){e, 1}, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(tuned[i].key, key))
            return tuned[i].value;
    return NAN;
}

static double momentum_of_one_cycle_lr(double e) /* max_momentum 0.95, base_momentum 0.85 */
{
    double end = 0.3 * 30 - 1, last = 30 - 1;
    double share = e <= end ? e / end : (e - end) / (last - end), out = cos(M_PI * share) + 1;
    return e <= end ? 0.85 + (0.95 - 0.85) / 2.0 * out : 0.95 + (0.85 - 0.95) / 2.0 * out;
}

static double cooling(double e) /* beta 100 times as large in the end, by equal factors */
{
    return 1000 * pow(100, e / EPOCHS);
}

static double tempering(double e) /* from a hundredth of beta to all of it in 10 iterations */
{
    return e < 10 ? 1000 * (0.01 + 0.99 * (e + 1) / 10) : 1000;
}

static double weight_decay_cosine(double e)
{
    return 0.01 * (1 + cos(M_PI * e / EPOCHS)) / 2;
}

static double epsilon_in_steps(double e)
{
    return 1e-3 * pow(10, (e >= 7) + (e >= 20));
}

static double beta_of_csgld(double e) /* 3 cycles, the first half of each without noise */
{
    return fmod(e, 10) / 10 < 0.5 ? INFINITY : 1000;
}

static void test_other_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *words, *key;
        double (*value)(double e);
    } others[] = {
        {"optimizer=sgd momentum=0.95 momentum_anneal=onecycle momentum_warmup=9 momentum_floor=0.8947368421052632",
         "momentum", momentum_of_one_cycle_lr},
        {"optimizer=sgld beta=1000 beta_anneal=exponential beta_floor=100", "beta", cooling},
        {"optimizer=sgld beta=1000 beta_warmup=10 beta_warmup_from=0.01", "beta", tempering},
        {"optimizer=adamw weight_decay=0.01 weight_decay_anneal=cosine", "weight_decay", weight_decay_cosine},
        {"optimizer=theopoula epsilon=1e-3 epsilon_factor=10 epsilon_milestones=[7,20]", "epsilon", epsilon_in_steps},
        {"optimizer=sgld beta=1000 anneal=cosine cycle=10 explore=0.5", "beta", beta_of_csgld},
    };
    for (size_t c = 0; c < COUNT(others); c++) {
        struct pl_schedule schedule;
        start(&schedule, others[c].words);
        for (int e = 0; e < EPOCHS; e++) {
            double value = value_at(&schedule, others[c].key, e), wanted = others[c].value(e);
            if (!(value == wanted || fabs(value - wanted) <= 4e-16 * fmax(fabs(wanted), fabs(others[c].value(0)))))
                fail_msg("%s, epoch %d: %.17g, not %.17g", others[c].words, e, value, wanted);
        }
        pl_schedule_release(&schedule);
    }
}

/* Steps of gradient descent with weight decay on theta^2 / 2 are factors: the value in force is the one that counts. */
static void test_runs_follow(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    struct recorder r;
    struct pl_sink sink = recorder_sink(&r);
    struct pl_run_result result = {0};
    struct pl_error err;
    settings_of(&s, "problem=quadratic dimension=1 iterations=30 record=30 optimizer=sgd lambda=0.1 weight_decay=2 "
                    "weight_decay_warmup=4 weight_decay_anneal=linear");
    struct pl_run_request request = {.settings = &s, .seed = 1, .threads = 1};
    assert_int_equal(pl_train_check(&s, &err), 0);
    assert_int_equal(pl_train_run(&request, &sink, &result, &err), 0);
    double before = 1;
    for (int e = 0; e < EPOCHS; e++) {
        struct recorded point;
        recorder_find(&r, "theta", (size_t)e, &point);
        double decay = 2 * (e < 4 ? (e + 1) / 4.0 : 1 - (e - 4) / 26.0);
        if (!(fabs(point.value / before - (1 - 0.1 * (1 + decay))) <= 1e-12))
            fail_msg("iteration %d: factor %.15g", e + 1, point.value / before);
        before = point.value;
    }
    recorder_release(&r);
    pl_settings_release(&s);
}

/* Settings at their neutral value are as if they were not there. */
static void test_neutral_settings_are_no_part_of_a_key(void **state)
{
    (void)state;
    struct pl_settings with = {0}, without = {0};
    struct pl_text a = {0}, b = {0};
    settings_of(&without, "problem=quadratic optimizer=sgld");
    settings_of(&with,
                "problem=quadratic optimizer=sgld beta_anneal=none beta_floor=0 beta_warmup=0 explore=0 unit=epoch "
                "stable=0 clip=inf clip_by=norm patience=0 threshold=0");
    assert_null(pl_settings_find(&without, "beta_anneal"));
    pl_settings_write(&with, &a);
    pl_settings_write(&without, &b);
    assert_string_equal(pl_text(&a), pl_text(&b));
    pl_text_release(&a);
    pl_text_release(&b);
    pl_settings_release(&with);
    pl_settings_release(&without);
}

/* In between whole epochs a factor is that of a schedule as many times as long. */
static void test_fractions_are_steps(void **state)
{
    (void)state;
    static const char *const words[] = {
        "unit=fraction anneal=cosine floor=0.1 warmup=0.5",
        "unit=fraction anneal=linear warmup=2 cycle=6.5",
        "unit=fraction anneal=polynomial offset=3 exponent=0.6",
        "unit=fraction anneal=sqrt warmup=3",
        "unit=fraction anneal=onecycle warmup=9 warmup_from=0.04 floor=4e-6",
        "unit=fraction anneal=exponential floor=0.01 stable=0.5",
        "unit=fraction decay=0.5 milestones=[3,9]",
    };
    for (size_t c = 0; c < COUNT(words); c++) {
        struct pl_schedule parts, steps;
        start(&parts, words[c]);
        steps = parts; /* its lengths times as many steps as an epoch has */
        steps.course.warmup *= STEPS;
        steps.course.cycle *= STEPS;
        steps.course.offset *= STEPS;
        steps.total *= STEPS;
        int64_t milestones[2] = {3 * STEPS, 9 * STEPS};
        steps.course.milestones = milestones;
        for (int k = 0; k < EPOCHS * STEPS; k++) {
            struct pl_moment fraction = {k / STEPS + (double)(k % STEPS) / STEPS, 1.0 / STEPS};
            double one = pl_schedule_factor(&parts, fraction);
            double other = pl_schedule_factor(&steps, (struct pl_moment){k, 1});
            if (!(fabs(one - other) <= 1e-13))
                fail_msg("%s, step %d: %.17g and %.17g", words[c], k, one, other);
        }
        pl_schedule_release(&parts);
    }
}

/* torch's ReduceLROnPlateau of mode min, relative threshold: it counts as bad what is not better, and decays where more
 * than patience of them came in a row; so its patience is ours less one. */
struct plateau {
    double lr, factor, threshold, min_lr, best;
    int patience, cooldown, bad, counter;
};

static void plateau_step(struct plateau *p, double loss)
{
    if (loss < p->best * (1 - p->threshold)) {
        p->best = loss;
        p->bad = 0;
    } else {
        p->bad++;
    }
    if (p->counter > 0) {
        p->counter--;
        p->bad = 0;
    }
    if (p->bad > p->patience) {
        p->lr = fmax(p->lr * p->factor, p->min_lr);
        p->counter = p->cooldown;
        p->bad = 0;
    }
}

static void test_patience_as_torch_counts(void **state)
{
    (void)state;
    struct pl_schedule schedule;
    struct plateau p = {0.5, 0.5, 0.01, 0.02, INFINITY, 2, 3, 0, 0};
    int decays = 0;
    start(&schedule, "decay=0.5 patience=3 threshold=0.01 cooldown=3 least_lambda=0.02");
    for (int e = 0; e < 200; e++) {
        double loss = 1 + 1 / (1 + 0.2 * e) + 0.01 * sin(7.0 * e), before = p.lr;
        plateau_step(&p, loss);
        bool decayed = pl_schedule_validated(&schedule, loss);
        assert_true(decayed || p.lr == before);
        decays += decayed;
        double lr = 0.5 * pl_schedule_factor(&schedule, (struct pl_moment){e + 1, 1});
        if (!(fabs(lr - p.lr) <= 2e-16))
            fail_msg("epoch %d: %.17g, not %.17g", e, lr, p.lr);
    }
    assert_true(decays > 4 && p.lr == 0.02);
    pl_schedule_release(&schedule);
}

/* Between two moments that pl_schedule_next names nothing changes. */
static void test_next_misses_nothing(void **state)
{
    (void)state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        struct pl_schedule schedule;
        start(&schedule, cases[c].words);
        int64_t change = 0;
        double factor = 0;
        for (int e = 0; e < EPOCHS; e++) {
            double now = pl_schedule_factor(&schedule, (struct pl_moment){e, 1});
            if (e >= change) {
                factor = now;
                change = pl_schedule_next(&schedule, e);
                assert_true(change > e);
            }
            if (now != factor)
                fail_msg("%s: epoch %d was missed", cases[c].words, e);
        }
        pl_schedule_release(&schedule);
    }
}

static void test_what_contradicts_itself(void **state)
{
    (void)state;
    static const char *const words[][2] = {
        {"warmup=0.5", "with unit fraction epochs have fractions"},
        {"unit=step anneal=cosine cycle=2.5", "unit step counts whole steps"},
        {"warmup=31", "warmup is 31, but the run has 30 epochs"},
        {"floor=0.5", "nothing declines to it"},
        {"anneal=exponential", "floor must be more than 0"},
        {"anneal=onecycle floor=1e-5", "warmup_from"},
        {"anneal=onecycle warmup=3 warmup_from=0.1", "floor must be more than 0"},
        {"stable=0.5", "stable is 0.5"},
        {"anneal=sqrt stable=0.5", "neither cosine nor linear"},
        {"anneal=polynomial cycle=3", "cycle is 3"},
        {"anneal=cosine cycle=3 stable=0.1", "exclude each other"},
        {"anneal=cosine cycle_growth=2", "nothing begins anew"},
        {"anneal=cosine exponent=2", "anneal is not polynomial"},
        {"anneal=linear offset=2", "anneal is not polynomial"},
        {"warmup_from=0.5", "nothing rises from it"},
        {"patience=3", "decay is 1"},
        {"decay=0.5 patience=3 every=3", "both say"},
        {"decay=0.5 patience=3 least_lambda=0.6", "lambda begins at 0.5"},
        {"momentum=0.9 momentum_floor=0.5", "momentum_floor is 0.5, but anneal is none"},
        {"momentum=0.9 momentum_warmup=0.5", "momentum_warmup is 0.5, but unit epoch"},
        {"momentum=0.9 momentum_factor=0.5", "momentum_factor is 0.5, but neither every"},
        {"momentum=0.9 momentum_every=3", "give momentum_factor"},
        {"momentum=0.9 momentum_anneal=onecycle momentum_floor=0.9", "comes back"},
        {"momentum=0.9 momentum_anneal=exponential", "floor must be more than 0"},
        {"optimizer=adam beta1_anneal=linear beta1_floor=2", "the schedule takes beta1 too far: beta1 is 1.8"},
        {"optimizer=sgld beta_anneal=onecycle beta_floor=2", "onecycle goes to floor times beta"},
        {"optimizer=adafactor epsilon_warmup=5", "the schedule changes epsilon, which is left out"},
        {"optimizer=theopoula epsilon_warmup=5 record_shares=true", "record_shares knows epsilon as it is given"},
    };
    for (size_t c = 0; c < COUNT(words); c++) {
        struct pl_settings s = {0};
        struct pl_text all = {0};
        struct pl_error err;
        pl_text_addf(&all, "problem=quadratic iterations=%d %s%s", EPOCHS,
                     strstr(words[c][0], "optimizer=") ? "" : "optimizer=sgd lambda=0.5 ", words[c][0]);
        settings_of(&s, pl_text(&all));
        if (pl_train_check(&s, &err) != PL_EINPUT)
            fail_msg("%s was accepted", words[c][0]);
        if (!strstr(err.text, words[c][1]))
            fail_msg("%s: \"%s\" does not say \"%s\"", words[c][0], err.text, words[c][1]);
        pl_settings_release(&s);
        pl_text_release(&all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_other_numbers),
        cmocka_unit_test(test_runs_follow),
        cmocka_unit_test(test_neutral_settings_are_no_part_of_a_key),
        cmocka_unit_test(test_fractions_are_steps),
        cmocka_unit_test(test_patience_as_torch_counts),
        cmocka_unit_test(test_next_misses_nothing),
        cmocka_unit_test(test_what_contradicts_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
