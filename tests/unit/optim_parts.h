/* Optimizers in the forms that keep state of their own, and steps to compare. */
#ifndef PL_TEST_OPTIM_PARTS_H
#define PL_TEST_OPTIM_PARTS_H

#include "optim/shares.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Every optimizer in the forms that keep state of their own. */
static const char *const forms[] = {
    "adabelief",
    "adabelief amsgrad=true rectify=true beta2=0.9",
    "adabound average=patience average_after=1",
    "adadelta",
    "adafactor weight_decay=0.1",
    "adafactor variant=published beta1=0.9 average=on",
    "adagrad rate_decay=0.1 average=on",
    "adam",
    "adam average=nonmono average_after=1",
    "adam average=ema average_decay=0.9",
    "adam lookahead=2 average=on",
    "adamax weight_decay=0.1",
    "adamp nesterov=true delta=3",
    "adamp average=on",
    "adamw amsgrad=true",
    "adan weight_decay=0.1",
    "ademamix ramp=7 average=on",
    "adopt weight_decay=0.1 decouple=true",
    "amsbound",
    "amsgrad",
    "asgd t0=3 kappa=0.01",
    "formula beta=1e4 tame=1+sqrt(lambda)*(abs(g)+0.1*norm_theta)",
    "formula beta=1e4 average=on state=m=0.9*m+0.1*g;v=0.99*v+0.01*g^2;n=v "
    "update=theta-lambda*m/(1-0.9^t)/(sqrt(v)+epsilon)/(1+norm_g)-1e-3*theta*norm_theta+sqrt(2*lambda/"
    "beta)*xi*(n>1?t:1)",
    "fromage",
    "lamb always_adapt=true weight_decay=0.1 trust_clip=true",
    "lamb variant=published debias=true weight_decay=0.1",
    "lars weight_decay=0.1 momentum=0.9 nesterov=true",
    "lion weight_decay=0.1",
    "msvag",
    "muon",
    "muon nesterov=false adjust=match_rms_adamw average=on",
    "nadam momentum_decay=0.1",
    "nadam variant=nadamw weight_decay=0.1",
    "nt_asgd lambda=0.1 nonmono=1",
    "prodigy d0=0.01 bias_correction=true weight_decay=0.1",
    "psgld beta=1e4 weight_decay=0.1",
    "radam beta2=0.8 lambda=0.05",
    "rmsprop centered=true momentum=0.9",
    "rmsprop momentum=0.5",
    "rprop",
    "rmsprop momentum=0.5 lookahead=5 lookahead_alpha=0.8",
    "schedule_free_adamw warmup_steps=5 weight_decay=0.1 lambda=0.01",
    "schedule_free_sgd lambda=0.1 step_power=1",
    "sgd momentum=0.9 dampening=0.1",
    "sgd momentum=0.9 weight_decay=0.1 decouple=true nesterov=true",
    "sgd",
    "sghmc beta=1e4 friction=0.3 noise_estimate=0.1 average=on",
    "sgld beta=1000 average=patience average_after=1",
    "shampoo refresh=3 momentum=0.5 weight_decay=0.1 max_dimension=100",
    "shampoo first_root=late refresh=2 max_dimension=40 average=on",
    "signum momentum=0.9 weight_decay=0.1",
    "signum momentum=0 decouple=false weight_decay=0.1",
    "soap refresh=2 max_dimension=100 weight_decay=0.1",
    "soap refresh=1 max_dimension=40 precondition_1d=true normalize_gradient=true",
    "swats beta1=0.9 beta2=0 lambda=0.02 epsilon=0.001",
    "swats beta1=0.6 beta2=0 lambda=0.02 nesterov=true amsgrad=true",
    "theopoula beta=1e4 eta=0.01 r=0.5",
    "theopoula beta=1e4 epsilon=inf variant=official weight_decay=0.1 average=on",
    "theopoula beta=inf eta=0.1 r=10",
    "tusla beta=1e4 eta=0.01",
    "yogi",
};

enum { FORMS = sizeof forms / sizeof *forms, MOST_ARRAYS = 16 };

static inline const struct pl_setting *setting_of(const char *optimizer, const char *key)
{
    size_t count;
    const struct pl_setting *common = pl_optim_common_settings(&count);
    const struct pl_optimizer_info *info = pl_optim_find(optimizer);
    assert_non_null(info);
    const struct pl_setting *own = pl_setting_find(info->settings, info->setting_count, key);
    return own ? own : pl_setting_find(common, count, key);
}

/* "sgd momentum=0.9" as settings. */
static inline void read_form(const char *form, struct pl_settings *settings)
{
    size_t length;
    char *name = NULL;
    for (const char *w = form; (w = pl_next_word(w, &length)); w += length) {
        char *word = pl_copy_bytes(w, length), *equals = strchr(word, '=');
        if (!equals) {
            name = word;
            pl_settings_set_string(settings, "optimizer", name);
            continue;
        }
        *equals = '\0';
        struct pl_value value;
        struct pl_error err;
        const struct pl_setting *setting = setting_of(name, word);
        assert_non_null(setting);
        if (pl_setting_read(setting, equals + 1, &value, &err))
            fail_msg("%s", err.text);
        pl_settings_set(settings, setting->key, value);
        free(word);
    }
    free(name);
}

