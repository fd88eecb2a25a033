/* HTML: tables as elements, for a page. Sorting goes by data-value, which has the number in full. */
#include "print/html.h"
#include "report/format_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_notes(const struct pl_text *notes, struct pl_text *out)
{
    for (const char *line = pl_text(notes); *line;) {
        size_t length = strcspn(line, "\n");
        char *sentence = pl_copy_bytes(line, length);
        pl_html(out, "<p class=\"note\">", sentence, "</p>\n");
        free(sentence);
        line += length + (line[length] == '\n');
    }
}

/* ---- tables ---- */

static void add_label(const struct pl_label *label, const char *before, struct pl_text *out)
{
    struct pl_text text = {0};
    pl_label_write(label, &text);
    pl_html(out, before, pl_text(&text), "</th>");
    pl_text_release(&text);
}

/* One heading row for each column setting; equal neighbours share a heading. */
static void add_heading_row(const struct pl_table *table, size_t key, struct pl_text *out)
{
    bool last = key + 1 == table->column_key_count;
    pl_text_add(out, "<tr>");
    for (size_t k = 0; k < table->row_key_count; k++)
        if (last)
            pl_html(out, "<th scope=\"col\">", pl_table_shown(table, table->row_keys[k]), "</th>");
        else
            pl_text_add(out, "<td></td>");
    for (size_t c = 0, span; c < table->column_count; c += span) {
        struct pl_text text = {0};
        for (span = 1; !last && c + span < table->column_count && pl_table_same_above(table, c, c + span, key); span++)
            ;
        pl_text_addf(&text, "%s=", pl_table_shown(table, table->column_keys[key]));
        pl_label_write(&table->columns[c * table->column_key_count + key], &text);
        if (span > 1)
            pl_text_addf(out, "<th scope=\"colgroup\" colspan=\"%zu\">", span);
        else
            pl_text_add(out, "<th scope=\"col\" class=\"n\">");
        pl_html(out, "", pl_text(&text), "</th>");
        pl_text_release(&text);
    }
    pl_text_add(out, "</tr>\n");
}

static void add_value_heading(const struct pl_table *table, struct pl_text *out)
{
    struct pl_text heading = {0};
    pl_text_add(out, "<tr>");
    for (size_t k = 0; k < table->row_key_count; k++)
        pl_html(out, "<th scope=\"col\">", pl_table_shown(table, table->row_keys[k]), "</th>");
    pl_table_value_heading(table, &heading);
    pl_html(out, "<th scope=\"col\" class=\"n\">", pl_text(&heading), "</th></tr>\n");
    pl_text_release(&heading);
}

static void add_cell(const struct pl_table *table, const struct pl_table_cell *cell, struct pl_text *out)
{
    struct pl_text number = {0}, notes = {0};
    double value = cell->present ? pl_table_cell_value(table, cell) : NAN;
    const char *tag = cell->best ? "b" : cell->alike ? "u" : NULL;
    pl_table_cell_number(table, cell, &number);
    pl_table_cell_notes(cell, &notes);
    pl_text_add(out, cell->best ? "<td class=\"n best\" data-value=\"" : "<td class=\"n\" data-value=\"");
    pl_finite_add(out, value, "");
    pl_text_add(out, "\">");
    if (number.length && tag)
        pl_text_addf(out, "<%s title=\"%s\">%s</%s>", tag,
                     cell->best ? "the best of its task" : "cannot be told from the best", pl_text(&number), tag);
    else
        pl_text_add(out, pl_text(&number));
    pl_html(out, number.length && notes.length ? " " : "", pl_text(&notes), "</td>");
    pl_text_release(&number);
    pl_text_release(&notes);
}

static void write_table(const struct pl_table *table, struct pl_text *out)
{
    struct pl_text caption = {0};
    pl_table_caption(table, &caption);
    pl_html(out, "<table>\n<caption>", pl_text(&caption), "</caption>\n<thead>\n");
    for (size_t k = 0; k < table->column_key_count; k++)
        add_heading_row(table, k, out);
    if (!table->column_key_count)
        add_value_heading(table, out);
    pl_text_add(out, "</thead>\n<tbody>\n");
    for (size_t r = 0; r < table->row_count; r++) {
        pl_text_add(out, "<tr>");
        for (size_t k = 0; k < table->row_key_count; k++)
            add_label(&table->rows[r * table->row_key_count + k], "<th scope=\"row\">", out);
        for (size_t c = 0; c < table->column_count; c++)
            add_cell(table, &table->cells[r * table->column_count + c], out);
        pl_text_add(out, "</tr>\n");
    }
    pl_text_add(out, "</tbody>\n</table>\n");
    add_notes(&table->notes, out);
    pl_text_release(&caption);
}

