/* An LSTM layer; the formulas stand in device/ref/lstm.c.
 *
 * Gates lie as activations do, [block][sample][16], where block 4 u + g holds gate g (i, f, g, o) of the 16 units of
 * block u: so what a unit's arithmetic needs is together as soon as its four blocks are summed. The parts of the gates
 * that come from the input are one product over all steps. The recurrent part goes step by step: all weights stream
 * past the few columns, a piece of them at a time being in L1 for all columns while the next comes; h of the step
 * before (in the backward pass the gates' gradients of the step after) is kept in a small buffer for it. Threads
 * divide the units of a step; each step is a loop of its own. */
#include <string.h>

#include "device/cpu/kernels/curves.h"
#include "device/cpu/kernels/table.h"
#include "device/cpu/kernels/transpose.h"

enum { PIECE = 16 / TILE_PANELS }; /* blocks of the sum at a time: 16 KB of weights */

/* What is common to both passes, and where things lie. */
struct job {
    const struct pl_cpu_lstm *l;
    struct pl_cpu_lstm_plan plan;
    int columns, samples;
    float *gates, *h, *c; /* of the reserve; h and c begin with the state before the first step */
    float *operand;       /* weights as the tiles read them */
    float *now, *next;    /* [block][column][16] for the products of a step */
    float *behind;        /* workspace of the product with a locked x */
    struct pl_cpu_locked locked;
    int sample;      /* the first of the step */
    float *y;        /* forward: output */
    const float *dy; /* backward: gradient of the output, and of a step's h and c */
    float *dh, *dc;
};

static struct job job_of(const struct pl_cpu_lstm *l, float *reserve, float *work)
{
    struct job j = {.l = l, .plan = pl_cpu_lstm_plan(l), .samples = l->x.batch, .columns = l->x.batch / l->steps};
    j.gates = reserve;
    j.h = j.gates + pl_cpu_floats(&j.plan.gates);
    j.c = j.h + pl_cpu_floats(&j.plan.cells);
    j.operand = work;
    j.now = work + j.plan.large;
    j.next = j.now + j.plan.step;
    j.behind = work + pl_cpu_lstm_workspace(l);
    j.locked = pl_cpu_lstm_locked(l);
    return j;
}

/* ---- weights */

/* The rows of plain weights that make gate block `block`: the first, and how many. */
static int gate_row(const struct job *j, int block, int *rows)
{
    const int unit = block / 4 * 16;
    *rows = pl_cpu_min(16, j->l->hidden - unit);
    return block % 4 * j->l->hidden + unit;
}

/* A matrix of 4 hidden rows, each entry of it kept or not. */
struct matrix {
    const float *plain;
    const uint8_t *keep; /* or NULL */
    float scale;
    int columns;
};

typedef uint8_t bytes __attribute__((vector_size(LANES)));

/* What LANES neighbouring entries are multiplied with. */
INLINE vec factors(const struct matrix *m, size_t at)
{
    bytes keep;
    memcpy(&keep, m->keep + at, sizeof keep);
    return select_vec((mask)(__builtin_convertvector(keep, mask) != 0), splat(m->scale), splat(0));
}

/* Up to 16 neighbouring entries of a row, zeros behind them. */
INLINE void entries(const struct matrix *m, int row, int first, float out[16])
{
    const int count = pl_cpu_min(16, m->columns - first);
    const size_t at = (size_t)row * m->columns + first;
    if (count == 16) {
        UNROLL_FOR (int k = 0; k < 16; k += LANES) {
            vec v = load_loose(m->plain + at + k);
            if (m->keep)
                v *= factors(m, at + k);
            store_loose(out + k, v);
        }
        return;
    }
    for (int k = 0; k < count; k++)
        out[k] = m->plain[at + k] * (!m->keep ? 1 : m->keep[at + k] ? m->scale : 0);
    for (int k = count; k < 16; k++)
        out[k] = 0;
}

