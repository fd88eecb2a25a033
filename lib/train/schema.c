/* What is legal in a task: the table of task kinds, and what their schemas are put together from. */
#include "optim/formula.h"
#include "optim/optim.h"
#include "train/recording.h"
#include "train/train_priv.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

static const struct pl_task_kind *const kinds[] = {
    &pl_task_command, &pl_task_langevin, &pl_task_problem,
    &pl_task_dataset}; /* of two with one key, the particular one first */
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static const struct pl_setting optimizer_setting[] = {
    {.key = "optimizer", .type = PL_STRING, .role = PL_CHOOSES | PL_NAMES, .help = "name of the optimizer"},
};

const char *pl_section_name(enum pl_section section)
{
    static const char *const names[PL_SECTION_COUNT] = {"task", "optimizer", "schedule", "settings"};
    return names[section];
}

/* What programs of command tasks may call it. */
static const char free_task_keys[] = "task data";

static const struct pl_setting *find_key(const struct pl_schema_part *part, const char *key)
{
    for (size_t i = 0; i < part->count; i++)
        if (!strcmp(part->settings[i].key, key))
            return &part->settings[i];
    return NULL;
}

unsigned pl_train_roles(const char *key)
{
    const struct pl_schema_sources *sources = pl_train_schema_sources();
    unsigned roles = pl_has_word(free_task_keys, key) ? PL_SAYS_TASK : 0;
    for (size_t i = 0; i < sources->count; i++) {
        const struct pl_setting *setting = find_key(&sources->items[i].part, key);
        roles |= setting ? setting->role : 0;
    }
    return roles;
}

bool pl_train_is_choice(const char *key)
{
    return pl_train_roles(key) & PL_CHOOSES;
}

void pl_train_keys_of(unsigned roles, struct pl_candidates *keys)
{
    const struct pl_schema_sources *sources = pl_train_schema_sources();
    for (size_t i = 0; i < sources->count; i++)
        for (size_t k = 0; k < sources->items[i].part.count; k++) {
            const struct pl_setting *setting = &sources->items[i].part.settings[k];
            bool known = (setting->role & roles) != roles;
            for (size_t j = 0; j < keys->count && !known; j++)
                known = !strcmp(keys->names[j], setting->key);
            if (!known)
                pl_candidates_add(keys, setting->key);
        }
}

const struct pl_task_kind *pl_task_kind_of(const struct pl_settings *settings)
{
    for (size_t i = 0; i < KIND_COUNT; i++) {
        const char *value = kinds[i]->value;
        if (pl_settings_find(settings, kinds[i]->key) &&
            (!value || !strcmp(pl_settings_string(settings, kinds[i]->key, ""), value)))
            return kinds[i];
    }
    return NULL;
}

void pl_schema_add(struct pl_schema *schema, enum pl_section section, const struct pl_setting *settings, size_t count)
{
    assert(schema->count < sizeof schema->parts / sizeof *schema->parts);
    schema->parts[schema->count++] = (struct pl_schema_part){section, settings, count};
}

void pl_source_add(struct pl_schema_sources *sources, const char *owner, enum pl_section section,
                   const struct pl_setting *settings, size_t setting_count)
{
    void *items = sources->items;
    pl_grow(&items, &sources->capacity, sources->count + 1, sizeof *sources->items);
    sources->items = items;
    sources->items[sources->count++] = (struct pl_schema_source){{section, settings, setting_count}, owner};
}

void pl_train_choices(const char *key, struct pl_candidates *names)
{
    for (size_t i = KIND_COUNT; i-- > 0;) /* the general ones first */
        kinds[i]->choices(key, names);
    if (!strcmp(key, "optimizer"))
        pl_registry_names(pl_optim_registry(), names);
}

int pl_fail_choice(struct pl_error *err, const char *key, const char *name)
{
    struct pl_candidates names = {0};
    pl_train_choices(key, &names);
    int status = pl_candidates_fail(&names, key, name, err);
    pl_candidates_release(&names);
    return status;
}

