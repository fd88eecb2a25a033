/* One golden file: its JSON turned into settings, a layout and steps, and the values after each step compared. */
#include "golden_optim_priv.h"

#include "optim/optim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const double tolerances[] = {[PL_FLOAT32] = 1e-4, [PL_FLOAT64] = 1e-10};
static const char *const element_names[] = {[PL_FLOAT32] = "float", [PL_FLOAT64] = "double"};

struct golden {
    const char *optimizer;
    struct pl_settings settings;
    struct pl_layout layout;
    size_t steps;
    json_t *theta0, *gradients, *noise, *rates, *losses, *theta, *average, *eta, *mu, *phase, *d;
};

static int read_shapes(struct golden *g, const json_t *root, struct pl_error *err)
{
    json_t *shapes = json_object_get(root, "shapes"), *shape;
    size_t i;
    json_array_foreach(shapes, i, shape)
    {
        size_t dimensions[8];
        int dims = (int)json_array_size(shape);
        if (!json_is_array(shape) || dims > 8)
            return golden_malformed(err, "shapes");
        for (int k = 0; k < dims; k++) {
            json_int_t length = json_integer_value(json_array_get(shape, (size_t)k));
            if (length < 1 || length > 1000000)
                return golden_malformed(err, "shapes");
            dimensions[k] = (size_t)length;
        }
        pl_layout_add(&g->layout, dimensions, dims);
    }
    return g->layout.count ? 0 : golden_malformed(err, "shapes");
}

/* An array that is optional (absent or null) and has an entry for each step. */
static int read_series(const struct golden *g, const json_t *root, const char *key, bool needed, json_t **series,
                       struct pl_error *err)
{
    *series = json_object_get(root, key);
    if (json_is_null(*series))
        *series = NULL;
    if (!*series && !needed)
        return 0;
    return json_is_array(*series) && json_array_size(*series) == g->steps ? 0 : golden_malformed(err, key);
}

static int read_golden(struct golden *g, const json_t *root, struct pl_error *err)
{
    int status = golden_optimizer(root, &g->optimizer, &g->settings, err);
    if (!status)
        status = read_shapes(g, root, err);
    json_int_t steps = json_integer_value(json_object_get(root, "steps"));
    if (!status && steps < 1)
        status = golden_malformed(err, "steps");
    g->steps = (size_t)steps;
    g->theta0 = json_object_get(root, "theta0");
    const struct {
        const char *key;
        bool needed;
        json_t **series;
    } list[] = {
        {"grads", true, &g->gradients},  {"theta", true, &g->theta},
        {"noise", false, &g->noise},     {"lr_per_step", false, &g->rates},
        {"average", false, &g->average}, {"eta", false, &g->eta},
        {"mu", false, &g->mu},           {"phase", false, &g->phase},
        {"val_loss", false, &g->losses}, {"d", false, &g->d},
    };
    for (size_t i = 0; !status && i < sizeof list / sizeof *list; i++)
        status = read_series(g, root, list[i].key, list[i].needed, list[i].series, err);
    return status;
}

static void put(void *arena, enum pl_element element, size_t i, double value)
{
    if (element == PL_FLOAT32)
        ((float *)arena)[i] = (float)value;
    else
        ((double *)arena)[i] = value;
}

static double get(const void *arena, enum pl_element element, size_t i)
{
    return element == PL_FLOAT32 ? (double)((const float *)arena)[i] : ((const double *)arena)[i];
}

/* Fills an arena from [tensor][element]. */
static int fill(const struct golden *g, const json_t *json, enum pl_element element, void *arena, const char *what,
                struct pl_error *err)
{
    if (json_array_size(json) != g->layout.count)
        return golden_malformed(err, what);
    for (size_t t = 0; t < g->layout.count; t++) {
        const struct pl_tensor *tensor = &g->layout.tensors[t];
        const json_t *values = json_array_get(json, t);
        if (json_array_size(values) != tensor->count)
            return golden_malformed(err, what);
        for (size_t i = 0; i < tensor->count; i++) {
            double value;
            if (!golden_number(json_array_get(values, i), &value))
                return golden_malformed(err, what);
            put(arena, element, tensor->offset + i, value);
        }
    }
    return 0;
}

/* A replay of the file in one element type. */
struct replay {
    const struct golden *golden;
    enum pl_element element;
    struct pl_optim *optim;
    void *theta, *gradient, *xi;
    double *largest_theta, *largest_average; /* sizes wanted so far */
    size_t step;
};

static int compare(const struct replay *r, double got, double want, double *largest, const char *what,
                   struct pl_error *err)
{
    double tolerance = tolerances[r->element];
    if (isfinite(want) && fabs(want) > *largest)
        *largest = fabs(want);
    bool same = isnan(want)   ? isnan(got)
                : isinf(want) ? got == want
                              : fabs(got - want) <= tolerance * fmax(1, *largest);
    if (same)
        return 0;
    return pl_fail(err, PL_ECORRUPT, "step %zu in %s: %s is %.17g, but must be %.17g", r->step + 1,
                   element_names[r->element], what, got, want);
}

