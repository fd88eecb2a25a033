/* The generic driver: the registry, making and freeing, the learning rate and the state. */
#include "optim/optim_priv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Descriptors say the same in every build, so any one serves to read them. */
const struct pl_registry *pl_optim_registry(void)
{
    return &pl_optim_kernels(PL_ISA_BASE, PL_FLOAT64)->optimizers;
}

size_t pl_optim_count(void)
{
    return pl_optim_registry()->count;
}

const struct pl_optimizer_info *pl_optim_info(size_t index)
{
    const struct pl_optimizer *optimizer = pl_optim_registry()->items[index];
    return &optimizer->info;
}

const struct pl_optimizer_info *pl_optim_find(const char *name)
{
    const struct pl_optimizer *optimizer = pl_registry_find(pl_optim_registry(), name);
    return optimizer ? &optimizer->info : NULL;
}

void pl_optim_want_arena(struct pl_optim *o, const char *name, double initial)
{
    if (o->again)
        return;
    assert(o->arena_count < PL_ARENAS);
    if (!strcmp(name, "average"))
        o->average = (int)o->arena_count;
    o->arenas[o->arena_count++] = (struct pl_state_arena){name, initial, NULL};
}

static struct pl_notes *find_notes(struct pl_optim *o, const char *name)
{
    size_t k = 0;
    while (k < o->notes_count && strcmp(o->notes[k].name, name))
        k++;
    assert(k < o->notes_count);
    return &o->notes[k];
}

double *pl_optim_want_notes(struct pl_optim *o, const char *name, size_t count)
{
    if (o->again)
        return find_notes(o, name)->values;
    assert(o->notes_count < PL_NOTES);
    struct pl_notes *notes = &o->notes[o->notes_count++];
    *notes = (struct pl_notes){name, pl_new((count + 1) * sizeof *notes->values), count, NULL};
    return notes->values;
}

void pl_optim_want_table(struct pl_optim *o, const char *name, size_t count, double **where)
{
    if (o->again) {
        *where = find_notes(o, name)->values;
        return;
    }
    assert(o->notes_count < PL_NOTES);
    o->notes[o->notes_count++] = (struct pl_notes){name, NULL, count, where};
}

void pl_optim_want_scratch(struct pl_optim *o, size_t count)
{
    o->scratch_count = count; /* the same when it is asked again */
}

double pl_optim_decay(struct pl_optim *o, const struct pl_settings *settings)
{
    double decay = pl_settings_need_real(settings, "weight_decay");
    if (!pl_settings_need_boolean(settings, "decouple"))
        return decay;
    o->decoupled = decay;
    return 0;
}

static size_t blocks_of(const struct pl_tensor *tensor)
{
    return (tensor->count + PL_BLOCK - 1) / PL_BLOCK;
}

static void cut_into_blocks(struct pl_optim *o)
{
    const struct pl_layout *layout = &o->layout;
    o->first_block = pl_new((layout->count + 1) * sizeof *o->first_block);
    for (size_t i = 0; i < layout->count; i++)
        o->first_block[i + 1] = o->first_block[i] + blocks_of(&layout->tensors[i]);
    o->block_count = o->first_block[layout->count];
    o->blocks = pl_new((o->block_count + 1) * sizeof *o->blocks);
    o->sums = pl_new((o->block_count + 1) * PL_SUMS * sizeof *o->sums);
    struct pl_optim_block *block = o->blocks;
    for (size_t i = 0; i < layout->count; i++)
        for (size_t at = 0; at < layout->tensors[i].count; at += PL_BLOCK) {
            size_t left = layout->tensors[i].count - at;
            *block++ = (struct pl_optim_block){layout->tensors[i].offset + at,
                                               (uint32_t)(left < PL_BLOCK ? left : PL_BLOCK), (uint32_t)i};
        }
}

static void copy_layout(struct pl_layout *to, const struct pl_layout *from)
{
    *to = *from;
    to->tensors = pl_new((from->count + 1) * sizeof *to->tensors);
    if (from->count)
        memcpy(to->tensors, from->tensors, from->count * sizeof *to->tensors);
}

static int allocate_doubles(double **values, size_t count, const char *name, struct pl_error *err)
{
    *values = pl_arena(count ? count : 1, sizeof **values);
    return *values ? 0
                   : pl_fail(err, PL_EMEMORY, "there is no memory for the optimizer state %s: %zu numbers of 8 bytes",
                             name, count);
}

