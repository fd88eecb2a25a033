/* Settings that change nothing, and runs that are the same training under several keys (B12). */
#include "optim/optim.h"
#include "recorder.h"
#include "spec_check.h"

#include "train_settings.h"

static void run(const struct pl_settings *s, int64_t seed, struct recorder *r)
{
    struct pl_run_request request = {.settings = s, .seed = seed, .threads = 1};
    struct pl_run_result result = {0};
    struct pl_sink sink = recorder_sink(r);
    struct pl_error err;
    if (pl_train_check(s, &err) || pl_train_run(&request, &sink, &result, &err))
        fail_msg("%s", err.text);
}

static bool same_points(const struct recorder *a, const struct recorder *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = a->points[i].series == b->points[i].series && a->points[i].epoch == b->points[i].epoch &&
               !memcmp(&a->points[i].value, &b->points[i].value, sizeof(double));
    return same;
}

/* The index-th of two legal values of a setting: moderate numbers, and whole ones beyond 60 where that is possible. */
static const char *idle_value(const struct pl_setting *setting, int index)
{
    static const char *const numbers[] = {"200", "100", "0.5", "0.25", "5", "2"}, *const truths[] = {"false", "true"};
    static char word[2][100];
    size_t length;
    if (setting->type == PL_BOOLEAN)
        return truths[index];
    for (size_t i = setting->type == PL_REAL ? 2 : 0; setting->type != PL_STRING && i < COUNT(numbers); i++) {
        struct pl_value value;
        struct pl_error err;
        if (!pl_setting_read(setting, numbers[i], &value, &err) && index-- == 0)
            return numbers[i];
    }
    const char *at = pl_next_word(setting->range, &length);
    at = index ? pl_next_word(at + length, &length) : at;
    snprintf(word[index], sizeof word[index], "%.*s", (int)length, at);
    return word[index];
}

/* Adds what makes an alternative of idle_when true (a comparison with * or != is up to the base). False where such runs
 * have no setting that it compares. */
static bool add_condition(struct pl_text *words, const struct pl_settings *complete, const char *alternative,
                          size_t length)
{
    size_t size;
    for (const char *word = alternative; (word = pl_next_word(word, &size)) && word < alternative + length;
         word += size) {
        const char *sign = word + strcspn(word, "!>=");
        char key[100];
        snprintf(key, sizeof key, "%.*s", (int)(sign - word), word);
        if (sign < word + size && !pl_settings_find(complete, key))
            return false;
        if (*sign == '>')
            pl_text_addf(words, " %.*s=100 decay=0.5", (int)(sign - word), word);
        else if (*sign == '=' && sign[1] != '*' && sign < word + size)
            pl_text_addf(words, " %.*s", (int)size, word);
    }
    return true;
}

/* Runs with both values wherever an alternative holds; returns how often. */
static int check_idle(const char *base, const struct pl_settings *complete, const struct pl_setting *setting)
{
    int checked = 0;
    for (const char *from = setting->idle_when, *to; from; from = *to ? to + 4 : NULL) {
        struct recorder recorders[2] = {{.count = 0}, {.count = 0}};
        bool holds = true;
        to = strstr(from, " or ");
        to = to ? to : from + strlen(from);
        for (int i = 0; i < 2; i++) {
            struct pl_text words = {0};
            struct pl_settings s = {0};
            struct pl_error err;
            pl_text_add(&words, base);
            holds = holds && add_condition(&words, complete, from, (size_t)(to - from));
            pl_text_addf(&words, " %s=%s", setting->key, idle_value(setting, i));
            if (holds)
                settings_of(&s, pl_text(&words));
            holds = holds && pl_setting_is_idle(setting, &s) && !pl_train_check(&s, &err);
            if (holds)
                run(&s, 1, &recorders[i]);
            pl_settings_release(&s);
            pl_text_release(&words);
        }
        if (holds && recorders[0].count == 0)
            fail_msg("%s: nothing was recorded", base);
        if (holds && !same_points(&recorders[0], &recorders[1]))
            fail_msg("%s: %s changes something when %.*s", base, setting->key, (int)(to - from), from);
        checked += holds;
        recorder_release(&recorders[0]);
        recorder_release(&recorders[1]);
    }
    return checked;
}

