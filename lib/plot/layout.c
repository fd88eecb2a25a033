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
    if (figure->any_lost) {
        longest = longest < 18 ? 18 : longest;
        ++*shown;
    }
    return longest;
}

/* A heat map's squares all have one size. */
static void measure_squares(const struct pl_figure *figure, struct pl_layout_size *size)
{
    const struct pl_panel *panel = &figure->panels[0];
    double columns = panel->x_range[1] - panel->x_range[0], rows = panel->y_range[1] - panel->y_range[0];
    double side = fmax(columns, rows) > 8 ? 0.52 : 0.72;
    size->panel_width = fmin(fmax(columns * side, 1.8), 12) + 2.15;
    size->panel_height = fmin(fmax(rows * side * 0.75, 1.5), 12) + 0.95;
}

void pl_layout_measure(const struct pl_figure *figure, struct pl_layout_size *size)
{
    static const double widths[] = {6.2, 4.3, 3.6, 3.2}, heights[] = {3.9, 3.1, 2.7, 2.5};
    size_t panels = figure->panel_count, shown;
    *size = (struct pl_layout_size){0};
    size->columns = panels <= 3 ? panels : panels == 4 ? 2 : panels <= 9 ? 3 : 4;
    if (figure->kind == PL_FIGURE_HEATMAP) {
        measure_squares(figure, size);
        while (size->columns > 1 && (double)size->columns * size->panel_width > 14)
            size->columns--;
    } else {
        size->panel_width = widths[size->columns - 1];
        size->panel_height = heights[size->columns - 1];
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
