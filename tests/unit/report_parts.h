/* Runs in a database, for the tests of tables. */
#ifndef PL_TEST_REPORT_PARTS_H
#define PL_TEST_REPORT_PARTS_H

#include "print/print.h"
#include "results_db.h"

/* The rules of cells: three seeds a configuration. */
static const struct known_run cells[] = {
    RUN("optimizer=adam lambda=0.1", 1, PL_FINISHED, 90, 92.25),
    RUN("optimizer=adam lambda=0.1", 2, PL_FINISHED, 92.50, 91),
    RUN("optimizer=adam lambda=0.1", 3, PL_FINISHED, 50, 92.75),
    RUN("optimizer=adam lambda=0.01", 1, PL_FINISHED, 80),
    RUN("optimizer=adam lambda=0.01", 2, PL_DIVERGED, 99),
    RUN("optimizer=adam lambda=0.01", 3, PL_FINISHED, 82),
    RUN("optimizer=sgd lambda=0.1", 1, PL_DIVERGED, 10),
    RUN("optimizer=sgd lambda=0.1", 2, PL_DIVERGED, 10),
    RUN("optimizer=sgd lambda=0.1", 3, PL_DIVERGED, 10),
    RUN("optimizer=sgd lambda=0.01", 1, PL_FINISHED, 70, NAN),
    RUN("optimizer=sgd lambda=0.01", 2, PL_FAILED, 71),
    RUN("optimizer=sgd lambda=0.01", 3, -1, 0),
};

enum { CELLS = sizeof cells / sizeof *cells };

static inline char *render(struct pl_results *results, struct pl_table_spec spec, const struct pl_format *format)
{
    struct pl_table *table;
    struct pl_text text = {0};
    ok(pl_table_build(&table, results, &spec, &err));
    pl_table_write(&table, 1, format, &text);
    pl_table_free(table);
    return pl_text_take(&text);
}

static inline struct pl_names names(const char **list, size_t count)
{
    return (struct pl_names){(char **)list, count};
}

static const char *optimizer[] = {"optimizer"}, *lambda[] = {"lambda"};

static inline struct pl_table_spec by_lambda(void)
{
    return (struct pl_table_spec){.rows = names(optimizer, 1), .columns = names(lambda, 1), .digits = -1};
}

static inline void expect(char *got, const char *want)
{
    assert_string_equal(got, want);
    free(got);
}

#endif
