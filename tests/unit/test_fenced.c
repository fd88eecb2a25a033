/* Networks on devices whose memory faults when the host touches it: nothing above lib/device may look at a device
 * address. */
#include "recorder.h"

#include "data/text/corpus.h"
#include "train/network/safetensors.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "fenced.h"
#include "train_runs.h"

/* Between them: every operator, statistics, an average of the weights, clipping, shares, recurrent state. */
static const char *const tasks[] = {
    "dataset=glyphs model=cnn width=4 depth=2 dropout=0.2 train_images=56 test_images=20 valid=12 batch=16 epochs=3 "
    "optimizer=theopoula lambda=0.01 beta=1e8 record_shares=true average=patience average_after=1 clip=1 ",
    "dataset=glyphs model=layers layers=[] train_images=20 test_images=10 batch=8 epochs=2 optimizer=adamp "
    "lambda=0.01 ",
    "dataset=markov model=awd_lstm nlayers=2 emsize=8 nhid=12 vocabulary=10 branches=3 train_tokens=260 "
    "valid_tokens=91 "
    "test_tokens=41 batch=4 valid_batch=3 test_batch=2 bptt=12 epochs=3 optimizer=nt_asgd lambda=1 ",
};
enum { TASK_COUNT = sizeof tasks / sizeof *tasks };
static const char
    own_layers[] = "[\"conv 4\",\"batchnorm\",\"relu\",\"maxpool 4\",\"mark a\",\"conv 4\",\"batchnorm\",\"add a\","
                   "\"relu\",\"concat a\",\"averagepool 2\",\"dropout 0.1\",\"linear classes\"]";

static void task_on(struct pl_settings *s, size_t task, const struct pl_device_type *type)
{
    struct pl_text words = {0};
    pl_text_addf(&words, "%sdevice=%s", tasks[task], type->name);
    settings_of(s, pl_text(&words));
    if (pl_settings_find(s, "layers"))
        pl_settings_set_string(s, "layers", own_layers);
    pl_text_release(&words);
}

/* Runs to the end in the folder; returns what it kept there. */
static struct pl_safetensors finish(const struct pl_settings *s, struct recorder *r)
{
    struct pl_safetensors weights;
    struct breaker b;
    struct pl_error err;
    assert_int_equal(run_broken(s, 1, folder, 0, false, &b).outcome, PL_FINISHED);
    *r = b.recorder;
    assert_int_equal(pl_safetensors_read(&weights, file_path("weights.safetensors"), &err), 0);
    return weights;
}

static void check_task(size_t task, const struct pl_device_type *type)
{
    struct pl_settings s = {0};
    struct recorder open, fenced;
    struct breaker b;
    char name[64], digests[2][2 * PL_DIGEST_SIZE + 1];
    snprintf(name, sizeof name, "task %zu on %s", task, type->name);
    task_on(&s, task, type);
    for (int behind = 0; behind < 2; behind++) {
        fence.on = behind;
        fence.loans = fence.copied_back = 0;
        if (behind) {
            assert_int_equal(run_broken(&s, 1, folder, 4, false, &b).outcome, PL_INTERRUPTED);
            recorder_release(&b.recorder);
        }
        struct pl_safetensors weights = finish(&s, behind ? &fenced : &open);
        assert_int_equal(strstr(pl_text(&(behind ? &fenced : &open)->log), "goes on from a checkpoint") != NULL,
                         behind);
        pl_safetensors_digest(weights.tensors, weights.count, digests[behind]);
        pl_safetensors_release(&weights);
        empty_folder();
    }
    fence.on = false;
    assert_true(fence.loans > fence.copied_back && fence.copied_back > 0);
    assert_int_equal(fence.opened, fence.closed);
    assert_same(&open, &fenced, name);
    assert_string_equal(digests[0], digests[1]);
    recorder_release(&open);
    recorder_release(&fenced);
    pl_settings_release(&s);
}

static void test_the_same_bits_behind_the_fence(void **state)
{
    (void)state;
    for (size_t d = 0; d < pl_device_registry.count; d++)
        for (size_t task = 0; task < TASK_COUNT; task++)
            check_task(task, pl_device_type_at(d));
}

