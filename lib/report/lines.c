/* What comparisons with published numbers say, whatever they are written as: a line for each cell, a caption, notes. */
#include "report/report_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const pl_compared_headings[PL_COMPARED_COLUMNS] = {
    "row", "column", "ours", "published", "difference", "interval", "verdict",
};

const char *pl_compared_row(const struct pl_comparison *c, size_t cell)
{
    return c->published->rows[cell / c->published->column_count];
}

const char *pl_compared_column(const struct pl_comparison *c, size_t cell)
{
    return c->published->columns[cell % c->published->column_count];
}

size_t pl_compared_count(const struct pl_comparison *c)
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
    pl_table_cell_notes(&seen, &notes);
    if (notes.length)
        pl_text_addf(out, "%s%s", out->length ? " " : "", pl_text(&notes));
    pl_text_release(&notes);
}

void pl_compared_line(const struct pl_comparison *c, size_t index, char **texts)
{
    const struct pl_compared_cell *cell = &c->cells[index];
    struct pl_text parts[PL_COMPARED_COLUMNS] = {0};
    pl_text_add(&parts[0], pl_compared_row(c, index));
    pl_text_add(&parts[1], pl_compared_column(c, index));
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
    for (int i = 0; i < PL_COMPARED_COLUMNS; i++) {
        texts[i] = parts[i].length ? pl_text_take(&parts[i]) : NULL;
        pl_text_release(&parts[i]);
    }
}

void pl_compared_caption(const struct pl_comparison *c, struct pl_text *out)
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

/* A sentence for each column (or row) in which both have an order. */
static void add_agreements(const struct pl_comparison *c, struct pl_text *notes)
{
    for (size_t i = 0; i < pl_agreement_count(c); i++) {
        const struct pl_agreement *a = &c->agreements[i];
        if (!a->pairs)
            continue;
        pl_text_addf(notes, "%s: ", pl_agreement_name(c, i));
        pl_report_number(100 * a->share, a->pairs > 1 ? 1 : 0, notes);
        pl_text_addf(notes, "%% of %zu pair%s of %s stand%s in the printed order (Kendall's tau ", a->pairs,
                     a->pairs == 1 ? "" : "s", c->by_row ? "columns" : "rows", a->pairs == 1 ? "s" : "");
        pl_report_number(a->tau, 3, notes);
        pl_text_add(notes, ").\n");
    }
}

/* Where ours was found by rank, because no run has the settings of the cell itself. */
static void add_others(const struct pl_comparison *c, struct pl_text *notes)
{
    size_t others = 0;
    for (size_t i = 0; i < pl_compared_count(c); i++)
        if (c->cells[i].other) {
            size_t columns = c->published->column_count;
            pl_text_addf(notes, "%s%s in %s",
                         others++ ? ", " : "Ours are the best of what was run, with other settings: ",
                         c->published->rows[i / columns], c->published->columns[i % columns]);
        }
    if (others)
        pl_text_add(notes, ".\n");
}

void pl_compared_notes(const struct pl_comparison *c, struct pl_text *notes)
{
    const struct pl_published_table *table = c->published;
    size_t differ = pl_comparison_count(c, PL_DIFFERS), compared = differ + pl_comparison_count(c, PL_ALIKE);
    pl_text_addf(notes, "Of %zu cells %zu were compared: %zu differ%s beyond chance", pl_compared_count(c), compared,
                 differ, differ == 1 ? "s" : "");
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
    add_others(c, notes);
    add_agreements(c, notes);
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
