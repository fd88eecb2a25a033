#include "answer.h"

#include "sweep/sweep.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double show_every = 0.5; /* seconds between signs of life on a terminal */

/* Set by SIGINT, SIGTERM and SIGHUP; a signal handler has no other way to say anything. */
static volatile sig_atomic_t stopped_by;

static void ask_to_stop(int number)
{
    stopped_by = number;
    signal(number, SIG_DFL); /* once more ends the program */
}

/* The run as it is trained. */
struct watch {
    struct pl_run_values values;
    struct pl_sink memory;
    bool live, shown;
    double last;
};

static int watch_series(void *self, const char *metric, enum pl_series_axis axis)
{
    struct watch *watch = self;
    return watch->memory.series(watch->memory.self, metric, axis);
}

static void watch_value(void *self, int series, double epoch, double value)
{
    struct watch *watch = self;
    watch->memory.value(watch->memory.self, series, epoch, value);
}

static void watch_log(void *self, const char *line)
{
    struct watch *watch = self;
    watch->memory.log(watch->memory.self, line);
    if (watch->shown)
        fputs("\r\033[K", stderr);
    watch->shown = false;
    pl_cmd_line(stderr, "%s", line);
}

static void show(struct watch *watch)
{
    double epoch = -INFINITY;
    for (size_t i = 0; i < watch->values.series.count; i++) {
        const struct pl_series *series = &watch->values.series.all[i];
        if (series->count && series->epochs[series->count - 1] > epoch)
            epoch = series->epochs[series->count - 1];
    }
    if (isinf(epoch))
        return;
    fprintf(stderr, "\r\033[Kepoch %lld", (long long)epoch);
    for (size_t i = 0; i < watch->values.series.count && i < 5; i++) {
        const struct pl_series *series = &watch->values.series.all[i];
        if (!series->count)
            continue;
        struct pl_text shown = {0};
        pl_escape_terminal(&shown, series->metric);
        fprintf(stderr, "  %s %.5g", pl_text(&shown), series->values[series->count - 1]);
        pl_text_release(&shown);
    }
    watch->shown = true;
}

static bool watch_stop(void *self)
{
    struct watch *watch = self;
    double now = pl_clock_steady();
    if (watch->live && now - watch->last >= show_every) {
        watch->last = now;
        show(watch);
    }
    return stopped_by != 0;
}

/* ---- output ---- */

static const double *best_value(const struct pl_study *study, const struct pl_series *series, double *epoch)
{
    enum pl_direction direction = pl_study_direction(study, series->metric);
    const double *best = NULL;
    for (size_t i = 0; i < series->count; i++) {
        const double *value = &series->values[i];
        if (pl_direction_better(direction, *value, best ? *best : NAN)) {
            best = value;
            *epoch = series->epochs[i];
        }
    }
    return best;
}

/* A metric that is recorded along epochs and along steps has two lines. */
static struct pl_text series_name(const struct pl_series *series)
{
    struct pl_text name = {0};
    pl_escape_terminal(&name, series->metric);
    pl_text_add(&name, series->axis == PL_BY_STEP ? " by step" : "");
    return name;
}

static void print_text(const struct pl_single *single)
{
    const struct pl_series_list *list = &single->values->series;
    const struct pl_run_result *result = single->result;
    int width = 6;
    for (size_t i = 0; i < list->count; i++) {
        struct pl_text name = series_name(&list->all[i]);
        int length = (int)pl_text_width(pl_text(&name));
        width = length > width ? length : width;
        pl_text_release(&name);
    }
    if (list->count)
        printf("%-*s  %14s  %8s  %14s  %8s  %6s\n", width, "metric", "best", "at", "last", "at", "values");
    for (size_t i = 0; i < list->count; i++) {
        const struct pl_series *series = &list->all[i];
        double epoch = 0;
        const double *best = best_value(single->study, series, &epoch);
        struct pl_text name = series_name(series);
        printf("%s%*s  ", pl_text(&name), width - (int)pl_text_width(pl_text(&name)), "");
        pl_text_release(&name);
        if (best)
            printf("%14.8g  %8.10g  ", *best, epoch);
        else
            printf("%14s  %8s  ", "-", "-");
        if (series->count)
            printf("%14.8g  %8.10g", series->values[series->count - 1], series->epochs[series->count - 1]);
        printf("  %6zu\n", series->count);
    }
    pl_cmd_line(stdout, "%s in %.3g s%s%s", pl_outcome_name(result->outcome), single->seconds,
                result->reason[0] ? ": " : "", result->reason);
}

