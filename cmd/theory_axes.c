#include "theory_axes.h"

#include "answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 64, MOST_SHOWN = 12 };

void pl_theory_axes_release(struct pl_theory_axes *axes)
{
    for (size_t i = 0; i < axes->count; i++) {
        pl_names_release(&axes->list[i].words);
        free(axes->list[i].values);
    }
}

int pl_theory_axes_add(const struct pl_args *args, struct pl_theory_axes *axes, const struct pl_setting *setting,
                       const char *spellings)
{
    struct pl_error err;
    int code = 0;
    for (size_t i = 0; i < axes->count; i++)
        if (axes->list[i].setting == setting)
            return pl_cmd_usage_error(args, "%s is given several values twice", setting->key);
    if (axes->count == PL_THEORY_AXES)
        return pl_cmd_usage_error(args, "at most %d settings can have several values", PL_THEORY_AXES);
    struct pl_theory_axis *axis = &axes->list[axes->count++];
    *axis = (struct pl_theory_axis){.setting = setting};
    pl_names_read(spellings, &axis->words);
    size_t count = axis->words.count;
    if (count > PL_THEORY_POINTS)
        code = pl_cmd_usage_error(args, "%s has more than %d values", setting->key, PL_THEORY_POINTS);
    axis->values = pl_new((count + 1) * sizeof *axis->values);
    for (size_t i = 0; i < count && !code; i++)
        if (pl_setting_read(setting, axis->words.names[i], &axis->values[axis->count++], &err))
            code = pl_cmd_usage_error(args, "%s", err.text);
    if (!code && !axis->count)
        code = pl_cmd_usage_error(args, "%s has no value", setting->key);
    return code;
}

const struct pl_value *pl_theory_axes_value(const struct pl_theory_axes *axes, size_t axis, size_t point)
{
    for (size_t i = axes->count; i-- > axis + 1;)
        point /= axes->list[i].count;
    return &axes->list[axis].values[point % axes->list[axis].count];
}

void pl_theory_axes_write(const struct pl_theory_axes *axes, size_t axis, size_t point, struct pl_text *out)
{
    const struct pl_value *value = pl_theory_axes_value(axes, axis, point);
    if (value->type == PL_REAL)
        pl_text_addf(out, "%g", value->real);
    else
        pl_value_write(value, out);
}

static void collect(const struct pl_theory *theory, struct pl_theory_value all[MOST_VALUES], const size_t *chosen,
                    size_t count, struct pl_theory_matrix *m, size_t point)
{
    size_t constants = pl_theory_count();
    for (size_t i = 0; i < constants; i++)
        all[i] = pl_theory_at(theory, i);
    constants += pl_theory_bounds(theory, &all[constants]);
    for (size_t i = 0; i < count; i++) {
        m->names[i] = all[chosen[i]];
        m->ln[point * count + i] = all[chosen[i]].ln;
    }
}

static int evaluate(const struct pl_args *args, const struct pl_settings *settings, const size_t *chosen, size_t count,
                    struct pl_theory_matrix *m)
{
    struct pl_theory_value all[MOST_VALUES];
    struct pl_settings own = {0};
    struct pl_error err;
    int code = 0;
    for (size_t point = 0; point < m->points && !code; point++) {
        struct pl_theory *theory;
        pl_settings_copy(&own, settings);
        for (size_t i = 0; i < m->axes->count; i++)
            pl_settings_set(&own, m->axes->list[i].setting->key, *pl_theory_axes_value(m->axes, i, point));
        if (pl_theory_new(&theory, &own, &err)) {
            struct pl_text where = {0};
            for (size_t i = 0; i < m->axes->count; i++) {
                pl_text_addf(&where, "%s%s=", i ? ", " : "", m->axes->list[i].setting->key);
                pl_theory_axes_write(m->axes, i, point, &where);
            }
            pl_cmd_note("poula theory: at %s:", pl_text(&where));
            pl_text_release(&where);
            code = pl_cmd_fail(args, &err);
            break;
        }
        collect(theory, all, chosen, count, m, point);
        pl_theory_free(theory);
    }
    pl_settings_release(&own);
    return code;
}

/* ---- for people ---- */

/* How a value grows at the end of the only axis: d log value / d log axis. A polynomial has its degree there. */
static bool order_of(const struct pl_theory_matrix *m, size_t name, struct pl_text *out)
{
    const struct pl_theory_axis *axis = &m->axes->list[0];
    if (m->axes->count != 1 || axis->count < 2 || (axis->setting->type != PL_REAL && axis->setting->type != PL_INTEGER))
        return false;
    long double ends[2];
    for (int i = 0; i < 2; i++) {
        const struct pl_value *v = &axis->values[axis->count - 2 + (size_t)i];
        ends[i] = logl(v->type == PL_REAL ? v->real : (double)v->integer);
    }
    long double order = (m->ln[(m->points - 1) * m->name_count + name] -
                         m->ln[(m->points - 2) * m->name_count + name]) /
                        (ends[1] - ends[0]);
    if (isfinite(order))
        pl_text_addf(out, "%.4Lg", order);
    return true;
}

