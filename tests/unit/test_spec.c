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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slips_of_commands_are_noted),
        cmocka_unit_test(reading_is_in_no_key),
        cmocka_unit_test(the_toy_grid),
        cmocka_unit_test(spelling_does_not_matter),
        cmocka_unit_test(keys_are_pinned),
        cmocka_unit_test(free_settings),
        cmocka_unit_test(several_studies),
        cmocka_unit_test(settings_from_a_table),
        cmocka_unit_test(files_and_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
