/* Inside text: what a corpus is, how its files are read and where it is kept. */
#ifndef PL_CORPUS_PRIV_H
#define PL_CORPUS_PRIV_H

#include "data/data_priv.h"
#include "data/text/corpus.h"

#define PL_UNKNOWN_WORD "<unk>"

struct pl_corpus_type {
    struct pl_corpus_info info;
    /* Words and tokens from the settings alone; NULL: only files tell. */
    void (*expect)(const struct pl_settings *settings, size_t *vocabulary, size_t tokens[PL_SPLIT_COUNT]);
    /* Fills all of the corpus but words. */
    int (*open)(struct pl_corpus *corpus, const struct pl_settings *settings, const char *folder, struct pl_error *err);
    const struct pl_ptb *official; /* of a text that is published; else NULL */
};
extern const struct pl_corpus_type pl_corpus_markov, pl_corpus_ptb, pl_corpus_text;
const struct pl_corpus_type *pl_corpus_type_find(const char *name); /* or NULL */

struct pl_corpus {
    const struct pl_corpus_type *type;
    size_t vocabulary;
    const char *spelling; /* the words in the order of their numbers, each with its closing NUL */
    size_t spelling_size;
    const char **words; /* into spelling */
    const int32_t *tokens[PL_SPLIT_COUNT];
    size_t sizes[PL_SPLIT_COUNT];
    struct pl_block block; /* of a mapped cache file */
    void *memory;          /* or this process's own */
    size_t memory_size;
    double entropy, source_loss[PL_SPLIT_COUNT];
    char checksum[2 * PL_DIGEST_SIZE + 1];
    bool official;
    char warning[500];
};

/* Memory for the tokens of three splits and a spelling of that size, which the corpus then owns and points to. */
int pl_corpus_allocate(struct pl_corpus *corpus, const size_t sizes[PL_SPLIT_COUNT], size_t spelling,
                       int32_t *tokens[PL_SPLIT_COUNT], char **words, struct pl_error *err);
/* Gives back all that opening filled in, as if it had not begun. */
void pl_corpus_forget(struct pl_corpus *corpus);
/* SHA-256 over the counts, the words and the tokens, as hex. */
void pl_corpus_digest(const struct pl_corpus *corpus, char hex[2 * PL_DIGEST_SIZE + 1]);

/* ---- vocabulary.c: words to numbers */

struct pl_vocabulary {
    struct pl_text spelling; /* words with their closing NULs */
    size_t *starts;          /* of each word in it */
    size_t count, capacity;
    uint32_t *slots;   /* a hash table of number + 1; 0: free */
    size_t slot_count; /* a power of two */
};
void pl_vocabulary_release(struct pl_vocabulary *v);
int32_t pl_vocabulary_find(const struct pl_vocabulary *v, const char *word, size_t length); /* or -1 */
int32_t pl_vocabulary_add(struct pl_vocabulary *v, const char *word, size_t length);        /* its number, new or not */

/* ---- tokenize.c: a file's text to tokens */

struct pl_tokens {
    int32_t *numbers;
    size_t count, capacity;
};
enum pl_unknown { PL_UNKNOWN_REFUSE, PL_UNKNOWN_REPLACE, PL_UNKNOWN_ADD };
/* Adds the words of all lines to tokens, <eos> after each line. name stands in errors: "NAME:LINE: ...". unknown says
 * what becomes of a word that is not in the vocabulary. Fails with PL_ECORRUPT: an empty file, bytes that are no UTF-8
 * text, a word outside the vocabulary. */
int pl_tokenize(struct pl_tokens *tokens, struct pl_vocabulary *vocabulary, const char *name, const char *bytes,
                size_t size, enum pl_unknown unknown, struct pl_error *err);

/* ---- files.c: the three files of a text, in a folder or an archive */

/* One file's content. */
struct pl_text_file {
    char *bytes;
    size_t size;
    char *name; /* as errors call it */
};
struct pl_text_files {
    struct pl_text_file of[PL_SPLIT_COUNT];
};
/* Is there a text at path, a folder or an archive? Fills source (path, stamp, archive). */
bool pl_text_find(struct pl_source *source, const char *path);
/* Does an archive begin with the files of a text? Only its first few entries are looked at. */
bool pl_text_in_archive(const char *path);
int pl_text_read(struct pl_text_files *files, const struct pl_source *source, struct pl_error *err);
void pl_text_files_release(struct pl_text_files *files);

/* ---- text.c: the corpora that are read from files */

/* The published files. */
struct pl_ptb {
    struct pl_ptb_file {
        size_t size, tokens;
        const char *sha256;
    } files[PL_SPLIT_COUNT];
    size_t vocabulary;
};

/* Where a text is read from and where it is kept. */
struct pl_text_place {
    struct pl_source source;
    bool found;           /* is there a source? */
    struct pl_text cache; /* path of the cache file */
    struct pl_text name;  /* of a text: its setting `corpus`, a path made absolute */
    enum pl_unknown unknown;
};
int pl_text_place_find(struct pl_text_place *place, const struct pl_corpus_type *type,
                       const struct pl_settings *settings, const char *folder, struct pl_error *err);
void pl_text_place_release(struct pl_text_place *place);
/* Opens the cache if it is whole, of this text, and made from the files as they are now (or those are gone). */
bool pl_text_open_cache(struct pl_corpus *corpus, const struct pl_text_place *place, bool check);
/* Reads the files and leaves a cache file, which corpus then maps. Where none can be written, corpus is this process's
 * own memory and has a warning. */
int pl_text_decode(struct pl_corpus *corpus, const struct pl_text_place *place, struct pl_error *err);
/* Fails with PL_EMISSING, saying what was looked for; with PL_ECORRUPT when only a broken cache is there. */
int pl_text_missing(const struct pl_corpus_type *type, const struct pl_text_place *place, const char *folder,
                    struct pl_error *err);
int pl_text_open(struct pl_corpus *corpus, const struct pl_settings *settings, const char *folder,
                 struct pl_error *err);
/* Names that only ptb looks at. */
bool pl_text_is_ptb_place(const char *name);

/* ---- cache.c: corpora in files that every process maps (block.c)

 * The body is the tokens (int32) of training, validation and test, then the spelling. */

int pl_corpus_cache_open(struct pl_corpus *corpus, const char *path, struct pl_settings *header, struct pl_error *err);
/* The same, and compares the bytes with the checksum in the header, as pl_cache_open_checked does. */
int pl_corpus_cache_open_checked(struct pl_corpus *corpus, const char *path, struct pl_settings *header,
                                 struct pl_error *err);
int pl_corpus_cache_write(const struct pl_corpus *corpus, const char *path, struct pl_settings *header,
                          struct pl_error *err);

#endif
