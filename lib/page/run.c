/* One run: what it is, how it went, its curves as far as they have come, and its log. */
#include "page_priv.h"
#include "sweep/sweep.h"

#include <stdlib.h>

struct writing {
    struct pl_text *out;
    size_t rows;
};

static int take_value(void *self, const struct pl_cell *cells, size_t count)
{
    static const char *const names[] = {"metric", "best", "at", "last", "at", "not finite"};
    struct writing *w = self;
    if (!w->rows++)
        pl_page_head(w->out, "Values", names, 6);
    pl_html(w->out, "<tr><th scope=\"row\">", cells[0].text, "</th>");
    for (size_t i = 1; i < count; i++)
        pl_page_cell(w->out, &cells[i]);
    pl_text_add(w->out, "</tr>\n");
    return 0;
}

static int take_attempt(void *self, const struct pl_cell *cells, size_t count)
{
    static const char *const names[] = {"attempt", "outcome",     "why",     "exit code",
                                        "signal",  "began (UTC)", "seconds", "host"};
    struct writing *w = self;
    (void)count;
    if (!w->rows++)
        pl_page_head(w->out, "Attempts", names, 8);
    pl_text_addf(w->out, "<tr><th scope=\"row\">%lld</th>", (long long)cells[0].integer);
    pl_html(w->out, "<td class=\"", cells[1].text, "\">", cells[1].text, "</td>");
    for (size_t i = 2; i < 8; i++)
        pl_page_cell(w->out, &cells[i]);
    pl_text_add(w->out, "</tr>\n");
    return 0;
}

static int take_log(void *self, const struct pl_cell *cells, size_t count)
{
    struct writing *w = self;
    (void)count;
    if (!*cells[8].text)
        return 0;
    pl_text_addf(w->out, "<details%s><summary>Last lines of the log of attempt %lld</summary><pre>",
                 w->rows++ ? "" : " open", (long long)cells[0].integer);
    pl_escape_html_lines(w->out, cells[8].text);
    pl_text_add(w->out, "</pre></details>\n");
    return 0;
}

/* Of a run at work, what it has said so far. Returns whether there is anything. */
static bool write_log_so_far(struct pl_visit *visit, const struct pl_run_info *info, struct pl_text *out)
{
    struct pl_text folders = {0}, log = {0};
    pl_run_folders(visit->db, &folders);
    bool found = info->status == PL_RUN_RUNNING &&
                 pl_working_log(visit->store, pl_text(&folders), info->run, info->started, &log) && log.length;
    if (found) {
        pl_text_add(out, "<details open><summary>Last lines of the log so far</summary><pre>");
        pl_escape_html_lines(out, pl_text(&log));
        pl_text_add(out, "</pre></details>\n");
    }
    pl_text_release(&folders);
    pl_text_release(&log);
    return found;
}

static int take_place(void *self, const struct pl_cell *cells, size_t count)
{
    struct writing *w = self;
    (void)count;
    pl_text_add(w->out, w->rows++ ? ", " : "<dt>studies</dt><dd>");
    pl_page_study_link(w->out, cells[0].text);
    return 0;
}

static void write_settings(const struct pl_settings *settings, struct pl_text *out)
{
    pl_text_add(out, "<details><summary>Settings</summary><dl class=\"facts\">\n");
    for (size_t i = 0; i < settings->count; i++) {
        struct pl_text value = {0};
        pl_value_write(&settings->entries[i].value, &value);
        pl_page_fact(out, settings->entries[i].key, pl_text(&value));
        pl_text_release(&value);
    }
    pl_text_add(out, "</dl></details>\n");
}

static int write_facts(struct pl_visit *visit, const struct pl_run_info *info, struct pl_text *out,
                       struct pl_error *err)
{
    struct pl_text seconds = {0}, config = {0};
    struct writing places = {.out = out};
    pl_text_addf(out, "<h1>Run %lld</h1>\n<dl class=\"facts\">\n", (long long)info->run);
    pl_html(out, "<dt>status</dt><dd class=\"", pl_status_name(info->status), "\">", pl_status_name(info->status),
            "</dd>\n");
    pl_page_fact(out, "why", info->reason);
    int status = pl_store_ask(visit->store, PL_ASK_PLACES, info->run, take_place, &places, err);
    pl_text_add(out, places.rows ? "</dd>\n" : "");
    pl_text_addf(&config, "%lld", (long long)info->config);
    pl_html(out, "<dt>configuration</dt><dd><a href=\"runs?where=config%3D", pl_text(&config), "&amp;chosen=\">",
            pl_text(&config), "</a></dd>\n");
    pl_text_addf(out, "<dt>seed</dt><dd>%lld</dd>\n", (long long)info->seed);
    if (info->seconds > 0)
        pl_page_duration(&seconds, info->seconds);
    pl_page_fact(out, "took", pl_text(&seconds));
    pl_page_fact(out, "host", info->host);
    pl_page_fact(out, "CPU", info->cpu);
    pl_page_fact(out, "poula", info->version);
    pl_page_fact(out, "key", info->key);
    pl_text_add(out, "</dl>\n");
    pl_text_release(&seconds);
    pl_text_release(&config);
    return status;
}

static int ask_table(struct pl_visit *visit, enum pl_question question, int64_t run,
                     int (*row)(void *self, const struct pl_cell *cells, size_t count), struct pl_text *out,
                     struct pl_error *err)
{
    struct writing w = {.out = out};
    int status = pl_store_ask(visit->store, question, run, row, &w, err);
    if (w.rows)
        pl_page_tail(out);
    return status;
}

static int write_run(struct pl_visit *visit, struct pl_text *out, struct pl_error *err)
{
    static const char *const name[] = {"run"};
    const char *id = pl_visit_get(visit, "id");
    struct pl_run_info info = {0};
    struct pl_settings settings = {0};
    struct writing logs = {.out = out};
    if (!id)
        return pl_fail(err, PL_EINPUT, "The address names no run.");
    int status = pl_store_run_info(visit->store, id, &info, err);
    if (!status)
        status = write_facts(visit, &info, out, err);
    struct pl_inline_options options = {.id = "curves", .points = 20000};
    if (!status)
        status = pl_plot_inline_runs(visit->store, &info.run, name, 1, &options, out, err);
    if (!status)
        status = ask_table(visit, PL_ASK_VALUES, info.run, take_value, out, err);
    if (!status)
        status = ask_table(visit, PL_ASK_ATTEMPTS, info.run, take_attempt, out, err);
    if (!status) {
        logs.rows = write_log_so_far(visit, &info, out); /* those of attempts before are closed then */
        status = pl_store_ask(visit->store, PL_ASK_ATTEMPTS, info.run, take_log, &logs, err);
    }
    if (!status)
        status = pl_store_config(visit->store, info.config, &settings, err);
    if (!status)
        write_settings(&settings, out);
    pl_settings_release(&settings);
    pl_run_info_release(&info);
    return status;
}

const struct pl_page_view pl_view_run = {.path = "run", .title = "Run", .body = write_run};
