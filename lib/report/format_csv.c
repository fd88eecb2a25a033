/* CSV: one record per cell, full precision, nothing rounded. */
#include "report/format_priv.h"

#include <stdlib.h>
#include <string.h>

static void add_labels(struct pl_text *out, const struct pl_label *labels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct pl_text value = {0};
        if (labels[i].present)
            pl_value_write(&labels[i].value, &value);
        pl_escape_csv(out, pl_text(&value));
        pl_text_add_char(out, ',');
        pl_text_release(&value);
    }
}

/* A setting that is called as one of the columns of every table has setting_ before its name, as in the views. */
static void add_key(struct pl_text *out, const char *key)
{
    static const char
        others[] = "study metric select selected_by selected_on criterion mean std median min max n planned"
                   " diverged failed missing best sem ci95 running stopped never p adjusted_p alike";
    pl_text_add(out, pl_has_word(others, key) ? "setting_" : "");
    pl_escape_csv(out, key);
    pl_text_add_char(out, ',');
}

static void add_selection_head(struct pl_text *out, const struct pl_table_selection *selection)
{
    for (size_t k = 0; k < selection->over_count; k++)
        add_key(out, selection->over[k]);
    if (selection->best)
        pl_text_add(out, "selected_by,selected_on,criterion,");
}

static void add_selection(struct pl_text *out, const struct pl_table *table, size_t cell)
{
    const struct pl_table_selection *selection = &table->selection;
    if (!selection->best)
        return;
    add_labels(out, &selection->chosen[cell * selection->over_count], selection->over_count);
    struct pl_text by = {0};
    pl_text_addf(&by, "%s %s", pl_select_names[selection->select], selection->metric);
    pl_escape_csv(out, pl_text(&by));
    pl_text_release(&by);
    pl_text_addf(out, ",%s,", pl_selection_set(table) ? pl_selection_set(table) : "");
    pl_finite_add(out, table->cells[cell].criterion, "");
    pl_text_add_char(out, ',');
}

static void write_table(const struct pl_table *table, struct pl_text *out)
{
    pl_text_add(out, "study,metric,select,");
    for (size_t k = 0; k < table->row_key_count; k++)
        add_key(out, table->row_keys[k]);
    for (size_t k = 0; k < table->column_key_count; k++)
        add_key(out, table->column_keys[k]);
    add_selection_head(out, &table->selection);
    pl_text_addf(out, "mean,std,median,min,max,n,planned,diverged,failed,missing,best%s%s%s%s%s\n",
                 pl_table_spread_column(table), table->works ? ",running" : "", table->stops ? ",stopped" : "",
                 table->timed ? ",never" : "", table->compare.wanted ? ",p,adjusted_p,alike" : "");
    for (size_t i = 0; i < table->row_count * table->column_count; i++) {
        const struct pl_table_cell *cell = &table->cells[i];
        const struct pl_summary *s = &cell->summary;
        if (!cell->present)
            continue;
        pl_escape_csv(out, table->study);
        pl_text_add_char(out, ',');
        pl_escape_csv(out, table->metric);
        pl_text_addf(out, ",%s,", pl_select_names[table->select]);
        add_labels(out, &table->rows[i / table->column_count * table->row_key_count], table->row_key_count);
        add_labels(out, &table->columns[i % table->column_count * table->column_key_count], table->column_key_count);
        add_selection(out, table, i);
        const double numbers[] = {s->mean, s->deviation, s->median, s->least, s->most};
        for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++) {
            pl_finite_add(out, numbers[j], "");
            pl_text_add_char(out, ',');
        }
        pl_text_addf(out, "%lld,%lld,%lld,%lld,%lld,%d", (long long)s->n, (long long)s->planned, (long long)s->diverged,
                     (long long)s->failed, (long long)s->missing, cell->best);
        if (*pl_table_spread_column(table)) {
            pl_text_add_char(out, ',');
            pl_finite_add(out, pl_table_cell_spread(table, cell), "");
        }
        if (table->works)
            pl_text_addf(out, ",%lld", (long long)s->working);
        if (table->stops)
            pl_text_addf(out, ",%lld", (long long)s->stopped);
        if (table->timed)
            pl_text_addf(out, ",%lld", (long long)s->never);
        if (table->compare.wanted) {
            pl_text_add_char(out, ',');
            pl_finite_add(out, cell->p, "");
            pl_text_add_char(out, ',');
            pl_finite_add(out, cell->adjusted, "");
            pl_text_addf(out, ",%d", cell->alike);
        }
        pl_text_add_char(out, '\n');
    }
}

