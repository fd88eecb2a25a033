/* Runs as a table: filtered and sorted by the database, a page at a time. */
#include "page_priv.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_ROWS = 100, MOST_METRICS = 8, MOST_SETTINGS = 16, FIRST_METRICS = 2 };

/* What the address asks. */
struct asked {
    struct pl_runs_query query;
    struct pl_condition *where;
    size_t where_count;
    const char *metrics[MOST_METRICS];
    struct pl_names recorded, settings;
    int64_t page; /* from 1 */
};

static void release(struct asked *asked)
{
    pl_where_free(asked->where, asked->where_count);
    pl_names_release(&asked->recorded);
    pl_names_release(&asked->settings);
}

/* Conditions between semicolons or, where there is none, between blanks; blanks around their signs do not part them. */
static int read_filter(const char *text, struct asked *asked, struct pl_error *err)
{
    bool semicolons = strchr(text, ';');
    for (const char *c = text; *c;) {
        struct pl_text one = {0};
        for (; *c && *c != ';'; c++) {
            const char *next = c + strspn(c, " \t\r\n");
            bool blank = next != c, sign = one.length && strchr("=<>!,", one.text[one.length - 1]);
            if (blank && !semicolons && one.length && !sign && *next && !strchr("=<>!,;", *next))
                break;
            if (!blank)
                pl_text_add_char(&one, *c);
            else if (semicolons && one.length && *next && *next != ';')
                pl_text_add_char(&one, ' ');
            c = blank ? next - 1 : c;
        }
        c += *c != '\0';
        bool good = !one.length || pl_where_read(pl_text(&one), &asked->where, &asked->where_count);
        int status = good
                         ? 0
                         : pl_fail(err, PL_EINPUT,
                                   "The filter \"%s\" is not understood: it must be like lambda=0.1, "
                                   "model=vgg11,resnet34, lambda<0.01, lambda=0.1..1 or status!=finished; several have "
                                   "semicolons or blanks between them.",
                                   pl_text(&one));
        pl_text_release(&one);
        if (status)
            return status;
    }
    return 0;
}

/* The metrics that are asked for, or the first ones where nobody has chosen. */
static int read_metrics(const struct pl_visit *visit, struct asked *asked, struct pl_error *err)
{
    struct pl_runs_query *query = &asked->query;
    const char *metric;
    int status = pl_store_recorded(visit->store, &asked->recorded, err);
    for (size_t i = 0; query->metric_count < MOST_METRICS && (metric = pl_visit_nth(visit, "metric", i)); i++)
        asked->metrics[query->metric_count++] = metric;
    bool usual = !pl_visit_get(visit, "chosen") && !query->metric_count;
    for (size_t i = 0; usual && i < FIRST_METRICS && i < asked->recorded.count; i++)
        asked->metrics[query->metric_count++] = asked->recorded.names[i];
    query->metrics = asked->metrics;
    return status;
}

static int read_asked(const struct pl_visit *visit, struct asked *asked, struct pl_error *err)
{
    const char *where = pl_visit_get(visit, "where"), *page = pl_visit_get(visit, "page");
    struct pl_runs_query *query = &asked->query;
    query->study = pl_visit_get(visit, "study");
    query->sort = pl_visit_get(visit, "sort");
    query->down = pl_visit_get(visit, "down") != NULL;
    int status = read_metrics(visit, asked, err);
    if (!status)
        status = pl_store_telling(visit->store, query->study, &asked->settings, err);
    query->settings = (const char *const *)asked->settings.names;
    query->setting_count = asked->settings.count < MOST_SETTINGS ? asked->settings.count : MOST_SETTINGS;
    if (!status && where)
        status = read_filter(where, asked, err);
    query->where = asked->where;
    query->where_count = asked->where_count;
    if (!page || !pl_integer_read(page, &asked->page) || asked->page < 1 || asked->page > 10000000)
        asked->page = 1;
    query->first = (asked->page - 1) * PAGE_ROWS;
    query->most = PAGE_ROWS;
    return status;
}

