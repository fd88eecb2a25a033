/* Checkpoints and weights. The input is a list of edits of a real checkpoint, whose digest is then made right again:
 * only so is what it says looked at. Training goes on from it, or says why not and goes on from something else. */
#include "fuzz.h"
#include "train/network/safetensors.h"

#define fail_msg(...) (fprintf(stderr, __VA_ARGS__), abort())
#include <stdio.h>
#include "../unit/recorder.h"
#include "../unit/train_settings.h"

#include <sys/stat.h>
#include <unistd.h>

#define COMMON " epochs=3 optimizer=theopoula lambda=0.1 average=patience average_after=1 record_batches=3 "
static const char *const tasks[] = {
    "dataset=glyphs model=cnn width=4 depth=2 train_images=12 test_images=10 valid=4 batch=4 decay=0.5 every=2" COMMON,
    "dataset=markov model=awd_lstm nlayers=1 emsize=3 nhid=3 branches=2 vocabulary=10 train_tokens=60 valid_tokens=20 "
    "test_tokens=20 batch=2 bptt=5 test_batch=1 record_shares=true clip=1 decay=0.5 patience=1" COMMON,
};
enum { TASKS = sizeof tasks / sizeof *tasks, TENSORS = 200 };

static struct base {
    struct pl_settings settings;
    struct pl_safetensors file;
} bases[TASKS];

static struct pl_run_result train(const struct pl_settings *settings, struct recorder *r, double stop_after)
{
    struct pl_run_request request = {.settings = settings, .seed = 7, .threads = 1, .folder = fuzz_path("run")};
    struct pl_run_result result = {0};
    struct pl_error err = {0};
    struct pl_sink sink = recorder_sink(r);
    r->stop_after = stop_after;
    int status = pl_train_run(&request, &sink, &result, &err);
    fuzz_must_say(status, &err);
    MUST(!status || result.outcome == PL_FAILED);
    return result;
}

/* The checkpoint of a run that was stopped after its first batch. */
static void make_base(int task)
{
    struct base *base = &bases[task];
    struct recorder r;
    struct pl_error err;
    settings_of(&base->settings, tasks[task]);
    fuzz_remove(fuzz_path("run"));
    MUST(train(&base->settings, &r, 0).outcome == PL_INTERRUPTED);
    MUST(!pl_safetensors_read(&base->file, fuzz_path("run/checkpoint-1.safetensors"), &err));
    MUST(base->file.count < TENSORS);
    recorder_release(&r);
}

static double odd_value(uint64_t which)
{
    static const double values[] = {0, -1, 1, 2, 3, 1e300, -1e300, NAN, INFINITY, -INFINITY, 0x1p53, 0x1p63, 1e-320, 4};
    return values[which % (sizeof values / sizeof *values)];
}

static void set_element(struct pl_safetensor *t, struct fuzz_bytes *bytes, struct pl_pool *pool)
{
    size_t size = !strcmp(t->type, "F32") ? 4 : 8, index = (size_t)fuzz_take(bytes, 1);
    uint64_t how = fuzz_take(bytes, 1), bits = fuzz_take(bytes, how & 1 ? 8 : 1);
    double value = odd_value(bits);
    float single = (float)value;
    if (!t->count)
        return;
    char *copy = pl_pool_take(pool, t->count * 8);
    memcpy(copy, t->data, t->count * size);
    bool as_bits = how & 1 || !strcmp(t->type, "U64");
    const void *from = as_bits ? (const void *)&bits : size == 4 ? (const void *)&single : (const void *)&value;
    memcpy(copy + index % t->count * size, from, size);
    t->data = copy;
}

static void resize(struct pl_safetensor *t, size_t count, struct pl_pool *pool)
{
    size_t kept = count < t->count ? count : t->count, size = !strcmp(t->type, "F32") ? 4 : 8;
    char *copy = pl_pool_take(pool, count * 8 + 8);
    memset(copy, 0, count * 8 + 8);
    memcpy(copy, t->data, kept * size);
    *t = pl_safetensor_list(t->name, t->type, copy, count);
}

