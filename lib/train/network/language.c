/* Training language models: a text folded into columns, in windows that hand on the recurrent state (Merity, Keskar and
 * Socher 2018). Where a window begins says how long it is, so a checkpoint holds the row and the state. */
#include "data/text/corpus.h"
#include "train/network/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct pl_setting settings_of_text[] = {
    {.key = "batch",
     .type = PL_INTEGER,
     .initial = "20",
     .range = "[1,65536]",
     .help = "columns of the training split, which are read side by side"},
    {.key = "epochs",
     .type = PL_INTEGER,
     .role = PL_ASIDE,
     .initial = "750",
     .range = "[1,1000000]",
     .help = "passes over the training split"},
    {.key = "clip",
     .type = PL_REAL,
     .role = PL_ASIDE,
     .initial = "0.25",
     .range = "(0,inf]",
     .help = "largest norm of a gradient (see clip_by): a longer one is scaled down to it; .inf: none is"},
    {.key = "perplexity",
     .type = PL_STRING,
     .role = PL_ASIDE,
     .initial = "tokens",
     .range = "tokens rows",
     .help = "divide an evaluation's loss by the tokens it predicts, or by all rows as the published program does"},
};

enum { UNKNOWN_VOCABULARY = 2 }; /* in place of one that only files tell */

struct language {
    struct pl_corpus *corpus;
    struct pl_columns columns[PL_SPLIT_COUNT];
    struct pl_plan *plans[PL_SPLIT_COUNT];
    size_t bptt;
    bool varies, by_rows;
    struct pl_random lengths;
};

static const char *dataset(size_t index, const struct pl_setting **settings, size_t *setting_count)
{
    const struct pl_corpus_info *info = pl_corpus_at(index);
    *settings = info->settings;
    *setting_count = info->setting_count;
    return info->name;
}

static double perplexity_of(const struct pl_evaluation *evaluation)
{
    return exp(evaluation->loss);
}

/* Graph with the loss at its end. */
static int make_graph(struct pl_graph **graph, const struct pl_settings *settings, size_t vocabulary,
                      struct pl_error *err)
{
    int logits, status = pl_model_build(graph, settings, (struct pl_shape){0, 0, 0}, (int)vocabulary, &logits, err);
    if (status)
        return status;
    pl_graph_cross_entropy(*graph, logits, 0);
    status = pl_graph_check(*graph, err);
    if (status)
        pl_graph_free(*graph);
    return status;
}

static size_t columns_of(const struct pl_settings *settings, enum pl_split split)
{
    static const char *const keys[PL_SPLIT_COUNT] = {
        [PL_SPLIT_TRAIN] = "batch", [PL_SPLIT_VALID] = "valid_batch", [PL_SPLIT_TEST] = "test_batch"};
    return (size_t)pl_settings_need_integer(settings, keys[split]);
}

/* An epoch has a batch when two rows can be predicted; an evaluation needs one. */
static int check_size(const struct pl_settings *settings, enum pl_split split, size_t tokens, struct pl_error *err)
{
    size_t columns = columns_of(settings, split), least = split == PL_SPLIT_TRAIN ? 3 : 2;
    if (tokens / columns < least)
        return pl_fail(err, PL_EINPUT, "the %s split has %zu tokens: too few for %zu columns, which need at least %zu",
                       pl_split_name(split), tokens, columns, least * columns);
    return 0;
}

static int check(const struct pl_settings *settings, struct pl_error *err)
{
    size_t vocabulary = UNKNOWN_VOCABULARY, tokens[PL_SPLIT_COUNT];
    bool known = pl_corpus_expect(settings, &vocabulary, tokens);
    int status = 0;
    for (enum pl_split split = 0; known && split < PL_SPLIT_COUNT && !status; split++)
        status = check_size(settings, split, tokens[split], err);
    struct pl_graph *graph = NULL;
    if (!status)
        status = make_graph(&graph, settings, vocabulary, err);
    if (!status)
        pl_graph_free(graph);
    return status;
}

static size_t longest_window(const struct pl_settings *settings, enum pl_split split, const struct pl_columns *columns)
{
    bool varies = split == PL_SPLIT_TRAIN && pl_settings_need_boolean(settings, "vary_bptt");
    return pl_window_longest(columns, (size_t)pl_settings_need_integer(settings, "bptt"), varies);
}

