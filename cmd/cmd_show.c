#include "answer.h"
#include "show.h"

#include "data/text/corpus.h"
#include "data/images/images.h"
#include "optim/optim.h"
#include "problem/problem.h"
#include "sweep/sweep.h"
#include "train/train.h"

#include <stdlib.h>
#include <string.h>

/* ---- what there is: from the descriptors ---- */

void pl_show_settings(const struct pl_setting *settings, size_t count)
{
    struct pl_text text = {0};
    pl_help_settings(settings, count, &text);
    fputs(pl_text(&text), stdout);
    pl_text_release(&text);
}

static int show_optimizers(void)
{
    int width = 0;
    for (size_t i = 0; i < pl_optim_count(); i++)
        width = (int)strlen(pl_optim_info(i)->name) > width ? (int)strlen(pl_optim_info(i)->name) : width;
    for (size_t i = 0; i < pl_optim_count(); i++)
        printf("%-*s %s\n", width, pl_optim_info(i)->name, pl_optim_info(i)->help);
    return 0;
}

static const char langevin[] = "langevin";
static const char
    langevin_help[] = "many independent chains of a Langevin algorithm on a problem, against the law exp(-beta u)";

static int show_problems(void)
{
    for (size_t i = 0; i < pl_problem_count(); i++)
        printf("%-12s %s\n", pl_problem_at(i)->name, pl_problem_at(i)->help);
    printf("%-12s %s\n", langevin, langevin_help);
    return 0;
}

/* Not a problem itself, but a task on one. */
static int show_langevin(void)
{
    const struct pl_schema_sources *sources = pl_train_schema_sources();
    printf("%s: %s\n\n", langevin, langevin_help);
    for (size_t i = 0; i < sources->count; i++)
        if (!strcmp(sources->items[i].owner, langevin))
            pl_show_settings(sources->items[i].part.settings, sources->items[i].part.count);
    puts("\nIt also takes the settings of its target.");
    return 0;
}

static int show_optimizer(const struct pl_args *args, const char *name)
{
    const struct pl_optimizer_info *info = pl_optim_find(name);
    size_t count;
    if (!info)
        return pl_cmd_unknown_in(args, pl_optim_registry(), name);
    printf("%s: %s\n\n", info->name, info->help);
    pl_show_settings(info->settings, info->setting_count);
    const struct pl_setting *common = pl_optim_common_settings(&count);
    if (count)
        puts("\nEvery optimizer also takes:");
    pl_show_settings(common, count);
    return 0;
}

static int show_problem(const struct pl_args *args, const char *name)
{
    const struct pl_problem *problem = pl_problem_find(name);
    if (!problem && !strcmp(name, langevin))
        return show_langevin();
    if (!problem)
        return pl_cmd_unknown_in(args, &pl_problem_registry, name);
    printf("%s: %s\n\n", problem->name, problem->help);
    pl_show_settings(problem->settings, problem->setting_count);
    return 0;
}

static int show_datasets(void)
{
    for (size_t i = 0; i < pl_data_count(); i++)
        printf("%-12s %s\n", pl_data_at(i)->name, pl_data_at(i)->help);
    for (size_t i = 0; i < pl_corpus_count(); i++)
        printf("%-12s %s\n", pl_corpus_at(i)->name, pl_corpus_at(i)->help);
    return 0;
}

static int show_corpus(const struct pl_corpus_info *info)
{
    size_t count;
    const struct pl_setting *common = pl_corpus_common_settings(&count);
    printf("%s: %s\n\n", info->name, info->help);
    if (info->obtain)
        printf("%s\n\n", info->obtain);
    pl_show_settings(info->settings, info->setting_count);
    puts(info->setting_count ? "\nEvery text also takes:" : "Every text takes:");
    pl_show_settings(common, count);
    return 0;
}

static int unknown_dataset(const struct pl_args *args, const char *name)
{
    struct pl_candidates names = {0};
    pl_train_choices("dataset", &names);
    int code = pl_cmd_unknown(args, "dataset", name, &names);
    pl_candidates_release(&names);
    return code;
}

