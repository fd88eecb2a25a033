/* ASGD: Polyak and Juditsky, "Acceleration of stochastic approximation by averaging" (1992), as torch has it.
 * With e = lambda and u = 1 before the first step:
 *   g += weight_decay theta;  theta <- (1 - kappa e) theta - e g;  a <- theta if u = 1, else a + u (theta - a)
 *   then e <- lambda / (1 + kappa lambda t)^alpha,  u <- 1 / max(1, t - t0)
 * So a change of lambda acts one step late. */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.01"),
    {.key = "kappa",
     .aliases = "lambd κ",
     .type = PL_REAL,
     .initial = "1e-4",
     .range = "[0,inf)",
     .help = "decay of the parameters and of the rate"},
    {.key = "alpha",
     .aliases = "α",
     .type = PL_REAL,
     .initial = "0.75",
     .range = "[0,inf)",
     .help = "power of the rate's decay",
     .idle_when = "kappa=0"},
    {.key = "t0", .type = PL_REAL, .initial = "1e6", .range = "[0,inf]", .help = "step at which averaging starts"},
    PL_SETTING_WEIGHT_DECAY("0", PL_L2),
};

struct asgd {
    double kappa, alpha, t0, weight_decay;
    double *eta, *mu; /* e and u */
    double e, u;      /* of this step */
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct asgd *o = optim->self;
    o->kappa = pl_settings_need_real(s, "kappa");
    o->alpha = pl_settings_need_real(s, "alpha");
    o->t0 = pl_settings_need_real(s, "t0");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    o->eta = pl_optim_want_notes(optim, "eta", 1);
    o->mu = pl_optim_want_notes(optim, "mu", 1);
    pl_optim_want_arena(optim, "average", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct asgd *o = optim->self;
    double t = (double)optim->counts[PL_COUNT_STEPS], rate = optim->rates[0];
    o->e = t == 1 ? rate : *o->eta;
    o->u = t == 1 ? 1 : *o->mu;
    *o->eta = rate / pow(1 + o->kappa * rate * t, o->alpha);
    *o->mu = 1 / fmax(1, t - o->t0);
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct asgd *o = self;
    real *restrict theta = c->theta, *restrict average = c->state[0];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real e = (real)o->e, u = (real)o->u, decay = (real)o->weight_decay, keep = (real)(1 - o->kappa * o->e);
    for (size_t i = 0; i < n; i++) {
        real g = gradient[i] + decay * theta[i];
        theta[i] = keep * theta[i] - e * g;
        average[i] = o->u == 1 ? theta[i] : average[i] + u * (theta[i] - average[i]);
    }
}

static void spare(void *self)
{
    struct asgd *o = self;
    o->weight_decay = 0;
}

const struct pl_optimizer KERNEL(pl_asgd) = {
    .info = {"asgd", "averaged stochastic gradient descent (Polyak and Juditsky)", PL_SETTINGS(settings),
             .averages = true},
    .self_size = sizeof(struct asgd),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
};