/* Bytes of the largest plan and of all columns. */
static uint64_t count_memory(const struct pl_settings *settings, const struct pl_corpus *corpus,
                             const struct pl_graph *graph, struct pl_device *device)
{
    size_t largest = 0, folded = 0;
    for (enum pl_split split = 0; split < PL_SPLIT_COUNT; split++) {
        size_t batch = columns_of(settings, split);
        struct pl_columns columns = {.batch = batch, .rows = pl_corpus_size(corpus, split) / batch};
        size_t bytes = pl_plan_estimate_sequence(graph, device, (int)batch,
                                                 (int)longest_window(settings, split, &columns),
                                                 split == PL_SPLIT_TRAIN ? PL_TRAINING : PL_EVALUATION);
        if (bytes > largest)
            largest = bytes;
        folded += columns.rows * batch * sizeof *columns.tokens;
    }
    return largest + folded;
}

static int survey(const struct pl_settings *settings, const char *data, int threads, struct pl_train_needs *needs,
                  struct pl_error *err)
{
    struct pl_corpus *corpus;
    struct pl_graph *graph = NULL;
    struct pl_device *device = NULL;
    int status = pl_corpus_open(&corpus, settings, data, err);
    if (status)
        return status;
    pl_survey_data(settings, pl_corpus_checksum(corpus), pl_corpus_official(corpus), pl_corpus_warning(corpus), needs);
    for (enum pl_split split = 0; split < PL_SPLIT_COUNT && !status; split++)
        status = check_size(settings, split, pl_corpus_size(corpus, split), err);
    if (!status)
        status = make_graph(&graph, settings, pl_corpus_vocabulary(corpus), err);
    if (status)
        goto done;
    status = pl_network_device(&device, settings, threads, err);
    if (!status)
        status = pl_survey_network(settings, graph, device, &needs->memory, err);
    if (!status)
        needs->memory += pl_corpus_memory(corpus) + count_memory(settings, corpus, graph, device);
    pl_device_close(device);
    pl_graph_free(graph);
done:
    pl_corpus_close(corpus);
    return status;
}

static int open_text(struct pl_network *n, struct pl_error *err)
{
    const struct pl_settings *settings = n->request->settings;
    struct language *l = n->self = pl_new(sizeof *l);
    int status = pl_corpus_open(&l->corpus, settings, n->request->data, err);
    if (status)
        return status;
    if (pl_corpus_warning(l->corpus))
        pl_network_log(n, "%s", pl_corpus_warning(l->corpus));
    pl_corpus_words_digest(l->corpus, n->words);
    l->bptt = (size_t)pl_settings_need_integer(settings, "bptt");
    l->varies = pl_settings_need_boolean(settings, "vary_bptt");
    l->by_rows = !strcmp(pl_settings_need_string(settings, "perplexity"), "rows");
    l->lengths = pl_random_stream((uint64_t)n->request->seed, PL_STREAM_SHUFFLE);
    for (enum pl_split split = 0; split < PL_SPLIT_COUNT && !status; split++) {
        status = check_size(settings, split, pl_corpus_size(l->corpus, split), err);
        if (!status)
            status = pl_columns_fold(&l->columns[split], l->corpus, split, columns_of(settings, split), err);
    }
    return status ? status : make_graph(&n->graph, settings, pl_corpus_vocabulary(l->corpus), err);
}

static void close_text(struct pl_network *n)
{
    struct language *l = n->self;
    for (enum pl_split split = 0; split < PL_SPLIT_COUNT; split++) {
        pl_plan_free(l->plans[split]);
        pl_columns_release(&l->columns[split]);
    }
    pl_corpus_close(l->corpus);
    free(l);
}

static int make_plans(struct pl_network *n, struct pl_error *err)
{
    struct language *l = n->self;
    int status = 0;
    for (enum pl_split split = 0; split < PL_SPLIT_COUNT && !status; split++)
        status = pl_plan_new_sequence(&l->plans[split], n->net, (int)l->columns[split].batch,
                                      (int)longest_window(n->request->settings, split, &l->columns[split]),
                                      split == PL_SPLIT_TRAIN ? PL_TRAINING : PL_EVALUATION, err);
    n->recurrent = l->plans[PL_SPLIT_TRAIN];
    return status;
}

static bool has(const struct pl_network *n, enum pl_split split)
{
    (void)n;
    (void)split;
    return true;
}

static void give(const struct language *l, enum pl_split split, const struct pl_corpus_window *window)
{
    const struct pl_columns *columns = &l->columns[split];
    const int32_t *tokens = columns->tokens + window->start * columns->batch;
    pl_plan_steps(l->plans[split], (int)window->length);
    pl_plan_tokens(l->plans[split], tokens);
    pl_plan_labels(l->plans[split], tokens + columns->batch);
}

