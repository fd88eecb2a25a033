/* ---- the same arithmetic, written out */
#include "language_parts.h"

#define PLAIN "dropoute=0 dropouti=0 wdrop=0 dropouth=0 dropout=0 "

static double value_of(const struct recorder *r, const char *metric, size_t index)
{
    struct recorded p;
    if (recorder_find(r, metric, index, &p) <= index)
        fail_msg("%s was recorded %zu times", metric, recorder_find(r, metric, 0, NULL));
    return p.value;
}

static void test_epochs_are_recorded(void **state)
{
    (void)state;
    static const char *const metrics[] = {"train_loss",       "train_perplexity", "valid_loss",   "valid_perplexity",
                                          "test_loss",        "test_perplexity",  "lambda",       "gradient_norm",
                                          "parameter_norm",   "seconds",          "seconds_eval", "seconds_load",
                                          "tokens_per_second"};
    struct recorder r;
    struct recorded p;
    struct pl_run_result result = run_whole(TASK "optimizer=sgd lambda=1 decay=0.5 every=2", 1, &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_recorded(&r, metrics, sizeof metrics / sizeof *metrics);
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        assert_int_equal(recorder_find(&r, metrics[i], 0, &p), 3);
        assert_true(p.epoch == 1);
        assert_true(isfinite(p.value));
        assert_int_equal(r.directions[i],
                         strstr(metrics[i], "loss") || strstr(metrics[i], "perplexity") ? PL_MINIMIZE : PL_NEUTRAL);
    }
    for (size_t i = 0; i < 3; i++) {
        assert_close(value_of(&r, "lambda", i), i < 2 ? 1 : 0.5, 0);
        assert_close(value_of(&r, "train_perplexity", i), exp(value_of(&r, "train_loss", i)), 0);
        assert_close(value_of(&r, "valid_perplexity", i), exp(value_of(&r, "valid_loss", i)), 0);
        assert_close(value_of(&r, "test_perplexity", i), exp(value_of(&r, "test_loss", i)), 0);
    }
    recorder_release(&r);
    assert_false(pl_train_is_repeatable("tokens_per_second"));
}

struct trainer {
    struct pl_corpus *corpus;
    struct pl_columns train, valid;
    struct pl_graph *graph;
    struct pl_device *device;
    struct pl_net *net;
    struct pl_plan *plan, *evaluation;
};

static void trainer_open(struct trainer *t, const struct pl_settings *s, uint64_t seed)
{
    struct pl_error err;
    int logits = 0, bptt = (int)pl_settings_integer(s, "bptt", 0);
    struct pl_device_options options = {.threads = 1};
    if (pl_corpus_open(&t->corpus, s, ".", &err) ||
        pl_columns_fold(&t->train, t->corpus, PL_SPLIT_TRAIN, (size_t)pl_settings_integer(s, "batch", 0), &err) ||
        pl_columns_fold(&t->valid, t->corpus, PL_SPLIT_VALID, (size_t)pl_settings_integer(s, "valid_batch", 0), &err) ||
        pl_model_build(&t->graph, s, (struct pl_shape){0, 0, 0}, (int)pl_corpus_vocabulary(t->corpus), &logits, &err))
        fail_msg("%s", err.text);
    pl_graph_cross_entropy(t->graph, logits, 0);
    if (pl_device_open(&t->device, "ref", &options, &err) || pl_net_new(&t->net, t->graph, t->device, &err) ||
        pl_plan_new_sequence(&t->plan, t->net, (int)t->train.batch, bptt + 50, PL_TRAINING, &err) ||
        pl_plan_new_sequence(&t->evaluation, t->net, (int)t->valid.batch, bptt, PL_EVALUATION, &err))
        fail_msg("%s", err.text);
    pl_net_initialise(t->net, pl_random_stream(seed, PL_STREAM_INIT));
    pl_net_dropout(t->net, pl_random_stream(seed, PL_STREAM_DROPOUT));
}

static void trainer_close(struct trainer *t)
{
    pl_plan_free(t->plan);
    pl_plan_free(t->evaluation);
    pl_net_free(t->net);
    pl_device_close(t->device);
    pl_graph_free(t->graph);
    pl_columns_release(&t->train);
    pl_columns_release(&t->valid);
    pl_corpus_close(t->corpus);
}