/* ---- comparisons and listings: lines under one row of headings ---- */

static void open_lines(const char *caption, const char *const *names, size_t count, size_t left, struct pl_text *out)
{
    pl_html(out, "<table>\n<caption>", caption, "</caption>\n<thead>\n<tr>");
    for (size_t k = 0; k < count; k++)
        pl_html(out, k < left ? "<th scope=\"col\">" : "<th scope=\"col\" class=\"n\">", names[k], "</th>");
    pl_text_add(out, "</tr>\n</thead>\n<tbody>\n");
}

static void write_comparison(const struct pl_comparison *c, struct pl_text *out)
{
    struct pl_text caption = {0}, notes = {0};
    pl_compared_caption(c, &caption);
    pl_compared_notes(c, &notes);
    open_lines(pl_text(&caption), pl_compared_headings, PL_COMPARED_COLUMNS, 2, out);
    for (size_t i = 0; i < pl_compared_count(c); i++) {
        char *texts[PL_COMPARED_COLUMNS];
        pl_compared_line(c, i, texts);
        pl_text_add(out, "<tr>");
        for (size_t k = 0; k < PL_COMPARED_COLUMNS; k++) {
            if (k < 2)
                pl_html(out, "<th scope=\"row\">", texts[k], "</th>");
            else
                pl_html(out, "<td class=\"n\">", texts[k], "</td>");
            free(texts[k]);
        }
        pl_text_add(out, "</tr>\n");
    }
    pl_text_add(out, "</tbody>\n</table>\n");
    add_notes(&notes, out);
    pl_text_release(&caption);
    pl_text_release(&notes);
}

static void write_listing(const struct pl_listing *l, struct pl_text *out)
{
    open_lines(pl_text(&l->caption), l->names, l->shown, l->left, out);
    for (size_t i = 0; i < l->count; i++) {
        size_t k = i % l->columns;
        const struct pl_cell *cell = &l->cells[i].cell;
        bool text = k < l->left;
        if (k >= l->shown)
            continue;
        pl_text_add(out, k ? "" : "<tr>");
        pl_html(out, text ? "<th scope=\"row\">" : "<td class=\"n\" data-value=\"",
                text ? l->cells[i].shown : cell->text, text ? "</th>" : "\">", text ? "" : l->cells[i].shown,
                text ? "" : "</td>");
        pl_text_add(out, k + 1 < l->shown ? "" : "</tr>\n");
    }
    pl_text_add(out, "</tbody>\n</table>\n");
    add_notes(&l->notes, out);
}

/* ---- rows ---- */

static void add_row_cell(const struct pl_cell *cell, struct pl_text *out)
{
    if (cell->kind == PL_CELL_NULL)
        pl_text_add(out, "<i>NULL</i>");
    else
        pl_print_cell(cell, pl_escape_html, out);
}

static void add_head(const struct pl_row_columns *c, struct pl_text *out)
{
    pl_text_add(out, "<table>\n<thead>\n<tr>");
    for (size_t i = 0; i < c->count; i++)
        pl_text_addf(out, "<th scope=\"col\"%s>%s</th>", c->right[i] ? " class=\"n\"" : "", c->names[i]);
    pl_text_add(out, "</tr>\n</thead>\n<tbody>\n");
}

static void add_row(const struct pl_row_columns *c, const char *const *cells, size_t index, struct pl_text *out)
{
    (void)index;
    pl_text_add(out, "<tr>");
    for (size_t i = 0; i < c->count; i++)
        pl_text_addf(out, "<td%s>%s</td>", c->right[i] ? " class=\"n\"" : "", cells[i]);
    pl_text_add(out, "</tr>\n");
}

static void add_tail(const struct pl_row_columns *c, size_t rows, struct pl_text *out)
{
    (void)c, (void)rows;
    pl_text_add(out, "</tbody>\n</table>\n");
}

static const struct pl_rows_type rows = PL_ROWS(NULL, PL_ROWS_MEASURED, false, add_row_cell, add_head, add_row,
                                                add_tail);

PL_FORMAT(html, &rows, write_table, write_comparison, write_listing, PL_FRAME("", "\n", ""), PL_FRAME("", "\n", ""));
