#include "recorder.h"

#include "train/network/network.h"
#include "train/network/safetensors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "old_checkpoint.h"
#include "train_runs.h"

/* Everything that makes a batch depend on where it stands: dropout, augmentation, a smaller last batch. */
#define TASK                                                                                                           \
    "dataset=glyphs model=cnn width=4 depth=2 dropout=0.2 train_images=56 test_images=20 valid=12 batch=16 epochs=3 "

static void test_epochs_are_recorded(void **state)
{
    (void)state;
    static const char *const metrics[] = {"train_loss",     "train_accuracy", "valid_loss",   "valid_accuracy",
                                          "test_loss",      "test_accuracy",  "lambda",       "gradient_norm",
                                          "parameter_norm", "seconds",        "seconds_eval", "seconds_load"};
    struct recorder r;
    struct recorded p;
    struct pl_run_result result = run_whole(TASK "optimizer=sgd lambda=0.1 decay=0.5 every=2", 1, &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_recorded(&r, metrics, sizeof metrics / sizeof *metrics);
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        assert_int_equal(recorder_find(&r, metrics[i], 0, &p), 3);
        assert_true(p.epoch == 1);
        assert_true(isfinite(p.value));
        assert_int_equal(r.directions[i], strstr(metrics[i], "accuracy") ? PL_MAXIMIZE
                                          : strstr(metrics[i], "loss")   ? PL_MINIMIZE
                                                                         : PL_NEUTRAL);
    }
    static const double lambdas[] = {0.1, 0.1, 0.05}; /* before epoch 2, counted from 0 */
    for (size_t i = 0; i < 3; i++) {
        recorder_find(&r, "lambda", i, &p);
        assert_close(p.value, lambdas[i], 1e-15);
        recorder_find(&r, "valid_accuracy", i, &p);
        assert_close(p.value * 12, round(p.value * 12), 1e-9);
        recorder_find(&r, "test_accuracy", i, &p);
        assert_close(p.value * 20, round(p.value * 20), 1e-9);
        recorder_find(&r, "train_accuracy", i, &p);
        assert_close(p.value * 44, round(p.value * 44), 1e-9);
    }
    recorder_release(&r);
    run_whole("dataset=glyphs model=cnn width=4 depth=2 train_images=20 test_images=20 batch=16 epochs=1 optimizer=sgd",
              1, &r);
    assert_int_equal(recorder_find(&r, "valid_loss", 0, NULL), 0);
    assert_int_equal(recorder_find(&r, "test_loss", 0, NULL), 1);
    recorder_release(&r);
}

static void test_batches_are_recorded(void **state)
{
    (void)state;
    struct recorder r;
    struct recorded p, first, fourth;
    run_whole(TASK "record_batches=4 optimizer=sgd lambda=0.1", 1, &r);
    assert_int_equal(recorder_find(&r, "batch_loss", 0, NULL), 4);
    double sum = 0;
    for (size_t i = 0; i < 3; i++) {
        recorder_find(&r, "batch_loss", i, &p);
        assert_true(p.epoch == i + 1);
        sum += p.value * (i < 2 ? 16 : 12);
    }
    recorder_find(&r, "train_loss", 0, &p);
    assert_close(p.value, sum / 44, 1e-12);
    recorder_release(&r);

    /* With the smallest of steps and nothing drawn but the order, an epoch repeats the one before. */
    for (int shuffles = 0; shuffles < 2; shuffles++) {
        char words[400];
        snprintf(words, sizeof words,
                 TASK "dropout=0 augment=false record_batches=4 shuffle=%s optimizer=sgd lambda=1e-30",
                 shuffles ? "true" : "false");
        run_whole(words, 1, &r);
        recorder_find(&r, "batch_loss", 0, &first);
        recorder_find(&r, "batch_loss", 3, &fourth);
        assert_int_equal(same_value(first.value, fourth.value), !shuffles);
        recorder_release(&r);
    }
}

