/* What became of tasks, from whoever knows: squeue of the living, squeue of all that the controller remembers, scontrol
 * where squeue was silent, sacct of the past. The first word that is heard of a task counts, in this order. */
#include "sweep/batch/slurm.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 100 };               /* ids of one call */
static const double most_time = 60; /* seconds of all calls together */

struct heard {
    size_t array; /* of the ids asked for */
    int64_t index;
    enum pl_slurm_source source;
    size_t order;
    struct pl_task_report report;
};

struct look {
    const char *const *ids;
    size_t count;
    enum pl_slurm_source source; /* that is listened to */
    struct heard *heard;
    size_t heard_count, capacity;
    struct pl_pool texts;
    size_t last; /* id that was heard of */
    bool *known; /* by id: the controller has said something of it */
    struct pl_call call;
    double begun;
};

/* ---- listening ---- */

static void hear(void *self, const struct pl_task_report *report)
{
    struct look *look = self;
    for (size_t k = 0; k < look->count; k++) {
        size_t i = (look->last + k) % look->count; /* lines of one array follow each other */
        if (strcmp(look->ids[i], report->id))
            continue;
        look->last = i;
        void *list = look->heard;
        pl_grow(&list, &look->capacity, look->heard_count + 1, sizeof *look->heard);
        look->heard = list;
        struct heard *heard = &look->heard[look->heard_count];
        *heard = (struct heard){i, report->index, look->source, look->heard_count, *report};
        heard->report.id = look->ids[i];
        heard->report.word = pl_pool_copy(&look->texts, report->word);
        heard->report.reason = pl_pool_copy(&look->texts, report->reason);
        heard->report.node = pl_pool_copy(&look->texts, report->node);
        look->heard_count++;
        look->known[i] = look->known[i] || look->source != PL_SLURM_PAST;
        return;
    }
}

static int call(struct look *look, const char *const *words, struct pl_error *err)
{
    if (pl_clock_steady() - look->begun > most_time)
        return pl_fail(err, PL_ETIMEOUT, "Slurm needs more than %g s to say what became of %zu arrays", most_time,
                       look->count);
    return pl_slurm_call(&look->call, words, err);
}

static void join(const struct look *look, size_t first, size_t count, struct pl_text *out)
{
    pl_text_clear(out);
    for (size_t i = first; i < first + count; i++)
        pl_text_addf(out, "%s%s", i > first ? "," : "", look->ids[i]);
}

static int ask_squeue(struct look *look, const char *ids, enum pl_slurm_source source, struct pl_error *err)
{
    const char *const words[] = {
        "squeue", "-h", "-r", "-a", "-j", ids, "-o", PL_SLURM_SQUEUE, source == PL_SLURM_ENDED ? "-t" : NULL,
        "all",    NULL};
    const struct pl_slurm_hearer hearer = {look, hear};
    int status = call(look, words, err);
    if (status || (look->call.exit_code && pl_slurm_says_gone(pl_text(&look->call.said))))
        return status;
    if (look->call.exit_code)
        return pl_call_fail(&look->call, "squeue", err);
    look->source = source;
    return pl_slurm_read_squeue(&look->call.out, source, &hearer, err);
}

/* One that squeue says nothing of: is there really no such job? */
static int ask_scontrol(struct look *look, const char *id, struct pl_error *err)
{
    const char *const words[] = {"scontrol", "-a", "-o", "show", "job", id, NULL};
    const struct pl_slurm_hearer hearer = {look, hear};
    int status = call(look, words, err);
    if (status || (look->call.exit_code && pl_slurm_says_gone(pl_text(&look->call.said))))
        return status;
    if (look->call.exit_code)
        return pl_call_fail(&look->call, "scontrol", err);
    look->source = PL_SLURM_JOB;
    return pl_slurm_read_jobs(&look->call.out, &hearer, err);
}

/* Only says more of what the controller has forgotten, so its failures are no failures: many clusters have none, and
 * some let nobody ask. */
static void ask_sacct(struct look *look, const char *ids)
{
    const char *const words[] = {"sacct", "-n", "-P", "-X", "-S", "2000-01-01", "-j", ids, "-o", PL_SLURM_SACCT, NULL};
    const struct pl_slurm_hearer hearer = {look, hear};
    if (call(look, words, NULL) || look->call.exit_code)
        return;
    look->source = PL_SLURM_PAST;
    pl_slurm_read_sacct(&look->call.out, &hearer, NULL);
}

/* ---- telling ---- */

/* Of sacct's answers the last one is the newest: a requeued task has several. */
static int compare(const void *left, const void *right)
{
    const struct heard *a = left, *b = right;
    if (a->array != b->array)
        return a->array < b->array ? -1 : 1;
    if (a->index != b->index)
        return a->index < b->index ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return a->order > b->order ? -1 : a->order < b->order;
}

static void tell(struct look *look, void (*report)(void *self, const struct pl_task_report *report), void *self)
{
    if (look->heard_count)
        qsort(look->heard, look->heard_count, sizeof *look->heard, compare);
    for (size_t i = 0; i < look->heard_count; i++) {
        const struct heard *heard = &look->heard[i];
        if (!i || heard[-1].array != heard->array || heard[-1].index != heard->index)
            report(self, &heard->report);
    }
}

static int ask(struct look *look, size_t first, size_t count, struct pl_text *ids, struct pl_error *err)
{
    join(look, first, count, ids);
    int status = ask_squeue(look, pl_text(ids), PL_SLURM_ALIVE, err);
    if (!status)
        status = ask_squeue(look, pl_text(ids), PL_SLURM_ENDED, err);
    for (size_t i = first; i < first + count && !status; i++)
        if (!look->known[i])
            status = ask_scontrol(look, look->ids[i], err);
    if (!status)
        ask_sacct(look, pl_text(ids));
    return status;
}

int pl_slurm_look(const char *const *ids, size_t count, void (*report)(void *self, const struct pl_task_report *report),
                  void *self, struct pl_error *err)
{
    struct look look = {.ids = ids, .count = count, .known = pl_new(count + 1), .begun = pl_clock_steady()};
    struct pl_text joined = {0};
    int status = 0;
    for (size_t i = 0; i < count && !status; i++)
        if (!*ids[i] || ids[i][strspn(ids[i], "0123456789")])
            status = pl_fail(err, PL_EINPUT, "\"%.60s\" is no job of Slurm", ids[i]);
    for (size_t i = 0; i < count && !status; i += CHUNK)
        status = ask(&look, i, count - i < CHUNK ? count - i : CHUNK, &joined, err);
    if (!status)
        tell(&look, report, self);
    pl_text_release(&joined);
    pl_call_release(&look.call);
    pl_pool_release(&look.texts);
    free(look.heard);
    free(look.known);
    return status;
}