/* The address of this page with another sorting, or another page of the table. */
static void add_address(const struct pl_visit *visit, const char *sort, bool down, int64_t page, struct pl_text *out)
{
    static const char *const kept[] = {"study", "where", "chosen"};
    struct pl_text number = {0};
    const char *metric;
    pl_text_add(out, "runs");
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (pl_visit_get(visit, kept[i]))
            pl_page_field(out, kept[i], pl_visit_get(visit, kept[i]));
    for (size_t i = 0; (metric = pl_visit_nth(visit, "metric", i)); i++)
        pl_page_field(out, "metric", metric);
    if (sort)
        pl_page_field(out, "sort", sort);
    if (sort && down)
        pl_page_field(out, "down", "1");
    pl_text_addf(&number, "%lld", (long long)page);
    if (page > 1)
        pl_page_field(out, "page", pl_text(&number));
    pl_text_release(&number);
}

/* ---- the table ---- */

struct writing {
    const struct pl_visit *visit;
    const struct asked *asked;
    struct pl_text *out;
    size_t columns, status; /* which column says how it ended */
};

/* A heading sorts; once more, the other way. What is better when it is more begins with the most. */
static void add_heading(const struct writing *w, const char *name)
{
    const struct pl_runs_query *query = &w->asked->query;
    bool sorted = query->sort && !strcmp(query->sort, name), down = sorted && !query->down;
    for (size_t i = 0; i < query->metric_count && !sorted; i++)
        down |= !strcmp(query->metrics[i], name) && pl_train_direction(name) == PL_MAXIMIZE;
    struct pl_text address = {0};
    add_address(w->visit, name, down, 1, &address);
    pl_html(w->out, "<th scope=\"col\"", "",
            sorted ? query->down ? " aria-sort=\"descending\"" : " aria-sort=\"ascending\"" : "");
    pl_text_addf(w->out, "><a href=\"%s\"%s>", pl_text(&address),
                 !sorted       ? ""
                 : query->down ? " class=\"down\""
                               : " class=\"up\"");
    pl_html(w->out, "", name, "</a></th>");
    pl_text_release(&address);
}

static int take_head(void *self, const char *const *names, size_t count)
{
    struct writing *w = self;
    w->columns = count;
    pl_text_add(w->out, "<div class=\"scroll\"><table class=\"paged brief\">\n<caption>Runs</caption>\n<thead><tr><th "
                        "scope=\"col\"><span title=\"to compare\">✓</span></th>");
    for (size_t i = 0; i < count; i++)
        add_heading(w, names[i]);
    pl_text_add(w->out, "</tr></thead>\n<tbody>\n");
    return 0;
}

static int take_row(void *self, const struct pl_cell *cells, size_t count)
{
    struct writing *w = self;
    long long run = (long long)cells[0].integer;
    pl_text_addf(w->out,
                 "<tr><td><input type=\"checkbox\" name=\"run\" value=\"%lld\" aria-label=\"compare run %lld\"></td>"
                 "<th scope=\"row\">",
                 run, run);
    pl_page_run_link(w->out, cells[0].integer);
    pl_html(w->out, "</th><td class=\"", cells[1].text, "\">", cells[1].text, "</td>");
    for (size_t i = 2; i < count; i++)
        pl_page_cell(w->out, &cells[i]);
    pl_text_add(w->out, "</tr>\n");
    return 0;
}

