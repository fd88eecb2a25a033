/* What `poula sweep` looks at before anything is written: its specs, data and memory, how many runs there are, and
 * which programs the results are of that exist. */
#include "sweep_parts.h"

#include "study/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MANY_RUNS = 100000 }; /* new ones, of which a sweep asks whether they are meant */

void pl_sweep_add_setting(struct pl_text *line, const char *key, const struct pl_value *value)
{
    pl_text_addf(line, " %s=", key);
    pl_value_write(value, line);
}

/* ---- specs ---- */

void pl_sweep_release_specs(struct pl_sweep_specs *specs)
{
    for (size_t i = 0; i < specs->count; i++)
        pl_spec_free((struct pl_spec *)specs->sources[i].spec);
    free(specs->sources);
    pl_pool_release(&specs->paths);
}

/* The file among those before that has a study of the spec too, or NULL: what would the study be? */
static const char *find_twin(const struct pl_sweep_specs *specs, const struct pl_spec *spec, const char **study)
{
    for (size_t k = 0; k < pl_spec_study_count(spec); k++)
        for (size_t i = 0; i < specs->count; i++)
            for (size_t j = 0; j < pl_spec_study_count(specs->sources[i].spec); j++) {
                *study = pl_spec_study(spec, k)->name;
                if (!strcmp(*study, pl_spec_study(specs->sources[i].spec, j)->name))
                    return specs->sources[i].path;
            }
    return NULL;
}

static int take_spec(const struct pl_args *args, struct pl_sweep_specs *specs, struct pl_spec *spec, const char *path)
{
    const char *study, *twin = find_twin(specs, spec, &study);
    if (twin && strcmp(twin, path) != 0) {
        struct pl_error err = {0};
        pl_fail(&err, PL_EINPUT, "study %.100s is in %.200s and in %.200s: one sweep takes it from one file", study,
                twin, path);
        pl_spec_free(spec);
        return pl_cmd_fail(args, &err);
    }
    if (twin) /* the same file again */
        pl_spec_free(spec);
    else
        specs->sources[specs->count++] = (struct pl_sweep_source){spec, pl_pool_copy(&specs->paths, path)};
    return 0;
}

int pl_sweep_load_specs(const struct pl_args *args, struct pl_sweep_specs *specs)
{
    int code = 0;
    if (pl_args_has(args, "from"))
        return pl_sweep_load_from(args, specs);
    if (pl_args_has(args, "seeds"))
        return pl_cmd_usage_error(args, "--seeds says which seeds --from adds; those of a spec stand in it");
    if (!args->count)
        return pl_cmd_usage_error(args, "SPEC... is missing");
    specs->sources = pl_new(args->count * sizeof *specs->sources);
    for (size_t i = 0; i < args->count; i++) {
        struct pl_text problems = {0}, path = {0};
        struct pl_error err = {0};
        struct pl_spec *spec = NULL;
        pl_args_spec(args, i, &path);
        if (pl_spec_load(&spec, pl_text(&path), pl_args_get(args, "scale", NULL), &problems, &err)) {
            if (problems.length)
                pl_cmd_lines(stderr, pl_text(&problems));
            else
                pl_cmd_fail(args, &err);
            code = 2; /* also for a file that cannot be read: nothing was started */
        } else if (take_spec(args, specs, spec, pl_text(&path))) {
            code = 2;
        }
        pl_text_release(&path);
        pl_text_release(&problems);
    }
    return code;
}

void pl_sweep_note_studies(const struct pl_sweep_specs *specs, bool words)
{
    struct pl_text notes = {0};
    for (size_t i = 0; i < specs->count; i++)
        for (size_t k = 0; k < pl_spec_study_count(specs->sources[i].spec); k++) {
            pl_text_clear(&notes);
            pl_spec_notes(pl_spec_study(specs->sources[i].spec, k), words, &notes);
            pl_spec_unrecorded_notes(pl_spec_study(specs->sources[i].spec, k), &notes);
            pl_spec_idle_notes(pl_spec_study(specs->sources[i].spec, k), &notes);
            pl_cmd_notes("poula sweep", &notes);
            pl_text_clear(&notes);
            pl_sweep_proof_notes(pl_spec_study(specs->sources[i].spec, k), &notes);
            fputs(notes.length ? "poula sweep: " : "", stderr);
            pl_cmd_lines(stderr, pl_text(&notes));
        }
    pl_text_release(&notes);
}

