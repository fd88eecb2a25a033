/* Runs or configurations side by side: what differs first. */
#include "page_priv.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SIDES = 6, MOST_CURVES = 24 };

struct side {
    int64_t run; /* 0: a configuration */
    int64_t config, seed;
    char *status;
    struct pl_settings settings;
};

/* ---- rows ---- */

static char *text_of(const struct pl_value *value)
{
    struct pl_text text = {0};
    if (value)
        pl_value_write(value, &text);
    return value ? pl_text_take(&text) : NULL;
}

static void write_row(const char *name, char *const *texts, size_t count, bool differs, struct pl_text *out)
{
    pl_html(out, differs ? "<tr class=\"differs\"><th scope=\"row\">" : "<tr><th scope=\"row\">", name, "</th>");
    for (size_t i = 0; i < count; i++)
        pl_html(out, "<td>", texts[i] ? texts[i] : "–", "</td>");
    pl_text_add(out, "</tr>\n");
}

/* The rows of the settings that differ, or of those that do not. */
static void write_settings(const struct side *sides, size_t count, bool differing, struct pl_text *out)
{
    struct pl_settings all = {0};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sides[i].settings.count; k++)
            pl_settings_set(&all, sides[i].settings.entries[k].key, sides[i].settings.entries[k].value);
    for (size_t k = 0; k < all.count; k++) {
        char *texts[MOST_SIDES];
        bool differs = false;
        for (size_t i = 0; i < count; i++) {
            texts[i] = text_of(pl_settings_find(&sides[i].settings, all.entries[k].key));
            differs |= i && (texts[i] && texts[0] ? strcmp(texts[i], texts[0]) != 0 : texts[i] != texts[0]);
        }
        if (differs == differing)
            write_row(all.entries[k].key, texts, count, differs, out);
        for (size_t i = 0; i < count; i++)
            free(texts[i]);
    }
    pl_settings_release(&all);
}

/* ---- values of runs ---- */

struct values {
    struct pl_names metrics;
    char **texts; /* metric by metric, a place for each side */
    size_t side;
};

static int take_value(void *self, const struct pl_cell *cells, size_t count)
{
    struct values *v = self;
    size_t m = 0;
    (void)count;
    while (m < v->metrics.count && strcmp(v->metrics.names[m], cells[0].text))
        m++;
    if (m == v->metrics.count) {
        pl_names_add(&v->metrics, cells[0].text);
        v->texts = pl_resize(v->texts, (m + 1) * MOST_SIDES, sizeof *v->texts);
        memset(v->texts + m * MOST_SIDES, 0, MOST_SIDES * sizeof *v->texts);
    }
    struct pl_text text = {0};
    if (cells[1].kind == PL_CELL_REAL || cells[1].kind == PL_CELL_INTEGER)
        pl_text_addf(&text, "%.6g (at %.6g)", cells[1].real, cells[2].real);
    free(v->texts[m * MOST_SIDES + v->side]);
    v->texts[m * MOST_SIDES + v->side] = pl_text_take(&text);
    return 0;
}

static int write_run_values(struct pl_visit *visit, const struct side *sides, size_t count, struct pl_text *out,
                            struct pl_error *err)
{
    struct values v = {.side = 0};
    int status = 0;
    for (; v.side < count && !status; v.side++)
        status = pl_store_ask(visit->store, PL_ASK_VALUES, sides[v.side].run, take_value, &v, err);
    for (size_t m = 0; m < v.metrics.count; m++) {
        struct pl_text name = {0};
        bool choice = pl_direction_is_choice(pl_train_direction(v.metrics.names[m]));
        pl_text_addf(&name, "%s %s", choice ? "best" : "last", v.metrics.names[m]);
        write_row(pl_text(&name), v.texts + m * MOST_SIDES, count, false, out);
        pl_text_release(&name);
    }
    for (size_t i = 0; i < v.metrics.count * MOST_SIDES; i++)
        free(v.texts[i]);
    free(v.texts);
    pl_names_release(&v.metrics);
    return status;
}

/* ---- values of configurations: those of lib/results, as tables show them ---- */

static char *summary_text(const struct pl_results *results, int64_t config)
{
    size_t at = pl_results_position(results, config);
    struct pl_text text = {0};
    struct pl_summary s;
    if (at == SIZE_MAX)
        return NULL;
    pl_results_summary(results, at, &s);
    if (s.n)
        pl_text_addf(&text, s.n > 1 ? "%.6g ± %.3g" : "%.6g", s.mean, s.deviation);
    pl_text_addf(&text, "%s(%lld of %lld finished", s.n ? " " : "", (long long)s.finished, (long long)s.planned);
    if (s.diverged)
        pl_text_addf(&text, ", %lld diverged", (long long)s.diverged);
    pl_text_add(&text, ")");
    return pl_text_take(&text);
}

