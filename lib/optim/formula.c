/* A rule that the settings spell out, element by element: docs/optimizers.md. rule.h says how it is computed. Without
 * `update` it is the general form of a polygonal unadjusted Langevin algorithm with an element-wise taming and boosting
 * function (Lim and Sabanis, arXiv:2105.13937, section 1):
 *   theta <- theta - lambda g boost / tame + sqrt(2 lambda / beta) xi
 * whose default is TheoPouLa without regularisation: tame = 1 + s |g|, boost = 1 + s / (epsilon + |g|), s =
 * sqrt(lambda). */
#include "optim/rule_pass.h"

#include <stdlib.h>
#include <string.h>

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.1"),
    {.key = "epsilon",
     .aliases = "eps ε",
     .type = PL_REAL,
     .initial = "1e-8",
     .range = "[0,inf]",
     .help = "epsilon of the formulas"},
    {.key = "beta",
     .aliases = "β",
     .type = PL_REAL,
     .initial = "1e14",
     .range = "(0,inf]",
     .help = "beta of the formulas: inverse temperature, where they have noise"},
    {.key = "update",
     .type = PL_STRING,
     .initial = "",
     .help = "formula of the new theta; left out: theta - lambda*g*(boost)/(tame) + sqrt(2*lambda/beta)*xi",
     .late = true},
    {.key = "state",
     .type = PL_STRING,
     .initial = "",
     .help = "names and formulas of what is kept from step to step",
     .late = true},
    {.key = "tame",
     .type = PL_STRING,
     .initial = "",
     .help = "formula of the taming function, without update; left out: 1 + sqrt(lambda)*abs(g)",
     .late = true},
    {.key = "boost",
     .type = PL_STRING,
     .initial = "",
     .help = "formula of the boosting function, without update; left out: 1 + sqrt(lambda)/(epsilon + abs(g))",
     .late = true},
    {.key = "growth_checked",
     .type = PL_REAL,
     .initial = "3",
     .range = "(0,40]",
     .help = "power of |theta| like which gradients grow where tame and boost are judged",
     .idle_when = "always",
     .late = true},
};

struct formula {
    struct pl_rule *rule, *chain_rule; /* the latter: of chains, where norms are vectors */
    double *numbers;                   /* of this step */
    struct pl_rule_inputs inputs;
};

static int check(const struct pl_settings *s, struct pl_error *err)
{
    struct pl_rule *rule;
    int status = pl_formula_build(s, false, &rule, err);
    if (!status)
        pl_rule_free(rule);
    return status ? status : pl_formula_judge(s, err);
}

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct formula *o = optim->self;
    struct pl_error err; /* check has built one */
    pl_formula_build(s, false, &o->rule, &err);
    pl_formula_build(s, true, &o->chain_rule, &err);
    o->numbers = pl_new(PL_RULE_VALUES * sizeof *o->numbers);
    o->inputs.epsilon = pl_settings_need_real(s, "epsilon");
    o->inputs.beta = pl_settings_need_real(s, "beta");
    for (size_t k = 0; k < o->rule->state_count; k++)
        pl_optim_want_arena(optim, o->rule->names[k], 0);
}

static void release(void *self)
{
    struct formula *o = self;
    pl_rule_free(o->rule);
    pl_rule_free(o->chain_rule);
    free(o->numbers);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    struct formula *o = optim->self;
    o->inputs.t = (double)optim->counts[PL_COUNT_STEPS];
    o->inputs.lambda = optim->rates[0];
    if (arenas && o->rule->uses_norm_g)
        o->inputs.norm_g = sqrt(KERNEL(pl_norm2)(optim, arenas->gradient));
    if (arenas && o->rule->uses_norm_theta)
        o->inputs.norm_theta = sqrt(KERNEL(pl_norm2)(optim, arenas->theta));
    pl_rule_numbers(o->rule, &o->inputs, o->numbers);
    /* Steps of chains may differ in what they multiply xi with. */
    optim->noisy = arenas ? pl_rule_is_noisy(o->rule, o->numbers) : o->rule->always_noisy || o->rule->noise_count > 0;
}

static real nothing[PL_BLOCK]; /* xi, where it is multiplied with 0 */

static void update(const void *self, struct pl_chunk *c)
{
    const struct formula *o = self;
    real *places[PL_PLACE_BUFFER] = {[PL_PLACE_THETA] = c->theta,
                                     [PL_PLACE_G] = c->gradient,
                                     [PL_PLACE_XI] = c->xi ? (real *)(uintptr_t)c->xi : nothing};
    memcpy(places + PL_PLACE_STATE, c->state, o->rule->state_count * sizeof *places);
    KERNEL(pl_rule_run)(o->rule, o->numbers, places, c->count);
}

/* The norm of each chain's coordinates. */
static void find_norms(const real *x, size_t dimension, real *norms)
{
    memset(norms, 0, PL_CHAINS_STRIDE * sizeof *norms);
    for (size_t i = 0; i < dimension; i++)
        for (size_t k = 0; k < PL_CHAINS_STRIDE; k++)
            norms[k] += x[i * PL_CHAINS_STRIDE + k] * x[i * PL_CHAINS_STRIDE + k];
    for (size_t k = 0; k < PL_CHAINS_STRIDE; k++)
        norms[k] = real_sqrt(norms[k]);
}

static void chain_step(const void *self, struct pl_chunk *c, size_t dimension, uint64_t number)
{
    const struct formula *o = self;
    const struct pl_rule *rule = o->chain_rule;
    struct pl_rule_inputs inputs = o->inputs;
    double numbers[PL_RULE_VALUES];
    real norm_g[PL_CHAINS_STRIDE], norm_theta[PL_CHAINS_STRIDE];
    inputs.t = (double)number;
    pl_rule_numbers(rule, &inputs, numbers);
    if (rule->uses_norm_g)
        find_norms(c->gradient, dimension, norm_g);
    if (rule->uses_norm_theta)
        find_norms(c->theta, dimension, norm_theta);
    for (size_t i = 0; i < dimension; i++) {
        const size_t at = i * PL_CHAINS_STRIDE;
        real *places[PL_PLACE_BUFFER] = {[PL_PLACE_THETA] = c->theta + at,
                                         [PL_PLACE_G] = c->gradient + at,
                                         [PL_PLACE_XI] = c->xi ? (real *)(uintptr_t)c->xi + at : nothing,
                                         [PL_PLACE_NORM_G] = norm_g,
                                         [PL_PLACE_NORM_THETA] = norm_theta};
        for (size_t k = 0; k < rule->state_count; k++)
            places[PL_PLACE_STATE + k] = c->state[k] + at;
        KERNEL(pl_rule_run)(rule, numbers, places, PL_CHAINS_STRIDE);
    }
}

const struct pl_optimizer KERNEL(pl_formula) = {
    .info = {"formula", "a rule of one's own, written as formulas", PL_SETTINGS(settings), .parameters = true},
    .self_size = sizeof(struct formula),
    .check = check,
    .configure = configure,
    .release = release,
    .begin = begin,
    .update = update,
    .chains = true,
    .chain_step = chain_step,
};
