/* The state of a training by name, as a checkpoint holds it, and the names that earlier formats had. */
#include "train/network/network.h"
#include "train/network/safetensors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_2 "poula checkpoint 2"
#define OPTIMIZER "poula/optimizer/"
#define PROGRESS "poula/progress/" /* before the name of a metric: its sum */
#define SHARES "poula/shares/"
#define RECORD "poula/record/"
#define EPOCHS "poula/epochs/"

enum { STATES = 32 };

static void add(struct pl_state *state, struct pl_safetensor tensor)
{
    void *block = state->tensors;
    pl_grow(&block, &state->capacity, state->count + 1, sizeof *state->tensors);
    state->tensors = block;
    state->tensors[state->count++] = tensor;
}

static const char *join(struct pl_state *state, const char *prefix, const char *name)
{
    size_t before = strlen(prefix), length = strlen(name);
    char *joined = pl_pool_take(&state->pool, before + length + 1);
    memcpy(joined, prefix, before);
    memcpy(joined + before, name, length + 1);
    return joined;
}

void pl_state_release(struct pl_state *state)
{
    free(state->tensors);
    pl_pool_release(&state->pool);
    *state = (struct pl_state){0};
}

static void add_table(struct pl_state *state, const struct pl_parameter *table, size_t count, const void *arena,
                      const char *type)
{
    size_t size = !strcmp(type, "F32") ? sizeof(float) : sizeof(double);
    for (size_t i = 0; i < count; i++) {
        struct pl_safetensor t = {.name = table[i].name,
                                  .type = type,
                                  .dims = table[i].dims,
                                  .count = table[i].count,
                                  .data = (const char *)arena + table[i].offset * size};
        for (int k = 0; k < t.dims; k++)
            t.shape[k] = table[i].shape[k];
        add(state, t);
    }
}

static void add_optimizer(struct pl_state *state, struct pl_optim *optim)
{
    struct pl_optim_array arrays[STATES];
    size_t count = pl_optim_state(optim, arrays, STATES);
    for (size_t i = 0; i < count && i < STATES; i++)
        add(state, pl_safetensor_list(join(state, OPTIMIZER, arrays[i].name),
                                      arrays[i].kind == 'f'   ? "F32"
                                      : arrays[i].kind == 'd' ? "F64"
                                                              : "U64",
                                      arrays[i].data, arrays[i].count));
}

/* A number under a name; its type follows from the member's. */
#define ADD(state, name, member)                                                                                       \
    add(state, pl_safetensor_list(name, _Generic(member, uint64_t : "U64", double : "F64"), &(member), 1))

void pl_state_add(struct pl_state *state, struct pl_network *n, const struct pl_network_loan *loan)
{
    struct pl_progress *p = &n->progress;
    size_t count;
    const struct pl_parameter *table = pl_graph_parameters(n->graph, &count);
    add_table(state, table, count, loan->theta, n->element == PL_FLOAT32 ? "F32" : "F64");
    table = pl_graph_statistics(n->graph, &count);
    add_table(state, table, count, loan->statistics, "F64");
    add_optimizer(state, n->optim);
    ADD(state, "poula/progress/epoch", p->epoch);
    ADD(state, "poula/progress/batch", p->batch);
    ADD(state, "poula/progress/at", p->at);
    ADD(state, "poula/progress/examples", p->examples);
    ADD(state, "poula/progress/correct", p->correct);
    ADD(state, "poula/progress/loss", p->loss);
    for (size_t i = 0; pl_network_sum_at(n, i); i++)
        if (!isnan(p->sums[i]))
            ADD(state, join(state, PROGRESS, pl_network_sum_at(n, i)->name), p->sums[i]);
    ADD(state, "poula/schedule/stale", n->schedule.stale);
    ADD(state, "poula/schedule/decays", n->schedule.decays);
    ADD(state, "poula/schedule/best", n->schedule.best);
    if (n->schedule.cooldown)
        ADD(state, "poula/schedule/cooling", n->schedule.cooling);
    for (int k = 0; n->recording.on && k < PL_SHARES; k++)
        ADD(state, join(state, SHARES, pl_recording_metrics[k].name), p->shares[k]);
    if (n->recurrent)
        add(state, pl_safetensor_list("poula/recurrent", "F64", n->carried, pl_plan_state_length(n->recurrent)));
}