/* A training run with made-up gradients. */
struct run {
    struct pl_layout layout;
    struct pl_optim *optim;
    enum pl_element element;
    size_t size;
    double rate; /* initial */
    void *theta, *gradient;
};

static inline void add_tensors(struct pl_layout *layout, size_t scale)
{
    pl_layout_add(layout, (const size_t[]){7 * scale, 13, 3}, 3);
    pl_layout_add(layout, (const size_t[]){37}, 1);
    pl_layout_add(layout, (const size_t[]){1}, 1);
    pl_layout_add(layout, (const size_t[]){3, 601 * scale}, 2);
    pl_layout_add(layout, (const size_t[]){1025 * scale}, 1);
}

/* A made-up number in (-2, 2), by splitmix64. */
static inline double mix(uint64_t i, uint64_t step)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15 + step * 0xd1342543de82ef95;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-51 - 2;
}

static inline void put(struct run *run, void *arena, size_t i, double value)
{
    if (run->element == PL_FLOAT32)
        ((float *)arena)[i] = (float)value;
    else
        ((double *)arena)[i] = value;
}

static inline double get(const struct run *run, const void *arena, size_t i)
{
    return run->element == PL_FLOAT32 ? (double)((const float *)arena)[i] : ((const double *)arena)[i];
}

/* Padding holds NaN from the start: whatever reads it shows. */
static inline void start(struct run *run, const char *form, enum pl_element element, int threads, size_t scale)
{
    struct pl_settings settings = {0};
    struct pl_error err;
    *run = (struct run){.element = element, .size = element == PL_FLOAT32 ? sizeof(float) : sizeof(double)};
    add_tensors(&run->layout, scale);
    read_form(form, &settings);
    if (pl_optim_new(&run->optim, &settings, &run->layout, element, pl_random_stream(1, PL_STREAM_NOISE), threads,
                     &err))
        fail_msg("%s: %s", form, err.text);
    pl_settings_release(&settings);
    run->rate = pl_optim_rate(run->optim);
    run->theta = pl_arena(run->layout.length, run->size);
    run->gradient = pl_arena(run->layout.length, run->size);
    for (size_t i = 0; i < run->layout.length; i++) {
        put(run, run->theta, i, NAN);
        put(run, run->gradient, i, NAN);
    }
    for (size_t t = 0; t < run->layout.count; t++)
        for (size_t k = 0; k < run->layout.tensors[t].count; k++)
            put(run, run->theta, run->layout.tensors[t].offset + k, mix(k, t));
}

static inline void finish(struct run *run)
{
    pl_optim_free(run->optim);
    pl_layout_release(&run->layout);
    free(run->theta);
    free(run->gradient);
}

static inline void take_step(struct run *run, uint64_t step, const void *xi)
{
    for (size_t t = 0; t < run->layout.count; t++) {
        const struct pl_tensor *tensor = &run->layout.tensors[t];
        for (size_t k = 0; k < tensor->count; k++)
            put(run, run->gradient, tensor->offset + k,
                mix(tensor->offset + k, 0) * (1 + 0.1 * (double)(step % 3)) + 0.01 * mix(k, step));
    }
    pl_optim_set_rate(run->optim, run->rate * (step >= 9 ? 0.5 : 1));
    pl_optim_step(run->optim, run->theta, run->gradient, xi);
}

/* Steps first..last, an epoch of two steps each; validation gets worse from the first epoch on. */
static inline void train(struct run *run, uint64_t first, uint64_t last, const void *xi)
{
    for (uint64_t step = first; step <= last; step++) {
        take_step(run, step, xi);
        if (step % 2 == 0)
            pl_optim_validated(run->optim, (double)step);
    }
}

static inline void assert_same_run(const struct run *a, const struct run *b, const char *what)
{
    const void *average_a = pl_optim_average(a->optim), *average_b = pl_optim_average(b->optim);
    assert_true((average_a != NULL) == (average_b != NULL));
    for (size_t t = 0; t < a->layout.count; t++) {
        size_t from = a->layout.tensors[t].offset * a->size, bytes = a->layout.tensors[t].count * a->size;
        if (memcmp((char *)a->theta + from, (char *)b->theta + from, bytes))
            fail_msg("%s: theta differs in tensor %zu", what, t);
        if (average_a && memcmp((const char *)average_a + from, (const char *)average_b + from, bytes))
            fail_msg("%s: the average differs in tensor %zu", what, t);
    }
}

static inline void assert_near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance * fmax(1, fabs(want))))
        fail_msg("%.17g is not %.17g", got, want);
}

#endif
