/* Weight averaging: Polyak's mean of the iterates, and the rules that decide when it starts.
 *
 *  on        from the first step, as the class published with TheoPouLa and torch's ASGD with t0 = 0 do: the
 *            average is theta_1, then theta_2, then the mean of theta_2 .. theta_t
 *  patience  the paper's rule: the mean of theta_Q .. theta_n, where Q is the end of the epoch in which the
 *            validation loss has not improved for n epochs
 *  nonmono   the rule of AWD-LSTM (Merity et al., 2018): the loss is above the best of all losses but the last
 *            n; averages as `on` does, counted from there
 *  ema       exponential: theta_1, then decay times the average plus 1 - decay times theta_t
 *  swa       stochastic weight averaging (Izmailov et al., UAI 2018): the mean of theta at the ends of epochs n + 1, n
 * + 2, ..
 */
#include "optim/optim_priv.h"

#include <math.h>
#include <string.h>

static const struct pl_setting common[] = {
    {.key = "average",
     .aliases = "averaging",
     .type = PL_STRING,
     .initial = "off",
     .range = "off on patience nonmono ema swa",
     .help = "weight averaging, and what starts it; an exponential one; one of the ends of epochs"},
    {.key = "average_after",
     .type = PL_INTEGER,
     .initial = "5",
     .range = "[1,100000]",
     .help = "epochs without improvement (patience), newest losses set aside (nonmono), epochs before it begins (swa)",
     .idle_when = "average=off or average=on or average=ema"},
    {.key = "average_decay",
     .type = PL_REAL,
     .initial = "0.999",
     .range = "[0,1)",
     .help = "decay rate of the exponential average (ema)",
     .idle_when = "average=off or average=on or average=patience or average=nonmono or average=swa",
     .late = true},
    {.key = "decay_on",
     .type = PL_STRING,
     .initial = "all",
     .range = "all matrices",
     .help = "what has weight decay: everything, or only tensors of two or more dimensions",
     .idle_when = "weight_decay=0",
     .late = true},
    {.key = "lookahead",
     .type = PL_INTEGER,
     .initial = "0",
     .range = "[0,1000000000]",
     .help = "steps after which theta goes back towards where it was so many steps before (Lookahead), 0: never",
     .late = true},
    {.key = "lookahead_alpha",
     .type = PL_REAL,
     .initial = "0.5",
     .range = "(0,1]",
     .help = "share of the way that is kept then",
     .idle_when = "lookahead=0",
     .late = true},
    {.key = "sam",
     .aliases = "sam_rho",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,inf)",
     .help =
         "how far uphill the gradient of a step is taken (SAM, which takes two gradients a step), 0: where theta is",
     .late = true},
    {.key = "sam_adaptive",
     .type = PL_BOOLEAN,
     .initial = "false",
     .help = "weigh that way with the size of each parameter (ASAM)",
     .idle_when = "sam=0",
     .late = true},
};

const struct pl_setting *pl_optim_common_settings(size_t *count)
{
    *count = sizeof common / sizeof *common;
    return common;
}

static int configure_around(struct pl_optim *o, const struct pl_settings *settings, struct pl_error *err)
{
    o->spares = !strcmp(pl_settings_need_string(settings, "decay_on"), "matrices");
    if (o->spares && !o->type->spare)
        return pl_fail(err, PL_EINPUT, "%s has no weight decay, so decay_on must be all", o->type->info.name);
    o->lookahead = (uint64_t)pl_settings_need_integer(settings, "lookahead");
    o->lookahead_alpha = pl_settings_need_real(settings, "lookahead_alpha");
    o->sam = pl_settings_need_real(settings, "sam");
    o->sam_adaptive = pl_settings_need_boolean(settings, "sam_adaptive");
    if (o->lookahead && o->type->elsewhere)
        return pl_fail(err, PL_EINPUT, "%s keeps two sequences that lookahead would part, so lookahead must be 0",
                       o->type->info.name);
    if (o->lookahead) {
        o->slow = (int)o->arena_count;
        pl_optim_want_arena(o, "slow", 0);
    }
    return 0;
}