/* Weights, or their gradients, between the two orders. */
struct packing {
    const struct job *job;
    const struct matrix *matrix;
    int splits;   /* of the gradients, which are in so many parts */
    float *plain; /* gradients */
};

static void pack(const struct job *j, const struct matrix *m, int threads, pl_parallel_body *body)
{
    struct packing p = {.job = j, .matrix = m};
    pl_parallel(threads, (size_t)j->plan.gate_blocks, 0, body, &p);
}

/* [gate block][column][16 units], for products with what the gates are made from */
static void pack_forward(void *self, size_t from, size_t to, int thread)
{
    const struct packing *p = self;
    const struct job *j = p->job;
    const struct matrix *m = p->matrix;
    const int blocks = pl_cpu_blocks(m->columns);
    (void)thread;
    for (int gate = (int)from; gate < (int)to; gate++) {
        float group[16][16];
        int rows;
        const int row = gate_row(j, gate, &rows);
        memset(group, 0, sizeof group);
        for (int block = 0; block < blocks; block++) {
            for (int r = 0; r < rows; r++)
                entries(m, row + r, block * 16, group[r]);
            gather16(group[0], 16, 16, 16, j->operand + ((size_t)gate * blocks + block) * 256, 16);
        }
    }
}

/* [block of columns][gate block][unit][16 columns], for products with the gates' gradients */
static void pack_backward(void *self, size_t first, size_t end, int thread)
{
    const struct packing *p = self;
    const struct job *j = p->job;
    const struct matrix *m = p->matrix;
    const int blocks = pl_cpu_blocks(m->columns);
    (void)thread;
    for (int gate = (int)first; gate < (int)end; gate++) {
        int rows;
        const int row = gate_row(j, gate, &rows);
        for (int block = 0; block < blocks; block++) {
            float *to = j->operand + ((size_t)block * j->plan.gate_blocks + gate) * 256;
            for (int r = 0; r < rows; r++)
                entries(m, row + r, block * 16, to + r * 16);
            memset(to + rows * 16, 0, (size_t)(16 - rows) * 16 * sizeof *to);
        }
    }
}

/* ---- the product of a step */

/* c[panel][column][16] += the sum over blocks of a[block][column][16] times b. */
static void add_product(const struct job *j, const float *a, int blocks, const float *b, int panels, float *c,
                        size_t c_panel)
{
    struct tile_sum sum = {
        .a = &a, .b = &b, .a_block = j->plan.step_block, .b_panel = (size_t)blocks * 256, .taps = 1, .streams = true};
    const struct tile_start start = {c, 16, c_panel};
    const float *after = b + (size_t)panels * blocks * 256; /* the panels that come next */
    for (int first = 0; first < blocks; first += sum.blocks) {
        sum.blocks = pl_cpu_min(PIECE, blocks - first);
        sum.next = first + sum.blocks < blocks ? b + sum.blocks * 256 : after;
        PL_CPU_NAME(tiles)(j->columns, panels, &sum, &start, c, c_panel, 0);
        a += sum.blocks * j->plan.step_block;
        b += sum.blocks * 256;
    }
}

static void swap(struct job *j)
{
    float *now = j->now;
    j->now = j->next;
    j->next = now;
}

/* ---- forward */

/* The state before the first step, which is plain, as the step before. */
static void begin(struct job *j, const float *state)
{
    const int hidden = j->l->hidden;
    for (int column = 0; column < j->columns; column++)
        for (int unit = 0; unit < 16 * j->plan.blocks; unit++) {
            const size_t at = (size_t)(unit / 16) * j->plan.cells.block + column * 16 + unit % 16;
            const size_t plain = (size_t)column * hidden + unit;
            j->h[at] = unit < hidden ? state[plain] : 0;
            j->c[at] = unit < hidden ? state[(size_t)j->columns * hidden + plain] : 0;
            j->now[(unit / 16) * j->plan.step_block + column * 16 + unit % 16] = j->h[at];
        }
}