static int write_config_values(struct pl_visit *visit, const char *study, const struct side *sides, size_t count,
                               struct pl_text *out, struct pl_error *err)
{
    const struct pl_sweep_info *sweep;
    const struct pl_metric_info *metrics;
    struct pl_results *results = NULL;
    struct pl_names names = {0};
    size_t sweeps, metric_count = 0;
    int status = pl_store_sweeps(visit->store, study, &sweep, &sweeps, err);
    if (!status)
        status = pl_results_open(&results, visit->store, sweep, err);
    if (!status)
        status = pl_store_metrics(visit->store, pl_results_sweep(results), &metrics, &metric_count, err);
    names.names = pl_new((metric_count + 1) * sizeof *names.names);
    for (; names.count < metric_count && !status; names.count++)
        names.names[names.count] = pl_copy(metrics[names.count].name);
    for (size_t m = 0; m < names.count && !status; m++) {
        bool choice = pl_direction_is_choice(pl_results_direction(results, names.names[m]));
        enum pl_select select = choice ? PL_SELECT_BEST : PL_SELECT_LAST;
        char *texts[MOST_SIDES];
        struct pl_text name = {0};
        if ((status = pl_results_load(results, names.names[m], select, err)))
            break;
        for (size_t i = 0; i < count; i++)
            texts[i] = summary_text(results, sides[i].config);
        pl_text_addf(&name, "%s %s", pl_select_names[select], names.names[m]);
        write_row(pl_text(&name), texts, count, false, out);
        pl_text_release(&name);
        for (size_t i = 0; i < count; i++)
            free(texts[i]);
    }
    pl_names_release(&names);
    pl_results_free(results);
    return status;
}

/* ---- sides ---- */

static int add_run(struct pl_visit *visit, const char *name, struct side *side, struct pl_error *err)
{
    struct pl_run_info info;
    int status = pl_store_run_info(visit->store, name, &info, err);
    if (status)
        return status;
    *side = (struct side){
        .run = info.run, .config = info.config, .seed = info.seed, .status = pl_copy(pl_status_name(info.status))};
    pl_run_info_release(&info);
    return pl_store_config(visit->store, side->config, &side->settings, err);
}

static int add_config(struct pl_visit *visit, const char *name, struct side *side, struct pl_error *err)
{
    int64_t config;
    if (!pl_integer_read(name, &config))
        return pl_fail(err, PL_EINPUT, "A configuration is named by its number, and not \"%s\".", name);
    *side = (struct side){.config = config};
    return pl_store_config(visit->store, config, &side->settings, err);
}

struct curves {
    int64_t runs[MOST_CURVES];
    char *names[MOST_CURVES];
    size_t count;
    int64_t config;
};

static int take_run(void *self, const struct pl_cell *cells, size_t count)
{
    struct curves *c = self;
    struct pl_text name = {0};
    (void)count;
    if (c->count == MOST_CURVES)
        return 0;
    pl_text_addf(&name, "configuration %lld, seed %s", (long long)c->config, cells[1].text);
    c->runs[c->count] = cells[0].integer;
    c->names[c->count++] = pl_text_take(&name);
    return 0;
}

static int write_curves(struct pl_visit *visit, const struct side *sides, size_t count, struct pl_text *out,
                        struct pl_error *err)
{
    struct curves c = {.count = 0};
    struct pl_inline_options options = {.id = "curves", .points = 20000};
    int status = 0;
    for (size_t i = 0; i < count && !status; i++) {
        c.config = sides[i].config;
        if (!sides[i].run) {
            status = pl_store_ask(visit->store, PL_ASK_RUNS_OF, sides[i].config, take_run, &c, err);
            continue;
        }
        struct pl_text name = {0};
        pl_text_addf(&name, "run %lld", (long long)sides[i].run);
        c.runs[c.count] = sides[i].run;
        c.names[c.count++] = pl_text_take(&name);
    }
    if (!status)
        status = pl_plot_inline_runs(visit->store, c.runs, (const char *const *)c.names, c.count, &options, out, err);
    for (size_t i = 0; i < c.count; i++)
        free(c.names[i]);
    return status;
}