/* ---- how many ---- */

/* Runs of the studies that the database does not hold for the same spec yet. */
static int64_t count_new(struct pl_store *store, const struct pl_sweep_specs *specs)
{
    int64_t runs = 0;
    for (size_t i = 0; i < specs->count; i++)
        for (size_t k = 0; k < pl_spec_study_count(specs->sources[i].spec); k++) {
            const struct pl_study *study = pl_spec_study(specs->sources[i].spec, k);
            const struct pl_sweep_info *sweeps;
            int64_t counts[PL_STATUS_COUNT], held = 0;
            size_t found;
            if (store && study->runs > MANY_RUNS && !pl_store_sweeps(store, study->name, &sweeps, &found, NULL) &&
                !strcmp(sweeps[0].spec, pl_spec_text(specs->sources[i].spec)) &&
                !pl_store_counts(store, sweeps[0].id, counts, NULL))
                for (int s = 0; s < PL_STATUS_COUNT; s++)
                    held += counts[s];
            runs += (int64_t)study->runs > held ? (int64_t)study->runs - held : 0;
        }
    return runs;
}

/* Many runs are said at once, and are a slip now and then. */
static int ask_about_many(const struct pl_args *args, struct pl_store *store, const struct pl_sweep_specs *specs)
{
    int64_t runs = count_new(store, specs);
    char answer[16] = "";
    if (runs <= MANY_RUNS)
        return 0;
    if (pl_args_has(args, "yes")) {
        pl_cmd_note("poula sweep: planning %lld new runs", (long long)runs);
        return 0;
    }
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
        return pl_cmd_usage_error(args, "these are %lld new runs; --yes says that so many are meant", (long long)runs);
    fprintf(stderr, "poula sweep: these are %lld new runs. Plan and run them? [y/N] ", (long long)runs);
    if (fgets(answer, sizeof answer, stdin) && (*answer == 'y' || *answer == 'Y'))
        return 0;
    pl_cmd_note("poula sweep: nothing was started");
    return 2;
}

/* ---- data and memory ---- */

int pl_sweep_fit_jobs(const struct pl_args *args, struct pl_sweep_options *options, const struct pl_sweep_needs *needs,
                      struct pl_error *err)
{
    struct pl_text message = {0};
    struct pl_capacity capacity;
    if (needs->warnings.length)
        pl_cmd_lines(stderr, pl_text(&needs->warnings));
    if (options->batch) { /* what a run needs is what its task asks for */
        ((struct pl_batch_options *)options->batch)->memory = needs->memory;
        return 0;
    }
    pl_sweep_capacity(options->executor, &capacity);
    int status = pl_sweep_fit(&capacity, needs->memory, &options->jobs, &message, err);
    if (status > 0) {
        pl_cmd_note("poula sweep: %s", pl_text(&message));
        if (!pl_args_has(args, "threads") && capacity.threads > options->jobs)
            options->threads = capacity.threads / options->jobs;
    }
    pl_text_release(&message);
    return status < 0 ? status : 0;
}

/* ---- programs ---- */

/* The --rerun options that name runs: conditions on settings, seed and status. */
struct wish {
    struct pl_condition *where;
    size_t count;
    unsigned char *known; /* has any run what a condition is about? */
    struct pl_sweep_before *before;
};

bool pl_sweep_reruns_changed(const struct pl_args *args)
{
    const char *given;
    for (size_t i = 0; (given = pl_args_nth(args, "rerun", i)); i++)
        if (!strcmp(given, "changed"))
            return true;
    return false;
}

