/* JSON: an object a table, with one record per cell in full precision. */
#include "report/format_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_value(struct pl_text *out, const struct pl_label *label)
{
    struct pl_text text = {0};
    if (label->present)
        pl_value_write(&label->value, &text);
    bool quoted = label->present &&
                  (label->value.type == PL_STRING || (label->value.type == PL_REAL && !isfinite(label->value.real)));
    if (quoted)
        pl_escape_json(out, pl_text(&text));
    else
        pl_text_add(out, label->present ? pl_text(&text) : "null");
    pl_text_release(&text);
}

static void add_labels(struct pl_text *out, const char *const *keys, const struct pl_label *labels, size_t count,
                       bool *first)
{
    for (size_t i = 0; i < count; i++) {
        pl_text_add(out, *first ? "" : ", ");
        *first = false;
        pl_escape_json(out, keys[i]);
        pl_text_add(out, ": ");
        add_value(out, &labels[i]);
    }
}

static void add_names(struct pl_text *out, const char *key, const char *const *names, size_t count)
{
    pl_text_addf(out, "  \"%s\": [", key);
    for (size_t i = 0; i < count; i++) {
        pl_text_add(out, i ? ", " : "");
        pl_escape_json(out, names[i]);
    }
    pl_text_add(out, "],\n");
}

static void add_test(const struct pl_table *table, const struct pl_table_cell *cell, struct pl_text *out)
{
    if (!table->compare.wanted)
        return;
    pl_text_add(out, ", \"p\": ");
    pl_finite_add(out, cell->p, "null");
    pl_text_add(out, ", \"adjusted_p\": ");
    pl_finite_add(out, cell->adjusted, "null");
    pl_text_addf(out, ", \"alike\": %s", cell->alike ? "true" : "false");
}

static void add_cell(const struct pl_table *table, size_t i, struct pl_text *out)
{
    const struct pl_table_cell *cell = &table->cells[i];
    const struct pl_summary *s = &cell->summary;
    static const char *const names[] = {"mean", "std", "median", "min", "max"};
    const double numbers[] = {s->mean, s->deviation, s->median, s->least, s->most};
    bool first = true;
    pl_text_add(out, "    {\"settings\": {");
    add_labels(out, table->row_keys, &table->rows[i / table->column_count * table->row_key_count], table->row_key_count,
               &first);
    add_labels(out, table->column_keys, &table->columns[i % table->column_count * table->column_key_count],
               table->column_key_count, &first);
    pl_text_add(out, "}");
    if (table->selection.best) {
        const struct pl_table_selection *selection = &table->selection;
        first = true;
        pl_text_add(out, ", \"selected\": {");
        add_labels(out, selection->over, &selection->chosen[i * selection->over_count], selection->over_count, &first);
        pl_text_add(out, "}, \"criterion\": ");
        pl_finite_add(out, cell->criterion, "null");
    }
    for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++) {
        pl_text_addf(out, ", \"%s\": ", names[j]);
        pl_finite_add(out, numbers[j], "null");
    }
    pl_text_addf(out,
                 ", \"n\": %lld, \"planned\": %lld, \"diverged\": %lld, \"failed\": %lld, \"missing\": %lld, "
                 "\"best\": %s",
                 (long long)s->n, (long long)s->planned, (long long)s->diverged, (long long)s->failed,
                 (long long)s->missing, cell->best ? "true" : "false");
    if (*pl_table_spread_column(table)) {
        pl_text_addf(out, ", \"%s\": ", pl_table_spread_column(table) + 1);
        pl_finite_add(out, pl_table_cell_spread(table, cell), "null");
    }
    if (table->works)
        pl_text_addf(out, ", \"running\": %lld", (long long)s->working);
    if (table->stops)
        pl_text_addf(out, ", \"stopped\": %lld", (long long)s->stopped);
    if (table->timed)
        pl_text_addf(out, ", \"never\": %lld", (long long)s->never);
    add_test(table, cell, out);
    pl_text_add(out, ", \"values\": [");
    for (int64_t j = 0; j < s->n; j++) {
        pl_text_add(out, j ? ", " : "");
        pl_text_add_number(out, s->values[j]);
    }
    pl_text_add(out, "]}");
}

