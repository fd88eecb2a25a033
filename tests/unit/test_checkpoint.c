/* S12: checkpoints with a right digest and numbers that cannot be. */
#include "recorder.h"

#include "train/network/network.h"
#include "train/network/safetensors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "train_runs.h"

/* 44 images are trained on, in batches of 16, 16 and 12; an epoch asks six times whether to stop. */
#define IMAGES                                                                                                         \
    "dataset=glyphs model=cnn width=4 depth=2 train_images=56 test_images=20 valid=12 batch=16 epochs=3 "              \
    "optimizer=adam lambda=0.01 average=patience average_after=2 record_batches=20 checkpoint_minutes=1e-9"
#define TEXT                                                                                                           \
    "dataset=markov model=awd_lstm nlayers=1 emsize=3 nhid=3 vocabulary=10 branches=2 train_tokens=80 "                \
    "valid_tokens=20 test_tokens=20 batch=2 bptt=5 test_batch=1 epochs=3 optimizer=sgd lambda=0.1 decay=0.5 "          \
    "patience=2 "                                                                                                      \
    "checkpoint_minutes=1e-9"

struct edit {
    const char *name; /* of a tensor */
    char what; /* 'u': a whole number, 'd': a real one, 'c': the number of elements; its name is in the complaint.
                * 'x': without it */
    uint64_t whole;
    double real;
};

static const struct edit of_both[] = {
    {"poula/progress/epoch", 'u', 3, 0},
    {"poula/progress/epoch", 'u', UINT64_MAX, 0},
    {"poula/progress/batch", 'u', 1000, 0},
    {"poula/progress/batch", 'u', UINT64_MAX, 0},
    {"poula/progress/at", 'u', 1, 0},
    {"poula/progress/at", 'u', 4000, 0},
    {"poula/progress/at", 'u', UINT64_C(1) << 40, 0},
    {"poula/progress/at", 'u', UINT64_MAX, 0},
    {"poula/progress/examples", 'u', 0, 0},
    {"poula/progress/examples", 'u', 1000, 0},
    {"poula/progress/correct", 'u', 1000, 0},
    {"poula/progress/loss", 'd', 0, NAN},
    {"poula/progress/loss", 'd', 0, INFINITY},
    {"poula/progress/seconds", 'd', 0, -1},
    {"poula/progress/seconds_load", 'd', 0, NAN},
    {"poula/schedule/stale", 'u', 2, 0},
    {"poula/schedule/decays", 'u', 3, 0},
    {"poula/schedule/best", 'd', 0, NAN},
    {"poula/optimizer/count/steps", 'u', 0, 0},
    {"poula/optimizer/count/steps", 'u', UINT64_MAX, 0},
    {"poula/optimizer/count/averaged", 'u', 1000, 0},
    {"poula/optimizer/count/losses", 'u', 3, 0},
    {"poula/optimizer/count/stale", 'u', 3, 0},
    {"poula/optimizer/count/fired", 'u', 2, 0},
    {"poula/optimizer/count/fired_at", 'u', 1000, 0},
    {"poula/optimizer/rate", 'd', 0, NAN},
    {"poula/optimizer/scheduled_rate", 'd', 0, -1},
    {"poula/epochs/train_loss", 'u', 2, 0},
    {"poula/epochs/train_loss", 'c', 1, 0},
    {"poula/record/train_loss", 'c', 1, 0},
};
static const struct edit of_images[] = {
    {"poula/epochs/batch_loss", 'u', 3, 0},
    {"poula/record/batch_loss", 'c', 3, 0},
};

static const char *newest(void)
{
    static const char *const names[] = {"checkpoint-1.safetensors", "checkpoint-2.safetensors"};
    struct pl_safetensors files[2];
    struct pl_error err;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pl_safetensors_read(&files[i], file_path(names[i]), &err), 0);
    int found = pl_state_is_later(&files[1], &files[0]);
    for (int i = 0; i < 2; i++)
        pl_safetensors_release(&files[i]);
    return names[found];
}

/* Edits the newest checkpoint and makes its digest right again. */
static void write_edited(const struct edit *edit, const char *name)
{
    struct pl_safetensors file;
    struct pl_error err;
    char digest[2 * PL_DIGEST_SIZE + 1];
    bool found = false;
    void *copy = NULL;
    assert_int_equal(pl_safetensors_read(&file, file_path(name), &err), 0);
    for (size_t i = 0; i < file.count; i++) {
        struct pl_safetensor *t = &file.tensors[i];
        if (strcmp(t->name, edit->name))
            continue;
        found = true;
        if (edit->what == 'x') {
            *t = file.tensors[--file.count];
            break;
        }
        copy = pl_copy_bytes(t->data, t->count * 8);
        if (edit->what == 'c')
            assert_true(t->count > edit->whole);
        else
            memcpy(copy, edit->what == 'd' ? (const void *)&edit->real : (const void *)&edit->whole, 8);
        *t = pl_safetensor_list(t->name, t->type, copy, edit->what == 'c' ? edit->whole : t->count);
    }
    if (!found)
        fail_msg("there is no %s", edit->name);
    pl_safetensors_digest(file.tensors, file.count, digest);
    pl_settings_set_string(&file.metadata, "digest", digest);
    assert_int_equal(pl_safetensors_write(file_path(name), &file.metadata, file.tensors, file.count, &err), 0);
    pl_safetensors_release(&file);
    free(copy);
}