int pl_schema_add_training(const struct pl_settings *chosen, struct pl_schema *schema, struct pl_error *err)
{
    if (!pl_settings_find(chosen, "optimizer"))
        return pl_fail(err, PL_EINPUT,
                       "the optimizer is missing; a spec says, for example, "
                       "optimizer: {name: theopoula, lambda: 0.1}");
    const char *name = pl_settings_string(chosen, "optimizer", NULL);
    const struct pl_optimizer_info *info = name ? pl_optim_find(name) : NULL;
    if (!info) {
        schema->fault = "optimizer";
        return name ? pl_fail_choice(err, "optimizer", name)
                    : pl_fail(err, PL_EINPUT, "optimizer must be the name of an optimizer");
    }
    size_t count;
    const struct pl_setting *common = pl_optim_common_settings(&count);
    pl_schema_add(schema, PL_SECTION_OPTIMIZER, optimizer_setting, 1);
    pl_schema_add(schema, PL_SECTION_OPTIMIZER, info->settings, info->setting_count);
    schema->parameters = info->parameters;
    pl_schema_add(schema, PL_SECTION_OPTIMIZER, common, count);
    pl_schema_add(schema, PL_SECTION_SCHEDULE, pl_schedule_settings, pl_schedule_setting_count);
    pl_course_schema(schema, info);
    pl_schema_add(schema, PL_SECTION_TASK, pl_recording_settings, pl_recording_setting_count);
    return 0;
}

int pl_train_schema(const struct pl_settings *chosen, struct pl_schema *schema, struct pl_error *err)
{
    *schema = (struct pl_schema){0};
    const struct pl_task_kind *kind = pl_task_kind_of(chosen);
    if (!kind && pl_settings_find(chosen, "model"))
        return pl_fail(err, PL_EINPUT, "the task names a model, but no dataset to train it on");
    if (!kind)
        return pl_fail(err, PL_EINPUT,
                       "the task must name a problem, a dataset or a command, as in "
                       "task: {problem: theta30}");
    return kind->schema(chosen, schema, err);
}

/* The first setting of the schema that is missing, or of another type; NULL: none is. */
static const struct pl_setting *first_lacking(const struct pl_settings *settings, const struct pl_schema *schema)
{
    const struct pl_setting *lacking = NULL;
    for (size_t i = 0; i < schema->count && !lacking; i++)
        lacking = pl_settings_lack(settings, schema->parts[i].settings, schema->parts[i].count);
    return lacking;
}

int pl_train_complete(const struct pl_settings **settings, struct pl_settings *filled, struct pl_error *err)
{
    struct pl_schema schema;
    int status = pl_train_schema(*settings, &schema, err);
    if (status || !first_lacking(*settings, &schema))
        return status;
    pl_settings_copy(filled, *settings);
    *settings = filled;
    for (size_t i = 0; i < schema.count; i++)
        pl_settings_fill(filled, schema.parts[i].settings, schema.parts[i].count);
    const struct pl_setting *lacking = first_lacking(filled, &schema);
    return lacking ? pl_fail(err, PL_EINPUT, "the setting %s of the run is of another type", lacking->key) : 0;
}

/* The parts are the program's own, so they are put together once. */
static struct pl_schema_sources all_sources;

static void gather_sources(void)
{
    struct pl_schema_sources *sources = &all_sources;
    size_t common_count;
    for (size_t i = 0; i < KIND_COUNT; i++)
        kinds[i]->sources(sources);
    pl_source_add(sources, "problem and dataset", PL_SECTION_TASK, pl_recording_settings, pl_recording_setting_count);
    pl_source_add(sources, "optimizer", PL_SECTION_OPTIMIZER, optimizer_setting, 1);
    const struct pl_setting *common = pl_optim_common_settings(&common_count);
    pl_source_add(sources, "optimizer", PL_SECTION_OPTIMIZER, common, common_count);
    for (size_t i = 0; i < pl_optim_count(); i++) {
        const struct pl_optimizer_info *info = pl_optim_info(i);
        pl_source_add(sources, info->name, PL_SECTION_OPTIMIZER, info->settings, info->setting_count);
    }
    pl_source_add(sources, "schedule", PL_SECTION_SCHEDULE, pl_schedule_settings, pl_schedule_setting_count);
    pl_course_sources(sources);
}

