/* Figures read back: the script that draws one writes a table instead (gnuplot's `set table`). */
#ifndef PL_TEST_FIGURES_READ_H
#define PL_TEST_FIGURES_READ_H

#include "figures_data.h"

/* ---- what gnuplot draws ---- */

struct curve {
    int panel;
    char title[80];
    struct {
        double x, y, colour;
        double all[8];
        bool drawn;
    } rows[4 * EPOCHS];
    size_t count;
};

static struct curve curves[MOST_CURVES];
static size_t curve_count;

static inline char *file_in(const char *name)
{
    struct pl_text path = {0};
    pl_text_addf(&path, "%s/%s", folder, name);
    return pl_text_take(&path);
}

/* The script without the lines that make it a picture. */
static inline void make_table(const char *script, const char *data)
{
    static const char *const left_out[] = {"set terminal", "set output", "unset output", "set multiplot",
                                           "unset multiplot"};
    struct pl_text text = {0};
    pl_text_add(&text, "set terminal unknown\nset format xy '%.17g'\nset table 'fig.tbl'\n");
    for (const char *line = script; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        int length = (int)strcspn(line, "\n") + 1;
        bool picture = false;
        for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
            picture |= !strncmp(line, left_out[i], strlen(left_out[i]));
        if (!picture)
            pl_text_addf(&text, "%.*s", length, line);
    }
    char *script_path = file_in("fig.gp"), *data_path = file_in("fig.dat"), command[200];
    ok(pl_file_write(script_path, pl_text(&text), text.length, &err));
    ok(pl_file_write(data_path, data, strlen(data), &err));
    snprintf(command, sizeof command, "cd %s && rm -f fig.tbl && gnuplot -d fig.gp 2>messages", folder);
    int status = system(command);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fail_msg("gnuplot failed on %s", script_path);
    free(script_path);
    free(data_path);
    pl_text_release(&text);
}

/* Rows are "x y ... type" with i (drawn), o (outside the range) or u (undefined). */
static inline void read_row(struct curve *curve, const char *line)
{
    double numbers[8] = {0};
    int count = 0;
    char *end;
    for (; count < 8; count++, line = end) {
        numbers[count] = strtod(line, &end);
        if (end == line)
            break;
    }
    if (count < 2 || curve->count == sizeof curve->rows / sizeof *curve->rows)
        return;
    line += strspn(line, " ");
    memcpy(curve->rows[curve->count].all, numbers, sizeof numbers);
    curve->rows[curve->count].x = numbers[0];
    curve->rows[curve->count].y = numbers[1];
    curve->rows[curve->count].colour = numbers[count - 1];
    curve->rows[curve->count++].drawn = *line != 'u';
}

static inline void read_table(void)
{
    struct pl_text table = {0};
    char *path = file_in("fig.tbl");
    int panel = -1;
    ok(pl_file_read(path, 64 << 20, &table, &err));
    curve_count = 0;
    for (const char *line = pl_text(&table); *line; line += strcspn(line, "\n"), line += *line == '\n') {
        int number;
        if (sscanf(line, "# Curve %d of", &number) == 1) {
            panel += !number;
            assert_true(curve_count < MOST_CURVES);
            curves[curve_count++] = (struct curve){.panel = panel};
        } else if (!strncmp(line, "# Curve title: \"", 16)) {
            snprintf(curves[curve_count - 1].title, sizeof curves->title, "%.*s", (int)strcspn(line + 16, "\"\n"),
                     line + 16);
        } else if (*line != '#' && *line != '\n' && curve_count) {
            read_row(&curves[curve_count - 1], line);
        }
    }
    free(path);
    pl_text_release(&table);
}

/* The curve of a line in a panel: its title is the line's name, to which brackets may add what became of it. */
static inline const struct curve *curve_of(int panel, const char *line)
{
    for (size_t i = 0; i < curve_count; i++)
        if (curves[i].panel == panel && !strncmp(curves[i].title, line, strlen(line)) &&
            strchr(" ", curves[i].title[strlen(line)]))
            return &curves[i];
    return NULL;
}

/* ---- what the data file says ---- */

/* The block of a line in a panel, after its first line; NULL: none. */
static inline const char *block_of(const char *data, int panel, const char *line, const char *what)
{
    char heading[40], name[40];
    snprintf(heading, sizeof heading, "# panel %d:", panel + 1);
    snprintf(name, sizeof name, "] %s", line);
    const char *from = strstr(data, heading), *to;
    assert_non_null(from);
    to = strstr(from + 1, "# panel ");
    for (const char *at = from; (at = strstr(at, "# [")) && (!to || at < to); at++) {
        const char *end = at + strcspn(at, "\n"), *found = strstr(at, name), *said = strstr(at, what);
        if (found && found < end && said && said < end && strchr(": ", found[strlen(name)]))
            return end + 1;
    }
    return NULL;
}

static inline size_t rows_of(const char *block)
{
    size_t rows = 0;
    for (; block && *block && *block != '\n'; block += strcspn(block, "\n") + 1)
        rows++;
    return rows;
}

static inline bool alike(double a, double b, double tolerance)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    return a == b || fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b)) + DBL_MIN;
}

/* Is what was drawn of y right, in the units of the axis? Far beyond the axis it may be anywhere on that side. */
static inline bool is_right(const struct pl_panel *panel, double y, double shown, bool drawn)
{
    double unit = pow(10, pl_scale_power(panel->y_range, panel->log_y)), low = panel->y_range[0],
           high = panel->y_range[1];
    bool has_place = isfinite(y) && !(panel->log_y && y <= 0);
    if (!has_place || !drawn || isnan(shown))
        return !has_place && (!drawn || isnan(shown));
    if (y >= low && y <= high)
        return fabs(y / unit - shown) <=
               1e-9 * fmax(fabs(y / unit), (high / unit - low / unit) * (panel->log_y ? 0 : 1));
    return y < low ? shown < low / unit : shown > high / unit;
}

static char where_key[] = "where", name_key[] = "name", lambda_key[] = "lambda", loss[] = "loss";
static char *panels[] = {where_key}, *lines[] = {name_key};

/* Makes a figure and reads it back. False: there is nothing to draw. */
static inline bool read_back(struct pl_results *results, const struct pl_figure_spec *spec, struct pl_figure *figure,
                             struct pl_text *data, struct pl_text *notes)
{
    struct pl_plot_options options = {.format = PL_PLOT_PNG};
    struct pl_text script = {0};
    pl_text_clear(data);
    pl_text_clear(notes);
    int status = pl_figure_make(figure, results, spec, false, notes, &err);
    if (status == PL_EMISSING)
        return false;
    check_ok(status, "pl_figure_make");
    pl_script_write(figure, "fig", &options, &script, data);
    make_table(pl_text(&script), pl_text(data));
    read_table();
    pl_text_release(&script);
    return true;
}

#endif
