/* Training on texts that was stopped or killed goes on to the same bits. */
#include "language_parts.h"

/* ---- checkpoints */

static void test_every_optimizer_resumes(void **state)
{
    (void)state;
    for (size_t i = 0; i < pl_optim_count(); i++) {
        struct pl_settings s = {0};
        struct breaker b;
        char words[500];
        const char *name = pl_optim_info(i)->name;
        bool own = pl_optim_info(i)->averages;
        snprintf(words, sizeof words, TASK "epochs=2 optimizer=%s decay=0.5 patience=1%s", name,
                 own ? "" : " average=patience average_after=1");
        settings_of(&s, words);
        assert_int_equal(run_broken(&s, 1, NULL, 0, false, &b).outcome, PL_FINISHED);
        struct recorder whole = b.recorder;
        int questions = b.questions / 2; /* of an epoch, or nearly */
        check_stop(&s, 2, &whole, name);
        check_stop(&s, questions - 1, &whole, name);
        check_stop(&s, questions + 3, &whole, name);
        recorder_release(&whole);
        pl_settings_release(&s);
    }
}

/* Wherever it is stopped: between any two windows, while it evaluates, before and after averaging begins and lambda
 * decays. */
static void test_runs_resume_anywhere(void **state)
{
    (void)state;
    static const char *const cases[] = {
        TASK "epochs=6 optimizer=theopoula epsilon=1 lambda=10 clip=.inf beta=1e6 average=patience average_after=1 "
             "decay=0.5 patience=2",
        TASK "epochs=6 optimizer=nt_asgd lambda=100 nonmono=1 clip=5",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pl_settings s = {0};
        struct breaker b;
        settings_of(&s, cases[i]);
        assert_int_equal(run_broken(&s, 1, NULL, 0, false, &b).outcome, PL_FINISHED);
        struct recorder whole = b.recorder;
        struct recorded from;
        int questions = b.questions;
        recorder_find(&whole, "averaged_from", 0, &from);
        assert_in_range(from.epoch, 2, 6); /* the switch is inside */
        for (int after = 1; after < questions; after++)
            check_stop(&s, after, &whole, cases[i]);
        recorder_release(&whole);
        pl_settings_release(&s);
    }
}

static void test_killed_runs_resume(void **state)
{
    (void)state;
    static const char *const cases[] = {
        TASK "optimizer=theopoula lambda=5 beta=1e6 average=on checkpoint_every=1",
        TASK "optimizer=adabelief checkpoint_minutes=1e-9",
        TASK "optimizer=nt_asgd device=ref checkpoint_minutes=1e-9",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pl_settings s = {0};
        struct breaker b;
        settings_of(&s, cases[i]);
        assert_int_equal(run_broken(&s, 1, NULL, 0, false, &b).outcome, PL_FINISHED);
        struct recorder whole = b.recorder;
        check_deaths(&s, b.questions / 3 + 2, "goes on from a checkpoint", &whole, cases[i]);
        recorder_release(&whole);
        pl_settings_release(&s);
    }
}

/* D14: what format 2 wrote as arrays, patience and the state of the text among it. */
static void test_old_checkpoints_resume(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    struct breaker b;
    settings_of(&s, TASK
                "epochs=6 optimizer=nt_asgd lambda=3 nonmono=1 clip=5 decay=0.5 patience=1 checkpoint_minutes=1e-9");
    assert_int_equal(run_broken(&s, 1, NULL, 0, false, &b).outcome, PL_FINISHED);
    struct recorder whole = b.recorder;
    for (int after = 2; after < b.questions; after += 5)
        check_old_stop(&s, after, &whole, "nt_asgd with patience");
    recorder_release(&whole);
    check_old_file(&s, "text-2.safetensors", "goes on from a checkpoint in epoch 6, after 2 batches");
    pl_settings_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_optimizer_resumes),
        cmocka_unit_test(test_runs_resume_anywhere),
        cmocka_unit_test(test_killed_runs_resume),
        cmocka_unit_test(test_old_checkpoints_resume),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
