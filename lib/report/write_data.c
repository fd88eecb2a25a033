/* Tables for programs: one record per cell, full precision, nothing rounded. */
#include "report/report_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_csv_labels(struct pl_text *out, const struct pl_label *labels, size_t count)
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

void pl_finite_add(struct pl_text *out, double value, const char *otherwise)
{
    if (isfinite(value))
        pl_text_add_number(out, value);
    else
        pl_text_add(out, otherwise);
}

static void add_csv_selection_head(struct pl_text *out, const struct pl_table_selection *selection)
{
    for (size_t k = 0; k < selection->over_count; k++) {
        pl_escape_csv(out, selection->over[k]);
        pl_text_add_char(out, ',');
    }
    if (selection->best)
        pl_text_add(out, "selected_by,selected_on,criterion,");
}

static void add_csv_selection(struct pl_text *out, const struct pl_table *table, size_t cell)
{
    const struct pl_table_selection *selection = &table->selection;
    if (!selection->best)
        return;
    add_csv_labels(out, &selection->chosen[cell * selection->over_count], selection->over_count);
    struct pl_text by = {0};
    pl_text_addf(&by, "%s %s", pl_select_names[selection->select], selection->metric);
    pl_escape_csv(out, pl_text(&by));
    pl_text_release(&by);
    pl_text_addf(out, ",%s,", pl_selection_set(table) ? pl_selection_set(table) : "");
    pl_finite_add(out, table->cells[cell].criterion, "");
    pl_text_add_char(out, ',');
}

void pl_table_write_csv(const struct pl_table *table, struct pl_text *out)
{
    pl_text_add(out, "study,metric,select,");
    for (size_t k = 0; k < table->row_key_count; k++) {
        pl_escape_csv(out, table->row_keys[k]);
        pl_text_add_char(out, ',');
    }
    for (size_t k = 0; k < table->column_key_count; k++) {
        pl_escape_csv(out, table->column_keys[k]);
        pl_text_add_char(out, ',');
    }
    add_csv_selection_head(out, &table->selection);
    pl_text_add(out, "mean,std,median,min,max,n,planned,diverged,failed,missing,best\n");
    for (size_t i = 0; i < table->row_count * table->column_count; i++) {
        const struct pl_table_cell *cell = &table->cells[i];
        const struct pl_summary *s = &cell->summary;
        if (!cell->present)
            continue;
        pl_escape_csv(out, table->study);
        pl_text_add_char(out, ',');
        pl_escape_csv(out, table->metric);
        pl_text_addf(out, ",%s,", pl_select_names[table->select]);
        add_csv_labels(out, &table->rows[i / table->column_count * table->row_key_count], table->row_key_count);
        add_csv_labels(out, &table->columns[i % table->column_count * table->column_key_count],
                       table->column_key_count);
        add_csv_selection(out, table, i);
        const double numbers[] = {s->mean, s->deviation, s->median, s->least, s->most};
        for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++) {
            pl_finite_add(out, numbers[j], "");
            pl_text_add_char(out, ',');
        }
        pl_text_addf(out, "%lld,%lld,%lld,%lld,%lld,%d\n", (long long)s->n, (long long)s->planned,
                     (long long)s->diverged, (long long)s->failed, (long long)s->missing, cell->best);
    }
}

static void add_json_value(struct pl_text *out, const struct pl_label *label)
{
    struct pl_text text = {0};
    if (label->present)
        pl_value_write(&label->value, &text);
    bool quoted = label->present && (label->value.type == PL_STRING ||
                                     (label->value.type == PL_REAL && !isfinite(label->value.real)));
    if (quoted)
        pl_escape_json(out, pl_text(&text));
    else
        pl_text_add(out, label->present ? pl_text(&text) : "null");
    pl_text_release(&text);
}

static void add_json_labels(struct pl_text *out, const char *const *keys, const struct pl_label *labels, size_t count,
                            bool *first)
{
    for (size_t i = 0; i < count; i++) {
        pl_text_add(out, *first ? "" : ", ");
        *first = false;
        pl_escape_json(out, keys[i]);
        pl_text_add(out, ": ");
        add_json_value(out, &labels[i]);
    }
}

static void add_json_names(struct pl_text *out, const char *key, const char *const *names, size_t count)
{
    pl_text_addf(out, "  \"%s\": [", key);
    for (size_t i = 0; i < count; i++) {
        pl_text_add(out, i ? ", " : "");
        pl_escape_json(out, names[i]);
    }
    pl_text_add(out, "],\n");
}

