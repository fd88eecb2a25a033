/* One run by hand: its settings from a study and a few assignments, and its way into the database. */
#include "optim/formula.h"
#include "sweep/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- settings ---- */

static const struct pl_setting *find_in_schema(const struct pl_schema *schema, const char *key,
                                               enum pl_section *section)
{
    for (size_t i = 0; i < schema->count; i++) {
        const struct pl_setting *found = pl_setting_find(schema->parts[i].settings, schema->parts[i].count, key);
        if (found) {
            *section = schema->parts[i].section;
            return found;
        }
    }
    return NULL;
}

/* The key itself where somebody gave another spelling of it (λ, lr). */
static const char *canonical_key(const char *key)
{
    size_t at = 0;
    const char *found = pl_train_key_of(key, &at);
    return found ? found : key;
}

static struct pl_value guess(const char *spelling)
{
    double real;
    if (pl_number_read(spelling, &real))
        return (struct pl_value){PL_REAL, {.real = real}};
    if (!strcmp(spelling, "true") || !strcmp(spelling, "false"))
        return (struct pl_value){PL_BOOLEAN, {.boolean = *spelling == 't'}};
    return (struct pl_value){PL_STRING, {.string = spelling}};
}

static bool agrees(const struct pl_settings *settings, const struct pl_assignment *assignment)
{
    const struct pl_value *value = pl_settings_find(settings, canonical_key(assignment->key));
    struct pl_value wanted = guess(assignment->spelling);
    if (value && value->type == PL_STRING)
        wanted = (struct pl_value){PL_STRING, {.string = assignment->spelling}};
    return value && pl_value_equal(value, &wanted);
}

static int fail_key(const struct pl_schema *schema, const char *key, struct pl_error *err)
{
    struct pl_candidates keys = {0};
    struct pl_text hint = {0};
    for (size_t i = 0; i < schema->count; i++)
        for (size_t k = 0; k < schema->parts[i].count; k++)
            pl_candidates_add(&keys, schema->parts[i].settings[k].key);
    pl_candidates_hint(&keys, key, "", &hint);
    int status = pl_fail(err, PL_EINPUT, "there is no setting \"%.100s\" here%s", key, pl_text(&hint));
    pl_text_release(&hint);
    pl_candidates_release(&keys);
    return status;
}

/* A formula is kept in its canonical spelling, as specs keep it. */
static int read_formula(const struct pl_setting *setting, const char *spelling, struct pl_settings *settings,
                        struct pl_error *err)
{
    struct pl_text text = {0}, why = {0};
    size_t at;
    int status = 0;
    if (pl_formula_write(pl_formula_kind_of(setting->key), spelling, &text, &at, &why))
        pl_settings_set_string(settings, setting->key, pl_text(&text));
    else
        status = pl_fail(err, PL_EINPUT, "%s is \"%.150s\": at character %zu, %s", setting->key, spelling, at + 1,
                         pl_text(&why));
    if (!status)
        for (size_t i = 0; i < settings->count; i++)
            if (!strcmp(settings->entries[i].key, setting->key))
                settings->entries[i].value.silent = pl_setting_is_silent(setting, &settings->entries[i].value);
    pl_text_release(&text);
    pl_text_release(&why);
    return status;
}

/* A parameter of formulas: a number that one of them uses. */
static int assign_parameter(struct pl_settings *settings, const struct pl_schema *schema,
                            const struct pl_assignment *assignment, struct pl_error *err)
{
    const struct pl_setting number = {.key = assignment->key, .type = PL_REAL};
    struct pl_value value;
    if (!pl_formula_uses(settings, assignment->key))
        return fail_key(schema, assignment->key, err);
    int status = pl_train_check_parameter(assignment->key, err);
    if (!status)
        status = pl_setting_read(&number, assignment->spelling, &value, err);
    if (!status)
        pl_settings_set(settings, assignment->key, value);
    return status;
}

