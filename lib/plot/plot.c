/* From a declaration to a file. */
#include "base/escape.h"
#include "plot/plot_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const pl_plot_file_names[PL_PLOT_FILE_COUNT] = {"png", "svg", "pdf", "tikz", "cairolatex"};

static int write_file(const char *folder, const char *base, const char *suffix, const struct pl_text *content,
                      struct pl_text *path, struct pl_error *err)
{
    pl_text_clear(path);
    pl_text_addf(path, "%s%s%s%s", folder, folder[0] && folder[strlen(folder) - 1] == '/' ? "" : "/", base, suffix);
    return pl_file_write(path->text, pl_text(content), content->length, err);
}

/* gnuplot parts the pages of a terminal drawing by form feeds. */
static void add_drawing(struct pl_text *output, const char *drawn)
{
    for (; *drawn; drawn++)
        if (*drawn != '\f')
            pl_text_add_char(output, *drawn);
}

const char *const pl_plot_endings[] = {".png", ".svg", ".pdf", ".tex", "-latex.tex", ".txt"};

/* What the document must know of a figure of LaTeX. */
static void add_preamble(enum pl_plot_format format, struct pl_text *drawn)
{
    struct pl_text whole = {0};
    pl_text_addf(&whole, "%% The document needs \\usepackage{%s} and takes this by \\input.\n%s",
                 format == PL_PLOT_TIKZ ? "gnuplot-lua-tikz" : "graphicx,xcolor",
                 pl_latex_has_characters(pl_text(drawn)) ? PL_LATEX_CHARACTERS : "");
    const char *rest = pl_text(drawn), *place;
    for (; format == PL_PLOT_CAIROLATEX && (place = strstr(rest, "]{./")); rest = place + 4) {
        pl_text_add_bytes(&whole, rest, (size_t)(place - rest)); /* so that graphicspath finds the picture */
        pl_text_add(&whole, "]{");
    }
    pl_text_add(&whole, rest);
    pl_text_release(drawn);
    *drawn = whole;
}

/* gnuplot writes names of lines as titles of its SVG as they stand; of XML no text may have "]]>". */
static void mend_svg(struct pl_text *drawn)
{
    struct pl_text whole = {0};
    const char *rest = pl_text(drawn), *end;
    for (; (end = strstr(rest, "]]>")); rest = end + 3) {
        pl_text_add_bytes(&whole, rest, (size_t)(end - rest));
        pl_text_add(&whole, "]]&gt;");
    }
    pl_text_add(&whole, rest);
    pl_text_release(drawn);
    *drawn = whole;
}

/* Draws a figure that is worked out, and releases it. */
static int draw(struct pl_figure *figure, const struct pl_plot_options *options, struct pl_text *output,
                struct pl_text *notes, struct pl_error *err)
{
    bool plain = options->format == PL_PLOT_DUMB;
    struct pl_text script = {0}, data = {0}, drawn = {0}, more = {0}, path = {0};
    const char *second = options->format == PL_PLOT_CAIROLATEX ? "-latex.pdf" : NULL;
    figure->latex = options->format == PL_PLOT_TIKZ || second;
    if (figure->latex && figure->type.family[0])
        pl_text_add(notes, "The letters are the document's: the family of font is for other formats.\n");
    double points = pl_layout_points(figure);
    figure->font = options->format != PL_PLOT_SVG ? fmax(points, 0) : points * 96 / 72;
    if (points <= 0)
        figure->font = options->format == PL_PLOT_SVG ? 13 : 10;
    if (options->format == PL_PLOT_PNG || options->format == PL_PLOT_PDF)
        pl_figure_spell(figure, notes);
    pl_figure_cut(figure, notes);
    int status = pl_layout_check(figure, options, notes, err);
    if (!status) {
        pl_script_write(figure, figure->name, options, &script, &data);
        status = pl_gnuplot_run(figure->name, &script, &data, pl_plot_endings[options->format], second, &drawn, &more,
                                err);
    }
    if (!status && plain) {
        add_drawing(output, pl_text(&drawn));
    } else if (!status) {
        status = pl_folder_make(options->folder, err);
        if (!status && options->keep)
            status = write_file(options->folder, figure->name, ".gp", &script, &path, err);
        if (!status && options->keep)
            status = write_file(options->folder, figure->name, ".dat", &data, &path, err);
        if (figure->latex)
            add_preamble(options->format, &drawn);
        if (options->format == PL_PLOT_SVG && strstr(pl_text(&drawn), "]]>") && !strstr(pl_text(&drawn), "<![CDATA["))
            mend_svg(&drawn);
        if (!status && second)
            status = write_file(options->folder, figure->name, second, &more, &path, err);
        if (!status)
            status = write_file(options->folder, figure->name, pl_plot_endings[options->format], &drawn, &path, err);
        if (!status)
            pl_text_add(output, pl_text(&path));
    }
    pl_figure_release(figure);
    pl_text_release(&script);
    pl_text_release(&data);
    pl_text_release(&drawn);
    pl_text_release(&more);
    pl_text_release(&path);
    return status;
}

int pl_plot_draw(struct pl_results *results, const struct pl_figure_spec *spec, const struct pl_plot_options *options,
                 struct pl_text *output, struct pl_text *notes, struct pl_error *err)
{
    struct pl_figure figure;
    int status = pl_figure_make(&figure, results, spec, options->format == PL_PLOT_DUMB, notes, err);
    return status ? status : draw(&figure, options, output, notes, err);
}

int pl_plot_draw_numbers(const struct pl_plot_numbers *numbers, const struct pl_plot_options *options,
                         struct pl_text *output, struct pl_text *notes, struct pl_error *err)
{
    struct pl_figure figure;
    int status = pl_figure_of_numbers(&figure, numbers, options->format == PL_PLOT_DUMB, notes, err);
    return status ? status : draw(&figure, options, output, notes, err);
}
