#include "cmd_results.h"
#include "collect.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

/* The texts of a sweep live in the store only until the next call; the results copy what they need. */
static int read_sweeps(const struct pl_args *args, struct pl_store *store, struct pl_sweep_info **copies, size_t *count,
                       struct pl_error *err)
{
    const struct pl_sweep_info *sweeps;
    int status = pl_store_sweeps(store, pl_args_get(args, "study", NULL), &sweeps, count, err);
    if (status)
        return status;
    *copies = pl_new(*count * sizeof **copies);
    for (size_t i = 0; i < *count; i++) {
        (*copies)[i] = sweeps[i];
        (*copies)[i].study = pl_copy(sweeps[i].study);
        (*copies)[i].path = pl_copy(sweeps[i].path);
        (*copies)[i].spec = pl_copy(sweeps[i].spec);
    }
    return 0;
}

static void free_sweeps(struct pl_sweep_info *sweeps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free((char *)sweeps[i].study);
        free((char *)sweeps[i].path);
        free((char *)sweeps[i].spec);
    }
    free(sweeps);
}

/* Marks the conditions all of whose alternatives are found in some of the studies. */
static void look_elsewhere(struct pl_store *store, const struct pl_sweep_info *sweeps, size_t count,
                           struct pl_condition *where, size_t where_count)
{
    bool **found = pl_new((where_count + 1) * sizeof *found);
    for (size_t w = 0; w < where_count; w++)
        found[w] = pl_new(where[w].count + where[w].range_count + 1);
    for (size_t i = 0; i < count; i++) {
        struct pl_results *results = NULL;
        struct pl_error err;
        int status = pl_results_open(&results, store, &sweeps[i], &err);
        if (!status)
            status = pl_results_load(results, pl_results_main_metric(results), PL_SELECT_LAST, &err);
        for (size_t w = 0; w < where_count && !status; w++) /* a failure is said when the study's turn comes */
            for (size_t k = 0; k < where[w].count + where[w].range_count; k++)
                found[w][k] = found[w][k] || pl_results_has(results, &where[w], k);
        pl_results_free(results);
    }
    for (size_t w = 0; w < where_count; w++) {
        where[w].elsewhere = true;
        for (size_t k = 0; k < where[w].count + where[w].range_count; k++)
            where[w].elsewhere = where[w].elsewhere && found[w][k];
        free(found[w]);
    }
    free(found);
}

int pl_cmd_each_sweep(const struct pl_args *args, struct pl_condition *where, size_t where_count,
                      int (*each)(void *self, struct pl_results *results), void *self)
{
    struct pl_store *store = NULL;
    struct pl_sweep_info *sweeps = NULL;
    struct pl_error err;
    size_t count = 0;
    int worst = 0;
    pl_cmd_collect(args);
    if (pl_store_open(&store, pl_args_db(args), PL_STORE_READ, &err) || read_sweeps(args, store, &sweeps, &count, &err))
        worst = pl_cmd_fail(args, &err);
    if (count > 1 && where_count)
        look_elsewhere(store, sweeps, count, where, where_count);
    for (size_t i = 0; i < count; i++) {
        struct pl_results *results = NULL;
        int code = pl_results_open(&results, store, &sweeps[i], &err) ? pl_cmd_fail(args, &err) : each(self, results);
        pl_results_free(results);
        worst = code > worst ? code : worst;
    }
    free_sweeps(sweeps, count);
    pl_store_close(store);
    return worst;
}

void pl_cmd_read_select(const struct pl_args *args, enum pl_select *select)
{
    const char *given = pl_args_get(args, "select", pl_select_names[PL_SELECT_BEST]);
    pl_select_find(given, strlen(given), select);
}

bool pl_cmd_read_where(const struct pl_args *args, struct pl_condition **where, size_t *count)
{
    const char *given;
    for (size_t i = 0; (given = pl_args_nth(args, "where", i)); i++)
        if (!pl_where_read(given, where, count)) {
            pl_cmd_usage_error(args,
                               "--where is '%s', but must be like lambda=0.1, model=vgg11,resnet34, lambda<0.01 or "
                               "lambda=0.1..1",
                               given);
            return false;
        }
    return true;
}

struct pl_condition *pl_cmd_join_where(const struct pl_condition *a, size_t a_count, const struct pl_condition *b,
                                       size_t b_count)
{
    if (!(a_count + b_count))
        return NULL;
    struct pl_condition *joined = pl_new((a_count + b_count) * sizeof *joined);
    if (a_count)
        memcpy(joined, a, a_count * sizeof *a);
    if (b_count)
        memcpy(joined + a_count, b, b_count * sizeof *b);
    return joined;
}
