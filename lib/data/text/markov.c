/* markov: text from a Markov chain whose entropy rate is known exactly, so that one can say how far a language model is
 * from the best that there can be.
 *
 * After every context of `order` words come `branches` words, the r-th of them with a probability proportional to
 * 1 / r^skew: the same probabilities after every context, so that the entropy rate is their entropy whatever the chain
 * visits how often. Which words they are: with random permutations newest, oldest and result of the V words, a random
 * number shift for each sequence of the words between the two, and distinct random offsets, the r-th is
 * result[(newest[n] + oldest[o] + shift + offset_r) mod V] (without oldest and shift where there are no such words).
 * For all else fixed that is a permutation of the oldest word, so every context is as frequent as any other: a model
 * that looks at fewer than `order` words learns nothing.
 *
 * A draw is a function of (data_seed, split, place). The probabilities are made of + * / only, and the file is compiled
 * without contraction to fused multiply-add: the same text on every machine. */
#include "data/text/corpus_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER_MOST = 8 };
/* Draws besides those of the three splits. */
enum { STEP_NEWEST = PL_SPLIT_COUNT, STEP_OLDEST, STEP_RESULT, STEP_OFFSETS, STEP_SHIFTS };

struct chain {
    struct pl_random key;
    size_t vocabulary, branches;
    int order;
    size_t *newest, *oldest, *result, *offsets; /* permutations */
    double *limits;                             /* cumulative probabilities */
    double *losses;                             /* -log of each probability */
};

