/* How large a figure is and where its panels and its legend stand, in inches. */
#include "plot/ticks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of an ordinary label, in inches. */
static const double letter_width = 0.086, line_height = 0.2;

size_t pl_layout_wrap(const char *text, double inches, double size, struct pl_text *out)
{
    size_t lines = 1, most = (size_t)fmax(inches / (0.85 * letter_width * size), 8), used = 0;
    while (*text) {
        size_t length = strcspn(text, " ");
        char *word = pl_copy_bytes(text, length);
        size_t width = pl_ticks_width(word);
        bool breaks = used && used + 1 + width > most;
        if (used)
            pl_text_add_char(out, breaks ? '\n' : ' ');
        lines += breaks;
        used = breaks || !used ? width : used + 1 + width;
        pl_text_add(out, word);
        free(word);
        text += length;
        text += strspn(text, " ");
    }
    return lines;
}

/* The lines of the titles above the panels. */
static double measure_heading(const struct pl_figure *figure, double width)
{
    size_t most = 0;
    for (size_t p = 0; p < figure->panel_count; p++) {
        struct pl_text wrapped = {0};
        size_t lines = pl_layout_wrap(figure->panels[p].title, width - 0.6, 1, &wrapped);
        most = figure->panels[p].title[0] && lines > most ? lines : most;
        pl_text_release(&wrapped);
    }
    return most ? 0.35 + line_height * (double)(most - 1) : 0.15;
}

int pl_scale_power(const double range[2], bool log)
{
    double most = fmax(fabs(range[0]), fabs(range[1]));
    if (log) /* gnuplot takes what is above half of the largest number for undefined */
        return range[1] > 1e280 ? 100 : range[0] < 1e-280 ? -100 : 0;
    if (most == 0 || (most < 1e150 && most > 1e-150))
        return 0;
    return (int)fmax(floor(log10(most)), -300);
}

void pl_layout_axis(const struct pl_figure *figure, const struct pl_panel *panel, const struct pl_plot_options *options,
                    const struct pl_layout_size *size, char which, struct pl_tick_axis *axis)
{
    bool x = which == 'x';
    const double *range = x ? panel->x_range : panel->y_range;
    *axis = (struct pl_tick_axis){
        .log = x ? panel->log_x : panel->log_y, .plain = figure->plain, .whole = x && panel->whole};
    axis->power = pl_scale_power(range, axis->log);
    for (int i = 0; i < 2; i++)
        axis->range[i] = range[i] / pow(10, axis->power);
    if (axis->log && !(axis->range[1] > axis->range[0] * (1 + 1e-6)))
        axis->log = false; /* too narrow to be bent, and for gnuplot's logarithms */
    if (figure->plain) {   /* characters */
        axis->length = x ? options->width - 14 : options->height - 8;
        axis->letter = x;
        axis->gap = x ? 2 : 1;
        return;
    }
    axis->length = x ? size->panel_width - size->left - size->right : size->panel_height - size->bottom - size->heading;
    axis->letter = x ? letter_width : 0;
    axis->gap = x ? 0.15 : 1.3 * line_height;
}

static size_t longest_label(const struct pl_figure *figure, size_t *shown)
{
    size_t longest = 0;
    *shown = 0;
    for (size_t i = 0; i < figure->legend_count; i++) {
        size_t width = pl_ticks_width(figure->legend[i].label);
        if (!figure->legend[i].shown || !width)
            continue;
        longest = width > longest ? width : longest;
        ++*shown;
    }
    for (int i = 0; i < PL_MARK_COUNT; i++)
        if (figure->marked[i]) {
            size_t width = pl_ticks_width(pl_script_mark_title((enum pl_mark)i, figure->kind));
            longest = longest < width ? width : longest;
            ++*shown;
        }
    *shown += figure->slope_count + figure->beside; /* "slope 0.25", "the mean" */
    return figure->slope_count && longest < 12 ? 12 : longest;
}

static size_t longest_tick(const struct pl_tick *ticks, size_t count)
{
    size_t longest = 0;
    for (size_t i = 0; i < count; i++) {
        size_t width = pl_ticks_width(ticks[i].label);
        longest = width > longest ? width : longest;
    }
    return longest;
}

/* The longest of a panel's labels along an axis. */
static size_t longest_of(const struct pl_figure *figure, const struct pl_panel *panel,
                         const struct pl_plot_options *options, const struct pl_layout_size *size, char which)
{
    struct pl_tick_axis axis;
    struct pl_ticks ticks;
    if (which == 'x' && panel->x_tick_count)
        return longest_tick(panel->x_ticks, panel->x_tick_count);
    if (which == 'y' && panel->y_tick_count)
        return longest_tick(panel->y_ticks, panel->y_tick_count);
    pl_layout_axis(figure, panel, options, size, which, &axis);
    pl_ticks_make(&axis, &ticks);
    size_t longest = longest_tick(ticks.list, ticks.count);
    pl_ticks_release(&ticks);
    return longest;
}

/* Labels along x stand slanted where they are words, upright where those are long. */
static int slant_of(const struct pl_figure *figure, size_t longest)
{
    const struct pl_panel *panel = &figure->panels[0];
    bool wide = figure->kind == PL_FIGURE_HEATMAP && letter_width * (double)longest > 0.95 * pl_layout_square(panel);
    return !panel->words && !wide ? 0 : longest > 16 ? 90 : 35;
}

