/* Rules that are written as formulas: how they are read and spelled, and that they are what the same rules in C are. */
#include "optim/chains.h"
#include "optim/formula.h"
#include "optim/optim.h"
#include "train/train.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "recorder.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const struct {
    const char *written, *spelled;
} spellings[] = {
    {"theta-lambda*g", "theta - lambda*g"},
    {"  theta - (lr * g)  ", "theta - lambda*g"},
    {"θ - λ*g + ξ/β - ε", "theta - lambda*g + xi/beta - epsilon"},
    {"theta - (lambda - g)", "theta - (lambda - g)"},
    {"(theta - lambda) - g", "theta - lambda - g"},
    {"theta/(g*t)", "theta/(g*t)"},
    {"theta/g*t", "theta/g*t"},
    {"1E-8*g", "1e-08*g"},
    {".00000001*g", "1e-08*g"},
    {"5.*g", "5*g"},
    {"1e3*g", "1000*g"},
    {"-g^2", "-g^2"},
    {"(-g)^2", "(-g)^2"},
    {"-(g^2)", "-g^2"},
    {"g^-2", "g^-2"},
    {"g^2^3", "g^2^3"},
    {"(g^2)^3", "(g^2)^3"},
    {"2*-g", "2*-g"},
    {"2 - -g", "2 - -g"},
    {"-(-g)", "-(-g)"},
    {"+g", "g"},
    {"pow(g, 2)", "g^2"},
    {"ln(g)+log(g)", "log(g) + log(g)"},
    {"max(g,theta,t)", "max(max(g, theta), t)"},
    {"sum(g,theta)*2", "(g + theta)*2"},
    {"avg(g,theta)", "(g + theta)/2"},
    {"g>0?1:g<0?-1:0", "g > 0 ? 1 : g < 0 ? -1 : 0"},
    {"(g>0)*2", "(g > 0)*2"},
    {"g>0&&t<5||xi==1", "g > 0 && t < 5 || xi == 1"},
    {"g>0&&(t<5||xi==1)", "g > 0 && (t < 5 || xi == 1)"},
    {"(g ? 1 : 2) + 3", "(g ? 1 : 2) + 3"},
    {"pi*_pi*inf", "pi*pi*inf"},
    {"theta\n - g", "theta - g"},
};

static void one_rule_has_one_spelling(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(spellings); i++) {
        struct pl_text once = {0}, twice = {0}, why = {0};
        size_t at;
        bool good = pl_formula_write(PL_FORMULA, spellings[i].written, &once, &at, &why);
        assert_int_equal(good, spellings[i].spelled != NULL);
        if (good) {
            assert_string_equal(pl_text(&once), spellings[i].spelled);
            assert_true(pl_formula_write(PL_FORMULA, pl_text(&once), &twice, &at, &why));
            assert_string_equal(pl_text(&once), pl_text(&twice));
        }
        pl_text_release(&once);
        pl_text_release(&twice);
        pl_text_release(&why);
    }
    struct pl_text text = {0}, why = {0};
    size_t at;
    assert_true(pl_formula_write(PL_FORMULAS, " v=g^2 ;\n m = (0.9*m)+g;", &text, &at, &why));
    assert_string_equal(pl_text(&text), "m = 0.9*m + g; v = g^2");
    pl_text_release(&text);
}

/* Made-up formulas, deep and shallow: muParser reads each as they are read here, or it would be refused, and what is
 * written is read again to itself. */
