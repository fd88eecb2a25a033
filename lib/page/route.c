/* From a request to a page. */
#include "page_priv.h"

#include <stdlib.h>
#include <string.h>

static const struct pl_page_view *const views[] = {&pl_view_overview, &pl_view_runs, &pl_view_sql,
                                                   &pl_view_study,    &pl_view_run,  &pl_view_compare};
enum { VIEWS = sizeof views / sizeof *views };

const char *pl_visit_nth(const struct pl_visit *visit, const char *name, size_t index)
{
    for (size_t i = 0; i < visit->count; i++)
        if (!strcmp(visit->names[i], name) && visit->values[i][0] && !index--)
            return visit->values[i];
    return NULL;
}

const char *pl_visit_get(const struct pl_visit *visit, const char *name)
{
    return pl_visit_nth(visit, name, 0);
}

void pl_page_field(struct pl_text *address, const char *name, const char *value)
{
    pl_text_addf(address, "%s%s=", strchr(pl_text(address), '?') ? "&amp;" : "?", name);
    for (const unsigned char *c = (const unsigned char *)value; *c; c++)
        if ((*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z') || strchr("-._~", *c))
            pl_text_add_char(address, (char)*c);
        else
            pl_text_addf(address, "%%%02X", *c);
}

void pl_page_run_link(struct pl_text *out, int64_t run)
{
    pl_text_addf(out, "<a href=\"run?id=%lld\">%lld</a>", (long long)run, (long long)run);
}

void pl_page_study_link(struct pl_text *out, const char *study)
{
    struct pl_text address = {0};
    pl_text_add(&address, "study");
    pl_page_field(&address, "name", study);
    pl_text_addf(out, "<a href=\"%s\">", pl_text(&address));
    pl_html(out, "", study, "</a>");
    pl_text_release(&address);
}

static void write_navigation(const struct pl_page_view *here, struct pl_text *out)
{
    pl_text_add(out, "<nav class=\"top\" aria-label=\"Pages\"><strong>poula</strong>");
    for (size_t i = 0; i < VIEWS; i++) {
        if (!views[i]->listed)
            continue;
        pl_html(out, " <a href=\"", views[i]->path[0] ? views[i]->path : "./", "\"");
        pl_html(out, views[i] == here ? " aria-current=\"page\">" : ">", views[i]->title, "</a>");
    }
    pl_text_add(out, "<span id=\"state\" class=\"soft\" role=\"status\"></span></nav>\n");
}

/* What lives. A page whose body fails says why, and goes on looking. */
static void write_body(struct pl_visit *visit, const struct pl_page_view *view, struct pl_text *out)
{
    struct pl_error err = {0};
    size_t before = out->length;
    if (visit->trouble)
        pl_page_message(out, visit->trouble);
    if (visit->trouble || !view->body || !view->body(visit, out, &err))
        return;
    pl_text_cut(out, before);
    pl_page_message(out, err.text);
}

static void write_page(struct pl_visit *visit, const struct pl_page_view *view, struct pl_text *out)
{
    struct pl_error err = {0};
    pl_html(out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
            view->title,
            " – poula</title>\n<link rel=\"stylesheet\" href=\"page.css\">\n<script src=\"page.js\" defer></script>\n"
            "<script src=\"live.js\" defer></script>\n</head>\n<body>\n<a class=\"skip\" href=\"#live\">To the "
            "results</a>\n");
    write_navigation(view, out);
    pl_text_add(out, "<main>\n");
    if (view->form && !visit->trouble) {
        size_t before = out->length;
        if (view->form(visit, out, &err)) {
            pl_text_cut(out, before);
            pl_page_message(out, err.text);
        }
    }
    pl_text_addf(out, "<div id=\"%s\" data-version=\"%lld\">\n", view == &pl_view_sql ? "answer" : "live",
                 (long long)visit->version);
    write_body(visit, view, out);
    pl_text_add(out, "</div>\n</main>\n</body>\n</html>\n");
}

static bool answer_asset(struct pl_visit *visit, struct pl_text *out)
{
    static const struct {
        const char *path, *type;
    } assets[] = {{"page.css", "text/css; charset=utf-8"},
                  {"page.js", "text/javascript; charset=utf-8"},
                  {"live.js", "text/javascript; charset=utf-8"}};
    for (size_t i = 0; i < sizeof assets / sizeof *assets; i++)
        if (!strcmp(assets[i].path, visit->path)) {
            visit->type = assets[i].type;
            pl_asset_add((enum pl_asset)i, out);
            return true;
        }
    return false;
}

void pl_visit_answer(struct pl_visit *visit, struct pl_text *out)
{
    visit->found = true;
    if (answer_asset(visit, out))
        return;
    if (!strcmp(visit->path, "version")) {
        visit->type = "text/plain; charset=utf-8";
        pl_text_addf(out, "%lld", (long long)visit->version);
        return;
    }
    visit->type = "text/html; charset=utf-8";
    for (size_t i = 0; i < VIEWS; i++)
        if (!strcmp(views[i]->path, visit->path)) {
            if (visit->part)
                write_body(visit, views[i], out);
            else
                write_page(visit, views[i], out);
            return;
        }
    visit->found = false;
    visit->type = "text/plain; charset=utf-8";
    pl_text_add(out, "There is no such page.\n");
}