static int compare_arena(const struct replay *r, const void *got, const json_t *want, double *largest, const char *name,
                         struct pl_error *err)
{
    const struct pl_layout *layout = &r->golden->layout;
    if (json_array_size(want) != layout->count)
        return golden_malformed(err, name);
    for (size_t t = 0; t < layout->count; t++) {
        const json_t *values = json_array_get(want, t);
        if (json_array_size(values) != layout->tensors[t].count)
            return golden_malformed(err, name);
        for (size_t i = 0; i < layout->tensors[t].count; i++) {
            size_t at = layout->tensors[t].offset + i;
            double value;
            if (!golden_number(json_array_get(values, i), &value))
                return golden_malformed(err, name);
            struct pl_text what = {0};
            pl_text_addf(&what, "%s[%zu][%zu]", name, t, i);
            int status = compare(r, get(got, r->element, at), value, &largest[at], pl_text(&what), err);
            pl_text_release(&what);
            if (status)
                return status;
        }
    }
    return 0;
}

static const double *find_note(struct pl_optim *optim, const char *name)
{
    struct pl_optim_array arrays[32];
    size_t count = pl_optim_state(optim, arrays, 32);
    for (size_t i = 0; i < count; i++)
        if (arrays[i].kind == 'd' && arrays[i].count >= 1 && !strcmp(arrays[i].name, name))
            return arrays[i].data;
    return NULL;
}

/* A scalar of the optimizer's state, which the file gives for each tensor. */
static int compare_note(const struct replay *r, const json_t *want, const char *name, struct pl_error *err)
{
    const double *note = find_note(r->optim, name);
    if (!note)
        return pl_fail(err, PL_EINPUT, "%s has no state named %s", r->golden->optimizer, name);
    double alone, size = 0;
    if (golden_number(want, &alone))
        return compare(r, *note, alone, &size, name, err);
    if (!json_is_array(want))
        return golden_malformed(err, name);
    size_t t;
    const json_t *entry;
    json_array_foreach(want, t, entry)
    {
        double value, largest = 0;
        if (!golden_number(json_is_array(entry) ? json_array_get(entry, 0) : entry, &value))
            return golden_malformed(err, name);
        int status = compare(r, *note, value, &largest, name, err);
        if (status)
            return status;
    }
    return 0;
}

static int compare_phase(const struct replay *r, const json_t *want, struct pl_error *err)
{
    const double *phase = find_note(r->optim, "phase");
    const char *word = json_string_value(json_array_get(want, 0));
    double rate, largest = 0;
    if (!phase)
        return pl_fail(err, PL_EINPUT, "%s has no state named phase", r->golden->optimizer);
    if (!word || !golden_number(json_array_get(want, 1), &rate))
        return golden_malformed(err, "phase");
    if (strcasecmp(word, *phase != 0 ? "sgd" : "adam"))
        return pl_fail(err, PL_ECORRUPT, "step %zu in %s: the phase is not %s", r->step + 1, element_names[r->element],
                       word);
    return compare(r, pl_optim_rate(r->optim), rate, &largest, "the learning rate", err);
}

/* The file's rate is set as it stands, also where the optimizer has chosen its own and would follow in proportion. */
static int set_rate(const struct replay *r, struct pl_error *err)
{
    double rate;
    if (!golden_number(json_array_get(r->golden->rates, r->step), &rate) || !(rate > 0))
        return golden_malformed(err, "lr_per_step");
    pl_optim_set_rate(r->optim, rate);
    if (pl_optim_rate(r->optim) != rate)
        pl_optim_set_rate(r->optim, rate * (rate / pl_optim_rate(r->optim)));
    return 0;
}

static int replay_step(const struct replay *r, struct pl_error *err)
{
    const struct golden *g = r->golden;
    int status = g->rates ? set_rate(r, err) : 0;
    if (!status)
        status = fill(g, json_array_get(g->gradients, r->step), r->element, r->gradient, "grads", err);
    if (!status && g->noise)
        status = fill(g, json_array_get(g->noise, r->step), r->element, r->xi, "noise", err);
    if (status)
        return status;
    pl_optim_step(r->optim, r->theta, r->gradient, r->xi);
    status = compare_arena(r, r->theta, json_array_get(g->theta, r->step), r->largest_theta, "theta", err);
    const json_t *average = json_array_get(g->average, r->step);
    if (!status && json_is_null(average) && pl_optim_average(r->optim))
        status = pl_fail(err, PL_ECORRUPT, "step %zu: something is averaged", r->step + 1);
    if (!status && average && !json_is_null(average)) {
        const void *got = pl_optim_average(r->optim);
        status = got ? compare_arena(r, got, average, r->largest_average, "average", err)
                     : pl_fail(err, PL_ECORRUPT, "step %zu: nothing is averaged", r->step + 1);
    }
    if (!status && g->eta)
        status = compare_note(r, json_array_get(g->eta, r->step), "eta", err);
    if (!status && g->mu)
        status = compare_note(r, json_array_get(g->mu, r->step), "mu", err);
    if (!status && g->d)
        status = compare_note(r, json_array_get(g->d, r->step), "d", err);
    if (!status && g->phase)
        status = compare_phase(r, json_array_get(g->phase, r->step), err);
    const json_t *loss = json_array_get(g->losses, r->step);
    double value;
    if (!status && json_is_number(loss) && golden_number(loss, &value))
        pl_optim_validated(r->optim, value);
    return status;
}

