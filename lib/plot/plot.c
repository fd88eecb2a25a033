/* From a declaration to a file. */
#include "plot/plot_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int write_file(const char *folder, const char *base, const char *suffix, const struct pl_text *content,
                      struct pl_text *path, struct pl_error *err)
{
    pl_text_clear(path);
    pl_text_addf(path, "%s%s%s.%s", folder, folder[0] && folder[strlen(folder) - 1] == '/' ? "" : "/", base, suffix);
    return pl_file_write(path->text, pl_text(content), content->length, err);
}

/* gnuplot parts the pages of a terminal drawing by form feeds. */
static void add_drawing(struct pl_text *output, const char *drawn)
{
    for (; *drawn; drawn++)
        if (*drawn != '\f')
            pl_text_add_char(output, *drawn);
}

int pl_plot_draw(struct pl_results *results, const struct pl_figure_spec *spec, const struct pl_plot_options *options,
                 struct pl_text *output, struct pl_text *notes, struct pl_error *err)
{
    static const char *const endings[] = {"png", "svg", "pdf", "txt"};
    bool plain = options->format == PL_PLOT_DUMB;
    struct pl_figure figure;
    struct pl_text script = {0}, data = {0}, drawn = {0}, path = {0};
    int status = pl_figure_make(&figure, results, spec, plain, notes, err);
    if (status)
        return status;
    double points = pl_layout_points(&figure);
    figure.font = options->format != PL_PLOT_SVG ? fmax(points, 0) : points * 96 / 72;
    if (points <= 0)
        figure.font = options->format == PL_PLOT_SVG ? 13 : 10;
    status = pl_layout_check(&figure, options, notes, err);
    if (!status) {
        pl_script_write(&figure, figure.name, options, &script, &data);
        status = pl_gnuplot_run(figure.name, &script, &data, endings[options->format], &drawn, err);
    }
    if (!status && plain) {
        add_drawing(output, pl_text(&drawn));
    } else if (!status) {
        status = pl_folder_make(options->folder, err);
        if (!status && options->keep)
            status = write_file(options->folder, figure.name, "gp", &script, &path, err);
        if (!status && options->keep)
            status = write_file(options->folder, figure.name, "dat", &data, &path, err);
        if (!status)
            status = write_file(options->folder, figure.name, endings[options->format], &drawn, &path, err);
        if (!status)
            pl_text_add(output, pl_text(&path));
    }
    pl_figure_release(&figure);
    pl_text_release(&script);
    pl_text_release(&data);
    pl_text_release(&drawn);
    pl_text_release(&path);
    return status;
}
