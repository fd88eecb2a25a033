#include "show.h"

#include "device/device.h"
#include "model/model.h"
#include "nn/nn.h"

#include <stdio.h>
#include <string.h>

/* What a model is shown with besides its own settings. */
static const struct pl_setting with_images[] = {
    {.key = "classes", .type = PL_INTEGER, .initial = "10", .range = "[1,1000000]", .help = "classes to tell apart"},
    {.key = "image", .type = PL_STRING, .initial = "3x32x32", .help = "channels x height x width of the images"},
    {.key = "batch", .type = PL_INTEGER, .initial = "128", .range = "[1,65536]", .help = "images of a step"},
    {.key = "precision", .type = PL_STRING, .initial = "fast", .range = "fast exact", .help = "kind of convolutions"},
};
static const struct pl_setting with_text[] = {
    {.key = "words", .type = PL_INTEGER, .initial = "10000", .range = "[1,1000000]", .help = "words of the vocabulary"},
    {.key = "batch",
     .type = PL_INTEGER,
     .initial = "20",
     .range = "[1,65536]",
     .help = "columns that the text is cut into"},
    {.key = "bptt", .type = PL_INTEGER, .initial = "70", .range = "[1,65536]", .help = "words of a column in a step"},
};

static const struct pl_setting *shown_with(const struct pl_model *model, size_t *count)
{
    *count = model->text ? sizeof with_text / sizeof *with_text : sizeof with_images / sizeof *with_images;
    return model->text ? with_text : with_images;
}

int pl_show_models(void)
{
    for (size_t i = 0; i < pl_model_count(); i++)
        printf("%-12s %s\n", pl_model_at(i)->name, pl_model_at(i)->help);
    return 0;
}

/* Reads every --set. */
static int read_settings(const struct pl_args *args, const struct pl_model *model, struct pl_settings *settings)
{
    const char *given;
    struct pl_error err;
    size_t count;
    const struct pl_setting *others = shown_with(model, &count);
    for (size_t i = 0; (given = pl_args_nth(args, "set", i)); i++) {
        const char *equals = strchr(given, '=');
        char key[64];
        if (!equals || equals == given || (size_t)(equals - given) >= sizeof key)
            return pl_cmd_usage_error(args, "--set takes KEY=VALUE, not '%s'", given);
        memcpy(key, given, (size_t)(equals - given));
        key[equals - given] = '\0';
        const struct pl_setting *setting = pl_setting_find(model->settings, model->setting_count, key);
        struct pl_value value;
        if (!setting)
            setting = pl_setting_find(others, count, key);
        if (!setting)
            return pl_cmd_usage_error(args, "model %s has no setting %s", model->name, key);
        if (pl_setting_read(setting, equals + 1, &value, &err))
            return pl_cmd_usage_error(args, "%s", err.text);
        pl_settings_set(settings, setting->key, value);
    }
    for (size_t i = 0; i < model->setting_count; i++)
        if (!model->settings[i].initial && !pl_settings_find(settings, model->settings[i].key))
            return pl_cmd_usage_error(args, "give %s: --set '%s=...'", model->settings[i].key, model->settings[i].key);
    pl_settings_fill(settings, model->settings, model->setting_count);
    pl_settings_fill(settings, others, count);
    pl_settings_set_string(settings, "model", model->name);
    return 0;
}

static void print_layers(const struct pl_graph *graph)
{
    struct pl_text text = {0};
    struct pl_layer layer;
    int width = 5;
    for (size_t i = 0; i < pl_graph_layer_count(graph); i++) {
        pl_graph_layer(graph, i, &layer, &text);
        if (layer.name && (int)strlen(layer.name) > width)
            width = (int)strlen(layer.name);
    }
    printf("%-*s  %-18s  %14s  %12s  %14s\n", width, "layer", "operation", "output", "parameters", "multiply-adds");
    for (size_t i = 0; i < pl_graph_layer_count(graph); i++) {
        char shape[48];
        pl_graph_layer(graph, i, &layer, &text);
        snprintf(shape, sizeof shape, "%dx%dx%d", layer.shape.channels, layer.shape.height, layer.shape.width);
        printf("%-*s  %-18s  %14s", width, layer.name ? layer.name : "", layer.operation, shape);
        if (layer.parameters)
            printf("  %12zu", layer.parameters);
        else if (layer.multiplications)
            printf("  %12s", "");
        if (layer.multiplications)
            printf("  %14llu", (unsigned long long)layer.multiplications);
        putchar('\n');
    }
    pl_text_release(&text);
}