/* Besides what is recorded without them, which they leave as it is. */
static void test_shares_are_recorded(void **state)
{
    (void)state;
    static const char *const metrics[] = {"tamed_share", "boosted_share", "stepsize"};
    static const char task[] = TASK "optimizer=theopoula lambda=0.5 epsilon=0.7 beta=1e8 weight_decay=0.001 ";
    struct recorder plain;
    struct recorded p, q;
    struct pl_settings s = {0};
    struct breaker b;
    char words[400];
    run_whole(task, 1, &plain);
    snprintf(words, sizeof words, "%srecord_shares=true", task);
    settings_of(&s, words);
    assert_int_equal(run_broken(&s, 1, NULL, 0, false, &b).outcome, PL_FINISHED);
    assert_int_equal(b.recorder.metric_count, plain.metric_count + 3);
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++) {
            assert_int_equal(recorder_find(&b.recorder, metrics[k], i, &p), 3);
            assert_true(p.epoch == i + 1);
            assert_true(k ? p.value > 0 && p.value < 1 : p.value >= 0 && p.value < 0.5); /* no gradient here is large */
        }
        recorder_find(&plain, "train_loss", i, &p);
        recorder_find(&b.recorder, "train_loss", i, &q);
        assert_true(same_value(p.value, q.value));
        assert_int_equal(pl_train_direction(metrics[i]), PL_NEUTRAL);
    }
    for (int after = 1; after < b.questions; after++)
        check_stop(&s, after, &b.recorder, "shares");
    recorder_release(&b.recorder);
    recorder_release(&plain);
    pl_settings_release(&s);
    settings_of(&s, task);
    assert_null(pl_settings_find(&s, "record_shares")); /* so that keys of runs without them are what they were */
    pl_settings_release(&s);
}

static void test_training_learns(void **state)
{
    (void)state;
    struct recorder r;
    struct recorded first, last;
    run_whole("dataset=glyphs model=cnn width=8 depth=3 train_images=200 test_images=50 clutter=0 pixel_noise=0 "
              "batch=10 epochs=15 augment=false optimizer=adam lambda=0.003",
              2, &r);
    recorder_find(&r, "train_loss", 0, &first);
    recorder_find(&r, "train_loss", 14, &last);
    assert_true(last.value < 0.7 * first.value);
    recorder_find(&r, "train_accuracy", 14, &last);
    assert_true(last.value > 0.35); /* by chance: 0.1 */
    recorder_release(&r);
}

static void test_threads_have_the_same_bits(void **state)
{
    (void)state;
    check_threads(TASK "optimizer=theopoula lambda=0.1 beta=1e8 precision=exact");
    check_threads(TASK "optimizer=adam lambda=0.01");
    check_threads(
        "dataset=glyphs model=vgg11 train_images=24 test_images=8 batch=16 epochs=1 optimizer=adam lambda=0.001");
}

static void test_devices_agree(void **state)
{
    (void)state;
    static const char words[] = TASK "optimizer=theopoula lambda=0.1 beta=1e8 precision=exact";
    struct recorder one, ref;
    struct recorded p, q;
    run_whole(words, 1, &one);
    struct pl_text text = {0};
    pl_text_addf(&text, "%s device=ref", words);
    run_whole(pl_text(&text), 1, &ref);
    for (size_t i = 0; i < 3; i++) {
        recorder_find(&one, "train_loss", i, &p);
        recorder_find(&ref, "train_loss", i, &q);
        assert_false(same_value(p.value, q.value));
        assert_close(p.value, q.value, 1e-3);
    }
    pl_text_release(&text);
    recorder_release(&one);
    recorder_release(&ref);
}

