#include "model/model_priv.h"

#include <jansson.h>

static const void *const models[] = {
    &pl_model_awd_lstm, &pl_model_cnn,      &pl_model_densenet121, &pl_model_layers,
    &pl_model_mlp,      &pl_model_resnet18, &pl_model_resnet34,    &pl_model_vgg11,
};

const struct pl_registry pl_model_registry = PL_REGISTRY("model", models, struct pl_model, name);

size_t pl_model_count(void)
{
    return pl_model_registry.count;
}

const struct pl_model *pl_model_at(size_t index)
{
    return models[index];
}

const struct pl_model *pl_model_find(const char *name)
{
    return pl_registry_find(&pl_model_registry, name);
}

int pl_model_build(struct pl_graph **g, const struct pl_settings *settings, struct pl_shape image, int classes,
                   int *logits, struct pl_error *err)
{
    const char *name = pl_settings_string(settings, "model", "");
    const struct pl_model *model = pl_model_find(name);
    if (!model)
        return pl_registry_fail(&pl_model_registry, name, err);
    bool text = !image.channels && !image.height && !image.width;
    if (text != model->text)
        return pl_fail(err, PL_EINPUT, "model %s reads %s, not %s", name, model->text ? "text" : "images",
                       model->text ? "images" : "text");
    struct pl_settings filled = {0};
    pl_settings_copy(&filled, settings);
    pl_settings_fill(&filled, model->settings, model->setting_count);
    struct pl_graph *graph = pl_graph_new();
    int x = model->build(&filled, graph, text ? pl_graph_tokens(graph) : pl_graph_input(graph, image), classes);
    pl_settings_release(&filled);
    struct pl_error problem;
    int status = pl_graph_check(graph, &problem);
    if (status) {
        pl_graph_free(graph);
        return pl_fail(err, status, "model %s: %s", name, problem.text);
    }
    *g = graph;
    *logits = x;
    return 0;
}

int pl_model_list(struct pl_graph *g, const struct pl_settings *settings, const char *key, int *values, int capacity)
{
    const char *text = pl_settings_need_string(settings, key);
    json_t *list = json_loads(text, 0, NULL);
    int count = 0;
    bool good = json_is_array(list) && json_array_size(list) > 0 && json_array_size(list) <= (size_t)capacity;
    for (size_t i = 0; good && i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        good = json_is_integer(item) && json_integer_value(item) >= 1 && json_integer_value(item) <= 100000;
        if (good)
            values[count++] = (int)json_integer_value(item);
    }
    json_decref(list);
    if (good)
        return count;
    pl_graph_fail(g, "%s is %.100s, but must be a list of 1 to %d whole numbers of at least 1", key, text, capacity);
    return -1;
}
