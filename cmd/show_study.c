/* `poula show study NAME`: a study as a page of text, or as json. */
#include "answer.h"
#include "collect.h"
#include "results/results.h"
#include "show.h"
#include "store/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLACES = 3, MOST_VALUES = 12, WIDTH = 12 };

/* What is shown. Texts of a sweep live in the store only until the next call. */
struct page {
    char *name, *path;
    double started;
    int64_t counts[PL_STATUS_COUNT], runs;
    struct pl_results *results; /* NULL: nothing has been recorded yet */
    const struct pl_study *study;
    struct pl_choice *choice; /* NULL: nothing can be chosen, for this reason: */
    struct pl_names over;
    struct pl_error unchosen;
};

static int read_page(struct pl_store *store, const char *name, struct page *page, struct pl_error *err)
{
    const struct pl_sweep_info *sweeps;
    size_t count;
    int status = pl_store_sweeps(store, name, &sweeps, &count, err);
    if (status)
        return status;
    struct pl_sweep_info sweep = sweeps[0];
    page->name = pl_copy(sweep.study);
    page->path = pl_copy(sweep.path);
    page->started = sweep.started;
    status = pl_results_open(&page->results, store, &sweep, err);
    if (status && status != PL_EMISSING)
        return status;
    if ((status = pl_store_counts(store, sweep.id, page->counts, err)))
        return status;
    for (int i = 0; i < PL_STATUS_COUNT; i++)
        page->runs += page->counts[i];
    if (!page->results)
        return 0;
    page->study = pl_results_study(page->results);
    if (pl_results_choose_best(page->results, &page->over, &page->choice, &page->unchosen))
        page->choice = NULL;
    return 0;
}

static void release_page(struct page *page)
{
    pl_choice_free(page->choice);
    pl_names_release(&page->over);
    pl_results_free(page->results);
    free(page->name);
    free(page->path);
}

/* ---- parts that both ways of writing share ---- */

static bool is_drawn(const struct pl_study *study, const char *key)
{
    for (size_t i = 0; study->search && i < study->search->key_count; i++)
        if (!strcmp(study->search->keys[i], key))
            return true;
    return false;
}

/* Do two entries of what is drawn differ in their optimizer alone? */
static bool same_prior(const struct pl_drawn *a, const struct pl_drawn *b)
{
    bool same = !strcmp(a->key, b->key) && a->prior->kind == b->prior->kind && a->prior->low == b->prior->low &&
                a->prior->high == b->prior->high && a->prior->count == b->prior->count;
    for (size_t i = 0; same && i < a->prior->count; i++)
        same = pl_value_equal(&a->prior->values[i], &b->prior->values[i]);
    return same;
}

/* Is it the first of those that differ in their optimizer alone? */
static bool is_first(const struct pl_search *search, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (same_prior(&search->drawn[i], &search->drawn[index]))
            return false;
    return true;
}

static void add_value(struct pl_text *out, const struct pl_value *value)
{
    if (value)
        pl_value_write(value, out);
    else
        pl_text_add_char(out, '-');
}

/* ---- text ---- */

static void print_time(double when)
{
    char text[PL_TIME_TEXT_SIZE];
    if (*pl_time_text(when, text))
        printf("%-*s%s\n", WIDTH, "swept", text);
}

static void print_runs(const struct page *page)
{
    int64_t missing = page->counts[PL_RUN_PLANNED] + page->counts[PL_RUN_INTERRUPTED];
    printf("%-*s%lld: %lld finished, %lld diverged, %lld failed, %lld missing", WIDTH, "runs", (long long)page->runs,
           (long long)page->counts[PL_RUN_FINISHED], (long long)page->counts[PL_RUN_DIVERGED],
           (long long)page->counts[PL_RUN_FAILED], (long long)missing);
    if (page->counts[PL_RUN_STOPPED])
        printf(", %lld stopped early", (long long)page->counts[PL_RUN_STOPPED]);
    if (page->counts[PL_RUN_RUNNING])
        printf(", %lld at work", (long long)page->counts[PL_RUN_RUNNING]);
    putchar('\n');
}

