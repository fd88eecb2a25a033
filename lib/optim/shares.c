/* Each tensor is summed in parts, each by one thread, and the parts are added in order. */
#include "optim/shares.h"

#include <math.h>
#include <string.h>

enum { PARTS = 64, SHORT = 1 << 16 }; /* fewer coordinates than that take less time than waking threads */

bool pl_share_rule_read(struct pl_share_rule *rule, const struct pl_settings *settings)
{
    if (strcmp(pl_settings_string(settings, "optimizer", ""), "theopoula"))
        return false;
    *rule = (struct pl_share_rule){
        .epsilon = pl_settings_need_real(settings, "epsilon"),
        .r = pl_settings_need_real(settings, "r"),
        .eta = pl_settings_need_real(settings, "eta"),
        .weight_decay = pl_settings_need_real(settings, "weight_decay"),
        .sync = pl_settings_need_boolean(settings, "sync_epsilon"),
        .official = !strcmp(pl_settings_need_string(settings, "variant"), "official"),
    };
    return true;
}

/* The arenas, and what is the same for every coordinate. */
struct step {
    const void *theta, *gradient;
    enum pl_element element;
    double lambda, root, epsilon, inside; /* inside: coefficient of theta in G */
};

static double at(const struct step *s, const void *arena, size_t i)
{
    return s->element == PL_FLOAT32 ? (double)((const float *)arena)[i] : ((const double *)arena)[i];
}

static void sum_part(const struct step *s, size_t from, size_t to, double sums[PL_SHARES])
{
    for (int k = 0; k < PL_SHARES; k++)
        sums[k] = 0;
    for (size_t i = from; i < to; i++) {
        double size = fabs(at(s, s->gradient, i) + s->inside * at(s, s->theta, i));
        double boost = s->root / (s->epsilon + size);
        sums[PL_SHARE_TAMED] += s->root * size > 1;
        sums[PL_SHARE_BOOSTED] += boost > 1;
        sums[PL_SHARE_STEP] += size > 0 ? s->lambda * (1 + boost) / (1 / size + s->root) : size;
    }
}

struct parts {
    const struct step *step;
    const struct pl_tensor *tensor;
    double sums[PARTS][PL_SHARES];
};

static void sum_parts(void *self, size_t first, size_t end, int thread)
{
    struct parts *parts = self;
    const size_t count = parts->tensor->count, length = count / PARTS + 1;
    (void)thread;
    for (size_t p = first; p < end; p++) {
        size_t from = p * length < count ? p * length : count, to = from + length < count ? from + length : count;
        sum_part(parts->step, parts->tensor->offset + from, parts->tensor->offset + to, parts->sums[p]);
    }
}

static void add_tensor(const struct step *s, const struct pl_tensor *tensor, int threads, double total[PL_SHARES])
{
    struct parts parts = {.step = s, .tensor = tensor};
    pl_parallel(tensor->count < SHORT ? 1 : threads, PARTS, 0, sum_parts, &parts);
    for (size_t p = 0; p < PARTS; p++)
        for (int k = 0; k < PL_SHARES; k++)
            total[k] += parts.sums[p][k];
}

static double find_inside(const struct pl_share_rule *rule, const struct step *s, const struct pl_layout *layout)
{
    double norm2 = 0;
    if (!rule->official || rule->eta == 0)
        return rule->weight_decay;
    for (size_t t = 0; t < layout->count && rule->r != 0; t++)
        for (size_t i = 0; i < layout->tensors[t].count; i++) {
            double theta = at(s, s->theta, layout->tensors[t].offset + i);
            norm2 += theta * theta;
        }
    return rule->weight_decay + rule->eta / (1 / (rule->r == 0 ? 1 : pow(norm2, rule->r)) + s->root);
}

void pl_shares_find(const struct pl_share_rule *rule, double lambda, const struct pl_layout *layout,
                    enum pl_element element, const void *theta, const void *gradient, int threads,
                    double shares[PL_SHARES])
{
    struct step s = {.theta = theta,
                     .gradient = gradient,
                     .element = element,
                     .lambda = lambda,
                     .root = sqrt(lambda),
                     .epsilon = rule->sync ? lambda : rule->epsilon};
    size_t count = 0;
    s.inside = find_inside(rule, &s, layout);
    memset(shares, 0, PL_SHARES * sizeof *shares);
    for (size_t t = 0; t < layout->count; t++) {
        add_tensor(&s, &layout->tensors[t], threads > 0 ? threads : 1, shares);
        count += layout->tensors[t].count;
    }
    for (int k = 0; k < PL_SHARES; k++)
        shares[k] /= (double)count;
}