/* The first study that holds a run, to be freed; or NULL. */
static int take_place(void *self, const struct pl_cell *cells, size_t count)
{
    char **study = self;
    (void)count;
    *study = *study ? *study : pl_copy(cells[0].text);
    return 0;
}

static int take_first_run(void *self, const struct pl_cell *cells, size_t count)
{
    int64_t *run = self;
    (void)count;
    *run = *run ? *run : cells[0].integer;
    return 0;
}

/* The study whose statistics are shown: the one that is asked for, else one that holds the configuration. */
static int find_study(struct pl_visit *visit, int64_t config, char **study, struct pl_error *err)
{
    int64_t run = 0;
    *study = pl_copy(pl_visit_get(visit, "study"));
    if (*study)
        return 0;
    int status = pl_store_ask(visit->store, PL_ASK_RUNS_OF, config, take_first_run, &run, err);
    return status ? status : pl_store_ask(visit->store, PL_ASK_PLACES, run, take_place, study, err);
}

/* ---- the page ---- */

static void write_heads(const struct side *sides, size_t count, struct pl_text *out)
{
    pl_text_add(out, "<div class=\"scroll\"><table class=\"paged\">\n<caption>What differs comes first</caption>\n"
                     "<thead><tr><th scope=\"col\">setting</th>");
    for (size_t i = 0; i < count; i++) {
        pl_text_add(out, "<th scope=\"col\">");
        if (sides[i].run) {
            pl_text_add(out, "run ");
            pl_page_run_link(out, sides[i].run);
        } else {
            pl_text_addf(out, "configuration %lld", (long long)sides[i].config);
        }
        pl_text_add(out, "</th>");
    }
    pl_text_add(out, "</tr></thead>\n<tbody>\n");
}

static void write_runs(const struct side *sides, size_t count, struct pl_text *out)
{
    char *texts[MOST_SIDES];
    bool differs = false;
    for (size_t i = 0; i < count; i++)
        texts[i] = sides[i].status;
    write_row("status", texts, count, false, out);
    for (size_t i = 0; i < count; i++) {
        struct pl_text seed = {0};
        pl_text_addf(&seed, "%lld", (long long)sides[i].seed);
        texts[i] = pl_text_take(&seed);
        differs |= sides[i].seed != sides[0].seed;
    }
    write_row("seed", texts, count, differs, out);
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
}

static int write_table(struct pl_visit *visit, const struct side *sides, size_t count, struct pl_text *out,
                       struct pl_error *err)
{
    char *study = NULL;
    int status = 0;
    write_heads(sides, count, out);
    if (sides[0].run)
        write_runs(sides, count, out);
    write_settings(sides, count, true, out);
    if (sides[0].run)
        status = write_run_values(visit, sides, count, out, err);
    else
        status = find_study(visit, sides[0].config, &study, err);
    if (!status && study)
        status = write_config_values(visit, study, sides, count, out, err);
    free(study);
    write_settings(sides, count, false, out);
    pl_page_tail(out);
    return status;
}

static int write_compare(struct pl_visit *visit, struct pl_text *out, struct pl_error *err)
{
    struct side sides[MOST_SIDES] = {{0}};
    size_t count = 0;
    int status = 0;
    bool configs = pl_visit_get(visit, "config") != NULL;
    const char *name, *kind = configs ? "config" : "run";
    pl_text_add(out, configs ? "<h1>Configurations side by side</h1>\n" : "<h1>Runs side by side</h1>\n");
    for (size_t i = 0; !status && count < MOST_SIDES && (name = pl_visit_nth(visit, kind, i)); i++) {
        status = configs ? add_config(visit, name, &sides[count], err) : add_run(visit, name, &sides[count], err);
        count++;
    }
    if (!status && count < 2)
        status = pl_fail(err, PL_EINPUT, "Tick two runs or more (%d at most) on the page of runs.", MOST_SIDES);
    if (!status && !configs) {
        pl_text_add(out, "<p><a href=\"compare");
        for (size_t i = 0; i < count; i++)
            pl_text_addf(out, "%sconfig=%lld", i ? "&amp;" : "?", (long long)sides[i].config);
        pl_text_add(out, "\">Their configurations, with all seeds</a></p>\n");
    }
    if (!status)
        status = write_table(visit, sides, count, out, err);
    if (!status)
        status = write_curves(visit, sides, count, out, err);
    for (size_t i = 0; i < count; i++) {
        free(sides[i].status);
        pl_settings_release(&sides[i].settings);
    }
    return status;
}

const struct pl_page_view pl_view_compare = {.path = "compare", .title = "Side by side", .body = write_compare};