static void test_seeds_differ(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    struct recorder r[2];
    struct recorded p, q;
    settings_of(&s, TASK "optimizer=sgd");
    for (int seed = 0; seed < 2; seed++) {
        struct pl_sink sink = recorder_sink(&r[seed]);
        struct pl_run_request request = {.settings = &s, .seed = seed, .threads = 1, .folder = NULL};
        struct pl_run_result result;
        assert_int_equal(pl_train_run(&request, &sink, &result, NULL), 0);
    }
    recorder_find(&r[0], "train_loss", 0, &p);
    recorder_find(&r[1], "train_loss", 0, &q);
    assert_false(same_value(p.value, q.value));
    recorder_release(&r[0]);
    recorder_release(&r[1]);
    pl_settings_release(&s);
}

static void test_divergence_is_an_outcome(void **state)
{
    (void)state;
    struct recorder r;
    struct recorded p;
    struct pl_run_result result = run_whole(TASK "optimizer=sgd lambda=1e30", 1, &r);
    assert_int_equal(result.outcome, PL_DIVERGED);
    assert_true(result.bad_epoch == 1);
    assert_int_equal(recorder_find(&r, "train_loss", 0, &p), 1);
    assert_false(isfinite(p.value));
    recorder_release(&r);
}

static void test_clipping_shortens_steps(void **state)
{
    (void)state;
    struct recorder free_run, clipped;
    struct recorded p, q;
    run_whole(TASK "optimizer=sgd lambda=1 momentum=0 weight_decay=0", 1, &free_run);
    run_whole(TASK "optimizer=sgd lambda=1 momentum=0 weight_decay=0 clip=1e-9", 1, &clipped);
    recorder_find(&clipped, "parameter_norm", 0, &p);
    recorder_find(&clipped, "parameter_norm", 2, &q);
    assert_close(p.value, q.value, 1e-6); /* nothing moves */
    recorder_find(&free_run, "parameter_norm", 2, &q);
    assert_true(fabs(p.value - q.value) > 1e-3);
    recorder_release(&free_run);
    recorder_release(&clipped);
    double x[100], sum = 0;
    float y[100];
    for (int i = 0; i < 100; i++) {
        y[i] = (float)(x[i] = i - 30);
        sum += x[i] * x[i];
    }
    assert_close(pl_arena_norm(x, PL_FLOAT64, 100, 1), sqrt(sum), 1e-12);
    assert_close(pl_arena_norm(y, PL_FLOAT32, 100, 2), sqrt(sum), 1e-12);
    assert_close(pl_arena_clip(x, PL_FLOAT64, 100, 1e9, 1), sqrt(sum), 1e-12);
    assert_close(x[99], 69, 0); /* short enough */
    assert_close(pl_arena_clip(y, PL_FLOAT32, 100, 2, 2), sqrt(sum), 1e-12);
    assert_close(pl_arena_norm(y, PL_FLOAT32, 100, 1), 2, 1e-6);
    pl_arena_clip(x, PL_FLOAT64, 100, 2, 1);
    assert_close(x[99], 69 * 2 / (sqrt(sum) + 1e-6), 1e-15);
}

/* ---- checkpoints */

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

/* ---- files of weights */