/* Of a run that dies in its third epoch: the one before is used, and the run comes to the same end. */
static void check_edit(const struct pl_settings *s, int question, const struct recorder *whole, const struct edit *edit)
{
    struct breaker b;
    struct pl_text said = {0};
    const char *curve = strstr(edit->name, "epochs/") || strstr(edit->name, "record/") ? strrchr(edit->name, '/') + 1
                                                                                       : NULL;
    empty_folder();
    die_at(s, question);
    write_edited(edit, newest());
    assert_int_equal(run_broken(s, 1, folder, 0, false, &b).outcome, PL_FINISHED);
    pl_text_addf(&said, "a checkpoint is not used: its %s%s is ", curve ? "curve of " : "", curve ? curve : edit->name);
    if (!strstr(pl_text(&b.recorder.log), pl_text(&said)) ||
        !strstr(pl_text(&b.recorder.log), "goes on from a checkpoint"))
        fail_msg("the log lacks \"%s\", or where the run goes on:\n%s", pl_text(&said), pl_text(&b.recorder.log));
    assert_same(whole, &b.recorder, edit->name);
    recorder_release(&b.recorder);
    pl_text_release(&said);
}

static void check_edits(const char *words, int question, const struct edit *edits, size_t count)
{
    struct pl_settings s = {0};
    struct breaker b;
    settings_of(&s, words);
    assert_int_equal(run_broken(&s, 1, NULL, 0, false, &b).outcome, PL_FINISHED);
    struct recorder whole = b.recorder;
    for (size_t i = 0; i < count; i++)
        check_edit(&s, question, &whole, &edits[i]);
    recorder_release(&whole);
    pl_settings_release(&s);
    empty_folder();
}

static void test_impossible_numbers_of_images(void **state)
{
    (void)state;
    check_edits(IMAGES, 14, of_both, sizeof of_both / sizeof *of_both);
    check_edits(IMAGES, 14, of_images, sizeof of_images / sizeof *of_images);
}

static void test_impossible_numbers_of_texts(void **state)
{
    (void)state;
    check_edits(TEXT, 31, of_both, sizeof of_both / sizeof *of_both);
}

/* A checkpoint from before its metric was summed: what is not known is told as such, and nothing else changes. */
static void test_a_sum_may_be_missing(void **state)
{
    static const struct edit without = {"poula/progress/gradient_norm", 'x', 0, 0};
    struct pl_settings s = {0};
    struct breaker b;
    struct recorded p, q;
    (void)state;
    settings_of(&s, IMAGES);
    assert_int_equal(run_broken(&s, 1, NULL, 0, false, &b).outcome, PL_FINISHED);
    struct recorder whole = b.recorder;
    die_at(&s, 13); /* after the first batch of the third epoch, of which no checkpoint tells yet */
    write_edited(&without, newest());
    assert_int_equal(run_broken(&s, 1, folder, 0, false, &b).outcome, PL_FINISHED);
    assert_non_null(strstr(pl_text(&b.recorder.log), "goes on from a checkpoint in epoch 3, after 0"));
    assert_same(&whole, &b.recorder, "between epochs");
    recorder_release(&b.recorder);
    empty_folder();
    for (int stop = 8; stop; stop = stop > 1) { /* after two batches of the second epoch, and again after the third */
        assert_int_equal(run_broken(&s, 1, folder, stop, false, &b).outcome, PL_INTERRUPTED);
        recorder_release(&b.recorder);
        if (stop > 1)
            write_edited(&without, newest());
    }
    assert_int_equal(run_broken(&s, 1, folder, 0, false, &b).outcome, PL_FINISHED);
    assert_non_null(strstr(pl_text(&b.recorder.log), "goes on from a checkpoint in epoch 2, after 3"));
    for (size_t i = 0; i < 3; i++) {
        recorder_find(&whole, "gradient_norm", i, &p);
        assert_true(recorder_find(&b.recorder, "gradient_norm", i, &q) == 3);
        assert_true(i == 1 ? isnan(q.value) : same_value(p.value, q.value));
        recorder_find(&whole, "train_loss", i, &p);
        recorder_find(&b.recorder, "train_loss", i, &q);
        assert_true(same_value(p.value, q.value));
    }
    recorder_release(&b.recorder);
    recorder_release(&whole);
    pl_settings_release(&s);
    empty_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_impossible_numbers_of_images),
        cmocka_unit_test(test_impossible_numbers_of_texts),
        cmocka_unit_test(test_a_sum_may_be_missing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