static size_t *permutation(const struct pl_random *key, uint64_t step, size_t count)
{
    size_t *order = pl_new(count * sizeof *order);
    for (size_t i = 0; i < count; i++) {
        size_t j = (size_t)pl_random_below(key, step, i, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    return order;
}

static void weigh(struct chain *chain, int skew)
{
    double sum = 0, below = 0;
    for (size_t r = 0; r < chain->branches; r++) {
        double weight = 1;
        for (int i = 0; i < skew; i++)
            weight /= (double)(r + 1);
        chain->losses[r] = weight;
        sum += weight;
    }
    for (size_t r = 0; r < chain->branches; r++) {
        below += chain->losses[r];
        chain->limits[r] = below / sum;
        chain->losses[r] = -log(chain->losses[r] / sum);
    }
}

static double entropy(const struct chain *chain)
{
    double sum = 0;
    for (size_t r = 0; r < chain->branches; r++)
        sum += exp(-chain->losses[r]) * chain->losses[r];
    return sum;
}

static void chain_init(struct chain *chain, const struct pl_settings *settings)
{
    *chain = (struct chain){
        .key = pl_random_stream((uint64_t)pl_settings_need_integer(settings, "data_seed"), PL_STREAM_DATA),
        .vocabulary = (size_t)pl_settings_need_integer(settings, "vocabulary"),
        .branches = (size_t)pl_settings_need_integer(settings, "branches"),
        .order = (int)pl_settings_need_integer(settings, "order"),
    };
    chain->newest = permutation(&chain->key, STEP_NEWEST, chain->vocabulary);
    chain->oldest = permutation(&chain->key, STEP_OLDEST, chain->vocabulary);
    chain->result = permutation(&chain->key, STEP_RESULT, chain->vocabulary);
    chain->offsets = permutation(&chain->key, STEP_OFFSETS, chain->vocabulary);
    chain->limits = pl_new(chain->branches * sizeof *chain->limits);
    chain->losses = pl_new(chain->branches * sizeof *chain->losses);
    weigh(chain, (int)pl_settings_need_integer(settings, "skew"));
}

static void chain_release(struct chain *chain)
{
    free(chain->newest);
    free(chain->oldest);
    free(chain->result);
    free(chain->offsets);
    free(chain->limits);
    free(chain->losses);
}

/* The r-th word after context, whose newest word is the first. */
static size_t follow(const struct chain *chain, const size_t context[ORDER_MOST], size_t r)
{
    size_t sum = chain->newest[context[0]] + chain->offsets[r];
    uint64_t between = 0;
    for (int i = 1; i < chain->order - 1; i++)
        between = between * chain->vocabulary + context[i];
    if (chain->order > 1)
        sum += chain->oldest[context[chain->order - 1]];
    if (chain->order > 2)
        sum += pl_random_below(&chain->key, STEP_SHIFTS, between, chain->vocabulary);
    return chain->result[sum % chain->vocabulary];
}

/* The first branch whose limit lies above u. */
static size_t find_branch(const struct chain *chain, double u)
{
    size_t low = 0, high = chain->branches - 1; /* the last limit is 1 but for rounding */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (u < chain->limits[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Fills a split, which begins after a context of <eos>, and returns the mean loss of its second to last tokens. */
static double draw(const struct chain *chain, enum pl_split split, int32_t *tokens, size_t count)
{
    size_t context[ORDER_MOST] = {0};
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        size_t r = find_branch(chain, pl_random_uniform(&chain->key, split, i)), word = follow(chain, context, r);
        memmove(context + 1, context, (ORDER_MOST - 1) * sizeof *context);
        context[0] = word;
        tokens[i] = (int32_t)word;
        sum += i ? chain->losses[r] : 0;
    }
    return sum / (double)(count - 1);
}

/* Words that can be said: two syllables and more, one for each digit of the number. <eos> has the number 0. */
static void spell(size_t vocabulary, struct pl_text *spelling)
{
    static const char consonants[] = "bdfghjklmnprst", vowels[] = "aeiou";
    enum { VOWELS = sizeof vowels - 1, SYLLABLES = (sizeof consonants - 1) * VOWELS };
    size_t digits = 2, reach = (size_t)SYLLABLES * SYLLABLES;
    for (; reach < vocabulary; reach *= SYLLABLES)
        digits++;
    pl_text_add_bytes(spelling, PL_EOS, sizeof PL_EOS);
    for (size_t i = 1; i < vocabulary; i++) {
        size_t rest = i - 1;
        for (size_t k = 0; k < digits; k++, rest /= SYLLABLES) {
            pl_text_add_char(spelling, consonants[rest % SYLLABLES / VOWELS]);
            pl_text_add_char(spelling, vowels[rest % VOWELS]);
        }
        pl_text_add_char(spelling, '\0');
    }
}

static void markov_expect(const struct pl_settings *settings, size_t *vocabulary, size_t tokens[PL_SPLIT_COUNT])
{
    *vocabulary = (size_t)pl_settings_need_integer(settings, "vocabulary");
    tokens[PL_SPLIT_TRAIN] = (size_t)pl_settings_need_integer(settings, "train_tokens");
    tokens[PL_SPLIT_VALID] = (size_t)pl_settings_need_integer(settings, "valid_tokens");
    tokens[PL_SPLIT_TEST] = (size_t)pl_settings_need_integer(settings, "test_tokens");
}

static int markov_open(struct pl_corpus *corpus, const struct pl_settings *settings, const char *folder,
                       struct pl_error *err)
{
    size_t sizes[PL_SPLIT_COUNT];
    int32_t *tokens[PL_SPLIT_COUNT];
    char *words;
    struct pl_text spelling = {0};
    struct chain chain;
    (void)folder;
    markov_expect(settings, &corpus->vocabulary, sizes);
    size_t branches = (size_t)pl_settings_need_integer(settings, "branches");
    if (branches > corpus->vocabulary)
        return pl_fail(err, PL_EINPUT, "branches is %zu, but the vocabulary has only %zu words", branches,
                       corpus->vocabulary);
    spell(corpus->vocabulary, &spelling);
    int status = pl_corpus_allocate(corpus, sizes, spelling.length, tokens, &words, err);
    if (status)
        goto done;
    memcpy(words, pl_text(&spelling), spelling.length);
    chain_init(&chain, settings);
    for (enum pl_split split = 0; split < PL_SPLIT_COUNT; split++)
        corpus->source_loss[split] = draw(&chain, split, tokens[split], sizes[split]);
    corpus->entropy = entropy(&chain);
    corpus->official = true;
    chain_release(&chain);
    pl_corpus_digest(corpus, corpus->checksum);
done:
    pl_text_release(&spelling);
    return status;
}

static const struct pl_setting settings[] = {
    {.key = "vocabulary", .type = PL_INTEGER, .initial = "64", .range = "[2,1000000]", .help = "words, <eos> included"},
    {.key = "order",
     .type = PL_INTEGER,
     .initial = "1",
     .range = "[1,8]",
     .help = "words that the next one depends on"},
    {.key = "branches", .type = PL_INTEGER, .initial = "4", .range = "[1,1000000]", .help = "words that may come next"},
    {.key = "skew",
     .type = PL_INTEGER,
     .initial = "1",
     .range = "[0,8]",
     .help = "the r-th of them has a probability proportional to 1 / r^skew; 0: all the same",
     .idle_when = "branches=1"},
    {.key = "train_tokens",
     .type = PL_INTEGER,
     .initial = "50000",
     .range = "[2,1000000000]",
     .help = "training tokens"},
    {.key = "valid_tokens",
     .type = PL_INTEGER,
     .initial = "5000",
     .range = "[2,1000000000]",
     .help = "validation tokens"},
    {.key = "test_tokens", .type = PL_INTEGER, .initial = "5000", .range = "[2,1000000000]", .help = "test tokens"},
    {.key = "data_seed",
     .type = PL_INTEGER,
     .initial = "1",
     .range = "[0,9007199254740991]",
     .help = "seed of the text itself; the seed of a run does not change it"},
};

const struct pl_corpus_type pl_corpus_markov = {
    .info = {.name = "markov",
             .help = "text from a Markov chain of known entropy, made from a seed",
             .settings = settings,
             .setting_count = sizeof settings / sizeof *settings},
    .expect = markov_expect,
    .open = markov_open,
};
