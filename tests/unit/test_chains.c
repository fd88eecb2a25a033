/* Independent chains against the driver that steps one optimizer. */
#include "optim/chains.h"
#include "optim/optim.h"
#include "problem/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const struct pl_random noise = {{5, 6}};

/* A problem under its default settings, as a field. */
struct source {
    struct pl_objective objective;
    struct pl_settings settings;
    size_t dimension;
};

static void gradient(const void *self, const double *theta, double *x, double *out)
{
    const struct source *s = self;
    if (x)
        pl_objective_data(&s->objective, x, s->dimension * PL_CHAINS_STRIDE);
    pl_objective_gradients(&s->objective, theta, x, PL_CHAINS_STRIDE, out);
}

static void open_source(struct source *s, const char *name, size_t dimension)
{
    const struct pl_problem *problem = pl_problem_find(name);
    *s = (struct source){.dimension = dimension};
    pl_settings_fill(&s->settings, problem->settings, problem->setting_count);
    pl_objective_init(&s->objective, problem, &s->settings, dimension);
}

static void close_source(struct source *s)
{
    pl_objective_release(&s->objective);
    pl_settings_release(&s->settings);
}

struct rule {
    const char *optimizer, *variant;
    double lambda, epsilon, eta, r, weight_decay;
};

static void rule_settings(struct pl_settings *s, const struct rule *rule)
{
    *s = (struct pl_settings){0};
    pl_settings_set_string(s, "optimizer", rule->optimizer);
    pl_settings_set_real(s, "lambda", rule->lambda);
    pl_settings_set_real(s, "beta", 2);
    pl_settings_set_real(s, "eta", rule->eta);
    pl_settings_set_real(s, "r", rule->r);
    pl_settings_set_real(s, "weight_decay", rule->weight_decay);
    if (rule->epsilon > 0)
        pl_settings_set_real(s, "epsilon", rule->epsilon);
    if (rule->variant)
        pl_settings_set_string(s, "variant", rule->variant);
}

static struct pl_chains *chains_of(const struct rule *rule, size_t count, size_t dimension, double start, int threads)
{
    struct pl_settings s;
    struct pl_chains *chains;
    struct pl_error err;
    rule_settings(&s, rule);
    if (pl_chains_new(&chains, &s, count, dimension, start, noise, threads, &err))
        fail_msg("%s", err.text);
    pl_settings_release(&s);
    return chains;
}

/* Without a norm, chains are coordinates: the same functions on the same noise give the same bits. */
static void coordinatewise_rules_give_the_same_bits(void **state)
{
    (void)state;
    enum { CHAINS = 600, STEPS = 50 };
    static const struct rule rules[] = {
        {"theopoula", "paper", 0.1, 0.1, 0, 0, 0},    {"theopoula", "official", 0.05, INFINITY, 0, 3, 0.1},
        {"theopoula", "paper", 0.3, 1e-8, 0, 0, 0.2}, {"sgld", NULL, 0.02, 0, 0, 0, 0.3},
        {"sghmc", NULL, 0.02, 0, 0, 0, 0.3},          {"psgld", NULL, 0.02, 0.1, 0, 0, 0.1},
    };
    struct source source;
    open_source(&source, "double_well", 1);
    struct pl_chains_field field = {gradient, &source, false, {{0, 0}}};
    for (size_t i = 0; i < COUNT(rules); i++) {
        struct pl_settings s;
        struct pl_layout layout = {0};
        struct pl_optim *optim;
        struct pl_error err;
        size_t count = CHAINS;
        double read[CHAINS];
        rule_settings(&s, &rules[i]);
        pl_layout_add(&layout, &count, 1);
        double *theta = pl_arena(layout.length, sizeof *theta), *slope = pl_arena(layout.length, sizeof *slope);
        assert_int_equal(pl_optim_new(&optim, &s, &layout, PL_FLOAT64, noise, 1, &err), 0);
        struct pl_chains *chains = chains_of(&rules[i], CHAINS, 1, 0.3, 1);
        for (size_t k = 0; k < CHAINS; k++)
            theta[k] = 0.3;
        for (int t = 0; t < STEPS; t++) {
            source.objective.problem->gradient(source.objective.state, theta, NULL, CHAINS, slope);
            pl_optim_step(optim, theta, slope, NULL);
        }
        pl_chains_run(chains, &field, STEPS);
        pl_chains_read(chains, 0, read);
        assert_memory_equal(read, theta, sizeof read);
        assert_true(read[0] != read[599] && isfinite(read[0]));
        pl_chains_free(chains);
        pl_optim_free(optim);
        pl_layout_release(&layout);
        pl_settings_release(&s);
        free(theta);
        free(slope);
    }
    close_source(&source);
}

