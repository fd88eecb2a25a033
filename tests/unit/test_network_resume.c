/* Training on images that was stopped or killed goes on to the same bits; checkpoints of others do not. */
#include "network_parts.h"

/* Of every optimizer, stopped in its first epoch, while it evaluates, and in its second epoch. An epoch asks 3 times
 * while it trains, once for validation and twice for testing. */
static void test_every_optimizer_resumes(void **state)
{
    (void)state;
    for (size_t i = 0; i < pl_optim_count(); i++) {
        struct pl_settings s = {0};
        struct breaker b;
        char words[400];
        const char *name = pl_optim_info(i)->name;
        bool own = pl_optim_info(i)->averages;
        snprintf(words, sizeof words, TASK "epochs=2 optimizer=%s decay=0.5 every=1%s", name,
                 own ? "" : " average=patience average_after=1");
        settings_of(&s, words);
        assert_int_equal(run_broken(&s, 1, NULL, 0, false, &b).outcome, PL_FINISHED);
        struct recorder whole = b.recorder;
        check_stop(&s, 2, &whole, name);
        check_stop(&s, 5, &whole, name);
        check_stop(&s, 7, &whole, name);
        recorder_release(&whole);
        pl_settings_release(&s);
    }
}

/* A run of a database that is older than some settings has their defaults: the same bits, and its key is what it was,
 * so that it goes on from its checkpoint. */
static void test_settings_that_came_later(void **state)
{
    (void)state;
    static const char *const later[] = {"label_smoothing", "average_after", "momentum", "every"};
    struct pl_settings s = {0};
    struct breaker b;
    settings_of(&s, TASK "epochs=2 optimizer=sgd lambda=0.1");
    assert_int_equal(run_broken(&s, 1, NULL, 0, false, &b).outcome, PL_FINISHED);
    struct recorder whole = b.recorder;
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        pl_settings_remove(&s, later[i]);
    check_stop(&s, 5, &whole, "without some settings");
    recorder_release(&whole);
    struct pl_text text = {0};
    char key[2 * PL_DIGEST_SIZE + 1];
    unsigned char digest[PL_DIGEST_SIZE];
    run_broken(&s, 1, folder, 5, false, &b);
    recorder_release(&b.recorder);
    pl_settings_write(&s, &text);
    pl_run_key(pl_text(&text), 7, digest);
    pl_digest_hex(digest, sizeof digest, key);
    assert_int_equal(pl_train_folder_state(folder, NULL, key), PL_FOLDER_OWN);
    empty_folder();
    pl_text_release(&text);
    pl_settings_release(&s);
}

/* Of several methods with more state than others, on every device, killed over and over. */
static void test_killed_runs_resume(void **state)
{
    (void)state;
    static const char *const cases[] = {
        TASK "optimizer=theopoula lambda=0.1 beta=1e6 average=on checkpoint_every=1",
        TASK "optimizer=adabelief checkpoint_minutes=1e-9 clip=0.5 label_smoothing=0.1",
        TASK "optimizer=sgd momentum=0.9 device=ref checkpoint_minutes=1e-9",
        TASK "optimizer=adam lookahead=2 sam=0.05 checkpoint_minutes=1e-9",
        TASK "optimizer=adam average=swa average_after=1 checkpoint_minutes=1e-9 weight_decay=0.1 decay_on=matrices",
        TASK "optimizer=sgd unit=step warmup=3 anneal=cosine cycle=4 checkpoint_minutes=1e-9",
        TASK "optimizer=sgd unit=fraction warmup=1.5 warmup_from=0.1 decay=0.5 patience=1 threshold=0.5 cooldown=1 "
             "checkpoint_minutes=1e-9",
        TASK "optimizer=sgd momentum=0.9 momentum_anneal=onecycle momentum_warmup=1 momentum_floor=0.9 unit=fraction "
             "weight_decay=0.1 weight_decay_anneal=cosine checkpoint_minutes=1e-9",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pl_settings s = {0};
        struct breaker b;
        settings_of(&s, cases[i]);
        assert_int_equal(run_broken(&s, 1, NULL, 0, false, &b).outcome, PL_FINISHED);
        struct recorder whole = b.recorder;
        check_deaths(&s, 7, "goes on from a checkpoint in epoch 3", &whole, cases[i]);
        recorder_release(&whole);
        pl_settings_release(&s);
    }
}