static void test_weights_are_kept(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    struct pl_safetensors file;
    struct pl_error err;
    struct breaker b;
    settings_of(&s, TASK "optimizer=sgd");
    run_broken(&s, 1, folder, 0, false, &b);
    recorder_release(&b.recorder);
    if (pl_safetensors_read(&file, file_path("weights.safetensors"), &err))
        fail_msg("%s", err.text);
    assert_string_equal(pl_settings_string(&file.metadata, "format", ""), "pt");
    const struct pl_safetensor *t = pl_safetensors_find(&file, "conv1.weight");
    assert_non_null(t);
    assert_string_equal(t->type, "F32");
    assert_int_equal(t->dims, 4);
    assert_int_equal(t->shape[0], 4);
    assert_int_equal(t->shape[1], 3);
    assert_non_null(pl_safetensors_find(&file, "bn2.running_mean"));
    assert_int_equal(file.count, 2 + 2 * 2 + 2 + 2 * 2); /* two convolutions, two norms, linear, statistics */
    char key[2 * PL_DIGEST_SIZE + 1], out[4096];
    snprintf(key, sizeof key, "%s", pl_settings_string(&file.metadata, "key", ""));
    pl_safetensors_release(&file);
    snprintf(out, sizeof out, "%s.copy", folder);
    assert_int_equal(pl_train_export_weights(folder, key, out, &err), 0);
    key[0] ^= 1;
    assert_int_equal(pl_train_export_weights(folder, key, out, &err), PL_ECORRUPT);
    assert_int_equal(pl_train_export_weights("/nonexistent", key, out, &err), PL_EMISSING);

    /* A run that starts at them, and takes no step to speak of, has them at its end. */
    pl_settings_set_string(&s, "weights", out);
    pl_settings_set_real(&s, "lambda", 1e-30);
    pl_settings_set_integer(&s, "epochs", 1);
    empty_folder();
    run_broken(&s, 1, folder, 0, false, &b);
    recorder_release(&b.recorder);
    struct pl_safetensors before, after;
    assert_int_equal(pl_safetensors_read(&before, out, &err), 0);
    assert_int_equal(pl_safetensors_read(&after, file_path("weights.safetensors"), &err), 0);
    for (size_t i = 0; i < before.count; i++) {
        const struct pl_safetensor *p = &before.tensors[i], *q = pl_safetensors_find(&after, p->name);
        if (!strstr(p->name, "running"))
            assert_memory_equal(p->data, q->data, p->count * sizeof(float));
    }
    pl_safetensors_release(&before);
    pl_safetensors_release(&after);

    /* Those of another model do not fit. */
    struct pl_settings wider = {0};
    settings_of(&wider,
                "dataset=glyphs model=cnn width=5 depth=2 train_images=44 test_images=20 epochs=1 optimizer=sgd");
    pl_settings_set_string(&wider, "weights", out);
    struct pl_run_request request = {.settings = &wider, .seed = 1, .threads = 1, .folder = NULL};
    struct pl_run_result result;
    struct recorder r;
    struct pl_sink sink = recorder_sink(&r);
    assert_int_equal(pl_train_run(&request, &sink, &result, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "conv1.weight has another shape"));
    recorder_release(&r);
    pl_settings_release(&wider);
    pl_settings_release(&s);
    unlink(out);
    empty_folder();
}

static void test_weights_need_not_be_kept(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    struct breaker b;
    settings_of(&s, TASK "optimizer=sgd keep_weights=false checkpoint_every=1");
    run_broken(&s, 1, folder, 0, false, &b);
    recorder_release(&b.recorder);
    assert_false(exists("weights.safetensors") || exists("checkpoint-1.safetensors"));
    pl_settings_release(&s);
}

