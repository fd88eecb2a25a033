/* Style and scripts, and the small pieces that all pages are made of. */
#include "page_priv.h"

#include "assets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONG_TEXT = 24 }; /* a narrow column may cut it: the pointer shows it */

void pl_asset_add(enum pl_asset asset, struct pl_text *out)
{
#define LINES(list)                                                                                                    \
    {                                                                                                                  \
        list, sizeof(list) / sizeof *(list)                                                                            \
    }
    static const struct {
        const char *const *lines;
        size_t count;
    } assets[] = {LINES(pl_asset_page_css), LINES(pl_asset_page_js), LINES(pl_asset_live_js)};
#undef LINES
    for (size_t i = 0; i < assets[asset].count; i++)
        pl_text_addf(out, "%s\n", assets[asset].lines[i]);
}

void pl_page_fact(struct pl_text *out, const char *name, const char *value)
{
    if (value && *value)
        pl_html(out, "<dt>", name, "</dt><dd>", value, "</dd>\n");
}

void pl_page_cell(struct pl_text *out, const struct pl_cell *cell)
{
    struct pl_text full = {0};
    char rounded[40];
    switch (cell->kind) {
    case PL_CELL_NULL:
        pl_text_add(out, "<td></td>");
        return;
    case PL_CELL_INTEGER:
        pl_text_addf(out, "<td class=\"n\">%lld</td>", (long long)cell->integer);
        return;
    case PL_CELL_REAL:
        pl_text_add_number(&full, cell->real);
        snprintf(rounded, sizeof rounded, "%.6g", cell->real);
        pl_text_addf(out, "<td class=\"n\" data-value=\"%s\" title=\"%s\">%s</td>", pl_text(&full), pl_text(&full),
                     strlen(pl_text(&full)) < strlen(rounded) ? pl_text(&full) : rounded);
        pl_text_release(&full);
        return;
    case PL_CELL_TEXT:
    case PL_CELL_BLOB:
        if (strlen(cell->text) > LONG_TEXT)
            pl_html(out, "<td title=\"", cell->text, "\">", cell->text, "</td>");
        else
            pl_html(out, "<td>", cell->text, "</td>");
        return;
    }
}

void pl_page_head(struct pl_text *out, const char *caption, const char *const *names, size_t count)
{
    pl_html(out, "<div class=\"scroll\"><table>\n<caption>", caption, "</caption>\n<thead><tr>");
    for (size_t i = 0; i < count; i++)
        pl_html(out, "<th scope=\"col\">", names[i], "</th>");
    pl_text_add(out, "</tr></thead>\n<tbody>\n");
}

void pl_page_tail(struct pl_text *out)
{
    pl_text_add(out, "</tbody></table></div>\n");
}

void pl_page_progress(struct pl_text *out, const struct pl_page_counts *c)
{
    const struct {
        const char *class, *word;
        int64_t count;
    } parts[] = {{"done", "finished", c->finished},
                 {"lost", "diverged", c->diverged},
                 {"fail", "failed", c->failed},
                 {"work", "at work", c->working},
                 {"rest", "waiting", c->waiting}};
    double runs = c->runs ? (double)c->runs : 1, x = 0;
    struct pl_text words = {0};
    pl_text_addf(&words, "%lld run%s", (long long)c->runs, c->runs == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count)
            pl_text_addf(&words, ", %lld %s", (long long)parts[i].count, parts[i].word);
    pl_html(out,
            "<svg class=\"progress\" viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"",
            pl_text(&words), "\">");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double width = 100 * (double)parts[i].count / runs;
        if (parts[i].count)
            pl_text_addf(out, "<rect class=\"%s\" x=\"%.3f\" width=\"%.3f\" height=\"4\"/>", parts[i].class, x, width);
        x += width;
    }
    pl_html(out, "</svg><p class=\"note\">", pl_text(&words), "</p>");
    pl_text_release(&words);
}

void pl_page_duration(struct pl_text *out, double seconds)
{
    long long whole = seconds > 0 && seconds < 1e12 ? (long long)ceil(seconds) : 0;
    if (whole >= 24 * 3600)
        pl_text_addf(out, "%lld d %lld h", whole / (24 * 3600), whole / 3600 % 24);
    else if (whole >= 3600)
        pl_text_addf(out, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
    else
        pl_text_addf(out, "%lld:%02lld", whole / 60, whole % 60);
}

void pl_page_message(struct pl_text *out, const char *text)
{
    pl_html(out, "<p class=\"message\" role=\"alert\">", text, "</p>\n");
}
