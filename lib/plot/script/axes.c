/* The axes of a panel: their ranges, scales and ticks, and how values are brought to their place on them. */
#include "plot/ticks.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Writes a percent sign so that gnuplot sees none: as an escape of its enhanced text, or of LaTeX. */
static void hide_percent(const struct pl_figure *figure, struct pl_text *text)
{
    bool escaped = text->length && text->text[text->length - 1] == '\\';
    if (figure->latex && escaped)
        pl_text_cut(text, text->length - 1);
    pl_text_add(text, figure->latex ? "\\symbol{37}" : figure->plain ? "%%" : "{\\045}");
}

/* gnuplot takes the label of a tick that has a percent sign for a format, whose result it cuts after 49 bytes, within a
 * character or a command of LaTeX. In a terminal, which has no escapes, such a label is cut before that, and whole. */
void pl_script_tick(const struct pl_figure *figure, struct pl_text *script, const char *label)
{
    enum { LONGEST_FORMATTED = 49 };
    struct pl_text shown = {0}, text = {0};
    pl_script_text(figure, &shown, label);
    if (figure->plain && strchr(label, '%'))
        for (size_t most = pl_ticks_width(label); shown.length > LONGEST_FORMATTED; most--) {
            pl_text_clear(&shown);
            pl_label_cut(&shown, label, most);
        }
    for (const char *c = pl_text(&shown); *c; c++)
        if (*c == '%')
            hide_percent(figure, &text);
        else
            pl_text_add_char(&text, *c);
    pl_label_quote(script, pl_text(&text));
    pl_text_release(&shown);
    pl_text_release(&text);
}

static void write_ticks(const struct pl_figure *figure, struct pl_text *script, const char *axis,
                        const struct pl_tick *ticks, size_t count)
{
    pl_text_addf(script, "unset m%stics\nset %stics (", axis, axis);
    for (size_t i = 0; i < count; i++) {
        pl_text_add(script, i ? ", " : "");
        pl_script_tick(figure, script, ticks[i].label);
        pl_text_addf(script, " %.17g", ticks[i].at);
    }
    pl_text_add(script, ")\n");
}

static struct pl_tick *copy_ticks(const struct pl_tick *ticks, size_t count, double unit)
{
    struct pl_tick *copy = pl_new((count + 1) * sizeof *copy);
    for (size_t i = 0; i < count; i++)
        copy[i] = (struct pl_tick){ticks[i].at / unit, pl_copy(ticks[i].label), NULL};
    return copy;
}

/* The values of a setting: every one has a tick, and a label where it has room. */
static void write_values(struct pl_script *script, const struct pl_tick_axis *axis, char which,
                         const struct pl_tick *ticks, size_t count, bool labels)
{
    char name[2] = {which, '\0'};
    struct pl_tick *shown = copy_ticks(ticks, count, pow(10, axis->power));
    struct pl_tick_axis room = *axis;
    if (which == 'x' && script->size.slant &&
        !script->figure->plain) { /* slanted labels are as far apart as lines are */
        room.gap = script->size.line / sin(script->size.slant * M_PI / 180);
        room.letter = 0;
    }
    pl_ticks_thin(&room, shown, count);
    for (size_t i = 0; i < count && !labels; i++)
        shown[i].label[0] = '\0';
    write_ticks(script->figure, script->text, name, shown, count);
    for (size_t i = 0; i < count; i++)
        free(shown[i].label);
    free(shown);
}

/* Without labels the ticks stay. */
static void write_axis(struct pl_script *script, const struct pl_panel *panel, char which, bool labels)
{
    struct pl_tick_axis axis;
    struct pl_ticks ticks;
    char name[2] = {which, '\0'};
    bool x = which == 'x';
    pl_layout_axis(script->figure, panel, script->options, &script->size, which, &axis);
    pl_text_addf(script->text, "set %srange [%.17g:%.17g]\n%s logscale %s\n", name, axis.range[0], axis.range[1],
                 axis.log ? "set" : "unset", name);
    if (x ? panel->x_tick_count : panel->y_tick_count) {
        write_values(script, &axis, which, x ? panel->x_ticks : panel->y_ticks,
                     x ? panel->x_tick_count : panel->y_tick_count, labels);
        return;
    }
    pl_ticks_make(&axis, &ticks);
    for (size_t i = 0; i < ticks.count && !labels; i++)
        ticks.list[i].label[0] = '\0';
    write_ticks(script->figure, script->text, name, ticks.list, ticks.count);
    pl_ticks_release(&ticks);
}

