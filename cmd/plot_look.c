#include "plot_look.h"

static bool read_length(const struct pl_args *args, const char *option, double *inches)
{
    const char *given = pl_args_get(args, option, NULL);
    if (!given || pl_length_read(given, inches))
        return true;
    pl_cmd_usage_error(args, "--%s is '%s', but must be a length in in, cm, mm or pt, from 1in to 40in, such as 3.25in",
                       option, given);
    return false;
}

bool pl_plot_read_look(const struct pl_args *args, struct pl_figure_spec *own)
{
    const char *font = pl_args_get(args, "font", NULL);
    if (font && !pl_font_read(font, &own->font)) {
        pl_cmd_usage_error(
            args, "--font is '%s', but must be a family, a size from 4 to 48 points, or both, such as Times,9", font);
        return false;
    }
    return read_length(args, "width", &own->width) && read_length(args, "height", &own->height);
}

void pl_plot_amend_look(const struct pl_args *args, const struct pl_figure_spec *own, struct pl_figure_spec *spec)
{
    if (pl_args_has(args, "width"))
        spec->width = own->width;
    if (pl_args_has(args, "height"))
        spec->height = own->height;
    if (pl_args_has(args, "font"))
        spec->font = own->font;
}
