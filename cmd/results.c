#include "cmd_results.h"
#include "collect.h"
#include "store/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The texts of a sweep live in the store only until the next call; the results copy what they need. */
struct sweeps {
    struct pl_sweep_info *list;
    size_t count;
};

static int add_sweeps(struct sweeps *all, struct pl_store *store, const char *study, struct pl_error *err)
{
    const struct pl_sweep_info *sweeps;
    size_t count;
    int status = pl_store_sweeps(store, study, &sweeps, &count, err);
    if (status)
        return status;
    all->list = pl_resize(all->list, all->count + count, sizeof *all->list);
    for (size_t i = 0; i < count; i++) {
        struct pl_sweep_info *copy = &all->list[all->count++];
        *copy = sweeps[i];
        copy->study = pl_copy(sweeps[i].study);
        copy->path = pl_copy(sweeps[i].path);
        copy->spec = pl_copy(sweeps[i].spec);
    }
    return 0;
}

static void free_sweeps(struct sweeps *all)
{
    for (size_t i = 0; i < all->count; i++) {
        free((char *)all->list[i].study);
        free((char *)all->list[i].path);
        free((char *)all->list[i].spec);
    }
    free(all->list);
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

/* Several studies as one. */
static int each_together(const struct pl_args *args, struct pl_store *store, const struct pl_names *studies,
                         int (*each)(void *self, struct pl_results *results), void *self)
{
    struct pl_results **parts = pl_new(studies->count * sizeof *parts), *joined = NULL;
    struct sweeps sweeps = {0};
    struct pl_error err;
    size_t count = 0;
    int status = 0;
    for (; count < studies->count && !status; count += !status) {
        status = add_sweeps(&sweeps, store, studies->names[count], &err);
        if (!status)
            status = pl_results_open(&parts[count], store, &sweeps.list[count], &err);
    }
    if (!status)
        status = pl_results_join(&joined, parts, count, &err);
    int code = status ? pl_cmd_fail(args, &err) : each(self, joined);
    for (size_t i = 0; status && i < count; i++)
        pl_results_free(parts[i]);
    pl_results_free(joined);
    free(parts);
    free_sweeps(&sweeps);
    return code;
}

int pl_cmd_each_sweep(const struct pl_args *args, struct pl_condition *where, size_t where_count,
                      int (*each)(void *self, struct pl_results *results), void *self)
{
    struct pl_store *store = NULL;
    struct sweeps sweeps = {0};
    struct pl_error err;
    struct pl_names studies;
    int worst = 0;
    pl_names_read(pl_args_get(args, "study", NULL), &studies);
    pl_cmd_collect(args);
    if (pl_store_open(&store, pl_args_db(args), PL_STORE_READ, &err))
        worst = pl_cmd_fail(args, &err);
    else if (studies.count > 1)
        worst = each_together(args, store, &studies, each, self);
    else if (add_sweeps(&sweeps, store, pl_args_get(args, "study", NULL), &err))
        worst = pl_cmd_fail(args, &err);
    pl_names_release(&studies);
    if (sweeps.count > 1 && where_count)
        look_elsewhere(store, sweeps.list, sweeps.count, where, where_count);
    for (size_t i = 0; i < sweeps.count; i++) {
        struct pl_results *results = NULL;
        int code = pl_results_open(&results, store, &sweeps.list[i], &err) ? pl_cmd_fail(args, &err)
                                                                           : each(self, results);
        pl_results_free(results);
        worst = code > worst ? code : worst;
    }
    free_sweeps(&sweeps);
    pl_store_close(store);
    return worst;
}

static int keep_name(void *self, const struct pl_cell *cells, size_t count)
{
    struct pl_names *names = self;
    (void)count;
    pl_names_add(names, cells[0].text);
    return 0;
}

/* The newest sweeps of all studies, the newest study first. */
static int add_studies(struct sweeps *all, struct pl_store *store, struct pl_error *err)
{
    struct pl_names names = {0};
    int status = pl_store_query(store, "SELECT study FROM studies ORDER BY started DESC, study", NULL, keep_name,
                                &names, err);
    for (size_t i = 0; i < names.count && !status; i++)
        status = add_sweeps(all, store, names.names[i], err);
    pl_names_release(&names);
    return status;
}

int pl_cmd_each_study(const struct pl_args *args, int (*each)(void *self, struct pl_results *results), void *self)
{
    struct pl_store *store = NULL;
    struct sweeps sweeps = {0};
    struct pl_error err;
    const char *study = pl_args_get(args, "study", NULL);
    int worst = 0;
    pl_cmd_collect(args);
    int status = pl_store_open(&store, pl_args_db(args), PL_STORE_READ, &err);
    if (status == PL_EMISSING && !study && !pl_args_has(args, "db"))
        return 0;
    if (!status)
        status = study ? add_sweeps(&sweeps, store, study, &err) : add_studies(&sweeps, store, &err);
    if (status)
        worst = pl_cmd_fail(args, &err);
    for (size_t i = 0; i < sweeps.count; i++) {
        struct pl_results *results = NULL;
        status = pl_results_open(&results, store, &sweeps.list[i], &err);
        int code = status == PL_EMISSING ? 0 : status ? pl_cmd_fail(args, &err) : each(self, results);
        pl_results_free(results);
        worst = code > worst ? code : worst;
    }
    free_sweeps(&sweeps);
    pl_store_close(store);
    return worst;
}

bool pl_cmd_read_choice(const struct pl_args *args, struct pl_selection *choice)
{
    const char *by = pl_args_get(args, "by", NULL), *metric = NULL;
    int64_t best;
    if (!pl_args_integer(args, "best", 1, 1000, pl_args_has(args, "over") ? 1 : 0, &best))
        return false;
    if ((best || by) && !pl_args_has(args, "over")) {
        pl_cmd_usage_error(args, "--best and --by need --over: the settings to choose");
        return false;
    }
    if (by && !pl_select_read(by, &choice->select, &metric)) {
        pl_cmd_usage_error(args, "--by is '%s', but must be a metric, as in \"valid_loss\" or \"last loss\"", by);
        return false;
    }
    choice->best = (int)best;
    choice->metric = pl_copy(metric);
    pl_names_read(pl_args_get(args, "over", NULL), &choice->over);
    return true;
}

bool pl_cmd_read_labels(const struct pl_args *args, struct pl_labels *labels)
{
    const char *given, *wrong;
    for (size_t i = 0; (given = pl_args_nth(args, "labels", i)); i++)
        if (!pl_labels_read(given, labels, &wrong)) {
            size_t length = strcspn(wrong, ",");
            char *part = pl_copy_bytes(wrong, length);
            const char *equals = strchr(part, '=');
            bool twice = equals && equals > part && equals[1];
            pl_cmd_usage_error(args, "--labels has '%s', but %s", part,
                               twice ? "has said already what that name is shown as"
                                     : "must be like theopoula=TheoPouLa,lambda=step size");
            free(part);
            return false;
        }
    return true;
}

void pl_cmd_meet_labels(const struct pl_labels *labels, const struct pl_results *results, bool *met)
{
    for (size_t i = 0; i < labels->count; i++) /* or an axis that is no setting */
        met[i] = met[i] || pl_has_word("epoch epochs step iteration seconds points " PL_RANK_KEY, labels->names[i]) ||
                 pl_results_has_label(results, labels->names[i]);
}

void pl_cmd_note_labels(const struct pl_args *args, const struct pl_labels *labels, const bool *met)
{
    for (size_t i = 0; i < labels->count; i++)
        if (!met[i])
            pl_cmd_note("poula %s: --labels is for nothing here: there is no setting, value or metric '%s'",
                        args->command->name, labels->names[i]);
}

bool pl_cmd_read_look(const struct pl_args *args, struct pl_table_spec *table, bool *any_unit)
{
    const char *unit = pl_args_get(args, "unit", NULL), *label = pl_args_get(args, "label", NULL);
    const char *caption = pl_args_get(args, "caption", NULL);
    *any_unit = unit;
    if (unit)
        table->unit = (enum pl_value_unit)pl_cmd_word_of(unit, pl_unit_names, PL_UNIT_COUNT);
    if (label && !pl_table_label_is_legal(label)) {
        pl_cmd_usage_error(args, "--label is '%s', but must be letters, digits and : . _ - + /, such as tab:main",
                           label);
        return false;
    }
    if (caption && !*caption) {
        pl_cmd_usage_error(args, "--caption is empty");
        return false;
    }
    table->label = pl_copy(label);
    table->caption = pl_copy(caption);
    return pl_cmd_read_labels(args, &table->labels);
}

bool pl_cmd_read_target(const struct pl_args *args, struct pl_target *target)
{
    const char *given = pl_args_get(args, "target", NULL), *equals = given ? strchr(given, '=') : NULL;
    *target = (struct pl_target){0};
    if (!given)
        return true;
    if (!equals || equals == given || !pl_number_read(equals + 1, &target->value) || !isfinite(target->value)) {
        pl_cmd_usage_error(args, "--target is '%s', but must be a metric and a number, as in test_accuracy=0.9", given);
        return false;
    }
    target->metric = pl_copy_bytes(given, (size_t)(equals - given));
    return true;
}

int pl_cmd_word_of(const char *word, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], word))
            return i;
    return 0; /* options take no other words */
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