static int allocate(struct pl_optim *o, struct pl_error *err)
{
    size_t size = o->element == PL_FLOAT32 ? sizeof(float) : sizeof(double);
    for (size_t k = 0; k < o->arena_count; k++) {
        struct pl_state_arena *arena = &o->arenas[k];
        arena->data = pl_arena(o->layout.length ? o->layout.length : 1, size);
        if (!arena->data)
            return pl_fail(err, PL_EMEMORY, "there is no memory for the optimizer state %s: %zu numbers of %zu bytes",
                           arena->name, o->layout.length, size);
        for (size_t i = 0; arena->initial != 0 && i < o->layout.length; i++)
            if (o->element == PL_FLOAT32)
                ((float *)arena->data)[i] = (float)arena->initial;
            else
                ((double *)arena->data)[i] = arena->initial;
    }
    for (size_t k = 0; k < o->notes_count; k++)
        if (o->notes[k].where && allocate_doubles(&o->notes[k].values, o->notes[k].count, o->notes[k].name, err))
            return PL_EMEMORY;
        else if (o->notes[k].where)
            *o->notes[k].where = o->notes[k].values;
    if (o->sam > 0) {
        o->kept = pl_arena(o->layout.length ? o->layout.length : 1, size);
        if (!o->kept)
            return pl_fail(err, PL_EMEMORY, "there is no memory for another copy of %zu parameters", o->layout.length);
    }
    return o->scratch_count ? allocate_doubles(&o->scratch, o->scratch_count, "that is worked on", err) : 0;
}

static int configure(struct pl_optim *o, const struct pl_settings *given, struct pl_error *err)
{
    size_t common_count;
    const struct pl_setting *common = pl_optim_common_settings(&common_count);
    pl_settings_copy(&o->settings, given);
    pl_settings_fill(&o->settings, o->type->info.settings, o->type->info.setting_count);
    pl_settings_fill(&o->settings, common, common_count);
    int status = o->type->check ? o->type->check(&o->settings, err) : 0;
    if (status)
        return status;
    o->initial_rate = o->rates[0] = o->rates[1] = pl_settings_need_real(&o->settings, "lambda");
    assert(o->type->self_size <= PL_SELF);
    o->self = pl_new(o->type->self_size);
    o->type->configure(o, &o->settings);
    return pl_average_configure(o, &o->settings, err);
}

bool pl_setting_is_tunable(const struct pl_setting *setting)
{
    return setting->type == PL_REAL && !setting->list && !(setting->role & PL_STARTS) && strcmp(setting->key, "lambda");
}

/* Notes have values of their own by now; tables are no notes that configure would write to. */
static size_t keep_notes(struct pl_optim *o, bool back)
{
    size_t at = 0;
    for (size_t k = 0; k < o->notes_count; k++) {
        const struct pl_notes *n = &o->notes[k];
        if (n->where)
            continue;
        if (o->kept_notes && back)
            memcpy(n->values, o->kept_notes + at, n->count * sizeof *n->values);
        else if (o->kept_notes)
            memcpy(o->kept_notes + at, n->values, n->count * sizeof *n->values);
        at += n->count;
    }
    return at;
}

void pl_optim_tune(struct pl_optim *o, const struct pl_tuned *values, size_t count)
{
    bool changed = false;
    for (size_t i = 0; i < count; i++) {
        changed = changed || pl_settings_need_real(&o->settings, values[i].key) != values[i].value;
        pl_settings_set_real(&o->settings, values[i].key, values[i].value);
    }
    if (!changed)
        return;
    if (!o->kept_notes)
        o->kept_notes = pl_new((keep_notes(o, false) + 1) * sizeof *o->kept_notes);
    keep_notes(o, false);
    if (o->type->release)
        o->type->release(o->self);
    memset(o->self, 0, o->type->self_size);
    o->again = true;
    o->type->configure(o, &o->settings);
    o->again = false;
    keep_notes(o, true);
}

/* All but the memory. */
static int make(struct pl_optim **optim, const struct pl_settings *settings, const struct pl_layout *layout,
                enum pl_element element, struct pl_random noise, int threads, struct pl_error *err)
{
    const char *name = pl_settings_string(settings, "optimizer", NULL);
    if (!name)
        return pl_fail(err, PL_EINPUT, "the setting optimizer is missing");
    const struct pl_kernels *kernels = pl_optim_kernels(pl_host_isa(), element);
    const struct pl_optimizer *type = pl_registry_find(&kernels->optimizers, name);
    if (!type)
        return pl_registry_fail(&kernels->optimizers, name, err);
    struct pl_optim *o = pl_new(sizeof *o);
    o->kernels = kernels;
    o->wide = pl_optim_kernels(pl_host_isa(), PL_FLOAT64);
    o->type = type;
    o->element = element;
    o->threads = threads > 0 ? threads : 1;
    o->noise = noise;
    o->average = -1;
    copy_layout(&o->layout, layout);
    cut_into_blocks(o);
    int status = configure(o, settings, err);
    if (status)
        pl_optim_free(o);
    else
        *optim = o;
    return status;
}

int pl_optim_new(struct pl_optim **optim, const struct pl_settings *settings, const struct pl_layout *layout,
                 enum pl_element element, struct pl_random noise, int threads, struct pl_error *err)
{
    struct pl_optim *o;
    int status = make(&o, settings, layout, element, noise, threads, err);
    if (status)
        return status;
    status = allocate(o, err);
    if (status)
        pl_optim_free(o);
    else
        *optim = o;
    return status;
}