static void trainer_give(struct pl_plan *plan, const struct pl_columns *c, size_t start, size_t length)
{
    pl_plan_steps(plan, (int)length);
    pl_plan_tokens(plan, c->tokens + start * c->batch);
    pl_plan_labels(plan, c->tokens + (start + 1) * c->batch);
}

/* An epoch of SGD with clipping; returns the mean loss of its tokens. */
static double trainer_epoch(struct trainer *t, size_t bptt, uint64_t epoch, double lambda, double clip, uint64_t *step)
{
    size_t row = 0, length = pl_net_length(t->net, PL_PARAMETERS);
    double sum = 0;
    struct pl_random lengths = pl_random_stream(7, PL_STREAM_SHUFFLE);
    struct pl_corpus_window w;
    pl_plan_state_set(t->plan, NULL);
    while (pl_window_train(&t->train, bptt, &lengths, epoch, row, &w)) {
        trainer_give(t->plan, &t->train, row, w.length);
        pl_plan_forward(t->plan, (*step)++);
        sum += pl_plan_loss(t->plan, NULL) * (double)w.length;
        pl_plan_backward(t->plan);
        double square = 0, *theta = pl_net_lend(t->net, PL_PARAMETERS, PL_LEND_CHANGE);
        double *gradient = pl_net_lend(t->net, PL_GRADIENTS, PL_LEND_SPEND);
        for (size_t i = 0; i < length; i++)
            square += gradient[i] * gradient[i];
        double scale = sqrt(square) > clip ? clip / (sqrt(square) + 1e-6) : 1;
        for (size_t i = 0; i < length; i++)
            theta[i] -= lambda * w.factor * scale * gradient[i];
        pl_net_take_back(t->net, PL_GRADIENTS, PL_LEND_SPEND, gradient);
        pl_net_take_back(t->net, PL_PARAMETERS, PL_LEND_CHANGE, theta);
        row += w.length;
    }
    return sum / (double)row;
}

/* Window by window of 5 rows, whatever bptt says: the state makes that the same. */
static double trainer_evaluate(struct trainer *t)
{
    double sum = 0;
    size_t rows = t->valid.rows - 1;
    pl_plan_state_set(t->evaluation, NULL);
    for (size_t row = 0; row < rows; row += 5) {
        size_t length = rows - row < 5 ? rows - row : 5;
        trainer_give(t->evaluation, &t->valid, row, length);
        pl_plan_forward(t->evaluation, 0);
        sum += pl_plan_loss(t->evaluation, NULL) * (double)length;
    }
    return sum / (double)rows;
}

static void test_epochs_are_what_the_documentation_says(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    struct breaker b;
    struct trainer t = {0};
    uint64_t step = 0;
    settings_of(&s, TASK "device=ref optimizer=sgd lambda=2 clip=0.3");
    assert_int_equal(run_broken(&s, 1, NULL, 0, false, &b).outcome, PL_FINISHED);
    trainer_open(&t, &s, 7);
    for (uint64_t epoch = 0; epoch < 3; epoch++) {
        double loss = trainer_epoch(&t, 12, epoch, 2, 0.3, &step);
        assert_close(value_of(&b.recorder, "train_loss", epoch), loss, 1e-12);
        assert_close(value_of(&b.recorder, "valid_loss", epoch), trainer_evaluate(&t), 1e-12);
    }
    assert_true(step > 9); /* several windows an epoch */
    trainer_close(&t);
    recorder_release(&b.recorder);
    pl_settings_release(&s);
}

