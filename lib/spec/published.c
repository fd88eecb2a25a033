/* Published numbers: tables of printed means and deviations, each cell with the settings of the runs behind it. */
#include "spec/claims.h"
#include "spec/read/complaint.h"
#include "spec/read/node.h"
#include "spec/read/parse.h"
#include "spec/read/reader.h"
#include "spec/read/value.h"
#include "spec/spec.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MOST_TABLES = 1000, MOST_CELLS = 100000, MOST_CONDITIONS = 100 };

static const struct pl_setting unit_setting = {.key = "unit", .type = PL_REAL, .range = "(0,1e300]"};
static const struct pl_setting rank_setting = {.key = "rank", .type = PL_INTEGER, .range = "[1,1000]"};
static const struct pl_setting runs_setting = {.key = "runs", .type = PL_INTEGER, .range = "[1,1000000]"};

/* A table as it stands in the file. */
struct page {
    struct reader *reader;
    const struct node *columns, *rows;
    struct pl_published_table *table;
};

/* Decimals of a number as it is printed: 2 of 92.30. */
static int decimals_of(const char *text, size_t length)
{
    const char *point = memchr(text, '.', length);
    return point ? (int)(text + length - point) - 1 : 0;
}

static bool read_part(const char *text, size_t length, double *value, int *decimals)
{
    char number[64];
    if (!length || length >= sizeof number || text[strspn(text, "+-0123456789.eE")] == ' ')
        return false;
    memcpy(number, text, length);
    number[length] = '\0';
    *decimals = decimals_of(number, length);
    return pl_number_read(number, value) && isfinite(*value);
}

/* "92.30(0.055)", "92.30", or N/A. */
static bool read_number(struct page *page, const struct node *node, struct pl_published_cell *cell)
{
    const char *text = pl_node_text(page->reader, node, "a cell");
    cell->mean = cell->deviation = NAN;
    if (!text)
        return false;
    if (!strcmp(text, "N/A"))
        return true;
    const char *open = strchr(text, '(');
    size_t length = open ? (size_t)(open - text) : strlen(text);
    bool good = read_part(text, length, &cell->mean, &cell->mean_digits);
    if (good && open) {
        size_t rest = strlen(open);
        good = rest > 2 && open[rest - 1] == ')' &&
               read_part(open + 1, rest - 2, &cell->deviation, &cell->deviation_digits) && cell->deviation >= 0;
    }
    if (!good)
        pl_complain(&page->reader->complaints, node,
                    "a cell is \"%.60s\", but must be a mean with its deviation, 92.30(0.055), a mean, or N/A", text);
    return good;
}

/* One setting of the runs behind a cell. A column's or cell's word comes after its row's, and must not contradict
 * it. */
static void add_condition(struct page *page, const struct node *key, const struct node *value,
                          struct pl_published_cell *cell)
{
    struct reader *reader = page->reader;
    const struct pl_setting *setting = pl_reader_find(reader, key->text);
    const char *name = setting ? setting->key : key->text;
    struct cell read;
    if (!pl_cell_read(reader, name, NULL, value, &read))
        return;
    for (size_t i = 0; i < cell->where_count; i++)
        if (!strcmp(cell->where[i].key, name)) {
            pl_complain(&reader->complaints, key, "%s is given twice for one cell", name);
            return;
        }
    if (cell->where_count == MOST_CONDITIONS) {
        pl_complain(&reader->complaints, key, "a cell has more than %d settings", MOST_CONDITIONS);
        return;
    }
    struct pl_value *copy = pl_pool_new(reader->pool, 1, sizeof *copy);
    *copy = read.value;
    cell->where[cell->where_count++] = (struct pl_condition){.key = (char *)name, .values = copy, .count = 1};
}

/* The settings of a mapping, except those keys of it that mean something else. */
static void add_conditions(struct page *page, const struct node *map, const char *others,
                           struct pl_published_cell *cell)
{
    if (!map || map->kind != NODE_MAP)
        return;
    for (size_t i = 0; i < map->count; i++)
        if (!pl_has_word(others, map->items[2 * i]->text))
            add_condition(page, map->items[2 * i], map->items[2 * i + 1], cell);
}

