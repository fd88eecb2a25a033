/* From a figure to a piece of a page. */
#include "plot/inline/inline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_POINTS = 40, MOST_POINTS = 1000 };

/* The character that stands for a raised (lowered) one, or NULL. */
static const char *shifted(const char *c, bool raised, size_t *length)
{
    static const char *const up[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    static const char *const down[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
    *length = 1;
    if (*c >= '0' && *c <= '9')
        return raised ? up[*c - '0'] : down[*c - '0'];
    *length = strlen("−");
    return strncmp(c, "−", *length) ? NULL : raised ? "⁻" : "₋";
}

void pl_inline_label(const char *label, struct pl_text *out)
{
    while (*label) {
        if (*label == '\\' && label[1]) {
            pl_text_add_char(out, label[1]);
            label += 2;
        } else if ((*label == '^' || *label == '_') && label[1] == '{') {
            bool raised = *label == '^';
            for (label += 2; *label && *label != '}';) {
                size_t length;
                const char *other = shifted(label, raised, &length);
                if (other)
                    pl_text_add(out, other);
                else
                    pl_text_add_char(out, *label);
                label += other ? length : 1;
            }
            label += *label == '}';
        } else {
            pl_text_add_char(out, *label++);
        }
    }
}

void pl_inline_classes(const struct pl_figure *figure, size_t style, struct pl_text *out)
{
    size_t colour, dash;
    pl_style_of(figure, style, &colour, &dash);
    pl_text_addf(out, "c%zu d%zu", colour % PL_INLINE_COLOURS, (dash + dash / PL_INLINE_COLOURS) % PL_INLINE_DASHES);
}

void pl_inline_shape(size_t style, double x, double y, struct pl_text *path)
{
    static const char *const shapes[PL_INLINE_SHAPES] = {"m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z",
                                                         "m-2.6-2.6h5.2v5.2h-5.2z", "m0-3.4l3.2 5.6h-6.4z",
                                                         "m0 3.4l3.2-5.6h-6.4z", "m0-3.6l3.6 3.6l-3.6 3.6l-3.6-3.6z"};
    pl_text_add_char(path, 'M');
    pl_inline_length(path, x);
    pl_text_add_char(path, ' ');
    pl_inline_length(path, y);
    pl_text_add(path, shapes[style % PL_INLINE_SHAPES]);
}

static size_t lines_of(const struct pl_figure *figure)
{
    size_t lines = 0;
    for (size_t p = 0; p < figure->panel_count; p++)
        lines += figure->panels[p].line_count;
    return lines;
}

static void size_panel(struct pl_inline *s)
{
    s->width = 440;
    s->height = 300;
    s->right = s->width - 14;
    s->top = 12;
    s->bottom = s->height - 44;
    if (s->figure->kind == PL_FIGURE_HEATMAP) {
        double rows = s->panel->y_range[1] - s->panel->y_range[0];
        s->height = fmin(fmax(rows * 40, 120), 640) + 56;
        s->bottom = s->height - 44;
        s->right = s->width - pl_inline_scale_width(s);
    } else if (s->panel->z_range[0] < s->panel->z_range[1]) {
        s->right = s->width - pl_inline_scale_width(s);
    }
}

static void write_panel(const struct pl_figure *figure, size_t index, const char *id, size_t most, struct pl_text *out)
{
    struct pl_text drawn = {0}, text = {0}, name = {0}, json = {0};
    struct pl_inline s = {.figure = figure, .panel = &figure->panels[index], .most = most, .out = &drawn};
    struct pl_text note = {0};
    bool parallel = figure->kind == PL_FIGURE_PARALLEL, heat = figure->kind == PL_FIGURE_HEATMAP;
    size_panel(&s);
    pl_inline_axes(&s);
    pl_text_addf(&drawn,
                 "<clipPath id=\"%s-%zu\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/></clipPath>", id,
                 index, s.left, s.top - 4, s.right - s.left + 4, s.bottom - s.top + 5);
    pl_text_addf(&drawn, heat || parallel ? "<g>\n" : "<g clip-path=\"url(#%s-%zu)\">\n", id, index);
    if (heat)
        pl_inline_squares(&s);
    else if (parallel)
        pl_inline_parallel(&s, &note);
    else
        pl_inline_lines(&s);
    pl_text_add(&drawn, "</g>\n");
    if (!heat && !parallel && s.panel->z_range[0] < s.panel->z_range[1])
        pl_inline_scale(&s);
    pl_inline_label(figure->title, &name);
    pl_text_add(&name, name.length && s.panel->title[0] ? ": " : "");
    pl_inline_label(s.panel->title, &name);
    if (parallel)
        pl_inline_parallel_describe(&s, &text);
    else
        pl_inline_describe(&s, &text);
    pl_text_add(out, "<div class=\"panel\">");
    if (s.panel->title[0]) {
        struct pl_text title = {0};
        pl_inline_label(s.panel->title, &title);
        pl_html(out, "<p class=\"panel-title\">", pl_text(&title), "</p>");
        pl_text_release(&title);
    }
    pl_text_addf(out,
                 "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" tabindex=\"0\" aria-labelledby=\"%s-%zu-t %s-%zu-d\"",
                 s.width, s.height, id, index, id, index);
    if (!heat && !parallel) {
        pl_inline_data(&s, &json);
        pl_html(out, " class=\"lines\" data-panel=\"", pl_text(&json), "\"");
    }
    pl_text_addf(out, ">\n<title id=\"%s-%zu-t\">", id, index);
    pl_html(out, "", name.length ? pl_text(&name) : figure->name, "</title>");
    pl_text_addf(out, "<desc id=\"%s-%zu-d\">", id, index);
    pl_html(out, "", pl_text(&text), "</desc>\n");
    pl_text_add_bytes(out, pl_text(&drawn), drawn.length);
    pl_text_add(out, "</svg>");
    if (note.length)
        pl_html(out, "<p class=\"note\">", pl_text(&note), "</p>");
    pl_text_add(out, "</div>\n");
    pl_text_release(&drawn);
    pl_text_release(&note);
    pl_text_release(&text);
    pl_text_release(&name);
    pl_text_release(&json);
}

static void write_key(const struct pl_figure *figure, size_t style, struct pl_text *out)
{
    struct pl_text label = {0}, path = {0}, classes = {0};
    pl_inline_label(figure->legend[style].label, &label);
    pl_inline_shape(style, 15, 6, &path);
    pl_inline_classes(figure, style, &classes);
    /* Where a scale of colours says something else, styles are told apart by marks and dashes. */
    pl_text_addf(out, "<li><label class=\"%s%s\"><input type=\"checkbox\" checked data-line=\"%zu\">",
                 pl_text(&classes), figure->z_label ? " inked" : "", style);
    pl_text_addf(out,
                 "<svg class=\"swatch\" viewBox=\"0 0 30 12\" aria-hidden=\"true\"><path class=\"mean\" d=\"M0 6h30\"/>"
                 "<path class=\"dots\" d=\"%s\"/></svg> <span>",
                 pl_text(&path));
    pl_html(out, "", pl_text(&label), "</span></label></li>\n");
    pl_text_release(&label);
    pl_text_release(&path);
    pl_text_release(&classes);
}

static void write_legend(const struct pl_figure *figure, struct pl_text *out)
{
    static const char *const signs[] = {"×", "○", "◇", "□", "|", "↑", "↓"};
    bool keys = figure->kind != PL_FIGURE_HEATMAP && figure->kind != PL_FIGURE_RANKS;
    pl_text_add(out, "<ul class=\"legend\">\n");
    for (size_t i = 0; keys && i < figure->legend_count; i++)
        if (figure->legend[i].shown && figure->legend[i].label[0])
            write_key(figure, i, out);
    for (size_t i = 0; i < figure->slope_count; i++)
        pl_text_addf(out, "<li class=\"sign\">– slope %g</li>\n", figure->slopes[i]);
    for (int i = 0; i < PL_MARK_COUNT; i++)
        if (figure->marked[i])
            pl_text_addf(out, "<li class=\"sign\">%s %s</li>\n", signs[i],
                         pl_script_mark_title((enum pl_mark)i, figure->kind));
    pl_text_add(out, "</ul>\n");
}

static void write_caption(const struct pl_figure *figure, struct pl_text *out)
{
    struct pl_text caption = {0};
    bool heat = figure->kind == PL_FIGURE_HEATMAP;
    pl_inline_label(figure->title, &caption);
    bool parallel = figure->kind == PL_FIGURE_PARALLEL;
    /* Of single runs each panel has its own. */
    const char *value = heat || parallel ? figure->z_label : figure->y_label;
    pl_text_add(&caption, caption.length && *value ? ": " : "");
    pl_inline_label(value, &caption);
    pl_text_add(&caption, caption.length ? " by " : ""); /* ranks have no y */
    pl_inline_label(figure->x_label, &caption);
    for (size_t i = 0, count = figure->panels[0].axis_count; i < count; i++) {
        pl_text_add(&caption, !i ? "" : i + 1 < count ? ", " : " and ");
        pl_inline_label(figure->panels[0].axes[i].label, &caption);
    }
    if (heat) {
        pl_text_add(&caption, " and ");
        pl_inline_label(figure->y_label, &caption);
    }
    pl_html(out, "<figcaption>", pl_text(&caption), "</figcaption>\n");
    pl_text_release(&caption);
}

static void write_notes(const struct pl_text *notes, struct pl_text *out)
{
    for (const char *line = notes ? pl_text(notes) : ""; *line;) {
        size_t length = strcspn(line, "\n");
        char *sentence = pl_copy_bytes(line, length);
        pl_html(out, "<p class=\"note\">", sentence, "</p>\n");
        free(sentence);
        line += length + (line[length] == '\n');
    }
}

void pl_inline_write(const struct pl_figure *figure, const char *id, size_t points, const struct pl_text *notes,
                     struct pl_text *out)
{
    size_t lines = lines_of(figure), most = lines ? points / lines : points;
    most = most < LEAST_POINTS ? LEAST_POINTS : most > MOST_POINTS ? MOST_POINTS : most;
    pl_html(out, "<figure class=\"figure\" id=\"", id, "\">\n");
    write_caption(figure, out);
    pl_text_add(out, figure->panel_count == 1 ? "<div class=\"panels one\">\n" : "<div class=\"panels\">\n");
    for (size_t p = 0; p < figure->panel_count; p++)
        if (figure->kind == PL_FIGURE_RANKS)
            pl_inline_ranks(figure, id, out);
        else
            write_panel(figure, p, id, most, out);
    pl_text_add(out, "</div>\n");
    write_legend(figure, out);
    if (figure->said && figure->said[0])
        pl_html(out, "<p class=\"note\">", figure->said, "</p>\n");
    write_notes(notes, out);
    pl_text_add(out, "</figure>\n");
}

int pl_plot_inline(struct pl_results *results, const struct pl_figure_spec *spec,
                   const struct pl_inline_options *options, struct pl_text *out, struct pl_error *err)
{
    struct pl_figure figure;
    struct pl_text notes = {0};
    int status = pl_figure_make(&figure, results, spec, false, &notes, err);
    if (!status) {
        pl_inline_write(&figure, options->id, options->points, &notes, out);
        pl_figure_release(&figure);
    }
    pl_text_release(&notes);
    return status;
}
