/* Metrics by name: the descriptors of poula's own, and the questions that are asked about any. */
#include "train/train_priv.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const char *pl_direction_name(enum pl_direction direction)
{
    static const char *const names[] = {"none", "min", "max", "undeclared"};
    return names[direction];
}

bool pl_direction_is_choice(enum pl_direction direction)
{
    return direction == PL_MINIMIZE || direction == PL_MAXIMIZE;
}

bool pl_direction_better(enum pl_direction direction, double value, double best)
{
    if (!isfinite(value) || !pl_direction_is_choice(direction))
        return false;
    return isnan(best) || (direction == PL_MAXIMIZE ? value > best : value < best);
}

void pl_metric_add(struct pl_metric_source *sources, size_t *count, const char *owner, const struct pl_metric *metrics,
                   size_t metric_count)
{
    assert(*count < PL_METRIC_SOURCES);
    sources[(*count)++] = (struct pl_metric_source){owner, metrics, metric_count};
}

const struct pl_metric *pl_metric_find(const char *name)
{
    struct pl_metric_source sources[PL_METRIC_SOURCES];
    size_t count = pl_metric_sources(sources);
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < sources[s].count; i++)
            if (!strcmp(sources[s].metrics[i].name, name))
                return &sources[s].metrics[i];
    return NULL;
}

struct pl_metric pl_metric_judge(const char *name)
{
    const struct pl_metric *known = pl_metric_find(name);
    return known ? *known : pl_metric_judge_name(name);
}

const char *pl_metric_ask(const char *name, struct pl_text *out)
{
    const char *quote = strchr("@-./", *name) ? "\"" : ""; /* what YAML would read otherwise */
    pl_text_addf(out,
                 "the name does not say which way %s is better; declare metrics: {%s%s%s: max} (or min) in the spec",
                 name, quote, name, quote);
    return pl_text(out);
}

enum pl_direction pl_train_direction(const char *metric)
{
    return pl_metric_judge(metric).direction;
}

size_t pl_train_metric_rank(const char *metric)
{
    return pl_metric_judge(metric).rank;
}

bool pl_train_is_repeatable(const char *metric)
{
    return !pl_metric_judge(metric).clock;
}
