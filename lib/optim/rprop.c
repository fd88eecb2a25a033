/* Rprop: Riedmiller and Braun, "A direct adaptive method for faster backpropagation learning" (ICNN 1993), without
 * weight backtracking, as torch has it. Each parameter has a step s of its own, lambda at first, and p, the gradient
 * before: s <- grow s where g p > 0, shrink s where g p < 0, then clamped to [step_min, step_max] everywhere g <- 0
 * where g p < 0;  theta <- theta - s sign(g);  p <- g */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.01"),
    {.key = "shrink",
     .aliases = "eta1 eta_minus etaminus",
     .type = PL_REAL,
     .initial = "0.5",
     .range = "(0,1)",
     .help = "factor on a step whose gradient has changed its sign"},
    {.key = "grow",
     .aliases = "eta2 eta_plus etaplus",
     .type = PL_REAL,
     .initial = "1.2",
     .range = "[1,inf)",
     .help = "factor on a step whose gradient has kept its sign"},
    {.key = "step_min",
     .aliases = "step_size1",
     .type = PL_REAL,
     .initial = "1e-6",
     .range = "[0,inf)",
     .help = "smallest step"},
    {.key = "step_max",
     .aliases = "step_size2",
     .type = PL_REAL,
     .initial = "50",
     .range = "(0,inf]",
     .help = "largest step"},
};

struct rprop {
    double shrink, grow, step_min, step_max;
    double rate; /* the first step's */
    bool first;
};

static int check(const struct pl_settings *s, struct pl_error *err)
{
    double least = pl_settings_need_real(s, "step_min"), most = pl_settings_need_real(s, "step_max");
    return least <= most ? 0 : pl_fail(err, PL_EINPUT, "step_min is %g, but step_max only %g", least, most);
}

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct rprop *o = optim->self;
    o->shrink = pl_settings_need_real(s, "shrink");
    o->grow = pl_settings_need_real(s, "grow");
    o->step_min = pl_settings_need_real(s, "step_min");
    o->step_max = pl_settings_need_real(s, "step_max");
    pl_optim_want_arena(optim, "s", 0);
    pl_optim_want_arena(optim, "p", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct rprop *o = optim->self;
    o->rate = optim->rates[0];
    o->first = optim->counts[PL_COUNT_STEPS] == 1;
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct rprop *o = self;
    real *restrict theta = c->theta, *restrict s = c->state[0], *restrict p = c->state[1];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real shrink = (real)o->shrink, grow = (real)o->grow, least = (real)o->step_min, most = (real)o->step_max;
    for (size_t i = 0; o->first && i < n; i++)
        s[i] = (real)o->rate;
    for (size_t i = 0; i < n; i++) {
        real g = gradient[i], agreement = sign_of(g) * sign_of(p[i]); /* a product of the two could be too small */
        real step = s[i] * (agreement > 0 ? grow : agreement < 0 ? shrink : 1);
        step = step < least ? least : step > most ? most : step;
        g = agreement < 0 ? 0 : g;
        s[i] = step;
        p[i] = g;
        theta[i] -= step * sign_of(g);
    }
}

const struct pl_optimizer KERNEL(pl_rprop) = {
    .info = {"rprop", "a step for each parameter, by the signs of gradients (Riedmiller and Braun)",
             PL_SETTINGS(settings)},
    .self_size = sizeof(struct rprop),
    .check = check,
    .configure = configure,
    .begin = begin,
    .update = update,
};
