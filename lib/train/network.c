/* A network, its data and its optimizer, made ready to train. */
#include "train/network.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *pl_train_data_folder(void)
{
    const char *folder = getenv("POULA_DATA");
    return folder && *folder ? folder : "data";
}

void pl_network_log(struct pl_network *n, const char *format, ...)
{
    struct pl_text line = {0};
    va_list args;
    va_start(args, format);
    pl_text_addv(&line, format, args);
    va_end(args);
    n->sink->log(n->sink->self, pl_text(&line));
    pl_text_release(&line);
}

int pl_network_graph(struct pl_graph **graph, const struct pl_settings *settings, struct pl_image_shape shape,
                     int classes, struct pl_error *err)
{
    int logits, status = pl_model_build(graph, settings, (struct pl_shape){shape.channels, shape.height, shape.width},
                                        classes, &logits, err);
    if (status)
        return status;
    pl_graph_cross_entropy(*graph, logits, pl_settings_real(settings, "label_smoothing", 0));
    status = pl_graph_check(*graph, err);
    if (status)
        pl_graph_free(*graph);
    return status;
}

int pl_network_device(struct pl_device **device, const struct pl_settings *settings, int threads, struct pl_error *err)
{
    struct pl_device_options options = {.threads = threads,
                                        .exact = !strcmp(pl_settings_string(settings, "precision", "fast"), "exact")};
    return pl_device_open(device, pl_settings_string(settings, "device", "cpu"), &options, err);
}

size_t pl_network_batch(const struct pl_settings *settings, size_t images)
{
    size_t batch = (size_t)pl_settings_integer(settings, "batch", 128);
    return batch < images ? batch : images;
}

int pl_network_plan(struct pl_network *n, enum pl_mode mode, size_t count, struct pl_plan **plan, struct pl_error *err)
{
    for (size_t i = 0; i < n->plan_count; i++)
        if (n->plans[i].mode == mode && n->plans[i].count == count) {
            *plan = n->plans[i].plan;
            return 0;
        }
    assert(n->plan_count < sizeof n->plans / sizeof *n->plans);
    int status = pl_plan_new(plan, n->net, (int)count, mode, err);
    if (!status)
        n->plans[n->plan_count++] = (struct pl_network_plan){mode, count, *plan};
    return status;
}

/* Plans for whole batches and what is left at the end of a split, so that no later step can lack memory. */
static int make_plans(struct pl_network *n, struct pl_error *err)
{
    int status = 0;
    for (enum pl_split split = 0; split < PL_SPLIT_COUNT && !status; split++) {
        enum pl_mode mode = split == PL_SPLIT_TRAIN ? PL_TRAINING : PL_EVALUATION;
        size_t images = pl_data_size(n->data, split);
        struct pl_plan *plan;
        if (images >= n->batch)
            status = pl_network_plan(n, mode, n->batch, &plan, err);
        if (!status && images % n->batch)
            status = pl_network_plan(n, mode, images % n->batch, &plan, err);
    }
    return status;
}

static void make_layout(struct pl_network *n)
{
    size_t count;
    const struct pl_parameter *parameters = pl_graph_parameters(n->graph, &count);
    _Static_assert((int)PL_PARAMETER_ALIGN == (int)PL_TENSOR_ALIGN, "net and optimizer share arenas");
    for (size_t i = 0; i < count; i++) {
        pl_layout_add(&n->layout, parameters[i].shape, parameters[i].dims);
        assert(n->layout.tensors[i].offset == parameters[i].offset);
    }
    assert(n->layout.length == pl_net_length(n->net, PL_PARAMETERS));
}

static int open_net(struct pl_network *n, struct pl_error *err)
{
    const struct pl_settings *settings = n->request->settings;
    uint64_t seed = (uint64_t)n->request->seed;
    int status = pl_network_graph(&n->graph, settings, pl_data_shape(n->data), pl_data_classes(n->data), err);
    if (!status)
        status = pl_network_device(&n->device, settings, n->request->threads, err);
    if (!status)
        status = pl_net_new(&n->net, n->graph, n->device, err);
    if (status)
        return status;
    const struct pl_device_type *type = n->device->type;
    n->theta = type->host(n->device, pl_net_arena(n->net, PL_PARAMETERS));
    n->gradient = type->host(n->device, pl_net_arena(n->net, PL_GRADIENTS));
    n->statistics = type->host(n->device, pl_net_arena(n->net, PL_STATISTICS));
    if (!n->theta || !n->gradient)
        return pl_fail(err, PL_EINPUT, "device %s keeps its memory to itself, and the optimizers work on the host",
                       type->name);
    n->precision = type->element == PL_FLOAT32 ? PL_FLOAT : PL_DOUBLE;
    pl_net_initialise(n->net, pl_random_stream(seed, PL_STREAM_INIT));
    pl_net_dropout(n->net, pl_random_stream(seed, PL_STREAM_DROPOUT));
    make_layout(n);
    status = make_plans(n, err);
    if (!status)
        status = pl_optim_new(&n->optim, settings, &n->layout, n->precision, pl_random_stream(seed, PL_STREAM_NOISE),
                              n->request->threads, err);
    if (!status)
        n->rate = pl_optim_rate(n->optim);
    return status;
}

