#include "train/train_priv.h"

#include <stdio.h>
#include <string.h>

const char *pl_outcome_name(enum pl_outcome outcome)
{
    static const char *const names[] = {"finished", "diverged", "failed", "interrupted"};
    return names[outcome];
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && !strcmp(text + length - end_length, end);
}

/* Is it a name such as theta, theta2 or averaged_theta3? */
static bool is_position(const char *metric)
{
    const char *name = strncmp(metric, "averaged_", 9) ? metric : metric + 9;
    return !strncmp(name, "theta", 5) && strspn(name + 5, "0123456789") == strlen(name + 5);
}

bool pl_train_is_repeatable(const char *metric)
{
    return strncmp(metric, "seconds", 7) != 0 && !ends_with(metric, "_per_second");
}

enum pl_direction pl_train_direction(const char *metric)
{
    static const char *const rising[] = {"accuracy", "acc", "auc", "f1", "precision", "recall", "bleu", "reward"};
    static const char *const neutral[] = {"lambda", "lr", "time", "seconds", "rate", "norm", "floor", "tamed_share",
                                          "boosted_share", "stepsize", PL_METRIC_AVERAGED};
    if (is_position(metric) || !pl_train_is_repeatable(metric))
        return PL_NEUTRAL;
    for (size_t i = 0; i < sizeof rising / sizeof *rising; i++)
        if (ends_with(metric, rising[i]))
            return PL_MAXIMIZE;
    for (size_t i = 0; i < sizeof neutral / sizeof *neutral; i++)
        if (!strcmp(metric, neutral[i]) || (ends_with(metric, neutral[i]) && !ends_with(metric, "error_rate")))
            return PL_NEUTRAL;
    return PL_MINIMIZE;
}

size_t pl_train_metric_rank(const char *metric)
{
    static const char *const usual[] = {"test_accuracy", "valid_accuracy", "accuracy", "test_perplexity",
                                        "valid_perplexity", "perplexity", "test_loss", "valid_loss", "loss"};
    size_t rank = 0;
    while (rank < sizeof usual / sizeof *usual && strcmp(usual[rank], metric))
        rank++;
    return rank;
}

void pl_result_set(struct pl_run_result *result, enum pl_outcome outcome, const char *format, ...)
{
    result->outcome = outcome;
    va_list args;
    va_start(args, format);
    vsnprintf(result->reason, sizeof result->reason, format, args);
    va_end(args);
}

int pl_train_run(const struct pl_run_request *request, const struct pl_sink *sink, struct pl_run_result *result,
                 struct pl_error *err)
{
    *result = (struct pl_run_result){.outcome = PL_FINISHED, .bad_epoch = -1, .exit_code = -1};
    struct pl_error own = {0};
    const struct pl_task_kind *kind = pl_task_kind_of(request->settings);
    int status = kind ? kind->run(request, sink, result, &own)
                      : pl_fail(&own, PL_EINPUT, "the settings name no problem, dataset or command");
    if (status) {
        pl_result_set(result, PL_FAILED, "%s", own.text);
        if (err)
            *err = own;
    }
    return status;
}