/* Room for the labels of the axes. */
static void measure_margins(const struct pl_figure *figure, const struct pl_plot_options *options,
                            struct pl_layout_size *size)
{
    size_t x = 0, y = 0;
    for (size_t p = 0; p < figure->panel_count; p++) {
        const struct pl_panel *panel = &figure->panels[p];
        size_t width = longest_of(figure, panel, options, size, 'x');
        size_t height = longest_of(figure, panel, options, size, 'y');
        x = width > x ? width : x;
        y = height > y ? height : y;
    }
    size->slant = slant_of(figure, x);
    double half = size->slant ? 0 : letter_width * (double)x / 2 + 0.05; /* of a label at the end of the x axis */
    size->left = fmax(fmax(0.85, 0.55 + letter_width * (double)y), half);
    size->right = figure->z_label ? 1.3 : fmax(0.3, half);
    if (size->slant)
        size->bottom += 0.8 * letter_width * fmin((double)x, PL_LONGEST_TICK) * sin(size->slant * M_PI / 180);
}

double pl_layout_square(const struct pl_panel *panel)
{
    double columns = panel->x_range[1] - panel->x_range[0], rows = panel->y_range[1] - panel->y_range[0];
    return fmax(columns, rows) > 8 ? 0.52 : 0.72;
}

/* A heat map's squares all have one size. */
static void measure_squares(const struct pl_figure *figure, struct pl_layout_size *size)
{
    const struct pl_panel *panel = &figure->panels[0];
    double columns = panel->x_range[1] - panel->x_range[0], rows = panel->y_range[1] - panel->y_range[0];
    double side = pl_layout_square(panel);
    size->panel_width = fmin(fmax(columns * side, 1.8), 12) + size->left + size->right;
    size->panel_height = fmin(fmax(rows * side * 0.75, 1.5), 12) + size->bottom + 0.35;
}

/* Names stand at both sides of a diagram of ranks, half of them at each. */
static void measure_ranks(const struct pl_figure *figure, struct pl_layout_size *size)
{
    size_t longest = 0;
    for (size_t i = 0; i < figure->legend_count; i++) {
        size_t width = pl_ticks_width(figure->legend[i].label);
        longest = width > longest ? width : longest;
    }
    longest = longest > PL_LONGEST_NAME ? PL_LONGEST_NAME : longest;
    size->left = size->right = 0.25 + letter_width * (double)longest;
    size->bottom = 0.1;
    size->panel_width = fmin(fmax(3.4, 0.42 * (double)figure->legend_count), 7) + size->left + size->right;
    size->panel_height = PL_RANK_ROW * pl_layout_ranks_depth(figure) + size->bottom + size->heading;
}

/* The legend below the panels. The figure is as wide as its longest entry. */
static void measure_legend(const struct pl_figure *figure, struct pl_layout_size *size)
{
    size_t shown, longest = longest_label(figure, &shown);
    double entry = 0.078 * (double)longest + 0.75;
    if (!shown)
        return;
    size->width = fmax(size->width, fmin(entry + 0.4, 24));
    size->legend_columns = (size_t)fmax(1, floor((size->width - 0.4) / entry));
    size->legend_columns = size->legend_columns > shown ? shown : size->legend_columns;
    size->legend = 0.2 * ceil((double)shown / (double)size->legend_columns) + 0.12;
}

void pl_layout_measure(const struct pl_figure *figure, const struct pl_plot_options *options,
                       struct pl_layout_size *size)
{
    static const double widths[] = {6.2, 4.3, 3.6, 3.2}, heights[] = {3.9, 3.1, 2.7, 2.5};
    size_t panels = figure->panel_count;
    struct pl_text title = {0};
    *size = (struct pl_layout_size){0};
    size->columns = panels <= 3 ? panels : panels == 4 ? 2 : panels <= 9 ? 3 : 4;
    size->bottom = 0.6;
    size->panel_width = widths[size->columns - 1];
    size->panel_height = heights[size->columns - 1];
    size->heading = measure_heading(figure, size->panel_width);
    measure_margins(figure, options, size);
    if (figure->kind == PL_FIGURE_RANKS) {
        measure_ranks(figure, size);
    } else if (figure->kind == PL_FIGURE_HEATMAP) {
        measure_squares(figure, size);
        size->heading = measure_heading(figure, size->panel_width);
        while (size->columns > 1 && (double)size->columns * size->panel_width > 14)
            size->columns--;
    } else {
        size->panel_height = heights[size->columns - 1] + size->bottom - 0.6;
    }
    size->panel_height += fmax(size->heading - 0.35, 0);
    size->rows = (panels + size->columns - 1) / size->columns;
    size->width = (double)size->columns * size->panel_width;
    measure_legend(figure, size);
    double lines = (double)pl_layout_wrap(figure->title, size->width, 1.2, &title);
    size->title = figure->title[0] ? 0.4 + 1.2 * line_height * (lines - 1) : 0.05;
    size->height = size->title + size->legend + (double)size->rows * size->panel_height;
    pl_text_release(&title);
}
