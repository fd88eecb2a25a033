/* Comparisons with published numbers as text, Markdown, LaTeX, CSV and JSON: a line for each cell. */
#include "report/report_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const headings[] = {"row", "column", "ours", "published", "difference", "interval", "verdict"};
enum { COLUMNS = sizeof headings / sizeof *headings };

static const char *row_of(const struct pl_comparison *c, size_t cell)
{
    return c->published->rows[cell / c->published->column_count];
}

static const char *column_of(const struct pl_comparison *c, size_t cell)
{
    return c->published->columns[cell % c->published->column_count];
}

static size_t cell_count(const struct pl_comparison *c)
{
    return c->published->row_count * c->published->column_count;
}

static void add_sample(const struct pl_comparison *c, const struct pl_sample *sample, struct pl_text *out)
{
    if (isnan(sample->mean))
        return;
    pl_report_number(sample->mean, c->mean_digits, out);
    pl_text_add_char(out, '(');
    if (isnan(sample->deviation))
        pl_text_add_char(out, '-');
    else
        pl_report_number(sample->deviation, c->deviation_digits, out);
    pl_text_add_char(out, ')');
}

static void add_signed(double value, int digits, struct pl_text *out)
{
    struct pl_text number = {0};
    pl_report_number(value, digits, &number);
    bool zero = strspn(pl_text(&number), "-0.") == number.length;
    pl_text_addf(out, "%s%s", value > 0 && !zero ? "+" : "", pl_text(&number));
    pl_text_release(&number);
}

static void add_ours(const struct pl_comparison *c, const struct pl_compared_cell *cell, struct pl_text *out)
{
    struct pl_table_cell seen = {.present = cell->summary.planned > 0, .summary = cell->summary};
    struct pl_text notes = {0};
    add_sample(c, &cell->ours, out);
    pl_cell_notes(&seen, &notes);
    if (notes.length)
        pl_text_addf(out, "%s%s", out->length ? " " : "", pl_text(&notes));
    pl_text_release(&notes);
}

/* The texts of a line, each to be freed. latex: numbers in math mode. */
static void fill_line(const struct pl_comparison *c, size_t index, char **texts)
{
    const struct pl_compared_cell *cell = &c->cells[index];
    struct pl_text parts[COLUMNS] = {0};
    pl_text_add(&parts[0], row_of(c, index));
    pl_text_add(&parts[1], column_of(c, index));
    add_ours(c, cell, &parts[2]);
    add_sample(c, &cell->theirs, &parts[3]);
    if (!isnan(cell->interval.difference))
        add_signed(cell->interval.difference, c->mean_digits, &parts[4]);
    if (!isnan(cell->interval.low)) {
        pl_text_add_char(&parts[5], '[');
        add_signed(cell->interval.low, c->mean_digits, &parts[5]);
        pl_text_add(&parts[5], ", ");
        add_signed(cell->interval.high, c->mean_digits, &parts[5]);
        pl_text_add_char(&parts[5], ']');
    }
    pl_text_add(&parts[6], pl_verdict_name(cell->verdict));
    for (int i = 0; i < COLUMNS; i++) {
        texts[i] = parts[i].length ? pl_text_take(&parts[i]) : NULL;
        pl_text_release(&parts[i]);
    }
}

static void add_caption(const struct pl_comparison *c, struct pl_text *out)
{
    if (c->published->title)
        pl_text_addf(out, "%s (%s): ", c->published->title, c->study);
    else
        pl_text_addf(out, "%s: ", c->study);
    pl_text_addf(out, "%s %s beside %s of %s, difference with its ", pl_select_names[c->select], c->metric,
                 c->published->name, c->source);
    pl_text_add_number(out, 100 * c->level);
    pl_text_add(out, "% interval (Welch)");
}

static void add_count(struct pl_text *out, size_t count, const char *what)
{
    if (count)
        pl_text_addf(out, "; %zu %s", count, what);
}

