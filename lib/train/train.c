#include "train/train_priv.h"

#include <stdio.h>
#include <string.h>

const char *pl_outcome_name(enum pl_outcome outcome)
{
    static const char *const names[] = {"finished", "diverged", "failed", "interrupted"};
    return names[outcome];
}

void pl_result_set(struct pl_run_result *result, enum pl_outcome outcome, const char *format, ...)
{
    result->outcome = outcome;
    va_list args;
    va_start(args, format);
    vsnprintf(result->reason, sizeof result->reason, format, args);
    va_end(args);
}

double pl_train_epochs(const struct pl_settings *settings)
{
    if (pl_settings_find(settings, "command"))
        return 0;
    return (double)pl_settings_integer(settings, pl_settings_find(settings, "dataset") ? "epochs" : "iterations", 0);
}

void pl_result_reached(struct pl_run_result *result, double until)
{
    char number[PL_NUMBER_SIZE];
    pl_number_write(until, number);
    pl_result_set(result, PL_INTERRUPTED, "reached %s, where a study decides whether it goes on", number);
    result->reached = until;
}

int pl_train_run(const struct pl_run_request *request, const struct pl_sink *sink, struct pl_run_result *result,
                 struct pl_error *err)
{
    *result = (struct pl_run_result){.outcome = PL_FINISHED, .bad_epoch = -1, .exit_code = -1};
    struct pl_error own = {0};
    struct pl_run_request whole = *request;
    struct pl_settings filled = {0};
    const struct pl_task_kind *kind = pl_task_kind_of(request->settings);
    int status = kind ? pl_train_complete(&whole.settings, &filled, &own)
                      : pl_fail(&own, PL_EINPUT, "the settings name no problem, dataset or command");
    if (!whole.given)
        whole.given = request->settings; /* the key is of these, where anybody asks for it */
    if (!status)
        status = kind->run(&whole, sink, result, &own);
    pl_settings_release(&filled);
    if (status) {
        pl_result_set(result, PL_FAILED, "%s", own.text);
        if (err)
            *err = own;
    }
    return status;
}
