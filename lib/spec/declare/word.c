/* Words, titles and names of metrics in declarations. */
#include "spec/declare/declaring.h"
#include "spec/grid/scale.h"
#include "spec/read/complaint.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"
#include "spec/read/value.h"
#include "train/metric.h"

#include <string.h>

enum { MOST_LABELS = 200 };

static void complain_word(struct reader *reader, const struct node *at, const char *what, const char *word,
                          const char *const *legal, size_t count)
{
    struct pl_text text = {0};
    pl_text_addf(&text, "%s \"%.100s\"", what, word);
    pl_hint(&text, word, legal, count);
    pl_complain(&reader->complaints, at, "%s", pl_text(&text));
    pl_text_release(&text);
}

int pl_declare_word(struct reader *reader, const struct node *node, const char *what, const char *const *legal,
                    size_t count)
{
    const char *word = pl_node_text(reader, node, what);
    for (size_t i = 0; word && i < count; i++)
        if (!strcmp(legal[i], word))
            return (int)i;
    if (word) {
        struct pl_text unknown = {0};
        pl_text_addf(&unknown, "%s cannot be", what);
        complain_word(reader, node, pl_text(&unknown), word, legal, count);
        pl_text_release(&unknown);
    }
    return -1;
}

char *pl_declare_title(struct declaring *d, const struct node *node)
{
    const char *title = pl_node_text(d->reader, node, "title");
    return title ? pl_scale_label(d->reader, title, " (", ")") : NULL;
}

char *pl_declare_cell(struct declaring *d, const struct node *node)
{
    const char *word = pl_node_text(d->reader, node, "cell"), *kind = word ? pl_cell_kind(word) : NULL;
    if (word && !kind)
        complain_word(d->reader, node, "cell cannot be", word, pl_cell_names, PL_CELL_COUNT);
    return (char *)kind;
}

void pl_declare_labels(struct declaring *d, const struct node *map, struct pl_labels *labels)
{
    struct complaints *complaints = &d->reader->complaints;
    if (map->kind != NODE_MAP || map->count > MOST_LABELS) {
        pl_complain(complaints, map,
                    "labels must be a mapping of at most %d names, such as {theopoula: TheoPouLa, lambda: step size}",
                    MOST_LABELS);
        return;
    }
    labels->names = pl_pool_new(d->reader->pool, map->count, sizeof *labels->names);
    labels->texts = pl_pool_new(d->reader->pool, map->count, sizeof *labels->texts);
    for (size_t i = 0; i < map->count; i++) {
        const struct node *key = map->items[2 * i];
        const char *text = pl_node_text(d->reader, map->items[2 * i + 1], "a text of labels");
        if (pl_labels_find(labels, key->text))
            pl_complain(complaints, key, "labels says twice what %s is shown as", key->text);
        if (!text)
            continue;
        labels->names[labels->count] = (char *)key->text;
        labels->texts[labels->count++] = (char *)text;
    }
}

/* Metrics are named by tasks and by trainers that nobody has run yet, so any word will do. */
static bool is_metric(const char *name)
{
    size_t length = strlen(name);
    if (!length || length > PL_METRIC_NAME_MOST || (*name >= '0' && *name <= '9'))
        return false;
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c >= 0x80 ||
              strchr("_" PL_METRIC_SIGNS, *c)))
            return false;
    return true;
}

char *pl_declare_metric_name(struct reader *reader, const struct node *node, const char *what, enum pl_select *select)
{
    const char *text = pl_node_text(reader, node, what);
    if (!text)
        return NULL;
    const char *space = strchr(text, ' '), *metric = text;
    if (space && select && pl_select_find(text, (size_t)(space - text), select))
        metric = space + strspn(space, " ");
    if (is_metric(metric))
        return (char *)metric;
    pl_complain(&reader->complaints, node, "%s cannot be \"%.100s\"; it must be %s", what, text,
                select ? "best METRIC, last METRIC or best-valid METRIC, such as best test_accuracy"
                       : "the name of a metric, such as test_accuracy");
    return NULL;
}

bool pl_declare_map(struct reader *reader, const struct node *map, const char *what, const char *example,
                    const char *const *legal, size_t count)
{
    if (map->kind != NODE_MAP) {
        pl_complain(&reader->complaints, map, "%s must be a mapping, such as %s", what, example);
        return false;
    }
    for (size_t i = 0; i < map->count; i++) {
        const struct node *key = map->items[2 * i];
        bool known = false;
        for (size_t k = 0; k < count; k++)
            known = known || !strcmp(legal[k], key->text);
        if (!known) {
            struct pl_text text = {0};
            pl_text_addf(&text, "%s cannot have the key", what);
            complain_word(reader, key, pl_text(&text), key->text, legal, count);
            pl_text_release(&text);
        }
    }
    return true;
}

void pl_declare_number(struct reader *reader, const struct node *node, const char *what, const char *bounds,
                       double *number)
{
    const struct pl_setting setting = {.key = what, .type = PL_REAL, .range = bounds};
    struct cell cell;
    if (!pl_cell_read(reader, what, &setting, node, &cell))
        return;
    if (cell.expression)
        pl_complain(&reader->complaints, node, "%s must be a number, such as %.4g", what, *number);
    else
        *number = cell.value.real;
}