static void print_axes(const struct page *page)
{
    bool any = false;
    size_t count = pl_results_count(page->results);
    size_t *configs = pl_new((count + 1) * sizeof *configs);
    for (size_t i = 0; i < count; i++)
        configs[i] = i;
    for (size_t a = 0; a < page->study->axis_count; a++) {
        size_t key = pl_results_key(page->results, page->study->axes[a]);
        struct pl_headings values;
        struct pl_text text = {0};
        if (key == SIZE_MAX || is_drawn(page->study, page->study->axes[a]))
            continue;
        pl_headings_find(page->results, configs, count, &key, 1, &values);
        for (size_t i = 0; i < values.count && i < MOST_VALUES; i++) {
            pl_text_add(&text, i ? ", " : "");
            add_value(&text, pl_results_value(page->results, key, values.ranks[i]));
        }
        if (values.count > MOST_VALUES)
            pl_text_addf(&text, ", ... (%zu)", values.count);
        if (values.count > 1) {
            fputs(any ? "" : "\naxes\n", stdout);
            pl_cmd_line(stdout, "  %-18s %s", page->study->axes[a], pl_text(&text));
            any = true;
        }
        pl_text_release(&text);
        pl_headings_release(&values);
    }
    free(configs);
}

static void print_drawn(const struct pl_search *search)
{
    printf("\ndrawn\n");
    for (size_t i = 0; i < search->drawn_count; i++) {
        const struct pl_prior *prior = search->drawn[i].prior;
        struct pl_text text = {0}, who = {0};
        if (!is_first(search, i))
            continue;
        for (size_t k = i; k < search->drawn_count; k++)
            if (same_prior(&search->drawn[i], &search->drawn[k]) && *search->drawn[k].optimizer)
                pl_text_addf(&who, "%s%s", who.length ? ", " : "", search->drawn[k].optimizer);
        if (prior->kind == PL_PRIOR_CHOICE) {
            for (size_t k = 0; k < prior->count && k < MOST_VALUES; k++) {
                pl_text_add(&text, k ? ", " : "");
                add_value(&text, &prior->values[k]);
            }
        } else {
            pl_text_addf(&text, "%g to %g", prior->low, prior->high);
        }
        pl_cmd_line(stdout, "  %-18s %-14s %s%s%s", search->drawn[i].key, pl_prior_kind_names[prior->kind],
                    pl_text(&text), who.length ? ": " : "", pl_text(&who));
        pl_text_release(&text);
        pl_text_release(&who);
    }
}

/* "dataset=markov, optimizer=adam" */
static void add_settings(const struct page *page, size_t config, const struct pl_names *names, struct pl_text *out)
{
    size_t start = out->length;
    for (size_t i = 0; i < names->count; i++) {
        size_t key = pl_results_key(page->results, names->names[i]);
        uint32_t rank = key == SIZE_MAX ? 0 : pl_results_rank(page->results, config, key);
        if (!rank)
            continue;
        pl_text_addf(out, "%s%s=", out->length > start ? ", " : "", names->names[i]);
        add_value(out, pl_results_value(page->results, key, rank));
    }
}

static void print_best(const struct page *page)
{
    if (!page->choice) {
        putchar('\n');
        pl_cmd_line(stdout, "nothing is best: %s", page->unchosen.text);
        return;
    }
    putchar('\n');
    pl_cmd_line(stdout, "best by %s %s", pl_select_names[page->choice->select], page->choice->metric);
    for (size_t i = 0; i < page->choice->count; i++) {
        const struct pl_rival *r = &page->choice->rivals[i];
        size_t config = pl_results_position(page->results, r->config);
        struct pl_text text = {0};
        if (r->place > MOST_PLACES || config == SIZE_MAX)
            continue;
        if (r->place == 1) {
            add_settings(page, config, &page->choice->groups, &text);
            if (text.length)
                pl_cmd_line(stdout, "  %s", pl_text(&text));
            pl_text_clear(&text);
        }
        pl_text_addf(&text, "    %zu. ", r->place);
        if (r->n && isfinite(r->mean))
            pl_text_addf(&text, "%-10.6g ", r->mean);
        else
            pl_text_addf(&text, "%-10s ", r->never ? "never" : r->diverged ? "diverged" : "-");
        add_settings(page, config, &page->over, &text);
        if (r->finished < r->planned)
            pl_text_addf(&text, " (%lld of %lld runs finished)", (long long)r->finished, (long long)r->planned);
        pl_cmd_line(stdout, "%s", pl_text(&text));
        pl_text_release(&text);
    }
}

