/* Studies that take settings from what a table of another study chooses: once that has finished, its choice is read
 * from the database and kept with the plan, because walks over the study ask for it again. */
#include "sweep/choices.h"

#include <stdlib.h>
#include <string.h>

/* What one table chose. */
struct choice {
    size_t study, table; /* of the spec */
    const struct pl_study *source;
    struct pl_choice *ranking;
    struct pl_settings *settings; /* of the rivals that have a place in the table */
};

struct pl_choices {
    const struct pl_spec *spec; /* NULL ends the array */
    struct choice *list;
    size_t count;
    /* While a study is given its settings: tables that are asked for the first time are read. */
    const struct pl_sweep_plan *plan;
    struct pl_store *store;
};

struct pl_choices *pl_choices_new(const struct pl_sweep_source *sources, size_t count)
{
    struct pl_choices *choices = pl_new((count + 1) * sizeof *choices);
    for (size_t i = 0; i < count; i++)
        choices[i].spec = sources[i].spec;
    return choices;
}

static void release_choice(struct choice *choice)
{
    for (size_t i = 0; choice->settings && i < choice->ranking->count; i++)
        pl_settings_release(&choice->settings[i]);
    free(choice->settings);
    pl_choice_free(choice->ranking);
}

void pl_choices_free(struct pl_choices *choices)
{
    for (struct pl_choices *c = choices; c && c->spec; c++) {
        for (size_t i = 0; i < c->count; i++)
            release_choice(&c->list[i]);
        free(c->list);
    }
    free(choices);
}

bool pl_sweep_plan_feeds(const struct pl_sweep_study *source, const struct pl_sweep_study *entry)
{
    for (size_t i = 0; i < entry->study->source_count; i++)
        if (source->source == entry->source && source->index == entry->study->sources[i])
            return true;
    return false;
}

static bool is_complete(const struct pl_sweep_study *study)
{
    const int64_t *counts = study->counts;
    return !study->study->waiting &&
           counts[PL_RUN_FINISHED] + counts[PL_RUN_DIVERGED] + counts[PL_RUN_STOPPED] == study->runs;
}

const struct pl_sweep_study *pl_sweep_plan_blocking(const struct pl_sweep_plan *plan,
                                                    const struct pl_sweep_study *entry)
{
    for (size_t i = 0; i < plan->count; i++)
        if (pl_sweep_plan_feeds(&plan->studies[i], entry) && !is_complete(&plan->studies[i]))
            return &plan->studies[i];
    return NULL;
}

void pl_sweep_plan_why_waiting(const struct pl_sweep_plan *plan, struct pl_text *out)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct pl_sweep_study *entry = &plan->studies[i], *source = pl_sweep_plan_blocking(plan, entry);
        if (!entry->study->waiting)
            continue;
        pl_text_addf(out, "nothing of %s was started: it takes settings from %s, ", entry->study->name,
                     source ? source->study->name : "other studies");
        if (!source || source->study->waiting) {
            pl_text_add(out, "which waits itself\n");
            continue;
        }
        int64_t failed = source->counts[PL_RUN_FAILED], missing = pl_sweep_study_missing(source, false);
        pl_text_add(out, "of which");
        if (failed)
            pl_text_addf(out, " %lld run%s failed", (long long)failed, failed == 1 ? "" : "s");
        if (missing)
            pl_text_addf(out, "%s %lld %s missing", failed ? " and" : "", (long long)missing,
                         missing == 1 ? "is" : "are");
        pl_text_add_char(out, '\n');
    }
}

/* ---- what a table chose ---- */

/* Reads the ranking of a table and the settings of the configurations that it shows. */
static int read_choice(struct choice *choice, struct pl_store *store, int64_t sweep, struct pl_error *err)
{
    const struct pl_table_spec *table = &choice->source->tables[choice->table];
    struct pl_results *results = NULL;
    struct pl_error why = {0};
    int status = pl_results_open_study(&results, store, sweep, choice->source, &why);
    if (!status)
        status = pl_results_choose(results, table, &choice->ranking, &why);
    pl_results_free(results);
    if (status)
        return pl_fail(err, status, "the table of study %s: %s", choice->source->name, why.text);
    choice->settings = pl_new((choice->ranking->count + 1) * sizeof *choice->settings);
    for (size_t i = 0; i < choice->ranking->count && !status; i++)
        if (choice->ranking->rivals[i].place <= (size_t)table->choose.best)
            status = pl_store_config(store, choice->ranking->rivals[i].config, &choice->settings[i], err);
    return status;
}

