/* How large a figure is and where its panels and its legend stand, in inches. */
#include "plot/ticks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of an ordinary label, in inches: with room to spare of one with 8.5 points. */
static const double letter_width = 0.086, line_height = 0.2, ordinary = 8.5;

double pl_layout_points(const struct pl_figure *figure)
{
    if (figure->type.size > 0)
        return figure->type.size;
    if (figure->latex)
        return 10; /* what documents have */
    return figure->width > 0 || figure->height > 0 ? 8 : 0;
}

size_t pl_layout_wrap(const char *text, double inches, double size, struct pl_text *out)
{
    size_t lines = 1, most = (size_t)fmax(inches / (0.95 * letter_width * size), 8), used = 0;
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
static double measure_heading(const struct pl_figure *figure, const struct pl_layout_size *size)
{
    double scale = size->scale, width = size->panel_width - 0.6 * scale;
    size_t most = 0;
    for (size_t p = 0; p < figure->panel_count; p++) {
        struct pl_text wrapped = {0};
        size_t lines = pl_layout_wrap(figure->panels[p].title, width, scale, &wrapped);
        most = figure->panels[p].title[0] && lines > most ? lines : most;
        pl_text_release(&wrapped);
    }
    return most ? 0.35 * scale + size->line * (double)(most - 1) : 0.15 * scale;
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
    axis->letter = x ? size->letter : 0;
    axis->gap = x ? 0.15 * size->scale : 1.3 * size->line;
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
    if (which == 'y' && panel->axis_count) {
        pl_ticks_of_parallel(&panel->axes[0], size->panel_height - size->bottom, 1.3 * size->line, figure->plain,
                             &ticks);
    } else {
        pl_layout_axis(figure, panel, options, size, which, &axis);
        pl_ticks_make(&axis, &ticks);
    }
    size_t longest = longest_tick(ticks.list, ticks.count);
    pl_ticks_release(&ticks);
    return longest;
}

void pl_layout_scale(const struct pl_panel *panel, const struct pl_layout_size *size, struct pl_tick_axis *axis)
{
    int power = pl_scale_power(panel->z_range, panel->log_z);
    double unit = pow(10, power);
    *axis = (struct pl_tick_axis){.range = {panel->z_range[0] / unit, panel->z_range[1] / unit},
                                  .log = panel->log_z,
                                  .power = power,
                                  .gap = 1.3 * size->line,
                                  .length = size->panel_height - size->bottom - size->heading};
}

/* Room at the right of a panel for its scale of colours, with its labels and its name. */
static double scale_width(const struct pl_figure *figure, const struct pl_layout_size *size)
{
    const double bar = 0.26, name = 0.5; /* with what parts them; the name with that of letters */
    size_t longest = 0;
    for (size_t p = 0; p < figure->panel_count; p++) {
        struct pl_tick_axis axis;
        struct pl_ticks ticks;
        pl_layout_scale(&figure->panels[p], size, &axis);
        if (!(axis.range[0] < axis.range[1]) || !(axis.length > 0))
            continue;
        pl_ticks_of_scale(&figure->panels[p], &axis, &ticks);
        size_t width = longest_tick(ticks.list, ticks.count);
        longest = width > longest ? width : longest;
        pl_ticks_release(&ticks);
    }
    return fmax(1.3 * size->scale, bar + name * size->scale + size->letter * (double)longest);
}

/* Labels along x stand slanted where they are words, upright where those are long. Those of a heat map's columns and of
 * parallel axes are slanted where some would have no room. */
static int slant_of(const struct pl_figure *figure, const struct pl_layout_size *size, size_t longest)
{
    const struct pl_panel *panel = &figure->panels[0];
    bool parallel = figure->kind == PL_FIGURE_PARALLEL;
    double room = pl_layout_square(panel);
    if (figure->width > 0 || parallel)
        room = (size->panel_width - size->left - size->right) / (panel->x_range[1] - panel->x_range[0]);
    bool wide = (figure->kind == PL_FIGURE_HEATMAP || parallel) &&
                size->letter * (double)longest + 0.15 * size->scale > room;
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
    double scale = size->scale, letter = size->letter;
    size->left = fmax(0.85 * scale, 0.55 * scale + letter * (double)y);
    size->right = figure->z_label ? scale_width(figure, size) : 1.3 * scale;
    size->slant = slant_of(figure, size, x);
    double half = size->slant ? 0 : letter * (double)x / 2 + 0.05; /* of a label at the end of the x axis */
    size->left = fmax(size->left, half);
    size->inner = figure->share_y ? fmax(0.1 * scale, half) : fmax(size->left - 0.3 * scale, half);
    size->right = figure->z_label ? size->right : fmax(0.3 * scale, half);
    if (size->slant)
        size->bottom += 0.93 * letter * (double)x * sin(size->slant * M_PI / 180);
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
    double side = pl_layout_square(panel) * fmax(size->scale, 1);
    if (figure->width > 0)
        side = (size->panel_width - size->left - size->right) / columns;
    else
        size->panel_width = fmin(fmax(columns * side, 1.8), 12);
    size->panel_height = fmin(fmax(rows * side * 0.75, 1.5), 12) + size->bottom + 0.35 * size->scale;
    size->right = scale_width(figure, size);
    if (figure->width <= 0)
        size->panel_width += size->left + size->right;
}

/* Room for names of axes that take several lines. */
static void measure_names(const struct pl_figure *figure, struct pl_layout_size *size)
{
    double rows = ceil((double)figure->panel_count / (double)size->columns);
    double panel = figure->height > 0 ? figure->height / rows : size->panel_height;
    double height = panel - size->bottom - size->heading + 2 * fmin(size->bottom, size->heading);
    size->y_lines = pl_layout_name_lines(figure, size, 'y', height);
    size->z_lines = pl_layout_name_lines(figure, size, 'z', height);
    double left = size->line * (double)(size->y_lines - 1), right = size->line * (double)(size->z_lines - 1);
    size->left += left;
    size->right += right;
    if (figure->kind == PL_FIGURE_HEATMAP && figure->width <= 0)
        size->panel_width += left + right;
    size->x_lines = pl_layout_name_lines(
        figure, size, 'x', size->panel_width - size->left - size->right + 2 * fmin(size->left, size->right));
    size->bottom += size->line * (double)(size->x_lines - 1);
    size->panel_height += size->line * (double)(size->x_lines - 1);
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
    size->left = size->inner = size->right = 0.25 * size->scale + size->letter * (double)longest;
    size->bottom = 0.1 * size->scale;
    if (figure->width <= 0)
        size->panel_width = fmin(fmax(3.4, 0.42 * (double)figure->legend_count), 7) + size->left + size->right;
    size->panel_height = PL_RANK_ROW * size->scale * pl_layout_ranks_depth(figure) + size->bottom + size->heading;
}

static const double key = 0.75, entry_letter = 0.9; /* inches of an entry's line and mark; of letters, beside labels */

static double entry_width(const struct pl_layout_size *size, size_t letters)
{
    return entry_letter * size->letter * (double)letters + key * size->scale;
}

/* The legend below the panels. The figure is as wide as its longest entry, where nobody says how wide it is. */
static void measure_legend(const struct pl_figure *figure, struct pl_layout_size *size)
{
    size_t shown, longest = longest_label(figure, &shown);
    double entry = entry_width(size, longest), margin = 0.4 * size->scale;
    if (!shown)
        return;
    if (figure->width <= 0)
        size->width = fmax(size->width, fmin(entry + margin, 24));
    size->legend_columns = (size_t)fmax(1, floor((size->width - margin) / entry));
    size->legend_columns = size->legend_columns > shown ? shown : size->legend_columns;
    size->legend = size->line * ceil((double)shown / (double)size->legend_columns) + 0.12;
}

size_t pl_layout_entry(const struct pl_figure *figure, const struct pl_layout_size *size)
{
    if (figure->width <= 0)
        return SIZE_MAX;
    return (size_t)fmax(8, (size->width - (0.2 + key) * size->scale) / (entry_letter * size->letter));
}

/* How many panels stand beside each other, and how large each is. */
static void measure_panels(const struct pl_figure *figure, struct pl_layout_size *size)
{
    static const double widths[] = {6.2, 4.3, 3.6, 3.2}, heights[] = {3.9, 3.1, 2.7, 2.5};
    static const double least = 2; /* inches of a panel, where ordinary letters are used */
    size_t panels = figure->panel_count;
    double larger = fmax(size->scale, 1);
    size->columns = panels <= 3 ? panels : panels == 4 ? 2 : panels <= 9 ? 3 : 4;
    size->bottom = 0.6 * size->scale;
    while (figure->width > 0 && size->columns > 1 && figure->width / (double)size->columns < least * size->scale)
        size->columns--;
    size->panel_width = widths[size->columns - 1] * larger;
    size->panel_height = heights[size->columns - 1] * larger;
    if (figure->width <= 0)
        return;
    size->panel_height *= figure->width / (double)size->columns / size->panel_width;
    size->panel_height = fmax(size->panel_height, 1.6 * size->scale);
    size->panel_width = figure->width / (double)size->columns;
}

static void measure_said(const struct pl_figure *figure, struct pl_layout_size *size)
{
    struct pl_text said = {0};
    if (figure->said && figure->said[0])
        size->said = PL_LAYOUT_SAID * size->line *
                     (0.6 +
                      (double)pl_layout_wrap(figure->said, size->width - 0.2, PL_LAYOUT_SAID * size->scale, &said));
    pl_text_release(&said);
}

void pl_layout_measure(const struct pl_figure *figure, const struct pl_plot_options *options,
                       struct pl_layout_size *size)
{
    size_t panels = figure->panel_count;
    struct pl_text title = {0};
    double points = pl_layout_points(figure), scale = points > 0 ? points / ordinary : 1;
    *size = (struct pl_layout_size){.scale = scale, .letter = letter_width * scale, .line = line_height * scale};
    measure_panels(figure, size);
    double bottom = size->bottom;
    size->heading = measure_heading(figure, size);
    measure_margins(figure, options, size);
    if (figure->kind == PL_FIGURE_RANKS) {
        measure_ranks(figure, size);
    } else if (figure->kind == PL_FIGURE_HEATMAP) {
        measure_squares(figure, size);
        size->heading = measure_heading(figure, size);
        while (figure->width <= 0 && size->columns > 1 && (double)size->columns * size->panel_width > 14)
            size->columns--;
    } else {
        size->panel_height += size->bottom - bottom;
    }
    measure_names(figure, size);
    size->panel_height += fmax(size->heading - 0.35 * scale, 0);
    size->rows = (panels + size->columns - 1) / size->columns;
    size->width = figure->width > 0 ? figure->width : (double)size->columns * size->panel_width;
    measure_legend(figure, size);
    double lines = (double)pl_layout_wrap(figure->title, size->width, 1.2 * scale, &title);
    size->title = figure->title[0] ? (0.4 + 1.2 * line_height * (lines - 1)) * scale : 0.05;
    measure_said(figure, size);
    /* Between rows that share x is room for what stands above a panel alone. */
    double rows = (double)size->rows, spared = figure->share_x ? fmax(size->bottom - 0.15 * scale, 0) : 0;
    if (figure->height > 0)
        size->panel_height = (figure->height - size->title - size->legend - size->said + (rows - 1) * spared) / rows;
    size->pitch = size->panel_height - spared;
    size->height = size->title + size->legend + size->said + (rows - 1) * size->pitch + size->panel_height;
    pl_text_release(&title);
}

double pl_layout_numbers(const struct pl_figure *figure, const struct pl_layout_size *size, bool *two)
{
    static const double ordinary_number = 0.9, second = 0.7, least = 0.5;
    size_t longest[2] = {0};
    const struct pl_panel *panel = &figure->panels[0];
    for (size_t p = 0; p < figure->panel_count; p++)
        for (size_t i = 0; i < figure->panels[p].square_count; i++) {
            const char *text = figure->panels[p].squares[i].text, *rest = strchr(text, '\n');
            size_t first = rest ? (size_t)(rest - text) : strlen(text), other = rest ? strlen(rest + 1) : 0;
            longest[0] = first > longest[0] ? first : longest[0];
            longest[1] = other > longest[1] ? other : longest[1];
        }
    double width = (size->panel_width - size->left - size->right) / (panel->x_range[1] - panel->x_range[0]);
    double height = (size->panel_height - size->bottom - size->heading) / (panel->y_range[1] - panel->y_range[0]);
    double room = fmin(width / (0.95 * size->letter * (double)longest[0]), height / size->line);
    *two = longest[1] && height > 1.9 * size->line * fmin(room, ordinary_number) &&
           width / (0.95 * size->letter * (double)longest[1]) > fmin(room, ordinary_number) * second / ordinary_number;
    return room < least ? 0 : fmin(room, ordinary_number);
}

static bool deviations(const struct pl_figure *figure)
{
    for (size_t p = 0; p < figure->panel_count; p++)
        for (size_t i = 0; i < figure->panels[p].square_count; i++)
            if (strchr(figure->panels[p].squares[i].text, '\n'))
                return true;
    return false;
}

static void note_names(const struct pl_figure *figure, const struct pl_layout_size *size, struct pl_text *notes)
{
    const char *const names[] = {figure->x_label, figure->y_label, figure->z_label};
    for (int i = 0; i < 3; i++) {
        struct pl_text name = {0};
        bool cut;
        pl_layout_name(figure, size, "xyz"[i], &name, &cut);
        pl_text_release(&name);
        if (!cut)
            continue;
        pl_label_unmarked(&name, names[i], figure->plain);
        pl_text_addf(notes, "The name of the %c axis is cut, since the figure is smaller than it is: \"%s\".\n",
                     "xyz"[i], pl_text(&name));
        pl_text_release(&name);
    }
}

int pl_layout_check(const struct pl_figure *figure, const struct pl_plot_options *options, struct pl_text *notes,
                    struct pl_error *err)
{
    struct pl_layout_size size;
    size_t shown;
    pl_layout_measure(figure, options, &size);
    const double least = 0.5 * size.scale; /* inches of what is within the axes */
    double width = size.panel_width - size.left - size.right, height = size.panel_height - size.bottom - size.heading;
    if (figure->plain)
        return 0;
    if (width < least)
        return pl_fail(err, PL_EINPUT,
                       "figure %s is %.2fin wide, which leaves no room for its panels; it needs %.2fin, smaller "
                       "letters, or fewer panels",
                       figure->name, figure->width, size.width + (least - width) * (double)size.columns);
    if (height < least)
        return pl_fail(err, PL_EINPUT,
                       "figure %s is %.2fin high, which leaves no room for its panels; it needs %.2fin, smaller "
                       "letters, or fewer lines and panels",
                       figure->name, figure->height, size.height + (least - height) * (double)size.rows);
    if (longest_label(figure, &shown) > pl_layout_entry(figure, &size))
        pl_text_add(notes, "Names in the legend are cut, since the figure is narrower than they are.\n");
    note_names(figure, &size, notes);
    bool two;
    if (figure->kind == PL_FIGURE_HEATMAP && !(pl_layout_numbers(figure, &size, &two) > 0))
        pl_text_add(notes, "Squares have no numbers, which would be larger than they are.\n");
    else if (figure->kind == PL_FIGURE_HEATMAP && !two && deviations(figure))
        pl_text_add(notes, "Squares have no room for the deviations.\n");
    return 0;
}
