/* resources of a study: what they hold, where they come from, what is refused, and that no run's key has them. */
#include "spec_check.h"

#define HEAD "study: s\ntask: {problem: theta30}\noptimizer: sgd\n"

static void resources_are_read(void **state)
{
    (void)state;
    struct pl_spec *spec = load(
        HEAD "resources: {cpus: 4, memory: 8G, time: 1-12:00:00, gpus: 1, partition: \"long,short\", account: x, "
             "sbatch: [--constraint=avx512, --qos=long], setup: [module load cuda, . venv/bin/activate]}\n");
    const struct pl_resources *r = pl_spec_study(spec, 0)->resources;
    assert_non_null(r);
    assert_int_equal(r->cpus, 4);
    assert_true(r->memory == 8. * (1 << 30));
    assert_true(r->time == 129600);
    assert_int_equal(r->gpus, 1);
    assert_string_equal(r->partition, "long,short");
    assert_string_equal(r->account, "x");
    assert_int_equal(r->sbatch.count, 2);
    assert_string_equal(r->sbatch.items[1], "--qos=long");
    assert_int_equal(r->setup.count, 2);
    assert_string_equal(r->setup.items[1], ". venv/bin/activate");
    pl_spec_free(spec);
    spec = load(HEAD);
    assert_null(pl_spec_study(spec, 0)->resources);
    pl_spec_free(spec);
    spec = load(HEAD "resources: {setup: module load cuda, memory: 2000, time: 30}\n"); /* a text is a list of one */
    r = pl_spec_study(spec, 0)->resources;
    assert_int_equal(r->setup.count, 1);
    assert_true(r->memory == 2000. * (1 << 20));
    assert_true(r->time == 1800);
    pl_spec_free(spec);
}

static void a_study_overrides_defaults_key_by_key(void **state)
{
    (void)state;
    struct pl_spec *spec = load(
        "defaults: {task: {problem: theta30}, optimizer: sgd, resources: {partition: long, cpus: 2, "
        "setup: [a, b]}}\nstudies:\n- {study: a}\n- {study: b, resources: {cpus: 8, setup: [c]}}\n");
    const struct pl_resources *a = pl_spec_study(spec, 0)->resources, *b = pl_spec_study(spec, 1)->resources;
    assert_int_equal(a->cpus, 2);
    assert_int_equal(a->setup.count, 2);
    assert_int_equal(b->cpus, 8);
    assert_string_equal(b->partition, "long");
    assert_int_equal(b->setup.count, 1);
    assert_string_equal(b->setup.items[0], "c");
    pl_spec_free(spec);
}

static void wrong_resources_are_refused(void **state)
{
    static const struct {
        const char *given, *complaint;
    } cases[] = {
        {"4", "4:12: resources must be a mapping, such as {cpus: 4, memory: 8G, time: 4h}"},
        {"{cpu: 4}", "4:13: resources cannot have the key \"cpu\"; did you mean cpus?"},
        {"{mem: 8G}", "4:13: resources cannot have the key \"mem\""},
        {"{cpus: 0}", "4:19: cpus is 0, but must be a whole number in [1,100000]"},
        {"{cpus: [1, 2]}", "4:19: cpus"},
        {"{cpus: 2*3}", "4:19: cpus"},
        {"{gpus: -1}", "4:19: gpus is -1, but must be a whole number in [0,1000]"},
        {"{memory: lots}", "4:21: memory must be an amount such as 8G or 500M"},
        {"{memory: }", "4:21: memory must be an amount"},
        {"{memory: [8G]}", "4:21: memory must be an amount"},
        {"{time: 4 hours}", "4:19: time must be a time such as 4h, 90m, 2d or 1-12:00:00"},
        {"{time: 0}", "4:19: time must be a time"},
        {"{partition: a b}", "4:24: partition cannot be \"a b\": it must be a word"},
        {"{partition: --x}", "4:24: partition cannot be \"--x\""},
        {"{account: ''}", "4:22: account has no value"},
        {"{account: \"a\\nb\"}", "4:22: account must be one line"},
        {"{sbatch: --array=0-3}", "4:21: sbatch's --array cannot be given here: poula sets it itself"},
        {"{sbatch: [--qos=a, --time=3]}", "4:31: sbatch's --time cannot be given here: say time: 4h in resources"},
        {"{sbatch: {qos: a}}", "4:21: sbatch must be a text, not a mapping"},
        {"{setup: [\"a\\nb\"]}", "4:21: setup must be one line"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pl_text text = {0}, problems = {0}, wanted = {0};
        pl_text_addf(&text, HEAD "resources: %s\n", cases[i].given);
        pl_text_addf(&wanted, "spec.yaml:%s", cases[i].complaint);
        refused_bytes(pl_text(&text), text.length, &problems);
        if (strncmp(pl_text(&problems), pl_text(&wanted), wanted.length))
            fail_msg("%s\ngave\n%s\nbut wanted\n%s", pl_text(&text), pl_text(&problems), pl_text(&wanted));
        pl_text_release(&text);
        pl_text_release(&problems);
        pl_text_release(&wanted);
    }
}

/* With more memory a run is the same run. */
static void no_key_has_them(void **state)
{
    (void)state;
    struct pl_spec *spec[] = {load(HEAD), load(HEAD "resources: {cpus: 4, memory: 8G, setup: [a]}\n")};
    char keys[2][2 * PL_DIGEST_SIZE + 1];
    for (int i = 0; i < 2; i++) {
        struct pl_walk *walk = pl_walk_new(pl_spec_study(spec[i], 0));
        const struct pl_settings *settings;
        const int64_t *seeds;
        size_t count;
        struct pl_text text = {0};
        unsigned char digest[PL_DIGEST_SIZE];
        assert_int_equal(pl_walk_next(walk, &settings, &seeds, &count), 0);
        pl_settings_write(settings, &text);
        pl_run_key(pl_text(&text), seeds[0], digest);
        pl_digest_hex(digest, sizeof digest, keys[i]);
        pl_text_release(&text);
        pl_walk_free(walk);
        pl_spec_free(spec[i]);
    }
    assert_string_equal(keys[0], keys[1]);
}

/* A database may have the spec of a later poula, whose resources are nothing to a report. */
static void reports_do_not_look_at_them(void **state)
{
    static const char text[] = HEAD "resources: {quantum: 4}\n";
    struct pl_spec *spec;
    struct pl_text problems = {0};
    struct pl_error err = {0};
    (void)state;
    assert_int_equal(pl_spec_parse_declarations(&spec, text, sizeof text - 1, "spec.yaml", &problems, &err), 0);
    assert_null(pl_spec_study(spec, 0)->resources);
    pl_spec_free(spec);
    pl_text_release(&problems);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resources_are_read),          cmocka_unit_test(a_study_overrides_defaults_key_by_key),
        cmocka_unit_test(wrong_resources_are_refused), cmocka_unit_test(no_key_has_them),
        cmocka_unit_test(reports_do_not_look_at_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
