/* Words drawn from a trained model of language, one after the other: a plan of one column and one step hands the
 * recurrent state on, as in training. The text begins where a line does: behind an <eos>. */
#include "train/network/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char space[] = " \t\r\v\f\n";

struct generator {
    const struct pl_generation *wish;
    const struct pl_settings *settings;
    struct pl_settings filled;
    struct pl_safetensors weights;
    struct pl_corpus *corpus;
    struct pl_device *device;
    struct pl_graph *graph;
    struct pl_net *net;
    struct pl_plan *plan;
    size_t vocabulary;
    double *logits;
    int32_t *prompt;
    size_t prompt_length;
};

static int check_run(const struct pl_settings *settings, struct pl_error *err)
{
    const struct pl_network_type *type = pl_network_type_of(settings);
    if (!type)
        return pl_fail(err, PL_EINPUT, "the run trained no network: only a model of text can write");
    if (!type->text)
        return pl_fail(err, PL_EINPUT, "the run trained a network on images (%s): only a model of text can write",
                       pl_settings_string(settings, "dataset", ""));
    return 0;
}

/* Weights of a poula that did not record the words are held against the corpus by their shapes alone. */
static int check_words(const struct generator *g, struct pl_error *err)
{
    const char *trained = pl_settings_string(&g->weights.metadata, "words", "");
    char words[2 * PL_DIGEST_SIZE + 1];
    pl_corpus_words_digest(g->corpus, words);
    if (!*trained || !strcmp(trained, words))
        return 0;
    return pl_fail(err, PL_EINPUT,
                   "the vocabulary of %s is not the one that the run was trained with: its files have "
                   "changed since",
                   pl_settings_string(g->settings, "dataset", ""));
}

static int find_word(struct generator *g, const char *word, size_t length, struct pl_error *err)
{
    char *copy = pl_copy_bytes(word, length);
    int32_t number = pl_corpus_number(g->corpus, copy);
    int status = number >= 0 ? 0
                             : pl_fail(err, PL_EINPUT,
                                       "the word \"%.200s\" of the prompt is not in the vocabulary "
                                       "of %s",
                                       copy, pl_settings_string(g->settings, "dataset", ""));
    if (!status)
        g->prompt[g->prompt_length++] = number;
    free(copy);
    return status;
}

/* Numbers of the prompt's words, a line's end being <eos>, behind the <eos> that every text begins with. */
static int read_prompt(struct generator *g, struct pl_error *err)
{
    const char *at = g->wish->prompt ? g->wish->prompt : "";
    int status;
    g->prompt = pl_new((strlen(at) + 1) * sizeof *g->prompt);
    status = find_word(g, PL_EOS, strlen(PL_EOS), err);
    while (*at && !status) {
        size_t length = strcspn(at, space);
        if (length)
            status = find_word(g, at, length, err);
        else if (*at == '\n')
            status = find_word(g, PL_EOS, strlen(PL_EOS), err);
        at += length ? length : 1;
    }
    return status;
}

static int build(struct generator *g, struct pl_error *err)
{
    const struct pl_settings *settings = g->settings;
    struct pl_error problem;
    int logits,
        status = pl_model_build(&g->graph, settings, (struct pl_shape){0, 0, 0}, (int)g->vocabulary, &logits, err);
    if (!status)
        status = pl_network_device(&g->device, settings, 1, err);
    if (!status)
        status = pl_net_new(&g->net, g->graph, g->device, err);
    if (status)
        return status;
    pl_net_initialise(g->net, pl_random_stream(0, PL_STREAM_INIT));
    status = pl_weights_take(g->net, g->graph, &g->weights, &problem);
    if (status)
        return pl_fail(err, status, "the run's weights do not fit %s as it is now: %s",
                       pl_settings_string(settings, "dataset", ""), problem.text);
    g->logits = pl_new(g->vocabulary * sizeof *g->logits);
    return pl_plan_new_sequence(&g->plan, g->net, 1, 1, PL_EVALUATION, err);
}

static int open_generator(struct generator *g, struct pl_error *err)
{
    const struct pl_generation *wish = g->wish;
    g->settings = wish->settings;
    int status = check_run(g->settings, err);
    if (!status)
        status = pl_train_complete(&g->settings, &g->filled, err);
    if (!status)
        status = pl_weights_open(&g->weights, wish->folder, wish->key, err);
    if (!status)
        status = pl_corpus_open(&g->corpus, g->settings, wish->data, err);
    if (!status)
        status = check_words(g, err);
    if (status)
        return status;
    g->vocabulary = pl_corpus_vocabulary(g->corpus);
    status = read_prompt(g, err);
    return status ? status : build(g, err);
}

static void close_generator(struct generator *g)
{
    pl_plan_free(g->plan);
    pl_net_free(g->net);
    pl_device_close(g->device);
    pl_graph_free(g->graph);
    pl_corpus_close(g->corpus);
    pl_safetensors_release(&g->weights);
    pl_settings_release(&g->filled);
    free(g->logits);
    free(g->prompt);
}

static int read_word(struct generator *g, int32_t word, struct pl_error *err)
{
    pl_plan_tokens(g->plan, &word);
    pl_plan_forward(g->plan, 0);
    pl_plan_output(g->plan, g->logits, PL_FLOAT64);
    return pl_device_synchronize(g->device, err);
}

static int32_t likeliest(const struct generator *g)
{
    size_t best = 0;
    for (size_t i = 1; i < g->vocabulary; i++)
        if (g->logits[i] > g->logits[best])
            best = i;
    return (int32_t)best;
}

/* Draws with probabilities proportional to exp(logit / temperature), by u in (0,1). */
static int32_t draw(struct generator *g, double temperature, double u)
{
    int32_t best = likeliest(g);
    double most = g->logits[best], sum = 0;
    if (temperature == 0)
        return best;
    for (size_t i = 0; i < g->vocabulary; i++)
        sum += g->logits[i] = exp((g->logits[i] - most) / temperature);
    u *= sum;
    sum = 0;
    for (size_t i = 0; i < g->vocabulary; i++) {
        sum += g->logits[i];
        if (u < sum)
            return (int32_t)i;
    }
    return best; /* rounding left u above the sum */
}

static bool write_word(const struct generator *g, int32_t word)
{
    return g->wish->word(g->wish->self, pl_corpus_word(g->corpus, word));
}

int pl_train_generate(const struct pl_generation *wish, struct pl_error *err)
{
    struct generator g = {.wish = wish};
    struct pl_random stream = pl_random_stream((uint64_t)wish->seed, PL_STREAM_TEXT);
    int status = open_generator(&g, err);
    bool more = true;
    for (size_t i = 0; i < g.prompt_length && more && !status; i++) {
        status = read_word(&g, g.prompt[i], err);
        more = status || !i || write_word(&g, g.prompt[i]); /* the first is no word of the prompt */
    }
    for (int64_t i = 0, word = 0; i < wish->words && more && !status; i++) {
        if (i)
            status = read_word(&g, (int32_t)word, err);
        if (status)
            break;
        word = draw(&g, wish->temperature, pl_random_uniform(&stream, 0, (uint64_t)i));
        more = write_word(&g, (int32_t)word);
    }
    close_generator(&g);
    return status;
}