static int print_totals(const struct pl_model *model, const struct pl_graph *graph, const struct pl_settings *settings,
                        struct pl_error *err)
{
    struct pl_device_options options = {.threads = 1,
                                        .exact = !strcmp(pl_settings_string(settings, "precision", "fast"), "exact")};
    struct pl_device *device;
    int batch = (int)pl_settings_integer(settings, "batch", 0), bptt = (int)pl_settings_integer(settings, "bptt", 0);
    int status = pl_device_open(&device, "cpu", &options, err);
    if (status)
        return status;
    static const enum pl_mode modes[] = {PL_TRAINING, PL_EVALUATION};
    size_t tensors, bytes[2];
    for (int i = 0; i < 2; i++)
        bytes[i] = model->text ? pl_plan_estimate_sequence(graph, device, batch, bptt, modes[i])
                               : pl_plan_estimate(graph, device, batch, modes[i]);
    pl_graph_parameters(graph, &tensors);
    printf("\nparameters     %zu in %zu tensors\n", pl_graph_parameter_count(graph), tensors);
    printf("multiply-adds  %llu %s, forward\n", (unsigned long long)pl_graph_multiplications(graph),
           model->text ? "a word" : "an image");
    printf("memory         %.1f MB to train a batch of %d", (double)bytes[0] / 1e6, batch);
    if (model->text)
        printf(" x %d words", bptt);
    printf(" (weights, gradients, activations), %.1f MB to evaluate it\n", (double)bytes[1] / 1e6);
    pl_device_close(device);
    return 0;
}

static int read_image(const struct pl_args *args, const struct pl_settings *settings, struct pl_shape *image)
{
    int end = 0;
    const char *text = pl_settings_string(settings, "image", "");
    if (sscanf(text, "%4dx%5dx%5d%n", &image->channels, &image->height, &image->width, &end) != 3 || text[end] ||
        image->channels < 1 || image->height < 1 || image->width < 1)
        return pl_cmd_usage_error(args, "image is '%s', but must be like 3x32x32", text);
    return 0;
}

static int show(const struct pl_args *args, const struct pl_model *model, const struct pl_settings *settings)
{
    struct pl_shape image = {0, 0, 0};
    struct pl_graph *graph;
    struct pl_error err;
    size_t count;
    const struct pl_setting *others = shown_with(model, &count);
    int logits, code = model->text ? 0 : read_image(args, settings, &image);
    if (code)
        return code;
    int classes = (int)pl_settings_integer(settings, model->text ? "words" : "classes", 0);
    int status = pl_model_build(&graph, settings, image, classes, &logits, &err);
    if (status)
        return pl_cmd_fail(args, &err);
    printf("%s: %s\n\n", model->name, model->help);
    pl_show_settings(model->settings, model->setting_count);
    puts("\nIt is shown with");
    pl_show_settings(others, count);
    putchar('\n');
    print_layers(graph);
    pl_graph_cross_entropy(graph, logits, 0);
    status = print_totals(model, graph, settings, &err);
    pl_graph_free(graph);
    return status ? pl_cmd_fail(args, &err) : 0;
}

int pl_show_model(const struct pl_args *args, const char *name)
{
    const struct pl_model *model = pl_model_find(name);
    if (!model)
        return pl_cmd_unknown_in(args, &pl_model_registry, name);
    struct pl_settings settings = {0};
    int code = read_settings(args, model, &settings);
    if (!code)
        code = show(args, model, &settings);
    pl_settings_release(&settings);
    return code;
}