/* Epochs are whole numbers in a file; one that was read there may have been beyond all that there can be. */
static const uint64_t *whole_epochs(struct pl_state *state, const struct pl_series *series)
{
    uint64_t *epochs = pl_pool_take(&state->pool, (series->count + 1) * sizeof *epochs);
    for (size_t i = 0; i < series->count; i++)
        epochs[i] = series->epochs[i] < 0x1p64 ? (uint64_t)series->epochs[i] : UINT64_MAX;
    return epochs;
}

void pl_state_add_history(struct pl_state *state, const struct pl_history *h)
{
    for (size_t i = 0; i < h->series.count; i++) {
        const struct pl_series *s = &h->series.all[i];
        add(state, pl_safetensor_list(join(state, EPOCHS, s->metric), "U64", whole_epochs(state, s), s->count));
        add(state, pl_safetensor_list(join(state, RECORD, s->metric), "F64", s->values, s->count));
    }
}

/* ---- earlier formats */

/* Format 2 wrote what lay side by side as one array. */
static const struct part {
    const char *whole, *name;
    size_t from, count; /* elements of the whole; count 0: all that follow */
} parts_of_2[] = {
    {OPTIMIZER "counters", OPTIMIZER "count/steps", 0, 1},
    {OPTIMIZER "counters", OPTIMIZER "count/averaged", 1, 1},
    {OPTIMIZER "counters", OPTIMIZER "count/losses", 2, 1},
    {OPTIMIZER "counters", OPTIMIZER "count/stale", 3, 1},
    {OPTIMIZER "counters", OPTIMIZER "count/fired", 4, 1},
    {OPTIMIZER "counters", OPTIMIZER "count/fired_at", 5, 1},
    {OPTIMIZER "rates", OPTIMIZER "rate", 0, 1},
    {OPTIMIZER "rates", OPTIMIZER "scheduled_rate", 1, 1},
    {OPTIMIZER "losses", OPTIMIZER "best_loss", 0, 1},
    {OPTIMIZER "losses", OPTIMIZER "last_losses", 1, 0},
    {"poula/progress", "poula/progress/epoch", 0, 1},
    {"poula/progress", "poula/progress/batch", 1, 1},
    {"poula/progress", "poula/progress/at", 2, 1},
    {"poula/progress", "poula/progress/examples", 3, 1},
    {"poula/progress", "poula/progress/correct", 4, 1},
    {"poula/sums", "poula/progress/loss", 0, 1},
    {"poula/sums", "poula/progress/gradient_norm", 1, 1},
    {"poula/sums", "poula/progress/seconds", 2, 1},
    {"poula/sums", "poula/progress/seconds_load", 3, 1},
    {"poula/schedule", "poula/schedule/stale", 0, 1},
    {"poula/schedule", "poula/schedule/decays", 1, 1},
    {"poula/shares", SHARES "tamed_share", 0, 1},
    {"poula/shares", SHARES "boosted_share", 1, 1},
    {"poula/shares", SHARES "stepsize", 2, 1},
};

bool pl_state_knows(const char *format)
{
    return !strcmp(format, PL_STATE_FORMAT) || !strcmp(format, FORMAT_2);
}

/* Adds the parts of a tensor of format 2, or the tensor as it is. */
static void add_parts(struct pl_state *state, const struct pl_safetensor *t)
{
    bool whole = true, wide = pl_has_word("U64 F64", t->type);
    for (size_t i = 0; i < sizeof parts_of_2 / sizeof *parts_of_2 && wide; i++) {
        const struct part *part = &parts_of_2[i];
        if (strcmp(t->name, part->whole))
            continue;
        whole = false;
        size_t left = part->from < t->count ? t->count - part->from : 0, count = part->count ? part->count : left;
        if (count && count <= left)
            add(state, pl_safetensor_list(part->name, t->type, (const char *)t->data + 8 * part->from, count));
    }
    if (whole)
        add(state, *t);
}

void pl_state_renew(struct pl_safetensors *file)
{
    struct pl_state state = {0};
    if (strcmp(pl_settings_string(&file->metadata, "format", ""), FORMAT_2))
        return;
    for (size_t i = 0; i < file->count; i++)
        add_parts(&state, &file->tensors[i]);
    free(file->tensors);
    file->tensors = state.tensors;
    file->count = state.count;
}

/* ---- reading */

