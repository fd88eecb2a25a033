/* The task kind `dataset`: a network trained on labelled images. */
#include "train/network.h"

#include <stdlib.h>

const struct pl_setting pl_network_settings[] = {
    {.key = "dataset", .type = PL_STRING, .help = "name of a set of images"},
    {.key = "model", .type = PL_STRING, .help = "name of a network"},
    {.key = "batch", .type = PL_INTEGER, .initial = "128", .range = "[1,65536]",
     .help = "images of a step; what is left at the end of an epoch is a smaller batch"},
    {.key = "epochs", .type = PL_INTEGER, .initial = "200", .range = "[1,1000000]",
     .help = "passes over the training images"},
    {.key = "shuffle", .type = PL_BOOLEAN, .initial = "true",
     .help = "draw a new order of the training images every epoch; false: always the order of the set"},
    {.key = "record_batches", .type = PL_INTEGER, .initial = "0", .range = "[0,1000000]",
     .help = "record the loss of this many first batches as batch_loss, whose epochs are batches"},
    {.key = "precision", .type = PL_STRING, .initial = "fast", .range = "fast exact",
     .help = "fast uses Winograd convolutions, exact only direct ones"},
    {.key = "device", .type = PL_STRING, .initial = "cpu", .range = "cpu ref",
     .help = "cpu: own float kernels; ref: plain C in double, slow"},
    {.key = "label_smoothing", .type = PL_REAL, .initial = "0", .range = "[0,1)",
     .help = "share of the target that is spread over all classes"},
    {.key = "clip", .type = PL_REAL, .initial = ".inf", .range = "(0,inf]",
     .help = "largest norm of a gradient: a longer one is scaled down to it; .inf: none is"},
    {.key = "weights", .type = PL_STRING, .initial = "",
     .help = "safetensors file of initial weights instead of drawn ones"},
    {.key = "checkpoint_every", .type = PL_INTEGER, .initial = "0", .range = "[0,1000000]",
     .help = "epochs from one checkpoint to the next, 0: none for that reason"},
    {.key = "checkpoint_minutes", .type = PL_REAL, .initial = "5", .range = "[0,1000000]",
     .help = "minutes from one checkpoint to the next, 0: none for that reason"},
    {.key = "keep_weights", .type = PL_BOOLEAN, .initial = "true",
     .help = "keep the final weights for poula export weights"},
};
const size_t pl_network_setting_count = sizeof pl_network_settings / sizeof *pl_network_settings;

static int fail_dataset(const char *name, struct pl_error *err)
{
    size_t count = pl_data_count();
    const char **names = pl_new((count + 1) * sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = pl_data_at(i)->name;
    pl_fail_unknown(err, "dataset", name, names, count);
    free(names);
    return PL_EINPUT;
}

static int fail_model(const char *name, struct pl_error *err)
{
    size_t count = pl_model_count();
    const char **names = pl_new((count + 1) * sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = pl_model_at(i)->name;
    pl_fail_unknown(err, "model", name, names, count);
    free(names);
    return PL_EINPUT;
}

static int dataset_schema(const struct pl_settings *chosen, struct pl_schema *schema, struct pl_error *err)
{
    const char *dataset = pl_settings_string(chosen, "dataset", NULL), *name = pl_settings_string(chosen, "model", NULL);
    if (!dataset)
        return pl_fail(err, PL_EINPUT, "dataset must be the name of a set of images");
    const struct pl_dataset_info *info = pl_data_find(dataset);
    if (!info)
        return fail_dataset(dataset, err);
    if (!name)
        return pl_fail(err, PL_EINPUT, pl_settings_find(chosen, "model")
                           ? "model must be the name of a network"
                           : "the model is missing; a task says, for example, task: {dataset: glyphs, model: cnn}");
    const struct pl_model *model = pl_model_find(name);
    if (!model)
        return fail_model(name, err);
    size_t count;
    const struct pl_setting *common = pl_data_common_settings(&count);
    pl_schema_add(schema, PL_SECTION_TASK, pl_network_settings, pl_network_setting_count);
    pl_schema_add(schema, PL_SECTION_TASK, info->settings, info->setting_count);
    pl_schema_add(schema, PL_SECTION_TASK, common, count);
    pl_schema_add(schema, PL_SECTION_TASK, model->settings, model->setting_count);
    return pl_schema_add_training(chosen, schema, err);
}

static void dataset_sources(struct pl_schema_source *sources, size_t capacity, size_t *count)
{
    size_t common_count;
    const struct pl_setting *common = pl_data_common_settings(&common_count);
    pl_source_add(sources, capacity, count, "dataset", PL_SECTION_TASK, pl_network_settings, pl_network_setting_count);
    pl_source_add(sources, capacity, count, "dataset", PL_SECTION_TASK, common, common_count);
    for (size_t i = 0; i < pl_data_count(); i++)
        pl_source_add(sources, capacity, count, pl_data_at(i)->name, PL_SECTION_TASK, pl_data_at(i)->settings,
                      pl_data_at(i)->setting_count);
    for (size_t i = 0; i < pl_model_count(); i++)
        pl_source_add(sources, capacity, count, pl_model_at(i)->name, PL_SECTION_TASK, pl_model_at(i)->settings,
                      pl_model_at(i)->setting_count);
}

static int dataset_check(const struct pl_settings *settings, struct pl_error *err)
{
    struct pl_image_shape shape;
    size_t sizes[PL_SPLIT_COUNT];
    int classes, status = pl_train_check_training(settings, pl_settings_integer(settings, "epochs", 1), err);
    if (status || !pl_data_expect(settings, &shape, &classes, sizes))
        return status;
    struct pl_graph *graph;
    status = pl_network_graph(&graph, settings, shape, classes, err);
    if (!status)
        pl_graph_free(graph);
    return status;
}

/* What a run leaves in its folder when it is over. */
static void tidy(struct pl_network *n, const struct pl_run_result *result)
{
    struct pl_error err;
    if (!n->request->folder)
        return;
    if (result->outcome == PL_FINISHED && pl_settings_boolean(n->request->settings, "keep_weights", true) &&
        pl_weights_write(n, &err))
        pl_network_log(n, "the weights were not kept: %s", err.text);
    pl_checkpoint_remove(n);
}

static int dataset_run(const struct pl_run_request *request, const struct pl_sink *sink,
                       struct pl_run_result *result, struct pl_error *err)
{
    struct pl_network n;
    struct pl_error own = {0};
    int status = pl_network_open(&n, request, sink, &own);
    if (!status) {
        pl_checkpoint_load(&n);
        status = pl_network_train(&n, result, &own);
    }
    if (!status && result->outcome != PL_INTERRUPTED)
        tidy(&n, result);
    pl_network_close(&n);
    if (status == PL_EINPUT)
        return pl_fail(err, status, "%s", own.text);
    if (status)
        pl_result_set(result, PL_FAILED, "%s", own.text);
    return 0;
}

const struct pl_task_kind pl_task_dataset = {
    .key = "dataset",
    .schema = dataset_schema,
    .sources = dataset_sources,
    .check = dataset_check,
    .run = dataset_run,
};