int pl_average_configure(struct pl_optim *o, const struct pl_settings *settings, struct pl_error *err)
{
    int status = configure_around(o, settings, err);
    if (status)
        return status;
    const char *word = pl_settings_need_string(settings, "average");
    o->averaging = !strcmp(word, "on")         ? PL_AVERAGE_ON
                   : !strcmp(word, "patience") ? PL_AVERAGE_PATIENCE
                   : !strcmp(word, "nonmono")  ? PL_AVERAGE_NONMONO
                   : !strcmp(word, "ema")      ? PL_AVERAGE_EMA
                   : !strcmp(word, "swa")      ? PL_AVERAGE_SWA
                                               : PL_AVERAGE_OFF;
    if (o->averaging != PL_AVERAGE_OFF && o->type->info.averages)
        return pl_fail(err, PL_EINPUT, "%s averages the weights by its own rule, so average must be off, not %s",
                       o->type->info.name, word);
    if (o->averaging != PL_AVERAGE_OFF) {
        o->trigger = o->averaging;
        o->trigger_after = pl_settings_need_integer(settings, "average_after");
        o->average_decay = pl_settings_need_real(settings, "average_decay");
        pl_optim_want_arena(o, "average", 0);
    }
    if (o->averaging == PL_AVERAGE_SWA)
        o->averaged_epoch = pl_optim_want_notes(o, "averaged_epoch", 1);
    if (o->trigger == PL_AVERAGE_PATIENCE || o->trigger == PL_AVERAGE_NONMONO) {
        o->best_loss = pl_optim_want_notes(o, "best_loss", 1);
        *o->best_loss = INFINITY;
    }
    if (o->trigger == PL_AVERAGE_NONMONO)
        o->last_losses = pl_optim_want_notes(o, "last_losses", (size_t)o->trigger_after);
    return 0;
}

/* A loss that is not a number improves nothing and fires nothing. */
static bool patience_is_over(struct pl_optim *o, double loss)
{
    if (loss < *o->best_loss) {
        *o->best_loss = loss;
        o->counts[PL_COUNT_STALE] = 0;
        return false;
    }
    return ++o->counts[PL_COUNT_STALE] >= (uint64_t)o->trigger_after;
}

/* The comparison comes before the newest loss is logged; the best one is of all but the last n. */
static bool is_nonmonotone(struct pl_optim *o, double loss)
{
    uint64_t n = (uint64_t)o->trigger_after, logged = o->counts[PL_COUNT_LOSSES];
    double *oldest = &o->last_losses[logged % n];
    bool fires = logged > n && loss > *o->best_loss;
    if (logged >= n && *oldest < *o->best_loss)
        *o->best_loss = *oldest;
    *oldest = loss;
    return fires;
}

int pl_optim_validated(struct pl_optim *o, double loss)
{
    if (!o->best_loss || o->counts[PL_COUNT_FIRED])
        return 0;
    bool fires = o->trigger == PL_AVERAGE_PATIENCE ? patience_is_over(o, loss) : is_nonmonotone(o, loss);
    o->counts[PL_COUNT_LOSSES]++;
    if (!fires)
        return 0;
    o->counts[PL_COUNT_FIRED] = 1;
    o->counts[PL_COUNT_FIRED_AT] = o->counts[PL_COUNT_STEPS];
    if (o->type->replaced)
        o->rates[0] = o->rates[1] = o->initial_rate; /* the new method starts afresh */
    return 1;
}

bool pl_average_starts(const struct pl_optim *o)
{
    return o->averaging == PL_AVERAGE_PATIENCE && o->counts[PL_COUNT_FIRED] && !o->counts[PL_COUNT_AVERAGED];
}

double pl_average_weight(const struct pl_optim *o)
{
    if (o->averaging == PL_AVERAGE_EMA)
        return o->counts[PL_COUNT_AVERAGED] ? 1 - o->average_decay : 1;
    if (o->averaging == PL_AVERAGE_SWA || (o->averaging != PL_AVERAGE_ON && !o->counts[PL_COUNT_FIRED]))
        return 0;
    if (o->averaging == PL_AVERAGE_PATIENCE)
        return 1 / (double)(o->counts[PL_COUNT_AVERAGED] + 1);
    uint64_t since = o->counts[PL_COUNT_STEPS] - o->counts[PL_COUNT_FIRED_AT];
    return since <= 2 ? 1 : 1 / (double)(since - 1);
}

void pl_optim_epoch_ends(struct pl_optim *o, const void *theta, uint64_t epoch)
{
    if (!o->averaged_epoch || (double)epoch <= *o->averaged_epoch)
        return;
    *o->averaged_epoch = (double)epoch;
    if (epoch > (uint64_t)o->trigger_after)
        o->kernels->average(o, theta, 1 / (double)(o->counts[PL_COUNT_AVERAGED] + 1));
}

bool pl_optim_wants_statistics(const struct pl_optim *o)
{
    return o->type->elsewhere || o->averaging == PL_AVERAGE_EMA || o->averaging == PL_AVERAGE_SWA;
}

bool pl_optim_is_elsewhere(const struct pl_optim *o)
{
    return o->type->elsewhere;
}

const void *pl_optim_average(const struct pl_optim *o)
{
    bool started = o->type->replaced
                       ? o->counts[PL_COUNT_FIRED] && o->counts[PL_COUNT_STEPS] > o->counts[PL_COUNT_FIRED_AT]
                   : o->type->info.averages ? o->counts[PL_COUNT_STEPS] > 0
                                            : o->counts[PL_COUNT_AVERAGED] > 0;
    return o->average >= 0 && started ? o->arenas[o->average].data : NULL;
}
