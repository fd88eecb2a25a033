/* poula sweep --dry-run: every run and the counts, and nothing written. */
#include "sweep_parts.h"

#include "sweep/choices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct listing {
    int64_t *again; /* runs that --rerun names, in order */
    size_t again_count;
    const struct pl_study *shown; /* of the command that was shown last */
    struct pl_text line;
};

static bool is_axis(const struct pl_study *study, const char *key)
{
    for (size_t i = 0; i < study->axis_count; i++)
        if (!strcmp(study->axes[i], key))
            return true;
    return false;
}

/* A command is shown once, with its words replaced. */
static void show_command(struct listing *listing, const struct pl_study *study, const struct pl_settings *settings,
                         int64_t seed)
{
    if (listing->shown == study || !pl_settings_find(settings, "command"))
        return;
    listing->shown = study;
    pl_text_clear(&listing->line);
    pl_train_show_command(settings, seed, &listing->line);
    pl_cmd_line(stdout, "%s runs%s%s, for example: %s", study->name, study->home ? " in " : "",
                study->home ? study->home : "", pl_text(&listing->line));
}

/* The words of a command are the same in every line, but for what varies. */
static bool is_rest(const struct pl_study *study, const struct pl_settings *settings, const struct pl_entry *entry)
{
    bool command = pl_settings_find(settings, "command");
    if (command &&
        (!strcmp(entry->key, "command") || (!strcmp(entry->key, "directory") && !strcmp(entry->value.string, "."))))
        return false;
    return !is_axis(study, entry->key);
}

static int compare_runs(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* study, what will happen, what varies, seed, and then the rest. */
static int list_run(void *self, const struct pl_study *study, const struct pl_settings *settings, int64_t seed,
                    int64_t run, enum pl_status *status)
{
    struct listing *listing = self;
    struct pl_text *line = &listing->line;
    if (listing->again_count && bsearch(&run, listing->again, listing->again_count, sizeof run, compare_runs))
        *status = PL_RUN_PLANNED;
    bool ended = *status == PL_RUN_FINISHED || *status == PL_RUN_DIVERGED || *status == PL_RUN_STOPPED ||
                 *status == PL_RUN_FAILED;
    show_command(listing, study, settings, seed);
    pl_text_clear(line);
    pl_text_addf(line, "%s %s", study->name, ended ? pl_status_name(*status) : "missing");
    for (size_t i = 0; i < study->axis_count; i++) {
        const struct pl_value *value = pl_settings_find(settings, study->axes[i]);
        if (value)
            pl_sweep_add_setting(line, study->axes[i], value);
    }
    pl_text_addf(line, " seed=%lld", (long long)seed);
    for (size_t i = 0; i < settings->count; i++)
        if (is_rest(study, settings, &settings->entries[i]))
            pl_sweep_add_setting(line, settings->entries[i].key, &settings->entries[i].value);
    pl_cmd_line(stdout, "%s", pl_text(line));
    return ferror(stdout) ? PL_EIO : 0;
}

/* "search: 54 runs to epoch 30, 18 to 90, 6 to 270, 2 to the end". */
static void show_bracket(const struct pl_study *study, const struct pl_rungs *rungs, size_t b)
{
    const struct pl_stop *stop = study->stop;
    struct pl_text line = {0};
    pl_text_addf(&line, "%s: ", study->name);
    if (rungs->brackets > 1)
        pl_text_addf(&line, "bracket %zu: ", b + 1);
    size_t start = line.length;
    for (size_t k = b; k <= stop->count; k++) {
        if (!rungs->reach[b][k])
            continue;
        bool first = line.length == start;
        pl_text_addf(&line, "%s%lld%s to ", first ? "" : ", ", (long long)rungs->reach[b][k],
                     !first                    ? ""
                     : rungs->reach[b][k] == 1 ? " run"
                                               : " runs");
        if (k < stop->count)
            pl_text_addf(&line, "%s%.10g", first ? "epoch " : "", stop->at[k]);
        else
            pl_text_add(&line, "the end");
    }
    pl_cmd_line(stdout, "%s", pl_text(&line));
    pl_text_release(&line);
}

/* How many runs of a study that stops early are trained how far. */
static void show_rungs(const struct pl_sweep_study *entry)
{
    const struct pl_rungs *rungs = entry->rungs;
    if (!rungs || !(rungs->planned > 0))
        return;
    if (entry->study->stop->median) {
        pl_cmd_line(stdout, "%s: at most %.0f epochs; how many runs are stopped depends on which come first",
                    entry->study->name, rungs->planned);
        return;
    }
    for (size_t b = 0; b < rungs->brackets; b++)
        if (rungs->runs[b])
            show_bracket(entry->study, rungs, b);
    pl_cmd_line(stdout, "%s: %s%.0f of %.0f epochs (%.1f %%) if no run diverges%s", entry->study->name,
                rungs->even ? "" : "about ", rungs->epochs, rungs->planned, 100 * rungs->epochs / rungs->planned,
                entry->study->stop->repeats ? ", with those that are done again" : "");
}

/* "1 run waits for search": those that cannot be listed because their settings are not known yet. A table is read here
 * only where this very spec has been swept: another one may declare its metrics otherwise, and so choose otherwise. */
static int64_t list_waiting(const struct pl_sweep_plan *plan)
{
    int64_t waiting = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct pl_sweep_study *entry = &plan->studies[i];
        if (!entry->study->waiting)
            continue;
        waiting += entry->runs;
        struct pl_text line = {0};
        pl_text_addf(&line, "%s: %lld run%s", entry->study->name, (long long)entry->runs,
                     entry->runs == 1 ? " waits" : "s wait");
        bool complete = !pl_sweep_plan_blocking(plan, entry);
        pl_text_add(&line, complete ? " for the sweep to choose from" : " for");
        for (size_t k = 0; k < entry->study->source_count; k++)
            pl_text_addf(&line, "%s %s", k ? "," : "",
                         pl_spec_study(plan->sources[entry->source].spec, entry->study->sources[k])->name);
        pl_cmd_line(stdout, "%s%s", pl_text(&line), complete ? ", of which nothing is missing" : "");
        pl_text_release(&line);
    }
    return waiting;
}

