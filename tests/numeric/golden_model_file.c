/* One golden file: its configuration turned into a model, its numbers made by the formula, one training step
 * and one evaluation run and compared. */
#include "golden_model_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct golden_setup setups[] = {
    {"ref", "double on ref", true, 1e-10, 1e-10, 1e-12},
    {"cpu", "float on cpu, exact", true, 1e-4, 5e-3, 1e-5},
    {"cpu", "float on cpu, fast", false, 1e-3, 5e-2, 1e-4},
};

/* ---- files that hold no model */

static int check_formula(const json_t *root, struct pl_error *err)
{
    json_t *rows = json_object_get(root, "rows"), *row;
    uint64_t salt = (uint64_t)json_integer_value(json_object_get(root, "salt"));
    size_t index;
    if (!json_array_size(rows))
        return golden_malformed(err, "rows");
    json_array_foreach(rows, index, row)
    {
        uint64_t k = (uint64_t)json_integer_value(json_object_get(row, "k"));
        uint64_t i = (uint64_t)json_integer_value(json_object_get(row, "i"));
        const char *hex = json_string_value(json_object_get(row, "raw_hex"));
        if (!hex)
            return golden_malformed(err, "raw_hex");
        if (strtoull(hex, NULL, 16) != golden_raw(salt, k, i) ||
            json_number_value(json_object_get(row, "r")) != golden_number(salt, k, i))
            return pl_fail(err, PL_ECORRUPT, "the number formula differs at k = %llu, i = %llu", (unsigned long long)k,
                           (unsigned long long)i);
    }
    return 0;
}

/* The published network of a depth over 10,000 words. */
static int build_text(int layers, struct pl_graph **graph, struct pl_error *err)
{
    struct pl_settings settings = {0};
    int logits;
    pl_settings_set_string(&settings, "model", "awd_lstm");
    pl_settings_set_integer(&settings, "nlayers", layers);
    int status = pl_model_build(graph, &settings, (struct pl_shape){0, 0, 0}, 10000, &logits, err);
    pl_settings_release(&settings);
    return status;
}

/* Model settings from a name such as vgg11_bn_small and the file's configuration. */
static int read_model(const char *name, const json_t *config, struct pl_settings *settings, struct pl_error *err)
{
    static const struct {
        const char *prefix, *model;
    } models[] = {{"vgg11", "vgg11"}, {"resnet18", "resnet18"}, {"resnet", "resnet34"}, {"densenet", "densenet121"}};
    const char *model = NULL, *key;
    for (size_t i = 0; !model && i < sizeof models / sizeof *models; i++)
        if (!strncmp(name, models[i].prefix, strlen(models[i].prefix)))
            model = models[i].model;
    if (!model)
        return pl_fail(err, PL_EINPUT, "there is no model for \"%s\"", name);
    pl_settings_set_string(settings, "model", model);
    if (!strcmp(model, "vgg11")) {
        pl_settings_set_boolean(settings, "batchnorm", !strncmp(name, "vgg11_bn", 8));
        pl_settings_set_real(settings, "dropout", 0);
    }
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)config, key, value)
    {
        char *list = json_is_array(value) ? json_dumps(value, JSON_COMPACT) : NULL;
        if (!pl_setting_find(pl_model_find(model)->settings, pl_model_find(model)->setting_count, key))
            return pl_fail(err, PL_EINPUT, "%s has no setting for the configuration's %s", model, key);
        if (list)
            pl_settings_set_string(settings, key, list);
        else if (json_is_boolean(value))
            pl_settings_set_boolean(settings, key, json_is_true(value));
        else
            pl_settings_set_real(settings, key, json_number_value(value));
        free(list);
    }
    return 0;
}

static int build(const char *name, const json_t *config, int classes, struct pl_graph **graph, struct pl_error *err)
{
    struct pl_settings settings = {0};
    int logits, status = read_model(name, config, &settings, err);
    if (!status)
        status = pl_model_build(graph, &settings, (struct pl_shape){3, 32, 32}, classes, &logits, err);
    if (!status)
        pl_graph_cross_entropy(*graph, logits, 0);
    pl_settings_release(&settings);
    return status;
}

static int check_count(const json_t *row, const char *name, const char *key, double got, struct pl_error *err)
{
    double want = json_number_value(json_object_get(row, key));
    struct pl_text what = {0};
    pl_text_addf(&what, "%s of %s", key, name);
    int status = json_object_get(row, key) && got != want ? golden_differs(err, pl_text(&what), got, want) : 0;
    pl_text_release(&what);
    return status;
}

