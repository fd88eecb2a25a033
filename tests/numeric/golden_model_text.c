/* A golden file of a recurrent network: one training step with the file's tokens, state and dropout masks; where
 * nothing is dropped, an evaluation too, in two windows that hand on the state. */
#include "golden_model_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The files' cross-entropy, and with it every gradient, passed through single precision in the authors' program. */
static const double SINGLE = 3e-7;

static const struct golden_setup setups[] = {
    {"ref", "double on ref", true, 1e-10, SINGLE, 1e-12},
    {"cpu", "float on cpu, exact", true, 1e-4, 1e-4, 1e-6},
    {"cpu", "float on cpu, fast", false, 1e-4, 1e-4, 1e-6},
};

struct text {
    struct golden golden;
    int layers, emsize, nhid, bptt, columns;
    int32_t *tokens; /* bptt + 1 rows */
};

static int integer_of(const json_t *root, const char *key)
{
    return (int)json_integer_value(json_object_get(root, key));
}

static int hidden_of(const struct text *t, int layer)
{
    return layer == t->layers - 1 ? t->emsize : t->nhid;
}

static int build(struct text *t, struct pl_error *err)
{
    struct pl_settings s = {0};
    const json_t *root = t->golden.root;
    json_t *value;
    const char *key;
    int logits;
    pl_settings_set_string(&s, "model", "awd_lstm");
    pl_settings_set_integer(&s, "nlayers", t->layers);
    pl_settings_set_integer(&s, "emsize", t->emsize);
    pl_settings_set_integer(&s, "nhid", t->nhid);
    pl_settings_set_real(&s, "ar", json_number_value(json_object_get(root, "alpha")));
    pl_settings_set_real(&s, "tar", json_number_value(json_object_get(root, "beta")));
    json_object_foreach(json_object_get(root, "dropouts"), key, value)
        pl_settings_set_real(&s, key, json_number_value(value));
    int status = pl_model_build(&t->golden.graph, &s, (struct pl_shape){0, 0, 0}, t->golden.classes, &logits, err);
    if (!status)
        pl_graph_cross_entropy(t->golden.graph, logits, 0);
    pl_settings_release(&s);
    return status;
}

static int read_tokens(struct text *t, struct pl_error *err)
{
    const json_t *rows = json_object_get(t->golden.root, "tokens");
    t->tokens = pl_new(((size_t)t->bptt + 1) * (size_t)t->columns * sizeof *t->tokens);
    for (int row = 0; row <= t->bptt; row++)
        for (int column = 0; column < t->columns; column++) {
            const json_t *token = json_array_get(json_array_get(rows, (size_t)row), (size_t)column);
            json_int_t value = json_integer_value(token);
            if (!json_is_integer(token) || value < 0 || value >= t->golden.classes)
                return golden_malformed(err, "tokens");
            t->tokens[row * t->columns + column] = (int32_t)value;
        }
    return 0;
}

static void formula_scale(const struct pl_parameter *all, size_t k, double *scale, double *shift)
{
    *shift = 0;
    if (!strncmp(all[k].name, "rnns.", 5))
        *scale = 1 / sqrt((double)all[k].shape[0] / 4);
    else
        *scale = strstr(all[k].name, ".bias") ? 0.1 : 0.5;
}

/* The number in the graph of the dropout that a key of the file's masks means, or -1. */
static int dropout_of(const struct text *t, const char *key)
{
    int layer;
    char end;
    if (!strcmp(key, "embedding"))
        return 0;
    if (!strcmp(key, "input"))
        return 1;
    if (!strcmp(key, "output"))
        return 1 + 2 * t->layers;
    if (sscanf(key, "weight_hh.%d%c", &layer, &end) == 1 && layer >= 0 && layer < t->layers)
        return 2 + 2 * layer;
    if (sscanf(key, "hidden.%d%c", &layer, &end) == 1 && layer >= 0 && layer < t->layers - 1)
        return 3 + 2 * layer;
    return -1;
}

