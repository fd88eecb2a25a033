/* The box for SQL, and the views that it may ask. */
#include "page_priv.h"

#include <stdio.h>
#include <stdlib.h>

static const struct pl_query_guard limits = {.seconds = 5, .rows = 10000, .bytes = 8 << 20};

static int take_view(void *self, const struct pl_cell *cells, size_t count)
{
    (void)count;
    pl_html(self, "<dt><code>", cells[0].text, "</code></dt><dd>", cells[1].text, "</dd>\n");
    return 0;
}

static int write_form(struct pl_visit *visit, struct pl_text *out, struct pl_error *err)
{
    const char *asked = pl_visit_get(visit, "q");
    pl_text_add(out,
                "<h1>SQL</h1>\n<form action=\"sql\" method=\"get\">\n<label for=\"q\">A query of the views, as in "
                "<code>poula query</code></label>\n<textarea id=\"q\" name=\"q\" rows=\"6\" spellcheck=\"false\">\n");
    pl_escape_html_lines(out, asked ? asked : PL_STORE_EXAMPLE);
    pl_text_addf(
        out,
        "</textarea>\n<button>Ask</button>\n<p class=\"note\">It may only select, for %g s at most, and gives %zu "
        "rows at most.</p>\n</form>\n<details%s><summary>Views and their columns</summary><dl class=\"facts\">\n",
        limits.seconds, limits.rows, asked ? "" : " open");
    int status = pl_store_ask(visit->store, PL_ASK_VIEWS, 0, take_view, out, err);
    pl_text_add(out, "</dl></details>\n");
    return status;
}

static int write_answer(struct pl_visit *visit, struct pl_text *out, struct pl_error *err)
{
    const char *asked = pl_visit_get(visit, "q");
    struct pl_query_guard guard = limits;
    char *text = NULL;
    size_t length = 0;
    if (!asked)
        return 0;
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        return pl_fail(err, PL_EIO, "There is no memory for the answer.");
    struct pl_rows *rows = pl_rows_new(memory, pl_format_html.rows);
    double begun = pl_clock_steady();
    int status = pl_store_query_guarded(visit->store, asked, &guard, pl_rows_head, pl_rows_row, rows, err);
    double took = pl_clock_steady() - begun;
    pl_rows_end(rows);
    fclose(memory);
    if (!status) {
        pl_text_addf(out, "<p class=\"note\">%zu row%s in %.2g s%s</p>\n<div class=\"scroll\">",
                     limits.rows - guard.rows, limits.rows - guard.rows == 1 ? "" : "s", took,
                     guard.cut ? "; there are more, which are not shown" : "");
        pl_text_add_bytes(out, text, length);
        pl_text_add(out, "</div>\n");
    }
    free(text);
    return status;
}

const struct pl_page_view pl_view_sql = {
    .path = "sql", .title = "SQL", .listed = true, .form = write_form, .body = write_answer};