int pl_optim_bytes(const struct pl_settings *settings, const struct pl_layout *layout, enum pl_element element,
                   uint64_t *bytes, struct pl_error *err)
{
    struct pl_optim *o;
    int status = make(&o, settings, layout, element, (struct pl_random){{0, 0}}, 1, err);
    if (status)
        return status;
    *bytes = (uint64_t)(o->arena_count + (o->sam > 0)) * layout->length *
                 (element == PL_FLOAT32 ? sizeof(float) : sizeof(double)) +
             o->scratch_count * sizeof(double);
    for (size_t k = 0; k < o->notes_count; k++)
        *bytes += o->notes[k].where ? o->notes[k].count * sizeof(double) : 0;
    pl_optim_free(o);
    return 0;
}

void pl_optim_free(struct pl_optim *o)
{
    if (!o)
        return;
    for (size_t k = 0; k < o->arena_count; k++)
        free(o->arenas[k].data);
    for (size_t k = 0; k < o->notes_count; k++)
        free(o->notes[k].values);
    pl_layout_release(&o->layout);
    free(o->first_block);
    free(o->blocks);
    free(o->sums);
    free(o->scratch);
    free(o->kept);
    if (o->self && o->type->release)
        o->type->release(o->self);
    free(o->kept_notes);
    pl_settings_release(&o->settings);
    free(o->self);
    free(o);
}

bool pl_optim_climbs(const struct pl_optim *o)
{
    return o->sam > 0;
}

void pl_optim_climb(struct pl_optim *o, void *theta, const void *gradient)
{
    assert(o->sam > 0 && !o->away);
    o->kernels->climb(o, theta, gradient);
    o->away = true;
}

void pl_optim_step(struct pl_optim *o, void *theta, void *gradient, const void *xi)
{
    o->kernels->step(o, theta, gradient, xi);
}

double pl_optim_rate(const struct pl_optim *o)
{
    return o->rates[0];
}

/* A method that has chosen its own rate (SWATS after its switch) follows the schedule in proportion. */
void pl_optim_set_rate(struct pl_optim *o, double lambda)
{
    o->rates[0] = o->rates[0] == o->rates[1] ? lambda : o->rates[0] * (lambda / o->rates[1]);
    o->rates[1] = lambda;
}

uint64_t pl_optim_steps(const struct pl_optim *o)
{
    return o->counts[PL_COUNT_STEPS];
}

/* A checkpoint's tensors are called after them: a new one may join, none may change its meaning. */
static const char *const count_names[PL_COUNTS] = {
    [PL_COUNT_STEPS] = "count/steps", [PL_COUNT_AVERAGED] = "count/averaged", [PL_COUNT_LOSSES] = "count/losses",
    [PL_COUNT_STALE] = "count/stale", [PL_COUNT_FIRED] = "count/fired",       [PL_COUNT_FIRED_AT] = "count/fired_at",
};

size_t pl_optim_state(struct pl_optim *o, struct pl_optim_array *arrays, size_t capacity)
{
    struct pl_optim_array all[PL_COUNTS + 2 + PL_NOTES + PL_ARENAS];
    size_t n = 0;
    for (size_t k = 0; k < PL_COUNTS; k++)
        all[n++] = (struct pl_optim_array){count_names[k], &o->counts[k], 1, 'u'};
    all[n++] = (struct pl_optim_array){"rate", &o->rates[0], 1, 'd'};
    all[n++] = (struct pl_optim_array){"scheduled_rate", &o->rates[1], 1, 'd'};
    for (size_t k = 0; k < o->notes_count; k++)
        all[n++] = (struct pl_optim_array){o->notes[k].name, o->notes[k].values, o->notes[k].count, 'd'};
    for (size_t k = 0; k < o->arena_count; k++)
        all[n++] = (struct pl_optim_array){o->arenas[k].name, o->arenas[k].data, o->layout.length,
                                           o->element == PL_FLOAT32 ? 'f' : 'd'};
    memcpy(arrays, all, (n < capacity ? n : capacity) * sizeof *arrays);
    return n;
}

struct noise_request {
    const struct pl_kernels *kernels;
    struct pl_random key;
    uint64_t step;
    size_t length, size;
    char *out;
};

static void noise_part(void *self, size_t from, size_t to, int thread)
{
    (void)thread;
    const struct noise_request *r = self;
    size_t first = from * PL_BLOCK, last = to * PL_BLOCK < r->length ? to * PL_BLOCK : r->length;
    if (first < last)
        r->kernels->noise(r->key, r->step, first, last - first, r->out + first * r->size);
}

void pl_optim_noise(struct pl_random noise, uint64_t step, enum pl_element element, size_t length, int threads,
                    void *out)
{
    struct noise_request request = {pl_optim_kernels(pl_host_isa(), element),
                                    noise,
                                    step,
                                    length,
                                    element == PL_FLOAT32 ? sizeof(float) : sizeof(double),
                                    out};
    pl_optim_parallel(threads, (length + PL_BLOCK - 1) / PL_BLOCK, noise_part, &request);
}
