/* What training is measured on: images of random bytes, or a text of random words. */
#include "bench/training.h"

#include <stdlib.h>
#include <string.h>

enum { PLANE = PL_BENCH_SIDE * PL_BENCH_SIDE, IMAGE = PL_BENCH_CHANNELS * PLANE };
enum { WINDOWS = 8 }; /* in the text, which is read again and again */

static int make_images(struct pl_bench_training *b, struct pl_error *err)
{
    size_t batch = (size_t)b->batch;
    b->bytes = pl_arena(batch * IMAGE, sizeof *b->bytes);
    b->pixels = pl_arena(batch * IMAGE, sizeof *b->pixels);
    b->labels = pl_arena(batch, sizeof *b->labels);
    if (!b->bytes || !b->pixels || !b->labels)
        return pl_fail(err, PL_EMEMORY, "there is not enough memory for batches of %zu images", batch);
    struct pl_random stream = pl_random_stream(1, PL_STREAM_DATA);
    uint32_t bits[4];
    for (size_t i = 0; i < batch * IMAGE / sizeof bits; i++) {
        pl_random_bits(&stream, 0, i, bits);
        memcpy(b->bytes + i * sizeof bits, bits, sizeof bits);
    }
    for (size_t i = 0; i < batch; i++)
        b->labels[i] = (int32_t)pl_random_below(&stream, 1, i, PL_BENCH_CLASSES);
    return 0;
}

static int make_text(struct pl_bench_training *b, struct pl_error *err)
{
    struct pl_columns *text = &b->text;
    text->batch = (size_t)b->batch;
    text->rows = WINDOWS * (size_t)b->bptt + 2; /* as an epoch's last window leaves two rows */
    text->tokens = pl_arena(text->rows * text->batch, sizeof *text->tokens);
    if (!text->tokens)
        return pl_fail(err, PL_EMEMORY, "there is not enough memory for a text of %zu words", text->rows * text->batch);
    struct pl_random stream = pl_random_stream(1, PL_STREAM_DATA);
    for (size_t i = 0; i < text->rows * text->batch; i++)
        text->tokens[i] = (int32_t)pl_random_below(&stream, 2, i, (uint32_t)b->words);
    return 0;
}

int pl_bench_training_data(struct pl_bench_training *b, struct pl_error *err)
{
    return b->model->text ? make_text(b, err) : make_images(b, err);
}

/* Planes of a batch, and what becomes of a byte in each channel. */
struct planes {
    const uint8_t *bytes;
    float *pixels;
    float values[PL_BENCH_CHANNELS][256];
};

static void normalise_part(void *self, size_t from, size_t to, int thread)
{
    const struct planes *p = self;
    (void)thread;
    for (size_t plane = from; plane < to; plane++)
        for (size_t i = 0; i < PLANE; i++)
            p->pixels[plane * PLANE + i] = p->values[plane % PL_BENCH_CHANNELS][p->bytes[plane * PLANE + i]];
}

/* Bytes to values, as a data set does it: (byte / 255 - mean) / deviation, CIFAR-10's of each channel. */
static void normalise(struct pl_bench_training *b)
{
    static const float mean[PL_BENCH_CHANNELS] = {0.4914f, 0.4822f, 0.4465f};
    static const float deviation[PL_BENCH_CHANNELS] = {0.2023f, 0.1994f, 0.2010f};
    struct planes planes = {.bytes = b->bytes, .pixels = b->pixels};
    for (int channel = 0; channel < PL_BENCH_CHANNELS; channel++)
        for (int byte = 0; byte < 256; byte++)
            planes.values[channel][byte] = ((float)byte / 255 - mean[channel]) / deviation[channel];
    pl_parallel((int)b->threads, (size_t)b->batch * PL_BENCH_CHANNELS, 0, normalise_part, &planes);
}

/* The next window; at the end of the text begins a new epoch, with a state of zero. */
static void give_window(struct pl_bench_training *b)
{
    struct pl_corpus_window window;
    if (!pl_window_train(&b->text, (size_t)b->bptt, NULL, 0, b->row, &window)) {
        b->row = 0;
        pl_plan_state_set(b->plan, NULL);
        pl_window_train(&b->text, (size_t)b->bptt, NULL, 0, 0, &window);
    }
    const int32_t *tokens = b->text.tokens + window.start * b->text.batch;
    pl_plan_steps(b->plan, (int)window.length);
    pl_plan_tokens(b->plan, tokens);
    pl_plan_labels(b->plan, tokens + b->text.batch);
    b->row = window.start + window.length;
}

void pl_bench_training_give(struct pl_bench_training *b)
{
    if (b->model->text) {
        give_window(b);
        return;
    }
    normalise(b);
    pl_plan_input(b->plan, b->pixels, PL_FLOAT32);
    pl_plan_labels(b->plan, b->labels);
}

void pl_bench_training_data_release(struct pl_bench_training *b)
{
    pl_columns_release(&b->text);
    free(b->bytes);
    free(b->pixels);
    free(b->labels);
}
