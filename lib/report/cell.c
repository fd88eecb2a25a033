/* Numbers, labels and cells as a reader sees them. */
#include "report/report_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "1.20e+08" -> "1.20e8": as poula spells numbers elsewhere, without the padding. */
static void add_scientific(double value, int decimals, struct pl_text *out)
{
    char digits[64];
    snprintf(digits, sizeof digits, "%.*e", decimals, value);
    char *exponent = strchr(digits, 'e');
    long power = strtol(exponent + 1, NULL, 10);
    *exponent = '\0';
    pl_text_addf(out, "%se%ld", digits, power);
}

void pl_report_number(double value, int decimals, struct pl_text *out)
{
    if (!isfinite(value)) {
        pl_text_add(out, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return;
    }
    double size = fabs(value);
    if (decimals < 0 && size == 0) {
        pl_text_add_char(out, '0');
        return;
    }
    if (decimals >= 0 ? size >= 1e9 : size >= 1e6 || size < 1e-3) {
        add_scientific(value, decimals >= 0 && decimals < 3 ? decimals : 3, out);
        return;
    }
    if (decimals < 0)
        decimals = size >= 1000 ? 0 : 3 - (int)floor(log10(size));
    char digits[400];
    snprintf(digits, sizeof digits, "%.*f", decimals > 17 ? 17 : decimals, value);
    bool zero = strspn(digits, "-0.") == strlen(digits);
    pl_text_add(out, zero && digits[0] == '-' ? digits + 1 : digits);
}

int pl_report_decimals(const double *values, size_t count)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < count; i++) {
        double size = fabs(values[i]);
        if (isfinite(size) && size > 0) {
            least = fmin(least, size);
            most = fmax(most, size);
        }
    }
    if (most == 0)
        return 2;
    if (most >= 1e6 || least < 1e-2 || most / least > 1e4)
        return -1;
    return most >= 1000 ? 1 : most >= 10 ? 2 : most >= 1 ? 3 : 4;
}

void pl_label_write(const struct pl_label *label, struct pl_text *out)
{
    if (label->brief)
        pl_text_add(out, label->brief);
    else if (label->present)
        pl_value_write(&label->value, out);
    else
        pl_text_add_char(out, '-');
}

void pl_table_cell_number(const struct pl_table *table, const struct pl_table_cell *cell, struct pl_text *out)
{
    const struct pl_summary *s = &cell->summary;
    if (!cell->present)
        return;
    if (!strcmp(table->cell, "n")) {
        pl_text_addf(out, "%lld", (long long)s->n);
        return;
    }
    if (isnan(pl_table_cell_value(table, cell)))
        return;
    pl_report_number(pl_table_shown_value(table, pl_table_cell_value(table, cell)), table->decimals, out);
    bool beside;
    if (pl_cell_spread(table->cell, &beside) == PL_SPREAD_NONE)
        return;
    double spread = pl_table_shown_value(table, pl_table_cell_spread(table, cell));
    pl_text_add(out, beside ? " \u00b1 " : "(");
    if (isnan(spread))
        pl_text_add_char(out, '-');
    else
        pl_report_number(spread, table->decimals, out);
    pl_text_add(out, beside ? "" : ")");
}

static void add_share(struct pl_text *out, const char *word, int64_t part, int64_t whole)
{
    if (part)
        pl_text_addf(out, "%s%s %lld/%lld", out->length ? " " : "", word, (long long)part, (long long)whole);
}

void pl_table_cell_notes(const struct pl_table_cell *cell, struct pl_text *out)
{
    const struct pl_summary *s = &cell->summary;
    struct pl_text notes = {0};
    if (!cell->present)
        return;
    if (s->n && s->n + s->never < s->planned)
        pl_text_addf(&notes, "n=%lld", (long long)s->n);
    add_share(&notes, "div", s->diverged, s->planned);
    add_share(&notes, "fail", s->failed, s->planned);
    add_share(&notes, "stop", s->stopped, s->planned);
    add_share(&notes, "never", s->never, s->planned);
    add_share(&notes, "running", s->working, s->planned);
    if (!s->n) {
        add_share(&notes, "miss", s->missing - s->working, s->planned);
        add_share(&notes, "none", s->finished - s->never, s->planned);
    }
    pl_text_add(out, pl_text(&notes));
    pl_text_release(&notes);
}

const char *pl_table_shown(const struct pl_table *table, const char *name)
{
    return pl_labels_show(&table->labels, name);
}

