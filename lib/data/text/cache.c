/* Corpora in files that every process maps: the format is described in corpus_priv.h. */
#include "data/text/corpus_priv.h"

#include <stdio.h>
#include <string.h>

static const struct pl_block_format format = {"poula-tokens 1\n", "corpus"};

static const char *const count_keys[PL_SPLIT_COUNT] = {"train", "valid", "test"};

int pl_corpus_cache_write(const struct pl_corpus *corpus, const char *path, struct pl_settings *header,
                          struct pl_error *err)
{
    struct pl_text text = {0};
    struct pl_piece pieces[PL_SPLIT_COUNT + 1];
    pl_settings_set_integer(header, "vocabulary", (int64_t)corpus->vocabulary);
    pl_settings_set_integer(header, "spelling", (int64_t)corpus->spelling_size);
    pl_settings_set_boolean(header, "official", corpus->official);
    pl_settings_set_string(header, "warning", corpus->warning);
    pl_settings_set_string(header, "checksum", corpus->checksum);
    for (int i = 0; i < PL_SPLIT_COUNT; i++) {
        pl_settings_set_integer(header, count_keys[i], (int64_t)corpus->sizes[i]);
        pieces[i] = (struct pl_piece){corpus->tokens[i], corpus->sizes[i] * sizeof *corpus->tokens[i]};
    }
    pieces[PL_SPLIT_COUNT] = (struct pl_piece){corpus->spelling, corpus->spelling_size};
    pl_settings_write(header, &text);
    int status = pl_block_write(&format, path, &text, pieces, PL_SPLIT_COUNT + 1, err);
    pl_text_release(&text);
    return status;
}

/* A size from the header; 0 when it is absent or no such number. */
static size_t number(const struct pl_settings *header, const char *key)
{
    int64_t value = pl_settings_integer(header, key, 0);
    return value > 0 && value <= INT64_MAX / 64 ? (size_t)value : 0;
}

/* Every token must have a word: it is an index into matrices. */
static bool has_good_tokens(const struct pl_corpus *corpus)
{
    for (int i = 0; i < PL_SPLIT_COUNT; i++)
        for (size_t k = 0; k < corpus->sizes[i]; k++)
            if (corpus->tokens[i][k] < 0 || (size_t)corpus->tokens[i][k] >= corpus->vocabulary)
                return false;
    return true;
}

static bool has_good_spelling(const struct pl_corpus *corpus)
{
    size_t words = 0;
    for (size_t i = 0; i < corpus->spelling_size; i++)
        words += !corpus->spelling[i];
    return words == corpus->vocabulary && !corpus->spelling[corpus->spelling_size - 1];
}

static const char *take_body(struct pl_corpus *corpus, const struct pl_settings *header)
{
    const char *bytes = corpus->block.bytes;
    size_t at = corpus->block.body;
    corpus->vocabulary = number(header, "vocabulary");
    corpus->spelling_size = number(header, "spelling");
    bool whole = corpus->vocabulary && corpus->spelling_size;
    for (int i = 0; i < PL_SPLIT_COUNT; i++) {
        corpus->sizes[i] = number(header, count_keys[i]);
        whole &= corpus->sizes[i] > 0;
    }
    if (!whole)
        return "its header lacks something";
    for (int i = 0; i < PL_SPLIT_COUNT; i++) {
        size_t size = corpus->sizes[i] * sizeof(int32_t);
        if (at > corpus->block.size || size > corpus->block.size - at)
            return "its length does not fit its tokens";
        corpus->tokens[i] = (const int32_t *)(const void *)(bytes + at);
        at += size;
    }
    if (corpus->spelling_size != corpus->block.size - at)
        return "its length does not fit its words";
    corpus->spelling = bytes + at;
    if (!has_good_spelling(corpus))
        return "its words are not those of its vocabulary";
    if (!has_good_tokens(corpus))
        return "a token is out of range";
    return NULL;
}

int pl_corpus_cache_open(struct pl_corpus *corpus, const char *path, struct pl_settings *header, struct pl_error *err)
{
    int status = pl_block_open(&format, &corpus->block, path, header, err);
    if (status)
        return status;
    const char *trouble = take_body(corpus, header);
    if (trouble) {
        pl_corpus_forget(corpus);
        return pl_block_fail(&format, path, trouble, err);
    }
    corpus->official = pl_settings_boolean(header, "official", false);
    snprintf(corpus->warning, sizeof corpus->warning, "%s", pl_settings_string(header, "warning", ""));
    snprintf(corpus->checksum, sizeof corpus->checksum, "%s", pl_settings_string(header, "checksum", ""));
    return 0;
}

int pl_corpus_cache_open_checked(struct pl_corpus *corpus, const char *path, struct pl_settings *header,
                                 struct pl_error *err)
{
    char hex[2 * PL_DIGEST_SIZE + 1];
    int status = pl_corpus_cache_open(corpus, path, header, err);
    if (status || pl_file_trusted(path))
        return status;
    pl_corpus_digest(corpus, hex);
    if (!strcmp(hex, corpus->checksum)) {
        pl_file_trust(path);
        return 0;
    }
    status = pl_fail(err, PL_ECORRUPT, "%s was altered: its text has the SHA-256 %s, but must have %s", path, hex,
                     corpus->checksum);
    pl_corpus_forget(corpus);
    return status;
}
