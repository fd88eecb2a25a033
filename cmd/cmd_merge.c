#include "cmd.h"

#include "sweep/sweep.h"

#include <inttypes.h>
#include <stdio.h>

/* Runs of which the two databases have different values; the first of them are named. */
struct differences {
    struct pl_text theirs, ours, redefined;
    size_t their_count, our_count;
};

static int take_difference(void *self, int64_t run, bool theirs)
{
    enum { NAMED = 10 };
    struct differences *d = self;
    size_t *count = theirs ? &d->their_count : &d->our_count;
    struct pl_text *list = theirs ? &d->theirs : &d->ours;
    if (*count < NAMED)
        pl_text_addf(list, "%s%" PRId64, *count ? ", " : "", run);
    else if (*count == NAMED)
        pl_text_add(list, ", ...");
    ++*count;
    return 0;
}

static int take_redefined(void *self, const char *study)
{
    struct differences *d = self;
    pl_text_addf(&d->redefined, "%s%s", d->redefined.length ? ", " : "", study);
    return 0;
}

static void print(const char *path, const struct pl_merged *m, size_t copied, const struct differences *d)
{
    pl_cmd_line(stdout,
                "%s: %" PRId64 " new run%s, %" PRId64 " equal, %" PRId64 " ended there and not here, %" PRId64
                " newer there, %" PRId64 " newer here; %" PRId64 " new sweep%s, %zu folder%s",
                path, m->added, m->added == 1 ? "" : "s", m->equal, m->ended, m->replaced, m->kept, m->sweeps,
                m->sweeps == 1 ? "" : "s", copied, copied == 1 ? "" : "s");
    if (m->replaced)
        pl_cmd_note(
            "poula merge: different values, newer in %s, which count now; ours are superseded attempts: run%s %s", path,
            d->their_count == 1 ? "" : "s", pl_text(&d->theirs));
    if (m->kept)
        pl_cmd_note("poula merge: different values, older in %s, which are superseded attempts: run%s %s", path,
                    d->our_count == 1 ? "" : "s", pl_text(&d->ours));
    if (d->redefined.length)
        pl_cmd_note("poula merge: defined otherwise in %s: %s; of a study that has several definitions, tables and "
                    "figures take the newest",
                    path, pl_text(&d->redefined));
    if (m->working)
        pl_cmd_note("poula merge: %" PRId64 " run%s at work here and left alone", m->working,
                    m->working == 1 ? " is" : "s are");
    if (m->working_there)
        pl_cmd_note("poula merge: %" PRId64 " run%s at work in %s; merge it again when they have ended",
                    m->working_there, m->working_there == 1 ? " is" : "s are", path);
    if (m->open_submissions)
        pl_cmd_note("poula merge: %" PRId64
                    " submission%s to a cluster %s not closed in %s and stay%s there: \"poula jobs "
                    "--db %s\" takes in what their tasks report; merge it again then",
                    m->open_submissions, m->open_submissions == 1 ? "" : "s", m->open_submissions == 1 ? "is" : "are",
                    path, m->open_submissions == 1 ? "s" : "", path);
    else if (m->submissions)
        pl_cmd_note("poula merge: %" PRId64
                    " submission%s to a cluster, all closed, stay%s in %s; their runs came along",
                    m->submissions, m->submissions == 1 ? "" : "s", m->submissions == 1 ? "s" : "", path);
}

static int merge(const struct pl_args *args, struct pl_store *store, const char *path)
{
    struct differences d = {0};
    const struct pl_merge_view view = {&d, take_difference, take_redefined};
    struct pl_merged merged = {0};
    struct pl_text folders = {0}, theirs = {0};
    struct pl_error err = {0};
    size_t copied = 0;
    pl_args_folders(args, &folders);
    pl_run_folders(path, &theirs);
    int status = pl_sweep_merge(store, path, pl_text(&folders), pl_text(&theirs), &view, &merged, &copied, &err);
    if (!status)
        print(path, &merged, copied, &d);
    pl_text_release(&folders);
    pl_text_release(&theirs);
    pl_text_release(&d.theirs);
    pl_text_release(&d.ours);
    pl_text_release(&d.redefined);
    return status ? pl_cmd_fail(args, &err) : 0;
}

static int run(const struct pl_args *args)
{
    struct pl_store *store = NULL;
    struct pl_error err = {0};
    int code = 0;
    for (size_t i = 0; i < args->count && !code; i++) { /* none is made, and nothing merged, where one is missing */
        struct pl_store *other = NULL;
        if (pl_store_open(&other, args->arguments[i], PL_STORE_READ, &err))
            code = pl_cmd_fail(args, &err);
        pl_store_close(other);
    }
    if (!code && pl_store_open(&store, pl_args_db(args), PL_STORE_WRITE, &err))
        code = pl_cmd_fail(args, &err);
    for (size_t i = 0; i < args->count && !code; i++)
        code = merge(args, store, args->arguments[i]);
    if (code)
        pl_store_discard(store);
    else
        pl_store_close(store);
    return code;
}

const struct pl_command pl_cmd_merge = {
    .name = "merge",
    .summary = "take the runs of other databases in",
    .arguments = "OTHER.db...",
    .description =
        "Takes runs of other databases in, by their key: settings and seed. A run that both have with equal values is "
        "one; "
        "where values differ (what a clock said aside) the newer result counts, and the other one is kept as a "
        "superseded "
        "attempt. Sweeps, provenance, tags, notes and the folders of runs come along. Each database is one transaction "
        "and "
        "is only read; merging it again changes nothing. A database of an older poula is migrated in a copy first. "
        "Submissions to clusters stay where they are: only one database can take in what their tasks report.",
    .example = "poula backup copy.db && poula merge copy.db --db all.db",
    .least = 1,
    .most = 1000,
    .run = run,
};