static void add_notes(const struct pl_text *notes, struct pl_text *out)
{
    pl_text_add(out, "  \"notes\": [");
    for (const char *line = pl_text(notes); *line;) {
        size_t length = strcspn(line, "\n");
        char *note = pl_copy_bytes(line, length);
        pl_text_add(out, line == pl_text(notes) ? "" : ", ");
        pl_escape_json(out, note);
        free(note);
        line += length + (line[length] == '\n');
    }
    pl_text_add(out, "],\n");
}

static void add_selection(const struct pl_table *table, struct pl_text *out)
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

static void write_table(const struct pl_table *table, struct pl_text *out)
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
    add_names(out, "rows", table->row_keys, table->row_key_count);
    add_names(out, "columns", table->column_keys, table->column_key_count);
    add_selection(table, out);
    if (table->timed) {
        pl_text_add(out, "  \"target\": {");
        pl_escape_json(out, table->target.metric);
        pl_text_add(out, ": ");
        pl_text_add_number(out, table->target.value);
        pl_text_add(out, "},\n");
    }
    if (table->compare.wanted) {
        pl_text_addf(out, "  \"compare\": {\"to\": \"best\", \"test\": \"%s\", \"correct\": \"%s\", \"confidence\": ",
                     pl_test_names[table->compare.test], pl_correction_names[table->compare.correct]);
        pl_text_add_number(out, table->compare.confidence);
        pl_text_add(out, "},\n");
    }
    add_notes(&table->notes, out);
    pl_text_add(out, "  \"cells\": [");
    bool first = true;
    for (size_t i = 0; i < table->row_count * table->column_count; i++) {
        if (!table->cells[i].present)
            continue;
        pl_text_add(out, first ? "\n" : ",\n");
        add_cell(table, i, out);
        first = false;
    }
    pl_text_add(out, "\n  ]}");
}

/* ---- comparisons ---- */

static void add_sample(struct pl_text *out, const char *key, const struct pl_sample *sample)
{
    pl_text_addf(out, ", \"%s\": {\"mean\": ", key);
    pl_finite_add(out, sample->mean, "null");
    pl_text_add(out, ", \"std\": ");
    pl_finite_add(out, sample->deviation, "null");
    pl_text_addf(out, ", \"n\": %lld}", (long long)sample->n);
}

static void add_agreements(const struct pl_comparison *c, struct pl_text *out)
{
    pl_text_add(out, ", \"order\": [");
    for (size_t i = 0; i < pl_agreement_count(c); i++) {
        const struct pl_agreement *a = &c->agreements[i];
        pl_text_addf(out, "%s\n  {\"%s\": ", i ? "," : "", c->by_row ? "row" : "column");
        pl_escape_json(out, pl_agreement_name(c, i));
        pl_text_addf(out, ", \"cells\": %zu, \"pairs\": %zu, \"kendall\": ", a->count, a->pairs);
        pl_finite_add(out, a->tau, "null");
        pl_text_add(out, ", \"same_order\": ");
        pl_finite_add(out, a->share, "null");
        pl_text_add_char(out, '}');
    }
    pl_text_add_char(out, ']');
}

static void write_comparison(const struct pl_comparison *c, struct pl_text *out)
{
    const char *const words[][2] = {{"study", c->study},
                                    {"published", c->source},
                                    {"table", c->published->name},
                                    {"metric", c->metric},
                                    {"select", pl_select_names[c->select]}};
    pl_text_add_char(out, '{');
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        pl_text_addf(out, "%s\"%s\": ", i ? ", " : "", words[i][0]);
        pl_escape_json(out, words[i][1]);
    }
    pl_text_add(out, ", \"level\": ");
    pl_text_add_number(out, c->level);
    add_agreements(c, out);
    pl_text_add(out, ", \"cells\": [");
    for (size_t i = 0; i < pl_compared_count(c); i++) {
        const struct pl_compared_cell *cell = &c->cells[i];
        const struct {
            const char *key;
            double value;
        } numbers[] = {{"difference", cell->interval.difference},
                       {"low", cell->interval.low},
                       {"high", cell->interval.high},
                       {"freedom", cell->interval.freedom}};
        pl_text_addf(out, "%s\n  {\"row\": ", i ? "," : "");
        pl_escape_json(out, pl_compared_row(c, i));
        pl_text_add(out, ", \"column\": ");
        pl_escape_json(out, pl_compared_column(c, i));
        add_sample(out, "ours", &cell->ours);
        add_sample(out, "theirs", &cell->theirs);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            pl_text_addf(out, ", \"%s\": ", numbers[k].key);
            pl_finite_add(out, numbers[k].value, "null");
        }
        pl_text_add(out, ", \"verdict\": ");
        pl_escape_json(out, cell->verdict == PL_ALIKE ? "alike" : pl_verdict_name(cell->verdict));
        pl_text_addf(out, ", \"other_settings\": %s}", cell->other ? "true" : "false");
    }
    pl_text_add(out, "]}");
}