static void read_cell(struct page *page, const struct node *row, const struct node *column, const struct node *node,
                      struct pl_published_cell *cell)
{
    const struct node *where = pl_node_find(row, "where"), *note = NULL, *value = node;
    *cell = (struct pl_published_cell){.mean = NAN, .deviation = NAN};
    cell->where = pl_pool_new(page->reader->pool, MOST_CONDITIONS, sizeof *cell->where);
    if (node->kind == NODE_MAP) {
        note = pl_node_find(node, "note");
        value = pl_node_find(node, "value");
    }
    if (note)
        cell->note = (char *)pl_node_text(page->reader, note, "note");
    if (value)
        read_number(page, value, cell);
    else
        pl_complain(&page->reader->complaints, node, "a cell needs a value, such as {value: 92.30(0.055), beta: 1e8}");
    if (where && where->kind != NODE_MAP)
        pl_complain(&page->reader->complaints, where, "where must be a mapping, such as {optimizer: adam}");
    add_conditions(page, where, "", cell);
    add_conditions(page, column, "name note", cell);
    cell->shared_count = cell->where_count;
    if (node->kind == NODE_MAP)
        add_conditions(page, node, "value note", cell);
}

static char *name_of(struct page *page, const struct node *map, const char *what)
{
    const struct node *name = map->kind == NODE_MAP ? pl_node_find(map, "name") : NULL;
    if (!name)
        pl_complain(&page->reader->complaints, map, "a %s must be a mapping with a name", what);
    return name ? (char *)pl_node_text(page->reader, name, "name") : NULL;
}

static double read_count(struct page *page, const struct node *map, const struct pl_setting *setting, double otherwise)
{
    const struct node *node = pl_node_find(map, setting->key);
    struct cell cell;
    if (!node || !pl_cell_read(page->reader, setting->key, setting, node, &cell))
        return otherwise;
    if (cell.expression)
        pl_complain(&page->reader->complaints, node, "%s must be a number", setting->key);
    return cell.expression ? otherwise : setting->type == PL_INTEGER ? (double)cell.value.integer : cell.value.real;
}

static void read_row(struct page *page, size_t r)
{
    struct pl_published_table *table = page->table;
    const struct node *row = page->rows->items[r];
    if (!(table->rows[r] = name_of(page, row, "row")))
        return;
    const struct node *cells = pl_node_find(row, "cells"), *note = pl_node_find(row, "note");
    if (note)
        table->row_notes[r] = (char *)pl_node_text(page->reader, note, "note");
    table->ranks[r] = (int64_t)read_count(page, row, &rank_setting, 1);
    if (!cells || cells->kind != NODE_LIST || cells->count != table->column_count) {
        pl_complain(&page->reader->complaints, cells ? cells : row,
                    "row %.60s must have cells: a list of %zu, one for each column", table->rows[r],
                    table->column_count);
        return;
    }
    for (size_t c = 0; c < table->column_count; c++)
        read_cell(page, row, page->columns->items[c], cells->items[c], &table->cells[r * table->column_count + c]);
}

static const struct node *need_list(struct page *page, const struct node *map, const char *key)
{
    const struct node *list = pl_node_find(map, key);
    if (list && list->kind == NODE_LIST && list->count)
        return list;
    pl_complain(&page->reader->complaints, list ? list : map, "a published table must have %s: a list of mappings",
                key);
    return NULL;
}

static void read_notes(struct page *page, struct node *notes)
{
    struct pl_published_table *table = page->table;
    size_t count;
    struct node **items = pl_node_list(&notes, &count);
    table->notes = pl_pool_new(page->reader->pool, count, sizeof *table->notes);
    for (size_t i = 0; i < count; i++) {
        const char *text = pl_node_text(page->reader, items[i], "a note");
        if (text)
            table->notes[table->note_count++] = (char *)text;
    }
}

void pl_published_check_keys(struct reader *reader, const struct node *map, const char *legal, const char *what)
{
    for (size_t i = 0; i < map->count; i++)
        if (!pl_has_word(legal, map->items[2 * i]->text))
            pl_complain(&reader->complaints, map->items[2 * i], "%s cannot have the key %.60s; legal: %s", what,
                        map->items[2 * i]->text, legal);
}

