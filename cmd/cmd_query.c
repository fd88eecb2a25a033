#include "answer.h"
#include "collect.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SQL_LIMIT = 1 << 20 };

static const char
    schema[] = "SELECT m.name || '(' || (SELECT group_concat(name, ', ') FROM pragma_table_info(m.name)) || ')'"
               " FROM sqlite_schema AS m WHERE m.type = 'view' ORDER BY m.name NOT IN ('runs', 'best', 'summary', "
               "'curves'), m.name";

static int print_line(void *self, const struct pl_cell *cells, size_t count)
{
    (void)self;
    (void)count;
    /* Continuation lines stand under the first column's name. */
    struct pl_text shown = {0};
    pl_escape_terminal(&shown, cells[0].text);
    const char *text = pl_text(&shown);
    size_t indent = strcspn(text, "(") + 1, column = 0;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (column && column + n > 100) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        } else if (column) {
            putchar(' ');
            column++;
        }
        fwrite(text, 1, n, stdout);
        column += n;
        text += n + (text[n] == ' ');
    }
    putchar('\n');
    pl_text_release(&shown);
    return 0;
}

static int list_views(const struct pl_args *args, struct pl_store *store)
{
    struct pl_error err;
    return pl_store_query(store, schema, NULL, print_line, NULL, &err) ? pl_cmd_fail(args, &err) : 0;
}

static int read_sql(const struct pl_args *args, struct pl_text *sql, struct pl_error *err)
{
    const char *file = pl_args_get(args, "file", NULL);
    const char *given = args->count ? args->arguments[0] : NULL;
    if (given && strcmp(given, "-")) {
        pl_text_add(sql, given);
        return 0;
    }
    int status = pl_file_read_any(file ? file : "-", SQL_LIMIT, sql, err);
    if (status)
        err->code = PL_EINPUT; /* the user named it */
    return status;
}

static int run(const struct pl_args *args)
{
    struct pl_store *store;
    struct pl_text sql = {0};
    struct pl_error err;
    bool file = pl_args_has(args, "file");
    if (file && args->count)
        return pl_cmd_usage_error(args, "give the SQL or --file, not both");
    if (pl_args_has(args, "tables") && (file || args->count))
        return pl_cmd_usage_error(args, "--tables lists the views, and takes no SQL");
    bool list = pl_args_has(args, "tables") || (!args->count && !file);
    if (!list && read_sql(args, &sql, &err)) {
        pl_text_release(&sql);
        return pl_cmd_fail(args, &err);
    }
    pl_cmd_collect(args);
    int code = pl_cmd_open(args, &store);
    if (!code)
        code = list ? list_views(args, store)
                    : pl_cmd_answer(args, store, pl_text(&sql), stdout, pl_cmd_format(args, &pl_format_text));
    pl_store_close(store);
    pl_text_release(&sql);
    return code;
}

static const struct pl_option options[] = {
    {.name = "format", .argument = "FORMAT", .help = "how to print", .words = PL_FORMAT_WORDS},
    {.name = "file", .letter = 'f', .argument = "FILE", .help = "read the SQL from FILE (- is standard input)"},
    {.name = "tables", .help = "list the views and their columns"},
    PL_NO_COLLECT,
};

const struct pl_command pl_cmd_query = {
    .name = "query",
    .summary = "ask the results database in SQL",
    .arguments = "[SQL]",
    .description =
        "Runs one or more SQL statements that only read, and prints their answers. SQL may be - for standard input. "
        "Without SQL it lists the views and their columns; docs/database.md explains them and shows ten queries. "
        "json prints one array of objects for each statement, with null for NULL and \"inf\" for an infinity.",
    .example = "poula query \"SELECT * FROM best LIMIT 10\"",
    PL_OPTIONS(options),
    .most = 1,
    .run = run,
};
