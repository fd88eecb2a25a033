/* More seeds of a configuration that is in the database: `poula sweep --from`. */
#include "sweep_parts.h"

#include "results/results.h"
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What --from names. */
struct origin {
    char *study;
    int64_t sweep, config;
    struct pl_settings settings;
};

/* ---- the best of a study ---- */

struct place {
    size_t config;
    bool whole; /* all planned runs finished */
    double mean;
    bool down;
};

static int by_place(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    if (p->whole != q->whole)
        return q->whole - p->whole;
    if (p->mean != q->mean)
        return (p->mean < q->mean) == p->down ? -1 : 1;
    return p->config < q->config ? -1 : 1;
}

static int64_t config_of(const struct pl_results *results, size_t position, int64_t most)
{
    for (int64_t config = 1; config <= most; config++)
        if (pl_results_position(results, config) == position)
            return config;
    return 0;
}

static int take_number(void *self, const struct pl_cell *cells, size_t count)
{
    (void)count;
    *(int64_t *)self = cells[0].integer;
    return 0;
}

/* The k-th of the configurations by the mean that reports show, those first of which all runs finished. */
static int rank(struct pl_results *results, int64_t k, int64_t *config, struct pl_text *how, struct pl_error *err)
{
    const char *metric = pl_results_main_metric(results);
    enum pl_select select = pl_results_select(results, metric, pl_results_main_select(results));
    enum pl_direction direction = pl_results_direction(results, metric);
    int64_t most = 0;
    size_t count = 0;
    if (!pl_direction_is_choice(direction))
        return pl_fail(err, PL_EINPUT, "nobody knows which way %s is better: declare it in the spec of study %s",
                       metric, pl_results_name(results));
    int status = pl_results_load(results, metric, select, err);
    if (!status)
        status = pl_store_query(pl_results_store(results), "SELECT max(id) FROM config", NULL, take_number, &most, err);
    if (status)
        return status;
    struct place *places = pl_new((pl_results_count(results) + 1) * sizeof *places);
    for (size_t i = 0; i < pl_results_count(results); i++) {
        struct pl_summary s;
        pl_results_summary(results, i, &s);
        if (s.n)
            places[count++] = (struct place){i, s.finished == s.planned, s.mean, direction == PL_MINIMIZE};
    }
    qsort(places, count, sizeof *places, by_place);
    if (k > (int64_t)count) {
        status = pl_fail(err, PL_EINPUT, "study %s has %zu configurations with a result", pl_results_name(results),
                         count);
    } else {
        *config = config_of(results, places[k - 1].config, most);
        pl_text_addf(how, "place %lld of %zu by %s %s, mean ", (long long)k, count, pl_select_names[select], metric);
        pl_text_add_number(how, places[k - 1].mean);
    }
    free(places);
    return status;
}

static int find_best(struct pl_store *store, const char *study, int64_t k, struct origin *origin, struct pl_text *how,
                     struct pl_error *err)
{
    const struct pl_sweep_info *sweeps;
    struct pl_results *results = NULL;
    size_t count;
    int status = pl_store_sweeps(store, study, &sweeps, &count, err);
    if (status)
        return status;
    origin->study = pl_copy(study);
    origin->sweep = sweeps[0].id;
    status = pl_results_open(&results, store, &sweeps[0], err);
    if (!status)
        status = rank(results, k, &origin->config, how, err);
    pl_results_free(results);
    return status;
}

/* ---- a run ---- */

static int take_study(void *self, const struct pl_cell *cells, size_t count)
{
    struct origin *origin = self;
    (void)count;
    free(origin->study);
    origin->study = pl_copy(cells[0].text);
    origin->sweep = cells[1].integer;
    return 0;
}

static int find_run(struct pl_store *store, const char *name, struct origin *origin, struct pl_text *how,
                    struct pl_error *err)
{
    struct pl_run_info info = {0};
    struct pl_text sql = {0};
    int status = pl_store_run_info(store, name, &info, err);
    if (status)
        return status;
    origin->config = info.config;
    pl_text_addf(how, "the settings of run %lld", (long long)info.run);
    pl_text_addf(&sql,
                 "SELECT w.study, w.id FROM sweep AS w JOIN sweep_run AS x ON x.sweep = w.id WHERE x.run = %lld"
                 " ORDER BY w.launch, w.id",
                 (long long)info.run);
    status = pl_store_query(store, pl_text(&sql), NULL, take_study, origin, err);
    if (!status && !origin->study)
        status = pl_fail(err, PL_EINPUT, "no study holds run %lld any more", (long long)info.run);
    pl_run_info_release(&info);
    pl_text_release(&sql);
    return status;
}

/* ---- the spec ---- */

/* "4..8" or "4,7,9" as YAML. */
static bool read_seeds(const char *given, struct pl_text *out)
{
    const char *dots = strstr(given, "..");
    int64_t low, high;
    if (dots) {
        char *first = pl_copy_bytes(given, (size_t)(dots - given));
        bool good = pl_integer_read(first, &low) && pl_integer_read(dots + 2, &high) && low >= 0 && low <= high;
        free(first);
        if (good)
            pl_text_addf(out, "{from: %lld, to: %lld}", (long long)low, (long long)high);
        return good;
    }
    struct pl_names list = {0};
    bool good = true;
    pl_names_read(given, &list);
    for (size_t i = 0; i < list.count; i++) {
        good = good && pl_integer_read(list.names[i], &low) && low >= 0;
        pl_text_addf(out, "%s%s", i ? ", " : "[", list.names[i]);
    }
    good = good && list.count;
    pl_names_release(&list);
    pl_text_add(out, "]");
    return good;
}

