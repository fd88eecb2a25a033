/* Metrics of a study. */
#include "spec/declare/declaring.h"
#include "spec/read/complaint.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"
#include "spec/read/value.h"

#include <string.h>

static enum pl_direction read_direction(struct reader *reader, const struct node *node, const char *name)
{
    const char *directions[PL_UNDECLARED];
    for (int d = 0; d < PL_UNDECLARED; d++)
        directions[d] = pl_direction_name((enum pl_direction)d);
    int word = pl_declare_word(reader, node, "the direction of a metric", directions, COUNT(directions));
    return word < 0 ? pl_train_direction(name) : (enum pl_direction)word;
}

static enum pl_said read_said(struct reader *reader, const char *key, struct node *node)
{
    const struct pl_setting setting = {.key = key, .type = PL_BOOLEAN};
    struct cell cell;
    if (!pl_cell_read(reader, key, &setting, node, &cell))
        return PL_UNSAID;
    return cell.value.boolean ? PL_SAID_YES : PL_SAID_NO;
}

/* NAME: max, or NAME: {direction: max, loss: true, validation: true} */
static void read_metric_spec(struct reader *reader, struct node *node, struct pl_metric_spec *metric)
{
    static const char *const keys[] = {"direction", "loss", "validation"};
    const char *name = metric->name ? metric->name : "";
    metric->direction = pl_train_direction(name);
    if (node->kind != NODE_MAP) {
        metric->direction = read_direction(reader, node, name);
        return;
    }
    pl_declare_map(reader, node, "a metric", "{direction: min, loss: true}", keys, COUNT(keys));
    for (size_t i = 0; i < node->count; i++) {
        const char *key = node->items[2 * i]->text;
        struct node *value = node->items[2 * i + 1];
        if (!strcmp(key, "direction"))
            metric->direction = read_direction(reader, value, name);
        else if (!strcmp(key, "loss"))
            metric->loss = read_said(reader, key, value);
        else if (!strcmp(key, "validation"))
            metric->validation = read_said(reader, key, value);
    }
    if (metric->name && metric->validation == PL_SAID_YES && !pl_direction_is_choice(metric->direction))
        pl_complain(&reader->complaints, node,
                    "what validates must have a better direction, as in {%s: {direction: max, validation: true}}",
                    metric->name);
}

void pl_declare_metrics(struct declaring *d, const struct node *map)
{
    struct reader *reader = d->reader;
    struct pl_study *study = d->study;
    if (map->kind != NODE_MAP) {
        pl_complain(&reader->complaints, map, "metrics must be a mapping, such as {test_accuracy: max, loss: min}");
        return;
    }
    study->metrics = pl_pool_new(reader->pool, map->count, sizeof *study->metrics);
    for (size_t i = 0; i < map->count; i++) {
        char *name = pl_declare_metric_name(reader, map->items[2 * i], "metrics: a name", NULL);
        struct pl_metric_spec metric = {.name = name};
        read_metric_spec(reader, map->items[2 * i + 1], &metric);
        if (metric.name)
            study->metrics[study->metric_count++] = metric;
    }
}

/* A metric and the value that it is to reach. Which way is better may be known of the metric only once it is recorded.
 */
void pl_declare_target(struct declaring *d, const struct node *map)
{
    static const struct pl_setting value = {.key = "target", .type = PL_REAL, .range = "(-inf,inf)"};
    struct reader *reader = d->reader;
    struct cell cell;
    if (map->kind != NODE_MAP || map->count != 1) {
        pl_complain(&reader->complaints, map, "target must be one metric with a number, such as {test_accuracy: 0.9}");
        return;
    }
    char *name = pl_declare_metric_name(reader, map->items[0], "target: a name", NULL);
    if (!name || !pl_cell_read(reader, "target", &value, map->items[1], &cell))
        return;
    if (cell.expression)
        pl_complain(&reader->complaints, map->items[1], "target must be a number, such as {test_accuracy: 0.9}");
    else if (pl_metric_is_to_target(name))
        pl_complain(&reader->complaints, map->items[0], "target cannot be a time to a target itself");
    else
        d->study->target = (struct pl_target){name, cell.value.real};
}