static void test_safetensors_format(void **state)
{
    (void)state;
    float f[6] = {1, 2, 3, 4, 5, -0.0f};
    double d = NAN;
    uint64_t u[2] = {UINT64_MAX, 1};
    struct pl_settings metadata = {0};
    struct pl_text bytes = {0};
    struct pl_error err;
    struct pl_safetensor tensors[] = {
        {.name = "a \"quoted\" name", .type = "F32", .dims = 2, .shape = {2, 3}, .count = 6, .data = f},
        {.name = "scalar", .type = "F64", .dims = 0, .count = 1, .data = &d},
        pl_safetensor_list("u", "U64", u, 2),
        pl_safetensor_list("none", "F32", f, 0)};
    pl_settings_set_string(&metadata, "format", "pt");
    assert_int_equal(pl_safetensors_write(file_path("x"), &metadata, tensors, 4, &err), 0);
    assert_int_equal(pl_file_read(file_path("x"), 10000, &bytes, &err), 0);
    uint64_t length;
    memcpy(&length, bytes.text, 8);
    assert_int_equal(length % 8, 0);
    assert_int_equal(bytes.length, 8 + length + 6 * 4 + 8 + 16);
    struct pl_text header = {0};
    pl_text_add_bytes(&header, bytes.text + 8, (size_t)length);
    assert_non_null(strstr(pl_text(&header), "\"__metadata__\":{\"format\":\"pt\"}"));
    assert_non_null(strstr(pl_text(&header), "\"scalar\":{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[0,8]}"));
    assert_non_null(strstr(pl_text(&header), "\"a \\\"quoted\\\" name\":{\"dtype\":\"F32\",\"shape\":[2,3],"
                                             "\"data_offsets\":[24,48]}"));
    assert_memory_equal(bytes.text + 8 + length + 24, f, sizeof f);
    struct pl_safetensors file;
    assert_int_equal(pl_safetensors_read(&file, file_path("x"), &err), 0);
    assert_int_equal(file.count, 4);
    double values[6];
    assert_true(pl_safetensor_values(pl_safetensors_find(&file, "a \"quoted\" name"), values));
    assert_true(values[4] == 5);
    uint64_t got[2];
    assert_int_equal(pl_safetensors_copy(&file, "u", "U64", 2, got, &err), 0);
    assert_true(got[0] == UINT64_MAX);
    assert_int_equal(pl_safetensors_copy(&file, "u", "U64", 1, got, &err), PL_ECORRUPT);
    assert_int_equal(pl_safetensors_copy(&file, "v", "U64", 1, got, &err), PL_ECORRUPT);
    pl_safetensors_release(&file);
    /* Every way of being cut, and every header that lies. */
    for (size_t size = 0; size < bytes.length; size++) {
        assert_int_equal(pl_file_write(file_path("x"), bytes.text, size, &err), 0);
        assert_int_equal(pl_safetensors_read(&file, file_path("x"), &err), PL_ECORRUPT);
    }
    static const char *const bad[] = {
        "[]",
        "{\"a\":1}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
        "{\"a\":{\"dtype\":\"F99\",\"shape\":[1],\"data_offsets\":[0,4]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387905],\"data_offsets\":[0,4]}}",
        "{\"__metadata__\":{\"x\":1}}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pl_text_clear(&header);
        length = strlen(bad[i]);
        pl_text_add_bytes(&header, (const char *)&length, 8);
        pl_text_add(&header, bad[i]);
        pl_text_add_bytes(&header, "\0\0\0\0", 4);
        assert_int_equal(pl_file_write(file_path("x"), header.text, header.length, &err), 0);
        assert_int_equal(pl_safetensors_read(&file, file_path("x"), &err), PL_ECORRUPT);
    }
    assert_int_equal(pl_safetensors_read(&file, "/nonexistent", &err), PL_EMISSING);
    pl_text_release(&header);
    pl_text_release(&bytes);
    pl_settings_release(&metadata);
    empty_folder();
}

/* ---- what a run needs, and what is refused */

static uint64_t memory_of(const char *words)
{
    struct pl_settings s = {0};
    struct pl_train_needs needs;
    struct pl_error err;
    settings_of(&s, words);
    if (pl_train_survey(&s, "data", 1, &needs, &err))
        fail_msg("%s", err.text);
    pl_settings_release(&s);
    return needs.memory;
}

static void test_memory_is_estimated(void **state)
{
    (void)state;
    uint64_t small = memory_of("dataset=glyphs model=vgg11 width=8 batch=8 optimizer=sgd");
    uint64_t images = memory_of("dataset=glyphs model=vgg11 width=8 batch=256 optimizer=sgd");
    uint64_t wide = memory_of("dataset=glyphs model=vgg11 width=64 batch=8 optimizer=sgd");
    uint64_t adam = memory_of("dataset=glyphs model=vgg11 width=64 batch=8 optimizer=adam");
    uint64_t exact = memory_of("dataset=glyphs model=vgg11 width=64 batch=8 optimizer=adam average=on device=ref");
    assert_true(images > small + 20000000);
    assert_true(wide > small + 2 * 4 * 9000000);
    assert_in_range(adam - wide, 2 * 4 * 9700000, 2 * 4 * 9900000); /* m and v */
    assert_true(exact > adam + 4 * 4 * 9700000);
    assert_int_equal(memory_of("problem=theta30 optimizer=sgd"), 0);
    struct pl_settings s = {0};
    struct pl_text key = {0}, other = {0};
    settings_of(&s, TASK "optimizer=sgd lambda=0.1");
    pl_train_survey_key(&s, &key);
    pl_settings_set_real(&s, "lambda", 0.3);
    pl_settings_set_integer(&s, "epochs", 5);
    pl_train_survey_key(&s, &other);
    assert_string_equal(pl_text(&key), pl_text(&other));
    pl_settings_set_integer(&s, "width", 5);
    pl_train_survey_key(&s, &other);
    assert_string_not_equal(pl_text(&key), pl_text(&other));
    pl_text_release(&key);
    pl_text_release(&other);
    pl_settings_release(&s);
}

