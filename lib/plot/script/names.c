/* Names of axes that are longer than the picture: they are broken into lines, then set in smaller letters, then cut. */
#include "plot/ticks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A name's letters take less than those of labels, which are digits. Beside ordinary letters: the smallest before there
 * is another line, and of all. */
static const double share = 0.9, before_break = 0.8, smallest = 0.6;
static const double edge = 0.06; /* inches that stay free at the edge of the picture */
enum { MOST_LINES = 3 };

static double widest(const char *lines, double letter)
{
    size_t most = 0;
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        char *line = pl_copy_bytes(lines, length);
        size_t width = pl_ticks_width(line);
        most = width > most ? width : most;
        free(line);
        lines += length + (lines[length] == '\n');
    }
    return share * letter * (double)most;
}

/* Whether a name has room in so many lines of so many inches, with letters of that size beside ordinary ones. */
static bool fits(const char *name, double inches, size_t most, double size, const struct pl_layout_size *layout,
                 struct pl_text *out, size_t *lines)
{
    pl_text_clear(out);
    if (most == 1)
        pl_text_add(out, name);
    *lines = most == 1 ? 1 : pl_layout_wrap(name, 0.95 * inches, share * size * layout->scale, out);
    return *lines <= most && widest(pl_text(out), size * layout->letter) <= inches;
}

/* Returns the size. */
static double fit(const char *name, double inches, size_t most, const struct pl_layout_size *layout,
                  struct pl_text *out, size_t *lines)
{
    for (size_t rows = 1; rows <= most; rows++)
        for (double size = 1; size >= (rows < most ? before_break : smallest) - 1e-9; size -= 0.05)
            if (fits(name, inches, rows, size, layout, out, lines))
                return size;
    for (size_t letters = pl_ticks_width(name); letters > 1; letters--) {
        struct pl_text cut = {0};
        pl_label_cut(&cut, name, letters);
        bool found = fits(pl_text(&cut), inches, most, smallest, layout, out, lines);
        pl_text_release(&cut);
        if (found)
            break;
    }
    return smallest;
}

static const char *name_of(const struct pl_figure *figure, char which)
{
    return which == 'x' ? figure->x_label : which == 'y' ? figure->y_label : figure->z_label;
}

size_t pl_layout_name_lines(const struct pl_figure *figure, const struct pl_layout_size *layout, char which,
                            double inches)
{
    struct pl_text out = {0};
    const char *name = name_of(figure, which);
    size_t lines = 1;
    if (name && *name && !figure->plain)
        fit(name, inches, MOST_LINES, layout, &out, &lines);
    pl_text_release(&out);
    return lines;
}

double pl_layout_name(const struct pl_figure *figure, const struct pl_layout_size *layout, char which,
                      struct pl_text *out, bool *cut)
{
    const char *name = name_of(figure, which);
    bool single = layout->rows == 1;
    double width = layout->panel_width - layout->left - layout->right;
    double height = layout->panel_height - layout->bottom - layout->heading;
    double below = layout->bottom + (single ? layout->legend + layout->said : 0);
    double above = layout->heading + (single ? layout->title : 0);
    double more = fmax(0,
                       (which == 'x' ? fmin(layout->left, layout->right) : fmin(below, above)) - edge * layout->scale);
    double inches = (which == 'x' ? width : height) + 2 * more;
    size_t reserved = which == 'x' ? layout->x_lines : which == 'y' ? layout->y_lines : layout->z_lines, lines;
    *cut = false;
    if (figure->plain || !name || !*name) {
        pl_text_add(out, name ? name : "");
        return 1;
    }
    double size = fit(name, inches, reserved, layout, out, &lines);
    *cut = pl_ticks_width(pl_text(out)) < pl_ticks_width(name);
    return size;
}