static int replay(const struct golden *g, enum pl_element element, struct pl_error *err)
{
    size_t size = element == PL_FLOAT32 ? sizeof(float) : sizeof(double), length = g->layout.length;
    struct replay r = {
        .golden = g,
        .element = element,
        .theta = pl_arena(length, size),
        .gradient = pl_arena(length, size),
        .xi = pl_arena(length, size), /* stays 0 where the file has no noise */
        .largest_theta = pl_arena(length, sizeof(double)),
        .largest_average = pl_arena(length, sizeof(double)),
    };
    int status = 0;
    if (!r.theta || !r.gradient || !r.xi || !r.largest_theta || !r.largest_average)
        status = pl_fail(err, PL_EMEMORY, "there is no memory for %zu parameters", length);
    if (!status)
        status = pl_optim_new(&r.optim, &g->settings, &g->layout, element, pl_random_stream(1, PL_STREAM_NOISE), 1,
                              err);
    if (!status)
        status = fill(g, g->theta0, element, r.theta, "theta0", err);
    for (; !status && r.step < g->steps; r.step++)
        status = replay_step(&r, err);
    pl_optim_free(r.optim);
    free(r.theta);
    free(r.gradient);
    free(r.xi);
    free(r.largest_theta);
    free(r.largest_average);
    return status;
}

/* A validation history and the epoch after which NT-ASGD changes. */
static int check_trigger(const json_t *entry, size_t index, struct pl_settings *agreed, struct pl_error *err)
{
    const json_t *losses = json_object_get(entry, "val_loss"), *when = json_object_get(entry, "switch_after_epoch"),
                 *loss;
    json_int_t nonmono = json_integer_value(json_object_get(entry, "nonmono"));
    if (nonmono < 1 || !json_is_array(losses) || (!json_is_integer(when) && !json_is_null(when)))
        return golden_malformed(err, "a case");
    struct pl_settings settings = {0};
    struct pl_layout layout = {0};
    struct pl_optim *optim = NULL;
    pl_settings_set_string(&settings, "optimizer", "nt_asgd");
    pl_settings_set_integer(&settings, "nonmono", nonmono);
    pl_layout_add(&layout, (const size_t[]){1}, 1);
    int status = pl_optim_new(&optim, &settings, &layout, PL_FLOAT64, pl_random_stream(1, PL_STREAM_NOISE), 1, err);
    json_int_t fired = 0;
    size_t epoch;
    json_array_foreach(losses, epoch, loss)
    {
        double value;
        if (!status && !golden_number(loss, &value))
            status = golden_malformed(err, "val_loss");
        if (!status && pl_optim_validated(optim, value)) {
            if (fired)
                status = pl_fail(err, PL_ECORRUPT, "case %zu: the trigger fires twice", index);
            fired = (json_int_t)epoch + 1;
        }
    }
    if (!status && fired != json_integer_value(when)) /* null counts as 0: never */
        status = pl_fail(err, PL_ECORRUPT, "case %zu: the trigger fires in epoch %lld, but must in %lld (0: never)",
                         index, (long long)fired, (long long)json_integer_value(when));
    pl_optim_free(optim);
    pl_layout_release(&layout);
    pl_settings_release(status ? &settings : agreed);
    if (!status)
        *agreed = settings;
    return status;
}

static int check_triggers(const json_t *cases, struct pl_settings *agreed, struct pl_error *err)
{
    size_t i;
    const json_t *entry;
    if (!json_array_size(cases))
        return golden_malformed(err, "cases");
    json_array_foreach(cases, i, entry)
    {
        int status = check_trigger(entry, i, agreed, err);
        if (status)
            return status;
    }
    return 0;
}

static int check_steps(const json_t *root, struct pl_settings *agreed, struct pl_error *err)
{
    struct golden g = {0};
    int status = read_golden(&g, root, err);
    if (!status)
        status = replay(&g, PL_FLOAT64, err);
    if (!status)
        status = replay(&g, PL_FLOAT32, err);
    if (status)
        pl_settings_release(&g.settings);
    else
        *agreed = g.settings;
    pl_layout_release(&g.layout);
    return status;
}

int golden_check_file(const char *path, struct pl_settings *settings, struct pl_error *err)
{
    json_error_t problem;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &problem);
    if (!root)
        return pl_fail(err, PL_ECORRUPT, "line %d: %s", problem.line, problem.text);
    const json_t *cases = json_object_get(root, "cases");
    int status = !json_is_object(root) ? golden_malformed(err, "the file")
                 : cases               ? check_triggers(cases, settings, err)
                                       : check_steps(root, settings, err);
    json_decref(root);
    return status;
}