static int read_wish(const struct pl_args *args, struct wish *wish)
{
    const char *given;
    for (size_t i = 0; (given = pl_args_nth(args, "rerun", i)); i++)
        if (strcmp(given, "changed") != 0 && !pl_where_read(given, &wish->where, &wish->count))
            return pl_cmd_usage_error(args,
                                      "--rerun is '%s', but must be changed, or like lambda=0.1, seed=1,2 or "
                                      "status=failed",
                                      given);
    wish->known = pl_new(wish->count + 1);
    return 0;
}

static int take_run(void *self, const struct pl_study *study, const struct pl_settings *settings, int64_t seed,
                    int64_t run, enum pl_status *status)
{
    struct wish *wish = self;
    (void)study;
    if (!pl_where_holds(wish->where, wish->count, settings, seed, *status, wish->known) || !run)
        return 0;
    void *list = wish->before->rerun;
    pl_grow(&list, &wish->before->rerun_capacity, wish->before->rerun_count + 1, sizeof *wish->before->rerun);
    wish->before->rerun = list;
    wish->before->rerun[wish->before->rerun_count++] = run;
    return 0;
}

/* A key that no run has, and a word where all runs have numbers, are slips. */
static int check_seen(const struct pl_args *args, const struct pl_condition *condition, unsigned char known)
{
    int code = 0;
    if (!known)
        return pl_cmd_usage_error(args, "--rerun: no run of these studies has a setting %s", condition->key);
    for (size_t i = 0; i < condition->count && !code; i++) {
        struct pl_text why = {0};
        pl_condition_slip(condition, i, "", true, &why);
        if (pl_condition_is_word(condition, i) && !(known & PL_SEEN_WORD))
            code = pl_cmd_usage_error(args, "--rerun: %s", pl_text(&why));
        pl_text_release(&why);
    }
    return code;
}

int pl_sweep_choose_reruns(const struct pl_args *args, const struct pl_sweep_specs *specs, struct pl_store *store,
                           struct pl_sweep_before *before)
{
    struct wish wish = {.before = before};
    const struct pl_sweep_preview preview = {.row = take_run, .self = &wish};
    struct pl_sweep_plan plan;
    struct pl_error err = {0};
    int code = read_wish(args, &wish);
    if (!code && wish.count) {
        int status = pl_sweep_plan_preview(&plan, store, specs->sources, specs->count, &preview, &err);
        code = status ? pl_cmd_fail(args, &err) : 0;
        if (!status)
            pl_sweep_plan_release(&plan);
        for (size_t i = 0; i < wish.count && !code; i++)
            code = check_seen(args, &wish.where[i], wish.known[i]);
        if (!code && !before->rerun_count)
            code = pl_cmd_usage_error(args, "--rerun names no run that there is");
    }
    pl_where_free(wish.where, wish.count);
    free(wish.known);
    return code;
}

/* Stops a sweep whose studies have results of another folder or a changed program, until its user says what they
 * are. */
static int check_programs(const struct pl_args *args, const struct pl_sweep_specs *specs, struct pl_store *store,
                          struct pl_sweep_before *before)
{
    struct pl_error err = {0};
    if (!store)
        return 0;
    if (pl_changed_find(&before->changed, store, before->programs, specs->sources, specs->count, &err))
        return pl_cmd_fail(args, &err);
    if (!before->changed.count || pl_sweep_reruns_changed(args) || pl_args_has(args, "accept"))
        return 0;
    fputs("poula sweep: the database has results of another program than this one:\n", stderr);
    pl_cmd_lines(stderr, pl_text(&before->changed.text));
    pl_cmd_note("Nothing was started. --rerun changed runs %s again, --accept changed keeps the results as they are.",
                before->changed.count == 1 ? "it" : "them");
    return 2;
}