static int open_data(struct pl_network *n, struct pl_error *err)
{
    const struct pl_settings *settings = n->request->settings;
    int status = pl_data_open(&n->data, settings, pl_train_data_folder(), err);
    if (status)
        return status;
    if (pl_data_warning(n->data))
        pl_network_log(n, "%s", pl_data_warning(n->data));
    n->images = pl_data_size(n->data, PL_SPLIT_TRAIN);
    if (!n->images)
        return pl_fail(err, PL_EINPUT, "there are no images to train on");
    size_t most = 0;
    for (enum pl_split split = 0; split < PL_SPLIT_COUNT; split++)
        if (pl_data_size(n->data, split) > most)
            most = pl_data_size(n->data, split);
    struct pl_image_shape shape = pl_data_shape(n->data);
    size_t pixels = (size_t)shape.channels * (size_t)shape.height * (size_t)shape.width;
    n->batch = pl_network_batch(settings, n->images);
    n->batches = (n->images + n->batch - 1) / n->batch;
    n->order = pl_arena(most, sizeof *n->order);
    n->pixels = pl_arena(n->batch * pixels, sizeof *n->pixels);
    n->labels = pl_arena(n->batch, sizeof *n->labels);
    if (!n->order || !n->pixels || !n->labels)
        return pl_fail(err, PL_EMEMORY, "there is not enough memory for batches of %zu images", n->batch);
    return 0;
}

/* The key of the run, as the database has it: docs/database.md. */
static void make_key(struct pl_network *n)
{
    struct pl_text text = {0};
    unsigned char digest[PL_DIGEST_SIZE];
    pl_settings_write(n->request->settings, &text);
    pl_text_addf(&text, "\nseed=%lld\n", (long long)n->request->seed);
    pl_digest(pl_text(&text), text.length, digest);
    pl_digest_hex(digest, sizeof digest, n->key);
    pl_text_release(&text);
}

void pl_network_describe(const struct pl_network *n, struct pl_settings *metadata)
{
    struct pl_text text = {0};
    pl_settings_set_string(metadata, "key", n->key);
    pl_settings_set_string(metadata, "poula", PL_VERSION);
    pl_text_addf(&text, "%lld", (long long)n->request->seed);
    pl_settings_set_string(metadata, "seed", pl_text(&text));
    pl_text_clear(&text);
    pl_settings_write(n->request->settings, &text);
    pl_settings_set_string(metadata, "settings", pl_text(&text));
    pl_text_release(&text);
}

int pl_network_open(struct pl_network *n, const struct pl_run_request *request, const struct pl_sink *sink,
                    struct pl_error *err)
{
    const struct pl_settings *settings = request->settings;
    uint64_t seed = (uint64_t)request->seed;
    *n = (struct pl_network){.request = request, .sink = sink, .history = {.sink = sink}, .slot = 1};
    n->epochs = (size_t)pl_settings_integer(settings, "epochs", 1);
    n->clip = pl_settings_real(settings, "clip", INFINITY);
    n->augments = pl_settings_boolean(settings, "augment", true);
    n->shuffles = pl_settings_boolean(settings, "shuffle", true);
    n->recorded_batches = (uint64_t)pl_settings_integer(settings, "record_batches", 0);
    n->shuffle = pl_random_stream(seed, PL_STREAM_SHUFFLE);
    n->augment = pl_random_stream(seed, PL_STREAM_AUGMENT);
    n->saved = pl_clock_steady();
    make_key(n);
    int status = pl_schedule_init(&n->schedule, settings, (int64_t)n->epochs, err);
    if (!status)
        status = open_data(n, err);
    if (!status)
        status = open_net(n, err);
    const char *weights = pl_settings_string(settings, "weights", "");
    if (!status && *weights)
        status = pl_weights_load(n, weights, err);
    return status;
}

void pl_network_close(struct pl_network *n)
{
    for (size_t i = 0; i < n->plan_count; i++)
        pl_plan_free(n->plans[i].plan);
    pl_optim_free(n->optim);
    pl_layout_release(&n->layout);
    pl_net_free(n->net);
    if (n->device)
        pl_device_close(n->device);
    pl_graph_free(n->graph);
    pl_data_close(n->data);
    pl_schedule_release(&n->schedule);
    pl_history_release(&n->history);
    free(n->order);
    free(n->pixels);
    free(n->labels);
}

/* Images are made by as many threads as compute: each is a function of its number alone. */
void pl_network_feed(struct pl_network *n, struct pl_plan *plan, enum pl_split split, const uint32_t *indices,
                     size_t count, const struct pl_random *augment)
{
    struct pl_image_shape shape = pl_data_shape(n->data);
    size_t pixels = (size_t)shape.channels * (size_t)shape.height * (size_t)shape.width;
    size_t parts = (size_t)n->request->threads;
#pragma omp parallel for num_threads(n->request->threads)
    for (size_t part = 0; part < parts; part++) {
        size_t from = count * part / parts, to = count * (part + 1) / parts;
        if (from < to)
            pl_data_batch(n->data, split, indices + from, to - from, augment, n->progress.epoch,
                          n->pixels + from * pixels, n->labels + from);
    }
    pl_plan_input(plan, n->pixels, PL_FLOAT32);
    pl_plan_labels(plan, n->labels);
}