const struct pl_schema_sources *pl_train_schema_sources(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, gather_sources);
    return &all_sources;
}

const char *pl_train_key_of(const char *name, size_t *at)
{
    const struct pl_schema_sources *sources = pl_train_schema_sources();
    while (*at < sources->count) {
        const struct pl_schema_part *part = &sources->items[(*at)++].part;
        const struct pl_setting *setting = pl_setting_find(part->settings, part->count, name);
        if (setting)
            return setting->key;
    }
    return NULL;
}

size_t pl_metric_sources(struct pl_metric_source sources[PL_METRIC_SOURCES])
{
    size_t count = 0;
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (kinds[i]->metrics)
            kinds[i]->metrics(sources, &count);
    pl_metric_add(sources, &count, "problem and dataset", pl_recording_metrics, pl_recording_metric_count);
    return count;
}

int pl_train_check_parameter(const char *key, struct pl_error *err)
{
    const struct pl_schema_sources *sources = pl_train_schema_sources();
    const char *why, *owner = NULL, *alias_of = NULL;
    bool key_of_optimizer = false;
    if (!pl_formula_name_is_legal(key, &why))
        return pl_fail(err, PL_EINPUT, "%.60s cannot be a parameter: %s", key, why);
    for (size_t i = 0; i < sources->count; i++) {
        const struct pl_schema_part *part = &sources->items[i].part;
        const struct pl_setting *setting = pl_setting_find(part->settings, part->count, key);
        if (setting && part->section != PL_SECTION_OPTIMIZER)
            owner = owner ? owner : sources->items[i].owner;
        else if (setting && strcmp(setting->key, key))
            alias_of = setting->key;
        else if (setting)
            key_of_optimizer = true;
    }
    if (alias_of && !owner && !key_of_optimizer)
        return pl_fail(err, PL_EINPUT, "%.60s cannot be a parameter: elsewhere it is another spelling of %s", key,
                       alias_of);
    return owner ? pl_fail(err, PL_EINPUT, "%.60s cannot be a parameter: it is a setting of %s", key, owner)
                 : pl_train_check_free_key(key, err);
}

/* Combinations of an optimizer's settings are judged where they are known: by making one of one element. */
int pl_train_check_training(const struct pl_settings *settings, int64_t epochs, struct pl_error *err)
{
    struct pl_schedule schedule;
    int status = pl_schedule_init(&schedule, settings, epochs, err);
    pl_schedule_release(&schedule);
    if (status)
        return status;
    struct pl_tensor tensor = {0, 1, 1, 1, {1}};
    struct pl_layout layout = {&tensor, 1, PL_TENSOR_ALIGN};
    struct pl_optim *optim;
    status = pl_optim_new(&optim, settings, &layout, PL_FLOAT64, (struct pl_random){{0, 0}}, 1, err);
    if (status)
        return status;
    pl_optim_free(optim);
    struct pl_recording recording;
    return pl_recording_init(&recording, settings, err);
}

int pl_train_check(const struct pl_settings *settings, struct pl_error *err)
{
    const struct pl_task_kind *kind = pl_task_kind_of(settings);
    if (!kind)
        return pl_fail(err, PL_EINPUT, "the task must name a problem, a dataset or a command");
    struct pl_settings filled = {0};
    int status = pl_train_complete(&settings, &filled, err);
    if (!status)
        status = kind->check(settings, err);
    pl_settings_release(&filled);
    return status;
}