/* A setting that is put aside changes no need, whatever its value. */
static void test_settings_aside_change_no_need(void **state)
{
    (void)state;
    static const char *const words[] = {"dataset=glyphs model=cnn optimizer=sgd",
                                        "dataset=glyphs model=mlp optimizer=sgd",
                                        "dataset=glyphs model=vgg11 width=8 optimizer=sgd",
                                        "dataset=markov model=awd_lstm nlayers=1 emsize=32 optimizer=sgd"};
    static const char *const values[] = {"0", "0.5", "1", "3", "true", "false", "rows"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        struct pl_settings s = {0};
        struct pl_schema schema;
        struct pl_error err;
        settings_of(&s, words[w]);
        uint64_t memory = memory_of(words[w]);
        assert_int_equal(pl_train_schema(&s, &schema, &err), 0);
        for (size_t p = 0; p < schema.count; p++)
            for (size_t k = 0; k < schema.parts[p].count; k++)
                for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
                    const struct pl_setting *setting = &schema.parts[p].settings[k];
                    struct pl_value value;
                    char text[200];
                    if (!(setting->role & PL_ASIDE) || pl_setting_read(setting, values[v], &value, &err))
                        continue;
                    snprintf(text, sizeof text, "%s %s=%s", words[w], setting->key, values[v]);
                    if (memory_of(text) != memory)
                        fail_msg("%s: %llu bytes, not %llu", text, (unsigned long long)memory_of(text),
                                 (unsigned long long)memory);
                }
        pl_settings_release(&s);
    }
}

static void assert_refused(const char *words, const char *layers, const char *part)
{
    struct pl_settings s = {0};
    struct pl_error err = {0};
    settings_of(&s, words);
    if (layers)
        pl_settings_set_string(&s, "layers", layers);
    assert_int_equal(pl_train_check(&s, &err), PL_EINPUT);
    if (!strstr(err.text, part))
        fail_msg("\"%s\" lacks \"%s\"", err.text, part);
    pl_settings_release(&s);
}

static void test_mistakes_are_named(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    struct pl_schema schema;
    struct pl_error err;
    assert_refused("dataset=glyphs model=cnn depth=8 optimizer=sgd", NULL, "model cnn: ");
    assert_refused("dataset=glyphs model=layers layers=[] optimizer=sgd", "[\"conv 8\",\"linear 3\"]", "10 classes");
    assert_refused("dataset=glyphs model=cnn optimizer=sgd decay=0.1", NULL, "neither every nor milestones");
    static const struct {
        const char *dataset, *model, *part;
    } chosen[] = {{"glyps", "cnn", "did you mean glyphs?"},
                  {"glyphs", "cn", "did you mean cnn?"},
                  {"glyphs", NULL, "the model is missing"},
                  {NULL, "cnn", "no dataset"}};
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) {
        pl_settings_clear(&s);
        pl_settings_set_string(&s, "optimizer", "sgd");
        if (chosen[i].dataset)
            pl_settings_set_string(&s, "dataset", chosen[i].dataset);
        if (chosen[i].model)
            pl_settings_set_string(&s, "model", chosen[i].model);
        assert_int_equal(pl_train_schema(&s, &schema, &err), PL_EINPUT);
        if (!strstr(err.text, chosen[i].part))
            fail_msg("\"%s\" lacks \"%s\"", err.text, chosen[i].part);
    }
    pl_settings_release(&s);
}

