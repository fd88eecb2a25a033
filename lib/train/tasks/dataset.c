/* The task kind `dataset`: a network trained on labelled images or on text. */
#include "train/network/network.h"

#include <stdlib.h>
#include <string.h>

const struct pl_setting pl_network_settings[] = {
    {.key = "dataset",
     .type = PL_STRING,
     .role = PL_CHOOSES | PL_SAYS_TASK | PL_NAMES,
     .help = "name of a set of images, or of a text"},
    {.key = "model", .type = PL_STRING, .role = PL_CHOOSES | PL_SAYS_TASK | PL_NAMES, .help = "name of a network"},
    {.key = "record_batches",
     .type = PL_INTEGER,
     .role = PL_ASIDE,
     .initial = "0",
     .range = "[0,1000000]",
     .help = "record the loss of this many first batches as batch_loss, whose epochs are batches"},
    {.key = "precision",
     .type = PL_STRING,
     .initial = "fast",
     .range = "fast exact",
     .help = "fast uses Winograd convolutions, exact only direct ones",
     .idle_when = "device=ref or model=mlp or model=awd_lstm"},
    {.key = "device", .type = PL_STRING, .initial = "cpu", .range = PL_DEVICE_WORDS, .help = PL_DEVICE_HELPS},
    {.key = "weights",
     .type = PL_STRING,
     .initial = "",
     .help = "safetensors file of initial weights instead of drawn ones"},
    {.key = "checkpoint_every",
     .type = PL_INTEGER,
     .role = PL_ASIDE,
     .initial = "0",
     .range = "[0,1000000]",
     .help = "epochs from one checkpoint to the next, 0: none for that reason",
     .idle_when = "always"},
    {.key = "checkpoint_minutes",
     .type = PL_REAL,
     .role = PL_ASIDE,
     .initial = "5",
     .range = "[0,1000000]",
     .help = "minutes from one checkpoint to the next, 0: none for that reason",
     .idle_when = "always"},
    {.key = "keep_weights",
     .type = PL_BOOLEAN,
     .role = PL_ASIDE,
     .initial = "true",
     .help = "keep the final weights for poula export weights"},
    {.key = "keep_checkpoint",
     .type = PL_BOOLEAN,
     .role = PL_ASIDE,
     .initial = "false",
     .help = "keep a checkpoint of the end, from which poula sweep --extend goes on",
     .late = true},
};
const size_t pl_network_setting_count = sizeof pl_network_settings / sizeof *pl_network_settings;

static const struct pl_network_type *const types[] = {&pl_network_images, &pl_network_text};
enum { TYPE_COUNT = sizeof types / sizeof *types };

/* The type that has the data set, and its settings; NULL: none has. */
static const struct pl_network_type *find_dataset(const char *name, const struct pl_setting **settings, size_t *count)
{
    for (size_t t = 0; t < TYPE_COUNT; t++)
        for (size_t i = 0; i < types[t]->count(); i++)
            if (!strcmp(types[t]->dataset(i, settings, count), name))
                return types[t];
    return NULL;
}

const struct pl_network_type *pl_network_type_of(const struct pl_settings *settings)
{
    const struct pl_setting *its;
    size_t count;
    return find_dataset(pl_settings_string(settings, "dataset", ""), &its, &count);
}

/* The model that was chosen, if it reads such data. NULL: it does not, or there is none. */
static const struct pl_model *find_model(const struct pl_settings *chosen, const struct pl_network_type *type,
                                         struct pl_error *err)
{
    const char *name = pl_settings_string(chosen, "model", NULL);
    const struct pl_model *model = name ? pl_model_find(name) : NULL;
    if (!name && pl_settings_find(chosen, "model"))
        pl_fail(err, PL_EINPUT, "model must be the name of a network");
    else if (!name)
        pl_fail(err, PL_EINPUT, "the model is missing; a task says, for example, task: {dataset: %s, model: %s}",
                type->text ? "markov" : "glyphs", type->text ? "awd_lstm" : "cnn");
    else if (!model)
        pl_fail_choice(err, "model", name);
    else if (model->text != type->text)
        pl_fail(err, PL_EINPUT, "model %s reads %s, and %s is %s", name, model->text ? "text" : "images",
                pl_settings_string(chosen, "dataset", ""), type->what);
    else
        return model;
    return NULL;
}

static int dataset_schema(const struct pl_settings *chosen, struct pl_schema *schema, struct pl_error *err)
{
    const char *name = pl_settings_string(chosen, "dataset", NULL);
    const struct pl_setting *settings;
    size_t count, common_count;
    const struct pl_network_type *type = name ? find_dataset(name, &settings, &count) : NULL;
    if (!type) {
        schema->fault = "dataset";
        return name ? pl_fail_choice(err, "dataset", name)
                    : pl_fail(err, PL_EINPUT, "dataset must be the name of a set of images or of a text");
    }
    const struct pl_model *model = find_model(chosen, type, err);
    if (!model) {
        schema->fault = pl_settings_find(chosen, "model") ? "model" : NULL;
        return PL_EINPUT;
    }
    const struct pl_setting *common = type->common_settings(&common_count);
    pl_schema_add(schema, PL_SECTION_TASK, pl_network_settings, pl_network_setting_count);
    pl_schema_add(schema, PL_SECTION_TASK, type->settings, type->setting_count);
    pl_schema_add(schema, PL_SECTION_TASK, pl_clipping_settings, pl_clipping_setting_count);
    pl_schema_add(schema, PL_SECTION_TASK, settings, count);
    pl_schema_add(schema, PL_SECTION_TASK, common, common_count);
    pl_schema_add(schema, PL_SECTION_TASK, model->settings, model->setting_count);
    if (type->text)
        pl_schema_add(schema, PL_SECTION_SCHEDULE, pl_schedule_text_settings, pl_schedule_text_setting_count);
    else
        pl_schema_add(schema, PL_SECTION_SCHEDULE, pl_schedule_patience_settings, pl_schedule_patience_setting_count);
    pl_schema_add(schema, PL_SECTION_SCHEDULE, pl_schedule_told_settings, pl_schedule_told_setting_count);
    return pl_schema_add_training(chosen, schema, err);
}

