/* A network, its data and its optimizer, made ready to train. */
#include "train/network/network.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void pl_network_miss(struct pl_network *n, const char *what, const struct pl_error *err)
{
    if (!n->unsaved++)
        snprintf(n->unsaved_example, sizeof n->unsaved_example, "%s: %.*s", what, 250, err->text);
    pl_network_log(n, "%s: %s", what, err->text);
}

int pl_network_device(struct pl_device **device, const struct pl_settings *settings, int threads, struct pl_error *err)
{
    struct pl_device_options options = {.threads = threads,
                                        .exact = !strcmp(pl_settings_need_string(settings, "precision"), "exact")};
    return pl_device_open(device, pl_settings_need_string(settings, "device"), &options, err);
}

static void make_layout(struct pl_network *n)
{
    size_t count;
    const struct pl_parameter *parameters = pl_graph_parameters(n->graph, &count);
    for (size_t i = 0; i < count; i++) {
        pl_layout_add(&n->layout, parameters[i].shape, parameters[i].dims);
        assert(n->layout.tensors[i].offset == parameters[i].offset);
    }
    assert(n->layout.length == pl_net_length(n->net, PL_PARAMETERS));
}

/* Optimizers compute on the host, in what the device lends; only its first loan can lack memory. */
static int try_lending(struct pl_network *n, struct pl_error *err)
{
    for (enum pl_arena_kind kind = PL_PARAMETERS; kind <= PL_STATISTICS; kind++) {
        void *lent = pl_net_lend(n->net, kind, PL_LEND_READ);
        if (!lent)
            return pl_fail(err, PL_EMEMORY, "there is not enough memory for what the device %s lends to the optimizer",
                           n->device->type->name);
        pl_net_take_back(n->net, kind, PL_LEND_READ, lent);
    }
    return 0;
}

static int open_net(struct pl_network *n, struct pl_error *err)
{
    const struct pl_settings *settings = n->request->settings;
    uint64_t seed = (uint64_t)n->request->seed;
    int status = pl_network_device(&n->device, settings, n->request->threads, err);
    if (!status)
        status = pl_net_new(&n->net, n->graph, n->device, err);
    if (status)
        return status;
    status = try_lending(n, err);
    if (status)
        return status;
    n->element = n->device->type->element;
    pl_net_initialise(n->net, pl_random_stream(seed, PL_STREAM_INIT));
    pl_net_dropout(n->net, pl_random_stream(seed, PL_STREAM_DROPOUT));
    make_layout(n);
    status = n->type->plan(n, err);
    if (!status && n->recurrent)
        n->carried = pl_new((pl_plan_state_length(n->recurrent) + 1) * sizeof *n->carried);
    if (!status)
        status = pl_optim_new(&n->optim, settings, &n->layout, n->element, pl_random_stream(seed, PL_STREAM_NOISE),
                              n->request->threads, err);
    if (!status)
        n->rate = pl_optim_rate(n->optim);
    return status;
}

void pl_network_describe(const struct pl_network *n, struct pl_settings *metadata)
{
    struct pl_text text = {0};
    char hex[2 * PL_DIGEST_SIZE + 1];
    pl_settings_set_string(metadata, "key", pl_request_key(n->request, hex));
    pl_settings_set_string(metadata, "poula", PL_VERSION);
    pl_text_addf(&text, "%lld", (long long)n->request->seed);
    pl_settings_set_string(metadata, "seed", pl_text(&text));
    if (*n->words)
        pl_settings_set_string(metadata, "words", n->words);
    pl_text_clear(&text);
    pl_settings_write(n->request->settings, &text);
    pl_settings_set_string(metadata, "settings", pl_text(&text));
    pl_text_release(&text);
}

static uint64_t count_steps(const struct pl_network *n)
{
    uint64_t steps = 0, batches, examples;
    for (uint64_t epoch = 0; epoch < n->epochs; epoch++) {
        n->type->reach(n, epoch, UINT64_MAX, &batches, &examples);
        steps += batches;
    }
    return steps;
}