static void read_table(struct reader *reader, const struct node *map, struct pl_published_table *table)
{
    struct page page = {.reader = reader, .table = table};
    if (map->kind != NODE_MAP || !pl_node_find(map, "table")) {
        pl_complain(&reader->complaints, map, "a published table must be a mapping that begins with table: NAME");
        return;
    }
    pl_published_check_keys(reader, map, "table title unit runs notes columns rows", "a published table");
    table->name = (char *)pl_node_text(reader, pl_node_find(map, "table"), "table");
    const struct node *title = pl_node_find(map, "title");
    table->title = title ? (char *)pl_node_text(reader, title, "title") : NULL;
    table->unit = read_count(&page, map, &unit_setting, 1);
    table->runs = (int64_t)read_count(&page, map, &runs_setting, 1);
    if (pl_node_find(map, "notes"))
        read_notes(&page, pl_node_find(map, "notes"));
    page.columns = need_list(&page, map, "columns");
    page.rows = need_list(&page, map, "rows");
    if (!page.columns || !page.rows)
        return;
    if (page.rows->count > MOST_CELLS / page.columns->count) {
        pl_complain(&reader->complaints, map, "the table has more than %d cells", MOST_CELLS);
        return;
    }
    table->row_count = page.rows->count;
    table->column_count = page.columns->count;
    table->rows = pl_pool_new(reader->pool, table->row_count, sizeof *table->rows);
    table->row_notes = pl_pool_new(reader->pool, table->row_count, sizeof *table->row_notes);
    table->ranks = pl_pool_new(reader->pool, table->row_count, sizeof *table->ranks);
    table->columns = pl_pool_new(reader->pool, table->column_count, sizeof *table->columns);
    table->cells = pl_pool_new(reader->pool, table->row_count * table->column_count, sizeof *table->cells);
    for (size_t c = 0; c < table->column_count; c++)
        table->columns[c] = name_of(&page, page.columns->items[c], "column");
    for (size_t r = 0; r < table->row_count && pl_reader_works(reader, page.rows->items[r], 100 * table->column_count);
         r++)
        read_row(&page, r);
}

static void read_all(struct reader *reader, struct node **documents, size_t count, struct pl_published *published)
{
    const struct node *map = count == 1 && documents[0]->kind == NODE_MAP ? documents[0] : NULL;
    const struct node *name = map ? pl_node_find(map, "published") : NULL,
                      *tables = map ? pl_node_find(map, "tables") : NULL;
    const struct node *claims = map ? pl_node_find(map, "claims") : NULL;
    if (!name || !tables || tables->kind != NODE_LIST || !tables->count || tables->count > MOST_TABLES ||
        map->count != (claims ? 3 : 2)) {
        pl_complain(&reader->complaints, map,
                    "a file of published numbers must have published: a name for them, "
                    "tables: a list of tables, and nothing else but claims: a list of what is said of them");
        return;
    }
    published->name = pl_node_text(reader, name, "published");
    published->tables = pl_pool_new(reader->pool, tables->count, sizeof *published->tables);
    for (size_t i = 0; i < tables->count; i++)
        read_table(reader, tables->items[i], &published->tables[published->count++]);
    for (size_t i = 0; i < published->count; i++)
        for (size_t k = 0; k < i; k++)
            if (published->tables[i].name && published->tables[k].name &&
                !strcmp(published->tables[i].name, published->tables[k].name))
                pl_complain(&reader->complaints, tables->items[i], "there is already a table %s",
                            published->tables[i].name);
    if (claims && !pl_complaint_count(&reader->complaints))
        pl_claims_read(reader, claims, published);
}

int pl_published_load(struct pl_published **result, const char *path, struct pl_text *problems, struct pl_error *err)
{
    struct pl_text text = {0};
    int status = pl_file_read_any(path, LARGEST_FILE, &text, err);
    if (status) {
        pl_text_release(&text);
        return status;
    }
    struct pl_published *published = pl_new(sizeof *published);
    struct reader reader = {0};
    struct node **documents;
    size_t count;
    pl_reader_init(&reader, path, &published->pool);
    pl_nodes_read(pl_text(&text), text.length, &published->pool, &reader.complaints, &documents, &count);
    if (!pl_complaint_count(&reader.complaints))
        read_all(&reader, documents, count, published);
    size_t bad = pl_complaint_count(&reader.complaints);
    pl_complaints_write(&reader.complaints, problems);
    pl_text_release(&text);
    if (!bad) {
        *result = published;
        return 0;
    }
    pl_published_free(published);
    return pl_fail(err, PL_EINPUT, "%s has %zu problem%s", path, bad, bad == 1 ? "" : "s");
}