/* One entry of counts.json: "vgg11_bn/10": {...}. */
static int check_counts_of(const char *key, const json_t *row, struct pl_error *err)
{
    char name[100];
    size_t length = strcspn(key, "/"), tensors, statistics;
    if (length >= sizeof name || !key[length])
        return golden_malformed(err, key);
    memcpy(name, key, length);
    name[length] = '\0';
    struct pl_graph *g;
    int number = atoi(key + length + 1); /* of classes; of layers for text */
    int status = strcmp(name, "awd_lstm") ? build(name, NULL, number, &g, err) : build_text(number, &g, err);
    if (status)
        return status;
    pl_graph_parameters(g, &tensors);
    const struct pl_parameter *buffers = pl_graph_statistics(g, &statistics);
    double elements = 0, convolutions = 0;
    for (size_t i = 0; i < statistics; i++)
        elements += (double)buffers[i].count;
    struct pl_text text = {0};
    for (size_t i = 0; i < pl_graph_layer_count(g); i++) {
        struct pl_layer layer;
        pl_graph_layer(g, i, &layer, &text);
        convolutions += !strncmp(layer.operation, "conv ", 5);
    }
    pl_text_release(&text);
    const struct {
        const char *key;
        double got;
    } counts[] = {{"params", (double)pl_graph_parameter_count(g)},
                  {"tensors", (double)tensors},
                  {"macs", (double)pl_graph_multiplications(g)},
                  {"buffers", elements},
                  {"convs", convolutions},
                  {"bns", (double)statistics / 2}};
    for (size_t i = 0; !status && i < sizeof counts / sizeof *counts; i++)
        status = check_count(row, key, counts[i].key, counts[i].got, err);
    pl_graph_free(g);
    return status;
}

static int check_counts(json_t *root, struct pl_error *err)
{
    const char *key;
    json_t *row;
    json_object_foreach(root, key, row)
    {
        int status = check_counts_of(key, row, err);
        if (status)
            return status;
    }
    return 0;
}

/* ---- a model */

/* The formula's value range depends on what a tensor is: a weight with fan-in, or one number a channel of a batch
 * norm or a bias. A bias belongs to a batch norm when its layer's weight is a vector too. */
static void formula_scale(const struct pl_parameter *all, size_t t, double *scale, double *shift)
{
    const struct pl_parameter *p = &all[t];
    bool vector = p->dims == 1, bias = strstr(p->name, ".bias") != NULL;
    *shift = 0;
    if (!vector) {
        *scale = sqrt(6 / ((double)p->count / (double)p->shape[0]));
    } else if (bias) {
        *scale = t > 0 && all[t - 1].dims == 1 ? 0.05 : 0.01;
    } else {
        *scale = 0.1;
        *shift = 1;
    }
}

static int set_batch(struct golden *g, struct pl_plan *plan, struct pl_error *err)
{
    size_t elements = (size_t)g->batch * 3 * 32 * 32;
    json_t *labels = json_object_get(g->root, "labels");
    if (json_array_size(labels) != (size_t)g->batch)
        return golden_malformed(err, "labels");
    double *images = pl_new(elements * sizeof *images);
    int32_t *label = pl_new((size_t)g->batch * sizeof *label);
    for (size_t i = 0; i < elements; i++)
        images[i] = 1.5 * golden_number(g->salt, 999999, i);
    for (int i = 0; i < g->batch; i++)
        label[i] = (int32_t)json_integer_value(json_array_get(labels, (size_t)i));
    pl_plan_input(plan, images, PL_FLOAT64);
    pl_plan_labels(plan, label);
    free(images);
    free(label);
    return 0;
}

static int check_logits(struct golden *g, struct pl_plan *plan, const char *key, struct pl_error *err)
{
    size_t count = (size_t)g->batch * (size_t)g->classes;
    double *logits = pl_new(count * sizeof *logits);
    pl_plan_output(plan, logits, PL_FLOAT64);
    int status = golden_compare(json_object_get(g->root, key), logits, count, g->setup->outputs, key, err);
    free(logits);
    return status;
}