static int show_dataset(const struct pl_args *args, const char *name)
{
    const struct pl_dataset_info *info = pl_data_find(name);
    size_t count;
    if (pl_corpus_find(name))
        return show_corpus(pl_corpus_find(name));
    if (!info)
        return unknown_dataset(args, name);
    printf("%s: %s\n\n", info->name, info->help);
    pl_show_settings(info->settings, info->setting_count);
    const struct pl_setting *common = pl_data_common_settings(&count);
    puts("\nEvery set of images also takes:");
    pl_show_settings(common, count);
    return 0;
}

/* Every legal setting, under what brings it. */
static int show_settings(void)
{
    const struct pl_schema_sources *sources = pl_train_schema_sources();
    for (size_t i = 0; i < sources->count; i++) {
        const struct pl_schema_part *part = &sources->items[i].part;
        if (!part->count)
            continue;
        printf("%s%s, section %s:\n", i ? "\n" : "", sources->items[i].owner, pl_section_name(part->section));
        pl_show_settings(part->settings, part->count);
    }
    return 0;
}

/* ---- a run ---- */

static void print_time(double when)
{
    char text[PL_TIME_TEXT_SIZE];
    if (*pl_time_text(when, text))
        printf("started     %s\n", text);
}

static void print_run(const struct pl_run_info *info)
{
    printf("run         %lld\n", (long long)info->run);
    pl_cmd_line(stdout, "key         %s", info->key);
    bool works = info->status == PL_RUN_RUNNING, queued = works && !(info->started > 0);
    printf("status      %s\n", queued ? "queued" : pl_status_name(info->status));
    if (info->reason)
        pl_cmd_line(stdout, "reason      %s", info->reason);
    if (info->bad_epoch >= 0)
        printf("bad epoch   %.10g\n", info->bad_epoch);
    if (info->signal > 0)
        printf("signal      %d\n", info->signal);
    else if (info->exit_code >= 0)
        printf("exit code   %d\n", info->exit_code);
    printf("attempts    %lld\n", (long long)info->attempts);
    if (info->started > 0) {
        print_time(info->started);
        printf("seconds     %.6g%s\n", info->seconds, works ? " so far" : "");
    }
    if (info->host)
        pl_cmd_line(stdout, "host        %s", info->host);
    if (info->cpu)
        pl_cmd_line(stdout, "cpu         %s", info->cpu);
    if (info->threads > 0)
        printf("threads     %d\n", info->threads);
    if (info->version)
        pl_cmd_line(stdout, "version     %s", info->version);
}

static int print_epoch(void *self, const struct pl_cell *cells, size_t count)
{
    (void)self;
    (void)count;
    if (cells[0].kind != PL_CELL_NULL)
        pl_cmd_line(stdout, "epoch       %s so far", cells[0].text);
    return 0;
}

/* How far a run at work has come, as far as that is written down. */
static int find_epoch(struct pl_store *store, const struct pl_run_info *info, struct pl_error *err)
{
    struct pl_text sql = {0};
    pl_text_addf(&sql, "SELECT max(epoch) FROM curves WHERE run = %lld AND axis = 'epoch'", (long long)info->run);
    int status = pl_store_query(store, pl_text(&sql), NULL, print_epoch, NULL, err);
    pl_text_release(&sql);
    return status;
}

/* The metrics of a run: what it came to, or, while it is at work, what it has come to so far. */
static void add_metrics(const struct pl_run_info *info, struct pl_text *sql)
{
    if (info->status == PL_RUN_RUNNING)
        pl_text_addf(sql,
                     "SELECT metric, min(value) AS lowest_so_far, max(value) AS highest_so_far,"
                     " (SELECT coalesce(d.value, d.kind) FROM curves AS d WHERE d.run = %lld AND d.metric = c.metric"
                     " AND d.axis = c.axis ORDER BY d.epoch DESC LIMIT 1) AS last, max(epoch) AS last_epoch"
                     " FROM curves AS c WHERE run = %lld GROUP BY metric, axis ORDER BY metric",
                     (long long)info->run, (long long)info->run);
    else
        pl_text_addf(sql,
                     "SELECT metric, value AS best, epoch, coalesce(last, last_kind) AS last, last_epoch,"
                     " at_best_valid FROM best WHERE run = %lld",
                     (long long)info->run);
}