static bool same(const struct pl_settings *a, const struct pl_settings *b, const char *key)
{
    const struct pl_value *x = pl_settings_find(a, key), *y = pl_settings_find(b, key);
    if (!x || !y)
        return !x && !y;
    struct pl_value value = *x;
    struct pl_condition condition = {.values = &value, .count = 1};
    return pl_condition_admits(&condition, y);
}

static void add_words(const struct pl_names *keys, const struct pl_settings *settings, struct pl_text *out)
{
    for (size_t i = 0; i < keys->count; i++) {
        const struct pl_value *value = pl_settings_find(settings, keys->names[i]);
        pl_text_addf(out, "%s%s%s", i ? ", " : " with ", value ? "" : "no constant ", keys->names[i]);
        if (value) {
            pl_text_add_char(out, '=');
            pl_value_write(value, out);
        }
    }
}

static int nothing_chosen(const struct choice *choice, int place, const struct pl_settings *settings,
                          const struct pl_rival *rival, struct pl_error *err)
{
    struct pl_text words = {0};
    add_words(&choice->ranking->groups, settings, &words);
    if (rival)
        pl_fail(err, PL_EMISSING, "place %d of the table of study %s has no value of %s%s", place, choice->source->name,
                choice->ranking->metric, pl_text(&words));
    else
        pl_fail(err, PL_EMISSING, "the table of study %s has no place %d%s", choice->source->name, place,
                pl_text(&words));
    pl_text_release(&words);
    return PL_EMISSING;
}

/* The choice of a table, read when it is asked for the first time. */
static int find_choice(struct pl_choices *choices, const struct pl_pick *pick, const struct choice **found,
                       struct pl_error *err)
{
    for (size_t i = 0; i < choices->count; i++)
        if (choices->list[i].study == pick->study && choices->list[i].table == pick->table) {
            *found = &choices->list[i];
            return 0;
        }
    for (size_t i = 0; choices->plan && i < choices->plan->count; i++) {
        const struct pl_sweep_study *source = &choices->plan->studies[i];
        if (choices->plan->sources[source->source].spec != choices->spec || source->index != pick->study)
            continue;
        struct choice choice = {.study = pick->study, .table = pick->table, .source = source->study};
        int status = read_choice(&choice, choices->store, source->sweep, err);
        if (status) {
            release_choice(&choice);
            return status;
        }
        choices->list = pl_resize(choices->list, choices->count + 1, sizeof *choices->list);
        choices->list[choices->count] = choice;
        *found = &choices->list[choices->count++];
        return 0;
    }
    return pl_fail(err, PL_EMISSING, "the table has not been read");
}

/* A pl_pick_value. self is the choices of the spec. */
static int pick_value(void *self, const struct pl_pick *pick, const struct pl_settings *settings,
                      struct pl_value *value, struct pl_error *err)
{
    const struct choice *choice = NULL;
    int status = find_choice(self, pick, &choice, err);
    if (status)
        return status;
    for (size_t i = 0; i < choice->ranking->count; i++) {
        const struct pl_rival *rival = &choice->ranking->rivals[i];
        const struct pl_value *found = pl_settings_find(&choice->settings[i], pick->key);
        bool match = rival->place == (size_t)pick->place;
        for (size_t k = 0; match && k < choice->ranking->groups.count; k++)
            match = same(&choice->settings[i], settings, choice->ranking->groups.names[k]);
        if (!match)
            continue;
        if (!rival->n)
            return nothing_chosen(choice, pick->place, settings, rival, err);
        if (!found)
            break;
        *value = *found;
        return 0;
    }
    return nothing_chosen(choice, pick->place, settings, NULL, err);
}

int pl_sweep_plan_choose(struct pl_sweep_plan *plan, const struct pl_sweep_study *entry, struct pl_store *store,
                         struct pl_text *problems, struct pl_error *err)
{
    struct pl_choices *choices = &plan->choices[entry->source];
    choices->plan = plan;
    choices->store = store;
    int status = pl_spec_settle(plan->sources[entry->source].spec, entry->index, pick_value, choices, problems, err);
    choices->plan = NULL;
    choices->store = NULL;
    return status;
}
