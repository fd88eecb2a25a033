/* Answers of the database, and what else commands that read it share. */
#include "answer.h"

#include "store/look.h"
#include "sweep/sweep.h"

#include <errno.h>
#include <stdio_ext.h>
#include <string.h>

int pl_cmd_run_folder(const struct pl_args *args, struct pl_store *store, const struct pl_run_info *info,
                      struct pl_text *folder, struct pl_error *err)
{
    char token[PL_STORE_TOKEN_SIZE];
    struct pl_text folders = {0};
    int status = pl_store_token(store, token, err);
    pl_args_folders(args, &folders);
    if (!status)
        pl_run_folder(pl_text(&folders), token, info->run, info->key, info->attempts > 0, folder);
    pl_text_release(&folders);
    return status;
}

int pl_cmd_open(const struct pl_args *args, struct pl_store **store)
{
    struct pl_error err;
    return pl_store_open(store, pl_args_db(args), PL_STORE_READ, &err) ? pl_cmd_fail(args, &err) : 0;
}

const struct pl_format *pl_cmd_format(const struct pl_args *args, const struct pl_format *fallback)
{
    const char *given = pl_args_get(args, "format", NULL);
    return given ? pl_format_find(given) : fallback; /* the words of the option have been checked */
}

int pl_cmd_answer(const struct pl_args *args, struct pl_store *store, const char *sql, FILE *out,
                  const struct pl_format *format)
{
    struct pl_error err = {0};
    struct pl_rows *rows = pl_rows_new(out, format->rows);
    int status = pl_store_query(store, sql, pl_rows_head, pl_rows_row, rows, &err);
    int problem = pl_rows_problem(rows);
    pl_rows_end(rows);
    if (!status)
        return 0;
    if (!problem)
        return pl_cmd_fail(args, &err);
    if (out != stdout) /* its owner says so */
        return 1;
    if (problem != EPIPE) /* the reader of a pipe may leave early */
        fprintf(stderr, "poula %s: cannot write the output: %s\n", args->command->name, strerror(problem));
    __fpurge(stdout); /* it has been said */
    clearerr(stdout);
    return 1;
}

void pl_cmd_add_sql_text(struct pl_text *sql, const char *text)
{
    pl_store_add_string(sql, text);
}