static void write_pages(const struct pl_visit *visit, const struct asked *asked, int64_t total, struct pl_text *out)
{
    const struct pl_runs_query *query = &asked->query;
    int64_t pages = (total + PAGE_ROWS - 1) / PAGE_ROWS;
    pl_text_addf(out, "<p class=\"pages\"><span>%lld run%s</span>", (long long)total, total == 1 ? "" : "s");
    if (pages > 1)
        pl_text_addf(out, "<span>page %lld of %lld</span>", (long long)asked->page, (long long)pages);
    for (int way = -1; way < 2; way += 2) {
        struct pl_text address = {0};
        int64_t to = asked->page + way;
        add_address(visit, query->sort, query->down, to, &address);
        if (to >= 1 && to <= pages)
            pl_text_addf(out, "<a href=\"%s\" rel=\"%s\">%s</a>", pl_text(&address), way < 0 ? "prev" : "next",
                         way < 0 ? "before" : "next");
        pl_text_release(&address);
    }
    pl_text_add(out, "</p>\n");
}

static int write_runs(struct pl_visit *visit, struct pl_text *out, struct pl_error *err)
{
    struct asked asked = {.where = NULL};
    struct pl_text table = {0};
    struct writing w = {.visit = visit, .asked = &asked, .out = &table};
    int64_t total = 0;
    int status = read_asked(visit, &asked, err);
    if (!status)
        status = pl_store_list_runs(visit->store, &asked.query, take_head, take_row, &w, &total, err);
    if (!status) {
        write_pages(visit, &asked, total, out);
        pl_text_add(out, "<form action=\"compare\" method=\"get\">\n");
        pl_text_add_bytes(out, pl_text(&table), table.length);
        pl_page_tail(out);
        pl_text_add(out, "<button>Compare those that are ticked</button>\n</form>\n");
    }
    pl_text_release(&table);
    release(&asked);
    return status;
}

/* ---- the form ---- */

struct options {
    struct pl_text *out;
    const char *chosen;
};

static int take_option(void *self, const struct pl_cell *cells, size_t count)
{
    struct options *options = self;
    (void)count;
    bool chosen = options->chosen && !strcmp(options->chosen, cells[0].text);
    pl_html(options->out, chosen ? "<option selected>" : "<option>", cells[0].text, "</option>\n");
    return 0;
}

static int write_form(struct pl_visit *visit, struct pl_text *out, struct pl_error *err)
{
    struct asked asked = {.where = NULL};
    struct options options = {out, pl_visit_get(visit, "study")};
    const char *sort = pl_visit_get(visit, "sort");
    int status = read_metrics(visit, &asked, err);
    if (status)
        return status;
    pl_html(out,
            "<h1>Runs</h1>\n<form class=\"filter\" action=\"runs\" method=\"get\">\n<label>Filter<br><input "
            "type=\"search\" "
            "name=\"where\" value=\"",
            pl_visit_get(visit, "where"),
            "\" placeholder=\"lambda&lt;0.1; optimizer=adam; status=finished\"></label>\n<label>Study<br><select "
            "name=\"study\"><option value=\"\">all</option>\n");
    status = pl_store_ask(visit->store, PL_ASK_STUDY_NAMES, 0, take_option, &options, err);
    pl_text_add(out, "</select></label>\n<input type=\"hidden\" name=\"chosen\" value=\"1\">\n");
    if (sort)
        pl_html(out, "<input type=\"hidden\" name=\"sort\" value=\"", sort, "\">\n");
    if (sort && pl_visit_get(visit, "down"))
        pl_text_add(out, "<input type=\"hidden\" name=\"down\" value=\"1\">\n");
    pl_text_add(out, "<details><summary>Metrics</summary>\n");
    for (size_t i = 0; i < asked.recorded.count; i++) {
        bool shown = false;
        for (size_t k = 0; k < asked.query.metric_count; k++)
            shown |= !strcmp(asked.metrics[k], asked.recorded.names[i]);
        pl_html(out, "<label><input type=\"checkbox\" name=\"metric\" value=\"", asked.recorded.names[i],
                shown ? "\" checked> " : "\"> ", asked.recorded.names[i], "</label>\n");
    }
    pl_text_add(out, "</details>\n<button>Show</button>\n</form>\n");
    release(&asked);
    return status;
}

const struct pl_page_view pl_view_runs = {
    .path = "runs", .title = "Runs", .listed = true, .form = write_form, .body = write_runs};
