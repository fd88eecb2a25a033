/* corpus: text to model, as numbered words, and the windows of it that a language model is trained and tested on.
 *
 * A corpus is one const descriptor (markov, ptb, text). Opening one gives the words of three splits as int32 numbers
 * and the vocabulary, checked once and then memory-mapped. Every line of a file ends in the word <eos>; words are
 * numbered by first appearance in the training split (so <eos> is a word like any other).
 *
 * A split is folded into columns: cut to a multiple of the batch, and split into `batch` contiguous stretches that are
 * read side by side, so that the state of a recurrent network is carried from one window to the next. A window is a
 * number of whole rows; the targets of its rows are the rows after them. Windows of one pass over R rows predict R - 1
 * rows, a short last one included. Where a training window begins says how long it is: there is no state to save but
 * the row and the epoch.
 *
 * Threading: an open corpus is read-only and may be used by many threads. */
#ifndef PL_CORPUS_H
#define PL_CORPUS_H

#include "data/data.h"

struct pl_corpus;

#define PL_EOS "<eos>" /* the end of a line: a word of every vocabulary */

/* What is known of a corpus without opening it. */
struct pl_corpus_info {
    const char *name, *help;
    const struct pl_setting *settings; /* besides the common ones of pl_corpus_common_settings */
    size_t setting_count;
    const char *obtain; /* a sentence: where its files are to be had; NULL: it has none, or only its owner knows */
};
extern const struct pl_registry pl_corpus_registry; /* for names; what stands behind them is data's own */
size_t pl_corpus_count(void);
const struct pl_corpus_info *pl_corpus_at(size_t index); /* in alphabetical order */
const struct pl_corpus_info *pl_corpus_find(const char *name);
/* bptt, vary_bptt, valid_batch, test_batch, subset: what windows are made by, and of how many training tokens. */
const struct pl_setting *pl_corpus_common_settings(size_t *count);

/* How many words the corpus that the settings name will have, and how many tokens each of its splits (ptb: those of the
 * official one), without looking at a file. Returns false where only the files tell (text). */
bool pl_corpus_expect(const struct pl_settings *settings, size_t *vocabulary, size_t tokens[PL_SPLIT_COUNT]);

/* Opens the corpus that the setting "dataset" names, from folder (see --data). Fails with PL_EMISSING (what was looked
 * for), PL_ECORRUPT (file and line, what was found, what was expected) or PL_EINPUT. */
int pl_corpus_open(struct pl_corpus **corpus, const struct pl_settings *settings, const char *folder,
                   struct pl_error *err);
void pl_corpus_close(struct pl_corpus *corpus);

size_t pl_corpus_vocabulary(const struct pl_corpus *corpus);
/* The word with that number, "" where there is none; and the number of a word, -1 where it is not in the vocabulary. */
const char *pl_corpus_word(const struct pl_corpus *corpus, int64_t number);
int32_t pl_corpus_number(const struct pl_corpus *corpus, const char *word);
size_t pl_corpus_size(const struct pl_corpus *corpus, enum pl_split split); /* tokens, <eos> included */
const int32_t *pl_corpus_tokens(const struct pl_corpus *corpus, enum pl_split split);
uint64_t pl_corpus_memory(const struct pl_corpus *corpus); /* bytes that are this process's own, not shared */
/* SHA-256 of words and tokens, hex, and whether they are the official ones (true for markov); the warning is NULL or
 * one sentence to show and to record. */
const char *pl_corpus_checksum(const struct pl_corpus *corpus);
bool pl_corpus_official(const struct pl_corpus *corpus);
const char *pl_corpus_warning(const struct pl_corpus *corpus);

/* SHA-256 of the words alone, in the order of their numbers, as hex: what the numbers in a model mean. */
void pl_corpus_words_digest(const struct pl_corpus *corpus, char hex[2 * PL_DIGEST_SIZE + 1]);

/* Entropy rate of the source in nats a token: no model has a lower expected loss, and exp of it is the lowest
 * perplexity. NaN where it is not known, that is for anything but markov. */
double pl_corpus_entropy(const struct pl_corpus *corpus);
/* Mean negative log-probability that the source itself gives to the second to last tokens of a split: the entropy
 * rate but for chance. NaN like pl_corpus_entropy. */
double pl_corpus_source_loss(const struct pl_corpus *corpus, enum pl_split split);

/* ---- columns and windows */

struct pl_columns {
    int32_t *tokens; /* [rows][batch]: column b holds tokens b * rows to (b + 1) * rows - 1 of the split */
    size_t rows, batch;
    size_t dropped; /* tokens at the end of the split that fill no row */
};
/* Folds a split. Fails with PL_EINPUT when it has not even two rows, PL_EMEMORY. */
int pl_columns_fold(struct pl_columns *columns, const struct pl_corpus *corpus, enum pl_split split, size_t batch,
                    struct pl_error *err);
void pl_columns_release(struct pl_columns *columns);
/* Tokens that one evaluation predicts, (rows - 1) * batch: what the summed loss is divided by for a perplexity. */
size_t pl_columns_predicted(const struct pl_columns *columns);

/* length rows from start on. Inputs are columns->tokens + start * batch, targets the same one row later; both are
 * [length][batch] without copying. */
struct pl_corpus_window {
    size_t start, length;
    double factor; /* on the learning rate: length as drawn / bptt, before the end of the split cut it */
};
/* The window of an evaluation that begins at row start: bptt rows, or what is left. Returns false, and leaves window
 * alone, when nothing is left to predict. */
bool pl_window_evaluate(const struct pl_columns *columns, size_t bptt, size_t start, struct pl_corpus_window *window);
/* The window of training that begins at row start, by AWD-LSTM's rule (Merity et al. 2018): the base is bptt, or half
 * of it with probability 0.05; the length max(5, trunc N(base, 5^2)), cut to what is left. A pure function of (lengths,
 * epoch, start); lengths is the run's stream, PL_STREAM_SHUFFLE. NULL: always bptt (factor 1). Returns false at the end
 * of the epoch, which is when fewer than two rows are left to predict, as in the published program. The next window
 * starts at start + length. */
bool pl_window_train(const struct pl_columns *columns, size_t bptt, const struct pl_random *lengths, uint64_t epoch,
                     size_t start, struct pl_corpus_window *window);
/* No window of either kind is longer: for planning memory. */
size_t pl_window_longest(const struct pl_columns *columns, size_t bptt, bool varies);

/* ---- for the command `data` */

struct pl_corpus_item {
    const char *name;    /* ptb; of a text what the setting `corpus` says */
    const char *dataset; /* what a spec says: markov, ptb, text */
    enum pl_data_state state;
    size_t vocabulary, tokens[PL_SPLIT_COUNT]; /* 0 where not known */
    uint64_t bytes;                            /* of the file in path */
    const char *path, *checksum, *note;        /* "": none */
    bool official;
};
/* Calls item for every corpus that this program knows, and every text in folder. */
void pl_corpus_list(const char *folder, void *self, void (*item)(void *self, const struct pl_corpus_item *item));

/* Is name one for pl_corpus_verify: a known corpus, a text that is there, or any path? */
bool pl_corpus_exists(const char *name, const char *folder);
/* Reads everything again, sources included, whatever a cache says, and replaces a cache that differs. verdict receives
 * one sentence. Fails like pl_corpus_open. */
int pl_corpus_verify(const char *name, const char *folder, struct pl_text *verdict, struct pl_error *err);

#endif