/* What it comes to, and what is known about the printed numbers. */
static void add_notes(const struct pl_comparison *c, struct pl_text *notes)
{
    const struct pl_published_table *table = c->published;
    size_t differ = pl_comparison_count(c, PL_DIFFERS), compared = differ + pl_comparison_count(c, PL_ALIKE);
    pl_text_addf(notes, "Of %zu cells %zu were compared: %zu differ%s beyond chance", cell_count(c), compared, differ,
                 differ == 1 ? "s" : "");
    if (compared)
        pl_text_addf(notes, ", where %.2g would be expected if none did", (1 - c->level) * (double)compared);
    add_count(notes, pl_comparison_count(c, PL_NO_RUN), "without a run of ours");
    add_count(notes, pl_comparison_count(c, PL_NO_VALUE), "without a value of ours");
    add_count(notes, pl_comparison_count(c, PL_SEVERAL), "with several configurations of ours");
    add_count(notes, pl_comparison_count(c, PL_ONE_RUN), "with one run of ours");
    add_count(notes, pl_comparison_count(c, PL_ONE_PRINTED), "with one run printed");
    add_count(notes, pl_comparison_count(c, PL_NO_DEVIATION), "without a printed deviation");
    add_count(notes, pl_comparison_count(c, PL_NOT_PRINTED), "not printed");
    pl_text_add(notes, ".\n");
    for (size_t i = 0; i < table->note_count; i++)
        pl_text_addf(notes, "%s\n", table->notes[i]);
    for (size_t r = 0; r < table->row_count; r++) {
        if (table->row_notes[r])
            pl_text_addf(notes, "%s: %s.\n", table->rows[r], table->row_notes[r]);
        for (size_t k = 0; k < table->column_count; k++)
            if (table->cells[r * table->column_count + k].note)
                pl_text_addf(notes, "%s, %s: %s.\n", table->rows[r], table->columns[k],
                             table->cells[r * table->column_count + k].note);
    }
}

static void write_sheet(const struct pl_comparison *c, bool markdown, struct pl_text *out)
{
    struct pl_sheet sheet;
    struct pl_text caption = {0}, notes = {0};
    pl_sheet_init(&sheet, markdown, 1, cell_count(c), COLUMNS, 2);
    for (size_t i = 0; i < COLUMNS; i++)
        pl_sheet_put(&sheet, 0, i, headings[i]);
    for (size_t i = 0; i < cell_count(c); i++) {
        char *texts[COLUMNS];
        fill_line(c, i, texts);
        for (size_t k = 0; k < COLUMNS; k++) {
            pl_sheet_put(&sheet, i + 1, k, texts[k] ? texts[k] : "");
            free(texts[k]);
        }
    }
    add_caption(c, &caption);
    add_notes(c, &notes);
    pl_text_add(out, markdown ? "**" : "");
    pl_person_add(out, pl_text(&caption), markdown);
    pl_text_add(out, markdown ? "**\n\n" : "\n\n");
    pl_sheet_write(&sheet, out);
    pl_text_add_char(out, '\n');
    pl_notes_add(&notes, markdown, out);
    pl_sheet_release(&sheet);
    pl_text_release(&caption);
    pl_text_release(&notes);
}

static void write_latex(const struct pl_comparison *c, struct pl_text *out)
{
    struct pl_text caption = {0}, notes = {0}, lines = {0};
    add_caption(c, &caption);
    add_notes(c, &notes);
    for (size_t i = 0; i < COLUMNS; i++)
        pl_text_addf(&lines, "%s%s", i ? " & " : "", headings[i]);
    pl_text_add(&lines, " \\\\\n\\midrule\n");
    for (size_t i = 0; i < cell_count(c); i++) {
        char *texts[COLUMNS];
        fill_line(c, i, texts);
        for (size_t k = 0; k < COLUMNS; k++) {
            pl_text_add(&lines, k ? " & " : "");
            if (texts[k] && k >= 3 && k <= 5)
                pl_latex_add_number(&lines, texts[k]);
            else if (texts[k])
                pl_escape_latex(&lines, texts[k]);
            free(texts[k]);
        }
        pl_text_add(&lines, " \\\\\n");
    }
    pl_latex_write_float(pl_text(&caption), &notes, "llrrrrl", pl_text(&lines), out);
    pl_text_release(&caption);
    pl_text_release(&notes);
    pl_text_release(&lines);
}

