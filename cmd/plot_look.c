#include "plot_look.h"

#include "cmd_results.h"
#include "plot/plot.h"

#include <string.h>
#include <sys/stat.h>

static bool read_length(const struct pl_args *args, const char *option, double *inches)
{
    const char *given = pl_args_get(args, option, NULL);
    if (!given || pl_length_read(given, inches))
        return true;
    pl_cmd_usage_error(args, "--%s is '%s', but must be a length in in, cm, mm or pt, from 1in to 40in, such as 3.25in",
                       option, given);
    return false;
}

static int word_of(const char *word, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], word))
            return i;
    return -1;
}

/* Curves and tuning have bands of different kinds: of declared figures it acts on those that have it. */
static bool read_band(const struct pl_args *args, struct pl_figure_spec *own)
{
    const char *given = pl_args_get(args, "band", NULL);
    const struct pl_figure_traits *has = &pl_figure_traits[own->kind];
    int of_tuning = given ? word_of(given, pl_band_names, PL_BAND_COUNT) : -1;
    int around = given ? word_of(given, pl_around_names, PL_AROUND_COUNT) : -1;
    if (given && pl_args_has(args, "kind") && !(of_tuning >= 0 && has->tuned) && !(around >= 0 && has->spread)) {
        const char *kind = pl_figure_kind_names[own->kind];
        if (has->tuned || has->spread)
            pl_cmd_usage_error(args, "--band is '%s', but a figure of kind %s has one of: %s", given, kind,
                               has->tuned ? "ld, ks, dkw" : "std, sem, ci95, minmax, quartiles");
        else
            pl_cmd_usage_error(args, "a figure of kind %s has no band", kind);
        return false;
    }
    if (of_tuning >= 0)
        own->band = (enum pl_band_kind)of_tuning;
    if (around >= 0)
        own->around = (enum pl_around)around;
    return true;
}

static bool read_curves(const struct pl_args *args, struct pl_figure_spec *own)
{
    const char *smooth = pl_args_get(args, "smooth", NULL), *shared = pl_args_get(args, "shared", "");
    if (smooth && !pl_smooth_read(smooth, &own->smooth)) {
        pl_cmd_usage_error(
            args, "--smooth is '%s', but must be a number of epochs, 2 to 100000, such as 5 or \"median 5\"", smooth);
        return false;
    }
    if (shared[strspn(shared, "xy,")]) {
        pl_cmd_usage_error(args, "--shared is '%s', but must be x, y or x,y", shared);
        return false;
    }
    own->share_x = strchr(shared, 'x');
    own->share_y = strchr(shared, 'y');
    return true;
}

bool pl_plot_read_folder(const struct pl_args *args, const char **folder)
{
    *folder = pl_args_get(args, "out", "plots");
    const char *dot = strrchr(*folder, '.');
    struct stat info;
    bool is_figure = dot && (!strcmp(dot, ".tex") || !strcmp(dot, ".eps"));
    for (int i = 0; dot && i < PL_PLOT_FILE_COUNT; i++)
        is_figure = is_figure || !strcmp(dot + 1, pl_plot_file_names[i]);
    if (!is_figure || (!stat(*folder, &info) && S_ISDIR(info.st_mode)))
        return true;
    pl_cmd_usage_error(args, "--out is '%s', but must name the folder that figures are written to", *folder);
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
    return read_band(args, own) && read_curves(args, own) && pl_cmd_read_labels(args, &own->labels) &&
           read_length(args, "width", &own->width) && read_length(args, "height", &own->height);
}

void pl_plot_amend_look(const struct pl_args *args, const struct pl_figure_spec *own, struct pl_figure_spec *spec)
{
    const struct pl_figure_traits *has = &pl_figure_traits[spec->kind];
    if (pl_args_has(args, "width"))
        spec->width = own->width;
    if (pl_args_has(args, "height"))
        spec->height = own->height;
    if (pl_args_has(args, "font"))
        spec->font = own->font;
    if (has->spread && word_of(pl_args_get(args, "band", ""), pl_around_names, PL_AROUND_COUNT) >= 0)
        spec->around = own->around;
    if (has->tuned && word_of(pl_args_get(args, "band", ""), pl_band_names, PL_BAND_COUNT) >= 0)
        spec->band = own->band;
    if (has->curves && pl_args_has(args, "smooth"))
        spec->smooth = own->smooth;
    spec->share_x |= has->shared && own->share_x;
    spec->share_y |= has->shared && own->share_y;
    spec->labels = pl_labels_join(&own->labels, &spec->labels);
}

void pl_plot_release_look(struct pl_figure_spec *own)
{
    pl_labels_release(&own->labels);
    pl_names_release(&own->metrics);
}