static void add_random(struct pl_text *text, uint64_t *seed, int depth)
{
    static const char *const leaves[] = {"g", "theta", "t", "0.5", "2", "1e-3", "m", "lambda"};
    static const char *const operators[] = {"+", "-", "*", "/", "^", "<", ">", "<=", ">=", "==", "!="};
    static const char *const functions[] = {"sin", "tanh", "abs", "floor", "sign", "rint", "atan", "exp"};
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    const unsigned draw = (unsigned)(*seed >> 33);
    switch (depth <= 0 ? 0 : draw % 9) {
    case 0:
        pl_text_add(text, leaves[draw / 7 % COUNT(leaves)]);
        break;
    case 1:
        pl_text_add(text, "(");
        add_random(text, seed, depth - 1);
        pl_text_add(text, ")");
        break;
    case 2:
        pl_text_addf(text, "%s(", functions[draw / 7 % COUNT(functions)]);
        add_random(text, seed, depth - 1);
        pl_text_add(text, ")");
        break;
    case 3: /* of what is neither 0 nor 1 muParser's && and || have two opinions */
        pl_text_add(text, draw / 7 % 2 ? "(g < " : "(1 || theta >= ");
        add_random(text, seed, depth - 2);
        pl_text_add(text, draw / 7 % 3 ? " && " : " || ");
        add_random(text, seed, 0);
        pl_text_add(text, " > 1)");
        break;
    case 4:
        pl_text_add(text, "(-");
        add_random(text, seed, depth - 1);
        pl_text_add(text, ")");
        break;
    case 5:
        pl_text_add(text, "(");
        add_random(text, seed, depth - 1);
        pl_text_add(text, " ? ");
        add_random(text, seed, depth - 1);
        pl_text_add(text, ":");
        add_random(text, seed, depth - 1);
        pl_text_add(text, ")");
        break;
    default:
        add_random(text, seed, depth - 1);
        pl_text_add(text, operators[draw / 7 % COUNT(operators)]);
        add_random(text, seed, depth - 1);
    }
}

static void any_formula_reads_as_muparser_reads_it(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 2000; i++) {
        struct pl_text text = {0}, once = {0}, twice = {0}, why = {0};
        size_t at;
        add_random(&text, &seed, 1 + i % 6);
        if (text.length < 900) {
            if (!pl_formula_write(PL_FORMULA, pl_text(&text), &once, &at, &why))
                fail_msg("%s: %s", pl_text(&text), pl_text(&why));
            if (!pl_formula_write(PL_FORMULA, pl_text(&once), &twice, &at, &why))
                fail_msg("%s: %s", pl_text(&once), pl_text(&why));
            assert_string_equal(pl_text(&once), pl_text(&twice));
        }
        pl_text_release(&text);
        pl_text_release(&once);
        pl_text_release(&twice);
        pl_text_release(&why);
    }
}

static void faults_have_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
        size_t at;
    } cases[] = {
        {"theta - ", "a value is missing at the end", 8},
        {"theta g", "an operator is missing before this", 6},
        {"(theta", "this ( is not closed", 0},
        {"theta)", "this ) closes nothing", 5},
        {"theta * / g", "/ stands where a value should", 8},
        {"theta - foo(g)", "there is no function foo", 8},
        {"g + atan2(g)", "atan2 takes 2 values, not 1", 4},
        {"abs(g, t)", "abs takes 1 value, not 2", 0},
        {"g ? 1", "this ? lacks its :", 2},
        {"1e*g", "this is no number", 0},
        {"g & t", "and not this", 2},
        {"g = 3", "and not this", 2},
        {"--g", "- stands where a value should", 1},
        {"", "a value is missing", 0},
        {"min()", "min takes 1 value, not 0", 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pl_text out = {0}, why = {0};
        size_t at = 99;
        assert_false(pl_formula_write(PL_FORMULA, cases[i].text, &out, &at, &why));
        if (!strstr(pl_text(&why), cases[i].why) || at != cases[i].at)
            fail_msg("%s: %s, at %zu", cases[i].text, pl_text(&why), at);
        pl_text_release(&out);
        pl_text_release(&why);
    }
}

/* ---- what they do ---- */

