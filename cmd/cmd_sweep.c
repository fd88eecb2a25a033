#include "sweep_parts.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double line_every = 10, still_every = 60; /* seconds between plain lines; where no run has ended */

/* How progress is shown. */
struct screen {
    bool quiet, live, color;
    int lines;    /* of the block that stands on the terminal */
    double last;  /* when the last plain line was written, */
    int64_t done; /* and how many runs it called done */
    struct pl_text text;
};

static void erase_block(struct screen *screen)
{
    if (screen->lines)
        fprintf(stderr, "\033[%dA\033[J", screen->lines);
    screen->lines = 0;
}

static int terminal_width(void)
{
    struct winsize size;
    return !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col > 1 ? size.ws_col - 1 : 79;
}

static void show_progress(void *self, const struct pl_sweep_state *state)
{
    struct screen *screen = self;
    double now = pl_clock_steady();
    if (screen->quiet)
        return;
    pl_text_clear(&screen->text);
    if (screen->live) {
        int lines = pl_progress_block(state, terminal_width(), screen->color, &screen->text);
        erase_block(screen);
        fputs(pl_text(&screen->text), stderr);
        screen->lines = lines;
    } else if (now - screen->last >= (state->done == screen->done ? still_every : line_every)) {
        screen->last = now;
        screen->done = state->done;
        pl_progress_line(state, &screen->text);
        pl_cmd_line(stderr, "%s", pl_text(&screen->text));
    }
}

static void show_note(void *self, const char *sentence)
{
    struct screen *screen = self;
    erase_block(screen);
    pl_cmd_note("poula sweep: %s", sentence);
}

static struct screen open_screen(const struct pl_args *args)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    bool dumb = !term || !strcmp(term, "dumb");
    struct screen screen = {.quiet = pl_args_has(args, "quiet"), .live = isatty(STDERR_FILENO) && !dumb};
    screen.color = screen.live && !(no_color && *no_color);
    screen.last = pl_clock_steady(); /* a sweep of a few seconds needs no lines */
    return screen;
}

/* Somebody else holds the database before the sweep has begun. */
static bool wait_for_database(void *self, double waited)
{
    double *noted = self;
    if (waited >= 2 && (*noted == 0 || waited - *noted >= line_every)) {
        pl_cmd_note("poula sweep: another program holds the database; waiting for it (%.0f s so far)", waited);
        *noted = waited;
    }
    return true;
}

/* ---- running ---- */

/* What stopping early has saved. */
static void print_saving(const struct pl_sweep_study *study)
{
    if (!study->study->stop || !(study->epochs_planned > 0))
        return;
    pl_cmd_line(stdout, "%s: %.0f of %.0f epochs were run (%.1f %%)%s", study->study->name, study->epochs_run,
                study->epochs_planned, 100 * study->epochs_run / study->epochs_planned,
                pl_sweep_study_missing(study, false) ? " so far" : "");
    if (study->held[0] && (pl_sweep_study_missing(study, false) || study->counts[PL_RUN_FAILED]))
        pl_cmd_note("poula sweep: %s: %s", study->study->name, study->held);
}

static void print_summary(const struct pl_sweep_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct pl_sweep_study *study = &plan->studies[i];
        if (study->study->waiting) {
            pl_cmd_line(stdout, "%s: %lld waiting", study->study->name, (long long)study->runs);
            continue;
        }
        double seconds = study->ran && study->first > 0 ? study->last - study->first : 0; /* none may have begun */
        struct pl_text line = {0};
        pl_text_addf(&line, "%s: %lld finished, %lld diverged, %lld failed", study->study->name,
                     (long long)study->counts[PL_RUN_FINISHED], (long long)study->counts[PL_RUN_DIVERGED],
                     (long long)study->counts[PL_RUN_FAILED]);
        if (study->study->stop)
            pl_text_addf(&line, ", %lld stopped", (long long)study->counts[PL_RUN_STOPPED]);
        int64_t missing = pl_sweep_study_missing(study, false);
        if (missing)
            pl_text_addf(&line, ", %lld missing", (long long)missing);
        pl_text_addf(&line, ", %.2f s", seconds);
        if (study->ran && seconds > 0) {
            pl_text_add(&line, ", ");
            pl_progress_rate((double)study->ran / seconds, &line);
        }
        pl_cmd_line(stdout, "%s", pl_text(&line));
        pl_text_release(&line);
        print_saving(study);
    }
}

