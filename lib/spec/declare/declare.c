/* metrics, tables and figures of a study. */
#include "spec/declare/declare.h"

#include "spec/declare/declaring.h"
#include "spec/read/complaint.h"
#include "spec/read/content.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"

/* A list of declarations, or a single one; none if it is too long to be meant. */
static struct node **read_list(struct reader *reader, struct node **node, const char *what, size_t *count)
{
    struct node **items = pl_node_list(node, count);
    if (*count <= 200)
        return items;
    pl_complain(&reader->complaints, *node, "%s: there are %zu; at most 200 are supported", what, *count);
    *count = 0;
    return items;
}

void pl_declarations_read(struct reader *reader, const struct content *defaults, const struct content *content,
                          struct pl_study *study, bool lenient)
{
    struct declaring d = {reader, study, lenient, false};
    struct node *metrics = content->metrics ? content->metrics : defaults ? defaults->metrics : NULL;
    struct node *target = content->target ? content->target : defaults ? defaults->target : NULL;
    struct node *tables = content->tables ? content->tables : defaults ? defaults->tables : NULL;
    struct node *figures = content->figures ? content->figures : defaults ? defaults->figures : NULL;
    size_t count;
    if (metrics)
        pl_declare_metrics(&d, metrics);
    if (target)
        pl_declare_target(&d, target);
    struct node *stop = content->stop ? content->stop : defaults ? defaults->stop : NULL;
    if (stop)
        pl_declare_stop(&d, stop, content->stop);
    if (tables) {
        struct node **items = read_list(reader, &tables, "tables", &count);
        study->tables = pl_pool_new(reader->pool, count, sizeof *study->tables);
        for (size_t i = 0; i < count; i++)
            pl_declare_table(&d, items[i], &study->tables[study->table_count++]);
    }
    if (figures) {
        struct node **items = read_list(reader, &figures, "figures", &count);
        study->figures = pl_pool_new(reader->pool, count, sizeof *study->figures);
        for (size_t i = 0; i < count; i++)
            pl_declare_figure(&d, items[i], &study->figures[study->figure_count++]);
        struct node list = {.items = items, .count = count};
        pl_declare_figure_names(&d, &list);
    }
}
