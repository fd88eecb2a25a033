/* How large a figure is and where its panels and its legend stand, in inches. */
#include "plot/plot_priv.h"

#include <math.h>
#include <string.h>

/* Characters that a label shows: its markup takes no room. */
static size_t shown_width(const char *label)
{
    size_t width = pl_text_width(label);
    for (const char *c = label; *c; c++) {
        if (*c == '\\' && c[1])
            c++;
        else if (!strchr("{}^_", *c))
            continue;
        width--;
    }
    return width;
}

static size_t longest_label(const struct pl_figure *figure, size_t *shown)
{
    size_t longest = 0;
    *shown = 0;
    for (size_t i = 0; i < figure->legend_count; i++) {
        size_t width = shown_width(figure->legend[i].label);
        if (!figure->legend[i].shown || !width)
            continue;
        longest = width > longest ? width : longest;
        ++*shown;
    }
    if (figure->any_lost || figure->any_turn) { /* no figure has both */
        longest = longest < 18 ? 18 : longest;
        ++*shown;
    }
    *shown += figure->slope_count; /* "slope 0.25" */
    return figure->slope_count && longest < 12 ? 12 : longest;
}

static size_t longest_tick(const struct pl_tick *ticks, size_t count)
{
    size_t longest = 0;
    for (size_t i = 0; i < count; i++) {
        size_t width = shown_width(ticks[i].label);
        longest = width > longest ? width : longest;
    }
    return longest;
}

/* Room for the labels of the axes. Words along x are slanted. */
static void measure_margins(const struct pl_figure *figure, struct pl_layout_size *size)
{
    const struct pl_panel *panel = &figure->panels[0];
    size->left = 0.85;
    size->right = 0.3;
    size->bottom = 0.6;
    if (panel->slanted)
        size->bottom += 0.06 * (double)longest_tick(panel->x_ticks, panel->x_tick_count);
    if (figure->kind == PL_FIGURE_HEATMAP) {
        size->left = fmax(0.85, 0.55 + 0.085 * (double)longest_tick(panel->y_ticks, panel->y_tick_count));
        size->right = 1.3;
    }
}

/* A heat map's squares all have one size. */
static void measure_squares(const struct pl_figure *figure, struct pl_layout_size *size)
{
    const struct pl_panel *panel = &figure->panels[0];
    double columns = panel->x_range[1] - panel->x_range[0], rows = panel->y_range[1] - panel->y_range[0];
    double side = fmax(columns, rows) > 8 ? 0.52 : 0.72;
    size->panel_width = fmin(fmax(columns * side, 1.8), 12) + size->left + size->right;
    size->panel_height = fmin(fmax(rows * side * 0.75, 1.5), 12) + size->bottom + 0.35;
}

void pl_layout_measure(const struct pl_figure *figure, struct pl_layout_size *size)
{
    static const double widths[] = {6.2, 4.3, 3.6, 3.2}, heights[] = {3.9, 3.1, 2.7, 2.5};
    size_t panels = figure->panel_count, shown;
    *size = (struct pl_layout_size){0};
    size->columns = panels <= 3 ? panels : panels == 4 ? 2 : panels <= 9 ? 3 : 4;
    measure_margins(figure, size);
    if (figure->kind == PL_FIGURE_HEATMAP) {
        measure_squares(figure, size);
        while (size->columns > 1 && (double)size->columns * size->panel_width > 14)
            size->columns--;
    } else {
        size->panel_width = widths[size->columns - 1];
        size->panel_height = heights[size->columns - 1] + size->bottom - 0.6;
    }
    size->rows = (panels + size->columns - 1) / size->columns;
    size->width = (double)size->columns * size->panel_width;
    size->title = figure->title[0] ? 0.4 : 0.05;
    size_t longest = longest_label(figure, &shown);
    if (shown) {
        double entry = 0.078 * (double)longest + 0.75;
        size->legend_columns = (size_t)fmax(1, floor((size->width - 0.4) / entry));
        size->legend_columns = size->legend_columns > shown ? shown : size->legend_columns;
        size->legend = 0.2 * ceil((double)shown / (double)size->legend_columns) + 0.12;
    }
    size->height = size->title + size->legend + (double)size->rows * size->panel_height;
}