/* ---- listings and rows ---- */

static void add_row_cell(const struct pl_cell *cell, struct pl_text *out)
{
    if (cell->kind == PL_CELL_NULL)
        pl_text_add(out, "null");
    else if (cell->kind == PL_CELL_REAL && !isfinite(cell->real))
        pl_text_add(out, cell->real > 0 ? "\"inf\"" : "\"-inf\"");
    else
        pl_print_cell(cell, pl_escape_json, out);
}

static void write_listing(const struct pl_listing *l, struct pl_text *out)
{
    pl_text_add(out, "{\"study\": ");
    pl_escape_json(out, l->study);
    pl_text_add(out, ", \"listing\": ");
    pl_escape_json(out, l->what);
    pl_text_add(out, ", \"caption\": ");
    pl_escape_json(out, pl_text(&l->caption));
    pl_text_add(out, ",\n");
    add_notes(&l->notes, out);
    pl_text_add(out, "  \"rows\": [");
    for (size_t i = 0; i < l->count; i++) {
        size_t k = i % l->columns;
        pl_text_add(out, k ? ", " : i ? "},\n    {" : "\n    {");
        pl_escape_json(out, l->names[k]);
        pl_text_add(out, ": ");
        add_row_cell(&l->cells[i].cell, out);
    }
    pl_text_add(out, l->count ? "}\n  ]}" : "]}");
}

static void add_head(const struct pl_row_columns *c, struct pl_text *out)
{
    (void)c;
    (void)out;
}

static void add_row(const struct pl_row_columns *c, const char *const *cells, size_t index, struct pl_text *out)
{
    pl_text_add(out, index ? ",\n  {" : "[\n  {");
    for (size_t i = 0; i < c->count; i++) {
        pl_text_add(out, i ? ", " : "");
        pl_text_add(out, c->names[i]);
        pl_text_add(out, ": ");
        pl_text_add(out, cells[i]);
    }
    pl_text_add_char(out, '}');
}

static void add_tail(const struct pl_row_columns *c, size_t rows, struct pl_text *out)
{
    (void)c;
    pl_text_add(out, rows ? "\n]\n" : "[]\n");
}

static void add_line(const struct pl_row_columns *c, const char *const *cells, size_t index, struct pl_text *out)
{
    (void)index;
    for (size_t i = 0; i < c->count; i++) {
        pl_text_add(out, i ? ", " : "{");
        pl_text_add(out, c->names[i]);
        pl_text_add(out, ": ");
        pl_text_add(out, cells[i]);
    }
    pl_text_add(out, "}\n");
}

static void add_nothing(const struct pl_row_columns *c, size_t count, struct pl_text *out)
{
    (void)c;
    (void)count;
    (void)out;
}

const struct pl_rows_type pl_rows_jsonl = {
    .keyed = true, .cell = add_row_cell, .head = add_head, .row = add_line, .tail = add_nothing};

static const struct pl_rows_type rows = {
    .keyed = true, .cell = add_row_cell, .head = add_head, .row = add_row, .tail = add_tail};

PL_FORMAT(json, &rows, write_table, write_comparison, write_listing, PL_FRAME("[\n", ",\n", "\n]\n"),
          PL_FRAME("[", ",\n", "]\n"));
