/* TheoPouLa: Lim and Sabanis, "Polygonal unadjusted Langevin algorithms: creating stable and efficient adaptive
 * algorithms for neural networks" (arXiv:2105.13937), and the class published with it, whose order of operations
 * differs. With s = sqrt(lambda) and N = |theta|^(2r):
 *
 *   paper     theta <- theta - lambda [tame(G) + eta theta / (1/N + s)] + sqrt(2 lambda / beta) xi
 *   official  the same with eta theta / (1/N + s) added to G instead
 *
 * tame(G) = G (1 + s / (epsilon + |G|)) / (1 + s |G|), element by element; epsilon = inf leaves the boost out. */
#include "optim/kernel.h"

#include <string.h>

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.1"),
    {.key = "epsilon",
     .aliases = "eps ε",
     .type = PL_REAL,
     .initial = "1e-8",
     .range = "[0,inf]",
     .help = "boosting of small gradients; .inf switches it off",
     .idle_when = "sync_epsilon=true"},
    PL_SETTING_BETA("1e14"),
    {.key = "r",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,1000]",
     .help = "exponent of the regularisation: it grows like |theta|^(2r)",
     .idle_when = "eta=0"},
    {.key = "eta",
     .aliases = "η",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,inf)",
     .help = "strength of the regularisation"},
    PL_SETTING_WEIGHT_DECAY("0", PL_L2),
    PL_SETTING_SWITCH("sync_epsilon", "sync_eps", "false", "use the learning rate in force as epsilon"),
    {.key = "variant",
     .type = PL_STRING,
     .initial = "paper",
     .range = "paper official",
     .help = "regularise outside the taming (the paper's equation) or inside it (the published code)",
     .idle_when = "eta=0 and beta!=1"}, /* which the published code takes for "no noise" */
};

struct theopoula {
    double epsilon, beta, r, eta, weight_decay;
    bool sync, official;
    /* of this step */
    double rate, root, sigma;
    double inside, outside; /* coefficients of theta within the gradient and beside it */
    double boost;           /* epsilon in force */
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct theopoula *o = optim->self;
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->beta = pl_settings_need_real(s, "beta");
    o->r = pl_settings_need_real(s, "r");
    o->eta = pl_settings_need_real(s, "eta");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    o->sync = pl_settings_need_boolean(s, "sync_epsilon");
    o->official = !strcmp(pl_settings_need_string(s, "variant"), "official");
}

static void set_rate(struct theopoula *o, double rate)
{
    o->rate = rate;
    o->root = sqrt(rate);
    o->boost = o->sync ? rate : o->epsilon;
    /* The published class takes beta = 1 as "no noise", for its ablation. */
    o->sigma = o->official && o->beta == 1 ? 0 : sqrt(2 * rate / o->beta);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    struct theopoula *o = optim->self;
    if (o->rate != optim->rates[0])
        set_rate(o, optim->rates[0]);
    optim->noisy = o->sigma > 0;
    o->inside = o->weight_decay;
    o->outside = 0;
    if (o->eta == 0 || !arenas)
        return;
    double n = o->r == 0 ? 1 : pow(KERNEL(pl_norm2)(optim, arenas->theta), o->r);
    double pull = o->eta / (1 / n + o->root); /* never overflows; 0 at theta = 0 unless r = 0 */
    if (o->official)
        o->inside += pull;
    else
        o->outside = o->rate * pull;
}

/* A gradient beyond this size is tamed to +-1/s at every rate of use. Up to it all products are finite, from rates of
 * 1e-12 on in float. */
static const real saturated = REAL_BITS == 32 ? (real)1e16 : (real)1e140;

/* What a pass needs, from the quantities of the step. lambda tame(G) takes one division:
 *   boosted      G (|G| + a) / ((b |G| + c) |G| + d),  a = epsilon + s, b = s / lambda, c = (1 + s epsilon) / lambda,
 *                                                      d = epsilon / lambda
 *   not boosted  G / (b |G| + 1 / lambda) */
struct constants {
    real a, b, c, d;
    real inside, outside, sigma;
};

static struct constants constants_of(const struct theopoula *o, bool boosted)
{
    /* The smallest number in place of epsilon = 0 turns 0/0 into 0 and changes nothing else. */
    double epsilon = o->boost > (double)REAL_MIN ? o->boost : (double)REAL_MIN;
    return (struct constants){
        .a = (real)(epsilon + o->root),
        .b = (real)(o->root / o->rate),
        .c = (real)((boosted ? 1 + o->root * epsilon : 1) / o->rate),
        .d = (real)(epsilon / o->rate) > REAL_MIN ? (real)(epsilon / o->rate) : REAL_MIN,
        .inside = (real)o->inside,
        .outside = (real)o->outside,
        .sigma = (real)o->sigma,
    };
}