static void print_values(const struct pl_series_list *list, const struct pl_format *format)
{
    static const char *const names[] = {"metric", "epoch", "value", "axis"};
    struct pl_rows *rows = pl_rows_new(stdout, format->rows);
    pl_rows_head(rows, names, sizeof names / sizeof *names);
    for (size_t i = 0; i < list->count; i++) {
        const struct pl_series *series = &list->all[i];
        for (size_t k = 0; k < series->count; k++) {
            const struct pl_cell cells[] = {pl_cell_text(series->metric),
                                            {.kind = PL_CELL_REAL, .real = series->epochs[k]},
                                            {.kind = PL_CELL_REAL, .real = series->values[k]},
                                            pl_cell_text(series->axis == PL_BY_STEP ? "step" : "epoch")};
            pl_rows_row(rows, cells, sizeof cells / sizeof *cells);
        }
    }
    pl_rows_end(rows);
}

/* ,"metrics":{"loss":[[1,0.5],[2,0.25]]}: what was recorded along an axis, each metric once. */
static void add_metrics(struct pl_text *out, const char *key, const struct pl_series_list *list,
                        enum pl_series_axis axis)
{
    size_t added = 0;
    pl_text_addf(out, ",\"%s\":{", key);
    for (size_t i = 0; i < list->count; i++) {
        const struct pl_series *series = &list->all[i];
        if (series->axis != axis)
            continue;
        pl_text_add(out, added++ ? "," : "");
        pl_escape_json(out, series->metric);
        pl_text_add(out, ":[");
        for (size_t k = 0; k < series->count; k++) {
            bool finite = isfinite(series->values[k]); /* JSON has no others */
            pl_text_add(out, k ? ",[" : "[");
            pl_text_add_number(out, series->epochs[k]);
            pl_text_add(out, finite ? "," : ",\"");
            pl_text_add_number(out, series->values[k]);
            pl_text_add(out, finite ? "]" : "\"]");
        }
        pl_text_add(out, "]");
    }
    pl_text_add(out, "}");
}

static bool has_steps(const struct pl_series_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->all[i].axis == PL_BY_STEP)
            return true;
    return false;
}

static void print_json(const struct pl_single *single)
{
    struct pl_text out = {0};
    pl_text_addf(&out, "{\"seed\":%lld,\"settings\":", (long long)single->seed);
    pl_settings_write(single->settings, &out);
    pl_text_addf(&out, ",\"outcome\":\"%s\",\"seconds\":", pl_outcome_name(single->result->outcome));
    pl_text_add_number(&out, single->seconds);
    if (single->result->reason[0]) {
        pl_text_add(&out, ",\"reason\":");
        pl_escape_json(&out, single->result->reason);
    }
    add_metrics(&out, "metrics", &single->values->series, PL_BY_EPOCH);
    if (has_steps(&single->values->series))
        add_metrics(&out, "metrics_by_step", &single->values->series, PL_BY_STEP);
    pl_text_add(&out, "}");
    puts(pl_text(&out));
    pl_text_release(&out);
}

static void print_run(const struct pl_single *single, const struct pl_format *format)
{
    switch (format->kind) {
    case PL_FORMAT_PEOPLE:
        print_text(single);
        break;
    case PL_FORMAT_FLAT:
        print_values(&single->values->series, format);
        break;
    case PL_FORMAT_TREE:
        print_json(single);
        break;
    }
}

/* ---- input ---- */

static int read_assignments(const struct pl_args *args, struct pl_assignment **assignments, size_t *count)
{
    const char *given;
    *count = 0;
    while (pl_args_nth(args, "set", *count))
        ++*count;
    *assignments = pl_new((*count + 1) * sizeof **assignments);
    for (size_t i = 0; (given = pl_args_nth(args, "set", i)); i++) {
        const char *equals = strchr(given, '=');
        if (!equals || equals == given || !equals[1])
            return pl_cmd_usage_error(args, "--set takes KEY=VALUE, not '%s'", given);
        (*assignments)[i] = (struct pl_assignment){pl_copy_bytes(given, (size_t)(equals - given)), equals + 1};
    }
    return 0;
}

static void free_assignments(struct pl_assignment *assignments, size_t count)
{
    for (size_t i = 0; assignments && i < count; i++)
        free((char *)assignments[i].key);
    free(assignments);
}

/* In a scale a study is called NAME-SCALE, and NAME will do. */
static bool is_called(const struct pl_study *study, const char *name, const char *scale)
{
    size_t length = strlen(name);
    return !strcmp(study->name, name) || (scale && !strncmp(study->name, name, length) && study->name[length] == '-' &&
                                          !strcmp(study->name + length + 1, scale));
}

