/* A study on a page: tables, figures, how its runs ended, what they were made with, and its spec. */
#include "page_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_LIMIT = 4000, LOGS_LIMIT = 200000 };

/* ---- tables and figures ---- */

void pl_page_build_tables(struct pl_results *results, struct pl_table ***tables, size_t *count, struct pl_text *out)
{
    const struct pl_study *study = pl_results_study(results);
    struct pl_table_spec plain = {.digits = -1, .select = pl_results_main_select(results)};
    size_t declared = study ? study->table_count : 0;
    *tables = pl_new((declared + 1) * sizeof **tables);
    *count = 0;
    for (size_t i = 0; i < (declared ? declared : 1); i++) {
        struct pl_table *table;
        struct pl_error err;
        if (pl_table_build(&table, results, declared ? &study->tables[i] : &plain, &err))
            pl_page_message(out, err.text);
        else
            (*tables)[(*count)++] = table;
    }
}

static void write_tables(const struct pl_page_study *s, struct pl_text *out)
{
    if (!s->table_count)
        return;
    pl_text_add(out, "<h3>Tables</h3>\n");
    for (size_t i = 0; i < s->table_count; i++) {
        pl_text_add(out, "<div class=\"scroll\">");
        pl_table_write(&s->tables[i], 1, &pl_format_html, out);
        pl_text_add(out, "</div>\n");
    }
    pl_text_add(out,
                "<p class=\"note\">Bold: the best of its task. Underlined: a test cannot tell it from the best.</p>\n");
}

static void write_figure(const struct pl_page_study *s, const struct pl_figure_spec *spec, size_t number,
                         struct pl_text *out)
{
    struct pl_figure_spec own = *spec;
    struct pl_condition *joined = pl_new((spec->where_count + s->where_count + 1) * sizeof *joined);
    struct pl_text id = {0};
    struct pl_error err;
    if (spec->where_count)
        memcpy(joined, spec->where, spec->where_count * sizeof *joined);
    if (s->where_count)
        memcpy(joined + spec->where_count, s->where, s->where_count * sizeof *joined);
    own.where = joined;
    own.where_count = spec->where_count + s->where_count;
    pl_text_addf(&id, "%s-figure-%zu", s->id, number);
    struct pl_inline_options options = {.id = pl_text(&id), .points = s->points};
    size_t before = out->length;
    if (pl_plot_inline(s->results, &own, &options, out, &err)) {
        pl_text_cut(out, before);
        pl_html(out, "<p class=\"note\">No figure: ", err.text, "</p>\n");
    }
    pl_text_release(&id);
    free(joined);
}

static void write_figures(const struct pl_page_study *s, struct pl_text *out)
{
    const struct pl_study *study = pl_results_study(s->results);
    struct pl_figure_spec curves = {
        .kind = PL_FIGURE_CURVES, .x_range = {NAN, NAN}, .y_range = {NAN, NAN}, .fit_range = {NAN, NAN}};
    size_t declared = study ? study->figure_count : 0;
    pl_text_add(out, "<h3>Figures</h3>\n<div class=\"figures\">\n");
    for (size_t i = 0; i < declared; i++)
        write_figure(s, &study->figures[i], i + 1, out);
    if (!declared)
        write_figure(s, &curves, 1, out);
    pl_text_add(out, "</div>\n");
}

/* ---- outcomes ---- */

struct writing {
    const struct pl_page_study *study;
    struct pl_text *out;
    size_t rows, logs;     /* bytes of logs so far */
    size_t keys[16], axes; /* settings by which configurations are told apart */
};

/* The last lines of a log, so many bytes at most. */
static void write_log(struct writing *w, const char *log)
{
    size_t length = strlen(log), skip = length > LOG_LIMIT ? length - LOG_LIMIT : 0;
    if (!length || w->logs > LOGS_LIMIT)
        return;
    if (skip)
        skip += strcspn(log + skip, "\n");
    w->logs += length - skip;
    pl_text_add(w->out, "<details><summary>last lines of its log</summary><pre>");
    pl_escape_html_lines(w->out, log + skip + (log[skip] == '\n'));
    pl_text_add(w->out, "</pre></details>");
}

static int take_trouble(void *self, const struct pl_cell *cells, size_t count)
{
    static const char *const names[] = {"run", "seed", "outcome", "why", "settings"};
    struct writing *w = self;
    const struct pl_results *results = w->study->results;
    struct pl_text settings = {0};
    (void)count;
    if (!w->rows++)
        pl_page_head(w->out, "Runs that did not finish", names, 5);
    pl_text_add(w->out, "<tr><th scope=\"row\">");
    if (w->study->live)
        pl_page_run_link(w->out, cells[0].integer);
    else
        pl_text_addf(w->out, "%lld", (long long)cells[0].integer);
    pl_html(w->out, "</th><td class=\"n\">", cells[2].text, "</td><td class=\"", cells[3].text, "\">", cells[3].text,
            "</td><td>", cells[4].text, "");
    if (cells[5].kind != PL_CELL_NULL)
        pl_html(w->out, cells[4].kind == PL_CELL_NULL ? "from epoch " : " (from epoch ", cells[5].text,
                cells[4].kind == PL_CELL_NULL ? "" : ")");
    write_log(w, cells[6].text);
    pl_text_add(w->out, "</td><td>");
    size_t config = pl_results_position(results, cells[1].integer);
    for (size_t k = 0; k < w->axes && config != SIZE_MAX; k++) {
        size_t key = w->keys[k];
        const struct pl_value *value = pl_results_value(results, key, pl_results_rank(results, config, key));
        if (!value)
            continue;
        pl_text_addf(&settings, "%s%s=", settings.length ? ", " : "", pl_results_key_name(results, key));
        pl_value_write(value, &settings);
    }
    pl_html(w->out, "", pl_text(&settings), "</td></tr>\n");
    pl_text_release(&settings);
    return 0;
}