static void add_unit(struct pl_text *script, int power)
{
    pl_text_addf(script, power ? "v / 1e%d" : "v", power);
}

/* Lines that leave the panel are led a few heights beyond it: gnuplot's arithmetic is not made for 1e300. What has no
 * place is NaN, and so a gap. */
static void write_functions(struct pl_script *script, const struct pl_panel *panel)
{
    struct pl_text *text = script->text;
    const double *r = panel->y_range;
    int x_power = pl_scale_power(panel->x_range, panel->log_x), y_power = pl_scale_power(r, panel->log_y);
    double unit = pow(10, y_power), low = r[0] / unit, high = r[1] / unit, span = high - low;
    double from = low - 10 * span, to = high + 10 * span, inset[2] = {low + 0.03 * span, high - 0.03 * span};
    if (panel->log_y) {
        double decades = log10(high) - log10(low), share = pow(10, 0.03 * decades);
        from = fmax(pow(10, log10(low) - 2 * decades), DBL_MIN);
        to = fmin(pow(10, log10(high) + 2 * decades), 1e307);
        inset[0] = low * share;
        inset[1] = high / share;
    }
    pl_text_add(text, "x_at(v) = ");
    pl_text_add(text, panel->log_x ? "v <= 0 ? NaN : " : "");
    add_unit(text, x_power);
    pl_text_addf(text, "\nwithin(v) = v < %.17g ? %.17g : v > %.17g ? %.17g : v\n", from, from, to, to);
    pl_text_addf(text, "y_at(v) = %s ? within(", panel->log_y ? "v > 0 && v - v == 0" : "v - v == 0");
    add_unit(text, y_power);
    pl_text_add(text, ") : NaN\nband_at(v) = v == v ? within(");
    add_unit(text, y_power);
    pl_text_addf(text, ") : NaN\nlow_at(low, least) = band_at(%s)\n",
                 panel->log_y ? "low > least ? low : least" : "low"); /* one deviation may plunge towards zero */
    pl_text_addf(text, "top = %.17g\n", inset[1]);
    pl_text_addf(text, "edge_at(v) = v < 0.5 * (%.17g) + 0.5 * (%.17g) ? %.17g : %.17g\n", r[0], r[1], inset[0],
                 inset[1]);
}

static void write_breaks(const struct pl_panel *panel, struct pl_text *script)
{
    double unit = pow(10, pl_scale_power(panel->x_range, panel->log_x));
    for (int b = 0; b < 2; b++)
        if (isfinite(panel->x_breaks[b]))
            pl_text_addf(script, "set arrow from %.17g, graph 0 to %.17g, graph 1 nohead lc rgb '#999999' dt (2,3)\n",
                         panel->x_breaks[b] / unit, panel->x_breaks[b] / unit);
}

void pl_script_axes(struct pl_script *script, const struct pl_panel *panel, bool label_x, bool label_y)
{
    int slant = script->figure->plain ? 0 : script->size.slant;
    write_axis(script, panel, 'x', label_x);
    if (slant)
        pl_text_addf(script->text, "set xtics rotate by %d right\n", slant);
    else
        pl_text_add(script->text, "set xtics norotate\n");
    write_axis(script, panel, 'y', label_y);
    if (script->figure->kind != PL_FIGURE_HEATMAP)
        write_functions(script, panel);
    write_breaks(panel, script->text);
}

void pl_script_colour_scale(struct pl_script *script, const struct pl_panel *panel)
{
    struct pl_tick_axis axis;
    struct pl_ticks ticks;
    pl_layout_scale(panel, &script->size, &axis);
    pl_ticks_of_scale(panel, &axis, &ticks);
    pl_text_addf(script->text, "set cbrange [%.17g:%.17g]\n%s logscale cb\n", axis.range[0], axis.range[1],
                 axis.log ? "set" : "unset");
    pl_text_addf(script->text, "z_at(v) = v < %.17g ? %.17g : v > %.17g ? %.17g : ", panel->z_range[0], axis.range[0],
                 panel->z_range[1], axis.range[1]);
    add_unit(script->text, axis.power);
    pl_text_add_char(script->text, '\n');
    write_ticks(script->figure, script->text, "cb", ticks.list, ticks.count);
    pl_ticks_release(&ticks);
    pl_script_name(script->figure, &script->size, script->text, "cblabel", 'z', " offset 1,0");
}
