#include "sweep/batch/past.h"
#include "sweep/batch/journal.h"
#include "sweep/batch/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const struct pl_past_run *const *x = a, *const *y = b;
    return (*x)->run < (*y)->run ? -1 : (*x)->run > (*y)->run;
}

static struct pl_past_run *find(const struct pl_past *past, int64_t run)
{
    struct pl_past_run key = {.run = run}, *wanted = &key;
    struct pl_past_run **found = bsearch(&wanted, past->by_run, past->count, sizeof *past->by_run, compare);
    return found ? *found : NULL;
}

static int list_runs(const struct pl_order_file *file, struct pl_past *past, struct pl_error *err)
{
    past->count = (size_t)file->head.runs;
    past->runs = pl_new((past->count + 1) * sizeof *past->runs);
    past->by_run = pl_new((past->count + 1) * sizeof *past->by_run);
    for (size_t i = 0; i < past->count; i++) {
        enum pl_message kind;
        struct pl_past_run *run = &past->runs[i];
        *run = (struct pl_past_run){.line = file->lines[i]};
        int status = pl_message_read(run->line, strlen(run->line), &kind, &run->run, err);
        if (!status && kind != PL_MESSAGE_ORDER)
            status = pl_fail(err, PL_ECORRUPT, "a line of the task's orders is not an order: %.100s", run->line);
        if (status)
            return status;
        for (int axis = 0; axis < PL_AXIS_COUNT; axis++)
            run->kept[axis] = (struct pl_kept){NAN, NAN};
        past->by_run[i] = run;
    }
    qsort(past->by_run, past->count, sizeof *past->by_run, compare);
    return 0;
}

/* What is known while one journal is read. */
struct reading {
    struct pl_past *past;
    const struct pl_order_head *own;
    struct pl_event_reader reader;
    bool known; /* it is a journal of this task */
};

/* A later attempt takes the place of what came before from its first position on; each starts where it did, or before.
 * A program's positions may go back. */
static void keep(struct pl_past_run *run, const struct pl_event *event)
{
    double least = NAN, most = NAN;
    for (size_t i = 0; i < event->count; i++) { /* of a number and NaN: the number */
        least = fmin(least, event->epochs[i]);
        most = fmax(most, event->epochs[i]);
    }
    for (size_t i = 0; i < event->series_count && !isnan(most); i++) {
        struct pl_kept *kept = &run->kept[event->series[i].axis];
        kept->first = fmin(kept->first, least);
        kept->last = most;
    }
}

static int take(void *self, char *text, size_t length, const struct pl_journal_place *behind)
{
    struct reading *r = self;
    struct pl_event event;
    struct pl_past_run *run;
    enum pl_task_over how;
    char reason[4];
    (void)behind;
    if (!r->known) {
        struct pl_journal_head head;
        r->known = pl_journal_head_read(text, &head) && !strcmp(head.submission, r->own->submission) &&
                   head.task == r->own->task;
        return !r->known;
    }
    if (pl_task_over_read(text, &how, reason, sizeof reason)) {
        r->past->given_back = how == PL_OVER_LEFT || how == PL_OVER_BROKEN;
        return 0;
    }
    if (pl_event_read(&r->reader, text, length, &event, NULL))
        return 0;
    if (event.kind == PL_EVENT_READY)
        return event.protocol != PL_PROTOCOL_VERSION; /* nobody will take in what follows */
    if (event.kind == PL_EVENT_DROPPED || !(run = find(r->past, event.run)))
        return 0;
    if (event.kind == PL_EVENT_START)
        run->begun = true;
    else if (event.kind == PL_EVENT_POINTS)
        keep(run, &event);
    else if (event.kind == PL_EVENT_END)
        run->ended = event.outcome != PL_INTERRUPTED || event.reached > 0;
    return 0;
}

int pl_past_read(const char *folder, const struct pl_order_file *file, int64_t attempt, struct pl_past *past,
                 struct pl_error *err)
{
    struct pl_text path = {0};
    *past = (struct pl_past){0};
    int status = list_runs(file, past, err);
    for (int64_t before = 1; before < attempt && !status; before++) {
        struct reading reading = {.past = past, .own = &file->head};
        struct pl_journal_place place = {0};
        bool more = true;
        pl_text_clear(&path);
        pl_journal_path(folder, file->head.task, before, &path);
        while (more && !status)
            status = pl_journal_read(pl_text(&path), &place, 64 << 20, &more, take, &reading, err);
        past->restarts += reading.known;
        pl_event_reader_release(&reading.reader);
    }
    pl_text_release(&path);
    if (status)
        pl_past_release(past);
    return status;
}

void pl_past_release(struct pl_past *past)
{
    free(past->runs);
    free(past->by_run);
    *past = (struct pl_past){0};
}
