#include "answer.h"
#include "pick.h"

#include "train/train.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* What can be exported: SQL, and how a study is picked out of it. Which runs diverged, which way a metric is better and
 * what is counted together is the study's to say. */
static const struct {
    const char *name, *sql, *order;
    const char *of_study; /* a condition that the study's name ends; or NULL */
    const char *judged;   /* or the view, with a column study, in which each study says it */
} kinds[] = {
    {"runs", "SELECT * FROM runs", " ORDER BY run", NULL, NULL},
    {"curves", "SELECT * FROM curves", "", " WHERE run IN (SELECT run FROM study_runs WHERE study = ", NULL},
    {"best", "SELECT * FROM best", " ORDER BY run, metric", NULL, "study_best"},
    {"settings", "SELECT config, key, type, value FROM setting", " ORDER BY config, key",
     " WHERE config IN (SELECT config FROM study_runs WHERE study = ", NULL},
    {"summary", "SELECT * FROM summary", " ORDER BY config, metric", NULL, "study_summary"},
};

/* Where to write: standard output without a name. */
struct target {
    struct pl_output output;
    bool named;
    FILE *file;
};

static int target_open(struct target *target, const char *path, struct pl_error *err)
{
    *target = (struct target){.named = path, .file = stdout};
    if (!path)
        return 0;
    int status = pl_output_open(&target->output, path, PL_OUTPUT_FILE, err);
    if (status)
        return status;
    int handle = fcntl(target->output.file, F_DUPFD_CLOEXEC, 0);
    target->file = handle < 0 ? NULL : fdopen(handle, "w");
    return target->file ? 0 : pl_output_close(&target->output, false, errno, err);
}

static int target_close(struct target *target, bool keep, struct pl_error *err)
{
    if (!target->named)
        return 0;
    int problem = pl_cmd_flush(target->file);
    fclose(target->file);
    return pl_output_close(&target->output, keep, problem, err);
}

/* Only rows have it. */
static const struct pl_format jsonl = {.name = "jsonl", .kind = PL_FORMAT_FLAT, .rows = &pl_rows_jsonl};

static const struct pl_format *chosen_format(const struct pl_args *args)
{
    const char *given = pl_args_get(args, "format", pl_format_csv.name);
    return strcmp(given, jsonl.name) ? pl_format_find(given) : &jsonl;
}

static int take_columns(void *self, const struct pl_cell *cells, size_t count)
{
    (void)count;
    pl_text_add(self, cells[0].text);
    return 0;
}

/* The columns of the view without a study's name, from that with it. */
static int add_judged(struct pl_store *store, size_t kind, const char *study, struct pl_text *sql, struct pl_error *err)
{
    struct pl_text ask = {0};
    pl_text_addf(&ask,
                 "SELECT group_concat('\"' || replace(name, '\"', '\"\"') || '\"', ', ') FROM pragma_table_info('%s')",
                 kinds[kind].name);
    pl_text_add(sql, "SELECT ");
    int status = pl_store_query(store, pl_text(&ask), NULL, take_columns, sql, err);
    pl_text_addf(sql, " FROM %s WHERE study = ", kinds[kind].judged);
    pl_cmd_add_sql_text(sql, study);
    pl_text_release(&ask);
    return status;
}

/* What is exported of a study, or of all (NULL). */
static int add_source(const struct pl_args *args, struct pl_store *store, size_t kind, const char *study,
                      struct pl_text *sql)
{
    struct pl_run_pick pick = {0};
    struct pl_error err;
    int code = 0;
    if (study && kinds[kind].judged) {
        if (add_judged(store, kind, study, sql, &err))
            code = pl_cmd_fail(args, &err);
    } else if (study && !kinds[kind].of_study) {
        code = pl_pick_open(&pick, args, store);
        pl_text_add(sql, pl_text(&pick.base));
        pl_pick_close(&pick);
    } else {
        pl_text_add(sql, kinds[kind].sql);
    }
    if (study && kinds[kind].of_study) {
        pl_text_add(sql, kinds[kind].of_study);
        pl_cmd_add_sql_text(sql, study);
        pl_text_add(sql, ")");
    }
    pl_text_add(sql, kinds[kind].order);
    return code;
}