static int take_metric(void *self, const struct pl_cell *cells, size_t count)
{
    static const char *const ways[] = {"none", "min", "max"};
    struct pl_text *out = self, name = {0};
    bool first = true;
    (void)count;
    pl_escape_json(&name, cells[0].text);
    pl_text_addf(out, "%s%s: {", out->length ? ", " : "metrics: {", pl_text(&name));
    pl_text_release(&name);
    if (cells[1].kind != PL_CELL_NULL) {
        pl_text_addf(out, "direction: %s", ways[cells[1].integer % 3]);
        first = false;
    }
    for (size_t i = 2; i < 4; i++)
        if (cells[i].kind != PL_CELL_NULL) {
            pl_text_addf(out, "%s%s: %s", first ? "" : ", ", i == 2 ? "loss" : "validation",
                         cells[i].integer ? "true" : "false");
            first = false;
        }
    pl_text_add_char(out, '}');
    return 0;
}

/* What the study declares of its metrics holds for these runs, too. */
static int add_metrics(struct pl_store *store, int64_t sweep, struct pl_text *out, struct pl_error *err)
{
    struct pl_text sql = {0}, metrics = {0};
    pl_text_addf(&sql,
                 "SELECT name, direction, loss, validates FROM sweep_metric WHERE sweep = %lld AND origin = 'declared'"
                 " ORDER BY nullif(validates, 0) NULLS LAST, name",
                 (long long)sweep);
    int status = pl_store_query(store, pl_text(&sql), NULL, take_metric, &metrics, err);
    if (metrics.length)
        pl_text_addf(out, "%s}\n", pl_text(&metrics));
    pl_text_release(&sql);
    pl_text_release(&metrics);
    return status;
}

/* "STUDY best K", or a run. */
static int find_origin(struct pl_store *store, const char *given, struct origin *origin, struct pl_text *how,
                       struct pl_error *err)
{
    const char *word = strstr(given, " best ");
    int64_t k;
    if (!word)
        return find_run(store, given, origin, how, err);
    if (!pl_integer_read(word + strlen(" best "), &k) || k < 1)
        return pl_fail(err, PL_EINPUT, "--from is '%s', but must be a run, or like \"STUDY best 1\"", given);
    char *study = pl_copy_bytes(given, (size_t)(word - given));
    int status = find_best(store, study, k, origin, how, err);
    free(study);
    return status;
}

static int write_spec(struct pl_store *store, struct origin *origin, const char *seeds, struct pl_text *name,
                      struct pl_text *text, struct pl_error *err)
{
    size_t length = strlen(origin->study), ending = strlen("-seeds");
    bool again = length > ending && !strcmp(origin->study + length - ending, "-seeds");
    pl_text_addf(name, "%s%s", origin->study, again ? "" : "-seeds");
    int status = pl_store_config(store, origin->config, &origin->settings, err);
    if (!status)
        status = pl_single_spec(pl_text(name), &origin->settings, seeds, text, err);
    return status ? status : add_metrics(store, origin->sweep, text, err);
}

int pl_sweep_load_from(const struct pl_args *args, struct pl_sweep_specs *specs)
{
    struct pl_store *store = NULL;
    struct origin origin = {0};
    struct pl_text seeds = {0}, how = {0}, name = {0}, text = {0}, problems = {0};
    struct pl_error err = {0};
    struct pl_spec *spec = NULL;
    const char *given = pl_args_get(args, "seeds", NULL);
    int code = 0, status = 0;
    if (args->count)
        code = pl_cmd_usage_error(args, "give specs or --from, not both");
    else if (!given || !read_seeds(given, &seeds))
        code = pl_cmd_usage_error(args, "--from needs --seeds, like 4..8 or 4,7,9");
    if (!code) {
        status = pl_store_open(&store, pl_args_db(args), PL_STORE_READ, &err);
        if (!status)
            status = find_origin(store, pl_args_get(args, "from", ""), &origin, &how, &err);
        if (!status)
            status = write_spec(store, &origin, pl_text(&seeds), &name, &text, &err);
        if (!status)
            status = pl_spec_parse(&spec, pl_text(&text), text.length, pl_text(&name), &problems, &err);
        if (status && problems.length) {
            pl_cmd_note("poula sweep: the settings of '%s' make no study (--from):", pl_args_get(args, "from", ""));
            pl_cmd_lines(stderr, pl_text(&problems));
        }
        code = !status ? 0 : problems.length ? 2 : pl_cmd_fail(args, &err);
    }
    if (!code) {
        pl_cmd_note("poula sweep: %s: %s", pl_text(&name), pl_text(&how));
        specs->sources = pl_new(sizeof *specs->sources);
        specs->sources[specs->count++] = (struct pl_sweep_source){spec, pl_pool_copy(&specs->paths, pl_text(&name))};
    }
    pl_store_close(store);
    free(origin.study);
    pl_settings_release(&origin.settings);
    pl_text_release(&seeds);
    pl_text_release(&how);
    pl_text_release(&name);
    pl_text_release(&text);
    pl_text_release(&problems);
    return code;
}