static void add_json_cell(const struct pl_table *table, size_t i, struct pl_text *out)
{
    const struct pl_table_cell *cell = &table->cells[i];
    const struct pl_summary *s = &cell->summary;
    static const char *const names[] = {"mean", "std", "median", "min", "max"};
    const double numbers[] = {s->mean, s->deviation, s->median, s->least, s->most};
    bool first = true;
    pl_text_add(out, "    {\"settings\": {");
    add_json_labels(out, table->row_keys, &table->rows[i / table->column_count * table->row_key_count],
                    table->row_key_count, &first);
    add_json_labels(out, table->column_keys, &table->columns[i % table->column_count * table->column_key_count],
                    table->column_key_count, &first);
    pl_text_add(out, "}");
    if (table->selection.best) {
        const struct pl_table_selection *selection = &table->selection;
        first = true;
        pl_text_add(out, ", \"selected\": {");
        add_json_labels(out, selection->over, &selection->chosen[i * selection->over_count], selection->over_count, &first);
        pl_text_add(out, "}, \"criterion\": ");
        pl_finite_add(out, cell->criterion, "null");
    }
    for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++) {
        pl_text_addf(out, ", \"%s\": ", names[j]);
        pl_finite_add(out, numbers[j], "null");
    }
    pl_text_addf(out,
                 ", \"n\": %lld, \"planned\": %lld, \"diverged\": %lld, \"failed\": %lld, \"missing\": %lld, "
                 "\"best\": %s, \"values\": [",
                 (long long)s->n, (long long)s->planned, (long long)s->diverged, (long long)s->failed,
                 (long long)s->missing, cell->best ? "true" : "false");
    for (int64_t j = 0; j < s->n; j++) {
        pl_text_add(out, j ? ", " : "");
        pl_text_add_number(out, s->values[j]);
    }
    pl_text_add(out, "]}");
}

static void add_json_notes(const struct pl_table *table, struct pl_text *out)
{
    pl_text_add(out, "  \"notes\": [");
    for (const char *line = pl_text(&table->notes); *line;) {
        size_t length = strcspn(line, "\n");
        char *note = pl_copy_bytes(line, length);
        pl_text_add(out, line == pl_text(&table->notes) ? "" : ", ");
        pl_escape_json(out, note);
        free(note);
        line += length + (line[length] == '\n');
    }
    pl_text_add(out, "],\n");
}

static void add_json_selection(const struct pl_table *table, struct pl_text *out)
{
    const struct pl_table_selection *selection = &table->selection;
    if (!selection->best)
        return;
    struct pl_text by = {0};
    pl_text_addf(&by, "%s %s", pl_select_names[selection->select], selection->metric);
    pl_text_addf(out, "  \"selection\": {\"best\": %d, \"by\": ", selection->best);
    pl_escape_json(out, pl_text(&by));
    pl_text_release(&by);
    pl_text_add(out, ", \"on\": ");
    if (pl_selection_set(table))
        pl_escape_json(out, pl_selection_set(table));
    else
        pl_text_add(out, "null");
    pl_text_add(out, ", \"over\": [");
    for (size_t k = 0; k < selection->over_count; k++) {
        pl_text_add(out, k ? ", " : "");
        pl_escape_json(out, selection->over[k]);
    }
    pl_text_add(out, "]},\n");
}

void pl_table_write_json(const struct pl_table *table, struct pl_text *out)
{
    static const char *const directions[] = {"neutral", "minimize", "maximize", "undeclared"};
    pl_text_add(out, " {\"study\": ");
    pl_escape_json(out, table->study);
    pl_text_add(out, ",\n  \"title\": ");
    if (table->title)
        pl_escape_json(out, table->title);
    else
        pl_text_add(out, "null");
    pl_text_add(out, ",\n  \"metric\": ");
    pl_escape_json(out, table->metric);
    pl_text_addf(out, ",\n  \"select\": \"%s\",\n  \"direction\": \"%s\",\n", pl_select_names[table->select],
                 directions[table->direction]);
    add_json_names(out, "rows", table->row_keys, table->row_key_count);
    add_json_names(out, "columns", table->column_keys, table->column_key_count);
    add_json_selection(table, out);
    add_json_notes(table, out);
    pl_text_add(out, "  \"cells\": [");
    bool first = true;
    for (size_t i = 0; i < table->row_count * table->column_count; i++) {
        if (!table->cells[i].present)
            continue;
        pl_text_add(out, first ? "\n" : ",\n");
        add_json_cell(table, i, out);
        first = false;
    }
    pl_text_add(out, "\n  ]}");
}

void pl_table_write(struct pl_table *const *tables, size_t count, enum pl_table_format format, struct pl_text *out)
{
    static void (*const write[])(const struct pl_table *, struct pl_text *) = {
        [PL_TABLE_TEXT] = pl_table_write_text,   [PL_TABLE_MARKDOWN] = pl_table_write_markdown,
        [PL_TABLE_LATEX] = pl_table_write_latex, [PL_TABLE_CSV] = pl_table_write_csv,
        [PL_TABLE_JSON] = pl_table_write_json,
    };
    bool json = format == PL_TABLE_JSON;
    pl_text_add(out, json ? "[\n" : "");
    for (size_t i = 0; i < count; i++) {
        if (i)
            pl_text_add(out, json ? ",\n" : "\n");
        write[format](tables[i], out);
    }
    pl_text_add(out, json ? "\n]\n" : "");
}