static bool reach(const struct pl_network *n, uint64_t epoch, uint64_t at, uint64_t *batches, uint64_t *examples)
{
    const struct language *l = n->self;
    const struct pl_columns *columns = &l->columns[PL_SPLIT_TRAIN];
    struct pl_corpus_window window;
    size_t row = 0;
    for (*batches = 0;
         row < at && pl_window_train(columns, l->bptt, l->varies ? &l->lengths : NULL, epoch, row, &window); ++*batches)
        row = window.start + window.length;
    *examples = (uint64_t)row * columns->batch;
    return at == UINT64_MAX || row == at;
}

static void begin(struct pl_network *n)
{
    const struct language *l = n->self;
    if (!n->progress.at)
        pl_plan_state_set(l->plans[PL_SPLIT_TRAIN], NULL);
}

static int feed(struct pl_network *n, struct pl_network_batch *batch, struct pl_error *err)
{
    const struct language *l = n->self;
    const struct pl_columns *columns = &l->columns[PL_SPLIT_TRAIN];
    struct pl_corpus_window window;
    (void)err;
    if (!pl_window_train(columns, l->bptt, l->varies ? &l->lengths : NULL, n->progress.epoch, (size_t)n->progress.at,
                         &window))
        return 1;
    give(l, PL_SPLIT_TRAIN, &window);
    *batch = (struct pl_network_batch){.plan = l->plans[PL_SPLIT_TRAIN],
                                       .examples = window.length * columns->batch,
                                       .next = window.start + window.length,
                                       .factor = window.factor};
    return 0;
}

/* The published program multiplies each mean by the window's length and divides the sum by the rows, of which the first
 * is never predicted. */
static int evaluate(struct pl_network *n, enum pl_split split, struct pl_evaluation *evaluation, struct pl_error *err)
{
    const struct language *l = n->self;
    const struct pl_columns *columns = &l->columns[split];
    struct pl_plan *plan = l->plans[split];
    struct pl_corpus_window window;
    double loss = 0;
    int64_t correct = 0, right;
    (void)err;
    pl_plan_state_set(plan, NULL);
    for (size_t row = 0; pl_window_evaluate(columns, l->bptt, row, &window); row = window.start + window.length) {
        give(l, split, &window);
        pl_plan_forward(plan, 0);
        loss += pl_plan_loss(plan, &right) * (double)window.length;
        correct += right;
        if (n->sink->stop(n->sink->self))
            return 1;
    }
    *evaluation = (struct pl_evaluation){loss / (double)(l->by_rows ? columns->rows : columns->rows - 1),
                                         (double)correct / (double)pl_columns_predicted(columns)};
    return 0;
}

static const struct pl_metric metrics_of_text[] = {
    {.name = "train_perplexity",
     .direction = PL_MINIMIZE,
     .set = PL_SET_TRAIN,
     .loss = true,
     .rank = PL_RANK_TRAIN + PL_RANK_PERPLEXITY,
     .help = "exp of train_loss"},
    {.name = "valid_perplexity",
     .direction = PL_MINIMIZE,
     .set = PL_SET_VALID,
     .loss = true,
     .rank = PL_RANK_PERPLEXITY + 1,
     .help = "exp of valid_loss"},
    {.name = "test_perplexity",
     .direction = PL_MINIMIZE,
     .set = PL_SET_TEST,
     .loss = true,
     .rank = PL_RANK_PERPLEXITY,
     .help = "exp of test_loss"},
    {.name = "tokens_per_second", .clock = true, .rank = PL_RANK_LAST, .unit = "1/s", .help = "predicted in training"},
};

const struct pl_network_type pl_network_text = {
    .text = true,
    .what = "a text",
    .settings = settings_of_text,
    .setting_count = sizeof settings_of_text / sizeof *settings_of_text,
    .quality = "perplexity",
    .quality_of = perplexity_of,
    .speed = "tokens_per_second",
    .metrics = metrics_of_text,
    .metric_count = sizeof metrics_of_text / sizeof *metrics_of_text,
    .count = pl_corpus_count,
    .dataset = dataset,
    .common_settings = pl_corpus_common_settings,
    .check = check,
    .survey = survey,
    .open = open_text,
    .plan = make_plans,
    .close = close_text,
    .has = has,
    .begin = begin,
    .feed = feed,
    .reach = reach,
    .evaluate = evaluate,
};