static void print_declared(const struct page *page)
{
    const struct pl_study *study = page->study;
    if (study->table_count) {
        putchar('\n');
        pl_cmd_line(stdout, "tables: poula report --study %s", page->name);
    }
    for (size_t i = 0; i < study->table_count; i++)
        pl_cmd_line(stdout, "  %s", study->tables[i].title ? study->tables[i].title : study->tables[i].metric);
    if (study->figure_count) {
        putchar('\n');
        pl_cmd_line(stdout, "figures: poula plot --study %s [--figure NAME]", page->name);
    }
    for (size_t i = 0; i < study->figure_count; i++)
        pl_cmd_line(stdout, "  %-30s %s", study->figures[i].name, pl_figure_kind_names[study->figures[i].kind]);
}

static void print_page(const struct page *page)
{
    const struct pl_study *study = page->study;
    pl_cmd_line(stdout, "%-*s%s", WIDTH, "study", page->name);
    if (study && study->description)
        pl_cmd_line(stdout, "%-*s%s", WIDTH, "description", study->description);
    pl_cmd_line(stdout, "%-*s%s", WIDTH, "spec", page->path);
    print_time(page->started);
    print_runs(page);
    if (!study) {
        puts(page->results ? "The spec of this study cannot be read by this version."
                           : "Nothing has been recorded yet.");
        return;
    }
    if (study->search)
        printf("%-*s%lld points for each combination of the axes, %s, seed %lld\n", WIDTH, "search",
               (long long)study->search->points, pl_search_method_names[study->search->method],
               (long long)study->search->seed);
    if (pl_results_target(page->results)->metric)
        pl_cmd_line(stdout, "%-*s%s %g", WIDTH, "target", pl_results_target(page->results)->metric,
                    pl_results_target(page->results)->value);
    print_axes(page);
    if (study->search)
        print_drawn(study->search);
    print_best(page);
    print_declared(page);
}

/* Who is at work, where, since when and how far. */
static int print_working(const struct pl_args *args, struct pl_store *store, const struct page *page)
{
    struct pl_text sql = {0};
    if (!page->counts[PL_RUN_RUNNING])
        return 0;
    pl_text_add(&sql,
                "SELECT run, seed, status, started, host, at_epoch FROM runs WHERE status IN ('queued', 'running')"
                " AND run IN (SELECT run FROM study_runs WHERE study = ");
    pl_cmd_add_sql_text(&sql, page->name);
    pl_text_add(&sql, ") ORDER BY started IS NULL, run LIMIT 20");
    puts("\nat work");
    int code = pl_cmd_answer(args, store, pl_text(&sql), stdout, &pl_format_text);
    pl_text_release(&sql);
    return code;
}

/* ---- json ---- */

static void add_json_value(struct pl_text *out, const struct pl_value *value)
{
    struct pl_text text = {0};
    if (value &&
        (value->type == PL_INTEGER || value->type == PL_BOOLEAN || (value->type == PL_REAL && isfinite(value->real)))) {
        pl_value_write(value, out);
    } else if (value) {
        pl_value_write(value, &text);
        pl_text_add_json(out, pl_text(&text));
    } else {
        pl_text_add(out, "null");
    }
    pl_text_release(&text);
}

static void add_member(struct pl_text *out, const char *key, const char *value)
{
    pl_text_add_json(out, key);
    pl_text_add(out, ": ");
    if (value)
        pl_text_add_json(out, value);
    else
        pl_text_add(out, "null");
}

static void add_json_settings(struct pl_text *out, const struct page *page, size_t config, const struct pl_names *names,
                              bool *any)
{
    for (size_t i = 0; i < names->count; i++) {
        size_t key = pl_results_key(page->results, names->names[i]);
        uint32_t rank = key == SIZE_MAX ? 0 : pl_results_rank(page->results, config, key);
        if (!rank)
            continue;
        pl_text_add(out, *any ? ", " : "");
        pl_text_add_json(out, names->names[i]);
        pl_text_add(out, ": ");
        add_json_value(out, pl_results_value(page->results, key, rank));
        *any = true;
    }
}

static void add_json_search(struct pl_text *out, const struct pl_search *search)
{
    pl_text_addf(out, "{\"points\": %lld, \"method\": \"%s\", \"seed\": %lld, \"drawn\": [", (long long)search->points,
                 pl_search_method_names[search->method], (long long)search->seed);
    for (size_t i = 0; i < search->drawn_count; i++) {
        const struct pl_prior *prior = search->drawn[i].prior;
        pl_text_add(out, i ? ", {" : "{");
        add_member(out, "setting", search->drawn[i].key);
        pl_text_add(out, ", ");
        add_member(out, "optimizer", *search->drawn[i].optimizer ? search->drawn[i].optimizer : NULL);
        pl_text_add(out, ", ");
        add_member(out, "prior", pl_prior_kind_names[prior->kind]);
        if (prior->kind != PL_PRIOR_CHOICE)
            pl_text_addf(out, ", \"low\": %.17g, \"high\": %.17g", prior->low, prior->high);
        for (size_t k = 0; k < prior->count; k++) {
            pl_text_add(out, k ? ", " : ", \"values\": [");
            add_json_value(out, &prior->values[k]);
        }
        pl_text_add(out, prior->count ? "]}" : "}");
    }
    pl_text_add(out, "]}");
}