static void print_people(const struct pl_theory_matrix *m, struct pl_rows *rows)
{
    const struct pl_theory_axis *axis = &m->axes->list[0];
    bool single = m->axes->count == 1;
    const char *of = single ? axis->setting->key : "";
    bool paper = !strcmp(of, "d") || !strcmp(of, "beta");
    struct pl_text texts[MOST_SHOWN + 3] = {0};
    const char *names[MOST_SHOWN + 3] = {"name"};
    size_t columns = 1;
    for (size_t p = 0; p < m->points; p++, columns++) {
        for (size_t i = 0; i < m->axes->count; i++) {
            pl_text_addf(&texts[columns], "%s%s=", i ? " " : "", m->axes->list[i].setting->key);
            pl_theory_axes_write(m->axes, i, p, &texts[columns]);
        }
        names[columns] = pl_text(&texts[columns]);
    }
    bool order = single && order_of(m, 0, &texts[MOST_SHOWN + 2]);
    if (order)
        names[columns++] = "order";
    if (paper)
        names[columns++] = "paper";
    pl_rows_head(rows, names, columns);
    for (size_t k = 0; k < m->name_count; k++) {
        struct pl_cell cells[MOST_SHOWN + 3] = {pl_cell_text(m->names[k].name)};
        struct pl_text shown[MOST_SHOWN + 3] = {0};
        size_t at = 1;
        for (size_t p = 0; p < m->points; p++, at++)
            pl_theory_write(m->ln[p * m->name_count + k], false, &shown[at]);
        if (order)
            order_of(m, k, &shown[at++]);
        if (paper)
            pl_text_add(&shown[at++], pl_theory_dependence(m->names[k].name, !strcmp(of, "d")));
        for (size_t i = 1; i < at; i++)
            cells[i] = pl_cell_text(pl_text(&shown[i]));
        pl_rows_row(rows, cells, at);
        for (size_t i = 0; i < at; i++)
            pl_text_release(&shown[i]);
    }
    for (size_t i = 0; i < MOST_SHOWN + 3; i++)
        pl_text_release(&texts[i]);
}

/* ---- for programs ---- */

static void print_records(const struct pl_theory_matrix *m, struct pl_rows *rows)
{
    const char *names[PL_THEORY_AXES + 5];
    size_t axes = m->axes->count;
    for (size_t i = 0; i < axes; i++)
        names[i] = m->axes->list[i].setting->key;
    static const char *const rest[] = {"name", "value", "log10", "source", "meaning"};
    memcpy(names + axes, rest, sizeof rest);
    pl_rows_head(rows, names, axes + 5);
    for (size_t p = 0; p < m->points; p++)
        for (size_t k = 0; k < m->name_count; k++) {
            struct pl_cell cells[PL_THEORY_AXES + 5];
            struct pl_text texts[PL_THEORY_AXES + 2] = {0};
            const struct pl_theory_value *name = &m->names[k];
            for (size_t i = 0; i < axes; i++) {
                pl_theory_axes_write(m->axes, i, p, &texts[i]);
                cells[i] = pl_cell_text(pl_text(&texts[i]));
            }
            pl_theory_cells(m->ln[p * m->name_count + k], &cells[axes + 1], &texts[axes], &texts[axes + 1]);
            cells[axes] = pl_cell_text(name->name);
            cells[axes + 3] = pl_cell_text(name->source);
            cells[axes + 4] = pl_cell_text(name->meaning);
            pl_rows_row(rows, cells, axes + 5);
            for (size_t i = 0; i < axes + 2; i++)
                pl_text_release(&texts[i]);
        }
}

int pl_theory_axes_print(const struct pl_args *args, const struct pl_theory_axes *axes,
                         const struct pl_settings *settings, const size_t *chosen, size_t count)
{
    const struct pl_format *format = pl_cmd_format(args, &pl_format_text);
    struct pl_theory_matrix m = {.axes = axes, .name_count = count, .points = 1};
    for (size_t i = 0; i < axes->count; i++)
        m.points *= axes->list[i].count;
    if (m.points > PL_THEORY_POINTS)
        return pl_cmd_usage_error(args, "the settings have %zu combinations; at most %d are computed", m.points,
                                  PL_THEORY_POINTS);
    bool people = format->kind == PL_FORMAT_PEOPLE, draw = pl_args_has(args, "plot");
    if (people && !draw && m.points > MOST_SHOWN)
        return pl_cmd_usage_error(args,
                                  "a table shows at most %d combinations, and there are %zu: --format csv has all",
                                  MOST_SHOWN, m.points);
    m.names = pl_new((count + 1) * sizeof *m.names);
    m.ln = pl_new((m.points * count + 1) * sizeof *m.ln);
    int code = evaluate(args, settings, chosen, count, &m);
    if (!code && draw) {
        code = pl_theory_axes_draw(args, &m);
    } else if (!code) {
        struct pl_rows *rows = pl_rows_new(stdout, format->rows);
        if (people)
            print_people(&m, rows);
        else
            print_records(&m, rows);
        pl_rows_end(rows);
    }
    free(m.names);
    free(m.ln);
    return code;
}