static int check_statistics(struct golden *g, struct pl_error *err)
{
    static const char *const keys[] = {"first_bn_running_mean", "first_bn_running_var"};
    size_t count;
    const struct pl_parameter *all = pl_graph_statistics(g->graph, &count);
    for (size_t k = 0; k < 2 && count; k++) {
        double *got = pl_new(all[k].count * sizeof *got);
        int status = pl_net_get(g->net, PL_STATISTICS, all[k].name, got, err);
        if (!status)
            status = golden_compare(json_object_get(g->root, keys[k]), got, all[k].count, g->setup->outputs, keys[k],
                                    err);
        free(got);
        if (status)
            return status;
    }
    return 0;
}

static int run_training(struct golden *g, struct pl_error *err)
{
    struct pl_plan *plan = NULL;
    int status = pl_plan_new(&plan, g->net, g->batch, PL_TRAINING, err);
    if (!status)
        status = set_batch(g, plan, err);
    if (status)
        goto done;
    pl_plan_forward(plan, 0);
    pl_plan_backward(plan);
    double loss = pl_plan_loss(plan, NULL), want = json_number_value(json_object_get(g->root, "loss"));
    status = check_logits(g, plan, "logits", err);
    if (!status && !(fabs(loss - want) <= g->setup->outputs * fabs(want)))
        status = golden_differs(err, "the loss", loss, want);
    if (!status)
        status = check_statistics(g, err);
    if (!status)
        status = golden_check_gradients(g, err);
done:
    pl_plan_free(plan);
    return status;
}

static int run_evaluation(struct golden *g, struct pl_error *err)
{
    struct pl_plan *plan = NULL;
    int status = pl_plan_new(&plan, g->net, g->batch, PL_EVALUATION, err);
    if (!status)
        status = set_batch(g, plan, err);
    if (!status) {
        pl_plan_forward(plan, 0);
        status = check_logits(g, plan, "eval_logits", err);
    }
    pl_plan_free(plan);
    return status;
}

static int check_on(struct golden *g, const struct golden_setup *setup, struct pl_error *err)
{
    struct pl_device_options options = {.threads = pl_host_cores(), .exact = setup->exact};
    g->setup = setup;
    int status = pl_device_open(&g->device, setup->device, &options, err);
    if (!status)
        status = pl_net_new(&g->net, g->graph, g->device, err);
    if (!status)
        pl_net_initialise(g->net, pl_random_stream(0, PL_STREAM_INIT)); /* running mean 0, variance 1 */
    if (!status)
        status = golden_set_parameters(g, formula_scale, err);
    if (!status)
        status = run_training(g, err);
    if (!status)
        status = run_evaluation(g, err);
    pl_net_free(g->net);
    pl_device_close(g->device);
    g->net = NULL;
    g->device = NULL;
    return status ? pl_fail(err, status, "%s: %s", setup->name, err->text) : 0;
}

static int check_model(json_t *root, const char *name, struct pl_error *err)
{
    struct golden g = {.root = root,
                       .clip = 1,
                       .salt = (uint64_t)json_integer_value(json_object_get(root, "salt")),
                       .batch = (int)json_integer_value(json_object_get(root, "batch")),
                       .classes = (int)json_integer_value(json_object_get(root, "num_classes"))};
    if (g.batch < 1 || g.classes < 1)
        return golden_malformed(err, "batch or num_classes");
    int status = build(name, json_object_get(root, "config"), g.classes, &g.graph, err);
    if (!status)
        status = golden_covers(setups, sizeof setups / sizeof *setups, err);
    for (size_t i = 0; !status && i < sizeof setups / sizeof *setups; i++)
        status = check_on(&g, &setups[i], err);
    pl_graph_free(g.graph);
    return status;
}

int golden_model_file(const char *path, struct pl_error *err)
{
    json_error_t problem;
    json_t *root = json_load_file(path, 0, &problem);
    if (!root)
        return pl_fail(err, PL_ECORRUPT, "not JSON: %s (line %d)", problem.text, problem.line);
    const char *name = json_string_value(json_object_get(root, "model")), *file = strrchr(path, '/') + 1;
    int status;
    if (name)
        status = check_model(root, name, err);
    else if (!strcmp(file, "counts.json"))
        status = check_counts(root, err);
    else if (!strcmp(file, "formula.json"))
        status = check_formula(root, err);
    else if (json_object_get(root, "nlayers"))
        status = golden_check_text(root, err);
    else
        status = golden_malformed(err, "model");
    json_decref(root);
    return status;
}