static void find_axes(const struct pl_results *results, struct writing *w)
{
    size_t all = pl_results_count(results), *configs = pl_new((all + 1) * sizeof *configs);
    for (size_t i = 0; i < all; i++)
        configs[i] = i;
    w->axes = pl_results_axes(results, configs, all, w->keys, sizeof w->keys / sizeof *w->keys);
    free(configs);
}

static int write_outcomes(const struct pl_page_study *s, struct pl_text *out, struct pl_error *err)
{
    int64_t counts[PL_STATUS_COUNT];
    struct writing w = {.study = s, .out = out};
    struct pl_store *store = pl_results_store(s->results);
    int status = pl_store_counts(store, pl_results_sweep(s->results), counts, err);
    if (status)
        return status;
    struct pl_page_counts c = {.finished = counts[PL_RUN_FINISHED],
                               .diverged = counts[PL_RUN_DIVERGED],
                               .failed = counts[PL_RUN_FAILED],
                               .working = counts[PL_RUN_RUNNING],
                               .waiting = counts[PL_RUN_PLANNED] + counts[PL_RUN_INTERRUPTED]};
    c.runs = c.finished + c.diverged + c.failed + c.working + c.waiting;
    pl_text_add(out, "<h3>Outcomes</h3>\n");
    pl_page_progress(out, &c);
    find_axes(s->results, &w);
    status = pl_store_ask(store, PL_ASK_TROUBLES, pl_results_sweep(s->results), take_trouble, &w, err);
    if (w.rows)
        pl_page_tail(out);
    int64_t troubles = c.diverged + c.failed + counts[PL_RUN_INTERRUPTED];
    if ((int64_t)w.rows < troubles)
        pl_text_addf(out,
                     "<p class=\"note\">%zu of %lld such runs are shown; "
                     "<code>poula runs --status failed</code> lists all that failed.</p>\n",
                     w.rows, (long long)troubles);
    return status;
}

/* ---- where it comes from ---- */

static int take_provenance(void *self, const struct pl_cell *cells, size_t count)
{
    static const char *const names[] = {"runs",    "host",    "CPU",      "instructions", "poula",
                                        "workers", "threads", "compiler", "libraries",    "data"};
    struct writing *w = self;
    if (!w->rows++)
        pl_page_head(w->out, "What the runs were made with", names, 10);
    pl_text_add(w->out, "<tr>");
    for (size_t i = 0; i < count; i++)
        pl_page_cell(w->out, &cells[i]);
    pl_text_add(w->out, "</tr>\n");
    return 0;
}

static int take_program(void *self, const struct pl_cell *cells, size_t count)
{
    static const char *const names[] = {"runs", "folder", "program", "checksums", "commit", "changed"};
    struct writing *w = self;
    if (!w->rows++)
        pl_page_head(w->out, "Programs that were run", names, 6);
    pl_text_add(w->out, "<tr>");
    for (size_t i = 0; i < count; i++)
        pl_page_cell(w->out, &cells[i]);
    pl_text_add(w->out, "</tr>\n");
    return 0;
}

static void write_repeat(const struct pl_sweep_info *sweep, struct pl_text *out)
{
    struct pl_text path = {0}, study = {0};
    unsigned char digest[PL_DIGEST_SIZE];
    char hex[2 * PL_DIGEST_SIZE + 1];
    pl_text_add_word(&path, sweep->path);
    pl_text_add_word(&study, sweep->study);
    pl_digest(sweep->spec, strlen(sweep->spec), digest);
    pl_digest_hex(digest, PL_DIGEST_SIZE, hex);
    pl_html(
        out, "<p>To run it again, check it and print it:</p>\n<pre>poula sweep ", pl_text(&path),
        "\npoula report --study ", pl_text(&study), "\npoula plot --study ", pl_text(&study),
        "\npoula verify RUN      # one run again, compared bit for bit</pre>\n<p class=\"note\">SHA-256 of the spec: ",
        hex, "</p>\n<details><summary>The spec</summary><pre>");
    pl_escape_html_lines(out, sweep->spec);
    pl_text_add(out, "</pre></details>\n");
    pl_text_release(&path);
    pl_text_release(&study);
}

static int write_provenance(const struct pl_page_study *s, struct pl_text *out, struct pl_error *err)
{
    struct pl_store *store = pl_results_store(s->results);
    struct writing w = {.study = s, .out = out}, programs = {.study = s, .out = out};
    const struct pl_sweep_info *sweep;
    size_t count;
    pl_text_add(out, "<h3>Provenance</h3>\n");
    int status = pl_store_ask(store, PL_ASK_PROVENANCE, pl_results_sweep(s->results), take_provenance, &w, err);
    if (w.rows)
        pl_page_tail(out);
    if (!status)
        status = pl_store_ask(store, PL_ASK_PROGRAMS, pl_results_sweep(s->results), take_program, &programs, err);
    if (programs.rows)
        pl_page_tail(out);
    if (!status)
        status = pl_store_sweeps(store, pl_results_name(s->results), &sweep, &count, err);
    if (!status)
        write_repeat(sweep, out);
    return status;
}

int pl_page_write_study(const struct pl_page_study *s, struct pl_text *out, struct pl_error *err)
{
    const struct pl_study *study = pl_results_study(s->results);
    if (study && study->description)
        pl_html(out, "<p>", study->description, "</p>\n");
    write_tables(s, out);
    write_figures(s, out);
    int status = write_outcomes(s, out, err);
    return status ? status : write_provenance(s, out, err);
}
