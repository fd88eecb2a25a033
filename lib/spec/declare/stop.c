/* stop: how runs are stopped early. */
#include "spec/declare/declaring.h"
#include "spec/grid/compete.h"
#include "spec/grid/grid.h"
#include "spec/grid/part.h"
#include "spec/read/complaint.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"
#include "spec/read/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char example[] = "{by: valid_loss, keep: 1/3, at: [1, 3, 9]}";

/* The value decides that a metric has at the rung, or, with "best" before it, the best until there. */
static void read_metric(struct reader *reader, const struct node *node, struct pl_stop *stop)
{
    enum pl_select select = PL_SELECT_LAST;
    stop->metric = pl_declare_metric_name(reader, node, "stop: by", &select);
    stop->best = select == PL_SELECT_BEST;
    if (stop->metric && select == PL_SELECT_BEST_VALID)
        pl_complain(&reader->complaints, node, "stop: by must be METRIC or best METRIC, such as best valid_accuracy");
    if (stop->metric && pl_metric_is_to_target(stop->metric))
        pl_complain(&reader->complaints, node, "stop: by cannot be a time to a target");
}

/* 1/3, 0.25 */
static void read_share(struct reader *reader, const struct node *node, double *share)
{
    const char *text = pl_node_text(reader, node, "stop: keep"), *slash = text ? strchr(text, '/') : NULL;
    char *above = slash ? pl_copy_bytes(text, (size_t)(slash - text)) : NULL;
    double a, b = 1;
    bool good = text && pl_number_read(slash ? above : text, &a) && (!slash || pl_number_read(slash + 1, &b));
    free(above);
    if (good && a > 0 && b > 0 && a < b && isfinite(b) && a / b >= 1e-6)
        *share = a / b;
    else if (text)
        pl_complain(&reader->complaints, node,
                    "stop: keep must be the share of the runs that go on, such as 1/3 or 0.25, and not \"%.60s\"",
                    text);
}

static void read_rungs(struct reader *reader, struct node *node, struct pl_stop *stop)
{
    static const struct pl_setting whole = {.key = "at", .type = PL_INTEGER, .range = "[1,1000000000]"};
    size_t count;
    struct node **items = pl_node_list(&node, &count);
    if (count > PL_STOP_RUNGS)
        pl_complain(&reader->complaints, node, "stop: at has %zu epochs; at most %d are supported", count,
                    PL_STOP_RUNGS);
    for (size_t i = 0; i < count && i < PL_STOP_RUNGS; i++) {
        struct cell cell;
        if (!pl_cell_read(reader, "stop: at", &whole, items[i], &cell))
            return;
        double epoch = (double)cell.value.integer;
        if (cell.expression || (stop->count && epoch <= stop->at[stop->count - 1])) {
            pl_complain(&reader->complaints, items[i], "stop: at must be epochs that rise, such as [1, 3, 9, 27]");
            return;
        }
        stop->at[stop->count++] = epoch;
    }
}

static bool read_flag(struct reader *reader, const char *key, struct node *node)
{
    const struct pl_setting setting = {.key = key, .type = PL_BOOLEAN};
    struct cell cell;
    return pl_cell_read(reader, key, &setting, node, &cell) && cell.value.boolean;
}

static void read_startup(struct reader *reader, const struct node *node, struct pl_stop *stop)
{
    static const struct pl_setting whole = {.key = "startup", .type = PL_INTEGER, .range = "[1,1000000]"};
    struct cell cell;
    if (pl_cell_read(reader, "stop: startup", &whole, node, &cell) && !cell.expression)
        stop->startup = (int)cell.value.integer;
}

/* Medians decide about each run by itself, so that nothing waits and nothing is divided. */
static void check_rule(struct reader *reader, const struct node *map, struct pl_stop *stop)
{
    static const char *const of_halving[] = {"keep", "hyperband", "failed"};
    for (size_t i = 0; i < COUNT(of_halving) && stop->median; i++)
        if (pl_node_find(map, of_halving[i]))
            pl_complain(&reader->complaints, pl_node_find(map, of_halving[i]),
                        "stop: %s has no meaning with median: true, which decides about each run as it comes",
                        of_halving[i]);
    if (!stop->median && pl_node_find(map, "startup"))
        pl_complain(&reader->complaints, pl_node_find(map, "startup"),
                    "stop: startup has a meaning with median: true alone");
    stop->startup = stop->startup ? stop->startup : 5;
}

static void read_key(struct declaring *d, const struct node *key, struct node *value, struct pl_stop *stop,
                     struct pl_names *over)
{
    static const char *const failed[] = {"wait", "last"};
    struct reader *reader = d->reader;
    if (!strcmp(key->text, "by"))
        read_metric(reader, value, stop);
    else if (!strcmp(key->text, "keep"))
        read_share(reader, value, &stop->keep);
    else if (!strcmp(key->text, "at"))
        read_rungs(reader, value, stop);
    else if (!strcmp(key->text, "over"))
        pl_declare_names(d, value, "stop: over", over);
    else if (!strcmp(key->text, "median"))
        stop->median = read_flag(reader, "median", value);
    else if (!strcmp(key->text, "startup"))
        read_startup(reader, value, stop);
    else if (!strcmp(key->text, "hyperband"))
        stop->hyperband = read_flag(reader, "hyperband", value);
    else if (!strcmp(key->text, "restart"))
        stop->restart = read_flag(reader, "restart", value);
    else if (!strcmp(key->text, "failed"))
        stop->failed_last = pl_declare_word(reader, value, "stop: failed", failed, COUNT(failed)) == 1;
}

