/* Tables with select: of the configurations that differ only in what is chosen over, the best ones. The ranking is
 * pl_results_choose's, so that a study which takes its settings from a table gets what the table shows. */
#include "report/report_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int check_over(const struct pl_table_plan *plan, const struct pl_table_spec *spec, struct pl_error *err)
{
    const struct pl_names *parting[] = {&spec->rows, &spec->columns};
    for (size_t i = 0; i < plan->over_count; i++) {
        const char *name = pl_results_key_name(plan->results, plan->over[i]);
        for (size_t k = 0; k < 2; k++)
            for (size_t j = 0; j < parting[k]->count; j++)
                if (pl_results_key(plan->results, parting[k]->names[j]) == plan->over[i])
                    return pl_fail(err, PL_EINPUT, "what is chosen over cannot be in rows or columns: %s", name);
    }
    if (pl_results_key(plan->results, PL_RANK_KEY) != SIZE_MAX)
        return pl_fail(err, PL_EINPUT,
                       "a table with select has ranks, but study %s has a setting of the name " PL_RANK_KEY,
                       pl_results_name(plan->results));
    return 0;
}

static int choose(struct pl_table_plan *plan, const struct pl_table_spec *spec, struct pl_error *err)
{
    struct pl_results *results = plan->results;
    struct pl_table_spec named = *spec;
    named.rows = named.columns = named.choose.over = (struct pl_names){0};
    int status = pl_results_keys(results, &spec->choose.over, plan->over, err);
    plan->over_count = spec->choose.over.count;
    if (!status)
        status = check_over(plan, spec, err);
    if (!status)
        status = pl_results_spell(results, &spec->rows, &named.rows, err);
    if (!status)
        status = pl_results_spell(results, &spec->columns, &named.columns, err);
    if (!status)
        status = pl_results_spell(results, &spec->choose.over, &named.choose.over, err);
    if (!status)
        status = pl_results_choose(results, &named, &plan->choice, err);
    free(named.rows.names);
    free(named.columns.names);
    free(named.choose.over.names);
    return status;
}

int pl_selection_begin(struct pl_table_plan *plan, const struct pl_table_spec *spec, const struct pl_table *table,
                       struct pl_error *err)
{
    if (spec->choose.over.count > PL_TABLE_KEYS || !spec->choose.over.count)
        return pl_fail(err, PL_EINPUT, "a table chooses over at least one and at most %d settings", PL_TABLE_KEYS);
    int status = choose(plan, spec, err);
    if (!status) /* choosing has loaded the criterion */
        status = pl_results_load(plan->results, table->metric, table->select, err);
    if (status)
        return status;
    const struct pl_choice *choice = plan->choice;
    free(plan->configs);
    plan->configs = pl_new((choice->count + 1) * sizeof *plan->configs);
    plan->rivals = pl_new((choice->count + 1) * sizeof *plan->rivals);
    plan->config_count = 0;
    for (size_t i = 0; i < choice->count; i++) {
        size_t config = pl_results_position(plan->results, choice->rivals[i].config);
        if (choice->rivals[i].place > (size_t)spec->choose.best || config == SIZE_MAX)
            continue;
        plan->configs[plan->config_count] = config;
        plan->rivals[plan->config_count++] = &choice->rivals[i];
    }
    pl_results_add_places(plan->results, choice, (size_t)spec->choose.best);
    return 0;
}

void pl_selection_end(struct pl_table_plan *plan)
{
    if (plan->rivals)
        pl_results_drop_places(plan->results);
    free(plan->rivals);
    pl_choice_free(plan->choice);
}

const char *pl_selection_set(const struct pl_table *table)
{
    const char *metric = table->selection.metric;
    if (!metric)
        return NULL;
    enum pl_metric_set set = pl_metric_judge(metric).set;
    if (table->selection.validation || set == PL_SET_VALID)
        return "validation";
    return set == PL_SET_TEST ? "test" : NULL;
}

/* ---- notes ---- */

static void add_assignment(const struct pl_table_plan *plan, size_t config, size_t key, bool first, struct pl_text *out)
{
    const struct pl_value *value = pl_results_value(plan->results, key, pl_results_rank(plan->results, config, key));
    if (!value)
        return;
    pl_text_addf(out, "%s%s=", first ? "" : ", ", pl_results_key_name(plan->results, key));
    pl_value_write(value, out);
}

/* "dataset=glyphs, model=cnn" */
static void add_group(const struct pl_table_plan *plan, size_t config, struct pl_text *out)
{
    size_t start = out->length;
    for (size_t i = 0; i < plan->choice->groups.count; i++) {
        size_t key = pl_results_key(plan->results, plan->choice->groups.names[i]);
        if (key != SIZE_MAX)
            add_assignment(plan, config, key, out->length == start, out);
    }
    pl_text_add(out, out->length > start ? ": " : "");
}