static void leave(const struct job *j, float *state)
{
    const int hidden = j->l->hidden;
    for (int column = 0; column < j->columns; column++)
        for (int unit = 0; unit < hidden; unit++) {
            const size_t at = (size_t)(unit / 16) * j->plan.cells.block + (j->samples + column) * 16 + unit % 16;
            state[(size_t)column * hidden + unit] = j->h[at];
            state[(size_t)(j->columns + column) * hidden + unit] = j->c[at];
        }
}

/* The units of a block at one step, their gates being summed. */
static void cells_forward(const struct job *j, int block, int sample, float *y)
{
    const size_t gate = j->plan.gates.block, size = (size_t)j->columns * 16;
    float *gates = j->gates + 4 * block * gate + (size_t)sample * 16;
    float *h = j->h + block * j->plan.cells.block + (size_t)sample * 16;
    float *c = j->c + block * j->plan.cells.block + (size_t)sample * 16;
    float *next = j->next + block * j->plan.step_block;
    for (size_t at = 0; at < size; at += LANES) {
        const vec i = sigmoid_vec(load(gates + at)), f = sigmoid_vec(load(gates + gate + at));
        const vec g = tanh_vec(load(gates + 2 * gate + at)), o = sigmoid_vec(load(gates + 3 * gate + at));
        const vec cell = f * load(c + at) + i * g, out = o * tanh_vec(cell);
        store(gates + at, i);
        store(gates + gate + at, f);
        store(gates + 2 * gate + at, g);
        store(gates + 3 * gate + at, o);
        store(c + size + at, cell);
        store(h + size + at, out);
        store(next + at, out);
        store(y + at, out);
    }
}

static void step_forward(void *self, size_t from, size_t to, int thread)
{
    const struct job *j = self;
    const size_t gate = j->plan.gates.block;
    const unsigned mode = flush_begin();
    (void)thread;
    for (int block = (int)from; block < (int)to; block++) {
        for (int g = 0; g < 4; g += TILE_PANELS)
            add_product(j, j->now, j->plan.blocks, j->operand + (size_t)(4 * block + g) * j->plan.blocks * 256,
                        TILE_PANELS, j->gates + (4 * block + g) * gate + (size_t)j->sample * 16, gate);
        cells_forward(j, block, j->sample, j->y + block * j->l->y.block + (size_t)j->sample * 16);
    }
    flush_end(mode);
}

static void steps_forward(struct job *j, int threads)
{
    for (j->sample = 0; j->sample < j->samples; j->sample += j->columns) {
        pl_parallel(threads, (size_t)j->plan.blocks, 1, step_forward, j);
        swap(j);
    }
}

static struct matrix matrix_ih(const struct job *j)
{
    return (struct matrix){.plain = j->l->weight_ih, .columns = j->l->x.channels};
}

static struct matrix matrix_hh(const struct job *j)
{
    return (struct matrix){j->l->weight_hh, j->l->keep, j->l->scale, j->l->hidden};
}

void PL_CPU_NAME(lstm_forward)(const struct pl_cpu_lstm *l, const float *x, float *state, float *y, float *reserve,
                               float *work, int threads)
{
    struct job j = job_of(l, reserve, work);
    const struct matrix ih = matrix_ih(&j), hh = matrix_hh(&j);
    float *bias = j.next + j.plan.step;
    memset(bias, 0, (size_t)j.plan.gate_blocks * 16 * sizeof *bias);
    for (int block = 0, rows; block < j.plan.gate_blocks; block++) {
        const int row = gate_row(&j, block, &rows);
        for (int r = 0; r < rows; r++)
            bias[block * 16 + r] = l->bias_ih[row + r] + l->bias_hh[row + r];
    }
    const struct pl_cpu_output output = {.bias = bias};
    pack(&j, &ih, threads, pack_forward);
    if (l->locked)
        PL_CPU_NAME(locked_forward)(&j.locked, x, j.operand, bias, j.gates, j.behind, threads);
    else
        PL_CPU_NAME(pass_direct)
    (&j.plan.input, PL_CPU_FORWARD, PL_CPU_DIRECT, x, j.operand, &output, false, j.gates, NULL, threads);
    pack(&j, &hh, threads, pack_forward);
    begin(&j, state);
    j.y = y;
    steps_forward(&j, threads);
    leave(&j, state);
}