int pl_network_open(struct pl_network *n, const struct pl_run_request *request, const struct pl_sink *sink,
                    struct pl_error *err)
{
    const struct pl_settings *settings = request->settings;
    *n = (struct pl_network){
        .request = request, .sink = sink, .type = pl_network_type_of(settings), .history = {.sink = sink}, .slot = 1};
    if (!n->type)
        return pl_fail(err, PL_EINPUT, "there is no dataset \"%.100s\"", pl_settings_string(settings, "dataset", ""));
    n->epochs = (size_t)pl_settings_need_integer(settings, "epochs");
    n->clipping = pl_clipping_of(settings);
    n->recorded_batches = (uint64_t)pl_settings_need_integer(settings, "record_batches");
    n->saved = pl_clock_steady();
    int status = pl_schedule_init(&n->schedule, settings, (int64_t)n->epochs, err);
    if (!status)
        status = pl_recording_init(&n->recording, settings, err);
    if (!status)
        status = n->type->open(n, err);
    if (!status && n->schedule.unit == PL_UNIT_STEP)
        status = pl_schedule_set_steps(&n->schedule, count_steps(n), err);
    if (!status)
        status = open_net(n, err);
    const char *weights = pl_settings_need_string(settings, "weights");
    if (!status && *weights)
        status = pl_weights_load(n, weights, err);
    return status;
}

void pl_network_close(struct pl_network *n)
{
    if (n->self)
        n->type->close(n);
    pl_optim_free(n->optim);
    pl_layout_release(&n->layout);
    pl_net_free(n->net);
    pl_device_close(n->device);
    pl_graph_free(n->graph);
    pl_schedule_release(&n->schedule);
    pl_history_release(&n->history);
    free(n->carried);
}

struct pl_network_loan pl_network_lend(struct pl_network *n, enum pl_lending how)
{
    return (struct pl_network_loan){how, pl_net_lend(n->net, PL_PARAMETERS, how),
                                    pl_net_lend(n->net, PL_STATISTICS, how)};
}

void pl_network_take_back(struct pl_network *n, const struct pl_network_loan *loan)
{
    pl_net_take_back(n->net, PL_PARAMETERS, loan->how, loan->theta);
    pl_net_take_back(n->net, PL_STATISTICS, loan->how, loan->statistics);
}

static bool exchange(struct pl_network *n)
{
    enum { BLOCK = 1 << 12 };
    char kept[BLOCK], *average = (char *)(uintptr_t)pl_optim_average(n->optim);
    if (!average)
        return false;
    size_t bytes = n->layout.length * pl_element_size(n->element);
    char *theta = pl_net_lend(n->net, PL_PARAMETERS, PL_LEND_CHANGE);
    for (size_t at = 0; at < bytes; at += BLOCK) {
        size_t length = bytes - at < BLOCK ? bytes - at : BLOCK;
        memcpy(kept, theta + at, length);
        memcpy(theta + at, average + at, length);
        memcpy(average + at, kept, length);
    }
    pl_net_take_back(n->net, PL_PARAMETERS, PL_LEND_CHANGE, theta);
    return true;
}

enum { STATISTIC_BATCHES = 50 };

static int pass_forward(struct pl_network *n, struct pl_error *err)
{
    const struct pl_progress kept = n->progress;
    int status = 0;
    n->progress = (struct pl_progress){.epoch = 0};
    n->type->begin(n);
    for (int i = 0; i < STATISTIC_BATCHES && !status; i++) {
        struct pl_network_batch batch;
        status = n->type->feed(n, &batch, err);
        if (status)
            break;
        pl_plan_forward(batch.plan, pl_optim_steps(n->optim));
        n->progress.at = batch.next;
    }
    n->progress = kept;
    return status < 0 ? status : 0; /* 1: the epoch has no more batches */
}

void pl_network_copy_statistics(struct pl_network *n, double *kept, enum pl_lending how)
{
    const size_t bytes = pl_net_length(n->net, PL_STATISTICS) * sizeof *kept;
    if (!bytes)
        return;
    double *statistics = pl_net_lend(n->net, PL_STATISTICS, how);
    if (how == PL_LEND_READ)
        memcpy(kept, statistics, bytes);
    else
        memcpy(statistics, kept, bytes);
    pl_net_take_back(n->net, PL_STATISTICS, how, statistics);
}

int pl_network_show_average(struct pl_network *n, struct pl_network_shown *shown, struct pl_error *err)
{
    *shown = (struct pl_network_shown){.exchanged = exchange(n)};
    size_t length = pl_net_length(n->net, PL_STATISTICS);
    if (!shown->exchanged || !pl_optim_wants_statistics(n->optim) || !length)
        return 0;
    shown->statistics = pl_arena(length, sizeof *shown->statistics);
    if (!shown->statistics)
        return pl_fail(err, PL_EMEMORY, "there is no memory for the statistics of the averaged weights");
    pl_network_copy_statistics(n, shown->statistics, PL_LEND_READ);
    return pass_forward(n, err);
}

void pl_network_hide_average(struct pl_network *n, struct pl_network_shown *shown)
{
    if (shown->statistics)
        pl_network_copy_statistics(n, shown->statistics, PL_LEND_CHANGE);
    if (shown->exchanged)
        exchange(n);
    free(shown->statistics);
    *shown = (struct pl_network_shown){0};
}
