/* Figures with select: of the configurations of a line, the best ones. The ranking is pl_results_choose's, so that a
 * figure draws what a table shows. */
#include "plot/plot_priv.h"

#include <stdlib.h>
#include <string.h>

static void keep_chosen(struct pl_gather *g, const struct pl_choice *choice)
{
    size_t left = 0, all = g->config_count, best = (size_t)g->spec->choose.best;
    for (size_t i = 0; i < choice->count; i++) {
        size_t config = pl_results_position(g->results, choice->rivals[i].config);
        if (choice->rivals[i].place <= best && config != SIZE_MAX && left < all)
            g->configs[left++] = config;
    }
    g->config_count = left;
    pl_text_addf(g->notes, "Of %zu configurations %zu are drawn, the best by %s %s over ", all, left,
                 pl_select_names[choice->select], choice->metric);
    for (size_t i = 0; i < g->spec->choose.over.count; i++)
        pl_text_addf(g->notes, "%s%s", i ? ", " : "", g->spec->choose.over.names[i]);
    pl_text_add(g->notes, ".\n");
}

int pl_gather_choose(struct pl_gather *g, struct pl_error *err)
{
    const struct pl_figure_spec *spec = g->spec;
    struct pl_table_spec table = {.where = spec->where, .where_count = spec->where_count, .choose = spec->choose};
    struct pl_choice *choice = NULL;
    table.choose.over = (struct pl_names){0};
    int status = pl_results_spell(g->results, &spec->panels, &table.rows, err);
    if (!status)
        status = pl_results_spell(g->results, &spec->lines, &table.columns, err);
    if (!status)
        status = pl_results_spell(g->results, &spec->choose.over, &table.choose.over, err);
    if (!status)
        status = pl_results_choose(g->results, &table, &choice, err);
    if (!status) /* choosing has loaded the criterion */
        status = pl_results_load(g->results, g->metric, spec->select, err);
    if (!status) {
        keep_chosen(g, choice);
        pl_results_add_places(g->results, choice, (size_t)spec->choose.best);
    }
    pl_choice_free(choice);
    free(table.rows.names);
    free(table.columns.names);
    free(table.choose.over.names);
    return status;
}