#define ADAM_STATE "m = 0.9*m + 0.1*g; v = 0.999*v + 0.001*g^2"
#define ADAM "theta - lambda/(1 - 0.9^t)*m/(sqrt(v)/sqrt(1 - 0.999^t) + epsilon)"
#define THEOPOULA                                                                                                      \
    "theta - lambda*(g/(1 + sqrt(lambda)*abs(g))*(1 + sqrt(lambda)/(epsilon + abs(g))) + "                             \
    "eta*theta*norm_theta^(2*r)/(1 + sqrt(lambda)*norm_theta^(2*r))) + sqrt(2*lambda/beta)*xi"

/* Settings from pairs of key and spelling; numbers of no descriptor are parameters. */
static void settings_from(struct pl_settings *s, const char *const *pairs)
{
    struct pl_settings chosen = {0};
    struct pl_schema schema;
    struct pl_error err;
    for (size_t i = 0; pairs[i]; i += 2)
        if (pl_train_is_choice(pairs[i]))
            pl_settings_set_string(&chosen, pairs[i], pairs[i + 1]);
    if (pl_train_schema(&chosen, &schema, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; pairs[i]; i += 2) {
        const struct pl_setting *setting = NULL;
        struct pl_value value = {PL_REAL, {.real = 0}};
        for (size_t p = 0; p < schema.count && !setting; p++)
            setting = pl_setting_find(schema.parts[p].settings, schema.parts[p].count, pairs[i]);
        if (setting ? pl_setting_read(setting, pairs[i + 1], &value, &err) : !pl_number_read(pairs[i + 1], &value.real))
            fail_msg("%s: %s", pairs[i], setting ? err.text : "no number");
        pl_settings_set(s, setting ? setting->key : pairs[i], value);
    }
    for (size_t p = 0; p < schema.count; p++)
        pl_settings_fill(s, schema.parts[p].settings, schema.parts[p].count);
    pl_settings_release(&chosen);
}

static struct pl_run_result record(const char *const *pairs, int threads, struct recorder *r)
{
    struct pl_settings s = {0};
    struct pl_run_result result = {0};
    struct pl_error err;
    settings_from(&s, pairs);
    struct pl_run_request request = {.settings = &s, .seed = 5, .threads = threads};
    struct pl_sink sink = recorder_sink(r);
    if (pl_train_check(&s, &err) || pl_train_run(&request, &sink, &result, &err))
        fail_msg("%s", err.text);
    pl_settings_release(&s);
    return result;
}

/* Fails where values differ by more than 1e-12 of the largest of their kind. */
static void assert_same_runs(const char *const *one, const char *const *other)
{
    struct recorder a, b;
    record(one, 1, &a);
    record(other, 1, &b);
    assert_true(a.count > 10 && a.count == b.count);
    double largest = 0;
    for (size_t i = 0; i < a.count; i++)
        largest = fmax(largest, fabs(a.points[i].value));
    for (size_t i = 0; i < a.count; i++)
        if (!(fabs(a.points[i].value - b.points[i].value) <= 1e-12 * largest))
            fail_msg("at %g: %.17g is not %.17g", a.points[i].epoch, b.points[i].value, a.points[i].value);
    recorder_release(&a);
    recorder_release(&b);
}

#define TASK "problem", "quadratic", "dimension", "40", "noise", "0.5", "iterations", "400", "record", "40"

static void formulas_are_what_is_written_in_c(void **state)
{
    (void)state;
    assert_same_runs((const char *const[]){TASK, "optimizer", "adam", "lambda", "0.01", NULL},
                     (const char *const[]){TASK, "optimizer", "formula", "lambda", "0.01", "state", ADAM_STATE,
                                           "update", ADAM, NULL});
    assert_same_runs((const char *const[]){TASK, "optimizer", "theopoula", "lambda", "0.1", "epsilon", "0.1", "beta",
                                           "1e3", "eta", "0.01", "r", "1", NULL},
                     (const char *const[]){TASK, "optimizer", "formula", "lambda", "0.1", "epsilon", "0.1", "beta",
                                           "1e3", "update", THEOPOULA, "eta", "0.01", "r", "1", NULL});
    assert_same_runs((const char *const[]){TASK, "optimizer", "theopoula", "lambda", "0.1", "epsilon", "0.1", "beta",
                                           "1e3", "decay", "0.5", "every", "100", NULL},
                     (const char *const[]){TASK, "optimizer", "formula", "lambda", "0.1", "epsilon", "0.1", "beta",
                                           "1e3", "decay", "0.5", "every", "100", NULL});
}

#define CHAINS "problem", "langevin", "target", "quartic", "chains", "2000", "iterations", "200", "record", "20"

static void chains_are_what_is_written_in_c(void **state)
{
    (void)state;
    for (int dimension = 1; dimension <= 2; dimension++) {
        const char *count = dimension == 1 ? "1" : "2";
        assert_same_runs((const char *const[]){CHAINS, "dimension", count, "optimizer", "theopoula", "lambda", "0.01",
                                               "epsilon", "0.1", "beta", "2", "eta", "0.1", "r", "1", NULL},
                         (const char *const[]){CHAINS, "dimension", count, "optimizer", "formula", "lambda", "0.01",
                                               "epsilon", "0.1", "beta", "2", "update", THEOPOULA, "eta", "0.1", "r",
                                               "1", NULL});
        assert_same_runs((const char *const[]){CHAINS, "dimension", count, "optimizer", "sghmc", "lambda", "0.01",
                                               "friction", "0.2", "beta", "2", NULL},
                         (const char *const[]){CHAINS, "dimension", count, "optimizer", "formula", "lambda", "0.01",
                                               "beta", "2", "state",
                                               "u = (1 - f)*u - lambda*g + sqrt(2*f*lambda/beta)*xi", "update",
                                               "theta + u", "f", "0.2", NULL});
    }
}

/* t is the number of the step, however steps are dealt out to calls. */
static void chains_count_their_steps(void **state)
{
    (void)state;
    static const char *const often[] = {
        "problem",    "langevin",  "target",
        "quartic",    "chains",    "300",
        "iterations", "60",        "record",
        "60",         "optimizer", "formula",
        "lambda",     "0.01",      "beta",
        "2",          "update",    "theta - lambda*g/t + sqrt(2*lambda/beta)*xi*(t > 5)",
        NULL};
    static const char *const once[] = {"problem",    "langevin",  "target",
                                       "quartic",    "chains",    "300",
                                       "iterations", "60",        "record",
                                       "1",          "optimizer", "formula",
                                       "lambda",     "0.01",      "beta",
                                       "2",          "update",    "theta - lambda*g/t + sqrt(2*lambda/beta)*xi*(t > 5)",
                                       NULL};
    struct recorder a, b;
    record(often, 1, &a);
    record(once, 2, &b);
    assert_true(b.count >= 1);
    for (size_t i = 0; i < b.count; i++) {
        const char *metric = b.metrics[b.points[i].series];
        for (size_t k = 0; k < a.count; k++)
            if (a.points[k].epoch == b.points[i].epoch && !strcmp(a.metrics[a.points[k].series], metric))
                assert_true(a.points[k].value == b.points[i].value);
    }
    recorder_release(&a);
    recorder_release(&b);
}

static int build(const char *const *pairs, struct pl_error *err)
{
    struct pl_settings s = {0};
    struct pl_optim *optim = NULL;
    struct pl_layout layout = {0};
    settings_from(&s, pairs);
    pl_layout_add(&layout, (const size_t[]){4}, 1);
    int status = pl_optim_new(&optim, &s, &layout, PL_FLOAT64, (struct pl_random){{1, 2}}, 1, err);
    pl_optim_free(optim);
    pl_layout_release(&layout);
    pl_settings_release(&s);
    return status;
}

static void wrong_rules_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *pairs[9], *why;
    } cases[] = {
        {{"update", "theta - mu*g"}, "update uses mu"},
        {{"update", "theta - lambda*m", "state", "m = m + n; n = g"}, NULL},
        {{"update", "theta - lambda*m", "state", "m = m + g; n = n + m"}, "the state n changes nothing"},
        {{"update", "theta - g", "tame", "1"}, "tame must be left out"},
        {{"state", "m = g"}, "state goes with update"},
        {{"update", "theta - g", "state", "m = g; m = t"}, "is a state already"},
        {{"update", "theta - g", "state", "t = g"}, "formulas have that name already"},
        {{"update", "theta - g", "state", "exp = g"}, "it is a function"},
        {{"update", "theta - g", "state", "m"}, "a state is written name = formula"},
        {{"boost", "1 + foo"}, "uses foo"},
        {{"tame", "(1"}, "tame is \"(1\": at character 1"},
        {{"boost", "1)*(2"}, "boost is"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pl_error err = {0, ""};
        const char *pairs[20] = {"problem", "quadratic", "optimizer", "formula"};
        for (size_t k = 0; cases[i].pairs[k]; k++)
            pairs[4 + k] = cases[i].pairs[k];
        int status = build(pairs, &err);
        assert_int_equal(status != 0, cases[i].why != NULL);
        if (status && !strstr(err.text, cases[i].why))
            fail_msg("\"%s\" lacks \"%s\"", err.text, cases[i].why);
    }
}