static int exit_code_of(const struct pl_sweep_plan *plan, int stopped_by, bool limited)
{
    if (stopped_by)
        return 128 + stopped_by;
    for (size_t i = 0; i < plan->count; i++)
        if (plan->studies[i].counts[PL_RUN_FAILED] || (!limited && pl_sweep_study_missing(&plan->studies[i], false)))
            return 1;
    return 0;
}

static void hint_at_failures(const struct pl_args *args, const struct pl_sweep_plan *plan, struct screen *screen)
{
    const char *db = pl_args_get(args, "db", NULL);
    struct pl_text text = {0};
    int64_t failed = -plan->shared.counts[PL_RUN_FAILED];
    for (size_t i = 0; i < plan->count; i++)
        failed += plan->studies[i].counts[PL_RUN_FAILED];
    pl_text_addf(&text, "%lld run%s failed: \"poula runs --status failed", (long long)failed, failed == 1 ? "" : "s");
    if (db) {
        pl_text_add(&text, " --db ");
        pl_text_add_word(&text, db);
    }
    pl_text_addf(&text, "\" says why, --retry-failed tries %s again", failed == 1 ? "it" : "them");
    if (failed > 0)
        show_note(screen, pl_text(&text));
    pl_text_release(&text);
}

/* What runs of this sweep printed that looked like metrics and was not read. */
static void note_unread(const struct pl_sweep_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct pl_sweep_study *study = &plan->studies[i];
        if (study->unread)
            pl_cmd_note(
                "poula sweep: %s: %lld line%s of %lld run%s looked like metrics and %s not wholly understood, such as:"
                "\n    %s",
                study->study->name, (long long)study->unread_lines, study->unread_lines == 1 ? "" : "s",
                (long long)study->unread, study->unread == 1 ? "" : "s", study->unread_lines == 1 ? "was" : "were",
                study->unread_example);
    }
}

/* What is not there when somebody looks for it later: the run itself is finished. */
static void note_unsaved(const struct pl_sweep_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct pl_sweep_study *study = &plan->studies[i];
        if (study->unsaved)
            pl_cmd_note("poula sweep: %s: %lld file%s (weights or checkpoints) of %lld run%s could not be written, "
                        "such as:\n    %s",
                        study->study->name, (long long)study->unsaved_files, study->unsaved_files == 1 ? "" : "s",
                        (long long)study->unsaved, study->unsaved == 1 ? "" : "s", study->unsaved_example);
    }
}

static int read_options(const struct pl_args *args, struct pl_sweep_options *options)
{
    int64_t jobs, threads, limit;
    struct pl_capacity capacity;
    options->executor = &pl_executor_local;
    pl_sweep_capacity(options->executor, &capacity);
    if (!pl_args_integer(args, "jobs", 1, 4096, capacity.slots, &jobs))
        return 2;
    int64_t share = capacity.threads / jobs > 1 ? capacity.threads / jobs : 1;
    if (!pl_args_integer(args, "threads", 1, 4096, share, &threads) ||
        !pl_args_integer(args, "limit", 1, INT64_MAX, 0, &limit) ||
        !pl_args_real(args, "timeout", 1e-3, 1e9, 0, &options->timeout))
        return 2;
    options->jobs = (int)jobs;
    options->threads = (int)threads;
    options->insist = pl_args_has(args, "threads");
    options->limit = limit;
    options->fail_fast = pl_args_has(args, "fail-fast");
    options->retry_failed = pl_args_has(args, "retry-failed");
    options->retry_reason = pl_args_get(args, "reason", "");
    if (pl_args_has(args, "reason") && !options->retry_failed)
        return pl_cmd_usage_error(args, "--reason says which failed runs are tried again and needs --retry-failed");
    return 0;
}

/* What the user may not have meant: more threads than there are cores, and words of the environment that hold beside
 * the options. */