static void write_over(const char *name, long at, const char *bytes, size_t count)
{
    FILE *file = fopen(file_path(name), "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

static void cut(const char *name, double share)
{
    struct stat info;
    assert_int_equal(stat(file_path(name), &info), 0);
    assert_int_equal(truncate(file_path(name), (off_t)((double)info.st_size * share)), 0);
}

/* Leaves both checkpoints of a run that was killed in its third epoch: the second file is the newer one. */
static void leave_two(const struct pl_settings *s)
{
    empty_folder();
    die_at(s, 14);
    assert_true(exists("checkpoint-1.safetensors") && exists("checkpoint-2.safetensors"));
}

static void check_rest(const struct pl_settings *s, const struct recorder *whole, const char *log, const char *no_log)
{
    struct breaker b;
    assert_int_equal(run_broken(s, 1, folder, 0, false, &b).outcome, PL_FINISHED);
    if (log && !strstr(pl_text(&b.recorder.log), log))
        fail_msg("the log lacks \"%s\":\n%s", log, pl_text(&b.recorder.log));
    if (no_log && strstr(pl_text(&b.recorder.log), no_log))
        fail_msg("the log has \"%s\":\n%s", no_log, pl_text(&b.recorder.log));
    if (whole)
        assert_same(whole, &b.recorder, log ? log : "untouched");
    recorder_release(&b.recorder);
    assert_true(exists("weights.safetensors"));
    assert_false(exists("checkpoint-1.safetensors") || exists("checkpoint-2.safetensors"));
}

static void test_torn_checkpoints_fall_back(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    struct breaker b;
    settings_of(&s, TASK "optimizer=adam lambda=0.01 checkpoint_every=1");
    assert_int_equal(run_broken(&s, 1, NULL, 0, false, &b).outcome, PL_FINISHED);
    struct recorder whole = b.recorder;
    leave_two(&s);
    check_rest(&s, &whole, "goes on from a checkpoint in epoch 3, after 0", "not used");
    leave_two(&s);
    cut("checkpoint-2.safetensors", 0.7);
    check_rest(&s, &whole, "goes on from a checkpoint in epoch 2, after 0", NULL);
    leave_two(&s);
    write_over("checkpoint-2.safetensors", -100, "\x55", 1);
    check_rest(&s, &whole, "was altered after it was written", NULL);
    leave_two(&s);
    write_over("checkpoint-2.safetensors", 20, "\x01", 1);
    check_rest(&s, &whole, "goes on from a checkpoint in epoch 2, after 0", NULL);
    leave_two(&s);
    cut("checkpoint-1.safetensors", 0);
    cut("checkpoint-2.safetensors", 0.01);
    check_rest(&s, &whole, "is not a safetensors file", "goes on");
    leave_two(&s);
    struct pl_error err;
    assert_int_equal(pl_file_write(file_path("checkpoint-1.safetensors.Ab3xYz"), "half", 4, &err), 0);
    check_rest(&s, &whole, "goes on from a checkpoint in epoch 3", NULL);
    assert_false(exists("checkpoint-1.safetensors.Ab3xYz"));
    recorder_release(&whole);
    pl_settings_release(&s);
}

/* P5: they are neither used nor written over nor deleted. */
static void test_foreign_checkpoints_are_refused(void **state)
{
    (void)state;
    struct pl_settings s = {0}, other = {0};
    struct pl_run_result result;
    struct pl_error err;
    struct recorder r;
    struct pl_sink sink = recorder_sink(&r);
    settings_of(&s, TASK "optimizer=adam lambda=0.01 checkpoint_every=1");
    settings_of(&other, TASK "optimizer=adam lambda=0.02 checkpoint_every=1");
    leave_two(&other);
    struct pl_run_request request = {.settings = &s, .seed = 7, .threads = 1, .folder = folder};
    assert_int_equal(pl_train_run(&request, &sink, &result, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "belongs to another run"));
    assert_int_equal(unlink(file_path(".poula")), 0); /* an older poula left no such file */
    assert_int_equal(pl_train_run(&request, &sink, &result, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "is not of this run"));
    assert_true(exists("checkpoint-1.safetensors") && exists("checkpoint-2.safetensors"));
    recorder_release(&r);
    check_rest(&other, NULL, "goes on from", NULL);
    empty_folder();
    pl_settings_release(&s);
    pl_settings_release(&other);
}

/* D14: what lay side by side in memory was one array, so that a new member between two old ones moved what was read. */
static void test_every_number_has_a_name(void **state)
{
    (void)state;
    static const char *const names[] = {
        "optimizer/count/steps", "optimizer/count/averaged", "optimizer/count/losses",
        "optimizer/count/stale", "optimizer/count/fired",    "optimizer/count/fired_at",
        "optimizer/rate",        "optimizer/scheduled_rate", "optimizer/best_loss",
        "optimizer/last_losses", "progress/epoch",           "progress/batch",
        "progress/at",           "progress/examples",        "progress/correct",
        "progress/loss",         "progress/gradient_norm",   "progress/seconds",
        "progress/seconds_load", "schedule/stale",           "schedule/decays",
        "schedule/best",         "shares/tamed_share",       "shares/boosted_share",
        "shares/stepsize",
    };
    struct pl_settings s = {0};
    struct pl_safetensors file;
    struct pl_error err;
    struct breaker b;
    settings_of(&s, TASK "record_shares=true optimizer=theopoula average=nonmono average_after=1");
    assert_int_equal(run_broken(&s, 1, folder, 9, false, &b).outcome, PL_INTERRUPTED);
    recorder_release(&b.recorder);
    assert_int_equal(pl_safetensors_read(&file, file_path("checkpoint-1.safetensors"), &err), 0);
    size_t seen = 0;
    for (size_t i = 0; i < file.count; i++) {
        const char *name = file.tensors[i].name;
        bool history = !strncmp(name, "poula/record/", 13) || !strncmp(name, "poula/epochs/", 13);
        seen += !strncmp(name, "poula/", 6) && !history && strcmp(name, "poula/optimizer/average");
    }
    assert_int_equal(seen, sizeof names / sizeof *names);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[100];
        snprintf(name, sizeof name, "poula/%s", names[i]);
        const struct pl_safetensor *t = pl_safetensors_find(&file, name);
        if (!t || t->count != 1)
            fail_msg("%s is not a number of its own", name);
    }
    pl_safetensors_release(&file);
    pl_settings_release(&s);
    empty_folder();
}

/* D14: those of format 2 are gone on from all the same. */
static void test_old_checkpoints_resume(void **state)
{
    (void)state;
    static const char *const cases[] = {
        TASK "optimizer=theopoula lambda=0.01 beta=1e8 record_shares=true average=nonmono average_after=1",
        TASK "epochs=5 optimizer=theopoula lambda=0.1 beta=1e8 average=patience average_after=2 decay=0.5 every=1",
        TASK "optimizer=adam clip=0.5",
        TASK "optimizer=asgd device=ref",
        TASK "optimizer=swats",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pl_settings s = {0};
        struct breaker b;
        settings_of(&s, cases[i]);
        assert_int_equal(run_broken(&s, 1, NULL, 0, false, &b).outcome, PL_FINISHED);
        struct recorder whole = b.recorder;
        for (int after = 2; after < b.questions; after += 3)
            check_old_stop(&s, after, &whole, cases[i]);
        recorder_release(&whole);
        pl_settings_release(&s);
    }
    struct pl_settings s = {0};
    settings_of(&s, TASK "record_shares=true optimizer=theopoula lambda=0.01 beta=1e8 average=nonmono average_after=1 "
                         "checkpoint_every=1 checkpoint_minutes=1e-9");
    check_old_file(&s, "images-2.safetensors", "goes on from a checkpoint in epoch 3, after 1 batches");
    pl_settings_release(&s);
}

/* A state of which this program has no name for something, or lacks something, is not used. */
static void test_checkpoints_with_other_names_are_refused(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    struct pl_safetensors file;
    struct pl_error err;
    struct breaker b;
    settings_of(&s, TASK "optimizer=adam lambda=0.01");
    assert_int_equal(run_broken(&s, 1, NULL, 0, false, &b).outcome, PL_FINISHED);
    struct recorder whole = b.recorder;
    for (int other = 0; other < 2; other++) {
        char digest[2 * PL_DIGEST_SIZE + 1];
        run_broken(&s, 1, folder, 9, false, &b);
        recorder_release(&b.recorder);
        assert_int_equal(pl_safetensors_read(&file, file_path("checkpoint-1.safetensors"), &err), 0);
        for (size_t i = 0; i < file.count; i++)
            if (!strcmp(file.tensors[i].name, "poula/progress/correct"))
                file.tensors[i].name = "poula/progress/false";
        size_t count = file.count;
        if (other) /* with its name as well: one too many */
            file.tensors[count++] = pl_safetensor_list("poula/progress/correct", "U64", &file.size, 1);
        pl_safetensors_digest(file.tensors, count, digest);
        pl_settings_set_string(&file.metadata, "digest", digest);
        assert_int_equal(
            pl_safetensors_write(file_path("checkpoint-1.safetensors"), &file.metadata, file.tensors, count, &err), 0);
        pl_safetensors_release(&file);
        check_rest(&s, &whole,
                   other ? "it has 1 tensors that this run does not know"
                         : "tensor poula/progress/correct is not what this run needs",
                   "goes on");
    }
    recorder_release(&whole);
    pl_settings_release(&s);
    empty_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_optimizer_resumes),
        cmocka_unit_test(test_settings_that_came_later),
        cmocka_unit_test(test_killed_runs_resume),
        cmocka_unit_test(test_torn_checkpoints_fall_back),
        cmocka_unit_test(test_foreign_checkpoints_are_refused),
        cmocka_unit_test(test_every_number_has_a_name),
        cmocka_unit_test(test_old_checkpoints_resume),
        cmocka_unit_test(test_checkpoints_with_other_names_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
