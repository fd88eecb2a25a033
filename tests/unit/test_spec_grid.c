/* Grids: which runs a study has, in which order, and how large they may be. */
#include "spec_check.h"

/* The order in which a file says things changes the order of the walk, never the runs. */
static void order_does_not_change_runs(void **state)
{
    (void)state;
    static const char *const files[] = {
        "study: s\n" TASK "optimizer: {name: theopoula, lambda: [0.1, 0.2], beta: [1e8, 1e10], epsilon: 'lambda/2'}\n"
        "seeds: [1, 2]\n",
        "seeds: [2, 1]\n"
        "# the same, said otherwise\n"
        "optimizer:\n"
        "  β: [1e+10, 100000000.0]\n"
        "  epsilon: \"λ*0.5\"\n"
        "  λ:\n"
        "    - 2e-1 # the larger\n"
        "    - .1\n"
        "  name: theopoula\n"
        "task:\n"
        "  record: 20\n"
        "  iterations: 2E2\n"
        "  problem: theta30\n"
        "study: another-name\n",
    };
    unsigned char keys[2][8][PL_DIGEST_SIZE];
    for (size_t f = 0; f < 2; f++) {
        struct pl_spec *spec = load(files[f]);
        struct pl_walk *w = pl_walk_new(pl_spec_study(spec, 0));
        const struct pl_settings *settings;
        const int64_t *seeds;
        size_t seed_count, count = 0;
        while (!pl_walk_next(w, &settings, &seeds, &seed_count))
            for (size_t i = 0; i < seed_count; i++) {
                struct pl_text text = {0};
                pl_settings_write(settings, &text);
                assert_true(count < 8);
                pl_run_key(pl_text(&text), seeds[i], keys[f][count++]);
                pl_text_release(&text);
            }
        assert_int_equal(count, 8);
        pl_walk_free(w);
        pl_spec_free(spec);
    }
    for (size_t i = 0; i < 8; i++) {
        size_t found = 0;
        for (size_t k = 0; k < 8; k++)
            found += !memcmp(keys[0][i], keys[1][k], PL_DIGEST_SIZE);
        assert_int_equal(found, 1);
    }
}