/* A file of weights that are all 0, so that every word is as likely. */
static void write_zeros(const struct pl_settings *s, size_t vocabulary, const char *path)
{
    struct pl_graph *g;
    struct pl_error err;
    struct pl_settings metadata = {0};
    struct pl_safetensor tensors[32] = {0};
    int logits;
    size_t count;
    if (pl_model_build(&g, s, (struct pl_shape){0, 0, 0}, (int)vocabulary, &logits, &err))
        fail_msg("%s", err.text);
    const struct pl_parameter *table = pl_graph_parameters(g, &count);
    double *zeros = pl_new(100000 * sizeof *zeros);
    for (size_t i = 0; i < count; i++) {
        tensors[i] = (struct pl_safetensor){
            .name = table[i].name, .type = "F64", .dims = table[i].dims, .count = table[i].count, .data = zeros};
        for (int k = 0; k < table[i].dims; k++)
            tensors[i].shape[k] = table[i].shape[k];
    }
    assert_int_equal(pl_safetensors_write(path, &metadata, tensors, count, &err), 0);
    free(zeros);
    pl_graph_free(g);
}

static void test_uniform_answers_have_the_vocabulary_as_perplexity(void **state)
{
    (void)state;
    static const int vocabularies[] = {2, 7, 50}, batches[] = {1, 3, 8}, lengths[] = {1, 4, 11, 500};
    for (size_t v = 0; v < 3; v++)
        for (size_t b = 0; b < 3; b++)
            for (size_t l = 0; l < 4; l++)
                for (int variant = 0; variant < 3; variant++) {
                    bool ref = variant > 0, rows = variant == 2;
                    char words[500];
                    struct pl_settings s = {0};
                    struct breaker breaker;
                    snprintf(words, sizeof words,
                             "dataset=markov model=awd_lstm nlayers=1 emsize=3 nhid=3 branches=2 "
                             "train_tokens=50 valid_tokens=103 test_tokens=77 bptt=%d batch=%d valid_batch=%d "
                             "test_batch=%d vocabulary=%d epochs=1 optimizer=sgd lambda=1e-30 device=%s perplexity=%s",
                             lengths[l], batches[b], batches[b], batches[2 - b], vocabularies[v], ref ? "ref" : "cpu",
                             rows ? "rows" : "tokens");
                    settings_of(&s, words);
                    write_zeros(&s, (size_t)vocabularies[v], file_path("zeros"));
                    pl_settings_set_string(&s, "weights", file_path("zeros"));
                    run_broken(&s, 1, NULL, 0, false, &breaker);
                    double V = vocabularies[v], most = V * (ref ? 1e-13 : 1e-6);
                    double n = 103 / batches[b], valid = rows ? pow(V, (n - 1) / n) : V;
                    n = 77 / batches[2 - b];
                    double test = rows ? pow(V, (n - 1) / n) : V;
                    assert_close(value_of(&breaker.recorder, "train_perplexity", 0), V, most);
                    assert_close(value_of(&breaker.recorder, "valid_perplexity", 0), valid, most);
                    assert_close(value_of(&breaker.recorder, "test_perplexity", 0), test, most);
                    recorder_release(&breaker.recorder);
                    pl_settings_release(&s);
                }
    empty_folder();
}

/* Towards what the source itself would say, the lowest that any model can reach. */
static void test_training_learns(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_settings s = {0};
    struct pl_corpus *corpus;
    struct pl_error err;
    static const char words[] = "dataset=markov vocabulary=12 branches=2 model=awd_lstm nlayers=1 emsize=24 " PLAIN
                                "train_tokens=4000 valid_tokens=500 test_tokens=500 bptt=20 batch=10 epochs=10 "
                                "optimizer=adam lambda=0.02 ar=0 tar=0";
    run_whole(words, 2, &r);
    settings_of(&s, words);
    assert_int_equal(pl_corpus_open(&corpus, &s, ".", &err), 0);
    double lowest = exp(pl_corpus_source_loss(corpus, PL_SPLIT_TEST)), reached = value_of(&r, "test_perplexity", 9);
    assert_true(value_of(&r, "test_perplexity", 0) > 1.1 * lowest);
    assert_true(reached > 0.97 * lowest && reached < 1.06 * lowest);
    pl_corpus_close(corpus);
    pl_settings_release(&s);
    recorder_release(&r);
}