static void add_json_best(struct pl_text *out, const struct page *page)
{
    bool first = true;
    pl_text_add(out, ",\n \"best_by\": ");
    pl_text_add_json(out, page->choice->metric);
    pl_text_addf(out, ", \"select\": \"%s\", \"best\": [", pl_select_names[page->choice->select]);
    for (size_t i = 0; i < page->choice->count; i++) {
        const struct pl_rival *r = &page->choice->rivals[i];
        size_t config = pl_results_position(page->results, r->config);
        bool any = false;
        if (r->place > MOST_PLACES || config == SIZE_MAX)
            continue;
        pl_text_addf(out, "%s\n  {\"place\": %zu, \"config\": %lld, \"mean\": ", first ? "" : ",", r->place,
                     (long long)r->config);
        if (r->n && isfinite(r->mean))
            pl_text_add_number(out, r->mean);
        else
            pl_text_add(out, "null");
        pl_text_addf(out, ", \"finished\": %lld, \"diverged\": %lld, \"planned\": %lld, \"settings\": {",
                     (long long)r->finished, (long long)r->diverged, (long long)r->planned);
        add_json_settings(out, page, config, &page->choice->groups, &any);
        add_json_settings(out, page, config, &page->over, &any);
        pl_text_add(out, "}}");
        first = false;
    }
    pl_text_add_char(out, ']');
}

static void add_json_declared(struct pl_text *out, const struct pl_study *study)
{
    pl_text_add(out, ",\n \"tables\": [");
    for (size_t i = 0; i < study->table_count; i++) {
        pl_text_add(out, i ? ", {" : "{");
        add_member(out, "title", study->tables[i].title);
        pl_text_add(out, ", ");
        add_member(out, "metric", study->tables[i].metric);
        pl_text_add_char(out, '}');
    }
    pl_text_add(out, "],\n \"figures\": [");
    for (size_t i = 0; i < study->figure_count; i++) {
        pl_text_add(out, i ? ", {" : "{");
        add_member(out, "name", study->figures[i].name);
        pl_text_add(out, ", ");
        add_member(out, "kind", pl_figure_kind_names[study->figures[i].kind]);
        pl_text_add_char(out, '}');
    }
    pl_text_add_char(out, ']');
}

static void print_json(const struct page *page)
{
    struct pl_text out = {0};
    pl_text_add_char(&out, '{');
    add_member(&out, "study", page->name);
    pl_text_add(&out, ", ");
    add_member(&out, "spec", page->path);
    pl_text_add(&out, ", ");
    add_member(&out, "description", page->study ? page->study->description : NULL);
    pl_text_addf(&out, ",\n \"started\": %.3f, \"runs\": {\"all\": %lld", page->started, (long long)page->runs);
    for (int i = 0; i < PL_STATUS_COUNT; i++)
        pl_text_addf(&out, ", \"%s\": %lld", pl_status_name((enum pl_status)i), (long long)page->counts[i]);
    pl_text_add_char(&out, '}');
    if (page->study && page->study->search) {
        pl_text_add(&out, ",\n \"search\": ");
        add_json_search(&out, page->study->search);
    }
    if (page->choice)
        add_json_best(&out, page);
    if (page->study)
        add_json_declared(&out, page->study);
    pl_text_add(&out, "}\n");
    fputs(pl_text(&out), stdout);
    pl_text_release(&out);
}

int pl_show_study(const struct pl_args *args, const char *name)
{
    struct pl_store *store;
    struct page page = {0};
    struct pl_error err;
    pl_cmd_collect(args);
    int code = pl_cmd_open(args, &store);
    if (code)
        return code;
    if (read_page(store, name, &page, &err))
        code = pl_cmd_fail(args, &err);
    else if (!strcmp(pl_args_get(args, "format", "text"), "json"))
        print_json(&page);
    else {
        print_page(&page);
        code = print_working(args, store, &page);
    }
    release_page(&page);
    pl_store_close(store);
    return code;
}
