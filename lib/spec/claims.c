/* Claims: the sentence, and which rows or columns of published tables it sets above which, or says are alike. */
#include "spec/claims.h"

#include "spec/read/complaint.h"
#include "spec/read/node.h"

#include <string.h>

enum { MOST_CLAIMS = 1000, MOST_LINES = 1000, MOST_PAIRS = 100000 };

/* A claim as it stands in the file. */
struct saying {
    struct reader *reader;
    const struct pl_published *published;
    const struct pl_published_table *table; /* of the names without one */
    const struct node *map;
    struct pl_published_claim *claim;
};

static char *text_of(const struct saying *s, const char *key, bool needed)
{
    const struct node *node = pl_node_find(s->map, key);
    if (!node && needed)
        pl_complain(&s->reader->complaints, s->map, "a claim must have %s", key);
    return node ? (char *)pl_node_text(s->reader, node, key) : NULL;
}

static bool find(const struct pl_published_table *table, const char *name, struct pl_published_line *line)
{
    for (int is_column = 0; is_column < 2; is_column++)
        for (size_t i = 0; i < (is_column ? table->column_count : table->row_count); i++)
            if (!strcmp(is_column ? table->columns[i] : table->rows[i], name)) {
                *line = (struct pl_published_line){table, is_column, i};
                return true;
            }
    return false;
}

/* "AdaBelief", or "table-main/AdaBelief" of another table than the claim's. */
static bool find_line(const struct saying *s, const struct node *node, struct pl_published_line *line)
{
    const char *name = pl_node_text(s->reader, node, "a row or column");
    if (!name)
        return false;
    if (find(s->table, name, line))
        return true;
    for (size_t i = 0; i < s->published->count; i++) {
        const struct pl_published_table *table = &s->published->tables[i];
        size_t length = strlen(table->name);
        if (!strncmp(name, table->name, length) && name[length] == '/' && find(table, name + length + 1, line))
            return true;
    }
    pl_complain(&s->reader->complaints, node, "%s has no row and no column %.60s", s->table->name, name);
    return false;
}

static bool is_among(const struct pl_published_line *line, const struct pl_published_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (lines[i].table == line->table && lines[i].index == line->index && lines[i].is_column == line->is_column)
            return true;
    return false;
}

/* A list of names, which are all rows or all columns. */
static struct pl_published_line *read_lines(const struct saying *s, const char *key, size_t *count)
{
    struct node *list = pl_node_find(s->map, key);
    size_t given;
    *count = 0;
    if (!list)
        return NULL;
    struct node **items = pl_node_list(&list, &given);
    if (given > MOST_LINES) {
        pl_complain(&s->reader->complaints, list, "%s has more than %d names", key, MOST_LINES);
        return NULL;
    }
    struct pl_published_line *lines = pl_pool_new(s->reader->pool, given, sizeof *lines);
    for (size_t i = 0; i < given; i++) {
        if (!find_line(s, items[i], &lines[*count]))
            continue;
        if (is_among(&lines[*count], lines, *count))
            pl_complain(&s->reader->complaints, items[i], "%s has this twice", key);
        else if (lines[*count].is_column != lines[0].is_column)
            pl_complain(&s->reader->complaints, items[i], "%s has rows as well as columns", key);
        else
            ++*count;
    }
    return lines;
}

/* behind: others are all the lines of the table that stand neither ahead nor in except. */
static void read_behind(struct saying *s)
{
    struct pl_published_claim *claim = s->claim;
    const struct node *behind = pl_node_find(s->map, "behind");
    if (!behind || behind->kind != NODE_SCALAR || strcmp(behind->text, "others") || !claim->ahead_count) {
        claim->behind = read_lines(s, "behind", &claim->behind_count);
        return;
    }
    size_t except_count;
    struct pl_published_line *except = read_lines(s, "except", &except_count);
    bool is_column = claim->ahead[0].is_column;
    size_t lines = is_column ? s->table->column_count : s->table->row_count;
    claim->behind = pl_pool_new(s->reader->pool, lines, sizeof *claim->behind);
    for (size_t i = 0; i < lines; i++) {
        struct pl_published_line line = {s->table, is_column, i};
        if (!is_among(&line, claim->ahead, claim->ahead_count) && !is_among(&line, except, except_count))
            claim->behind[claim->behind_count++] = line;
    }
}