/* ---- what a declaration has to fit to ---- */

static void check_direction(const struct declaring *d, const struct node *map, const struct pl_stop *stop)
{
    enum pl_direction direction = pl_study_direction(d->study, stop->metric);
    struct pl_text ask = {0};
    if (direction == PL_NEUTRAL)
        pl_complain(&d->reader->complaints, map, "stop cannot go by %s, which is neither better up nor down",
                    stop->metric);
    else if (direction == PL_UNDECLARED)
        pl_complain(&d->reader->complaints, map, "stop cannot go by %s: %s", stop->metric,
                    pl_metric_ask(stop->metric, &ask));
    pl_text_release(&ask);
}

static void check_command(const struct declaring *d, const struct node *map, const struct pl_stop *stop,
                          const struct pl_settings *settings)
{
    if (d->study->epochs <= 0 && !d->study->epochs_key)
        pl_complain(&d->reader->complaints, map,
                    "stop needs to know how many epochs a run of the command has: epochs: 27 beside task, or epochs: "
                    "\"{KEY}\" for a setting");
    else if (!stop->restart && !pl_train_keeps_folder(settings))
        pl_complain(&d->reader->complaints, map,
                    "stop: runs go on from what they left in {run_folder}, which the command does not use; with "
                    "restart: true they begin anew each time");
}

/* Is the length of runs the same in all of a part? */
static bool has_one_length(const struct part *part)
{
    for (size_t f = 0; f < part->field_count; f++) {
        const struct field *field = &part->fields[f];
        bool length = !strcmp(field->key, "epochs") || !strcmp(field->key, "iterations");
        const struct node *value = pl_field_value(field, 0);
        if (length && (field->count > 1 || field->drawn || (value && value->kind != NODE_SCALAR)))
            return false;
    }
    return true;
}

/* The commands of a study, and whether any run is longer than its first rung (where that can be told). */
static void check_variants(const struct declaring *d, const struct node *map, struct pl_stop *stop)
{
    const struct pl_study_grid *grid = d->study->grid;
    bool long_enough = false, commands = false;
    double length = d->study->epochs;
    for (size_t p = 0; p < grid->part_count; p++)
        for (size_t v = 0; v < grid->parts[p].variant_count; v++) {
            const struct variant *variant = &grid->parts[p].variants[v];
            if (!variant->good)
                return;
            if (variant->schema.free_settings && !commands)
                check_command(d, map, stop, &variant->settings);
            commands = commands || variant->schema.free_settings;
            stop->repeats = stop->repeats || stop->restart ||
                            (!variant->schema.free_settings && !pl_settings_find(&variant->settings, "dataset"));
            double own = variant->schema.free_settings ? d->study->epochs : pl_train_epochs(&variant->settings);
            length = own > length ? own : length;
            long_enough = long_enough || stop->at[0] < own || !has_one_length(&grid->parts[p]) ||
                          (variant->schema.free_settings && d->study->epochs_key);
        }
    if (stop->restart && !commands)
        pl_complain(&d->reader->complaints, map, "stop: restart is for commands; others go on by themselves");
    if (!long_enough && !d->reader->scale && length > 0)
        pl_complain(&d->reader->complaints, map, "stop: at begins with %g, and no run is longer than %g", stop->at[0],
                    length);
}

void pl_declare_stop(struct declaring *d, struct node *map, bool own)
{
    static const char *const keys[] = {"by",      "keep",      "at",     "over",   "median",
                                       "startup", "hyperband", "failed", "restart"};
    struct reader *reader = d->reader;
    struct pl_stop *stop = pl_pool_new(reader->pool, 1, sizeof *stop);
    struct pl_names over = {0};
    size_t before = pl_complaint_count(&reader->complaints);
    if (!pl_declare_map(reader, map, "stop", example, keys, COUNT(keys)))
        return;
    for (size_t i = 0; i < map->count; i++)
        read_key(d, map->items[2 * i], map->items[2 * i + 1], stop, &over);
    check_rule(reader, map, stop);
    if (before == pl_complaint_count(&reader->complaints) &&
        (!stop->metric || (stop->keep <= 0 && !stop->median) || !stop->count))
        pl_complain(&reader->complaints, map, "stop must say by which metric, which share goes on, and when: %s",
                    example);
    if (before != pl_complaint_count(&reader->complaints))
        return;
    d->study->stop = stop;
    uint64_t most = pl_compete(d->study->grid, over.count ? &over : NULL);
    if (d->lenient || before)
        return;
    check_direction(d, map, stop);
    check_variants(d, map, stop);
    if (most < 2 && own)
        pl_complain(&reader->complaints, map,
                    "stop: no two runs of this study compete; over: [lambda] says that those compete which differ in "
                    "lambda");
    else if (most < 2)
        d->study->stop = NULL; /* what defaults say is for others */
}
