/* Training on labelled images. */
#include "data/images/images.h"
#include "train/network/network.h"

#include <assert.h>
#include <stdlib.h>

static const struct pl_setting settings_of_images[] = {
    {.key = "batch",
     .type = PL_INTEGER,
     .initial = "128",
     .range = "[1,65536]",
     .help = "images of a step; what is left at the end of an epoch is a smaller batch"},
    {.key = "epochs",
     .type = PL_INTEGER,
     .role = PL_ASIDE,
     .initial = "200",
     .range = "[1,1000000]",
     .help = "passes over the training images"},
    {.key = "shuffle",
     .type = PL_BOOLEAN,
     .role = PL_ASIDE,
     .initial = "true",
     .help = "draw a new order of the training images every epoch; false: always the order of the set"},
    {.key = "label_smoothing",
     .type = PL_REAL,
     .role = PL_ASIDE,
     .initial = "0",
     .range = "[0,1)",
     .help = "share of the target that is spread over all classes"},
    {.key = "clip",
     .type = PL_REAL,
     .role = PL_ASIDE,
     .initial = ".inf",
     .range = "(0,inf]",
     .help = "largest norm of a gradient (see clip_by): a longer one is scaled down to it; .inf: none is"},
};

struct images {
    struct pl_dataset *data;
    struct images_plan {
        enum pl_mode mode;
        size_t count; /* images of a batch */
        struct pl_plan *plan;
    } plans[8]; /* whole and last batches of training and of each split */
    size_t plan_count;
    size_t count, batch; /* training images, images of a whole batch */
    bool augments, shuffles;
    struct pl_random shuffle, augment;
    uint32_t *order; /* of the epoch's images; numbers of a batch in evaluation */
    float *pixels;   /* of a batch */
    int32_t *labels;
};

static const char *dataset(size_t index, const struct pl_setting **settings, size_t *setting_count)
{
    const struct pl_dataset_info *info = pl_data_at(index);
    *settings = info->settings;
    *setting_count = info->setting_count;
    return info->name;
}

static double accuracy_of(const struct pl_evaluation *evaluation)
{
    return evaluation->accuracy;
}

/* Graph with the loss at its end. */
static int make_graph(struct pl_graph **graph, const struct pl_settings *settings, struct pl_image_shape shape,
                      int classes, struct pl_error *err)
{
    int logits, status = pl_model_build(graph, settings, (struct pl_shape){shape.channels, shape.height, shape.width},
                                        classes, &logits, err);
    if (status)
        return status;
    pl_graph_cross_entropy(*graph, logits, pl_settings_need_real(settings, "label_smoothing"));
    status = pl_graph_check(*graph, err);
    if (status)
        pl_graph_free(*graph);
    return status;
}

static int check(const struct pl_settings *settings, struct pl_error *err)
{
    struct pl_image_shape shape;
    size_t sizes[PL_SPLIT_COUNT];
    int classes;
    if (!pl_data_expect(settings, &shape, &classes, sizes))
        return 0;
    struct pl_graph *graph;
    int status = make_graph(&graph, settings, shape, classes, err);
    if (!status)
        pl_graph_free(graph);
    return status;
}

/* At most the images there are. */
static size_t batch_of(const struct pl_settings *settings, size_t images)
{
    size_t batch = (size_t)pl_settings_need_integer(settings, "batch");
    return batch < images ? batch : images;
}

static size_t pixels_of(struct pl_image_shape shape)
{
    return (size_t)shape.channels * (size_t)shape.height * (size_t)shape.width;
}

static int count_memory(const struct pl_settings *settings, const struct pl_dataset *set, int threads, uint64_t *memory,
                        struct pl_error *err)
{
    struct pl_image_shape shape = pl_data_shape(set);
    size_t images = pl_data_size(set, PL_SPLIT_TRAIN), batch = batch_of(settings, images);
    struct pl_graph *graph = NULL;
    struct pl_device *device = NULL;
    int status = make_graph(&graph, settings, shape, pl_data_classes(set), err);
    if (status)
        return status;
    status = pl_network_device(&device, settings, threads, err);
    if (!status)
        status = pl_survey_network(settings, graph, device, memory, err);
    if (!status) {
        size_t training = pl_plan_estimate(graph, device, (int)batch, PL_TRAINING);
        size_t evaluation = pl_plan_estimate(graph, device, (int)batch, PL_EVALUATION);
        *memory += pl_data_memory(set) + (training > evaluation ? training : evaluation) + images * sizeof(uint32_t) +
                   batch * pixels_of(shape) * sizeof(float);
    }
    pl_device_close(device);
    pl_graph_free(graph);
    return status;
}