static void grids(void **state)
{
    (void)state;
    static const struct {
        const char *text, *keys, *wanted;
    } cases[] = {
        /* the last axis is fastest; an axis stands where its key does, whatever the section */
        {"study: s\noptimizer: {name: sgd, lambda: [1, 2]}\ntask: {problem: theta30, iterations: [5, 6]}\n",
         "lambda iterations", "1 5; 1 6; 2 5; 2 6"},
        {"study: s\ntask: {problem: theta30, iterations: [5, 6]}\noptimizer: {name: sgd, lambda: [1, 2]}\n",
         "lambda iterations", "1 5; 2 5; 1 6; 2 6"},
        {"study: s\n" TASK "optimizer: [adam, sgd]\n", "optimizer beta1 momentum", "adam 0.9 -; sgd - 0"},
        {"study: s\n" TASK "optimizer: {lambda: [1, 2], name: [adam, sgd]}\n", "optimizer lambda",
         "adam 1; sgd 1; adam 2; sgd 2"},
        {"study: s\ntask: {problem: [theta30, quadratic]}\noptimizer: {name: [adam, sgd], lambda: 1}\n",
         "problem optimizer", "theta30 adam; theta30 sgd; quadratic adam; quadratic sgd"},
        /* seeds */
        {"study: s\n" TASK "optimizer: sgd\n", "seeds", "1"},
        {"study: s\n" TASK "optimizer: sgd\nseeds: 7\n", "seeds", "7"},
        {"study: s\n" TASK "optimizer: sgd\nseeds: [111, 222, 333]\n", "seeds", "111,222,333"},
        {"study: s\n" TASK "optimizer: sgd\nseeds: {from: 0, to: 3}\n", "seeds", "0,1,2,3"},
        /* zip */
        {"study: s\n" TASK
         "optimizer: {name: theopoula, lambda: [1, 2], beta: [8, 9], epsilon: [3, 4]}\nzip: [[λ, eps]]\n",
         "lambda epsilon beta", "1 3 8; 1 3 9; 2 4 8; 2 4 9"},
        {"study: s\n" TASK "optimizer: {name: theopoula, lambda: [1, 2], beta: [8, 9], epsilon: [3, 4]}\n"
         "zip: [lambda, epsilon, beta]\n",
         "lambda epsilon beta", "1 3 8; 2 4 9"},
        {"study: s\n" TASK "optimizer: {name: theopoula, lambda: [1, 2], beta: [8, 9], epsilon: [3, 4], eta: [5, 6]}\n"
         "zip: [[lambda, eta], [beta, epsilon]]\n",
         "lambda epsilon beta eta", "1 3 8 5; 1 4 9 5; 2 3 8 6; 2 4 9 6"},
        {"study: s\n" TASK "optimizer: {name: [sgd, adam, sgd], lambda: [1, 2, 3], weight_decay: [0, 1]}\n"
         "zip: [[optimizer, lambda]]\n",
         "optimizer lambda weight_decay", "sgd 1 0; sgd 1 1; adam 2 0; adam 2 1; sgd 3 0; sgd 3 1"},
        /* a zipped axis may repeat a value, a zipped pair may not (see the other file) */
        {"study: s\n" TASK
         "optimizer: {name: sgd, lambda: [1, 1, 2], momentum: [0, 0.5, 0.5]}\nzip: [[lambda, momentum]]\n",
         "lambda momentum", "1 0; 1 0.5; 2 0.5"},
        /* exclude */
        {"study: s\n" TASK "optimizer: {name: sgd, lambda: [1, 2, 3], momentum: [0, 0.5]}\n"
         "exclude: [{lambda: 1}, {lr: [2, 3], momentum: 5e-1}]\n",
         "lambda momentum", "2 0; 3 0"},
        {"study: s\n" TASK "optimizer: {name: sgd, lambda: [1, 2]}\nseeds: [1, 2, 3]\n"
         "exclude: [{lambda: 1, seed: [1, 3]}, {seed: 2, lambda: 2}]\n",
         "lambda seeds", "1 2; 2 1,3"},
        {"study: s\n" TASK "optimizer: {name: sgd, lambda: [1, 2]}\nseeds: [1, 2]\n"
         "exclude: [{lambda: 1, seed: 1}, {lambda: 1, seed: 2}]\n",
         "lambda seeds", "2 1,2"},
        {"study: s\n" TASK "optimizer: {name: [sgd, adam], lambda: [1, 2], weight_decay: [0, 3]}\n"
         "exclude: [{momentum: 0, lambda: 1}, {beta1: 0.9, weight_decay: 3}]\n",
         "optimizer lambda weight_decay", "sgd 2 0; sgd 2 3; adam 1 0; adam 2 0"},
        /* cases */
        {"study: s\n" TASK "optimizer: {lambda: [1, 2]}\ncases:\n  - optimizer: {name: sgd, momentum: [0, 0.5]}\n"
         "  - optimizer: {name: adam, lambda: 3}\n",
         "optimizer lambda momentum", "sgd 1 0; sgd 1 0.5; sgd 2 0; sgd 2 0.5; adam 3 -"},
        {"study: s\n" TASK "optimizer: {name: sgd, lambda: [1, 2]}\n"
         "cases: [{optimizer: {momentum: 0}}, {optimizer: {lambda: [2, 3]}}, {optimizer: {nesterov: false}}]\n",
         "lambda momentum", "1 0; 2 0; 3 0"},
        {"study: s\n" TASK "optimizer: {name: sgd, lambda: [1, 2]}\nexclude: [{lambda: 1}]\n"
         "cases: [{optimizer: {momentum: [0, 0.5]}, exclude: [{momentum: 0.5}]}, "
         "{optimizer: {momentum: [0.25, 0.5]}, zip: [[lambda, momentum]]}]\n",
         "lambda momentum", "2 0; 2 0.5"},
        /* defaults; what the study says wins */
        {"defaults: {task: {problem: theta30, iterations: 9}, optimizer: {lambda: 5}, seeds: [1, 2]}\n"
         "studies:\n  - {study: s, task: {iterations: 8}, optimizer: {name: sgd}}\n",
         "iterations lambda seeds", "8 5 1,2"},
        {"study: s\ndefaults: {task: {problem: theta30}, optimizer: {lr: [1, 2]}}\ntask: {iterations: [3, 4]}\n"
         "optimizer: {name: sgd, λ: [5, 6]}\n",
         "iterations lambda", "3 5; 3 6; 4 5; 4 6"},
        /* anchors, merges */
        {"defaults: &d {task: {problem: theta30}}\nstudy: s\noptimizer: {name: sgd, lambda: &l [1, 2], momentum: 0}\n",
         "lambda", "1; 2"},
        {"study: s\n" TASK "optimizer: {lambda: 1}\ncases:\n  - optimizer: &a {name: sgd, momentum: 0.5}\n"
         "  - optimizer: {<<: *a, momentum: 0.25}\n  - optimizer: {<<: [{lambda: 7}, *a]}\n",
         "lambda momentum", "1 0.5; 1 0.25; 7 0.5"},
        /* expressions, in the order that they need */
        {"study: s\n" TASK
         "optimizer: {name: theopoula, eta: \"2*epsilon\", lambda: [1, 4], epsilon: \"sqrt(lambda)\"}\n",
         "lambda epsilon eta", "1 1 2; 4 2 4"},
        {"study: s\n" TASK "optimizer: {name: theopoula, η: 5e-4*sqrt(λ), lr: [1, 4]}\n", "lambda eta",
         "1 0.0005; 4 0.001"},
        {"study: s\n" TASK
         "optimizer: {name: theopoula, lambda: [1, 4], epsilon: [\"lambda/2\", 8, \"beta\"], beta: 16}\n",
         "lambda epsilon", "1 0.5; 1 8; 1 16; 4 2; 4 8; 4 16"},
        {"study: s\n" TASK "optimizer: {name: theopoula, lambda: [1, 2], epsilon: [\"lambda\", 2]}\n", "lambda epsilon",
         "1 1; 1 2; 2 2"}, /* the point (2, 2) comes once */
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        grid_is(cases[i].text, cases[i].keys, cases[i].wanted);
    grid_is("study: s\ntask: {problem: theta30, iterations: \"rint(10/lambda)\", record: iterations/2}\n"
            "optimizer: {name: sgd, lambda: [1, 5]}\n",
            "iterations record", "10 5; 2 1");
    /* functions, operators and constants */
    grid_is("study: s\n" TASK
            "optimizer: {name: theopoula, beta: \"min(3, 2, 9)^2 + (lambda > 2 ? 1 : 0.5) + abs(-1)*pi*0\","
            " epsilon: \"lambda < 3 ? inf : exp(0)\", lambda: [1, 4]}\n",
            "beta epsilon", "4.5 inf; 5 1");
}

/* A list setting takes a list as one value; a list of lists makes an axis. */
static void lists_as_values(void **state)
{
    (void)state;
    grid_is("study: s\n" TASK "optimizer: sgd\nschedule: {decay: 0.5, milestones: [50, 1e2]}\n", "milestones",
            "[50,100]");
    grid_is("study: s\n" TASK "optimizer: sgd\nschedule: {decay: [0.5, 0.1], milestones: [[50, 100], [+70]]}\n",
            "decay milestones", "0.5 [50,100]; 0.5 [70]; 0.1 [50,100]; 0.1 [70]");
    grid_is(
        "study: s\ntask: {command: [awk, -f, t.awk, \"{width}\", 10, no, 010]}\nsettings: {width: [1, 2.5, wide]}\n",
        "command width",
        "[\"awk\",\"-f\",\"t.awk\",\"{width}\",\"10\",\"no\",\"010\"] 1; "
        "[\"awk\",\"-f\",\"t.awk\",\"{width}\",\"10\",\"no\",\"010\"] 2.5; "
        "[\"awk\",\"-f\",\"t.awk\",\"{width}\",\"10\",\"no\",\"010\"] wide");
    grid_is("study: s\ntask: {command: [[sh, a], [sh, \"b \\\"\"]]}\n", "command",
            "[\"sh\",\"a\"]; [\"sh\",\"b \\\"\"]");
    grid_is("study: s\ntask: {command: ls}\n", "command directory", "[\"ls\"] .");
}

/* "[1, 2, ..., n]" in units of 1/scale. */
static void add_axis(struct pl_text *text, const char *key, int n, double scale)
{
    pl_text_addf(text, ", %s: [", key);
    for (int i = 1; i <= n; i++) {
        pl_text_add(text, i > 1 ? "," : "");
        pl_text_add_number(text, i / scale);
    }
    pl_text_add_char(text, ']');
}

static void large_grids(void **state)
{
    (void)state;
    for (int computed = 0; computed < 2; computed++) {
        struct pl_text text = {0};
        pl_text_add(&text, "study: s\n" TASK "optimizer: {name: theopoula");
        add_axis(&text, "lambda", 100, 1000);
        add_axis(&text, "epsilon", 100, 100);
        add_axis(&text, "beta", 100, 1);
        pl_text_add(&text, computed ? ", eta: \"sqrt(lambda)\"}\nexclude: [{lambda: 0.05, beta: 7}]\n" : "}\n");
        double start = cpu_seconds();
        struct pl_spec *spec = load(pl_text(&text));
        double loaded = cpu_seconds() - start;
        assert_int_equal(pl_spec_study(spec, 0)->configs, computed ? 999900 : 1000000);
        struct pl_walk *w = pl_walk_new(pl_spec_study(spec, 0));
        const struct pl_settings *settings;
        const int64_t *seeds;
        size_t seed_count, count = 0;
        while (!pl_walk_next(w, &settings, &seeds, &seed_count))
            count++;
        assert_int_equal(count, computed ? 999900 : 1000000);
        /* Generous bounds: sanitizers and busy machines run this too. */
        if (loaded > 30 || cpu_seconds() - start > 60)
            fail_msg("a million configurations took %.1f s to load and %.1f s in all", loaded, cpu_seconds() - start);
        pl_walk_free(w);
        pl_spec_free(spec);
        pl_text_release(&text);
    }
}

/* Walks are independent of one another. */
static void two_walks_at_once(void **state)
{
    (void)state;
    struct pl_spec *spec = load("study: s\n" TASK
                                "optimizer: {name: [theopoula, tusla], lambda: [1, 4], eta: \"lambda*2\"}\n");
    struct pl_walk *a = pl_walk_new(pl_spec_study(spec, 0)), *b = pl_walk_new(pl_spec_study(spec, 0));
    const struct pl_settings *x, *y;
    const int64_t *seeds;
    size_t n;
    assert_int_equal(pl_walk_next(a, &x, &seeds, &n), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pl_walk_next(b, &y, &seeds, &n), 0);
    assert_true(pl_settings_real(x, "eta", 0) == 2 && pl_settings_real(y, "eta", 0) == 8);
    assert_int_equal(pl_walk_next(b, &y, &seeds, &n), 0);
    assert_string_equal(pl_settings_string(y, "optimizer", ""), "tusla");
    assert_true(pl_settings_real(x, "eta", 0) == 2);
    pl_walk_free(a);
    pl_walk_free(b);
    pl_walk_free(NULL);
    pl_spec_free(spec);
    pl_spec_free(NULL);
    refused("study: s\n", "1:8: ");
    assert_int_equal(wrong_complaints, 0);
}

/* As many seeds as there may be, some of them excluded: their number must not be felt as its square. */
static void many_seeds(void **state)
{
    (void)state;
    struct pl_text text = {0};
    pl_text_add(&text, "study: s\n" TASK "optimizer: {name: sgd, lambda: [1, 2]}\nseeds: {from: 1, to: 1000000}\n"
                       "exclude: [{lambda: 2, seed: [");
    for (int i = 100000; i > 0; i--)
        pl_text_addf(&text, "%d,", i);
    pl_text_add(&text, "]}]\n");
    double start = cpu_seconds();
    struct pl_spec *spec = load(pl_text(&text));
    assert_int_equal(pl_spec_study(spec, 0)->configs, 2);
    assert_int_equal(pl_spec_study(spec, 0)->runs, 1900000);
    struct pl_walk *w = pl_walk_new(pl_spec_study(spec, 0));
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t seed_count;
    assert_int_equal(pl_walk_next(w, &settings, &seeds, &seed_count), 0);
    assert_int_equal(seed_count, 1000000);
    assert_int_equal(pl_walk_next(w, &settings, &seeds, &seed_count), 0);
    assert_int_equal(seed_count, 900000);
    assert_int_equal(seeds[0], 100001);
    if (cpu_seconds() - start > 20)
        fail_msg("took %.1f s", cpu_seconds() - start);
    pl_walk_free(w);
    pl_spec_free(spec);
    pl_text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_does_not_change_runs),
        cmocka_unit_test(grids),
        cmocka_unit_test(lists_as_values),
        cmocka_unit_test(large_grids),
        cmocka_unit_test(many_seeds),
        cmocka_unit_test(two_walks_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
