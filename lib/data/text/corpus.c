/* The table of corpora, opening one, and what it is. */
#include "data/text/corpus_priv.h"

#include <openssl/evp.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const void *const types[] = {&pl_corpus_markov, &pl_corpus_ptb, &pl_corpus_text};
const struct pl_registry pl_corpus_registry = PL_REGISTRY("text", types, struct pl_corpus_type, info.name);

static const struct pl_setting common_settings[] = {
    {.key = "bptt",
     .type = PL_INTEGER,
     .initial = "70",
     .range = "[1,100000]",
     .help = "tokens of each column in a window; gradients go back no further"},
    {.key = "vary_bptt",
     .type = PL_BOOLEAN,
     .initial = "true",
     .help = "draw the length of every training window around bptt, and scale its learning rate by length / bptt"},
    {.key = "valid_batch",
     .type = PL_INTEGER,
     .initial = "10",
     .range = "[1,65536]",
     .help = "columns of the validation split; tokens that fill no row are left out"},
    {.key = "test_batch",
     .type = PL_INTEGER,
     .initial = "1",
     .range = "[1,65536]",
     .help = "columns of the test split"},
    {.key = "subset",
     .type = PL_INTEGER,
     .initial = "0",
     .range = "[0,100000000000]",
     .help = "training tokens to use, the first ones; 0: all"},
};

size_t pl_corpus_count(void)
{
    return pl_corpus_registry.count;
}

const struct pl_corpus_info *pl_corpus_at(size_t index)
{
    const struct pl_corpus_type *type = types[index];
    return &type->info;
}

const struct pl_corpus_type *pl_corpus_type_find(const char *name)
{
    return pl_registry_find(&pl_corpus_registry, name);
}

const struct pl_corpus_info *pl_corpus_find(const char *name)
{
    const struct pl_corpus_type *type = pl_corpus_type_find(name);
    return type ? &type->info : NULL;
}

const struct pl_setting *pl_corpus_common_settings(size_t *count)
{
    *count = sizeof common_settings / sizeof *common_settings;
    return common_settings;
}

/* Of that many training tokens. */
static size_t tokens_used(const struct pl_settings *settings, size_t tokens)
{
    size_t subset = (size_t)pl_settings_need_integer(settings, "subset");
    return subset && subset < tokens ? subset : tokens;
}

/* A corpus's settings, absent ones at their defaults. */
static void fill(struct pl_settings *filled, const struct pl_corpus_type *type, const struct pl_settings *given)
{
    pl_settings_copy(filled, given);
    pl_settings_fill(filled, type->info.settings, type->info.setting_count);
    pl_settings_fill(filled, common_settings, sizeof common_settings / sizeof *common_settings);
}

bool pl_corpus_expect(const struct pl_settings *settings, size_t *vocabulary, size_t tokens[PL_SPLIT_COUNT])
{
    const struct pl_corpus_type *type = pl_corpus_type_find(pl_settings_string(settings, "dataset", ""));
    if (!type || !type->expect)
        return false;
    struct pl_settings filled = {0};
    fill(&filled, type, settings);
    type->expect(&filled, vocabulary, tokens);
    tokens[PL_SPLIT_TRAIN] = tokens_used(&filled, tokens[PL_SPLIT_TRAIN]);
    pl_settings_release(&filled);
    return true;
}

/* ---- opening */

static void list_words(struct pl_corpus *corpus)
{
    const char *word = corpus->spelling;
    corpus->words = pl_new(corpus->vocabulary * sizeof *corpus->words);
    for (size_t i = 0; i < corpus->vocabulary; i++, word += strlen(word) + 1)
        corpus->words[i] = word;
}

int pl_corpus_open(struct pl_corpus **out, const struct pl_settings *settings, const char *folder, struct pl_error *err)
{
    const char *name = pl_settings_string(settings, "dataset", "");
    const struct pl_corpus_type *type = pl_corpus_type_find(name);
    *out = NULL;
    if (!type)
        return pl_registry_fail(&pl_corpus_registry, name, err);
    struct pl_corpus *corpus = pl_new(sizeof *corpus);
    corpus->type = type;
    corpus->entropy = NAN;
    for (int i = 0; i < PL_SPLIT_COUNT; i++)
        corpus->source_loss[i] = NAN;
    struct pl_settings filled = {0};
    fill(&filled, type, settings);
    size_t subset = tokens_used(&filled, SIZE_MAX);
    int status = type->open(corpus, &filled, folder, err);
    pl_settings_release(&filled);
    if (status) {
        pl_corpus_close(corpus);
        return status;
    }
    list_words(corpus);
    if (subset < corpus->sizes[PL_SPLIT_TRAIN]) {
        corpus->sizes[PL_SPLIT_TRAIN] = subset;
        corpus->source_loss[PL_SPLIT_TRAIN] = NAN; /* that was of all of them */
    }
    *out = corpus;
    return 0;
}

