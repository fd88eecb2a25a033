/* Columns of tokens, and the windows of rows that a language model is trained and tested on. */
#include "data/text/corpus.h"

#include <math.h>
#include <stdlib.h>

static const double half_probability = 0.05, length_deviation = 5;
enum {
    LENGTH_LEAST = 5,
    LENGTH_MORE = 43, /* a normal draw of 53 bits is below 8.66, and 43 = trunc(8.66 * 5) */
};

int pl_columns_fold(struct pl_columns *columns, const struct pl_corpus *corpus, enum pl_split split, size_t batch,
                    struct pl_error *err)
{
    size_t count = pl_corpus_size(corpus, split), rows = count / batch;
    const int32_t *tokens = pl_corpus_tokens(corpus, split);
    *columns = (struct pl_columns){0};
    if (rows < 2)
        return pl_fail(err, PL_EINPUT, "the %s split has %zu tokens: too few for %zu columns, which need at least %zu",
                       pl_split_name(split), count, batch, 2 * batch);
    int32_t *folded = pl_arena(rows * batch, sizeof *folded);
    if (!folded)
        return pl_fail(err, PL_EMEMORY, "there is not enough memory for %zu tokens", rows * batch);
    for (size_t row = 0; row < rows; row++)
        for (size_t b = 0; b < batch; b++)
            folded[row * batch + b] = tokens[b * rows + row];
    *columns = (struct pl_columns){.tokens = folded, .rows = rows, .batch = batch, .dropped = count - rows * batch};
    return 0;
}

void pl_columns_release(struct pl_columns *columns)
{
    free(columns->tokens);
    *columns = (struct pl_columns){0};
}

size_t pl_columns_predicted(const struct pl_columns *columns)
{
    return (columns->rows - 1) * columns->batch;
}

/* length, or as many rows as have another behind them. */
static size_t cut(const struct pl_columns *columns, size_t start, size_t length)
{
    size_t left = columns->rows - 1 - start;
    return length < left ? length : left;
}

bool pl_window_evaluate(const struct pl_columns *columns, size_t bptt, size_t start, struct pl_corpus_window *window)
{
    if (start + 1 >= columns->rows)
        return false;
    *window = (struct pl_corpus_window){.start = start, .length = cut(columns, start, bptt), .factor = 1};
    return true;
}

/* Two Philox blocks a row: one for the base, the next for the length. */
static size_t draw_length(const struct pl_random *lengths, uint64_t epoch, uint64_t start, size_t bptt)
{
    double base = pl_random_uniform(lengths, epoch, 2 * start) < half_probability ? (double)bptt / 2 : (double)bptt;
    double length = base + length_deviation * pl_random_normal(lengths, epoch, 2 * (2 * start + 1));
    return length < LENGTH_LEAST + 1 ? LENGTH_LEAST : (size_t)length;
}

bool pl_window_train(const struct pl_columns *columns, size_t bptt, const struct pl_random *lengths, uint64_t epoch,
                     size_t start, struct pl_corpus_window *window)
{
    if (start + 2 >= columns->rows)
        return false;
    size_t length = lengths ? draw_length(lengths, epoch, start, bptt) : bptt;
    *window = (struct pl_corpus_window){
        .start = start, .length = cut(columns, start, length), .factor = (double)length / (double)bptt};
    return true;
}

size_t pl_window_longest(const struct pl_columns *columns, size_t bptt, bool varies)
{
    return cut(columns, 0, varies ? bptt + LENGTH_MORE : bptt);
}