/* Where sizes may be beyond saturation they are cut to it. A gradient that is not a number stays one. */
static inline real tamed(real g, const struct constants *k, bool boosted, bool cut)
{
    real size = real_abs(g);
    if (cut) {
        size = size > saturated ? saturated : size;
        g = real_copysign(size, g);
    }
    real taming = multiply_add(k->b, size, k->c);
    return boosted ? g * (size + k->a) / multiply_add(taming, size, k->d) : g / taming;
}

/* theta after a step without noise. */
static inline real moved(real theta, real g, const struct constants *k, real inside, real outside, bool boosted,
                         bool cut)
{
    real step = tamed(multiply_add(inside, theta, g), k, boosted, cut);
    return multiply_add(-outside, theta, theta - step);
}

static inline __attribute__((always_inline)) void pass(const struct theopoula *o, struct pl_chunk *c, bool boosted,
                                                       bool noisy, bool cut)
{
    real *restrict theta = c->theta;
    const real *restrict gradient = c->gradient, *restrict xi = c->xi;
    const size_t n = c->count;
    const struct constants k = constants_of(o, boosted);
    for (size_t i = 0; i < n; i++) {
        real next = moved(theta[i], gradient[i], &k, k.inside, k.outside, boosted, cut);
        theta[i] = noisy ? multiply_add(k.sigma, xi[i], next) : next;
    }
}

/* Beyond saturation, as at epsilon = inf, the boost is below rounding. */
static bool is_boosted(const struct theopoula *o)
{
    return o->boost < (double)saturated;
}

static inline __attribute__((always_inline)) void choose_pass(const struct theopoula *o, struct pl_chunk *c, bool cut)
{
    bool boosted = is_boosted(o);
    if (boosted && c->xi)
        pass(o, c, true, true, cut);
    else if (boosted)
        pass(o, c, true, false, cut);
    else if (c->xi)
        pass(o, c, false, true, cut);
    else
        pass(o, c, false, false, cut);
}

/* Is every entry below limit in size? Positive numbers are ordered as their bits are, and NaN comes last. */
static bool all_below(const real *x, size_t n, real limit)
{
    real_bits most = 0, bound;
    memcpy(&bound, &limit, sizeof bound);
    for (size_t i = 0; i < n; i++) {
        real_bits bits;
        memcpy(&bits, &x[i], sizeof bits);
        bits &= (real_bits)-1 >> 1;
        most = bits > most ? bits : most;
    }
    return most < bound;
}

/* Looking through a block first costs less than cutting each of its sizes, and brings it into the cache. */
static void update(const void *self, struct pl_chunk *c)
{
    const struct theopoula *o = self;
    const real limit = saturated / 4;
    bool tame = all_below(c->gradient, c->count, limit) &&
                (o->inside == 0 || (o->inside <= 1 && all_below(c->theta, c->count, limit)));
    if (tame)
        choose_pass(o, c, false);
    else
        choose_pass(o, c, true);
}

static bool chain_power(const void *self, double *r)
{
    const struct theopoula *o = self;
    *r = o->r;
    return o->eta > 0;
}

static inline __attribute__((always_inline)) void chain_pass(const struct theopoula *o, struct pl_chunk *c,
                                                             const real *power, bool boosted)
{
    real *restrict theta = c->theta;
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const struct constants k = constants_of(o, boosted);
    const real eta = (real)o->eta, root = (real)o->root;
    const real within = o->official ? 1 : 0, beside = o->official ? 0 : (real)o->rate;
    for (size_t i = 0; i < n; i++) {
        real pull = eta / (1 / power[i] + root);
        theta[i] = moved(theta[i], gradient[i], &k, multiply_add(within, pull, k.inside), beside * pull, boosted, true);
    }
    const real *restrict xi = c->xi;
    for (size_t i = 0; xi && i < n; i++)
        theta[i] = multiply_add(k.sigma, xi[i], theta[i]);
}

static void chain_update(const void *self, struct pl_chunk *c, const void *power)
{
    const struct theopoula *o = self;
    if (is_boosted(o))
        chain_pass(o, c, power, true);
    else
        chain_pass(o, c, power, false);
}

static void spare(void *self)
{
    struct theopoula *o = self;
    o->inside -= o->weight_decay;
    o->weight_decay = 0;
}

const struct pl_optimizer KERNEL(pl_theopoula) = {
    .info = {"theopoula", "TheoPouLa, a tamed and boosted Langevin algorithm (Lim and Sabanis)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct theopoula),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
    .chains = true,
    .chain_power = chain_power,
    .chain_update = chain_update,
};