static int survey(const struct pl_settings *settings, const char *data, int threads, struct pl_train_needs *needs,
                  struct pl_error *err)
{
    struct pl_dataset *set;
    int status = pl_data_open(&set, settings, data, err);
    if (status)
        return status;
    pl_survey_data(settings, pl_data_checksum(set), pl_data_official(set), pl_data_warning(set), needs);
    status = count_memory(settings, set, threads, &needs->memory, err);
    pl_data_close(set);
    return status;
}

static int open_images(struct pl_network *n, struct pl_error *err)
{
    const struct pl_settings *settings = n->request->settings;
    uint64_t seed = (uint64_t)n->request->seed;
    struct images *s = n->self = pl_new(sizeof *s);
    int status = pl_data_open(&s->data, settings, n->request->data, err);
    if (status)
        return status;
    if (pl_data_warning(s->data))
        pl_network_log(n, "%s", pl_data_warning(s->data));
    s->count = pl_data_size(s->data, PL_SPLIT_TRAIN);
    if (!s->count)
        return pl_fail(err, PL_EINPUT, "there are no images to train on");
    s->augments = pl_settings_need_boolean(settings, "augment");
    s->shuffles = pl_settings_need_boolean(settings, "shuffle");
    s->shuffle = pl_random_stream(seed, PL_STREAM_SHUFFLE);
    s->augment = pl_random_stream(seed, PL_STREAM_AUGMENT);
    size_t most = 0;
    for (enum pl_split split = 0; split < PL_SPLIT_COUNT; split++)
        if (pl_data_size(s->data, split) > most)
            most = pl_data_size(s->data, split);
    s->batch = batch_of(settings, s->count);
    s->order = pl_arena(most, sizeof *s->order);
    s->pixels = pl_arena(s->batch * pixels_of(pl_data_shape(s->data)), sizeof *s->pixels);
    s->labels = pl_arena(s->batch, sizeof *s->labels);
    if (!s->order || !s->pixels || !s->labels)
        return pl_fail(err, PL_EMEMORY, "there is not enough memory for batches of %zu images", s->batch);
    return make_graph(&n->graph, settings, pl_data_shape(s->data), pl_data_classes(s->data), err);
}

static void close_images(struct pl_network *n)
{
    struct images *s = n->self;
    for (size_t i = 0; i < s->plan_count; i++)
        pl_plan_free(s->plans[i].plan);
    pl_data_close(s->data);
    free(s->order);
    free(s->pixels);
    free(s->labels);
    free(s);
}

/* The plan for a batch of so many images, made when there is none. */
static int find_plan(struct pl_network *n, enum pl_mode mode, size_t count, struct pl_plan **plan, struct pl_error *err)
{
    struct images *s = n->self;
    for (size_t i = 0; i < s->plan_count; i++)
        if (s->plans[i].mode == mode && s->plans[i].count == count) {
            *plan = s->plans[i].plan;
            return 0;
        }
    assert(s->plan_count < sizeof s->plans / sizeof *s->plans);
    int status = pl_plan_new(plan, n->net, (int)count, mode, err);
    if (!status)
        s->plans[s->plan_count++] = (struct images_plan){mode, count, *plan};
    return status;
}

/* Plans for whole batches and what is left at the end of a split. */
static int make_plans(struct pl_network *n, struct pl_error *err)
{
    const struct images *s = n->self;
    int status = 0;
    for (enum pl_split split = 0; split < PL_SPLIT_COUNT && !status; split++) {
        enum pl_mode mode = split == PL_SPLIT_TRAIN ? PL_TRAINING : PL_EVALUATION;
        size_t images = pl_data_size(s->data, split);
        struct pl_plan *plan;
        if (images >= s->batch)
            status = find_plan(n, mode, s->batch, &plan, err);
        if (!status && images % s->batch)
            status = find_plan(n, mode, images % s->batch, &plan, err);
    }
    return status;
}

static bool has(const struct pl_network *n, enum pl_split split)
{
    const struct images *s = n->self;
    return pl_data_size(s->data, split) > 0;
}

/* Some images of a batch to be made. */
struct making {
    const struct images *images;
    enum pl_split split;
    const uint32_t *indices;
    const struct pl_random *augment;
    uint64_t epoch;
};

static void make_part(void *self, size_t from, size_t to, int thread)
{
    const struct making *m = self;
    const struct images *s = m->images;
    (void)thread;
    pl_data_batch(s->data, m->split, m->indices + from, to - from, m->augment, m->epoch,
                  s->pixels + from * pixels_of(pl_data_shape(s->data)), s->labels + from);
}