static void set_metadata(struct pl_settings *metadata, struct fuzz_bytes *bytes)
{
    static const char *const keys[] = {"isa", "model", "format", "poula", "task"}; /* another key: another run */
    char text[20] = "";
    const char *key = keys[fuzz_take(bytes, 1) % (sizeof keys / sizeof *keys)];
    fuzz_take_bytes(bytes, text, fuzz_take(bytes, 1) % sizeof text);
    for (char *c = text; *c; c++)
        *c = *c & 0x7f ? *c & 0x7f : 'x';
    pl_settings_set_string(metadata, key, text);
}

/* One edit of the list; returns false when it ends the list. */
static bool edit(struct pl_safetensor *tensors, size_t *count, struct pl_settings *metadata, struct fuzz_bytes *bytes,
                 struct pl_pool *pool)
{
    static const char *const types[] = {"F32", "F64", "U64"};
    uint64_t what = fuzz_take(bytes, 1) % 6;
    struct pl_safetensor *t = &tensors[fuzz_take(bytes, 1) % *count];
    switch (what) {
    case 0:
        *t = tensors[--*count];
        return *count > 0;
    case 1:
        set_element(t, bytes, pool);
        return true;
    case 2:
        resize(t, (size_t)fuzz_take(bytes, 1) % 64, pool);
        return true;
    case 3: /* another type, all bits 0 */
        *t = (struct pl_safetensor){.name = t->name,
                                    .type = types[fuzz_take(bytes, 1) % 3],
                                    .dims = t->dims,
                                    .count = t->count,
                                    .data = pl_pool_take(pool, t->count * 8 + 8)};
        memset((void *)(uintptr_t)t->data, 0, t->count * 8);
        *t = pl_safetensor_list(t->name, t->type, t->data, t->count);
        return true;
    case 4:
        set_metadata(metadata, bytes);
        return true;
    default: /* it and its neighbour change places, names aside */
        if (t > tensors) {
            const char *name = t->name;
            t->name = t[-1].name;
            t[-1].name = name;
        }
        return true;
    }
}

static void write_edited(const struct base *base, const char *path, struct fuzz_bytes *bytes)
{
    struct pl_safetensor tensors[TENSORS];
    struct pl_settings metadata = {0};
    struct pl_pool pool = {0};
    struct pl_error err;
    size_t count = base->file.count;
    char digest[2 * PL_DIGEST_SIZE + 1];
    memcpy(tensors, base->file.tensors, count * sizeof *tensors);
    pl_settings_copy(&metadata, &base->file.metadata);
    for (int i = 0; i < 20 && bytes->left && edit(tensors, &count, &metadata, bytes, &pool); i++)
        continue;
    pl_safetensors_digest(tensors, count, digest);
    pl_settings_set_string(&metadata, "digest", digest);
    MUST(!pl_safetensors_write(path, &metadata, tensors, count, &err));
    pl_settings_release(&metadata);
    pl_pool_release(&pool);
}

static void go_on(struct base *base)
{
    struct recorder r;
    struct pl_run_result result = train(&base->settings, &r, INFINITY);
    MUST(result.outcome == PL_FINISHED || result.outcome == PL_DIVERGED);
    size_t bad;
    MUST(pl_utf8_valid(pl_text(&r.log), r.log.length, &bad));
    recorder_release(&r);
}

/* Weights of another run as a start. */
static void begin_with(struct base *base, const char *path)
{
    struct pl_settings settings = {0};
    struct recorder r;
    pl_settings_copy(&settings, &base->settings);
    pl_settings_set_string(&settings, "weights", path);
    fuzz_remove(fuzz_path("run"));
    train(&settings, &r, INFINITY);
    recorder_release(&r);
    pl_settings_release(&settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, size};
    uint64_t kind = fuzz_take(&bytes, 1);
    struct base *base = &bases[kind % TASKS];
    if (!base->settings.count)
        make_base((int)(kind % TASKS));
    fuzz_remove(fuzz_path("run"));
    MUST(!mkdir(fuzz_path("run"), 0700));
    write_edited(base, fuzz_path("run/checkpoint-1.safetensors"), &bytes);
    if (kind & 4)
        write_edited(base, fuzz_path("run/checkpoint-2.safetensors"), &bytes);
    if (kind & 8) {
        MUST(!rename(fuzz_path("run/checkpoint-1.safetensors"), fuzz_path("weights")));
        begin_with(base, fuzz_path("weights"));
    } else {
        go_on(base);
    }
    return 0;
}
