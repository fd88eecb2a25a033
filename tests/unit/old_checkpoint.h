/* Checkpoints as earlier versions of poula wrote them. */
#ifndef PL_TEST_OLD_CHECKPOINT_H
#define PL_TEST_OLD_CHECKPOINT_H

#include "train_runs.h"

#include "train/network/safetensors.h"

/* Format 2 in its own words: the arrays, and in their order the names that format 3 has for their elements. */
static const struct old_array {
    const char *name;
    const char *parts[7];
} old_arrays[] = {
    {"poula/optimizer/counters",
     {"poula/optimizer/count/steps", "poula/optimizer/count/averaged", "poula/optimizer/count/losses",
      "poula/optimizer/count/stale", "poula/optimizer/count/fired", "poula/optimizer/count/fired_at"}},
    {"poula/optimizer/rates", {"poula/optimizer/rate", "poula/optimizer/scheduled_rate"}},
    {"poula/optimizer/losses", {"poula/optimizer/best_loss", "poula/optimizer/last_losses"}},
    {"poula/progress",
     {"poula/progress/epoch", "poula/progress/batch", "poula/progress/at", "poula/progress/examples",
      "poula/progress/correct"}},
    {"poula/sums",
     {"poula/progress/loss", "poula/progress/gradient_norm", "poula/progress/seconds", "poula/progress/seconds_load"}},
    {"poula/schedule", {"poula/schedule/stale", "poula/schedule/decays"}},
    {"poula/shares", {"poula/shares/tamed_share", "poula/shares/boosted_share", "poula/shares/stepsize"}},
};

static inline const struct old_array *old_array_of(const char *name)
{
    for (size_t i = 0; i < sizeof old_arrays / sizeof *old_arrays; i++)
        for (size_t k = 0; old_arrays[i].parts[k]; k++)
            if (!strcmp(old_arrays[i].parts[k], name))
                return &old_arrays[i];
    return NULL;
}

/* The tensors of a file of today as format 2 had them; room takes the arrays. Returns their number. */
static inline size_t old_tensors(const struct pl_safetensors *file, struct pl_safetensor *tensors, double *room)
{
    size_t count = 0;
    for (size_t i = 0; i < file->count; i++)
        if (!old_array_of(file->tensors[i].name))
            tensors[count++] = file->tensors[i];
    for (size_t i = 0; i < sizeof old_arrays / sizeof *old_arrays; i++) {
        double *start = room;
        const char *type = NULL;
        for (size_t k = 0; old_arrays[i].parts[k]; k++) {
            const struct pl_safetensor *t = pl_safetensors_find(file, old_arrays[i].parts[k]);
            if (!t)
                continue;
            memcpy(room, t->data, t->count * sizeof *room);
            room += t->count;
            type = t->type;
        }
        if (type)
            tensors[count++] = pl_safetensor_list(old_arrays[i].name, type, start, (size_t)(room - start));
    }
    return count;
}

static inline void write_old(const char *path, struct pl_settings *metadata, const struct pl_safetensor *tensors,
                             size_t count)
{
    struct pl_error err;
    char digest[2 * PL_DIGEST_SIZE + 1];
    pl_safetensors_digest(tensors, count, digest);
    pl_settings_set_string(metadata, "format", "poula checkpoint 2");
    pl_settings_set_string(metadata, "digest", digest);
    pl_settings_set_string(metadata, "poula", PL_VERSION);
    assert_int_equal(pl_safetensors_write(path, metadata, tensors, count, &err), 0);
}

/* Turns a checkpoint of today into one of format 2. */
static inline void make_old(const char *path)
{
    struct pl_safetensors file;
    struct pl_error err;
    if (pl_safetensors_read(&file, path, &err))
        fail_msg("%s", err.text);
    struct pl_safetensor *tensors = pl_new(file.count * sizeof *tensors);
    double room[256];
    size_t count = old_tensors(&file, tensors, room);
    assert_in_range(count, 1, file.count - 10);
    write_old(path, &file.metadata, tensors, count);
    free(tensors);
    pl_safetensors_release(&file);
}

/* Stops the run at a question, lets it go on from a checkpoint in format 2, and compares with the whole run. */
static inline void check_old_stop(const struct pl_settings *s, int after, const struct recorder *whole,
                                  const char *what)
{
    struct breaker b;
    assert_int_equal(run_broken(s, 1, folder, after, false, &b).outcome, PL_INTERRUPTED);
    recorder_release(&b.recorder);
    for (int slot = 1; slot <= 2; slot++) {
        char name[64];
        snprintf(name, sizeof name, "checkpoint-%d.safetensors", slot);
        if (exists(name))
            make_old(file_path(name));
    }
    assert_int_equal(run_broken(s, 1, folder, 0, false, &b).outcome, PL_FINISHED);
    if (!strstr(pl_text(&b.recorder.log), "goes on from a checkpoint"))
        fail_msg("%s: %s", what, pl_text(&b.recorder.log));
    assert_same(whole, &b.recorder, what);
    recorder_release(&b.recorder);
    empty_folder();
}

/* Goes on from a file that poula 0.1.0 wrote (its version is made today's, which would refuse it). The values that it
 * holds are told as they are; those that follow are the whole run's, as nearly as another compiler's are. */
static inline void check_old_file(const struct pl_settings *s, const char *name, const char *where)
{
    struct breaker whole, b;
    struct pl_safetensors file;
    struct pl_error err;
    char path[4096];
    const char *tests = getenv("PL_TESTS");
    snprintf(path, sizeof path, "%s/golden/checkpoints/%s", tests ? tests : "tests", name);
    if (pl_safetensors_read(&file, path, &err))
        fail_msg("%s", err.text);
    assert_non_null(pl_safetensors_find(&file, "poula/progress"));
    write_old(file_path("checkpoint-1.safetensors"), &file.metadata, file.tensors, file.count);
    pl_safetensors_release(&file);
    assert_int_equal(run_broken(s, 1, NULL, 0, false, &whole).outcome, PL_FINISHED);
    assert_int_equal(run_broken(s, 1, folder, 0, false, &b).outcome, PL_FINISHED);
    if (!strstr(pl_text(&b.recorder.log), where))
        fail_msg("%s: %s", name, pl_text(&b.recorder.log));
    assert_int_equal(b.recorder.count, whole.recorder.count);
    for (int m = 0; m < whole.recorder.metric_count; m++) {
        const char *metric = whole.recorder.metrics[m];
        struct recorded p, q;
        for (size_t i = 0; pl_train_is_repeatable(metric) && i < recorder_find(&whole.recorder, metric, i, &p); i++) {
            recorder_find(&b.recorder, metric, i, &q);
            if (p.epoch != q.epoch || !(fabs(p.value - q.value) <= 1e-3 * (fabs(p.value) + 0.1)))
                fail_msg("%s: %s at epoch %g is %.17g, not %.17g", name, metric, (double)q.epoch, q.value, p.value);
        }
    }
    recorder_release(&whole.recorder);
    recorder_release(&b.recorder);
    empty_folder();
}

#endif