/* Puts a value in place of the one that is there. */
static int assign(struct pl_settings *settings, const struct pl_schema *schema, const struct pl_assignment *assignment,
                  struct pl_error *err)
{
    enum pl_section section;
    const struct pl_setting *setting = find_in_schema(schema, assignment->key, &section);
    struct pl_value value;
    if (!setting && schema->parameters)
        return assign_parameter(settings, schema, assignment, err);
    if (!setting && !schema->free_settings)
        return fail_key(schema, assignment->key, err);
    if (!setting) {
        pl_settings_set(settings, assignment->key, guess(assignment->spelling));
        return 0;
    }
    if (pl_formula_kind_of(setting->key) != PL_NO_FORMULA && *assignment->spelling)
        return read_formula(setting, assignment->spelling, settings, err);
    int status = pl_setting_read(setting, assignment->spelling, &value, err);
    if (!status)
        pl_settings_set(settings, setting->key, value);
    return status;
}

/* Settings that belonged to another choice go, also where the new one has a setting of that name: Adam's epsilon
 * is not TheoPouLa's. */
static void drop_strangers(struct pl_settings *settings, const struct pl_schema *before, const struct pl_schema *now)
{
    enum pl_section section;
    for (size_t i = settings->count; i-- > 0;) {
        const char *key = settings->entries[i].key;
        const struct pl_setting *its = find_in_schema(now, key, &section);
        if (!pl_train_is_choice(key) && !(its ? its == find_in_schema(before, key, &section) : now->free_settings))
            pl_settings_remove(settings, key);
    }
}

static int assign_all(struct pl_settings *settings, const struct pl_assignment *assignments, size_t count,
                      struct pl_error *err)
{
    struct pl_schema schema, before = {0};
    bool chosen = false, any = settings->count > 0;
    int status = any ? pl_train_schema(settings, &before, err) : 0;
    if (status)
        return status;
    for (size_t i = 0; i < count; i++)
        if (pl_train_is_choice(assignments[i].key) && !agrees(settings, &assignments[i])) {
            pl_settings_set_string(settings, assignments[i].key, assignments[i].spelling);
            chosen = true;
        }
    status = pl_train_schema(settings, &schema, err);
    if (status)
        return status;
    if (chosen && any)
        drop_strangers(settings, &before, &schema);
    for (int parameters = 0; parameters < 2; parameters++) /* which formulas use: these come first */
        for (size_t i = 0; i < count && !status; i++) {
            enum pl_section section;
            bool parameter = schema.parameters && !find_in_schema(&schema, assignments[i].key, &section);
            if (parameter == (parameters > 0) && !agrees(settings, &assignments[i]))
                status = assign(settings, &schema, &assignments[i], err);
        }
    for (size_t i = 0; i < schema.count && !status; i++)
        pl_settings_fill(settings, schema.parts[i].settings, schema.parts[i].count);
    for (size_t i = 0; i < schema.count && !status; i++)
        for (size_t k = 0; k < schema.parts[i].count && !status; k++) {
            const struct pl_setting *setting = &schema.parts[i].settings[k];
            if (!setting->initial && !pl_settings_find(settings, setting->key))
                status = pl_fail(err, PL_EINPUT, "%s is missing", setting->key);
        }
    return status ? status : pl_train_check(settings, err);
}

int pl_single_choose(const struct pl_study *study, const struct pl_assignment *assignments, size_t count,
                     struct pl_settings *settings, int64_t *seed, struct pl_error *err)
{
    pl_settings_clear(settings);
    *seed = 1;
    if (study && study->waiting)
        return pl_fail(err, PL_EINPUT, "study %s takes settings from another study's table; poula sweep runs it",
                       study->name);
    if (study) {
        struct pl_walk *walk = pl_walk_new(study);
        const struct pl_settings *candidate;
        const int64_t *seeds;
        size_t seed_count, best = 0;
        bool any = false;
        while ((!any || best < count) && !pl_walk_next(walk, &candidate, &seeds, &seed_count)) {
            size_t agreeing = 0;
            for (size_t i = 0; i < count; i++)
                agreeing += agrees(candidate, &assignments[i]);
            if (any && agreeing <= best)
                continue;
            any = true;
            best = agreeing;
            pl_settings_copy(settings, candidate);
            *seed = seed_count ? seeds[0] : 1;
        }
        pl_walk_free(walk);
    }
    return assign_all(settings, assignments, count, err);
}