static void note_threads(const struct pl_args *args, const struct pl_sweep_options *options)
{
    struct pl_capacity capacity;
    struct pl_text given = {0};
    pl_sweep_capacity(options->executor, &capacity);
    int cores = capacity.threads;
    if ((pl_args_has(args, "jobs") || pl_args_has(args, "threads")) &&
        (int64_t)options->jobs * options->threads > cores)
        pl_cmd_note("poula sweep: --jobs %d with --threads %d are more than the %d core%s that this process may use",
                    options->jobs, options->threads, cores, cores == 1 ? "" : "s");
    if (!options->insist)
        pl_threads_given(&given);
    if (given.length && !pl_args_has(args, "quiet"))
        pl_cmd_note("poula sweep: %s of the environment holds for commands; poula's own runs use %d thread%s "
                    "(--threads N holds for both)",
                    pl_text(&given), options->threads, options->threads == 1 ? "" : "s");
    pl_text_release(&given);
}

/* ---- between the stages ---- */

struct course {
    const struct pl_args *args;
    struct pl_store *store;
    const struct pl_sweep_plan *plan;
    struct pl_sweep_before *before;
    struct screen screen;
};

/* What a study took from a table, a line for each configuration. */
static void show_choice(const struct pl_study *study)
{
    struct pl_walk *walk = pl_walk_new(study);
    struct pl_text line = {0};
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t seed_count;
    while (!pl_walk_next(walk, &settings, &seeds, &seed_count)) {
        pl_text_clear(&line);
        for (size_t i = 0; i < study->axis_count; i++)
            if (pl_settings_find(settings, study->axes[i]))
                pl_sweep_add_setting(&line, study->axes[i], pl_settings_find(settings, study->axes[i]));
        pl_cmd_note("poula sweep: %s takes%s", study->name, pl_text(&line));
    }
    pl_text_release(&line);
    pl_walk_free(walk);
}

static bool take_chosen(void *self, const struct pl_study *study)
{
    struct course *course = self;
    struct pl_text notes = {0};
    if (!pl_args_has(course->args, "quiet"))
        show_choice(study);
    bool on = !pl_sweep_check_chosen(course->args, course->store, study, course->before);
    pl_spec_idle_notes(study, &notes);
    pl_cmd_notes("poula sweep", &notes);
    pl_text_clear(&notes);
    pl_sweep_proof_notes(study, &notes);
    fputs(notes.length ? "poula sweep: " : "", stderr);
    pl_cmd_lines(stderr, pl_text(&notes));
    pl_text_release(&notes);
    return on;
}

static void take_refused(void *self, const char *problems, const struct pl_error *err)
{
    pl_cmd_lines(stderr, problems);
    pl_cmd_fail(((struct course *)self)->args, err);
}

static int take_needs(void *self, const struct pl_sweep_needs *needs, struct pl_sweep_options *options,
                      struct pl_error *err)
{
    return pl_sweep_fit_jobs(((struct course *)self)->args, options, needs, err);
}

static void take_end(void *self)
{
    struct course *course = self;
    course->screen.lines = 0; /* the last display stays */
    hint_at_failures(course->args, course->plan, &course->screen);
    course->screen.last = pl_clock_steady();
    course->screen.done = 0;
}

/* ---- the sweep ---- */

static void print_end(const struct pl_sweep_plan *plan, const struct pl_sweep_course *how, bool limited)
{
    struct pl_text why = {0};
    print_summary(plan);
    note_unread(plan);
    note_unsaved(plan);
    pl_sweep_plan_why_waiting(plan, &why);
    if (!how->refused && !how->stopped_by && !limited)
        pl_cmd_lines(stderr, pl_text(&why));
    pl_text_release(&why);
}

static int sweep(const struct pl_args *args, struct pl_store *store, struct pl_sweep_plan *plan,
                 struct pl_sweep_options *options, const struct pl_sweep_on *on, struct pl_sweep_before *before)
{
    const char *program = getenv("POULA_WORKER");
    const char *const worker[] = {program && *program ? program : "/proc/self/exe", "worker", NULL};
    struct course course = {args, store, plan, before, open_screen(args)};
    const struct pl_sweep_between between = {&course, take_chosen, take_refused, take_needs, take_end};
    struct pl_sweep_course how;
    struct pl_text folders = {0};
    struct pl_pool paths = {0};
    struct pl_error err = {0};
    pl_args_folders(args, &folders);
    options->worker = worker;
    options->view = (struct pl_sweep_view){&course.screen, show_progress, show_note};
    options->folders = pl_text(&folders);
    pl_sweep_make_absolute(on, options, &paths);
    int status = pl_sweep_run_stages(store, plan, options, &between, &how, &err);
    pl_text_release(&course.screen.text);
    pl_text_release(&folders);
    pl_pool_release(&paths);
    if (status) {
        pl_cmd_fail(args, &err);
        return 1; /* 2 would say that nothing was written */
    }
    bool detached = on->batch.detach && !how.stopped_by;
    print_end(plan, &how, options->limit != 0 || detached);
    int code = exit_code_of(plan, how.stopped_by, options->limit != 0 || detached);
    return code ? code : how.refused || how.held;
}

