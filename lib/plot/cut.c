/* Labels that are too long to stand at an axis: their beginnings stand there, told apart, and a note has them whole. */
#include "plot/ticks.h"

#include <stdlib.h>
#include <string.h>

/* What was cut, each once: panels have the same labels. */
struct cut_labels {
    struct pl_text said;
    char **whole;
    size_t count, capacity;
};

enum { MOST_SAID = 8 };

static void say(struct cut_labels *cut, const char *whole, bool plain)
{
    for (size_t i = 0; i < cut->count; i++)
        if (!strcmp(cut->whole[i], whole))
            return;
    void *list = cut->whole;
    pl_grow(&list, &cut->capacity, cut->count + 1, sizeof *cut->whole);
    cut->whole = list;
    cut->whole[cut->count++] = pl_copy(whole);
    if (cut->count > MOST_SAID)
        return;
    pl_text_add(&cut->said, cut->count > 1 ? ", \"" : "\"");
    pl_label_unmarked(&cut->said, whole, plain);
    pl_text_add_char(&cut->said, '"');
}

static char *beginning(const char *label, size_t most)
{
    struct pl_text out = {0};
    pl_label_cut(&out, label, most);
    return pl_text_take(&out);
}

/* Of labels that stand together the beginnings, NULL for those that are short enough. Those that begin alike get
 * numbers, by their order, in place of their last letters. */
static void shorten(const char *const *labels, size_t count, size_t most, char **brief)
{
    const size_t number = strlen(", 10");
    for (size_t i = 0; i < count; i++) {
        brief[i] = beginning(labels[i], most);
        if (strcmp(brief[i], labels[i]) != 0)
            continue;
        free(brief[i]);
        brief[i] = NULL;
    }
    for (size_t i = 0; i < count; i++) {
        size_t alike = 1;
        for (size_t k = i + 1; k < count && brief[i]; k++) {
            struct pl_text numbered = {0};
            char *start = NULL;
            if (!brief[k] || strcmp(brief[i], brief[k]) != 0)
                continue;
            start = beginning(labels[k], most - number);
            pl_text_addf(&numbered, "%s, %zu", start, ++alike);
            free(start);
            free(brief[k]);
            brief[k] = pl_text_take(&numbered);
        }
        if (alike > 1) {
            struct pl_text numbered = {0};
            char *start = beginning(labels[i], most - number);
            pl_text_addf(&numbered, "%s, 1", start);
            free(start);
            free(brief[i]);
            brief[i] = pl_text_take(&numbered);
        }
    }
}

static void cut_ticks(struct cut_labels *cut, struct pl_tick *ticks, size_t count, bool plain)
{
    const char **labels = pl_new((count + 1) * sizeof(char *));
    char **brief = pl_new((count + 1) * sizeof(char *));
    for (size_t i = 0; i < count; i++)
        labels[i] = ticks[i].label;
    shorten(labels, count, PL_LONGEST_TICK, brief);
    for (size_t i = 0; i < count; i++) {
        if (!brief[i])
            continue;
        say(cut, ticks[i].label, plain);
        ticks[i].whole = ticks[i].label;
        ticks[i].label = brief[i];
    }
    free(labels);
    free(brief);
}

static void cut_names(struct cut_labels *cut, struct pl_figure *figure)
{
    const char **labels = pl_new((figure->legend_count + 1) * sizeof(char *));
    char **brief = pl_new((figure->legend_count + 1) * sizeof(char *));
    for (size_t i = 0; i < figure->legend_count; i++)
        labels[i] = figure->legend[i].label;
    shorten(labels, figure->legend_count, figure->plain ? PL_LONGEST_TICK : PL_LONGEST_NAME, brief);
    for (size_t i = 0; i < figure->legend_count; i++) {
        figure->legend[i].brief = brief[i];
        if (brief[i])
            say(cut, labels[i], figure->plain);
    }
    free(labels);
    free(brief);
}

void pl_figure_cut(struct pl_figure *figure, struct pl_text *notes)
{
    struct cut_labels cut = {0};
    for (size_t p = 0; p < figure->panel_count; p++) {
        struct pl_panel *panel = &figure->panels[p];
        cut_ticks(&cut, panel->x_ticks, panel->x_tick_count, figure->plain);
        cut_ticks(&cut, panel->y_ticks, panel->y_tick_count, figure->plain);
        cut_ticks(&cut, panel->z_ticks, panel->z_tick_count, figure->plain);
        for (size_t a = 0; a < panel->axis_count; a++)
            cut_ticks(&cut, panel->axes[a].ticks, panel->axes[a].tick_count, figure->plain);
    }
    if (figure->kind == PL_FIGURE_RANKS)
        cut_names(&cut, figure);
    if (cut.count)
        pl_text_addf(notes, "Labels that are too long for an axis are cut: %s", pl_text(&cut.said));
    if (cut.count > MOST_SAID)
        pl_text_addf(notes, " and %zu more", cut.count - MOST_SAID);
    if (cut.count)
        pl_text_add(notes, ".\n");
    for (size_t i = 0; i < cut.count; i++)
        free(cut.whole[i]);
    free(cut.whole);
    pl_text_release(&cut.said);
}
