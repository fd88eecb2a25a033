/* SGD with momentum, as torch has it (Sutskever et al., ICML 2013, for Nesterov's form):
 *   g += weight_decay theta, or theta <- (1 - lambda weight_decay) theta with decouple (SGDW: Loshchilov and Hutter,
 * ICLR 2019);  b <- g in the first step, else mu b + (1 - dampening) g theta <- theta - lambda d,  d = b, or g + mu b
 * with nesterov, or g without momentum */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.1"),
    {.key = "momentum", .type = PL_REAL, .initial = "0", .range = "[0,inf)", .help = "momentum"},
    {.key = "dampening",
     .type = PL_REAL,
     .initial = "0",
     .range = NULL,
     .help = "dampening of the momentum",
     .idle_when = "momentum=0"},
    PL_SETTING_SWITCH("nesterov", NULL, "false", "Nesterov's momentum (needs momentum, and no dampening)"),
    PL_SETTING_WEIGHT_DECAY("0", PL_EITHER),
    PL_SETTING_DECOUPLE_LATE,
};

struct sgd {
    double momentum, dampening, weight_decay;
    bool nesterov, decouple;
    double rate, hold, keep, take; /* of this step: theta <- hold theta - .., b <- keep b + take g */
};

static int check(const struct pl_settings *s, struct pl_error *err)
{
    if (!pl_settings_need_boolean(s, "nesterov"))
        return 0;
    if (pl_settings_need_real(s, "momentum") == 0)
        return pl_fail(err, PL_EINPUT, "nesterov is true, but without momentum it means nothing");
    if (pl_settings_need_real(s, "dampening") != 0)
        return pl_fail(err, PL_EINPUT, "nesterov is true, but dampening is not 0");
    return 0;
}

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct sgd *o = optim->self;
    o->momentum = pl_settings_need_real(s, "momentum");
    o->dampening = pl_settings_need_real(s, "dampening");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    o->nesterov = pl_settings_need_boolean(s, "nesterov");
    o->decouple = pl_settings_need_boolean(s, "decouple");
    if (o->momentum != 0)
        pl_optim_want_arena(optim, "momentum", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct sgd *o = optim->self;
    bool first = optim->counts[PL_COUNT_STEPS] == 1;
    o->rate = optim->rates[0];
    o->hold = o->decouple ? 1 - o->rate * o->weight_decay : 1;
    o->keep = first ? 0 : o->momentum;
    o->take = first ? 1 : 1 - o->dampening;
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct sgd *o = self;
    real *restrict theta = c->theta, *restrict b = c->state[0];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real rate = (real)o->rate, hold = (real)o->hold, decay = o->decouple ? 0 : (real)o->weight_decay;
    const real keep = (real)o->keep, take = (real)o->take, momentum = (real)o->momentum;
    if (o->momentum == 0)
        for (size_t i = 0; i < n; i++)
            theta[i] = hold * theta[i] - rate * (gradient[i] + decay * theta[i]);
    else
        for (size_t i = 0; i < n; i++) {
            real g = gradient[i] + decay * theta[i];
            b[i] = keep * b[i] + take * g;
            theta[i] = hold * theta[i] - rate * (o->nesterov ? g + momentum * b[i] : b[i]);
        }
}

static void spare(void *self)
{
    struct sgd *o = self;
    o->weight_decay = 0;
    o->hold = 1;
}

const struct pl_optimizer KERNEL(pl_sgd) = {
    .info = {"sgd", "stochastic gradient descent, with momentum if wanted", PL_SETTINGS(settings)},
    .self_size = sizeof(struct sgd),
    .check = check,
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
};