static int set_masks(struct text *t, struct pl_error *err)
{
    json_t *value;
    const char *key;
    json_object_foreach(json_object_get(t->golden.root, "masks"), key, value)
    {
        const char *bits = json_string_value(value);
        size_t count = bits ? strlen(bits) : 0;
        int number = dropout_of(t, key), hidden = number >= 2 ? hidden_of(t, (number - 2) / 2) : 0;
        size_t want = number == 0   ? (size_t)t->golden.classes
                      : number == 1 ? (size_t)(t->columns * t->emsize)
                      : number % 2  ? (size_t)(t->columns * hidden)
                                    : 4 * (size_t)hidden * (size_t)hidden;
        if (number < 0 || count != want || strspn(bits, "01") != count)
            return golden_malformed(err, key);
        uint8_t *keep = pl_new(count);
        for (size_t i = 0; i < count; i++)
            keep[i] = bits[i] == '1';
        int status = pl_net_mask(t->golden.net, number, keep, count, err);
        free(keep);
        if (status)
            return status;
    }
    return 0;
}

static void set_state(const struct text *t, struct pl_plan *plan)
{
    double *state = pl_new(pl_plan_state_length(plan) * sizeof *state);
    size_t at = 0;
    for (int l = 0; l < t->layers; l++)
        for (int cell = 0; cell < 2; cell++) {
            uint64_t stream = (uint64_t)((cell ? 820000 : 810000) + l);
            for (int i = 0; i < t->columns * hidden_of(t, l); i++)
                state[at++] = (cell ? 0.4 : 0.3) * golden_number(t->golden.salt, stream, (uint64_t)i);
        }
    pl_plan_state_set(plan, state);
    free(state);
}

static int check_number(const struct text *t, const char *key, double got, double tolerance, struct pl_error *err)
{
    const json_t *value = json_object_get(t->golden.root, key);
    double want = json_number_value(value);
    if (!json_is_number(value))
        return golden_malformed(err, key);
    if (!(fabs(got - want) <= tolerance * fabs(want)))
        return golden_differs(err, key, got, want);
    return 0;
}

static int check_loss(const struct text *t, struct pl_plan *plan, struct pl_error *err)
{
    double loss = pl_plan_loss(plan, NULL), ar = pl_plan_penalty(plan, PL_PENALTY_ACTIVATION);
    double tar = pl_plan_penalty(plan, PL_PENALTY_CHANGE), exact = t->golden.setup->outputs;
    double single = fmax(exact, SINGLE);
    int status = check_number(t, "cross_entropy", loss, single, err);
    if (!status)
        status = check_number(t, "ar", ar, exact, err);
    if (!status)
        status = check_number(t, "tar", tar, exact, err);
    return status ? status : check_number(t, "loss", loss + ar + tar, single, err);
}

/* The last row is the last column's output of the last step: its h behind the output's mask. */
static int check_last_row(const struct text *t, const double *h, struct pl_error *err)
{
    const json_t *root = t->golden.root;
    const char *keep = json_string_value(json_object_get(json_object_get(root, "masks"), "output"));
    double p = json_number_value(json_object_get(json_object_get(root, "dropouts"), "dropout"));
    double *got = pl_new((size_t)t->emsize * sizeof *got);
    size_t column = (size_t)(t->columns - 1) * (size_t)t->emsize;
    h += column;
    if (keep)
        keep += column;
    for (int i = 0; i < t->emsize; i++)
        got[i] = !keep ? h[i] : keep[i] == '1' ? h[i] / (1 - p) : 0;
    int status = golden_compare(json_object_get(root, "output_last_row"), got, (size_t)t->emsize,
                                t->golden.setup->outputs, "output_last_row", err);
    free(got);
    return status;
}

static int check_state(const struct text *t, const struct pl_plan *plan, struct pl_error *err)
{
    static const char *const keys[] = {"h_n", "c_n"};
    double *state = pl_new(pl_plan_state_length(plan) * sizeof *state);
    size_t at = 0, last = 0;
    int status = 0;
    pl_plan_state_get(plan, state);
    for (int l = 0; l < t->layers; l++)
        for (int cell = 0; cell < 2; cell++) {
            size_t count = (size_t)(t->columns * hidden_of(t, l));
            if (!status)
                status = golden_compare(json_array_get(json_object_get(t->golden.root, keys[cell]), (size_t)l),
                                        state + at, count, t->golden.setup->outputs, keys[cell], err);
            last = cell ? last : at;
            at += count;
        }
    if (!status)
        status = check_last_row(t, state + last, err);
    free(state);
    return status;
}