/* Gives the images with these numbers to a plan. They are made by as many threads as compute: each is a function of its
 * number alone. */
static void give(struct pl_network *n, struct pl_plan *plan, enum pl_split split, const uint32_t *indices, size_t count,
                 const struct pl_random *augment)
{
    struct images *s = n->self;
    struct making making = {s, split, indices, augment, n->progress.epoch};
    pl_parallel(n->request->threads, count, 0, make_part, &making);
    pl_plan_input(plan, s->pixels, PL_FLOAT32);
    pl_plan_labels(plan, s->labels);
}

/* The first images in the order of their set. */
static void store_order(struct images *s, size_t count)
{
    for (size_t i = 0; i < count; i++)
        s->order[i] = (uint32_t)i;
}

static void begin(struct pl_network *n)
{
    struct images *s = n->self;
    if (s->shuffles)
        pl_data_order(s->data, s->shuffle, n->progress.epoch, s->order);
    else
        store_order(s, s->count);
}

static int feed(struct pl_network *n, struct pl_network_batch *batch, struct pl_error *err)
{
    const struct images *s = n->self;
    size_t at = (size_t)n->progress.at, count = s->count - at < s->batch ? s->count - at : s->batch;
    if (!count)
        return 1;
    *batch = (struct pl_network_batch){.examples = count, .next = at + count, .factor = 1};
    int status = find_plan(n, PL_TRAINING, count, &batch->plan, err);
    if (!status)
        give(n, batch->plan, PL_SPLIT_TRAIN, s->order + at, count, s->augments ? &s->augment : NULL);
    return status;
}

static bool reach(const struct pl_network *n, uint64_t epoch, uint64_t at, uint64_t *batches, uint64_t *examples)
{
    const struct images *s = n->self;
    (void)epoch;
    *examples = at == UINT64_MAX ? s->count : at;
    *batches = *examples / s->batch + (*examples % s->batch != 0);
    return *examples <= s->count && (*examples % s->batch == 0 || *examples == s->count);
}

static int evaluate(struct pl_network *n, enum pl_split split, struct pl_evaluation *evaluation, struct pl_error *err)
{
    struct images *s = n->self;
    size_t images = pl_data_size(s->data, split);
    double loss = 0;
    int64_t correct = 0;
    store_order(s, images);
    for (size_t at = 0; at < images; at += s->batch) {
        size_t count = images - at < s->batch ? images - at : s->batch;
        struct pl_plan *plan;
        int64_t right;
        int status = find_plan(n, PL_EVALUATION, count, &plan, err);
        if (status)
            return status;
        give(n, plan, split, s->order + at, count, NULL);
        pl_plan_forward(plan, 0);
        loss += pl_plan_loss(plan, &right) * (double)count;
        correct += right;
        if (n->sink->stop(n->sink->self))
            return 1;
    }
    *evaluation = (struct pl_evaluation){loss / (double)images, (double)correct / (double)images};
    return 0;
}

static const struct pl_metric metrics_of_images[] = {
    {.name = "train_accuracy",
     .direction = PL_MAXIMIZE,
     .set = PL_SET_TRAIN,
     .rank = PL_RANK_TRAIN + PL_RANK_ACCURACY,
     .help = "share of the images of the epoch that were named rightly, as they were trained on"},
    {.name = "valid_accuracy",
     .direction = PL_MAXIMIZE,
     .set = PL_SET_VALID,
     .rank = PL_RANK_ACCURACY + 1,
     .help = "the same of the validation images, after the epoch"},
    {.name = "test_accuracy",
     .direction = PL_MAXIMIZE,
     .set = PL_SET_TEST,
     .rank = PL_RANK_ACCURACY,
     .help = "the same of the test images, after the epoch"},
};

const struct pl_network_type pl_network_images = {
    .what = "a set of images",
    .settings = settings_of_images,
    .setting_count = sizeof settings_of_images / sizeof *settings_of_images,
    .quality = "accuracy",
    .quality_of = accuracy_of,
    .metrics = metrics_of_images,
    .metric_count = sizeof metrics_of_images / sizeof *metrics_of_images,
    .count = pl_data_count,
    .dataset = dataset,
    .common_settings = pl_data_common_settings,
    .check = check,
    .survey = survey,
    .open = open_images,
    .plan = make_plans,
    .close = close_images,
    .has = has,
    .begin = begin,
    .feed = feed,
    .reach = reach,
    .evaluate = evaluate,
};