/* What a descriptor calls idle is: runs with two values are equal to the bit (B12). */
static void idle_settings_change_nothing(void **state)
{
    (void)state;
    int checked = 0;
    for (size_t i = 0; i <= pl_optim_count(); i++) {
        struct pl_settings chosen = {0};
        struct pl_schema schema;
        struct pl_error err;
        char base[300];
        if (i < pl_optim_count())
            snprintf(base, sizeof base, "problem=quadratic optimizer=%s dimension=2 noise=1 iterations=60 record=60",
                     pl_optim_info(i)->name);
        else
            snprintf(base, sizeof base,
                     "problem=langevin target=quartic optimizer=sgld beta=1 chains=20 iterations=60 record=6");
        settings_of(&chosen, base);
        assert_int_equal(pl_train_schema(&chosen, &schema, &err), 0);
        for (size_t p = 0; p < schema.count; p++)
            for (size_t k = 0; k < schema.parts[p].count; k++)
                checked += check_idle(base, &chosen, &schema.parts[p].settings[k]);
        pl_settings_release(&chosen);
    }
    assert_in_range(checked, 50, 20000);
}

/* Where nothing is drawn, seeds change nothing; where something is, they do (B12). */
static void seeds_count_where_something_is_drawn(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        bool draws;
    } cases[] = {
        {"problem=quadratic optimizer=adam iterations=20", false},
        {"problem=quadratic optimizer=adam iterations=20 noise=0.1", true},
        {"problem=quadratic optimizer=theopoula beta=1e3 iterations=20", true},
        {"problem=quadratic optimizer=theopoula beta=inf iterations=20", false},
        {"problem=quadratic optimizer=theopoula beta=1 variant=official iterations=20", false},
        {"problem=quadratic optimizer=theopoula beta=1 iterations=20", true},
        {"problem=quadratic optimizer=sgld beta=1 iterations=20", true},
        {"problem=theta30 optimizer=sgd lambda=0.001 start=0.5 iterations=20", true},
        {"problem=langevin target=quartic gradient=exact optimizer=sgld beta=1 chains=20 iterations=20", true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct recorder recorders[2] = {{.count = 0}, {.count = 0}};
        struct pl_settings s = {0};
        settings_of(&s, cases[i].words);
        run(&s, 1, &recorders[0]);
        run(&s, 2, &recorders[1]);
        if (pl_train_draws(&s) != cases[i].draws || same_points(&recorders[0], &recorders[1]) == cases[i].draws)
            fail_msg("%s", cases[i].words);
        recorder_release(&recorders[0]);
        recorder_release(&recorders[1]);
        pl_settings_release(&s);
    }
}

