#include "spec_check.h"

static const char
    toy[] = "study: toy-10k\n"
            "task: {problem: theta30, iterations: 200, record: 20}\n"
            "optimizer: {name: theopoula, lambda: [0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005], "
            "epsilon: [1, 0.3, 0.1, 0.03, 0.01], beta: [1e8, 1e9, 1e10, 1e11, 1e12]}\n"
            "seeds: {from: 1, to: 40}\n";

static void the_toy_grid(void **state)
{
    (void)state;
    struct pl_spec *spec = load(toy);
    assert_int_equal(pl_spec_study_count(spec), 1);
    assert_string_equal(pl_spec_text(spec), toy);
    const struct pl_study *study = pl_spec_study(spec, 0);
    assert_string_equal(study->name, "toy-10k");
    assert_int_equal(study->configs, 250);
    assert_int_equal(study->runs, 10000);
    assert_int_equal(study->seed_count, 40);
    assert_int_equal(study->seeds[39], 40);
    assert_true(study->timeout == 0);
    assert_int_equal(study->axis_count, 3);
    assert_string_equal(study->axes[0], "lambda");
    assert_string_equal(study->axes[1], "epsilon");
    assert_string_equal(study->axes[2], "beta");
    struct walked all;
    walk(study, &all);
    assert_int_equal(all.runs, 10000);
    for (size_t i = 0; i < all.count; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(all.lines[i], all.lines[k]);
    release(&all);
    pl_spec_free(spec);
    struct pl_text got = {0};
    values(toy, "lambda epsilon beta", &got);
    const char head[] = "0.5 1 100000000; 0.5 1 1000000000; 0.5 1 10000000000; 0.5 1 100000000000; "
                        "0.5 1 1000000000000; 0.5 0.3 100000000; ";
    const char tail[] = "; 0.0005 0.01 1000000000000";
    assert_memory_equal(pl_text(&got), head, strlen(head));
    assert_string_equal(pl_text(&got) + got.length - strlen(tail), tail);
    pl_text_release(&got);
}

/* The first configuration's canonical settings. */
static char *canonical(const char *format, const char *value)
{
    struct pl_text text = {0};
    pl_text_addf(&text, "study: s\n");
    const char *at = strchr(format, '@');
    pl_text_add_bytes(&text, format, (size_t)(at - format));
    pl_text_add(&text, value);
    pl_text_add(&text, at + 1);
    struct pl_spec *spec = load(pl_text(&text));
    struct pl_walk *w = pl_walk_new(pl_spec_study(spec, 0));
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t seed_count;
    assert_int_equal(pl_walk_next(w, &settings, &seeds, &seed_count), 0);
    pl_text_clear(&text);
    pl_settings_write(settings, &text);
    pl_walk_free(w);
    pl_spec_free(spec);
    return pl_text_take(&text);
}

static void spelling_does_not_matter(void **state)
{
    (void)state;
    static const struct {
        const char *format; /* @: where the spelling goes */
        const char *spellings[12];
    } cases[] = {
        {TASK "optimizer: {name: theopoula, lambda: @}\n",
         {"0.001", "1e-3", "1E-3", ".001", "+1e-3", "1.0e-03", "\"0.001\"", "'1e-3'", "1e-3 # a comment\n",
          "\"1/1000\"", "[0.001]"}},
        {TASK "optimizer: {name: theopoula, @}\n",
         {"lambda: 0.25", "lr: 0.25", "λ: 0.25", "learning_rate: .25", "\"lambda\": 25e-2", "? lambda\n : 0.25"}},
        {TASK "optimizer: {name: theopoula, @}\n",
         {"epsilon: 0.5, beta: 7, eta: 2", "ε: 0.5, β: 7, η: 2", "η: 2.0, β: 7., ε: .5",
          "eta: 2, ε: 5e-1, beta: \"3+4\""}},
        {TASK "optimizer: {name: theopoula, beta: @}\n", {".inf", ".Inf", ".INF", "+.inf", "inf", "\".inf\"", "'inf'"}},
        {TASK "optimizer: {name: theopoula, beta: @}\n",
         {"10000000000", "1e10", "1.0E+10", "1e+10", "10000000000.0", "\"10^10\"", "\"= 1e10\""}},
        {"task: {problem: theta30, iterations: @}\noptimizer: sgd\n",
         {"200", "+200", "200.0", "2e2", "\"200\"", "\"100*2\""}},
        {"task: {problem: theta30, iterations: 200}\n@\n",
         {"optimizer: adam", "optimizer: {name: adam}", "optimizer: [adam]", "optimizer: {optimizer: adam}",
          "optimizer:\n  name: adam\n", "optimizer: {name: adam, beta1: 0.9}",
          "optimizer: {name: \"adam\", beta1: 9e-1}", "schedule: {}\noptimizer: {beta2: .999, name: adam}",
          "seeds: [4, 5]\noptimizer: {weight_decay: -0.0, name: adam}"}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *first = NULL;
        for (size_t k = 0; k < COUNT(cases[i].spellings) && cases[i].spellings[k]; k++) {
            char *text = canonical(cases[i].format, cases[i].spellings[k]);
            first = first ? first : pl_copy(text);
            if (strcmp(first, text))
                fail_msg("%s gives\n%s, not\n%s", cases[i].spellings[k], text, first);
            free(text);
        }
        free(first);
    }
}

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

static void keys_are_pinned(void **state)
{
    (void)state;
    /* printf '{"beta":"inf","lambda":0.1,"optimizer":"theopoula","problem":"theta30"}\nseed=7\n' | sha256sum */
    unsigned char key[PL_DIGEST_SIZE];
    char hex[2 * PL_DIGEST_SIZE + 1];
    pl_run_key("{\"beta\":\"inf\",\"lambda\":0.1,\"optimizer\":\"theopoula\",\"problem\":\"theta30\"}", 7, key);
    pl_digest_hex(key, sizeof key, hex);
    assert_string_equal(hex, "b865cd9f9b14120b296ccf9de26a574642a4fac5321cc9f99612c83d3df3bb8a");
    /* The settings of a spec, with every default that they were completed with. Whoever changes a default, a
     * key or the canonical text makes every run in every database missing, and should know it. */
    char *text = canonical("task: {problem: theta30, iterations: @}\noptimizer: {name: theopoula, lambda: 0.1}\n",
                           "200");
    assert_string_equal(
        text, "{\"anneal\":\"none\",\"average\":\"off\",\"average_after\":5,\"beta\":100000000000000,\"decay\""
              ":1,\"dimension\":1,\"epsilon\":1e-08,\"eta\":0,\"every\":0,\"floor\":0,\"iterations\":200,\"lam"
              "bda\":0.1,\"milestones\":\"[]\",\"optimizer\":\"theopoula\",\"problem\":\"theta30\",\"r\":0,\"r"
              "ecord\":100,\"start\":5,\"sync_epsilon\":false,\"variant\":\"paper\",\"warmup\":0,\"weight_deca"
              "y\":0}");
    pl_run_key(text, 1, key);
    pl_digest_hex(key, sizeof key, hex);
    assert_string_equal(hex, "05a67940cca80440ae37cee3f8bdbaec501566b334bd29fd2a7bea7a99877124");
    free(text);
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

/* Settings of a command have the type of their value. */
static void free_settings(void **state)
{
    (void)state;
    /* These names choose a task elsewhere; of a command they are settings like any other. */
    grid_is("study: s\ntask: {command: [sh]}\nsettings: {dataset: [mnist, svhn], model: mlp}\n", "dataset model",
            "mnist mlp; svhn mlp");
    struct pl_spec *spec = load(
        "study: s\ntask: {command: [sh]}\nsettings: {width: 64, rate: 1e-3, deep: true, mode: fast, "
        "code: \"007\", half: \"= width/2\", lr: .inf}\n");
    struct pl_walk *w = pl_walk_new(pl_spec_study(spec, 0));
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t seed_count;
    struct pl_text text = {0};
    assert_int_equal(pl_walk_next(w, &settings, &seeds, &seed_count), 0);
    pl_settings_write(settings, &text);
    assert_string_equal(pl_text(&text),
                        "{\"code\":\"007\",\"command\":\"[\\\"sh\\\"]\",\"deep\":true,\"directory\":\".\","
                        "\"half\":32,\"lr\":\"inf\",\"mode\":\"fast\",\"rate\":0.001,\"width\":64}");
    pl_text_release(&text);
    pl_walk_free(w);
    pl_spec_free(spec);
}

static void several_studies(void **state)
{
    (void)state;
    static const char *const files[] = {
        "defaults: {task: {problem: theta30}}\nstudies:\n  - {study: a, optimizer: sgd}\n  - {study: b, optimizer: "
        "adam}\n",
        "defaults: {task: {problem: theta30}}\nstudy: a\noptimizer: sgd\n---\nstudy: b\noptimizer: adam\n...\n",
        "defaults: {task: {problem: theta30}}\n---\nstudy: a\noptimizer: sgd\n---\n---\nstudy: b\noptimizer: adam\n",
        ("\xEF\xBB\xBF%YAML 1.2\n---\nstudies: [{study: a, optimizer: sgd}]\n---\nstudy: b\noptimizer: adam\n"
         "defaults: {task: {problem: theta30}}\n"),
    };
    for (size_t i = 0; i < COUNT(files); i++) {
        struct pl_spec *spec = load(files[i]);
        assert_int_equal(pl_spec_study_count(spec), 2);
        assert_string_equal(pl_spec_study(spec, 0)->name, "a");
        assert_string_equal(pl_spec_study(spec, 1)->name, "b");
        struct walked all;
        walk(pl_spec_study(spec, 1), &all);
        assert_non_null(strstr(all.lines[0], "\"optimizer\":\"adam\""));
        release(&all);
        pl_spec_free(spec);
    }
}

static const char declared[] =
    "study: sens\n"
    "description: how λ matters\n" TASK "optimizer: {name: [theopoula, adam], lambda: [0.5, 0.1], epsilon: 0.1}\n"
    "metrics: {loss: min, theta: none, hits: max}\n"
    "timeout: 1e2\n"
    "tables:\n"
    "  - {rows: [optimizer, problem], columns: lr, value: best-valid loss, cell: median, digits: 2, title: A,\n"
    "     where: {λ: [0.5, 1e-1], optimizer: adam}}\n"
    "  - {value: last theta}\n"
    "figures:\n"
    "  - {kind: curves, x: epoch, y: loss, panels: optimizer, lines: λ, log: [x, y], y_range: [1e-3, 5]}\n"
    "  - {kind: sensitivity, x: λ, y: last loss, log: x, lines: [optimizer], name: lambda.1, title: B,\n"
    "     fit: [0.1, 0.5], slopes: [0.5, 2]}\n"
    "  - {kind: heatmap, x: λ, y: ε, z: best loss, x_range: [-1, 1]}\n"
    "  - {kind: curves, y: theta, where: {beta1: 0.9}}\n"
    "  - {kind: trajectories, y: theta, fit: true, slopes: 1}\n";

static void check_declared(const struct pl_study *s)
{
    assert_string_equal(s->description, "how λ matters");
    assert_true(s->timeout == 100);
    assert_int_equal(s->metric_count, 3);
    assert_string_equal(s->metrics[0].name, "loss");
    assert_int_equal(s->metrics[0].direction, PL_MINIMIZE);
    assert_int_equal(s->metrics[1].direction, PL_NEUTRAL);
    assert_int_equal(s->metrics[2].direction, PL_MAXIMIZE);
    assert_int_equal(s->axis_count, 2);
    assert_string_equal(s->axes[0], "optimizer");
    assert_string_equal(s->axes[1], "lambda");

    assert_int_equal(s->table_count, 2);
    const struct pl_table_spec *t = &s->tables[0];
    assert_int_equal(t->rows.count, 2);
    assert_string_equal(t->rows.names[1], "problem");
    assert_int_equal(t->columns.count, 1);
    assert_string_equal(t->columns.names[0], "lambda");
    assert_string_equal(t->metric, "loss");
    assert_int_equal(t->select, PL_SELECT_BEST_VALID);
    assert_string_equal(t->cell, "median");
    assert_int_equal(t->digits, 2);
    assert_string_equal(t->title, "A");
    assert_int_equal(t->where_count, 2);
    assert_string_equal(t->where[0].key, "lambda");
    assert_int_equal(t->where[0].count, 2);
    assert_true(t->where[0].values[1].real == 0.1);
    assert_string_equal(t->where[1].values[0].string, "adam");
    t = &s->tables[1];
    assert_null(t->title);
    assert_int_equal(t->rows.count + t->columns.count + t->where_count, 0);
    assert_string_equal(t->metric, "theta");
    assert_int_equal(t->select, PL_SELECT_LAST);
    assert_string_equal(t->cell, "mean(std)");
    assert_int_equal(t->digits, -1);

    assert_int_equal(s->figure_count, 5);
    const struct pl_figure_spec *f = &s->figures[0];
    assert_int_equal(f->kind, PL_FIGURE_CURVES);
    assert_string_equal(f->name, "sens-curves");
    assert_string_equal(f->x, "epoch");
    assert_string_equal(f->y, "loss");
    assert_string_equal(f->panels.names[0], "optimizer");
    assert_string_equal(f->lines.names[0], "lambda");
    assert_true(f->log_x && f->log_y && isnan(f->x_range[0]) && isnan(f->x_range[1]));
    assert_true(f->y_range[0] == 1e-3 && f->y_range[1] == 5);
    f = &s->figures[1];
    assert_int_equal(f->kind, PL_FIGURE_SENSITIVITY);
    assert_string_equal(f->name, "lambda.1");
    assert_string_equal(f->x, "lambda");
    assert_string_equal(f->y, "loss");
    assert_int_equal(f->select, PL_SELECT_LAST);
    assert_true(f->log_x && !f->log_y);
    assert_true(f->fit && f->fit_range[0] == 0.1 && f->fit_range[1] == 0.5);
    assert_true(f->slope_count == 2 && f->slopes[0] == 0.5 && f->slopes[1] == 2);
    f = &s->figures[2];
    assert_true(!f->fit && !f->slope_count);
    assert_int_equal(f->kind, PL_FIGURE_HEATMAP);
    assert_string_equal(f->y, "epsilon");
    assert_string_equal(f->z, "loss");
    assert_int_equal(f->select, PL_SELECT_BEST);
    assert_true(f->x_range[0] == -1 && f->x_range[1] == 1);
    assert_string_equal(s->figures[3].name, "sens-curves-2");
    assert_string_equal(s->figures[3].where[0].key, "beta1");
    assert_string_equal(s->figures[4].name, "sens-trajectories");
    assert_null(s->figures[4].z);
    assert_true(s->figures[4].fit && !(s->figures[4].fit_range[0] < s->figures[4].fit_range[1]));
    assert_true(s->figures[4].slope_count == 1 && s->figures[4].slopes[0] == 1);
}

static void tables_and_figures(void **state)
{
    (void)state;
    struct pl_spec *spec = load(declared);
    check_declared(pl_spec_study(spec, 0));
    pl_spec_free(spec);
}

/* What a report reads back from a database must not depend on what this poula would still run. */
static void declarations_of_an_old_spec(void **state)
{
    (void)state;
    struct pl_spec *spec;
    struct pl_text problems = {0};
    struct pl_error err;
    assert_int_equal(pl_spec_parse_declarations(&spec, declared, strlen(declared), "x", &problems, &err), 0);
    check_declared(pl_spec_study(spec, 0));
    assert_int_equal(pl_spec_study(spec, 0)->configs, 0);
    pl_spec_free(spec);
    const char old[] = "study: s\ntask: {problem: forgotten, cache: [3, 4]}\noptimizer: {name: lost, lr: [1, 2]}\n"
                       "seeds: [5, 6]\nexclude: [{cache: 3}]\nzip: [[cache, gone]]\n"
                       "tables: [{rows: cache, columns: λ, value: best loss, where: {lr: 1, cache: 4}}]\n";
    assert_int_equal(pl_spec_parse_declarations(&spec, old, strlen(old), "x", &problems, &err), 0);
    const struct pl_study *s = pl_spec_study(spec, 0);
    assert_int_equal(s->seed_count, 2);
    assert_string_equal(s->tables[0].rows.names[0], "cache");
    assert_string_equal(s->tables[0].columns.names[0], "lambda");
    assert_string_equal(s->tables[0].where[0].key, "lambda");
    assert_true(s->tables[0].where[0].values[0].real == 1);
    pl_spec_free(spec);
    assert_int_equal(problems.length, 0);
    pl_text_release(&problems);
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

/* The database has the text, and the name of the study says in which scale it was run. */
static void declarations_in_a_scale(void **state)
{
    (void)state;
    static const char text[] =
        "defaults: {scale: {quick: {iterations: 5, problem: {theta30: {problem: quadratic, condition: 10, noise: 0},"
        " rastrigin: {problem: quadratic, condition: 100, noise: 0}}}, odd: {yes: 1, lambda: {yes: 1}}}}\n"
        "studies:\n"
        "- study: s\n"
        "  task: {problem: [theta30, rastrigin], iterations: 50}\n"
        "  optimizer: {name: sgd, lambda: [1, 2]}\n"
        "  scale: {quick: {seeds: [4, 5]}}\n"
        "  tables: [{rows: problem, columns: lambda, value: best loss, title: T, where: {problem: rastrigin}}]\n"
        "  figures: [{kind: curves, y: loss, name: f}, {kind: curves, y: loss}]\n";
    struct pl_spec *spec;
    struct pl_text problems = {0};
    struct pl_error err;
    assert_int_equal(pl_spec_parse_declarations(&spec, text, strlen(text), "x", &problems, &err), 0);
    assert_int_equal(problems.length, 0);
    assert_int_equal(pl_spec_study_count(spec), 3);
    const struct pl_study *s = pl_spec_study(spec, 0);
    assert_string_equal(s->name, "s");
    assert_int_equal(s->rename_count, 0);
    assert_int_equal(s->tables[0].rows.count, 1);
    s = pl_spec_study(spec, 1);
    assert_string_equal(s->name, "s-quick");
    assert_int_equal(s->seed_count, 2);
    assert_string_equal(s->tables[0].title, "T (quick)");
    assert_int_equal(s->tables[0].rows.count, 2); /* noise does not tell anything apart */
    assert_string_equal(s->tables[0].rows.names[1], "condition");
    assert_int_equal(s->tables[0].where_count, 3);
    assert_string_equal(s->tables[0].where[0].values[0].string, "quadratic");
    assert_string_equal(s->tables[0].where[1].key, "condition");
    assert_true(pl_value_equal(s->tables[0].where[1].values, &(struct pl_value){PL_INTEGER, {.integer = 100}}));
    assert_string_equal(s->figures[0].name, "f-quick");
    assert_string_equal(s->figures[1].name, "s-quick-curves-2");
    assert_int_equal(s->rename_count, 2);
    assert_string_equal(s->renames[1].key, "problem");
    assert_string_equal(s->renames[1].old.string, "rastrigin");
    assert_int_equal(s->renames[1].now_count, 3);
    assert_string_equal(pl_spec_study(spec, 2)->name, "s-odd");
    pl_spec_free(spec);
    pl_text_release(&problems);
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

static void files_and_folders(void **state)
{
    (void)state;
    struct pl_spec *spec = NULL;
    struct pl_text problems = {0};
    struct pl_error err = {0, ""};
    assert_true(pl_spec_load(&spec, "no/such/file.yaml", NULL, &problems, &err) < 0);
    assert_non_null(strstr(err.text, "no/such/file.yaml"));
    assert_true(pl_spec_load(&spec, "/", NULL, &problems, &err) < 0);
    assert_null(spec);
    pl_text_release(&problems);
}

/* Takes 0.5 for the best and 0.25 for the second best of every optimizer but adam. */
static int pick(void *self, const struct pl_pick *pick, const struct pl_settings *settings, struct pl_value *value,
                struct pl_error *error)
{
    ++*(size_t *)self;
    assert_string_equal(pick->key, "lambda");
    assert_int_equal(pick->study, 1);
    assert_int_equal(pick->table, 1);
    assert_null(pl_settings_find(settings, "lambda"));
    assert_null(pl_settings_find(settings, "eta"));
    if (!strcmp(pl_settings_string(settings, "optimizer", ""), "adam"))
        return pl_fail(error, PL_EMISSING, "nothing for adam");
    *value = (struct pl_value){PL_REAL, {.real = pick->place == 1 ? 0.5 : 0.25}};
    return 0;
}

static void settings_from_a_table(void **state)
{
    (void)state;
    static const char
        text[] = "defaults:\n  " TASK "studies:\n"
                 "- study: final\n  seeds: [1, 2]\n  cases:\n"
                 "  - optimizer: {name: tusla, lambda: [{from: search}, {from: search, best: 2}], eta: \"lambda/2\"}\n"
                 "  - optimizer: {name: %s, lambda: {from: search}}\n"
                 "  - optimizer: {name: tusla, lambda: 0.25, eta: 0.125}\n"
                 "- study: search\n  optimizer: {name: [tusla, sgd, adam], lambda: [0.5, 0.25, 1]}\n"
                 "  tables:\n  - {value: loss}\n  - {rows: optimizer, value: loss, select: {best: 2, over: lambda}}\n";
    for (int fails = 0; fails < 2; fails++) {
        struct pl_text spelled = {0}, problems = {0}, got = {0};
        struct pl_error error = {0};
        size_t asked = 0;
        pl_text_addf(&spelled, text, fails ? "adam" : "sgd");
        struct pl_spec *spec = load(pl_text(&spelled));
        const struct pl_study *study = pl_spec_study(spec, 0);
        assert_true(study->waiting && !pl_spec_study(spec, 1)->waiting);
        assert_int_equal(study->source_count, 1);
        assert_int_equal(study->sources[0], 1);
        assert_int_equal(study->runs, 8); /* an upper bound: two of the four configurations are the same */
        int status = pl_spec_settle(spec, 0, pick, &asked, &problems, &error);
        assert_true(asked > 0);
        assert_int_equal(study->waiting, fails);
        assert_int_equal(study->runs, fails ? 8 : 6);
        if (fails) {
            assert_int_equal(status, PL_EINPUT);
            assert_non_null(strstr(pl_text(&problems), "spec.yaml:8:37: lambda: nothing for adam\n"));
        } else {
            assert_int_equal(status, 0);
            struct pl_walk *w = pl_walk_new(study);
            const struct pl_settings *settings;
            const int64_t *seeds;
            size_t seed_count;
            while (!pl_walk_next(w, &settings, &seeds, &seed_count))
                pl_text_addf(&got, "%s %g %g; ", pl_settings_string(settings, "optimizer", ""),
                             pl_settings_real(settings, "lambda", 0), pl_settings_real(settings, "eta", -1));
            pl_walk_free(w);
            assert_string_equal(pl_text(&got), "tusla 0.5 0.25; tusla 0.25 0.125; sgd 0.5 -1; ");
        }
        pl_spec_free(spec);
        pl_text_release(&spelled);
        pl_text_release(&problems);
        pl_text_release(&got);
    }
}

/* What a command does not get to know is said (L9, U3), and that a word is empty (L10). */
static void slips_of_commands_are_noted(void **state)
{
    (void)state;
    static const struct {
        const char *text, *notes;
    } cases[] = {
        {"study: s\ntask: {command: [sh, -c, \"echo {lr}\"]}\nsettings: {lr: [1, 2], dropout: [0, 0.5]}\nseeds: [1, 2, "
         "3]\n",
         "s: no word of the command uses dropout, so runs that differ only in it are the same program with the same "
         "words\n"
         "s: no word of the command has {seed}, so its 3 seeds run the same words\n"},
        {"study: s\ntask: {command: [echo, hello]}\nsettings: {epohcs: 2, lr: 0.1}\n",
         "s: no word of the command uses epohcs and lr, so the program does not get to know them\n"},
        {"study: s\ntask: {command: [echo, \"{args}\", \"{seed}\"]}\nsettings: {lr: [1, 2]}\nseeds: [1, 2]\n", ""},
        {"study: s\ntask: {command: [echo, \"{settings_file}\"]}\nsettings: {lr: [1, 2]}\n", ""},
        {"study: s\ntask: {command: [echo, \"{amp}\", \"{bn?}\"]}\nsettings: {amp: [--amp, \"\"], bn: [--bn, \"\"]}\n",
         "s: the word {amp} of the command is empty in some runs, and is passed so; {amp?} leaves it out then\n"},
        {"study: s\ntask: {command: [echo, \"{{lr}\", \"{rnn}\"]}\nsettings: {lr: [1, 2], rnn: [null, LSTM]}\n",
         "s: no word of the command uses lr, so runs that differ only in it are the same program with the same "
         "words\n"},
        {"study: s\ntask: {problem: theta30}\noptimizer: {name: sgd, lr: [0.1, 0.2]}\nseeds: [1, 2]\n", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pl_spec *spec = load(cases[i].text);
        struct pl_text notes = {0};
        pl_spec_notes(pl_spec_study(spec, 0), true, &notes);
        assert_string_equal(pl_text(&notes), cases[i].notes);
        pl_text_release(&notes);
        pl_spec_free(spec);
    }
}

/* How output is read belongs to the study, and to no key. */
static void reading_is_in_no_key(void **state)
{
    (void)state;
#define COMMAND "study: s\ntask: {command: [echo, \"{lr}\"]}\nsettings: {lr: 1}\n"
    struct pl_spec *plain = load(COMMAND);
    struct pl_spec *spec = load(
        COMMAND "pattern: ['a (?<loss>.*)', b]\nmetrics_file: \"{run_folder}/m.csv\"\nstderr: true\nstall: 10m\n"
                "timeout: 2h\n");
    const struct pl_study *study = pl_spec_study(spec, 0);
    assert_null(pl_spec_study(plain, 0)->reading);
    assert_string_equal(study->reading,
                        "{\"metrics_file\":\"{run_folder}/m.csv\",\"pattern\":[\"a (?<loss>.*)\",\"b\"],"
                        "\"stall\":600,\"stderr\":true}");
    assert_true(study->timeout == 7200);
    struct pl_walk *walk[2] = {pl_walk_new(pl_spec_study(plain, 0)), pl_walk_new(study)};
    struct pl_text text[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++) {
        const struct pl_settings *settings;
        const int64_t *seeds;
        size_t count;
        assert_int_equal(pl_walk_next(walk[i], &settings, &seeds, &count), 0);
        pl_settings_write(settings, &text[i]);
        pl_walk_free(walk[i]);
    }
    assert_string_equal(pl_text(&text[0]), pl_text(&text[1]));
    pl_text_release(&text[0]);
    pl_text_release(&text[1]);
    pl_spec_free(plain);
    pl_spec_free(spec);
    spec = load("defaults: {task: {command: [echo, \"{lr}\"]}, stall: 1m}\nstudies:\n- {study: a, settings: {lr: 1}}\n"
                "- {study: b, settings: {lr: 1}, stall: 2m, stderr: false}\n");
    assert_string_equal(pl_spec_study(spec, 0)->reading, "{\"stall\":60}");
    assert_string_equal(pl_spec_study(spec, 1)->reading, "{\"stall\":120}");
    pl_spec_free(spec);
}

/* Each word for the positions of what was recorded is one, and plots know the same words. */
static void figures_over_time(void **state)
{
    (void)state;
    static const char *const words[] = {"epoch", "iteration", "step", "n", "seconds"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "study: s\ntask: {problem: theta30}\noptimizer: sgd\nfigures: [{kind: curves, x: %s, y: theta}]\n",
                 words[i]);
        struct pl_spec *spec = load(text);
        assert_string_equal(pl_spec_study(spec, 0)->figures[0].x, i == 4 ? "seconds" : "epoch");
        pl_spec_free(spec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slips_of_commands_are_noted),
        cmocka_unit_test(figures_over_time),
        cmocka_unit_test(reading_is_in_no_key),
        cmocka_unit_test(the_toy_grid),
        cmocka_unit_test(spelling_does_not_matter),
        cmocka_unit_test(order_does_not_change_runs),
        cmocka_unit_test(keys_are_pinned),
        cmocka_unit_test(grids),
        cmocka_unit_test(lists_as_values),
        cmocka_unit_test(free_settings),
        cmocka_unit_test(several_studies),
        cmocka_unit_test(settings_from_a_table),
        cmocka_unit_test(tables_and_figures),
        cmocka_unit_test(declarations_of_an_old_spec),
        cmocka_unit_test(declarations_in_a_scale),
        cmocka_unit_test(large_grids),
        cmocka_unit_test(many_seeds),
        cmocka_unit_test(two_walks_at_once),
        cmocka_unit_test(files_and_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