bool pl_state_is_later(const struct pl_safetensors *a, const struct pl_safetensors *b)
{
    static const char *const names[] = {"poula/progress/epoch", "poula/progress/batch"};
    for (size_t i = 0; i < 2; i++) {
        uint64_t p = 0, q = 0;
        pl_safetensors_copy(a, names[i], "U64", 1, &p, NULL);
        pl_safetensors_copy(b, names[i], "U64", 1, &q, NULL);
        if (p != q)
            return p > q;
    }
    return false;
}

const char *pl_state_metric(const char *name)
{
    return !strncmp(name, RECORD, strlen(RECORD))   ? name + strlen(RECORD)
           : !strncmp(name, EPOCHS, strlen(EPOCHS)) ? name + strlen(EPOCHS)
                                                    : NULL;
}

void pl_state_find_curve(const struct pl_safetensors *file, const char *metric, const struct pl_safetensor **epochs,
                         const struct pl_safetensor **values)
{
    struct pl_text name = {0};
    pl_text_addf(&name, "%s%s", EPOCHS, metric);
    *epochs = pl_safetensors_find(file, pl_text(&name));
    pl_text_clear(&name);
    pl_text_addf(&name, "%s%s", RECORD, metric);
    *values = pl_safetensors_find(file, pl_text(&name));
    pl_text_release(&name);
}

static bool is_sum(const struct pl_network *n, const struct pl_safetensor *to)
{
    const double *at = to->data;
    return at >= n->progress.sums && at < n->progress.sums + PL_NETWORK_SUMS;
}

/* Has the file what the state needs, and nothing else? Only sums may be missing, for metrics that came later. */
static int compare(const struct pl_network *n, const struct pl_state *state, const struct pl_safetensors *file,
                   struct pl_error *err)
{
    size_t others = 0, missing = 0;
    for (size_t i = 0; i < state->count; i++) {
        const struct pl_safetensor *to = &state->tensors[i], *from = pl_safetensors_find(file, to->name);
        if (!from && is_sum(n, to))
            missing++;
        else if (!from || strcmp(from->type, to->type) || from->count != to->count)
            return pl_fail(err, PL_ECORRUPT, "its tensor %s is not what this run needs", to->name);
    }
    for (size_t i = 0; i < file->count; i++)
        others += !pl_state_metric(file->tensors[i].name);
    if (others != state->count - missing)
        return pl_fail(err, PL_ECORRUPT, "it has %zu tensors that this run does not know",
                       others - (state->count - missing));
    return 0;
}

int pl_state_restore(struct pl_network *n, const struct pl_safetensors *file, struct pl_error *err)
{
    struct pl_state state = {0};
    struct pl_network_loan loan = pl_network_lend(n, PL_LEND_CHANGE);
    pl_state_add(&state, n, &loan);
    int status = compare(n, &state, file, err);
    if (!status)
        status = pl_state_check_place(n, file, err);
    for (size_t i = 0; i < state.count && !status; i++) {
        const struct pl_safetensor *to = &state.tensors[i];
        if (pl_safetensors_find(file, to->name))
            status = pl_safetensors_copy(file, to->name, to->type, to->count, (void *)(uintptr_t)to->data, err);
        else /* a sum; p->batch has been copied before it */
            *(double *)(uintptr_t)to->data = n->progress.batch ? NAN : 0;
    }
    pl_network_take_back(n, &loan);
    if (!status && n->recurrent)
        pl_plan_state_set(n->recurrent, n->carried);
    pl_state_release(&state);
    return status;
}

void pl_state_restore_history(struct pl_network *n, const struct pl_safetensors *file)
{
    for (size_t i = 0; i < file->count; i++) {
        const struct pl_safetensor *values = &file->tensors[i], *epochs;
        if (strncmp(values->name, RECORD, strlen(RECORD)) || strcmp(values->type, "F64"))
            continue;
        const char *metric = values->name + strlen(RECORD);
        struct pl_text name = {0};
        pl_text_addf(&name, "%s%s", EPOCHS, metric);
        epochs = pl_safetensors_find(file, pl_text(&name));
        for (size_t k = 0; epochs && epochs->count == values->count && k < values->count; k++) {
            uint64_t epoch;
            double value;
            memcpy(&epoch, (const char *)epochs->data + k * sizeof epoch, sizeof epoch);
            memcpy(&value, (const char *)values->data + k * sizeof value, sizeof value);
            pl_history_add(&n->history, metric, epoch, value);
        }
        pl_text_release(&name);
    }
}