int pl_sweep_look(const struct pl_args *args, const struct pl_sweep_specs *specs, struct pl_sweep_options *options,
                  struct pl_sweep_before *before)
{
    struct pl_store *store = NULL;
    struct pl_error err = {0};
    before->programs = pl_programs_new();
    options->programs = before->programs;
    options->data_folder = pl_args_data(args);
    int status = pl_store_open(&store, pl_args_db(args), PL_STORE_READ, &err);
    if (status && status != PL_EMISSING)
        return pl_cmd_fail(args, &err);
    int code = ask_about_many(args, store, specs);
    if (!code && pl_sweep_survey_sources(specs->sources, specs->count, store, options->data_folder, options->threads,
                                         options->retry_failed, &before->needs, &err))
        code = pl_cmd_fail(args, &err);
    if (!code && pl_sweep_fit_jobs(args, options, &before->needs, &err))
        code = pl_cmd_fail(args, &err);
    options->data = before->needs.data.length ? pl_text(&before->needs.data) : NULL;
    before->late = code == 1; /* the input is right: what is missing on this machine can be planned all the same */
    if (code < 2)
        code = check_programs(args, specs, store, before);
    if (!code)
        code = pl_sweep_choose_reruns(args, specs, store, before);
    pl_store_close(store);
    return code;
}

static int decide_changed(const struct pl_args *args, struct pl_store *store, const struct pl_changed *changed,
                          size_t *forgotten, struct pl_error *err)
{
    struct pl_text folders = {0};
    pl_args_folders(args, &folders);
    int status = 0;
    if (changed->count && pl_sweep_reruns_changed(args))
        status = pl_sweep_forget_runs(store, changed->runs, changed->count, pl_text(&folders), forgotten, err);
    else if (changed->count)
        status = pl_changed_accept(changed, store, err);
    pl_text_release(&folders);
    return status;
}

int pl_sweep_check_chosen(const struct pl_args *args, struct pl_store *store, const struct pl_study *study,
                          const struct pl_sweep_before *before)
{
    struct pl_changed changed = {0};
    struct pl_error err = {0};
    size_t again = 0;
    int code = 0, status = pl_changed_find_in(&changed, store, before->programs, study, &err);
    bool told = pl_sweep_reruns_changed(args) || pl_args_has(args, "accept");
    if (!status && changed.count && !told) {
        fprintf(stderr, "poula sweep: the database has results of another program than that of %s now:\n%s",
                study->name, pl_text(&changed.text));
        pl_cmd_note(
            "Nothing of %s was started. --rerun changed runs %s again, --accept changed keeps the results as they are.",
            study->name, changed.count == 1 ? "it" : "them");
        code = 1; /* 2 would say that nothing was written */
    } else if (!status) {
        status = decide_changed(args, store, &changed, &again, &err);
    }
    if (!status && again)
        pl_cmd_note("poula sweep: %zu run%s of %s %s run again", again, again == 1 ? "" : "s", study->name,
                    again == 1 ? "is" : "are");
    pl_changed_release(&changed);
    if (status)
        pl_cmd_fail(args, &err);
    return status ? 1 : code;
}

int pl_sweep_decide_programs(const struct pl_args *args, struct pl_store *store, const struct pl_sweep_before *before)
{
    struct pl_text folders = {0};
    struct pl_error err = {0};
    size_t changed = 0, named = 0;
    int status = 0;
    pl_args_folders(args, &folders);
    status = decide_changed(args, store, &before->changed, &changed, &err);
    if (!status && before->rerun_count)
        status = pl_sweep_forget_runs(store, before->rerun, before->rerun_count, pl_text(&folders), &named, &err);
    if (!status && changed + named)
        pl_cmd_note("poula sweep: %zu run%s run again", changed + named, changed + named == 1 ? " is" : "s are");
    pl_text_release(&folders);
    return status ? pl_cmd_fail(args, &err) : 0;
}

void pl_sweep_before_release(struct pl_sweep_before *before)
{
    pl_changed_release(&before->changed);
    pl_sweep_needs_release(&before->needs);
    pl_programs_free(before->programs);
    free(before->rerun);
}