/* ---- as a spec ---- */

/* May the text stand in YAML without quotes? A word that could be taken for something else may not. */
static bool is_plain(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-";
    static const char taken[] = "true false yes no on off y n null nan inf";
    double number;
    char lower[16];
    size_t length = strlen(text);
    if (!length || strspn(text, letters) != length || *text == '-' || pl_number_read(text, &number))
        return false;
    for (size_t i = 0; i <= length && length < sizeof lower; i++)
        lower[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 'a' - 'A' : text[i]);
    return length >= sizeof lower || !pl_has_word(taken, lower);
}

static bool is_default(const struct pl_setting *setting, const struct pl_value *value)
{
    struct pl_value initial;
    return setting && setting->initial && !pl_setting_read(setting, setting->initial, &initial, NULL) &&
           pl_value_equal(&initial, value);
}

static void add_spec_value(const struct pl_setting *setting, const struct pl_value *value, struct pl_text *out)
{
    if (value->type == PL_STRING && !(setting && setting->list) && !is_plain(value->string))
        pl_text_add_json(out, value->string);
    else if (value->type == PL_REAL && isinf(value->real))
        pl_text_add(out, value->real > 0 ? ".inf" : "-.inf");
    else
        pl_value_write(value, out);
}

/* Numbers that formulas use: what the schema does not have. */
static void add_parameters(const struct pl_settings *settings, const struct pl_schema *schema, struct pl_text *out)
{
    enum pl_section section;
    int members = 0;
    for (size_t i = 0; schema->parameters && i < settings->count; i++) {
        const struct pl_entry *entry = &settings->entries[i];
        if (find_in_schema(schema, entry->key, &section))
            continue;
        pl_text_addf(out, "%s%s: ", members++ ? ", " : ", parameters: {", entry->key);
        add_spec_value(NULL, &entry->value, out);
    }
    pl_text_add(out, members ? "}" : "");
}

static int add_section(const struct pl_settings *settings, const struct pl_schema *schema, enum pl_section section,
                       struct pl_text *out)
{
    int members = 0;
    for (size_t i = 0; i < settings->count; i++) {
        const struct pl_entry *entry = &settings->entries[i];
        enum pl_section its = PL_SECTION_SETTINGS;
        const struct pl_setting *setting = find_in_schema(schema, entry->key, &its);
        if (its != section || (!setting && schema->parameters) || is_default(setting, &entry->value))
            continue;
        if (members++)
            pl_text_add(out, ", ");
        else
            pl_text_addf(out, "%s: {", pl_section_name(section));
        bool name = section == PL_SECTION_OPTIMIZER && !strcmp(entry->key, "optimizer");
        pl_text_addf(out, "%s: ", name ? "name" : entry->key);
        add_spec_value(setting, &entry->value, out);
    }
    if (section == PL_SECTION_OPTIMIZER)
        add_parameters(settings, schema, out);
    if (members)
        pl_text_add(out, "}\n");
    return members;
}

int pl_single_spec(const char *name, const struct pl_settings *settings, const char *seeds, struct pl_text *out,
                   struct pl_error *err)
{
    struct pl_schema schema;
    int status = pl_train_schema(settings, &schema, err);
    if (status)
        return status;
    pl_text_addf(out, "study: %s\n", name);
    for (int section = 0; section < PL_SECTION_COUNT; section++)
        add_section(settings, &schema, (enum pl_section)section, out);
    pl_text_addf(out, "seeds: %s\n", seeds);
    return 0;
}