double pl_unit_shown(enum pl_value_unit unit, double value)
{
    return unit == PL_UNIT_PERCENT ? 100 * value : value;
}

bool pl_unit_is_to_be_said(enum pl_value_unit unit, const char *heading)
{
    return unit == PL_UNIT_PERCENT && !strchr(heading, '%');
}

int pl_unit_check(enum pl_value_unit unit, const char *metric, const char *study, const double *values, size_t count,
                  struct pl_error *err)
{
    if (unit == PL_UNIT_PLAIN)
        return 0;
    if (pl_metric_is_to_target(metric))
        return pl_fail(err, PL_EINPUT, "unit: percent is for values in [0, 1], and not for %s", metric);
    for (size_t i = 0; i < count; i++)
        if (values[i] < 0 || values[i] > 1)
            return pl_fail(err, PL_EINPUT,
                           "unit: percent is for values in [0, 1], but %s of study %s has the value %.6g", metric,
                           study, values[i]);
    return 0;
}

double pl_table_shown_value(const struct pl_table *table, double value)
{
    return pl_unit_shown(table->unit, value);
}

double pl_table_cell_spread(const struct pl_table *table, const struct pl_table_cell *cell)
{
    const struct pl_summary *s = &cell->summary;
    bool beside;
    if (s->n < 2)
        return NAN;
    switch (pl_cell_spread(table->cell, &beside)) {
    case PL_SPREAD_STD:
        return s->deviation;
    case PL_SPREAD_SEM:
        return pl_mean_error(s->deviation, (size_t)s->n);
    case PL_SPREAD_CI95:
        return pl_mean_reach(s->deviation, (size_t)s->n, 0.95);
    default:
        return NAN;
    }
}

const char *pl_table_spread_column(const struct pl_table *table)
{
    bool beside;
    enum pl_spread spread = pl_cell_spread(table->cell, &beside);
    return spread == PL_SPREAD_SEM ? ",sem" : spread == PL_SPREAD_CI95 ? ",ci95" : "";
}

static void add_names(const struct pl_table *table, const char *const *names, size_t count, struct pl_text *out)
{
    for (size_t i = 0; i < count; i++)
        pl_text_addf(out, "%s%s", i ? ", " : "", pl_table_shown(table, names[i]));
}

void pl_table_value_heading(const struct pl_table *table, struct pl_text *out)
{
    const char *metric = pl_table_shown(table, table->metric);
    if (!table->timed)
        pl_text_addf(out, "%s ", pl_select_names[table->select]);
    pl_text_add(out, metric);
    if (pl_unit_is_to_be_said(table->unit, metric))
        pl_text_add(out, " (%)");
}

void pl_table_value_name(const struct pl_table *table, struct pl_text *out)
{
    pl_table_value_heading(table, out);
    if (table->timed) {
        pl_text_addf(out, " (%s %s ", pl_table_shown(table, table->target.metric), table->target_is_up ? ">=" : "<=");
        pl_text_add_number(out, table->target.value);
        pl_text_add_char(out, ')');
    }
}

void pl_table_caption(const struct pl_table *table, struct pl_text *out)
{
    if (table->caption) {
        pl_text_add(out, table->caption);
        if (pl_selection_set(table))
            pl_text_addf(out, " (selected on the %s set)", pl_selection_set(table));
        return;
    }
    if (table->title)
        pl_text_addf(out, "%s (%s)", table->title, table->study);
    else
        pl_text_add(out, table->study);
    pl_text_add(out, ": ");
    pl_table_value_name(table, out);
    pl_text_addf(out, ", %s", pl_cell_title(table->cell));
    if (table->column_key_count) {
        pl_text_add(out, " by ");
        add_names(table, table->row_keys, table->row_key_count, out);
        pl_text_add(out, table->row_key_count ? " and " : "");
        add_names(table, table->column_keys, table->column_key_count, out);
    }
    if (pl_direction_is_choice(table->direction) && strcmp(table->cell, "n"))
        pl_text_addf(out, "; %s is better", table->direction == PL_MAXIMIZE ? "higher" : "lower");
    if (pl_selection_set(table))
        pl_text_addf(out, "; selected on the %s set", pl_selection_set(table));
}

void pl_finite_add(struct pl_text *out, double value, const char *otherwise)
{
    if (isfinite(value))
        pl_text_add_number(out, value);
    else
        pl_text_add(out, otherwise);
}
