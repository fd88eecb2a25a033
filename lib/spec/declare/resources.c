/* What a task of a study may use of a cluster. */
#include "spec/declare/resources.h"

#include "spec/declare/declaring.h"
#include "spec/read/complaint.h"
#include "spec/read/content.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"
#include "spec/read/value.h"

#include <string.h>

enum { MOST_LINES = 200 };

static const char *const resource_keys[] = {"cpus",      "memory",  "time",   "gpus",
                                            "partition", "account", "sbatch", "setup"};

static void read_count(struct reader *reader, const char *key, const char *range, const struct node *node,
                       int64_t *count)
{
    const struct pl_setting whole = {.key = key, .type = PL_INTEGER, .range = range};
    struct cell cell;
    if (!pl_cell_read(reader, key, &whole, node, &cell))
        return;
    if (cell.expression)
        pl_complain(&reader->complaints, node, "%s must be a whole number", key);
    else
        *count = cell.value.integer;
}

/* An amount of something that read understands. */
static void read_amount(struct reader *reader, const char *key, const char *example, const struct node *node,
                        bool (*read)(const char *text, double *value), double *value)
{
    if (node->kind == NODE_SCALAR && !pl_node_is_null(node) && read(node->text, value))
        return;
    pl_complain(&reader->complaints, node, "%s must be %s", key, example);
}

/* A text that stands in one line of a script. */
static char *read_line(struct reader *reader, const char *key, const struct node *node)
{
    const char *text = pl_node_text(reader, node, key);
    for (const char *c = text; c && *c; c++)
        if ((unsigned char)*c < ' ' && *c != '\t') {
            pl_complain(&reader->complaints, node, "%s must be one line, without control characters", key);
            return NULL;
        }
    return (char *)text;
}

/* The name of something: what sbatch takes for one word. */
static char *read_word(struct reader *reader, const char *key, const struct node *node)
{
    char *text = read_line(reader, key, node);
    if (!text || (*text != '-' && !strpbrk(text, " \t\"'\\")))
        return text;
    pl_complain(&reader->complaints, node, "%s cannot be \"%.100s\": it must be a word", key, text);
    return NULL;
}

static void read_lines(struct reader *reader, const char *key, struct node *node, struct pl_texts *lines)
{
    size_t count;
    struct node **items = pl_node_list(&node, &count);
    struct pl_error err;
    if (count > MOST_LINES) {
        pl_complain(&reader->complaints, node, "%s: there are %zu; at most %d are supported", key, count, MOST_LINES);
        return;
    }
    *lines = (struct pl_texts){.items = pl_pool_new(reader->pool, count, sizeof *lines->items)};
    for (size_t i = 0; i < count; i++) {
        char *line = read_line(reader, key, items[i]);
        if (line && !strcmp(key, "sbatch") && pl_resources_check_sbatch(line, &err))
            pl_complain(&reader->complaints, items[i], "%s", err.text);
        else if (line)
            lines->items[lines->count++] = line;
    }
}

static void read_key(struct reader *reader, const char *key, struct node *value, struct pl_resources *resources)
{
    if (!strcmp(key, "cpus"))
        read_count(reader, key, "[1,100000]", value, &resources->cpus);
    else if (!strcmp(key, "gpus"))
        read_count(reader, key, "[0,1000]", value, &resources->gpus);
    else if (!strcmp(key, "memory"))
        read_amount(reader, key, "an amount such as 8G or 500M", value, pl_memory_read, &resources->memory);
    else if (!strcmp(key, "time"))
        read_amount(reader, key, "a time such as 4h, 90m, 2d or 1-12:00:00", value, pl_duration_read, &resources->time);
    else if (!strcmp(key, "partition"))
        resources->partition = read_word(reader, key, value);
    else if (!strcmp(key, "account"))
        resources->account = read_word(reader, key, value);
    else if (!strcmp(key, "sbatch"))
        read_lines(reader, key, value, &resources->sbatch);
    else if (!strcmp(key, "setup"))
        read_lines(reader, key, value, &resources->setup);
}

void pl_resources_read(struct reader *reader, const struct content *defaults, const struct content *content,
                       struct pl_study *study)
{
    const struct node *maps[] = {defaults ? defaults->resources : NULL, content->resources};
    struct pl_resources *resources = NULL;
    for (size_t m = 0; m < COUNT(maps); m++) {
        if (!maps[m] || !pl_declare_map(reader, maps[m], "resources", "{cpus: 4, memory: 8G, time: 4h}", resource_keys,
                                        COUNT(resource_keys)))
            continue;
        resources = resources ? resources : pl_pool_new(reader->pool, 1, sizeof *resources);
        for (size_t i = 0; i < maps[m]->count; i++)
            read_key(reader, maps[m]->items[2 * i]->text, maps[m]->items[2 * i + 1], resources);
    }
    study->resources = resources;
}