static void type_sources(const struct pl_network_type *type, struct pl_schema_sources *sources)
{
    const char *owner = type->text ? "text" : "images";
    const struct pl_setting *settings;
    size_t setting_count;
    pl_source_add(sources, owner, PL_SECTION_TASK, type->settings, type->setting_count);
    settings = type->common_settings(&setting_count);
    pl_source_add(sources, owner, PL_SECTION_TASK, settings, setting_count);
    for (size_t i = 0; i < type->count(); i++) {
        const char *name = type->dataset(i, &settings, &setting_count);
        pl_source_add(sources, name, PL_SECTION_TASK, settings, setting_count);
    }
}

static void dataset_choices(const char *key, struct pl_candidates *names)
{
    const struct pl_setting *settings;
    size_t setting_count;
    for (size_t t = 0; t < TYPE_COUNT && !strcmp(key, "dataset"); t++)
        for (size_t i = 0; i < types[t]->count(); i++)
            pl_candidates_add(names, types[t]->dataset(i, &settings, &setting_count));
    if (!strcmp(key, "model"))
        pl_registry_names(&pl_model_registry, names);
}

static void dataset_sources(struct pl_schema_sources *sources)
{
    pl_source_add(sources, "dataset", PL_SECTION_TASK, pl_network_settings, pl_network_setting_count);
    for (size_t t = 0; t < TYPE_COUNT; t++)
        type_sources(types[t], sources);
    pl_source_add(sources, "text", PL_SECTION_SCHEDULE, pl_schedule_text_settings, pl_schedule_text_setting_count);
    for (size_t i = 0; i < pl_model_count(); i++)
        pl_source_add(sources, pl_model_at(i)->name, PL_SECTION_TASK, pl_model_at(i)->settings,
                      pl_model_at(i)->setting_count);
}

static void dataset_metrics(struct pl_metric_source *sources, size_t *count)
{
    pl_metric_add(sources, count, "dataset", pl_network_metrics, pl_network_metric_count);
    for (size_t t = 0; t < TYPE_COUNT; t++)
        pl_metric_add(sources, count, types[t]->text ? "text" : "images", types[t]->metrics, types[t]->metric_count);
}

static int dataset_check(const struct pl_settings *settings, struct pl_error *err)
{
    const struct pl_network_type *type = pl_network_type_of(settings);
    if (!type)
        return pl_fail_choice(err, "dataset", pl_settings_string(settings, "dataset", ""));
    int status = pl_train_check_training(settings, pl_settings_need_integer(settings, "epochs"), err);
    return status ? status : type->check(settings, err);
}

/* What a run leaves in its folder when it is over. */
static void tidy(struct pl_network *n, const struct pl_run_result *result)
{
    struct pl_error err;
    if (!n->request->folder)
        return;
    if (result->outcome == PL_FINISHED && pl_settings_need_boolean(n->request->settings, "keep_weights") &&
        pl_weights_write(n, &err))
        pl_network_miss(n, "the weights were not kept", &err);
    pl_checkpoint_remove(n);
    if (result->outcome == PL_FINISHED && pl_settings_need_boolean(n->request->settings, "keep_checkpoint"))
        pl_checkpoint_write(n);
}

/* What has begun with some instructions goes on with those, to the bit. False where this machine lacks them and the
 * request insists. */
static bool keep_isa(const struct pl_run_request *request, struct pl_run_result *result)
{
    enum pl_isa begun;
    if (!pl_checkpoint_isa(request, &begun))
        return true;
    if (begun > pl_host_isa() && request->same_isa) {
        pl_result_set(result, PL_INTERRUPTED,
                      "it began with %s instructions and this machine uses %s: a machine with those can go on with it",
                      pl_isa_name(begun), pl_isa_name(pl_host_isa()));
        return false;
    }
    pl_host_isa_limit(begun);
    return true;
}

static int dataset_run(const struct pl_run_request *request, const struct pl_sink *sink, struct pl_run_result *result,
                       struct pl_error *err)
{
    struct pl_network n;
    struct pl_error own = {0};
    int status = pl_train_folder_check(request, err);
    if (status || !keep_isa(request, result))
        return status;
    status = pl_network_open(&n, request, sink, &own);
    if (!status) {
        pl_checkpoint_load(&n);
        status = pl_network_train(&n, result, &own);
    }
    if (!status && result->outcome != PL_INTERRUPTED)
        tidy(&n, result);
    result->unsaved = n.unsaved;
    memcpy(result->unsaved_example, n.unsaved_example, sizeof result->unsaved_example);
    pl_network_close(&n);
    pl_host_isa_limit(PL_ISA_COUNT);
    if (status == PL_EINPUT)
        return pl_fail(err, status, "%s", own.text);
    if (status)
        pl_result_set(result, PL_FAILED, "%s", own.text);
    return 0;
}

const struct pl_task_kind pl_task_dataset = {
    .key = "dataset",
    .schema = dataset_schema,
    .choices = dataset_choices,
    .sources = dataset_sources,
    .metrics = dataset_metrics,
    .check = dataset_check,
    .run = dataset_run,
};