static void test_threads_and_devices_agree(void **state)
{
    (void)state;
    struct recorder one, ref;
    static const char words[] = TASK "optimizer=theopoula lambda=0.5 epsilon=1 beta=1e8";
    check_threads(words);
    run_whole(words, 1, &one);
    struct pl_text text = {0};
    pl_text_addf(&text, "%s device=ref", words);
    run_whole(pl_text(&text), 1, &ref);
    pl_text_release(&text);
    for (size_t i = 0; i < 3; i++) {
        assert_false(same_value(value_of(&one, "train_loss", i), value_of(&ref, "train_loss", i)));
        assert_close(value_of(&one, "train_loss", i), value_of(&ref, "train_loss", i), 1e-3);
        assert_close(value_of(&one, "test_loss", i), value_of(&ref, "test_loss", i), 1e-3);
    }
    recorder_release(&one);
    recorder_release(&ref);
}

static void test_divergence_is_an_outcome(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run_whole(TASK "optimizer=sgd lambda=1e38 clip=1e30", 1, &r);
    assert_int_equal(result.outcome, PL_DIVERGED);
    assert_true(result.bad_epoch == 1);
    recorder_release(&r);
}

/* ---- averaging and decay */

enum { AVERAGED_EPOCHS = 8 };

/* A run without averaging has the same iterates, so what is measured differs from that epoch on. */
static void check_average(const struct recorder *plain, const char *words, size_t from)
{
    struct recorder averaged;
    struct recorded p;
    run_whole(words, 1, &averaged);
    assert_int_equal(recorder_find(&averaged, "averaged_from", 0, &p), 1);
    assert_true(p.epoch == from);
    assert_close(p.value, (double)from, 0);
    for (size_t i = 0; i < AVERAGED_EPOCHS; i++) {
        assert_true(same_value(value_of(plain, "train_loss", i), value_of(&averaged, "train_loss", i)));
        bool same = same_value(value_of(plain, "valid_loss", i), value_of(&averaged, "valid_loss", i));
        assert_int_equal(same, i + 1 < from);
    }
    recorder_release(&averaged);
}

/* The epoch behind the one in which the n-th loss in a row was no new best. */
static size_t patience_ends(const struct recorder *r, size_t n)
{
    double best = INFINITY;
    for (size_t i = 0, stale = 0; i < AVERAGED_EPOCHS; i++) {
        double loss = value_of(r, "valid_loss", i);
        stale = loss < best ? 0 : stale + 1;
        best = loss < best ? loss : best;
        if (stale == n)
            return i + 2;
    }
    return 0;
}

static void test_averages_are_evaluated(void **state)
{
    (void)state;
    static const char task[] = TASK "epochs=8 optimizer=theopoula epsilon=1 lambda=10 clip=.inf beta=.inf ";
    struct recorder plain;
    char words[600];
    run_whole(task, 1, &plain);
    assert_int_equal(recorder_find(&plain, "averaged_from", 0, NULL), 0);
    size_t from = patience_ends(&plain, 2);
    assert_in_range(from, 3, AVERAGED_EPOCHS - 1);
    snprintf(words, sizeof words, "%s average=patience average_after=2", task);
    check_average(&plain, words, from);
    snprintf(words, sizeof words, "%s average=on", task);
    check_average(&plain, words, 1);
    recorder_release(&plain);
}

static void test_decay_waits_for_validation(void **state)
{
    (void)state;
    struct recorder r;
    run_whole(TASK "epochs=8 optimizer=sgd lambda=1e-30 decay=0.5 patience=2", 1, &r);
    for (size_t i = 0; i < 8; i++) /* the first is the best of all, as nothing moves */
        assert_close(value_of(&r, "lambda", i), 1e-30 * pow(0.5, i < 3 ? 0 : (double)((i - 1) / 2)), 1e-45);
    recorder_release(&r);
}

static void test_weights_are_kept(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    struct breaker b;
    struct pl_safetensors file;
    struct pl_error err;
    settings_of(&s, TASK "optimizer=sgd");
    assert_int_equal(run_broken(&s, 1, folder, 0, false, &b).outcome, PL_FINISHED);
    recorder_release(&b.recorder);
    if (pl_safetensors_read(&file, file_path("weights.safetensors"), &err))
        fail_msg("%s", err.text);
    static const char *const names[] = {"encoder.weight", "rnns.0.weight_ih_l0", "rnns.0.weight_hh_l0",
                                        "rnns.1.bias_hh_l0", "decoder.bias"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!pl_safetensors_find(&file, names[i]))
            fail_msg("there is no %s", names[i]);
    pl_safetensors_release(&file);
    pl_settings_release(&s);
    empty_folder();
}