static void show_counts(const struct pl_sweep_plan *plan)
{
    int64_t runs = 0, missing = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct pl_sweep_study *study = &plan->studies[i];
        int64_t lacks = pl_sweep_study_missing(study, false);
        if (study->study->waiting)
            continue;
        show_rungs(study);
        if (plan->count > 1)
            pl_cmd_line(stdout, "%s: %lld runs, %lld missing", study->study->name, (long long)study->runs,
                        (long long)lacks);
        runs += study->runs;
        missing += lacks;
    }
    if (plan->shared.runs) {
        printf("shared by several studies: %lld run%s\n", (long long)plan->shared.runs,
               plan->shared.runs == 1 ? "" : "s");
        runs -= plan->shared.runs;
        missing -= pl_sweep_study_missing(&plan->shared, false);
    }
    int64_t waiting = list_waiting(plan);
    printf("%lld runs, %lld missing", (long long)runs, (long long)missing);
    if (waiting)
        printf(", %lld wait%s", (long long)waiting, waiting == 1 ? "s" : "");
    putchar('\n');
}

/* What --rerun names, as the sweep itself finds it. Returns the exit code. */
static int find_again(const struct pl_args *args, const struct pl_sweep_specs *specs, struct pl_store *store,
                      struct pl_sweep_before *before, struct listing *listing)
{
    struct pl_error err = {0};
    int code = pl_args_has(args, "rerun") ? pl_sweep_choose_reruns(args, specs, store, before) : 0;
    if (!code && store && pl_sweep_reruns_changed(args)) {
        before->programs = pl_programs_new();
        if (pl_changed_find(&before->changed, store, before->programs, specs->sources, specs->count, &err))
            return pl_cmd_fail(args, &err);
    }
    listing->again = pl_new((before->rerun_count + before->changed.count + 1) * sizeof *listing->again);
    for (size_t i = 0; i < before->rerun_count; i++)
        listing->again[listing->again_count++] = before->rerun[i];
    for (size_t i = 0; i < before->changed.count; i++)
        listing->again[listing->again_count++] = before->changed.runs[i];
    qsort(listing->again, listing->again_count, sizeof *listing->again, compare_runs);
    return code;
}

int pl_sweep_dry_run(const struct pl_args *args, const struct pl_sweep_specs *specs, const struct pl_sweep_on *on,
                     struct pl_sweep_before *before)
{
    struct pl_store *store = NULL;
    struct pl_error err = {0};
    struct listing listing = {0};
    struct pl_sweep_preview preview = {list_run, &listing, NULL};
    struct pl_sweep_plan plan;
    int status = pl_store_open(&store, pl_args_db(args), PL_STORE_READ, &err);
    if (status && status != PL_EMISSING)
        return pl_cmd_fail(args, &err);
    if (pl_args_has(args, "retry-failed"))
        preview.retry = pl_args_get(args, "reason", "");
    int code = find_again(args, specs, store, before, &listing);
    status = code ? 0 : pl_sweep_plan_preview(&plan, store, specs->sources, specs->count, &preview, &err);
    pl_text_release(&listing.line);
    free(listing.again);
    if (!code && !status && on->batch.system)
        pl_sweep_dry_on(args, store, &plan, on);
    pl_store_close(store);
    if (status)
        return ferror(stdout) ? 1 : pl_cmd_fail(args, &err);
    if (code)
        return code;
    show_counts(&plan);
    pl_sweep_plan_release(&plan);
    return 0;
}