static void write_comparison(const struct pl_comparison *c, struct pl_text *out)
{
    pl_text_add(out,
                "study,table,metric,select,row,column,mean,std,n,published_mean,published_std,published_n,difference,"
                "low,high,freedom,level,verdict,kendall,same_order,other_settings\n");
    for (size_t i = 0; i < pl_compared_count(c); i++) {
        const struct pl_compared_cell *cell = &c->cells[i];
        const char *const words[] = {c->study,
                                     c->published->name,
                                     c->metric,
                                     pl_select_names[c->select],
                                     pl_compared_row(c, i),
                                     pl_compared_column(c, i)};
        for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
            pl_escape_csv(out, words[k]);
            pl_text_add_char(out, ',');
        }
        const double numbers[] = {cell->ours.mean,
                                  cell->ours.deviation,
                                  (double)cell->ours.n,
                                  cell->theirs.mean,
                                  cell->theirs.deviation,
                                  (double)cell->theirs.n,
                                  cell->interval.difference,
                                  cell->interval.low,
                                  cell->interval.high,
                                  cell->interval.freedom,
                                  c->level};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            pl_finite_add(out, numbers[k], "");
            pl_text_add_char(out, ',');
        }
        pl_text_addf(out, "%s,", cell->verdict == PL_ALIKE ? "alike" : pl_verdict_name(cell->verdict));
        pl_finite_add(out, pl_agreement_of(c, i)->tau, "");
        pl_text_add_char(out, ',');
        pl_finite_add(out, pl_agreement_of(c, i)->share, "");
        pl_text_add(out, cell->other ? ",true\n" : ",false\n");
    }
}

static void write_listing(const struct pl_listing *l, struct pl_text *out)
{
    pl_text_add(out, "study");
    for (size_t k = 0; k < l->columns; k++) {
        pl_text_add_char(out, ',');
        pl_escape_csv(out, l->names[k]);
    }
    for (size_t i = 0; i < l->count; i++) {
        if (i % l->columns == 0) {
            pl_text_add_char(out, '\n');
            pl_escape_csv(out, l->study);
        }
        pl_text_add_char(out, ',');
        pl_escape_csv(out, l->cells[i].cell.text);
    }
    pl_text_add_char(out, '\n');
}

/* ---- rows ---- */

static void add_cell(const struct pl_cell *cell, struct pl_text *out)
{
    if (cell->kind == PL_CELL_NULL)
        return;
    if ((cell->kind == PL_CELL_TEXT || cell->kind == PL_CELL_BLOB) && !*cell->text)
        pl_text_add(out, "\"\""); /* no text, which is not NULL */
    else
        pl_print_cell(cell, pl_escape_csv, out);
}

static void add_row(const struct pl_row_columns *c, const char *const *cells, size_t index, struct pl_text *out)
{
    (void)index;
    for (size_t i = 0; i < c->count; i++) {
        pl_text_add(out, i ? "," : "");
        pl_text_add(out, cells[i]);
    }
    pl_text_add_char(out, '\n');
}

static void add_head(const struct pl_row_columns *c, struct pl_text *out)
{
    add_row(c, (const char *const *)c->names, 0, out);
}

static void add_tail(const struct pl_row_columns *c, size_t rows, struct pl_text *out)
{
    (void)c;
    (void)rows;
    (void)out;
}

static const struct pl_rows_type rows = PL_ROWS(NULL, 0, false, add_cell, add_head, add_row, add_tail);

PL_FORMAT(csv, &rows, write_table, write_comparison, write_listing, PL_FRAME("", "\n", ""), PL_FRAME("", "\n", ""));