static int find_study(const struct pl_args *args, struct pl_spec **spec, const struct pl_study **study)
{
    struct pl_text problems = {0}, path = {0};
    struct pl_error err = {0};
    const char *name = pl_args_get(args, "study", NULL), *scale = pl_args_get(args, "scale", NULL);
    if (!args->count)
        return name || scale ? pl_cmd_usage_error(args, "--%s needs a spec", name ? "study" : "scale") : 0;
    pl_args_spec(args, 0, &path);
    int status = pl_spec_load(spec, pl_text(&path), scale, &problems, &err);
    pl_text_release(&path);
    if (status) {
        if (problems.length)
            pl_cmd_lines(stderr, pl_text(&problems));
        else
            pl_cmd_fail(args, &err);
        pl_text_release(&problems);
        return 2;
    }
    for (size_t i = 0; i < pl_spec_study_count(*spec) && !*study; i++)
        if (!name || is_called(pl_spec_study(*spec, i), name, scale))
            *study = pl_spec_study(*spec, i);
    if (*study)
        return 0;
    pl_text_addf(&problems, "%s has no study %s; it has:", args->arguments[0], name ? name : "");
    for (size_t i = 0; i < pl_spec_study_count(*spec); i++)
        pl_text_addf(&problems, " %s", pl_spec_study(*spec, i)->name);
    int code = pl_cmd_usage_error(args, "%s", pl_text(&problems));
    pl_text_release(&problems);
    return code;
}

/* What the program of a command does not get to know. */
static void note_unused(const struct pl_settings *settings, bool seed)
{
    for (size_t i = 0; i < settings->count; i++) {
        const struct pl_entry *entry = &settings->entries[i];
        if (pl_train_uses(settings, entry->key))
            continue;
        struct pl_text value = {0};
        pl_value_write(&entry->value, &value);
        pl_cmd_note("poula run: no word of the command uses %s, so the program does not get to know %s=%s", entry->key,
                    entry->key, pl_text(&value));
        pl_text_release(&value);
    }
    if (seed && !pl_train_uses(settings, "seed"))
        pl_cmd_note("poula run: no word of the command has {seed}, so --seed changes nothing");
}

static int choose(const struct pl_args *args, const struct pl_study *study, struct pl_settings *settings, int64_t *seed)
{
    struct pl_assignment *assignments = NULL;
    struct pl_error err = {0};
    size_t count;
    int code = read_assignments(args, &assignments, &count);
    if (!code && pl_single_choose(study, assignments, count, settings, seed, &err))
        code = pl_cmd_fail(args, &err);
    const char *given = pl_args_get(args, "seed", NULL);
    if (!code && given && !pl_integer_read(given, seed))
        code = pl_cmd_usage_error(args, "--seed is '%s', but must be a whole number", given);
    if (!code)
        note_unused(settings, given != NULL);
    free_assignments(assignments, count);
    return code;
}

/* ---- the run ---- */

static int store_run(const struct pl_args *args, const struct pl_single *single)
{
    struct pl_store *store = NULL;
    struct pl_error err = {0};
    int64_t run = 0;
    int status = pl_store_open(&store, pl_args_db(args), PL_STORE_WRITE, &err);
    if (!status)
        status = pl_single_store(store, "run", single, &run, &err);
    if (status < 0) {
        pl_store_discard(store);
        return pl_cmd_fail(args, &err);
    }
    pl_store_close(store);
    if (status)
        pl_cmd_note("poula run: %s already holds this run's result; it is left as it is", pl_args_db(args));
    else
        pl_cmd_note("poula run: recorded as run %lld of %s", (long long)run, pl_args_db(args));
    return 0;
}

static int train(const struct pl_args *args, const struct pl_study *study, const struct pl_settings *settings,
                 int64_t seed, int threads, bool insist)
{
    struct watch watch = {.live = isatty(STDERR_FILENO) && !pl_args_has(args, "quiet"), .last = pl_clock_steady()};
    struct pl_sink sink = {
        .self = &watch, .series = watch_series, .value = watch_value, .log = watch_log, .stop = watch_stop};
    struct pl_run_request request = {.settings = settings,
                                     .seed = seed,
                                     .threads = threads,
                                     .folder = pl_args_get(args, "folder", NULL),
                                     .reading = study ? study->reading : NULL,
                                     .home = study ? study->home : NULL,
                                     .data = pl_args_data(args)};
    struct pl_run_result result;
    struct pl_error err = {0};
    struct pl_single single = {.study = study,
                               .settings = settings,
                               .seed = seed,
                               .threads = threads,
                               .insist = insist,
                               .process = getpid(),
                               .started = pl_clock(),
                               .values = &watch.values,
                               .result = &result};
    struct pl_programs *programs = pl_args_has(args, "store") ? pl_programs_new() : NULL;
    if (programs) /* before it runs, since it may be edited meanwhile */
        single.program = pl_programs_of(programs, settings, request.home, seed);
    watch.memory = pl_run_values_sink(&watch.values);
    signal(SIGINT, ask_to_stop);
    signal(SIGTERM, ask_to_stop);
    if (signal(SIGHUP, ask_to_stop) == SIG_IGN)
        signal(SIGHUP, SIG_IGN);
    double begun = pl_clock_steady();
    int status = pl_train_run(&request, &sink, &result, &err);
    single.seconds = pl_clock_steady() - begun;
    if (watch.shown)
        fputs("\r\033[K", stderr);
    if (!status && result.unread)
        pl_cmd_note("poula run: %lld line%s looked like metrics and %s not wholly understood, such as:\n    %s",
                    (long long)result.unread, result.unread == 1 ? "" : "s", result.unread == 1 ? "was" : "were",
                    result.unread_example);
    const struct pl_format *format = pl_cmd_format(args, &pl_format_text);
    int code = status ? pl_cmd_fail(args, &err) : 0;
    if (!code)
        print_run(&single, format);
    if (!code && pl_args_has(args, "store"))
        code = store_run(args, &single);
    if (!code && result.outcome == PL_INTERRUPTED)
        code = 128 + (stopped_by ? stopped_by : SIGINT);
    if (!code && result.outcome == PL_FAILED)
        code = 1;
    if (result.outcome == PL_FAILED && format->kind != PL_FORMAT_PEOPLE)
        pl_cmd_note("poula run: failed: %s", result.reason);
    pl_run_values_release(&watch.values);
    pl_programs_free(programs);
    return code;
}