/* "(92.31)", with what keeps the configuration from being ranked among the others. */
static void add_standing(const struct pl_rival *rival, int decimals, struct pl_text *out)
{
    const char *gap = " (";
    if (rival->n) {
        pl_text_add(out, gap);
        pl_report_number(rival->mean, decimals, out);
        gap = ", ";
    }
    if (rival->diverged) {
        pl_text_addf(out, "%s%lld of %lld diverged", gap, (long long)rival->diverged, (long long)rival->planned);
        gap = ", ";
    }
    if (rival->stopped) {
        pl_text_addf(out, "%s%lld of %lld stopped", gap, (long long)rival->stopped, (long long)rival->planned);
        gap = ", ";
    }
    int64_t ended = rival->finished + rival->diverged + rival->stopped;
    if (ended < rival->planned)
        pl_text_addf(out, "%s%lld of %lld unfinished", gap, (long long)(rival->planned - ended),
                     (long long)rival->planned);
    else if (!rival->n && !rival->diverged && !rival->stopped)
        pl_text_addf(out, "%sno value", gap);
    pl_text_add_char(out, ')');
}

/* Whether there was anything to choose among. */
static bool has_rivals(const struct pl_table_plan *plan, const struct pl_rival *chosen)
{
    for (size_t i = 0; i < plan->choice->count; i++)
        if (&plan->choice->rivals[i] != chosen && plan->choice->rivals[i].group == chosen->group)
            return true;
    return false;
}

/* A line for each group that had a choice: its values, and what they were chosen by. */
static void add_groups(const struct pl_table_plan *plan, struct pl_text *out)
{
    double *means = pl_new((plan->config_count + 1) * sizeof *means);
    for (size_t i = 0; i < plan->config_count; i++)
        means[i] = plan->rivals[i]->mean;
    int decimals = pl_report_decimals(means, plan->config_count);
    for (size_t i = 0; i < plan->config_count; i++) {
        size_t config = plan->configs[i], start = out->length;
        if (!has_rivals(plan, plan->rivals[i]))
            continue;
        bool first = !i || plan->rivals[i]->group != plan->rivals[i - 1]->group;
        if (first)
            add_group(plan, config, out);
        else
            pl_text_add(out, "; ");
        pl_text_addf(out, "%zu. ", plan->rivals[i]->place);
        start = out->length;
        for (size_t k = 0; k < plan->over_count; k++)
            add_assignment(plan, config, plan->over[k], out->length == start, out);
        add_standing(plan->rivals[i], decimals, out);
        if (i + 1 == plan->config_count || plan->rivals[i + 1]->group != plan->rivals[i]->group)
            pl_text_add(out, ".\n");
    }
    free(means);
}

static void add_share(size_t part, size_t whole, const char *what, struct pl_text *out)
{
    if (part)
        pl_text_addf(out, "%zu of %zu configurations %s; they rank below the others.\n", part, whole, what);
}

void pl_selection_note(const struct pl_table_plan *plan, const struct pl_table_spec *spec, struct pl_table *table)
{
    const struct pl_choice *choice = plan->choice;
    struct pl_text *out = &table->notes;
    table->selection.best = spec->choose.best;
    table->selection.metric = pl_copy(choice->metric);
    table->selection.select = choice->select;
    const char *validation = pl_results_validation(plan->results);
    table->selection.validation = validation && !strcmp(validation, choice->metric);
    pl_text_add(out, "The ");
    if (spec->choose.best > 1)
        pl_text_addf(out, "%d ", spec->choose.best);
    pl_text_add(out, "best over ");
    for (size_t k = 0; k < plan->over_count; k++)
        pl_text_addf(out, "%s%s", k ? ", " : "", pl_results_key_name(plan->results, plan->over[k]));
    pl_text_addf(out, " by the mean of %s %s", pl_select_names[choice->select], choice->metric);
    if (pl_selection_set(table))
        pl_text_addf(out, ", selected on the %s set", pl_selection_set(table));
    size_t end = out->length;
    pl_text_add(out, ":\n");
    size_t start = out->length;
    add_groups(plan, out);
    if (out->length == start) {
        pl_text_cut(out, end);
        pl_text_add(out, ". There was nothing to choose: each row and column has one configuration.\n");
    }
    size_t unfinished = 0, diverged = 0, stopped = 0;
    for (size_t i = 0; i < choice->count; i++) {
        const struct pl_rival *rival = &choice->rivals[i];
        diverged += rival->diverged > 0;
        stopped += !rival->diverged && rival->stopped;
        unfinished += !rival->diverged && !rival->stopped && rival->n < rival->planned;
    }
    add_share(unfinished, choice->count, "have runs that failed or have not finished", out);
    add_share(stopped, choice->count, "have runs that were stopped early", out);
    add_share(diverged, choice->count, "have runs that diverged", out);
}