static void test_own_layers_train(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    struct breaker b;
    settings_of(
        &s, "dataset=glyphs model=layers layers=[] train_images=40 test_images=20 batch=16 epochs=2 optimizer=adam");
    pl_settings_set_string(&s, "layers",
                           "[\"conv 4\",\"batchnorm\",\"relu\",\"maxpool 4\",\"mark a\",\"conv 4\","
                           "\"add a\",\"relu\",\"dropout 0.1\",\"linear classes\"]");
    assert_int_equal(run_broken(&s, 1, folder, 0, false, &b).outcome, PL_FINISHED);
    assert_int_equal(recorder_find(&b.recorder, "test_accuracy", 0, NULL), 2);
    recorder_release(&b.recorder);
    struct pl_safetensors file;
    struct pl_error err;
    assert_int_equal(pl_safetensors_read(&file, file_path("weights.safetensors"), &err), 0);
    assert_non_null(pl_safetensors_find(&file, "layers.0.weight"));
    assert_non_null(pl_safetensors_find(&file, "layers.9.bias"));
    pl_safetensors_release(&file);
    pl_settings_release(&s);
    empty_folder();
}

/* The average is what is measured, what is kept, and is put back where it was. */
static void test_averages_are_evaluated(void **state)
{
    (void)state;
    struct recorder plain, averaged;
    struct recorded p, q;
    run_whole(TASK "optimizer=sgd lambda=0.3", 1, &plain);
    run_whole(TASK "optimizer=sgd lambda=0.3 average=on", 1, &averaged);
    for (size_t i = 0; i < 3; i++) {
        recorder_find(&plain, "train_loss", i, &p);
        recorder_find(&averaged, "train_loss", i, &q);
        assert_true(same_value(p.value, q.value)); /* the iterates are the same */
        recorder_find(&plain, "parameter_norm", i, &p);
        recorder_find(&averaged, "parameter_norm", i, &q);
        assert_true(same_value(p.value, q.value));
        recorder_find(&plain, "test_loss", i, &p);
        recorder_find(&averaged, "test_loss", i, &q);
        assert_false(same_value(p.value, q.value));
    }
    recorder_release(&plain);
    recorder_release(&averaged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_epochs_are_recorded),
        cmocka_unit_test(test_batches_are_recorded),
        cmocka_unit_test(test_shares_are_recorded),
        cmocka_unit_test(test_training_learns),
        cmocka_unit_test(test_threads_have_the_same_bits),
        cmocka_unit_test(test_devices_agree),
        cmocka_unit_test(test_seeds_differ),
        cmocka_unit_test(test_divergence_is_an_outcome),
        cmocka_unit_test(test_clipping_shortens_steps),
        cmocka_unit_test(test_every_optimizer_resumes),
        cmocka_unit_test(test_settings_that_came_later),
        cmocka_unit_test(test_killed_runs_resume),
        cmocka_unit_test(test_torn_checkpoints_fall_back),
        cmocka_unit_test(test_foreign_checkpoints_are_refused),
        cmocka_unit_test(test_every_number_has_a_name),
        cmocka_unit_test(test_old_checkpoints_resume),
        cmocka_unit_test(test_checkpoints_with_other_names_are_refused),
        cmocka_unit_test(test_weights_are_kept),
        cmocka_unit_test(test_weights_need_not_be_kept),
        cmocka_unit_test(test_safetensors_format),
        cmocka_unit_test(test_memory_is_estimated),
        cmocka_unit_test(test_settings_aside_change_no_need),
        cmocka_unit_test(test_mistakes_are_named),
        cmocka_unit_test(test_own_layers_train),
        cmocka_unit_test(test_averages_are_evaluated),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
