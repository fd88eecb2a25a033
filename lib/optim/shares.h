/* shares: what TheoPouLa's taming and boosting do to single coordinates, for studies that record it.
 *
 * Apart from the step, which has no time to count. Written once and in double, by the formula as docs/optimizers.md has
 * it; a test holds it against the steps themselves. */
#ifndef PL_OPTIM_SHARES_H
#define PL_OPTIM_SHARES_H

#include "optim/optim.h"

/* With s = sqrt(lambda) and G the gradient that is tamed, regularisation inside the taming included. */
enum pl_share {
    PL_SHARE_TAMED,   /* share of the coordinates with 1 + s |G| > 2: taming at least halves their step */
    PL_SHARE_BOOSTED, /* share of those with 1 + s / (epsilon + |G|) > 2: boosting at least doubles it */
    PL_SHARE_STEP,    /* mean size of lambda tame(G): the step without noise */
    PL_SHARES
};

/* What they depend on besides the learning rate. */
struct pl_share_rule {
    double epsilon, r, eta, weight_decay;
    bool sync, official;
};

/* Reads the settings of an optimizer, defaults filled in. Returns false for one that does not tame coordinate by
 * coordinate. */
bool pl_share_rule_read(struct pl_share_rule *rule, const struct pl_settings *settings);

/* Fills shares for the step that would be taken at this learning rate; the same for any number of threads. */
void pl_shares_find(const struct pl_share_rule *rule, double lambda, const struct pl_layout *layout,
                    enum pl_element element, const void *theta, const void *gradient, int threads,
                    double shares[PL_SHARES]);

#endif