/* ---- backward */

/* The units of a block at one step: dh is complete, dc is that of the step after; leaves the gates' gradients in place
 * of the gates. */
static void cells_backward(const struct job *j, int block, int sample, const float *dh, float *dc)
{
    const size_t gate = j->plan.gates.block, size = (size_t)j->columns * 16, ahead = j->plan.step_block;
    float *gates = j->gates + 4 * block * gate + (size_t)sample * 16, *next = j->next + 4 * block * ahead;
    const float *c = j->c + block * j->plan.cells.block + (size_t)sample * 16;
    const vec one = splat(1);
    for (size_t at = 0; at < size; at += LANES) {
        const vec i = load(gates + at), f = load(gates + gate + at);
        const vec g = load(gates + 2 * gate + at), o = load(gates + 3 * gate + at);
        const vec t = tanh_vec(load(c + size + at)), d = load(dh + at);
        const vec cell = load(dc + at) + d * o * (one - t * t);
        const vec di = cell * g * i * (one - i), df = cell * load(c + at) * f * (one - f);
        const vec dg = cell * i * (one - g * g), output = d * t * o * (one - o);
        store(dc + at, cell * f);
        store(gates + at, di);
        store(gates + gate + at, df);
        store(gates + 2 * gate + at, dg);
        store(gates + 3 * gate + at, output);
        store(next + at, di);
        store(next + ahead + at, df);
        store(next + 2 * ahead + at, dg);
        store(next + 3 * ahead + at, output);
    }
}

static void step_backward(void *self, size_t from, size_t to, int thread)
{
    const struct job *j = self;
    const size_t size = (size_t)j->columns * 16;
    const unsigned mode = flush_begin();
    (void)thread;
    for (int task = (int)from; task < (int)to; task++) {
        const int first = task * TILE_PANELS, end = pl_cpu_min(first + TILE_PANELS, j->plan.blocks);
        for (int block = first; block < end; block++)
            memcpy(j->dh + block * size, j->dy + block * j->l->y.block + (size_t)j->sample * 16, size * sizeof *j->dh);
        if (j->sample + j->columns < j->samples)
            add_product(j, j->now, j->plan.gate_blocks, j->operand + (size_t)first * j->plan.gate_blocks * 256,
                        end - first, j->dh + first * size, size);
        for (int block = first; block < end; block++)
            cells_backward(j, block, j->sample, j->dh + block * size, j->dc + block * size);
    }
    flush_end(mode);
}

static void steps_backward(struct job *j, int threads)
{
    const size_t size = (size_t)j->columns * 16;
    const int blocks = j->plan.blocks, tasks = (blocks + TILE_PANELS - 1) / TILE_PANELS;
    j->dh = j->next + j->plan.step;
    j->dc = j->dh + blocks * size;
    memset(j->dc, 0, blocks * size * sizeof *j->dc);
    for (j->sample = j->samples - j->columns; j->sample >= 0; j->sample -= j->columns) {
        pl_parallel(threads, (size_t)tasks, 1, step_backward, j);
        swap(j);
    }
}

/* Entries of a row of the gradient, of which some were dropped. */
INLINE void drop(const struct matrix *m, int row, int first, int count, float *d)
{
    const size_t at = (size_t)row * m->columns + first;
    int k = 0;
    for (; k + LANES <= count; k += LANES)
        store_loose(d + k, load_loose(d + k) * factors(m, at + k));
    for (; k < count; k++)
        d[k] *= m->keep[at + k] ? m->scale : 0;
}