/* What a sweep tells its commands. Returns whether they all come from here. */
static bool tell_threads(int64_t threads, bool insist)
{
    struct pl_text given = {0};
    pl_threads_given(&given);
    bool ours = insist || !given.length;
    pl_text_release(&given);
    const char *names[16], *name;
    size_t count = 0;
    while (count < 16 && (name = pl_threads_variable(count, insist)))
        names[count++] = name; /* first, since setting one changes which are open */
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)threads);
    while (count)
        setenv(names[--count], number, 1);
    return ours;
}

static int run(const struct pl_args *args)
{
    struct pl_spec *spec = NULL;
    const struct pl_study *study = NULL;
    struct pl_settings settings = {0};
    int64_t seed, threads;
    if (!pl_args_integer(args, "threads", 1, 4096, pl_host_cores(), &threads))
        return 2;
    bool insist = tell_threads(threads, pl_args_has(args, "threads"));
    int code = find_study(args, &spec, &study);
    if (!code)
        code = choose(args, study, &settings, &seed);
    if (!code && pl_args_has(args, "show")) {
        struct pl_text text = {0};
        struct pl_error err = {0};
        char seeds[32];
        snprintf(seeds, sizeof seeds, "[%lld]", (long long)seed);
        code = pl_single_spec("run", &settings, seeds, &text, &err) ? pl_cmd_fail(args, &err) : 0;
        fputs(pl_text(&text), stdout);
        pl_text_release(&text);
    } else if (!code) {
        code = train(args, study, &settings, seed, (int)threads, insist);
    }
    pl_settings_release(&settings);
    pl_spec_free(spec);
    return code;
}

static const struct pl_option options[] = {
    {.name = "study", .argument = "NAME", .help = "study of the spec (default: its first)"},
    {.name = "scale", .argument = "NAME", .help = "the study in a size that the spec declares, such as quick"},
    {.name = "set", .letter = 's', .argument = "KEY=VALUE", .help = "a setting", .repeats = true},
    {.name = "seed", .argument = "N", .help = "seed (default: the first of the study, or 1)"},
    {.name = "threads", .argument = "N", .help = "threads (default: the cores allowed)"},
    {.name = "folder", .argument = "DIR", .help = "folder of the run's own files (default: none are kept)"},
    {.name = "show", .help = "print the run as a spec instead of training it"},
    {.name = "store", .help = "record the run in the database, as study 'run'"},
    {.name = "format", .argument = "FORMAT", .help = "how to print", .words = PL_FORMAT_TEXT_OR_RECORD_WORDS},
    {.name = "quiet", .letter = 'q', .help = "show no progress"},
};

const struct pl_command pl_cmd_run = {
    .name = "run",
    .summary = "train one configuration here and print its metrics",
    .arguments = "[SPEC]",
    .description =
        "Trains one run in the foreground. Of the spec it takes the configuration that agrees with most of the --set "
        "options (the first of those) and replaces what still differs, so --set both picks from a grid and goes "
        "beyond it. Without a spec, --set gives everything. Needs no database; --store records the run in one.\n"
        "csv and json carry every recorded value; in json those that a program recorded along its steps stand in "
        "metrics_by_step.",
    .example = "poula run --set problem=theta30 --set optimizer=theopoula --set lambda=0.1 --set epsilon=0.1",
    PL_OPTIONS(options),
    .most = 1,
    .run = run,
};