/* Steps one chain as an optimizer of its own, with the noise that it has among the others. */
static void step_alone(const struct rule *rule, const struct source *source, size_t chain, int steps, double start,
                       double *theta)
{
    enum { ELEMENTS = 3 * PL_CHAINS_STRIDE * 2 };
    static double drawn[ELEMENTS];
    size_t d = source->dimension, first = chain / PL_CHAINS_STRIDE * PL_CHAINS_STRIDE * d + chain % PL_CHAINS_STRIDE;
    struct pl_settings s;
    struct pl_layout layout = {0};
    struct pl_optim *optim;
    struct pl_error err;
    rule_settings(&s, rule);
    pl_layout_add(&layout, &d, 1);
    double *at = pl_arena(layout.length, sizeof *at), *slope = pl_arena(layout.length, sizeof *slope);
    double *xi = pl_arena(layout.length, sizeof *xi);
    assert_int_equal(pl_optim_new(&optim, &s, &layout, PL_FLOAT64, noise, 1, &err), 0);
    for (size_t i = 0; i < d; i++)
        at[i] = start;
    for (int t = 1; t <= steps; t++) {
        pl_optim_noise(noise, (uint64_t)t, PL_FLOAT64, ELEMENTS, 1, drawn);
        for (size_t i = 0; i < d; i++)
            xi[i] = drawn[first + i * PL_CHAINS_STRIDE];
        pl_objective_gradient(&source->objective, at, NULL, slope);
        pl_optim_step(optim, at, slope, xi);
    }
    memcpy(theta, at, d * sizeof *theta);
    pl_optim_free(optim);
    pl_layout_release(&layout);
    pl_settings_release(&s);
    free(at);
    free(slope);
    free(xi);
}

static void every_chain_has_a_norm_of_its_own(void **state)
{
    (void)state;
    enum { CHAINS = 600, STEPS = 12 };
    static const struct rule rules[] = {
        {"theopoula", "paper", 0.1, 0.1, 0.5, 1.5, 0},
        {"theopoula", "official", 0.1, 0.1, 0.5, 2, 0.1},
        {"theopoula", "paper", 0.1, INFINITY, 1, 0, 0},
        {"theopoula", "official", 0.05, 1e-8, 0.2, 10, 0},
        {"theopoula", "paper", 0.1, 0.1, 0.3, 0.7, 0.1},
        {"tusla", NULL, 0.1, 0, 0, 0.5, 0},
        {"tusla", NULL, 0.1, 0, 0.4, 3, 0.2},
        {"tusla", NULL, 0.1, 0, 0.4, 0, 0},
        {"tusla", NULL, 0.05, 0, 1, 1.25, 0},
        {"sgld", NULL, 0.02, 0, 0, 0, 0.1},
        {"sghmc", NULL, 0.02, 0, 0, 0, 0.1},
        {"psgld", NULL, 0.02, 0.2, 0, 0, 0},
    };
    static const char *const problems[] = {"double_well", "mixture", "rosenbrock", "quadratic", "quartic"};
    static const size_t looked_at[] = {0, 31, 255, 256, 599};
    for (size_t p = 0; p < COUNT(problems); p++)
        for (size_t i = 0; i < COUNT(rules); i++) {
            struct source source;
            static double read[2][CHAINS];
            open_source(&source, problems[p], 2);
            struct pl_chains_field field = {gradient, &source, false, {{0, 0}}};
            struct pl_chains *chains = chains_of(&rules[i], CHAINS, 2, 0.6, 1);
            int steps = p == 2 ? 2 : STEPS; /* Rosenbrock's valley is steep */
            pl_chains_run(chains, &field, (uint64_t)steps);
            pl_chains_read(chains, 0, read[0]);
            pl_chains_read(chains, 1, read[1]);
            for (size_t k = 0; k < COUNT(looked_at); k++) {
                double alone[2];
                step_alone(&rules[i], &source, looked_at[k], steps, 0.6, alone);
                for (size_t c = 0; c < 2; c++)
                    if (!(fabs(read[c][looked_at[k]] - alone[c]) <= 1e-11 * (1 + fabs(alone[c]))))
                        fail_msg("%s, rule %zu, chain %zu: %.17g is not %.17g", problems[p], i, looked_at[k],
                                 read[c][looked_at[k]], alone[c]);
            }
            pl_chains_free(chains);
            close_source(&source);
        }
}

/* A chain is the same among few and among many, on one thread and on three, in one call and in several. */
static void check_independence(const struct rule *rule)
{
    enum { MANY = 6000, FEW = 300, STEPS = 20 };
    static double many[MANY], others[MANY], few[FEW];
    struct source source;
    open_source(&source, "theta30", 2);
    struct pl_chains_field field = {gradient, &source, true, pl_random_stream(4, PL_STREAM_DATA)};
    struct pl_chains *a = chains_of(rule, MANY, 2, 0.9, 1), *b = chains_of(rule, MANY, 2, 0.9, 3);
    struct pl_chains *c = chains_of(rule, FEW, 2, 0.9, 1);
    pl_chains_run(a, &field, STEPS);
    pl_chains_run(b, &field, 7);
    pl_chains_run(b, &field, STEPS - 7);
    pl_chains_run(c, &field, STEPS);
    for (size_t i = 0; i < 2; i++) {
        pl_chains_read(a, i, many);
        pl_chains_read(b, i, others);
        pl_chains_read(c, i, few);
        assert_memory_equal(many, others, sizeof many);
        assert_memory_equal(many, few, sizeof few);
        assert_true(many[0] != many[1] && many[0] != many[PL_CHAINS_STRIDE]);
    }
    field.data.key[0]++;
    struct pl_chains *d = chains_of(rule, FEW, 2, 0.9, 1);
    pl_chains_run(d, &field, STEPS);
    pl_chains_read(d, 1, others);
    assert_memory_not_equal(others, few, sizeof few);
    pl_chains_free(a);
    pl_chains_free(b);
    pl_chains_free(c);
    pl_chains_free(d);
    close_source(&source);
}

