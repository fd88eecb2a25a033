/* Metrics that a study names, in tables, figures, its target and its rule to stop, and that none of poula's own tasks
 * records: mostly slips, which would show only when the training is over. */
#include "spec/grid/grid.h"
#include "spec/grid/part.h"
#include "spec/spec.h"
#include "train/metric.h"

#include <stdlib.h>
#include <string.h>

/* What a program reports nobody knows before. */
static bool starts_programs(const struct pl_study *study)
{
    for (size_t p = 0; p < study->grid->part_count; p++) {
        const struct part *part = &study->grid->parts[p];
        for (size_t v = 0; v < part->variant_count; v++)
            if (pl_settings_find(&part->variants[v].settings, "command"))
                return true;
    }
    return false;
}

static bool is_declared(const struct pl_study *study, const char *metric)
{
    for (size_t i = 0; i < study->metric_count; i++)
        if (!strcmp(study->metrics[i].name, metric))
            return true;
    return false;
}

static void add(struct pl_names *names, const struct pl_study *study, char *metric)
{
    if (!metric || pl_metric_find(metric) || pl_metric_is_to_target(metric) || is_declared(study, metric) ||
        pl_names_have(names, metric))
        return;
    names->names = pl_resize(names->names, names->count + 1, sizeof *names->names);
    names->names[names->count++] = metric;
}

static void add_figure(struct pl_names *names, const struct pl_study *study, const struct pl_figure_spec *figure)
{
    const struct pl_figure_traits *has = &pl_figure_traits[figure->kind];
    for (size_t i = 0; i < figure->metrics.count; i++)
        add(names, study, figure->metrics.names[i]);
    add(names, study, has->y == PL_OF_SETTING ? NULL : figure->y);
    add(names, study, has->z == PL_OF_METRIC ? figure->z : NULL);
    add(names, study, figure->choose.metric);
}

static const char *nearest(const char *metric)
{
    const char *known[500];
    struct pl_metric_source sources[PL_METRIC_SOURCES];
    size_t count = 0, source_count = pl_metric_sources(sources);
    for (size_t s = 0; s < source_count; s++)
        for (size_t i = 0; i < sources[s].count && count < sizeof known / sizeof *known; i++)
            known[count++] = sources[s].metrics[i].name;
    return pl_nearest(metric, known, count);
}

void pl_spec_unrecorded_notes(const struct pl_study *study, struct pl_text *notes)
{
    struct pl_names names = {0};
    if (starts_programs(study))
        return;
    for (size_t i = 0; i < study->table_count; i++) {
        add(&names, study, study->tables[i].metric);
        add(&names, study, study->tables[i].choose.metric);
    }
    for (size_t i = 0; i < study->figure_count; i++)
        add_figure(&names, study, &study->figures[i]);
    add(&names, study, study->target.metric);
    add(&names, study, study->stop ? study->stop->metric : NULL);
    for (size_t i = 0; i < names.count; i++) {
        const char *near = nearest(names.names[i]);
        pl_text_addf(notes, "%s: no task of poula's own records %s", study->name ? study->name : "", names.names[i]);
        pl_text_addf(notes, near ? "; did you mean %s?\n" : " (poula show metrics lists what there is)\n", near);
    }
    free(names.names);
}