static int check_norm(const struct text *t, struct pl_error *err)
{
    size_t count;
    const struct pl_parameter *all = pl_graph_parameters(t->golden.graph, &count);
    double squares = 0, limit = json_number_value(json_object_get(t->golden.root, "clip_max_norm"));
    for (size_t k = 0; k < count; k++) {
        double *values = pl_new(all[k].count * sizeof *values);
        pl_net_get(t->golden.net, PL_GRADIENTS, all[k].name, values, NULL);
        for (size_t i = 0; i < all[k].count; i++)
            squares += values[i] * values[i];
        free(values);
    }
    double tolerance = t->golden.setup->gradients;
    int status = check_number(t, "grad_total_norm", sqrt(squares), tolerance, err);
    return status ? status : check_number(t, "clip_coef", fmin(1, limit / (sqrt(squares) + 1e-6)), tolerance, err);
}

static int run_training(struct text *t, struct pl_error *err)
{
    struct pl_plan *plan = NULL;
    int status = set_masks(t, err);
    if (!status)
        status = pl_plan_new_sequence(&plan, t->golden.net, t->columns, t->bptt + 3, PL_TRAINING, err);
    if (status)
        return status;
    pl_plan_steps(plan, t->bptt);
    set_state(t, plan);
    pl_plan_tokens(plan, t->tokens);
    pl_plan_labels(plan, t->tokens + t->columns);
    pl_plan_forward(plan, 0);
    pl_plan_backward(plan);
    status = check_loss(t, plan, err);
    if (!status)
        status = check_state(t, plan, err);
    if (!status)
        status = golden_check_gradients(&t->golden, err);
    if (!status)
        status = check_norm(t, err);
    pl_plan_free(plan);
    return status;
}

static int run_evaluation(struct text *t, struct pl_error *err)
{
    struct pl_plan *plan;
    int first = t->bptt / 2 + 1;
    int status = pl_plan_new_sequence(&plan, t->golden.net, t->columns, first, PL_EVALUATION, err);
    if (status)
        return status;
    double sum = 0;
    set_state(t, plan);
    for (int row = 0, steps; row < t->bptt; row += steps) {
        steps = row ? t->bptt - row : first;
        pl_plan_steps(plan, steps);
        pl_plan_tokens(plan, t->tokens + row * t->columns);
        pl_plan_labels(plan, t->tokens + (row + 1) * t->columns);
        pl_plan_forward(plan, 0);
        sum += steps * pl_plan_loss(plan, NULL);
    }
    status = check_number(t, "cross_entropy", sum / t->bptt, fmax(t->golden.setup->outputs, SINGLE), err);
    if (!status)
        status = check_state(t, plan, err);
    pl_plan_free(plan);
    return status ? pl_fail(err, status, "in evaluation, %s", err->text) : 0;
}

static int check_on(struct text *t, const struct golden_setup *setup, struct pl_error *err)
{
    struct golden *g = &t->golden;
    struct pl_device_options options = {.threads = pl_host_cores(), .exact = setup->exact};
    g->setup = setup;
    int status = pl_device_open(&g->device, setup->device, &options, err);
    if (!status)
        status = pl_net_new(&g->net, g->graph, g->device, err);
    if (!status)
        status = golden_set_parameters(g, formula_scale, err);
    if (!status)
        status = run_training(t, err);
    if (!status && !json_object_size(json_object_get(g->root, "masks")))
        status = run_evaluation(t, err);
    pl_net_free(g->net);
    pl_device_close(g->device);
    g->net = NULL;
    g->device = NULL;
    return status ? pl_fail(err, status, "%s: %s", setup->name, err->text) : 0;
}

int golden_check_text(json_t *root, struct pl_error *err)
{
    struct text t = {
        .golden = {.root = root,
                   .salt = (uint64_t)json_integer_value(json_object_get(root, "salt")),
                   .batch = integer_of(root, "batch"),
                   .classes = integer_of(root, "vocab"),
                   .clip = json_number_value(json_object_get(root, "clip_coef"))},
        .layers = integer_of(root, "nlayers"),
        .emsize = integer_of(root, "emsize"),
        .nhid = integer_of(root, "nhid"),
        .bptt = integer_of(root, "bptt"),
        .columns = integer_of(root, "batch"),
    };
    if (t.layers < 1 || t.emsize < 1 || t.nhid < 1 || t.bptt < 2 || t.columns < 1 || t.golden.classes < 1)
        return golden_malformed(err, "one of the sizes");
    int status = build(&t, err);
    if (!status)
        status = read_tokens(&t, err);
    if (!status)
        status = golden_covers(setups, sizeof setups / sizeof *setups, err);
    for (size_t i = 0; !status && i < sizeof setups / sizeof *setups; i++)
        status = check_on(&t, &setups[i], err);
    pl_graph_free(t.golden.graph);
    free(t.tokens);
    return status;
}