/* The columns of rows (or rows of columns) in which it is said to be so; all, unless among names some. */
static void read_among(struct saying *s)
{
    struct pl_published_claim *claim = s->claim;
    struct node *list = pl_node_find(s->map, "among");
    const struct pl_published_table *table = claim->ahead[0].table;
    bool is_column = claim->ahead[0].is_column;
    char **all = is_column ? table->rows : table->columns;
    size_t count = is_column ? table->row_count : table->column_count, given;
    claim->among = all;
    claim->among_count = count;
    if (!list)
        return;
    struct node **items = pl_node_list(&list, &given);
    claim->among = pl_pool_new(s->reader->pool, given, sizeof *claim->among);
    claim->among_count = 0;
    for (size_t i = 0; i < given; i++) {
        const char *name = pl_node_text(s->reader, items[i], "among");
        if (!name)
            continue;
        if (pl_published_cell_of(claim->ahead, name))
            claim->among[claim->among_count++] = (char *)name;
        else
            pl_complain(&s->reader->complaints, items[i], "%s has no %s %.60s", table->name,
                        is_column ? "row" : "column", name);
    }
}

static void read_better(struct saying *s)
{
    char *better = text_of(s, "better", !s->claim->alike);
    if (better && strcmp(better, "max") && strcmp(better, "min"))
        pl_complain(&s->reader->complaints, pl_node_find(s->map, "better"), "better must be max or min");
    s->claim->lower = better && !strcmp(better, "min");
}

static void read_claim(struct saying *s)
{
    struct pl_published_claim *claim = s->claim;
    struct reader *reader = s->reader;
    if (s->map->kind != NODE_MAP || !pl_node_find(s->map, "claim")) {
        pl_complain(&reader->complaints, s->map, "a claim must be a mapping that begins with claim: NAME");
        return;
    }
    pl_published_check_keys(reader, s->map, "claim sentence place table better ahead behind alike except among note",
                            "a claim");
    claim->name = text_of(s, "claim", true);
    claim->sentence = text_of(s, "sentence", true);
    claim->place = text_of(s, "place", false);
    claim->note = text_of(s, "note", false);
    const char *table = text_of(s, "table", true);
    s->table = table ? pl_published_find(s->published, table) : NULL;
    if (table && !s->table)
        pl_complain(&reader->complaints, pl_node_find(s->map, "table"), "there is no table %.60s", table);
    if (!s->table || !claim->name || !claim->sentence)
        return;
    claim->alike = pl_node_find(s->map, "alike");
    read_better(s);
    claim->ahead = read_lines(s, claim->alike ? "alike" : "ahead", &claim->ahead_count);
    if (!claim->alike)
        read_behind(s);
    if (pl_complaint_count(&reader->complaints))
        return;
    bool whole = claim->alike
                     ? claim->ahead_count > 1 && !pl_node_find(s->map, "ahead") && !pl_node_find(s->map, "behind")
                     : claim->ahead_count && claim->behind_count &&
                           claim->ahead[0].is_column == claim->behind[0].is_column;
    if (!whole)
        pl_complain(
            &reader->complaints, s->map,
            "claim %.60s must have ahead: and behind:, rows (or columns) of which the first are said to be better, or "
            "alike: two or more",
            claim->name);
    else
        read_among(s);
    size_t behind = claim->alike ? claim->ahead_count : claim->behind_count;
    if (claim->ahead_count * behind > MOST_PAIRS / (claim->among_count + 1))
        pl_complain(&reader->complaints, s->map, "claim %.60s is about more than %d pairs", claim->name, MOST_PAIRS);
}

void pl_claims_read(struct reader *reader, const struct node *list, struct pl_published *published)
{
    if (list->kind != NODE_LIST || !list->count || list->count > MOST_CLAIMS) {
        pl_complain(&reader->complaints, list, "claims must be a list of claims");
        return;
    }
    published->claims = pl_pool_new(reader->pool, list->count, sizeof *published->claims);
    for (size_t i = 0; i < list->count && pl_reader_works(reader, list->items[i], 1000); i++) {
        struct pl_published_claim *claim = &published->claims[published->claim_count++];
        *claim = (struct pl_published_claim){0};
        read_claim(&(struct saying){reader, published, NULL, list->items[i], claim});
        for (size_t k = 0; claim->name && k + 1 < published->claim_count; k++)
            if (published->claims[k].name && !strcmp(published->claims[k].name, claim->name))
                pl_complain(&reader->complaints, list->items[i], "there is already a claim %s", claim->name);
    }
}