/* ---- what a run needs, and what is refused */

static void needs_of(const char *words, struct pl_train_needs *needs)
{
    struct pl_settings s = {0};
    struct pl_error err;
    settings_of(&s, words);
    if (pl_train_survey(&s, "data", 1, needs, &err))
        fail_msg("%s", err.text);
    pl_settings_release(&s);
}

static void test_memory_is_estimated(void **state)
{
    (void)state;
    struct pl_train_needs small, wide, adam;
    needs_of("dataset=markov model=awd_lstm nlayers=1 emsize=32 optimizer=sgd", &small);
    needs_of("dataset=markov model=awd_lstm nlayers=1 emsize=512 optimizer=sgd", &wide);
    needs_of("dataset=markov model=awd_lstm nlayers=1 emsize=512 optimizer=adam", &adam);
    assert_int_equal(strncmp(small.data, "markov ", 7), 0);
    assert_non_null(strstr(small.data, " official"));
    assert_true(small.memory > 24000000 && small.memory < 60000000);
    assert_true(wide.memory > small.memory + 2 * 4 * 2000000);
    assert_in_range(adam.memory - wide.memory, 2 * 4 * 2100000, 2 * 4 * 2200000); /* m and v */
}

static void assert_refused(const char *words, const char *part)
{
    struct pl_settings s = {0};
    struct pl_error err = {0};
    settings_of(&s, words);
    assert_int_equal(pl_train_check(&s, &err), PL_EINPUT);
    if (!strstr(err.text, part))
        fail_msg("\"%s\" lacks \"%s\"", err.text, part);
    pl_settings_release(&s);
}

static void test_mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *dataset, *model, *part;
    } chosen[] = {{"markov", "cnn", "model cnn reads images, and markov is a text"},
                  {"glyphs", "awd_lstm", "model awd_lstm reads text, and glyphs is a set of images"},
                  {"markoff", "awd_lstm", "did you mean markov?"},
                  {"zzzzzzzz", "awd_lstm", "glyphs, markov, ptb, text"},
                  {"markov", NULL, "task: {dataset: markov, model: awd_lstm}"}};
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) {
        struct pl_settings s = {0};
        struct pl_schema schema;
        struct pl_error err;
        pl_settings_set_string(&s, "optimizer", "sgd");
        pl_settings_set_string(&s, "dataset", chosen[i].dataset);
        if (chosen[i].model)
            pl_settings_set_string(&s, "model", chosen[i].model);
        assert_int_equal(pl_train_schema(&s, &schema, &err), PL_EINPUT);
        if (!strstr(err.text, chosen[i].part))
            fail_msg("\"%s\" lacks \"%s\"", err.text, chosen[i].part);
        pl_settings_release(&s);
    }
    assert_refused(TASK "train_tokens=11 optimizer=sgd", "too few for 4 columns, which need at least 12");
    assert_refused(TASK "valid_tokens=5 optimizer=sgd", "the valid");
    assert_refused(TASK "optimizer=sgd decay=0.1 patience=3 every=2", "every and patience both say");
    assert_refused(TASK "optimizer=sgd decay=0.1 patience=3 milestones=[2]", "milestones and patience both say");
    assert_refused(TASK "optimizer=sgd patience=3", "give decay");
    assert_refused(TASK "optimizer=sgd decay=0.1", "neither every nor milestones nor patience says when");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_epochs_are_recorded),
        cmocka_unit_test(test_epochs_are_what_the_documentation_says),
        cmocka_unit_test(test_uniform_answers_have_the_vocabulary_as_perplexity),
        cmocka_unit_test(test_training_learns),
        cmocka_unit_test(test_threads_and_devices_agree),
        cmocka_unit_test(test_divergence_is_an_outcome),
        cmocka_unit_test(test_averages_are_evaluated),
        cmocka_unit_test(test_decay_waits_for_validation),
        cmocka_unit_test(test_weights_are_kept),
        cmocka_unit_test(test_memory_is_estimated),
        cmocka_unit_test(test_mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