/* Taming and boosting functions whose scheme is known to meet the conditions, or not to. */
static void polygonal_schemes_are_judged(void **state)
{
    (void)state;
    static const struct {
        const char *tame, *boost, *growth, *lambda, *condition;
    } cases[] = {
        {"1 + sqrt(lambda)*abs(g)", "1 + sqrt(lambda)/(epsilon + abs(g))", "3", "0.1", NULL}, /* TheoPouLa */
        {"1 + sqrt(lambda)*abs(g)", "1 + sqrt(lambda)/(epsilon + abs(g))", "29", "0.1", NULL},
        {"1 + sqrt(lambda)*abs(g)", "1", "3", "0.01", NULL},
        {"1 + sqrt(lambda)*norm_theta^2", "1", "3", "0.1", NULL}, /* TUSLA, r = 1 */
        {"1 + sqrt(lambda)*norm_theta^2", "1", "3", "0.5", "third"},
        {"1 + sqrt(lambda)*norm_theta", "1", "3", "0.1", "first"},
        {"1 + lambda*norm_g", "1", "3", "0.1", NULL}, /* TULA */
        {"1", "1", "3", "0.1", "first"},              /* SGLD */
        {"1", "1", "1", "0.1", NULL},
        {"1", "1", "1", "0.6", "third"},
        {"2", "1", "1", "0.1", "second"},
        {"1 + lambda^0.25*abs(g)", "1", "3", "0.1", "second"},
        {"1 + sqrt(lambda)*abs(g)", "1 + sqrt(lambda)/g^2", "3", "0.1", "second"},
        {"1 + lambda*g^2", "1", "3", "0.1", "third"},
        {"-1 - sqrt(lambda)*abs(g)", "-1", "3", "0.1", NULL},
        {"1 + sqrt(lambda)*abs(g)", "-1", "3", "0.1", "second"},
        {"1 + t*abs(g)", "1", "3", "0.1", "cannot use t"},
        {"1 + abs(g)", "xi", "3", "0.1", "cannot use xi"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pl_error err = {0, ""};
        const char *pairs[] = {"problem", "quadratic",    "optimizer",      "formula",       "tame",   cases[i].tame,
                               "boost",   cases[i].boost, "growth_checked", cases[i].growth, "lambda", cases[i].lambda,
                               NULL};
        int status = build(pairs, &err);
        if ((status != 0) != (cases[i].condition != NULL) || (status && !strstr(err.text, cases[i].condition)))
            fail_msg("%s, %s: %s", cases[i].tame, cases[i].boost, status ? err.text : "passes");
    }
}

/* One step from theta = x with gradient g, in double. */
static double one_step(const char *update, const char *keep, double x, double g)
{
    const char *pairs[] = {"problem", "quadratic", "optimizer", "formula", "lambda", "0.5",
                           "update",  update,      "state",     keep,      NULL};
    struct pl_settings s = {0};
    struct pl_optim *optim;
    struct pl_layout layout = {0};
    struct pl_error err;
    double theta[32] = {x}, gradient[32] = {g};
    settings_from(&s, pairs);
    pl_layout_add(&layout, (const size_t[]){1}, 1);
    if (pl_optim_new(&optim, &s, &layout, PL_FLOAT64, (struct pl_random){{1, 2}}, 1, &err))
        fail_msg("%s", err.text);
    pl_optim_step(optim, theta, gradient, NULL);
    gradient[0] = g + 1;
    pl_optim_step(optim, theta, gradient, NULL);
    pl_optim_free(optim);
    pl_layout_release(&layout);
    pl_settings_release(&s);
    return theta[0];
}

/* All states are of the old ones; update sees the new. */
static void states_move_together(void **state)
{
    (void)state;
    assert_true(one_step("a", "a = b; b = g", 7, 2) == 2);     /* a of step 2 is b of step 1 */
    assert_true(one_step("b", "a = b; b = a + g", 7, 2) == 3); /* b = a_1 + g_2 = 0 + 3 */
    assert_true(one_step("theta + a*10 + b", "a = b + 1; b = a + 1; ", 0, 0) == 11 + 22);
    assert_true(one_step("old + g", "old = theta", 7, 2) == 12); /* 7 + 2, then 9 + 3 */
    assert_true(one_step("theta + k", "k = t", 0, 0) == 3);      /* a number, kept for each parameter */
    assert_true(one_step("n", "m = g; n = m", 0, 2) == 2);
    assert_true(one_step("theta + n - m", "m = g; n = g", 5, 2) == 5); /* two of one value */
    assert_true(isnan(one_step("max(theta, sqrt(g))", "", 1, -9)));    /* what is not a number shows */
    assert_true(isnan(one_step("theta + min(sqrt(g), 3)", "", 1, -9)));
    assert_true(one_step("g^3 - g^-2 + g^0.5*0", "", 0, 1) == 8 - 0.25);
    assert_true(one_step("g > 2 && theta != 5 ? 1 : 2", "", 0, 2) == 1);
}

static void draws_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *beta;
        bool draws;
    } cases[] = {
        {"boost", "1", "1e4", true},
        {"boost", "1", ".inf", false},
        {"update", "theta - lambda*g", "1e4", false},
        {"update", "theta - lambda*g + xi", ".inf", true},
        {"update", "theta - lambda*g + t*sqrt(2/beta)*xi", ".inf", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pl_settings s = {0};
        settings_from(&s, (const char *const[]){"problem", "quadratic", "optimizer", "formula", "beta", cases[i].beta,
                                                cases[i].key, cases[i].value, NULL});
        assert_int_equal(pl_train_draws(&s), cases[i].draws);
        pl_settings_release(&s);
    }
}

/* What is not a number is where the run ends. */
static void nonsense_diverges(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = record(
        (const char *const[]){TASK, "optimizer", "formula", "update", "theta - lambda*sqrt(g)", NULL}, 1, &r);
    assert_int_equal(result.outcome, PL_DIVERGED);
    recorder_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_rule_has_one_spelling),
        cmocka_unit_test(any_formula_reads_as_muparser_reads_it),
        cmocka_unit_test(faults_have_a_place),
        cmocka_unit_test(formulas_are_what_is_written_in_c),
        cmocka_unit_test(chains_are_what_is_written_in_c),
        cmocka_unit_test(chains_count_their_steps),
        cmocka_unit_test(wrong_rules_are_refused),
        cmocka_unit_test(polygonal_schemes_are_judged),
        cmocka_unit_test(states_move_together),
        cmocka_unit_test(draws_are_known),
        cmocka_unit_test(nonsense_diverges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