static int export_kind(const struct pl_args *args, struct pl_store *store, size_t kind, const char *out)
{
    const char *study = pl_args_get(args, "study", NULL);
    const struct pl_sweep_info *sweeps;
    size_t count;
    struct target target;
    struct pl_text sql = {0};
    struct pl_error err;
    if (study && pl_store_sweeps(store, study, &sweeps, &count, &err))
        return pl_cmd_fail(args, &err);
    int code = add_source(args, store, kind, study, &sql);
    if (!code && target_open(&target, out, &err)) {
        code = pl_cmd_fail(args, &err);
    } else if (!code) {
        code = pl_cmd_answer(args, store, pl_text(&sql), target.file, chosen_format(args));
        if (target_close(&target, !code, &err))
            code = pl_cmd_fail(args, &err);
    }
    pl_text_release(&sql);
    return code;
}

/* A file of each kind in a folder. */
static int export_all(const struct pl_args *args, struct pl_store *store)
{
    const char *folder = pl_args_get(args, "out", NULL);
    struct pl_text path = {0};
    struct pl_error err;
    int code = 0;
    if (!folder)
        return pl_cmd_usage_error(args, "all kinds are exported into a folder: poula export all --out FOLDER");
    if (pl_folder_make(folder, &err))
        return pl_cmd_fail(args, &err);
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds && !code; kind++) {
        pl_text_clear(&path);
        pl_text_addf(&path, "%s/%s.%s", folder, kinds[kind].name, chosen_format(args)->name);
        code = export_kind(args, store, kind, pl_text(&path));
    }
    pl_text_release(&path);
    return code;
}

/* The weights are a file in the run's folder; the database says which folder and whether it is the right run. */
static int export_weights(const struct pl_args *args)
{
    const char *name = args->count > 1 ? args->arguments[1] : NULL, *out = pl_args_get(args, "out", NULL);
    struct pl_run_info info = {0};
    struct pl_text folder = {0};
    struct pl_store *store;
    struct pl_error err;
    if (!name || !out)
        return pl_cmd_usage_error(args, "weights are exported as: poula export weights RUN --out FILE.safetensors");
    int code = pl_cmd_open(args, &store);
    if (code)
        return code;
    int status = pl_store_run_info(store, name, &info, &err);
    if (!status)
        status = pl_cmd_run_folder(args, store, &info, &folder, &err);
    if (!status)
        status = pl_train_export_weights(pl_text(&folder), info.key, out, &err);
    if (status)
        code = pl_cmd_fail(args, &err);
    pl_run_info_release(&info);
    pl_text_release(&folder);
    pl_store_close(store);
    return code;
}

static int run(const struct pl_args *args)
{
    size_t kind = 0, count = sizeof kinds / sizeof *kinds;
    struct pl_store *store;
    if (!strcmp(args->arguments[0], "weights"))
        return export_weights(args);
    bool all = !strcmp(args->arguments[0], "all");
    while (kind < count && strcmp(args->arguments[0], kinds[kind].name))
        kind++;
    if (kind == count && !all)
        return pl_cmd_usage_error(args, "'%s' is not one of: runs curves best settings summary all weights",
                                  args->arguments[0]);
    if (args->count > 1)
        return pl_cmd_usage_error(args, "'%s' is one argument too many", args->arguments[1]);
    int code = pl_cmd_open(args, &store);
    if (!code)
        code = all ? export_all(args, store) : export_kind(args, store, kind, pl_args_get(args, "out", NULL));
    pl_store_close(store);
    return code;
}

static const struct pl_option options[] = {
    {.name = "study", .argument = "NAME", .help = "only the newest sweep of this study"},
    {.name = "format", .argument = "FORMAT", .help = "what to write (default csv)", .words = PL_FORMAT_EXPORT_WORDS},
    {.name = "out",
     .letter = 'o',
     .argument = "FILE",
     .help = "write to FILE instead of standard output; of all kinds, the folder"},
};

const struct pl_command pl_cmd_export = {
    .name = "export",
    .summary = "write runs, curves, best values, settings, summaries or weights for other programs",
    .arguments = "runs|curves|best|settings|summary|all|weights [RUN]",
    .description =
        "Writes everything of one kind in full precision: numbers read back to the same bits. A value that was not "
        "finite is empty (null in JSON) and its kind stands beside it: nan, inf or -inf. FILE appears only when it "
        "is complete. all writes a file of each kind into a folder. jsonl is an object a line.\n"
        "weights writes the final weights of a network's run as a safetensors file, with PyTorch's names and order.",
    .example = "poula export curves --study toy-default --out curves.csv",
    PL_OPTIONS(options),
    .least = 1,
    .most = 2,
    .run = run,
};