/* B12: runs that differ only in what changes nothing are said to be the same training. */
static void idle_settings_are_noted(void **state)
{
    (void)state;
    static const struct {
        const char *text, *notes;
    } cases[] = {
#define THETA30 "study: s\ntask: {problem: theta30, iterations: 100}\n"
#define QUADRATIC "study: s\ntask: {problem: quadratic, iterations: 100}\n"
        {THETA30 "optimizer: {name: theopoula, eta: [0, 0.1], r: [0, 1, 2]}\nseeds: [1, 2, 3]\n",
         "s: r of theopoula has no effect when eta=0, so 6 of 18 runs are the same training as another one, under "
         "another key\n"},
        {THETA30 "optimizer: {name: theopoula, eta: 0, r: 2}\nseeds: [1, 2, 3]\n", ""},
        {THETA30 "optimizer: {name: theopoula, eta: [0, 0.1], r: [1, 2]}\nzip: [[eta, r]]\nseeds: [1, 2, 3]\n", ""},
        {THETA30 "optimizer: {name: tusla, eta: [0, 0.1], r: [0, 1, 2]}\nseeds: [1, 2, 3]\n", ""},
        {THETA30 "optimizer: {name: [theopoula, tusla], r: [0, 1]}\n",
         "s: r of theopoula has no effect when eta=0, so 1 of 4 runs is the same training as another one, under "
         "another key\n"},
        {THETA30 "cases: [{optimizer: {name: theopoula, r: 3}}, {optimizer: {name: theopoula}}]\n",
         "s: r of theopoula has no effect when eta=0, so 1 of 2 runs is the same training as another one, under "
         "another key\n"},
        {THETA30 "optimizer: {name: theopoula, lambda: [0.1, 0.2], r: \"10*lambda\", eta: [0, 1]}\n", ""},
        {THETA30 "optimizer: {name: theopoula, variant: [paper, official], beta: [1, 2]}\n",
         "s: variant of theopoula has no effect when eta=0 and beta!=1, so 1 of 4 runs is the same training as another "
         "one, "
         "under another key\n"},
        {THETA30 "optimizer: {name: theopoula, epsilon: [0.1, 1], sync_epsilon: [true, false], r: [0, 1]}\n",
         "s: r of theopoula has no effect when eta=0, nor epsilon of theopoula when sync_epsilon=true, so 5 of 8 runs "
         "are the same training as another one, under another key\n"},
        {THETA30 "optimizer: {name: theopoula, eta: [0, 0.1], r: [0, 1]}\nseeds: [1, 2, 3]\nexclude: [{r: 1, eta: 0, "
                 "seed: 3}]\n",
         "s: r of theopoula has no effect when eta=0, so 2 of 11 runs are the same training as another one, under "
         "another key\n"},
        {THETA30 "optimizer: {name: msvag, epsilon: [0.1, 0.2]}\n",
         "s: epsilon of msvag has no effect, so 1 of 2 runs is the same training as another one, under another key\n"},
        {THETA30 "optimizer: {name: sgd, average_after: [1, 2]}\n",
         "s: average_after of sgd has no effect when average=off or average=on or average=ema, so 1 of 2 runs is the "
         "same training as "
         "another "
         "one, under another key\n"},
        {THETA30 "optimizer: {name: sgd, momentum: [0, 0.9], dampening: [0, 0.1]}\n",
         "s: dampening of sgd has no effect when momentum=0, so 1 of 4 runs is the same training as another one, under "
         "another "
         "key\n"},
        {THETA30 "optimizer: {name: sgd}\nschedule: {decay: 0.1, every: [50, 100, 200]}\n",
         "s: every has no effect when every>=epochs or every>=iterations, so 1 of 3 runs is the same training as "
         "another one, "
         "under another key\n"},
        /* its own value is enough to be named, in a single run too */
        {THETA30 "optimizer: {name: sgd}\nschedule: {warmup: 1}\n",
         "s: warmup has no effect when warmup=1 and anneal=none and unit=epoch\n"},
        {THETA30 "optimizer: {name: sgd}\nschedule: {warmup: [1, 2]}\n", ""},
        {THETA30 "optimizer: {name: sgd}\nschedule: {warmup: 1, anneal: cosine}\n", ""},
        {THETA30 "optimizer: {name: sgd}\nschedule: {warmup: [0, 1]}\n",
         "s: warmup has no effect when warmup=1 and anneal=none and unit=epoch, so 1 of 2 runs is the same training as "
         "another one, under another key\n"},
        {THETA30 "optimizer: {name: sgd}\nschedule: {decay: 0.1, every: 100}\n",
         "s: every has no effect when every>=epochs or every>=iterations\n"},
        {THETA30 "optimizer: {name: theopoula, eta: 0, r: 2}\n", ""},
        /* and so is the course of a number that is 0 or infinite */
        {THETA30 "optimizer: {name: sgd, lambda: [0.1, 0.2]}\nschedule: {momentum_anneal: cosine}\n",
         "s: momentum_anneal has no effect when momentum=0\n"},
        {THETA30 "optimizer: {name: theopoula, beta: .inf}\nschedule: {beta_warmup: 10}\n",
         "s: beta_warmup has no effect when beta=inf\n"},
        {THETA30 "optimizer: {name: sgd, momentum: [0, 0.9]}\nschedule: {momentum_anneal: cosine}\n", ""},
        /* where nothing is drawn all seeds are one training */
        {QUADRATIC "optimizer: {name: adam, lambda: [0.1, 0.2]}\nseeds: [1, 2, 3]\n",
         "s: the seed has no effect where nothing is drawn, so 4 of 6 runs are the same training as another one, under "
         "another "
         "key\n"},
        {QUADRATIC "optimizer: {name: [adam, theopoula]}\nseeds: [1, 2, 3]\n",
         "s: the seed has no effect where nothing is drawn, so 2 of 6 runs are the same training as another one, under "
         "another "
         "key\n"},
        {"study: s\ntask: {problem: quadratic, noise: 1}\noptimizer: {name: adam}\nseeds: [1, 2, 3]\n", ""},
        {THETA30 "optimizer: {name: adam}\nseeds: [1, 2, 3]\n", ""},
        {"study: s\ntask: {problem: langevin, target: quartic, noise: [0, 1], gradient: [exact, stochastic], "
         "directions: [1, 2]}\n"
         "optimizer: {name: sgld, beta: 1}\n",
         "s: directions has no effect when dimension=1, nor gradient when noise=0, nor noise when gradient=exact, so "
         "6 of 8 runs are the same training as another one, under another key\n"},
        {"study: s\ntask: {dataset: glyphs, model: [mlp, cnn], precision: [fast, exact]}\noptimizer: {name: sgd}\n",
         "s: precision has no effect when device=ref or model=mlp or model=awd_lstm, so 1 of 4 runs is the same "
         "training as "
         "another one, under another key\n"},
        {"study: s\ntask: {command: [echo, \"{r} {eta}\"]}\nsettings: {r: [1, 2], eta: 0}\n", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pl_spec *spec = load(cases[i].text);
        struct pl_text notes = {0};
        pl_spec_idle_notes(pl_spec_study(spec, 0), &notes);
        assert_string_equal(pl_text(&notes), cases[i].notes);
        pl_text_release(&notes);
        pl_spec_free(spec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_settings_change_nothing),
        cmocka_unit_test(seeds_count_where_something_is_drawn),
        cmocka_unit_test(idle_settings_are_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