static void chains_depend_on_nothing_else(void **state)
{
    (void)state;
    static const struct rule rules[] = {{"tusla", NULL, 0.1, 0, 0.2, 1, 0}, {"sghmc", NULL, 1e-4, 0, 0, 0, 0.1}};
    for (size_t i = 0; i < COUNT(rules); i++)
        check_independence(&rules[i]);
}

/* The words of Philox that chain_steps' data are made from, as noise.c says. */
static void check_data(const void *self, const double *theta, double *x, double *out)
{
    const struct pl_random *key = self;
    (void)theta;
    for (uint64_t e = 0; e < 2 * PL_CHAINS_STRIDE; e++) {
        uint32_t bits[4];
        uint64_t group = e / 32, lane = e % 16;
        pl_random_bits(key, 1, 8 * group + lane / 2, bits);
        uint32_t word = bits[(e % 32 < 16 ? 0 : 2) + lane % 2];
        assert_true(x[e] == ((double)word + 0.5) * 0x1p-32);
        out[e] = 0;
    }
}

static void data_are_uniform_draws(void **state)
{
    (void)state;
    static const struct rule rule = {"sgld", NULL, 0.1, 0, 0, 0, 0};
    struct pl_random key = pl_random_stream(9, PL_STREAM_DATA);
    struct pl_chains_field field = {check_data, &key, true, key};
    struct pl_chains *chains = chains_of(&rule, 10, 2, 0, 1);
    pl_chains_run(chains, &field, 1);
    pl_chains_free(chains);
}

/* Fails the chains from the second on at once, or all of them in the third step. */
static void failing(const void *self, const double *theta, double *x, double *out)
{
    (void)x;
    int *steps = *(int *const *)self;
    if (steps)
        ++*steps;
    for (size_t k = 0; k < PL_CHAINS_STRIDE; k++)
        out[k] = (!steps && k) || (steps && *steps == 3) ? INFINITY : theta[k];
}

static void lost_chains_are_noticed(void **state)
{
    (void)state;
    static const struct rule rule = {"sgld", NULL, 0.1, 0, 0, 0, 0};
    int steps = 0, *counter = NULL;
    struct pl_chains_field field = {failing, &counter, false, {{0, 0}}};
    struct pl_chains *alone = chains_of(&rule, 1, 1, 1, 1), *two = chains_of(&rule, 2, 1, 1, 1);
    double theta;
    pl_chains_run(alone, &field, 5);
    assert_int_equal(pl_chains_lost_at(alone), 0); /* those behind the last chain do not count */
    pl_chains_run(two, &field, 5);
    assert_int_equal(pl_chains_lost_at(two), 1);
    counter = &steps;
    pl_chains_run(alone, &field, 5);
    assert_int_equal(pl_chains_lost_at(alone), 8);
    pl_chains_read(alone, 0, &theta);
    assert_false(isfinite(theta));
    pl_chains_free(alone);
    pl_chains_free(two);
}

static void refuse(const struct pl_settings *s, size_t dimension, const char *part)
{
    struct pl_chains *chains = NULL;
    struct pl_error err = {0};
    assert_int_equal(pl_chains_new(&chains, s, 10, dimension, 0, noise, 1, &err), PL_EINPUT);
    if (!strstr(err.text, part))
        fail_msg("\"%s\" does not say \"%s\"", err.text, part);
    assert_null(chains);
}

static void what_chains_cannot_do_is_refused(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    assert_true(pl_chains_are_possible("sgld") && pl_chains_are_possible("tusla") &&
                pl_chains_are_possible("theopoula"));
    assert_false(pl_chains_are_possible("adam"));
    assert_false(pl_chains_are_possible("nothing"));
    pl_settings_set_string(&s, "optimizer", "adam");
    refuse(&s, 1, "adam cannot run as independent chains");
    pl_settings_set_string(&s, "optimizer", "adma");
    refuse(&s, 1, "adma");
    pl_settings_set_string(&s, "optimizer", "sgld");
    refuse(&s, 9, "1 to 8 coordinates");
    pl_settings_set_string(&s, "average", "on");
    refuse(&s, 1, "average must be off");
    pl_settings_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinatewise_rules_give_the_same_bits),
        cmocka_unit_test(every_chain_has_a_norm_of_its_own),
        cmocka_unit_test(chains_depend_on_nothing_else),
        cmocka_unit_test(data_are_uniform_draws),
        cmocka_unit_test(lost_chains_are_noticed),
        cmocka_unit_test(what_chains_cannot_do_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