static void write_csv(const struct pl_comparison *c, struct pl_text *out)
{
    pl_text_add(out, "study,table,metric,select,row,column,mean,std,n,published_mean,published_std,published_n,difference,"
                     "low,high,freedom,level,verdict\n");
    for (size_t i = 0; i < cell_count(c); i++) {
        const struct pl_compared_cell *cell = &c->cells[i];
        const char *const words[] = {c->study, c->published->name, c->metric, pl_select_names[c->select], row_of(c, i),
                                     column_of(c, i)};
        for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
            pl_escape_csv(out, words[k]);
            pl_text_add_char(out, ',');
        }
        const double numbers[] = {cell->ours.mean, cell->ours.deviation, (double)cell->ours.n, cell->theirs.mean,
                                  cell->theirs.deviation, (double)cell->theirs.n, cell->interval.difference,
                                  cell->interval.low, cell->interval.high, cell->interval.freedom, c->level};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            pl_finite_add(out, numbers[k], "");
            pl_text_add_char(out, ',');
        }
        pl_text_addf(out, "%s\n", cell->verdict == PL_ALIKE ? "alike" : pl_verdict_name(cell->verdict));
    }
}

static void add_json_sample(struct pl_text *out, const char *key, const struct pl_sample *sample)
{
    pl_text_addf(out, ", \"%s\": {\"mean\": ", key);
    pl_finite_add(out, sample->mean, "null");
    pl_text_add(out, ", \"std\": ");
    pl_finite_add(out, sample->deviation, "null");
    pl_text_addf(out, ", \"n\": %lld}", (long long)sample->n);
}

static void write_json(const struct pl_comparison *c, struct pl_text *out)
{
    const char *const words[][2] = {{"study", c->study}, {"published", c->source}, {"table", c->published->name},
                                    {"metric", c->metric}, {"select", pl_select_names[c->select]}};
    pl_text_add_char(out, '{');
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        pl_text_addf(out, "%s\"%s\": ", i ? ", " : "", words[i][0]);
        pl_escape_json(out, words[i][1]);
    }
    pl_text_add(out, ", \"level\": ");
    pl_text_add_number(out, c->level);
    pl_text_add(out, ", \"cells\": [");
    for (size_t i = 0; i < cell_count(c); i++) {
        const struct pl_compared_cell *cell = &c->cells[i];
        const struct {
            const char *key;
            double value;
        } numbers[] = {{"difference", cell->interval.difference}, {"low", cell->interval.low},
                       {"high", cell->interval.high}, {"freedom", cell->interval.freedom}};
        pl_text_addf(out, "%s\n  {\"row\": ", i ? "," : "");
        pl_escape_json(out, row_of(c, i));
        pl_text_add(out, ", \"column\": ");
        pl_escape_json(out, column_of(c, i));
        add_json_sample(out, "ours", &cell->ours);
        add_json_sample(out, "theirs", &cell->theirs);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            pl_text_addf(out, ", \"%s\": ", numbers[k].key);
            pl_finite_add(out, numbers[k].value, "null");
        }
        pl_text_add(out, ", \"verdict\": ");
        pl_escape_json(out, cell->verdict == PL_ALIKE ? "alike" : pl_verdict_name(cell->verdict));
        pl_text_add_char(out, '}');
    }
    pl_text_add(out, "]}");
}

void pl_comparison_write(struct pl_comparison *const *comparisons, size_t count, enum pl_table_format format,
                         struct pl_text *out)
{
    pl_text_add(out, format == PL_TABLE_JSON ? "[" : "");
    for (size_t i = 0; i < count; i++) {
        pl_text_add(out, !i ? "" : format == PL_TABLE_JSON ? ",\n" : "\n");
        switch (format) {
        case PL_TABLE_TEXT: write_sheet(comparisons[i], false, out); break;
        case PL_TABLE_MARKDOWN: write_sheet(comparisons[i], true, out); break;
        case PL_TABLE_LATEX: write_latex(comparisons[i], out); break;
        case PL_TABLE_CSV: write_csv(comparisons[i], out); break;
        case PL_TABLE_JSON: write_json(comparisons[i], out); break;
        }
    }
    pl_text_add(out, format == PL_TABLE_JSON ? "]\n" : "");
}
