/* Pieces of SQL that are made while the program runs. */
#include "store/look.h"

#include <math.h>

static void add_quoted(struct pl_text *sql, const char *text, char quote)
{
    pl_text_add_char(sql, quote);
    for (; *text; text++) {
        if (*text == quote)
            pl_text_add_char(sql, quote);
        pl_text_add_char(sql, *text);
    }
    pl_text_add_char(sql, quote);
}

void pl_store_add_identifier(struct pl_text *sql, const char *name)
{
    add_quoted(sql, name, '"');
}

void pl_store_add_string(struct pl_text *sql, const char *text)
{
    add_quoted(sql, text, '\'');
}

static void add_value(struct pl_text *sql, const struct pl_value *value)
{
    struct pl_text spelled = {0};
    pl_value_write(value, &spelled);
    if (value->type == PL_REAL && isinf(value->real))
        pl_text_add(sql, value->real > 0 ? "9e999" : "-9e999");
    else if (value->type == PL_BOOLEAN)
        pl_text_add(sql, value->boolean ? "1" : "0");
    else if (value->type != PL_STRING)
        pl_text_add(sql, pl_text(&spelled));
    if (value->type != PL_STRING)
        pl_text_add(sql, ", ");
    pl_store_add_string(sql, pl_text(&spelled)); /* a text that looks like a number is a text all the same */
    pl_text_release(&spelled);
}

static void add_end(struct pl_text *sql, const char *column, const char *sign, bool open, double end)
{
    pl_text_addf(sql, " AND %s %s%s ", column, sign, open ? "" : "=");
    if (isinf(end))
        pl_text_add(sql, end > 0 ? "9e999" : "-9e999");
    else
        pl_text_add_number(sql, end);
}

void pl_store_add_alternative(struct pl_text *sql, const char *column, const struct pl_condition *condition,
                              size_t which)
{
    if (which < condition->count) {
        pl_text_addf(sql, "%s IN (", column);
        add_value(sql, &condition->values[which]);
        pl_text_add(sql, ")");
        return;
    }
    const struct pl_range *range = &condition->ranges[which - condition->count];
    pl_text_addf(sql, "(typeof(%s) IN ('integer', 'real')", column);
    add_end(sql, column, ">", range->low_open, range->low);
    add_end(sql, column, "<", range->high_open, range->high);
    pl_text_add(sql, ")");
}