/* Where planning stands, for those who wait. */
static void show_planned(void *self, int64_t runs, int64_t total)
{
    double *told = self, now = pl_clock_steady();
    if (now - *told < line_every)
        return;
    *told = now;
    pl_cmd_note("poula sweep: %lld of %lld runs are planned", (long long)runs, (long long)total);
}

/* --extend: runs that go on where shorter ones ended. */
static int extend(const struct pl_args *args, struct pl_store *store, const struct pl_sweep_plan *plan)
{
    struct pl_text folders = {0};
    struct pl_extended x = {0};
    struct pl_error err = {0};
    pl_args_folders(args, &folders);
    int status = pl_args_has(args, "extend") ? pl_sweep_extend(store, plan, pl_text(&folders), &x, &err) : 1;
    pl_text_release(&folders);
    if (status)
        return status < 0 ? pl_cmd_fail(args, &err) : 0;
    pl_cmd_note("poula sweep: %lld run%s on from the end of a shorter one", (long long)x.runs,
                x.runs == 1 ? " goes" : "s go");
    if (x.kept_nothing)
        pl_cmd_note(
            "poula sweep: of %lld there is a shorter one that kept no checkpoint of its end (keep_checkpoint: true)",
            (long long)x.kept_nothing);
    if (x.annealed)
        pl_cmd_note("poula sweep: %lld cannot: the learning rate declines over the whole run (anneal)",
                    (long long)x.annealed);
    return 0;
}

static int plan_and_run(const struct pl_args *args, const struct pl_sweep_specs *specs,
                        struct pl_sweep_options *options, const struct pl_sweep_on *on, struct pl_sweep_before *before)
{
    struct pl_store *store = NULL;
    struct pl_sweep_plan plan = {0};
    struct pl_error err = {0};
    double noted = 0, told = pl_clock_steady() - line_every + 2;
    int status = pl_store_open(&store, pl_args_db(args), PL_STORE_WRITE, &err);
    if (!status) {
        pl_store_set_patience(store, pl_sweep_patience(), wait_for_database, &noted);
        status = pl_sweep_plan_make(&plan, store, specs->sources, specs->count,
                                    pl_args_has(args, "quiet") ? NULL : show_planned, &told, &err);
    }
    int code = status ? pl_cmd_fail(args, &err) : pl_sweep_decide_programs(args, store, before);
    if (!code && pl_sweep_plan_recount(&plan, store, &err)) /* what is run again is no ground for a choice */
        code = pl_cmd_fail(args, &err);
    if (!code)
        code = extend(args, store, &plan);
    if (!code)
        code = before->late ? before->late : sweep(args, store, &plan, options, on, before);
    pl_sweep_plan_release(&plan);
    if (status)
        pl_store_discard(store);
    else
        pl_store_close(store);
    return code;
}

static int run(const struct pl_args *args)
{
    struct pl_sweep_options options = {0};
    struct pl_sweep_specs specs = {0};
    struct pl_sweep_before before = {0};
    struct pl_sweep_on on = {0};
    int code = read_options(args, &options);
    if (!code)
        code = pl_sweep_read_on(args, &on, &options);
    if (!code)
        code = pl_sweep_load_specs(args, &specs);
    if (!code)
        pl_sweep_note_studies(&specs, pl_args_has(args, "dry-run"));
    if (!code && pl_args_has(args, "dry-run")) {
        code = pl_sweep_dry_run(args, &specs, &on, &before);
    } else if (!code) {
        note_threads(args, &options);
        code = pl_sweep_look(args, &specs, &options, &before);
        if (!code)
            code = plan_and_run(args, &specs, &options, &on, &before);
    }
    pl_sweep_before_release(&before);
    pl_sweep_release_specs(&specs);
    pl_sweep_release_on(&on);
    return code;
}

