/* What this machine is doing, and what studies there are. */
#include "page_priv.h"

#include <stdlib.h>
#include <string.h>

struct writing {
    struct pl_text *out;
    size_t rows;
    int64_t missing;
    double rate; /* runs a second, of all sessions */
};

static int take_number(void *self, const struct pl_cell *cells, size_t count)
{
    (void)count;
    *(int64_t *)self = cells[0].integer;
    return 0;
}

static int take_session(void *self, const struct pl_cell *cells, size_t count)
{
    static const char *const names[] = {"host",  "process", "workers", "at work", "queued",
                                        "ended", "failed",  "runs/h",  "for",     "last heard"};
    struct writing *w = self;
    struct pl_text age = {0}, heard = {0};
    double seconds = pl_clock() - cells[4].real, window = seconds < 600 ? seconds : 600;
    double rate = window > 1 ? (double)cells[10].integer / window : 0;
    (void)count;
    if (!w->rows++)
        pl_page_head(w->out, "Sweeps at work", names, 10);
    pl_page_duration(&age, seconds);
    pl_text_addf(&heard, "%.0f s ago", cells[5].real > 0 ? cells[5].real : 0);
    pl_html(w->out, "<tr><th scope=\"row\">", cells[1].text, "</th>");
    pl_page_cell(w->out, &cells[2]);
    pl_page_cell(w->out, &cells[3]);
    for (size_t i = 6; i < 10; i++)
        pl_page_cell(w->out, &cells[i]);
    pl_text_addf(w->out, "<td class=\"n\">%.3g</td>", 3600 * rate);
    pl_html(w->out, "<td class=\"n\">", pl_text(&age), "</td><td class=\"n\">", pl_text(&heard), "</td></tr>\n");
    w->rate += cells[5].real < 60 ? rate : 0;
    pl_text_release(&age);
    pl_text_release(&heard);
    return 0;
}

static int take_training(void *self, const struct pl_cell *cells, size_t count)
{
    static const char *const names[] = {"run", "study", "seed", "for", "epoch", "host"};
    struct writing *w = self;
    struct pl_text age = {0};
    (void)count;
    if (!w->rows++)
        pl_page_head(w->out, "Runs that train", names, 6);
    pl_page_duration(&age, cells[4].real);
    pl_text_add(w->out, "<tr><th scope=\"row\">");
    pl_page_run_link(w->out, cells[0].integer);
    pl_html(w->out, "</th><td>", cells[1].text, "</td>");
    pl_page_cell(w->out, &cells[3]);
    pl_html(w->out, "<td class=\"n\">", pl_text(&age), "</td>");
    pl_page_cell(w->out, &cells[5]);
    pl_page_cell(w->out, &cells[6]);
    pl_text_add(w->out, "</tr>\n");
    pl_text_release(&age);
    return 0;
}

static int take_study(void *self, const struct pl_cell *c, size_t count)
{
    static const char *const names[] = {"study", "progress", "configurations", "seeds", "last swept (UTC)", ""};
    struct writing *w = self;
    struct pl_page_counts counts = {.runs = c[1].integer,
                                    .finished = c[7].integer,
                                    .diverged = c[8].integer,
                                    .failed = c[9].integer,
                                    .working = c[6].integer,
                                    .waiting = c[4].integer + c[5].integer + c[10].integer};
    struct pl_text address = {0};
    (void)count;
    if (!w->rows++)
        pl_page_head(w->out, "Studies", names, 6);
    pl_text_add(w->out, "<tr><th scope=\"row\">");
    pl_page_study_link(w->out, c[0].text);
    pl_text_addf(w->out, "</th><td data-value=\"%lld\">",
                 (long long)(counts.finished + counts.diverged + counts.failed));
    pl_page_progress(w->out, &counts);
    pl_text_add(w->out, "</td>");
    pl_page_cell(w->out, &c[2]);
    pl_page_cell(w->out, &c[3]);
    pl_page_cell(w->out, &c[13]);
    pl_text_add(&address, "runs");
    pl_page_field(&address, "study", c[0].text);
    pl_text_addf(w->out, "<td><a href=\"%s\">runs</a></td></tr>\n", pl_text(&address));
    pl_text_release(&address);
    return 0;
}

static int write_sessions(struct pl_visit *visit, struct pl_text *out, struct pl_error *err)
{
    struct writing w = {.out = out};
    int status = pl_store_ask(visit->store, PL_ASK_SESSIONS, 0, take_session, &w, err);
    if (!status)
        status = pl_store_ask(visit->store, PL_ASK_MISSING, 0, take_number, &w.missing, err);
    if (!w.rows) {
        pl_text_add(out, "<p class=\"soft\">No sweep is at work.</p>\n");
        return status;
    }
    pl_page_tail(out);
    pl_text_addf(out, "<p>%lld run%s to go", (long long)w.missing, w.missing == 1 ? "" : "s");
    if (w.missing && w.rate > 0) {
        pl_text_add(out, ", about ");
        pl_page_duration(out, (double)w.missing / w.rate);
        pl_text_add(out, " left at the rate of the last ten minutes");
    }
    pl_text_add(out, ".</p>\n");
    return status;
}

static int write_overview(struct pl_visit *visit, struct pl_text *out, struct pl_error *err)
{
    struct writing training = {.out = out}, studies = {.out = out};
    pl_text_add(out, "<h1>Results</h1>\n");
    int status = write_sessions(visit, out, err);
    if (!status)
        status = pl_store_ask(visit->store, PL_ASK_TRAINING, 0, take_training, &training, err);
    if (training.rows)
        pl_page_tail(out);
    if (!status)
        status = pl_store_ask(visit->store, PL_ASK_STUDIES, 0, take_study, &studies, err);
    if (studies.rows)
        pl_page_tail(out);
    else
        pl_text_add(out, "<p>There is no study in this database yet.</p>\n");
    return status;
}

const struct pl_page_view pl_view_overview = {.path = "", .title = "Results", .listed = true, .body = write_overview};

static int write_one(struct pl_visit *visit, struct pl_text *out, struct pl_error *err)
{
    const char *name = pl_visit_get(visit, "name");
    const struct pl_sweep_info *sweep;
    struct pl_results *results;
    struct pl_table **tables;
    struct pl_text address = {0};
    size_t count, table_count;
    if (!name)
        return pl_fail(err, PL_EINPUT, "The address names no study.");
    int status = pl_store_sweeps(visit->store, name, &sweep, &count, err);
    if (status)
        return status;
    pl_html(out, "<h1>", name, "</h1>\n");
    pl_text_add(&address, "runs");
    pl_page_field(&address, "study", name);
    pl_text_addf(out, "<p><a href=\"%s\">All its runs</a></p>\n", pl_text(&address));
    pl_text_release(&address);
    status = pl_results_open(&results, visit->store, sweep, err);
    if (status == PL_EMISSING) { /* it has recorded nothing yet */
        pl_html(out, "<p class=\"soft\">", err->text, "</p>\n");
        return 0;
    }
    if (status)
        return status;
    pl_page_build_tables(results, &tables, &table_count, out);
    struct pl_page_study study = {
        .results = results, .tables = tables, .table_count = table_count, .id = "study", .points = 6000, .live = true};
    status = pl_page_write_study(&study, out, err);
    for (size_t i = 0; i < table_count; i++)
        pl_table_free(tables[i]);
    free(tables);
    pl_results_free(results);
    return status;
}

const struct pl_page_view pl_view_study = {.path = "study", .title = "Study", .body = write_one};
