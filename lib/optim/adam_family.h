/* What Adam, AMSGrad and AdamW share: Kingma and Ba, "Adam" (ICLR 2015); Reddi, Kale and Kumar, "On the
 * convergence of Adam and beyond" (ICLR 2018); Loshchilov and Hutter, "Decoupled weight decay regularization"
 * (ICLR 2019). As torch has them:
 *   g += weight_decay theta (L2), or theta <- (1 - lambda weight_decay) theta before the step (decoupled), or
 *   theta <- (1 - weight_decay) theta (decoupled and fixed)
 *   m <- beta1 m + (1 - beta1) g;  v <- beta2 v + (1 - beta2) g^2;  h <- max(h, v) (AMSGrad, else h = v)
 *   theta <- theta - lambda / (1 - beta1^t) m / (sqrt(h / (1 - beta2^t)) + epsilon)
 * epsilon_in root: sqrt(h / (1 - beta2^t) + epsilon); uncorrected: (sqrt(h) + epsilon) / sqrt(1 - beta2^t), as in
 * keras. */
#ifndef PL_OPTIM_ADAM_FAMILY_H
#define PL_OPTIM_ADAM_FAMILY_H

#include "optim/kernel.h"

struct adam {
    double beta1, beta2, epsilon, weight_decay;
    bool amsgrad, decoupled, fixed;
    enum { IN_DENOMINATOR, IN_ROOT, UNCORRECTED } epsilon_in;
    /* of this step */
    double rate;         /* lambda / (1 - beta1^t) */
    double inverse_root; /* 1 / sqrt(1 - beta2^t) */
    double outside;      /* epsilon in the denominator, */
    double inside;       /* and times 1 - beta2^t in the root */
    double keep;         /* factor of theta before the step */
};

static inline void adam_configure(struct pl_optim *optim, const struct pl_settings *s, bool amsgrad, bool decoupled)
{
    struct adam *o = optim->self;
    o->beta1 = pl_settings_need_real(s, "beta1");
    o->beta2 = pl_settings_need_real(s, "beta2");
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    const char *place = pl_settings_need_string(s, "epsilon_in");
    o->epsilon_in = *place == 'd' ? IN_DENOMINATOR : *place == 'r' ? IN_ROOT : UNCORRECTED;
    o->amsgrad = amsgrad;
    o->decoupled = decoupled;
    pl_optim_want_arena(optim, "m", 0);
    pl_optim_want_arena(optim, "v", 0);
    if (amsgrad)
        pl_optim_want_arena(optim, "h", 0);
}

static inline void adam_begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct adam *o = optim->self;
    double t = (double)optim->counts[PL_COUNT_STEPS];
    o->rate = optim->rates[0] / (1 - pow(o->beta1, t));
    o->inverse_root = 1 / sqrt(1 - pow(o->beta2, t));
    o->inside = o->epsilon_in == IN_ROOT ? o->epsilon * (1 - pow(o->beta2, t)) : 0;
    o->outside = o->epsilon_in == IN_ROOT ? 0 : o->epsilon;
    if (o->epsilon_in == UNCORRECTED) {
        o->rate /= o->inverse_root;
        o->inverse_root = 1;
    }
    o->keep = o->decoupled ? 1 - (o->fixed ? 1 : optim->rates[0]) * o->weight_decay : 1;
}

static inline __attribute__((always_inline)) void adam_pass(const struct adam *o, struct pl_chunk *c, bool amsgrad)
{
    real *restrict theta = c->theta, *restrict m = c->state[0], *restrict v = c->state[1], *restrict h = c->state[2];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real beta1 = (real)o->beta1, rest1 = (real)(1 - o->beta1), beta2 = (real)o->beta2;
    const real rest2 = (real)(1 - o->beta2), outside = (real)o->outside, inside = (real)o->inside, rate = (real)o->rate;
    const real inverse_root = (real)o->inverse_root, keep = (real)o->keep;
    const real decay = o->decoupled ? 0 : (real)o->weight_decay;
    for (size_t i = 0; i < n; i++) {
        real g = gradient[i] + decay * theta[i];
        m[i] = beta1 * m[i] + rest1 * g;
        v[i] = beta2 * v[i] + rest2 * g * g;
        real second = v[i];
        if (amsgrad)
            second = h[i] = v[i] < h[i] ? h[i] : v[i];
        theta[i] = keep * theta[i] - rate * m[i] / (real_sqrt(second + inside) * inverse_root + outside);
    }
}

static inline void adam_update(const void *self, struct pl_chunk *c)
{
    const struct adam *o = self;
    if (o->amsgrad)
        adam_pass(o, c, true);
    else
        adam_pass(o, c, false);
}

#endif