void pl_corpus_forget(struct pl_corpus *corpus)
{
    pl_block_close(&corpus->block);
    free(corpus->memory);
    free(corpus->words);
    corpus->memory = NULL;
    corpus->words = NULL;
    corpus->spelling = NULL;
    corpus->vocabulary = corpus->spelling_size = corpus->memory_size = 0;
    corpus->official = false;
    corpus->checksum[0] = corpus->warning[0] = '\0';
    for (int i = 0; i < PL_SPLIT_COUNT; i++) {
        corpus->tokens[i] = NULL;
        corpus->sizes[i] = 0;
    }
}

void pl_corpus_close(struct pl_corpus *corpus)
{
    if (!corpus)
        return;
    pl_corpus_forget(corpus);
    free(corpus);
}

int pl_corpus_allocate(struct pl_corpus *corpus, const size_t sizes[PL_SPLIT_COUNT], size_t spelling,
                       int32_t *tokens[PL_SPLIT_COUNT], char **words, struct pl_error *err)
{
    size_t total = 0;
    for (int i = 0; i < PL_SPLIT_COUNT; i++)
        total += sizes[i];
    corpus->memory_size = total * sizeof(int32_t) + spelling;
    corpus->memory = pl_arena(corpus->memory_size, 1);
    if (!corpus->memory)
        return pl_fail(err, PL_EMEMORY, "there is not enough memory for %zu tokens", total);
    int32_t *at = corpus->memory;
    for (int i = 0; i < PL_SPLIT_COUNT; i++) {
        corpus->sizes[i] = sizes[i];
        corpus->tokens[i] = tokens[i] = at;
        at += sizes[i];
    }
    corpus->spelling_size = spelling;
    corpus->spelling = *words = (char *)at;
    return 0;
}

/* ---- what a corpus is */

size_t pl_corpus_vocabulary(const struct pl_corpus *corpus)
{
    return corpus->vocabulary;
}

const char *pl_corpus_word(const struct pl_corpus *corpus, int64_t number)
{
    return number >= 0 && (uint64_t)number < corpus->vocabulary ? corpus->words[number] : "";
}

int32_t pl_corpus_number(const struct pl_corpus *corpus, const char *word)
{
    for (size_t i = 0; i < corpus->vocabulary; i++)
        if (!strcmp(corpus->words[i], word))
            return (int32_t)i;
    return -1;
}

size_t pl_corpus_size(const struct pl_corpus *corpus, enum pl_split split)
{
    return corpus->sizes[split];
}

const int32_t *pl_corpus_tokens(const struct pl_corpus *corpus, enum pl_split split)
{
    return corpus->tokens[split];
}

uint64_t pl_corpus_memory(const struct pl_corpus *corpus)
{
    return corpus->memory_size + corpus->vocabulary * sizeof *corpus->words;
}

const char *pl_corpus_checksum(const struct pl_corpus *corpus)
{
    return corpus->checksum;
}

bool pl_corpus_official(const struct pl_corpus *corpus)
{
    return corpus->official;
}

const char *pl_corpus_warning(const struct pl_corpus *corpus)
{
    return *corpus->warning ? corpus->warning : NULL;
}

double pl_corpus_entropy(const struct pl_corpus *corpus)
{
    return corpus->entropy;
}

double pl_corpus_source_loss(const struct pl_corpus *corpus, enum pl_split split)
{
    return corpus->source_loss[split];
}

void pl_corpus_words_digest(const struct pl_corpus *corpus, char hex[2 * PL_DIGEST_SIZE + 1])
{
    unsigned char digest[PL_DIGEST_SIZE];
    pl_digest(corpus->spelling, corpus->spelling_size, digest);
    pl_digest_hex(digest, sizeof digest, hex);
}

void pl_corpus_digest(const struct pl_corpus *corpus, char hex[2 * PL_DIGEST_SIZE + 1])
{
    unsigned char digest[PL_DIGEST_SIZE] = {0};
    uint64_t counts[PL_SPLIT_COUNT + 1] = {corpus->vocabulary}; /* little-endian, as block.c asserts */
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    for (int i = 0; i < PL_SPLIT_COUNT; i++)
        counts[i + 1] = corpus->sizes[i];
    if (context && EVP_DigestInit_ex(context, EVP_sha256(), NULL)) {
        EVP_DigestUpdate(context, counts, sizeof counts);
        EVP_DigestUpdate(context, corpus->spelling, corpus->spelling_size);
        for (int i = 0; i < PL_SPLIT_COUNT; i++)
            EVP_DigestUpdate(context, corpus->tokens[i], corpus->sizes[i] * sizeof *corpus->tokens[i]);
        EVP_DigestFinal_ex(context, digest, NULL);
    }
    EVP_MD_CTX_free(context);
    pl_digest_hex(digest, sizeof digest, hex);
}
