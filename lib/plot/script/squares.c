/* The plot command and the data of a heat map. */
#include "plot/plot_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A terminal has whole lines only, and no frame: there the best square's value has a star, as in a table. letters: how
 * large they are, beside ordinary ones. */
static void add_lines_of_text(const struct pl_figure *figure, const struct pl_square *square, const char *colour,
                              double letters, bool two, struct pl_text *script)
{
    const char *text = square->text;
    double upper = figure->plain ? 0 : 0.5 * letters, lower = figure->plain ? -1 : -0.61 * letters;
    two &= strchr(text, '\n') != NULL;
    for (double shift = two ? upper : 0;; shift = lower) {
        size_t length = strcspn(text, "\n");
        struct pl_text label = {0};
        char *line = pl_copy_bytes(text, length);
        pl_label_text(&label, line, figure->plain);
        pl_text_add(&label, figure->plain && square->best && text == square->text ? "*" : "");
        pl_text_add(script, "set label ");
        pl_script_quote(figure, script, pl_text(&label));
        pl_text_addf(script, " at %zu,%zu center offset 0,%.3g front tc rgb '%s' font ',%.4g'\n", square->column + 1,
                     square->row + 1, shift, colour, (shift < 0 ? 0.78 : 1) * letters * figure->font);
        pl_text_release(&label);
        free(line);
        text += length;
        if (!*text || !two)
            break;
        text++;
    }
}

static void add_frame(const struct pl_square *square, double margin, const char *colour, double width,
                      struct pl_text *script)
{
    double x = (double)square->column + 1, y = (double)square->row + 1, half = 0.5 - margin;
    pl_text_addf(script, "set object rectangle from %.4g,%.4g to %.4g,%.4g front fs empty border lc rgb '%s' lw %g\n",
                 x - half, y - half, x + half, y + half, colour, width);
}

static void add_row(struct pl_text *data, const struct pl_square *square)
{
    pl_text_addf(data, "%zu %zu ", square->column + 1, square->row + 1);
    pl_script_number(data, square->value);
    pl_text_add_char(data, ' ');
    pl_script_number(data, square->deviation);
    pl_text_addf(data, " %lld %lld\n", (long long)square->n, (long long)square->diverged);
}

static void add_square(const struct pl_figure *figure, const struct pl_panel *panel, const struct pl_square *square,
                       double letters, bool two, struct pl_text *script)
{
    bool white = false;
    if (isfinite(square->value)) {
        pl_colour_at(figure, pl_colour_place(panel, square->value), &white);
    } else if (!figure->plain) {
        pl_text_addf(script, "set object rectangle center %zu,%zu size 1,1 behind fc rgb '%s' fs solid noborder\n",
                     square->column + 1, square->row + 1, square->diverged ? "#D0D0D0" : "#F4F4F4");
    }
    if (letters > 0)
        add_lines_of_text(figure, square, white ? "#FFFFFF" : "#000000", letters, two, script);
    if (square->best && !figure->plain) {
        add_frame(square, 0.02, "#FFFFFF", 3.4, script);
        add_frame(square, 0.02, "#000000", 1.6, script);
    }
}

static void add_values(struct pl_text *data, const char *axis, const struct pl_tick *ticks, size_t count)
{
    pl_text_addf(data, "# %s:", axis);
    for (size_t i = 0; i < count; i++)
        pl_text_addf(data, "%s %.17g is %s", i ? "," : "", ticks[i].at,
                     ticks[i].whole ? ticks[i].whole : ticks[i].label);
    pl_text_add_char(data, '\n');
}

/* Values outside the colour scale have the colour of its end. */
void pl_script_squares(struct pl_script *s, const struct pl_panel *panel)
{
    const struct pl_figure *figure = s->figure;
    bool any = false, two = true;
    double letters = figure->plain ? 0.9 : pl_layout_numbers(figure, &s->size, &two);
    add_values(s->data, "columns", panel->x_ticks, panel->x_tick_count);
    add_values(s->data, "rows", panel->y_ticks, panel->y_tick_count);
    size_t block = pl_script_block(s, panel->title, "column row value deviation runs diverged");
    for (size_t i = 0; i < panel->square_count; i++) {
        add_square(figure, panel, &panel->squares[i], letters, two, s->text);
        add_row(s->data, &panel->squares[i]);
        any |= isfinite(panel->squares[i].value);
    }
    if (!panel->square_count)
        pl_text_add(s->data, "1 1 NaN NaN 0 0\n");
    pl_script_end_block(s);
    if (figure->plain || !any) {
        pl_text_add(s->text, "plot NaN notitle\n");
        return;
    }
    pl_script_colour_scale(s, panel);
    pl_text_add(s->text, "plot ");
    pl_script_source(s, block);
    pl_text_add(s->text, "using ($3 - $3 == 0 ? $1 : NaN):2:(0.5):(0.5):(z_at($3)) with boxxyerror lc palette fs solid "
                         "noborder notitle\n");
}