/* ---- into the database ---- */

static int write_record(struct pl_store *store, const struct pl_claim *claim, const struct pl_single *single,
                        struct pl_error *err)
{
    const struct pl_series_list *list = &single->values->series;
    int status = 0;
    for (int axis = 0; axis < PL_AXIS_COUNT && !status; axis++)
        status = pl_store_forget_points(store, claim, (enum pl_series_axis)axis, -INFINITY, err);
    for (size_t i = 0; i < list->count && !status; i++) {
        const struct pl_series *series = &list->all[i];
        int64_t number;
        status = pl_store_series(store, series->metric, series->axis, &number, err);
        if (!status)
            status = pl_store_points(store, claim, number, series->epochs, series->values, series->count, err);
    }
    return status;
}

static int record_run(struct pl_store *store, int64_t session, int64_t sweep, const struct pl_single *single,
                      int64_t *run, struct pl_error *err)
{
    struct pl_claim claim;
    size_t taken;
    int status = pl_store_claim(store, session, &sweep, 1, "", &claim, 1, &taken, err);
    if (status)
        return status;
    if (!taken)
        return 1;
    const struct pl_run_result *result = single->result;
    struct pl_ending ending = {.session = session,
                               .outcome = result->outcome,
                               .bad_epoch = result->bad_epoch,
                               .exit_code = result->exit_code,
                               .signal = result->signal,
                               .reason = result->reason[0] ? result->reason : NULL,
                               .log = single->values->log.length ? pl_text(&single->values->log) : NULL,
                               .started = single->started,
                               .seconds = single->seconds,
                               .threads = single->threads,
                               .worker = single->process,
                               .reading = single->study ? single->study->reading : NULL,
                               .unread = result->unread,
                               .unread_example = result->unread_example,
                               .unsaved = result->unsaved,
                               .unsaved_example = result->unsaved_example};
    *run = claim.run;
    if (single->program)
        status = pl_store_put_program(store, single->program, &ending.program, err);
    if (!status)
        status = write_record(store, &claim, single, err);
    return status ? status : pl_store_end(store, &claim, &ending, err);
}

int pl_single_store(struct pl_store *store, const char *name, const struct pl_single *single, int64_t *run,
                    struct pl_error *err)
{
    struct pl_text text = {0}, problems = {0};
    struct pl_spec *spec = NULL;
    struct pl_sweep_plan plan = {0};
    struct pl_pool pool = {0};
    struct pl_provenance provenance;
    int64_t session;
    char seeds[32];
    snprintf(seeds, sizeof seeds, "[%lld]", (long long)single->seed);
    int status = pl_single_spec(name, single->settings, seeds, &text, err);
    if (!status)
        status = pl_spec_parse(&spec, pl_text(&text), text.length, "run", &problems, err);
    if (status) {
        if (problems.length)
            pl_fail(err, status, "%s", pl_text(&problems));
        goto done;
    }
    struct pl_sweep_source source = {spec, "-"};
    status = pl_sweep_plan_make(&plan, store, &source, 1, NULL, NULL, err);
    if (status)
        goto done;
    pl_sweep_provenance(&provenance, 1, single->threads, single->insist, &pool);
    status = pl_store_join(store, &provenance, &session, err);
    if (!status)
        status = pl_store_begin(store, err);
    if (status)
        goto done;
    status = record_run(store, session, plan.studies[0].sweep, single, run, err);
    if (status >= 0) {
        int committed = pl_store_commit(store, err);
        status = committed ? committed : status;
    }
    if (status < 0)
        pl_store_rollback(store);
    else {
        int left = pl_store_leave(store, session, err);
        status = left ? left : status;
    }
done:
    pl_sweep_plan_release(&plan);
    pl_spec_free(spec);
    pl_pool_release(&pool);
    pl_text_release(&text);
    pl_text_release(&problems);
    return status;
}