static int print_average(void *self, const struct pl_cell *cells, size_t count)
{
    (void)self;
    (void)count;
    printf("averaged    from epoch %lld on\n", (long long)cells[0].integer);
    return 0;
}

/* Since when the run's values are those of averaged weights. */
static int find_average(struct pl_store *store, const struct pl_run_info *info, struct pl_error *err)
{
    struct pl_text sql = {0};
    pl_text_addf(&sql, "SELECT epoch FROM curves WHERE run = %lld AND metric = '" PL_METRIC_AVERAGED "'",
                 (long long)info->run);
    int status = pl_store_query(store, pl_text(&sql), NULL, print_average, NULL, err);
    pl_text_release(&sql);
    return status;
}

static int print_config(struct pl_store *store, const struct pl_run_info *info, struct pl_error *err)
{
    struct pl_settings settings = {0};
    struct pl_text value = {0};
    int status = pl_store_config(store, info->config, &settings, err);
    printf("\nsettings (configuration %lld)\n", (long long)info->config);
    printf("  %-18s %lld\n", "seed", (long long)info->seed);
    for (size_t i = 0; !status && i < settings.count; i++) {
        pl_text_clear(&value);
        pl_value_write(&settings.entries[i].value, &value);
        pl_cmd_line(stdout, "  %-18s %s", settings.entries[i].key, pl_text(&value));
    }
    pl_text_release(&value);
    pl_settings_release(&settings);
    return status;
}

/* Of a run at work what it has said so far, else the attempt before it. */
static void print_log(const struct pl_args *args, struct pl_store *store, const struct pl_run_info *info)
{
    struct pl_text folders = {0}, log = {0};
    bool works = info->status == PL_RUN_RUNNING;
    pl_args_folders(args, &folders);
    bool live = works && pl_working_log(store, pl_text(&folders), info->run, info->started, &log);
    if (live || info->log) {
        const char *text = live ? pl_text(&log) : info->log;
        puts(live ? "\nlog so far" : works ? "\nlog of the attempt before" : "\nlog");
        pl_cmd_lines(stdout, text);
        fputs(*text && text[strlen(text) - 1] == '\n' ? "" : "\n", stdout);
    }
    pl_text_release(&log);
    pl_text_release(&folders);
}

static int show_run(const struct pl_args *args, const char *name)
{
    struct pl_store *store;
    struct pl_run_info info = {0};
    struct pl_error err;
    int code = pl_cmd_open(args, &store);
    if (code)
        return code;
    if (pl_store_run_info(store, name, &info, &err)) {
        code = pl_cmd_fail(args, &err);
        goto done;
    }
    print_run(&info);
    if ((info.status == PL_RUN_RUNNING && find_epoch(store, &info, &err)) || find_average(store, &info, &err) ||
        print_config(store, &info, &err)) {
        code = pl_cmd_fail(args, &err);
        goto done;
    }
    struct pl_text sql = {0};
    add_metrics(&info, &sql);
    putchar('\n');
    code = pl_cmd_answer(args, store, pl_text(&sql), stdout, &pl_format_text);
    pl_text_release(&sql);
    print_log(args, store, &info);
done:
    pl_run_info_release(&info);
    pl_store_close(store);
    return code;
}

/* Says how something that this program knows under that very name is shown; returns whether there is such a thing. */
static bool hint_known(const char *name, struct pl_text *hint)
{
    static const char *const kinds[] = {"optimizer", "problem", "model", "dataset"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !hint->length; k++) {
        struct pl_candidates names = {0};
        pl_train_choices(kinds[k], &names);
        for (size_t i = 0; i < names.count && !hint->length; i++)
            if (!strcmp(names.names[i], name))
                pl_text_addf(hint, "; did you mean 'poula show %s %s'?", kinds[k], name);
        pl_candidates_release(&names);
    }
    return hint->length;
}

