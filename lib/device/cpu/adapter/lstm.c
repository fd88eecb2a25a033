/* LSTM layers. The reserve is the kernels' and then, where weights are dropped, a byte an entry of weight_hh. */
#include "device/cpu/adapter/adapter.h"

static struct pl_cpu_lstm lstm_of(const struct pl_view *x, int hidden)
{
    struct pl_cpu_lstm lstm = {.x = cpu_shape(x), .steps = x->steps, .hidden = hidden};
    lstm.y = pl_cpu_shape(x->batch, hidden, 1, 1);
    return lstm;
}

static size_t mask_size(int hidden)
{
    return 4 * (size_t)hidden * (size_t)hidden;
}

size_t cpu_lstm_reserve(struct pl_device *d, const struct pl_view *x, int hidden, bool drop)
{
    (void)d;
    struct pl_cpu_lstm lstm = lstm_of(x, hidden);
    return cpu_cut_bytes(pl_cpu_lstm_reserve(&lstm), sizeof(float)) + (drop ? mask_size(hidden) : 0);
}

size_t cpu_lstm_workspace(struct pl_device *d, const struct pl_view *x, int hidden)
{
    struct pl_cpu_lstm lstm = lstm_of(x, hidden);
    size_t bytes = cpu_cut_bytes(pl_cpu_lstm_workspace(&lstm), sizeof(float));
    if (!cpu_is_locked(x))
        return bytes;
    const struct pl_cpu_locked locked = pl_cpu_lstm_locked(&lstm);
    return cpu_cut_bytes(cpu_locked_mask_size(x), 1) + bytes +
           cpu_cut_bytes(cpu_kernels(d)->locked_workspace(&locked, d->options.threads), sizeof(float));
}

/* The layer with its tensors, and where its mask goes, if it has one; the mask of x, if it is locked, is cut from work.
 */
static struct pl_cpu_lstm layer_of(const struct pl_lstm *w, const struct pl_drop *drop, const struct pl_view *x,
                                   void **reserve, uint8_t **keep, void **work)
{
    struct pl_cpu_lstm lstm = lstm_of(x, w->hidden);
    lstm.weight_ih = w->weight_ih;
    lstm.weight_hh = w->weight_hh;
    lstm.bias_ih = w->bias_ih;
    lstm.bias_hh = w->bias_hh;
    void *rest = *reserve;
    *reserve = cpu_cut(&rest, pl_cpu_lstm_reserve(&lstm), sizeof(float));
    *keep = rest;
    lstm.keep = drop ? rest : NULL;
    lstm.scale = drop ? (float)(1 / (1 - drop->probability)) : 1;
    if (cpu_is_locked(x)) {
        uint8_t *locked = cpu_cut(work, cpu_locked_mask_size(x), 1);
        cpu_locked_mask(x, locked);
        lstm.locked = locked;
    }
    return lstm;
}

struct masking {
    const struct pl_drop *drop;
    uint8_t *keep;
};

static void mask_part(void *self, size_t from, size_t to, int thread)
{
    const struct masking *m = self;
    (void)thread;
    pl_drop_mask(m->drop, from, to - from, m->keep + from);
}

static void draw_mask(const struct pl_device *d, const struct pl_drop *drop, int hidden, uint8_t *keep)
{
    enum { PART = 4096 };
    struct masking m = {drop, keep};
    pl_parallel(d->options.threads, mask_size(hidden), PART, mask_part, &m);
}

void cpu_lstm_forward(struct pl_device *d, const struct pl_lstm *w, const struct pl_drop *drop, const struct pl_view *x,
                      void *state, const struct pl_view *y, void *reserve, void *work)
{
    uint8_t *keep;
    struct pl_cpu_lstm lstm = layer_of(w, drop, x, &reserve, &keep, &work);
    if (drop)
        draw_mask(d, drop, w->hidden, keep);
    cpu_kernels(d)->lstm_forward(&lstm, cpu_data(x), state, cpu_data(y), reserve, work, d->options.threads);
}

void cpu_lstm_backward(struct pl_device *d, const struct pl_lstm *w, const struct pl_drop *drop,
                       const struct pl_view *x, const struct pl_view *dy, const struct pl_lstm *dw,
                       const struct pl_view *dx, bool accumulate, void *reserve, void *work)
{
    uint8_t *keep;
    struct pl_cpu_lstm lstm = layer_of(w, drop, x, &reserve, &keep, &work);
    const struct pl_cpu_lstm_gradients gradients = {dw->weight_ih, dw->weight_hh, dw->bias_ih, dw->bias_hh};
    cpu_kernels(d)->lstm_backward(&lstm, cpu_data(x), cpu_data(dy), &gradients, dx ? cpu_data(dx) : NULL, accumulate,
                                  reserve, work, d->options.threads);
}
