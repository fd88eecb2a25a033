#include "sweep/batch/record.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const char head_begin[] = "{\"journal\":1,", over_begin[] = "{\"over\":";
static const char *const over_names[PL_OVER_COUNT] = {"done", "again", "left", "broken"};

void pl_journal_head_write(const struct pl_journal_head *h, struct pl_text *out)
{
    pl_text_addf(out, "%s\"task\":%lld,\"attempt\":%lld,\"restarts\":%lld,\"time\":%.6f,\"submission\":", head_begin,
                 (long long)h->task, (long long)h->attempt, (long long)h->restarts, h->time);
    pl_text_add_json(out, h->submission);
    pl_text_add(out, ",\"job\":");
    pl_text_add_json(out, h->job);
    pl_text_add(out, ",\"node\":");
    pl_text_add_json(out, h->node);
    pl_text_add(out, "}\n");
}

bool pl_journal_head_read(const char *record, struct pl_journal_head *h)
{
    if (strncmp(record, head_begin, sizeof head_begin - 1))
        return false;
    json_int_t task = 0, attempt = 0, restarts = 0;
    const char *submission, *job, *node;
    json_t *object = json_loads(record, 0, NULL);
    bool good = object && !json_unpack(object, "{s:I, s:I, s:I, s:F, s:s, s:s, s:s}", "task", &task, "attempt",
                                       &attempt, "restarts", &restarts, "time", &h->time, "submission", &submission,
                                       "job", &job, "node", &node);
    if (good) {
        h->task = task;
        h->attempt = attempt;
        h->restarts = restarts;
        snprintf(h->submission, sizeof h->submission, "%s", submission);
        snprintf(h->job, sizeof h->job, "%s", job);
        snprintf(h->node, sizeof h->node, "%s", node);
    }
    json_decref(object);
    return good;
}

void pl_task_over_write(enum pl_task_over how, const char *reason, struct pl_text *out)
{
    pl_text_addf(out, "%s\"%s\",\"reason\":", over_begin, over_names[how]);
    pl_text_add_json(out, reason);
    pl_text_add(out, "}\n");
}

bool pl_task_over_read(const char *record, enum pl_task_over *how, char *reason, size_t size)
{
    if (strncmp(record, over_begin, sizeof over_begin - 1))
        return false;
    const char *name, *why;
    bool good = false;
    json_t *object = json_loads(record, 0, NULL);
    if (object && !json_unpack(object, "{s:s, s:s}", "over", &name, "reason", &why))
        for (int i = 0; i < PL_OVER_COUNT; i++)
            if (!strcmp(name, over_names[i])) {
                *how = (enum pl_task_over)i;
                snprintf(reason, size, "%s", why);
                good = true;
            }
    json_decref(object);
    return good;
}
