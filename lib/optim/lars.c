/* LARS: You, Gitman and Ginsburg, "Large batch training of convolutional networks" (arXiv:1708.03888), as timm has it.
 * For each tensor, with weight decay or always_adapt:
 *   r = trust_coefficient |theta| / (|g| + weight_decay |theta| + epsilon), 1 where either norm is 0
 *   trust_clip: r <- min(r / lambda, 1);  g <- r (g + weight_decay theta)
 * then SGD with momentum: b <- g in the first step, else momentum b + (1 - dampening) g
 *   theta <- theta - lambda d,  d = b, or g + momentum b with nesterov, or g without momentum */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("1"),
    {.key = "momentum", .type = PL_REAL, .initial = "0", .range = "[0,inf)", .help = "momentum"},
    {.key = "dampening",
     .type = PL_REAL,
     .initial = "0",
     .range = NULL,
     .help = "dampening of the momentum",
     .idle_when = "momentum=0"},
    {.key = "nesterov",
     .type = PL_BOOLEAN,
     .initial = "false",
     .help = "Nesterov's momentum",
     .idle_when = "momentum=0"},
    PL_SETTING_WEIGHT_DECAY("0", "L2 regularisation, which counts in the norm of the gradient"),
    {.key = "trust_coefficient",
     .aliases = "trust_coeff",
     .type = PL_REAL,
     .initial = "0.001",
     .range = "(0,inf)",
     .help = "step of a tensor, relative to its norm"},
    {.key = "epsilon",
     .aliases = "eps ε",
     .type = PL_REAL,
     .initial = "1e-8",
     .range = "[0,inf)",
     .help = "added to the norm of the gradient"},
    PL_SETTING_SWITCH("trust_clip", NULL, "false", "at most the step that SGD would take"),
    PL_SETTING_SWITCH("always_adapt", NULL, "false", "take each tensor's norm also without weight decay"),
};

struct lars {
    double momentum, dampening, weight_decay, trust_coefficient, epsilon;
    bool nesterov, trust_clip, always_adapt;
    double rate, keep, take; /* of this step: b <- keep b + take g */
    double ratio;            /* of this tensor */
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct lars *o = optim->self;
    o->momentum = pl_settings_need_real(s, "momentum");
    o->dampening = pl_settings_need_real(s, "dampening");
    o->nesterov = pl_settings_need_boolean(s, "nesterov");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    o->trust_coefficient = pl_settings_need_real(s, "trust_coefficient");
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->trust_clip = pl_settings_need_boolean(s, "trust_clip");
    o->always_adapt = pl_settings_need_boolean(s, "always_adapt");
    if (o->momentum != 0)
        pl_optim_want_arena(optim, "momentum", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct lars *o = optim->self;
    bool first = optim->counts[PL_COUNT_STEPS] == 1;
    o->rate = optim->rates[0];
    o->keep = first ? 0 : o->momentum;
    o->take = first ? 1 : 1 - o->dampening;
}

static void tensor(struct pl_optim *optim, const struct pl_arenas *arenas, size_t index)
{
    struct lars *o = optim->self;
    size_t from = optim->first_block[index], to = optim->first_block[index + 1];
    o->ratio = 1;
    if (o->weight_decay == 0 && !o->always_adapt)
        return;
    double theta = sqrt(KERNEL(pl_dot_blocks)(optim, from, to, arenas->theta, arenas->theta));
    double gradient = sqrt(KERNEL(pl_dot_blocks)(optim, from, to, arenas->gradient, arenas->gradient));
    if (theta != 0 && gradient != 0)
        o->ratio = o->trust_coefficient * theta / (gradient + o->weight_decay * theta + o->epsilon);
    if (o->trust_clip)
        o->ratio = fmin(o->ratio / o->rate, 1);
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct lars *o = self;
    real *restrict theta = c->theta, *restrict b = c->state[0];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real rate = (real)o->rate, decay = (real)o->weight_decay, ratio = (real)o->ratio;
    const real keep = (real)o->keep, take = (real)o->take, momentum = (real)o->momentum;
    if (o->momentum == 0)
        for (size_t i = 0; i < n; i++)
            theta[i] -= rate * (ratio * (gradient[i] + decay * theta[i]));
    else
        for (size_t i = 0; i < n; i++) {
            real g = ratio * (gradient[i] + decay * theta[i]);
            b[i] = keep * b[i] + take * g;
            theta[i] -= rate * (o->nesterov ? g + momentum * b[i] : b[i]);
        }
}

static void spare(void *self)
{
    struct lars *o = self;
    o->weight_decay = 0;
}

const struct pl_optimizer KERNEL(pl_lars) = {
    .info = {"lars", "SGD at the length of each tensor's norm (You, Gitman and Ginsburg)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct lars),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .tensor = tensor,
    .update = update,
};