static const struct pl_option options[] = {
    {.name = "jobs", .letter = 'j', .argument = "N", .help = "workers at a time (default: the cores allowed)"},
    {.name = "threads", .argument = "N", .help = "threads of each worker (default: cores / jobs)"},
    {.name = "dry-run", .letter = 'n', .help = "list every run and count; write nothing"},
    {.name = "from",
     .argument = "WHICH",
     .help = "instead of a spec: the settings of a run, or \"STUDY best K\", with the seeds of --seeds"},
    {.name = "seeds", .argument = "A..B", .help = "--from: these seeds, or a list such as 4,7,9"},
    {.name = "extend", .help = "new runs go on where runs of fewer epochs ended that kept a checkpoint"},
    {.name = "scale", .argument = "NAME", .help = "run the studies in a size that the spec declares, such as quick"},
    {.name = "fail-fast", .help = "stop at the first run that fails"},
    {.name = "retry-failed", .help = "run failed runs again"},
    {.name = "reason", .argument = "TEXT", .help = "--retry-failed: only those with this in their reason"},
    {.name = "resume", .help = "run only what is missing (always so)"},
    {.name = "timeout", .argument = "SECONDS", .help = "end a run that takes longer (default: the study's timeout)"},
    {.name = "limit", .argument = "N", .help = "run at most N runs"},
    {.name = "rerun",
     .argument = "WHICH",
     .help = "run again: 'changed' what another program made, or KEY=VALUE such runs",
     .repeats = true},
    {.name = "accept", .argument = "changed", .help = "keep results that another program made", .words = "changed"},
    {.name = "yes", .letter = 'y', .help = "so many runs are meant"},
    {.name = "on", .argument = "SYSTEM", .help = "train on a cluster, as tasks of its batch system", .words = "slurm"},
    {.name = "detach", .help = "--on: submit and leave; the same command attaches later"},
    {.name = "cpus", .argument = "N", .help = "--on: cores of a task, instead of the study's resources"},
    {.name = "memory", .argument = "SIZE", .help = "--on: memory of a task, such as 8G"},
    {.name = "time", .argument = "TIME", .help = "--on: time of a task, such as 4h"},
    {.name = "gpus", .argument = "N", .help = "--on: GPUs of a task"},
    {.name = "partition", .argument = "NAME", .help = "--on: where tasks run"},
    {.name = "account", .argument = "NAME", .help = "--on: whom they are charged to"},
    {.name = "sbatch", .argument = "OPTION", .help = "--on: an option of sbatch", .repeats = true},
    {.name = "setup", .argument = "LINE", .help = "--on: a line of shell before the work", .repeats = true},
    {.name = "runs-per-task", .argument = "N", .help = "--on: runs of a task (default: chosen by how long they take)"},
    {.name = "at-once", .argument = "N", .help = "--on: tasks at a time (default: as many as the cluster gives)"},
    {.name = "requeues", .argument = "N", .help = "--on: times that a task may be started again (default 20)"},
    {.name = "program", .argument = "PATH", .help = "--on: this program as nodes find it (default: where it is)"},
    {.name = "quiet", .letter = 'q', .help = "show no progress"},
};

const struct pl_command pl_cmd_sweep = {
    .name = "sweep",
    .summary = "run what is missing of the studies of a spec",
    .arguments = "SPEC...",
    .description =
        "Expands the grids of the specs, trains every run that the database does not hold yet, and shows progress. "
        "A run that is finished or diverged is not run again, unless --rerun says so; several sweeps may share one "
        "database. Results that another folder or a changed program made stop a sweep (exit code 2), until --rerun "
        "changed or "
        "--accept changed says what they are.\n"
        "--from RUN --seeds 4..8, or --from \"STUDY best 1\", runs one configuration that is in the database with more "
        "seeds, "
        "as the study STUDY-seeds. --extend lets runs of networks go on from the end of those that differ in epochs "
        "alone "
        "and have keep_checkpoint: true.\n"
        "Ctrl-C once lets the runs at hand come to an end or a clean point, twice stops at once; what was done is "
        "kept either way and the next sweep goes on from there.\n"
        "Exit code: 0 when all runs are done, 1 when some failed or are missing, 2 when the input is wrong, 130 "
        "after Ctrl-C.",
    .example = "poula sweep experiments/toy.yaml --jobs 4",
    PL_OPTIONS(options),
    .most = 1000,
    .run = run,
};