/* Does reading a byte end a process? */
static bool faults(const volatile char *address)
{
    int status;
    pid_t child = fork();
    if (!child) {
        signal(SIGSEGV, SIG_DFL);
        char byte = *address;
        (void)byte;
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

static void test_the_fence_holds(void **state)
{
    (void)state;
    struct pl_device *device;
    struct pl_error err;
    double values[3] = {1, 2, 3}, got[3];
    fence.on = true;
    assert_int_equal(pl_device_open(&device, "ref", &(struct pl_device_options){.threads = 1}, &err), 0);
    const struct pl_device_type *type = device->type;
    void *memory = type->allocate(device, sizeof values);
    type->upload(device, memory, values, sizeof values);
    assert_true(faults(memory));
    double *lent = type->lend(device, memory, sizeof values, PL_LEND_CHANGE);
    assert_false(faults((char *)lent));
    assert_true(lent[2] == 3);
    lent[2] = 4;
    type->take_back(device, memory, lent, sizeof values, PL_LEND_CHANGE);
    assert_true(faults((char *)lent) && faults(memory));
    lent = type->lend(device, memory, sizeof values, PL_LEND_READ);
    lent[0] = 9;
    type->take_back(device, memory, lent, sizeof values, PL_LEND_READ);
    type->download(device, memory, got, sizeof got);
    assert_true(got[0] == 1 && got[2] == 4);
    type->release(device, memory);
    pl_device_close(device);
    fence.on = false;
}

/* What a device finds out late ends the run, with its own sentence. */
static void test_a_device_that_fails(void **state)
{
    (void)state;
    for (fence.fail_after = 1; fence.fail_after < 5; fence.fail_after++) {
        struct pl_settings s = {0};
        struct breaker b;
        task_on(&s, 0, pl_device_type_at(0));
        fence.on = true;
        int after = fence.fail_after;
        struct pl_run_result result = run_broken(&s, 1, folder, 0, false, &b);
        assert_int_equal(result.outcome, PL_FAILED);
        assert_string_equal(result.reason, "the fence fell over");
        fence.fail_after = 0;
        pl_settings_release(&s);
        recorder_release(&b.recorder);
        task_on(&s, 0, pl_device_type_at(0));
        assert_int_equal(run_broken(&s, 1, folder, 0, false, &b).outcome, PL_FINISHED);
        fence.on = false;
        fence.fail_after = after;
        pl_settings_release(&s);
        recorder_release(&b.recorder);
        empty_folder();
    }
    fence.fail_after = 0;
}

/* A network with an operator that a device lacks is refused before anything is built. */
static void test_a_device_without_an_operator(void **state)
{
    (void)state;
    static const struct {
        size_t task;
        enum pl_operation lacks;
        const char *sentence;
    } cases[] = {
        {0, PL_OPERATION_DROPOUT, "the device ref has no operator dropout, which this network needs"},
        {2, PL_OPERATION_LSTM, "the device ref has no operator lstm, which this network needs for its layer rnns.0"},
    };
    fence.on = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pl_settings s = {0};
        struct pl_train_needs needs;
        struct pl_run_result result;
        struct pl_error err = {0};
        struct recorder r;
        struct pl_sink sink = recorder_sink(&r);
        task_on(&s, cases[i].task, pl_device_type_at(pl_device_registry.count - 1));
        struct pl_run_request request = {.settings = &s, .seed = 7, .threads = 1, .data = "data"};
        fence.lacks = cases[i].lacks;
        assert_int_equal(pl_train_survey(&s, "data", 1, &needs, &err), PL_EINPUT);
        assert_string_equal(err.text, cases[i].sentence);
        assert_int_equal(pl_train_run(&request, &sink, &result, &err), PL_EINPUT);
        assert_string_equal(err.text, cases[i].sentence);
        fence.lacks = PL_OPERATION_NONE;
        recorder_release(&r);
        pl_settings_release(&s);
    }
    fence.on = false;
}

/* Each device of the program has every operator. */
static void test_devices_have_all_operators(void **state)
{
    (void)state;
    for (size_t d = 0; d < pl_device_registry.count; d++)
        for (enum pl_operation operation = 0; operation < PL_OPERATIONS; operation++)
            if (!pl_device_supports(pl_device_type_at(d), operation))
                fail_msg("the device %s lacks %s", pl_device_type_at(d)->name,
                         pl_device_lacks(pl_device_type_at(d), operation));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_fence_holds),
        cmocka_unit_test(test_the_same_bits_behind_the_fence),
        cmocka_unit_test(test_a_device_that_fails),
        cmocka_unit_test(test_a_device_without_an_operator),
        cmocka_unit_test(test_devices_have_all_operators),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