/* Keys are hexadecimal, so that a slip of the other forms is told from a run without asking the database. */
static int show_run_or_nearest(const struct pl_args *args, const char *name)
{
    static const char *const words[] = {"study",    "optimizers", "optimizer", "models",      "model",
                                        "datasets", "dataset",    "problems",  "problem",     "settings",
                                        "metrics",  "metric",     "devices",   "experiments", "experiment"};
    if (*name && !name[strspn(name, "0123456789abcdefABCDEF")])
        return show_run(args, name);
    struct pl_candidates forms = {0};
    struct pl_text hint = {0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        pl_candidates_add(&forms, words[i]);
    if (!hint_known(name, &hint))
        pl_candidates_hint(&forms, name, "", &hint);
    int code = pl_cmd_usage_error(args, "'%s' is neither a run's number nor the beginning of a key%s", name,
                                  pl_text(&hint));
    pl_text_release(&hint);
    pl_candidates_release(&forms);
    return code;
}

static int run(const struct pl_args *args)
{
    const char *what = args->arguments[0], *name = args->count > 1 ? args->arguments[1] : NULL;
    if (pl_args_has(args, "format") && strcmp(what, "study"))
        return pl_cmd_usage_error(args, "--format is for show study");
    if (pl_args_has(args, "set") && (strcmp(what, "model") || !name))
        return pl_cmd_usage_error(args, "--set is for show model NAME");
    if (!strcmp(what, "optimizer") && name)
        return show_optimizer(args, name);
    if (!strcmp(what, "problem") && name)
        return show_problem(args, name);
    if (!strcmp(what, "model") && name)
        return pl_show_model(args, name);
    if (!strcmp(what, "dataset") && name)
        return show_dataset(args, name);
    if (!strcmp(what, "metric") && name)
        return pl_show_metric(name);
    if (!strcmp(what, "experiment") && name)
        return pl_show_experiment(args, name);
    if (!strcmp(what, "run") && name)
        return show_run(args, name);
    if (!strcmp(what, "study") && name)
        return pl_show_study(args, name);
    if (!strcmp(what, "study"))
        return pl_cmd_usage_error(args, "study needs a name; 'poula studies' lists them");
    if (name)
        return pl_cmd_usage_error(args, "'%s' is one argument too many", name);
    if (!strcmp(what, "optimizers") || !strcmp(what, "optimizer"))
        return show_optimizers();
    if (!strcmp(what, "problems") || !strcmp(what, "problem"))
        return show_problems();
    if (!strcmp(what, "models") || !strcmp(what, "model"))
        return pl_show_models();
    if (!strcmp(what, "datasets") || !strcmp(what, "dataset"))
        return show_datasets();
    if (!strcmp(what, "devices") || !strcmp(what, "device"))
        return pl_show_devices();
    if (!strcmp(what, "metrics") || !strcmp(what, "metric"))
        return pl_show_metrics();
    if (!strcmp(what, "experiments") || !strcmp(what, "experiment"))
        return pl_show_experiments(args);
    if (!strcmp(what, "settings"))
        return show_settings();
    return show_run_or_nearest(args, what);
}

static const struct pl_option options[] = {
    {.name = "set", .letter = 's', .argument = "KEY=VALUE", .help = "a setting of the model shown", .repeats = true},
    {.name = "format", .argument = "FORMAT", .help = "how to print a study (default text)", .words = "text json"},
};

const struct pl_command pl_cmd_show = {
    .name = "show",
    .summary = "show a run, a study, an optimizer, a model, a dataset, a problem, an experiment, or the settings, "
               "metrics and devices "
               "there are",
    .arguments = "RUN|study NAME|optimizers|optimizer NAME|models|model NAME|datasets|dataset NAME|problems|problem "
                 "NAME|experiments|experiment NAME|settings|metrics|metric NAME|devices",
    .description =
        "RUN is a run's number or the beginning of its key: shows its status and reason, every setting, each metric's "
        "best and last value, and the end of its log. study NAME shows the newest sweep of a study: its axes and "
        "priors, "
        "how its runs ended, the best points of each task and optimizer, and its tables and figures. The other forms "
        "show what this program knows, from the same "
        "descriptions that specs are checked against. model NAME lists layers, shapes, parameters, multiply-adds and "
        "the memory of a batch; metric NAME says which way a metric of such a name is taken to be better; experiments "
        "lists the specs that come "
        "with poula and experiment NAME prints one, to be copied; devices "
        "lists what networks "
        "can be trained on, with the instruction sets of this machine and the one in force, and its accelerators.",
    .example = "poula show optimizer theopoula",
    PL_OPTIONS(options),
    .least = 1,
    .most = 2,
    .run = run,
};
