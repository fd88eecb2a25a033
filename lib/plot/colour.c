/* The scale of colours: of the values of a heat map, of the setting that colours a scatter, of the lines of a parallel
 * figure. */
#include "plot/ticks.h"

#include <math.h>

/* Viridis (Smith and van der Walt): even steps of lightness, so that it survives grey printing. */
static const unsigned char viridis[][3] = {{68, 1, 84},    {72, 40, 120},  {62, 74, 137},  {49, 104, 142},
                                           {38, 130, 142}, {31, 158, 137}, {53, 183, 121}, {109, 205, 89},
                                           {180, 222, 44}, {253, 231, 37}};
enum { SHADES = sizeof viridis / sizeof *viridis };

/* On squares the best is the lightest; of lines, which stand on white, the darkest. A setting is lighter as it grows.
 */
static bool is_reversed(const struct pl_figure *figure)
{
    return (figure->kind == PL_FIGURE_HEATMAP && figure->direction == PL_MINIMIZE) ||
           (figure->kind == PL_FIGURE_PARALLEL && figure->direction == PL_MAXIMIZE);
}

double pl_colour_place(const struct pl_panel *panel, double value)
{
    const double *z = panel->z_range;
    return pl_ticks_share(z, panel->log_z, fmin(fmax(value, z[0]), z[1]));
}

unsigned pl_colour_at(const struct pl_figure *figure, double place, bool *white)
{
    double scaled = fmin(fmax(is_reversed(figure) ? 1 - place : place, 0), 1) * (SHADES - 1);
    size_t below = scaled >= SHADES - 1 ? SHADES - 2 : (size_t)scaled;
    double share = scaled - (double)below, rgb[3];
    for (int i = 0; i < 3; i++)
        rgb[i] = (1 - share) * viridis[below][i] + share * viridis[below + 1][i];
    *white = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] < 125;
    return (unsigned)lround(rgb[0]) << 16 | (unsigned)lround(rgb[1]) << 8 | (unsigned)lround(rgb[2]);
}

void pl_colour_palette(const struct pl_figure *figure, struct pl_text *script)
{
    pl_text_add(script, "set palette defined (");
    for (size_t i = 0; i < SHADES; i++) {
        const unsigned char *c = viridis[is_reversed(figure) ? SHADES - 1 - i : i];
        pl_text_addf(script, "%s%zu '#%02X%02X%02X'", i ? ", " : "", i, c[0], c[1], c[2]);
    }
    pl_text_add(script, ")\n");
}