/* The gradient of a matrix from sums [gate block][column][16 units]. */
static void unpack_gates(void *self, size_t first, size_t end, int thread)
{
    const struct packing *p = self;
    const struct job *j = p->job;
    const struct matrix *m = p->matrix;
    const int blocks = pl_cpu_blocks(m->columns);
    const size_t size = (size_t)j->plan.gate_blocks * blocks * 256;
    (void)thread;
    for (int gate = (int)first; gate < (int)end; gate++) {
        int rows;
        const int row = gate_row(j, gate, &rows);
        for (int block = 0; block < blocks; block++) {
            const int count = pl_cpu_min(16, m->columns - block * 16);
            float group[16 * 16], *to = p->plain + (size_t)row * m->columns + block * 16;
            const float *from = j->operand + ((size_t)gate * blocks + block) * 256;
            memcpy(group, from, sizeof group);
            for (int split = 1; split < p->splits; split++)
                for (int k = 0; k < 256; k++)
                    group[k] += from[split * size + k];
            scatter16(group, 16, count, to, (size_t)m->columns, rows);
            for (int r = 0; m->keep && r < rows; r++)
                drop(m, row + r, block * 16, count, to + (size_t)r * m->columns);
        }
    }
}

static void unpack(const struct job *j, const struct matrix *m, int splits, float *plain, int threads)
{
    struct packing p = {j, m, splits, plain};
    pl_parallel(threads, (size_t)j->plan.gate_blocks, 0, unpack_gates, &p);
}

/* The gradients of both matrices: each step's samples are a pixel, as the sums over samples are made from short ones.
 */
static void weights_backward(const struct job *j, const float *x, const struct pl_cpu_lstm_gradients *d, int threads)
{
    const struct matrix hh = matrix_hh(j), ih = matrix_ih(j);
    PL_CPU_NAME(weights_sums)(&j->plan.recurrent_sums, j->h, j->gates, j->operand, threads);
    unpack(j, &hh, pl_cpu_weight_plan(&j->plan.recurrent_sums, PL_CPU_DIRECT).splits, d->weight_hh, threads);
    if (j->l->locked) {
        PL_CPU_NAME(locked_sums)(&j->locked, x, j->gates, j->operand, j->behind, threads);
        unpack(j, &ih, 1, d->weight_ih, threads);
        return;
    }
    PL_CPU_NAME(weights_sums)(&j->plan.input_sums, x, j->gates, j->operand, threads);
    unpack(j, &ih, pl_cpu_weight_plan(&j->plan.input_sums, PL_CPU_DIRECT).splits, d->weight_ih, threads);
}

static void bias_backward(const struct job *j, const struct pl_cpu_lstm_gradients *d, int threads)
{
    float *sums = j->operand, *work = sums + (size_t)j->plan.gate_blocks * 16;
    PL_CPU_NAME(bias_backward)(&j->plan.input_sums.y, j->gates, sums, work, threads);
    for (int block = 0, rows; block < j->plan.gate_blocks; block++) {
        const int row = gate_row(j, block, &rows);
        memcpy(d->bias_ih + row, sums + block * 16, (size_t)rows * sizeof *sums);
        memcpy(d->bias_hh + row, sums + block * 16, (size_t)rows * sizeof *sums);
    }
}

void PL_CPU_NAME(lstm_backward)(const struct pl_cpu_lstm *l, const float *x, const float *dy,
                                const struct pl_cpu_lstm_gradients *gradients, float *dx, bool add, float *reserve,
                                float *work, int threads)
{
    struct job j = job_of(l, reserve, work);
    const struct matrix ih = matrix_ih(&j), hh = matrix_hh(&j);
    pack(&j, &hh, threads, pack_backward);
    j.dy = dy;
    steps_backward(&j, threads);
    weights_backward(&j, x, gradients, threads);
    bias_backward(&j, gradients, threads);
    if (!dx)
        return;
    pack(&j, &ih, threads, pack_backward);
    if (l->locked)
        PL_CPU_NAME(locked_backward_data)(&j.locked, j.gates, j.operand, add, dx, j.behind, threads);
    else
        PL_CPU_NAME(pass_direct)
    (&j.plan.input, PL_CPU_BACKWARD_DATA, PL_CPU_DIRECT, j.gates, j.operand, NULL, add, dx, NULL, threads);
}
