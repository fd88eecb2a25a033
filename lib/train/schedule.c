/* Schedules of the learning rate: lambda times a warm-up, times an annealing over the whole run, times a
 * decay at fixed epochs or where the validation loss stands still. All are 1 by default. */
#include "train/train_priv.h"

#include <jansson.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct pl_setting pl_schedule_settings[] = {
    {.key = "decay",
     .type = PL_REAL,
     .initial = "1",
     .range = "(0,1]",
     .help = "factor on lambda at every decay (with every or milestones; for text also patience)",
     .idle_when = "every>=epochs or every>=iterations or patience>=epochs"},
    {.key = "every",
     .type = PL_INTEGER,
     .initial = "0",
     .range = "[0,1000000000000]",
     .help = "epochs from one decay to the next, 0: none",
     .idle_when = "every>=epochs or every>=iterations"},
    {.key = "milestones",
     .type = PL_INTEGER,
     .initial = "[]",
     .range = "[1,1000000000000]",
     .help = "epochs before which lambda decays",
     .list = true},
    {.key = "anneal",
     .type = PL_STRING,
     .initial = "none",
     .range = "none cosine linear",
     .help = "decline of lambda over the whole run"},
    {.key = "floor",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,1]",
     .help = "fraction of lambda that anneal ends at"},
    {.key = "warmup",
     .type = PL_INTEGER,
     .initial = "0",
     .range = "[0,1000000000000]",
     .help = "epochs in which lambda first rises to its value"},
};
const size_t pl_schedule_setting_count = sizeof pl_schedule_settings / sizeof *pl_schedule_settings;

/* Apart, because a setting that other tasks had as well would change the key of each of their runs. */
const struct pl_setting pl_schedule_validated_settings[] = {
    {.key = "patience",
     .type = PL_INTEGER,
     .initial = "0",
     .range = "[0,1000000]",
     .help = "epochs without a new lowest validation loss after which lambda decays, 0: none",
     .idle_when = "patience>=epochs"},
};
const size_t pl_schedule_validated_setting_count = sizeof pl_schedule_validated_settings /
                                                   sizeof *pl_schedule_validated_settings;

static int read_milestones(struct pl_schedule *schedule, const char *text, struct pl_error *err)
{
    json_t *list = json_loads(text, 0, NULL);
    if (!json_is_array(list)) {
        json_decref(list);
        return pl_fail(err, PL_EINPUT, "milestones must be a list of epochs, but is %.100s", text);
    }
    size_t count = json_array_size(list);
    schedule->milestones = count ? pl_new(count * sizeof *schedule->milestones) : NULL;
    int status = 0;
    for (size_t i = 0; i < count && !status; i++) {
        int64_t epoch = json_integer_value(json_array_get(list, i));
        if (epoch < 1 || (i && epoch <= schedule->milestones[i - 1]))
            status = pl_fail(err, PL_EINPUT, "milestones must be rising epochs from 1 on, but are %.100s", text);
        schedule->milestones[i] = epoch;
    }
    schedule->milestone_count = count;
    json_decref(list);
    return status;
}

/* validated: patience is a setting of the task. */
static int check(const struct pl_schedule *schedule, bool validated, struct pl_error *err)
{
    const char *first = schedule->every ? "every" : schedule->milestone_count ? "milestones" : "patience";
    const char *second = schedule->patience ? "patience" : "milestones";
    int when = (schedule->every > 0) + (schedule->milestone_count > 0) + (schedule->patience > 0);
    if (when > 1)
        return pl_fail(err, PL_EINPUT, "%s and %s both say when lambda decays; give one of them", first, second);
    if (when && schedule->decay == 1)
        return pl_fail(err, PL_EINPUT, "%s says when lambda decays, but decay is 1; give decay", first);
    if (!when && schedule->decay != 1)
        return pl_fail(err, PL_EINPUT, "decay is %g, but neither every nor milestones%s says when lambda decays",
                       schedule->decay, validated ? " nor patience" : "");
    if (schedule->anneal == PL_ANNEAL_NONE && schedule->floor > 0)
        return pl_fail(err, PL_EINPUT, "floor is %g, but anneal is none, so nothing declines to it", schedule->floor);
    if (schedule->warmup > schedule->epochs)
        return pl_fail(err, PL_EINPUT, "warmup is %lld, but the run has %lld epochs", (long long)schedule->warmup,
                       (long long)schedule->epochs);
    return 0;
}

int pl_schedule_init(struct pl_schedule *schedule, const struct pl_settings *settings, int64_t epochs,
                     struct pl_error *err)
{
    const char *anneal = pl_settings_need_string(settings, "anneal");
    *schedule = (struct pl_schedule){
        .decay = pl_settings_need_real(settings, "decay"),
        .floor = pl_settings_need_real(settings, "floor"),
        .every = pl_settings_need_integer(settings, "every"),
        .patience = pl_settings_integer(settings, "patience", 0),
        .best = INFINITY,
        .warmup = pl_settings_need_integer(settings, "warmup"),
        .epochs = epochs,
        .anneal = !strcmp(anneal, "cosine")   ? PL_ANNEAL_COSINE
                  : !strcmp(anneal, "linear") ? PL_ANNEAL_LINEAR
                                              : PL_ANNEAL_NONE,
    };
    int status = read_milestones(schedule, pl_settings_need_string(settings, "milestones"), err);
    if (status)
        return status;
    return check(schedule, pl_settings_find(settings, "patience"), err);
}

void pl_schedule_release(struct pl_schedule *schedule)
{
    free(schedule->milestones);
    schedule->milestones = NULL;
}

double pl_schedule_factor(const struct pl_schedule *schedule, int64_t epoch)
{
    int64_t decays = schedule->every ? epoch / schedule->every : (int64_t)schedule->decays;
    for (size_t i = 0; i < schedule->milestone_count && schedule->milestones[i] <= epoch; i++)
        decays++;
    double factor = decays ? pow(schedule->decay, (double)decays) : 1;
    if (epoch < schedule->warmup)
        return factor * (double)(epoch + 1) / (double)schedule->warmup;
    if (schedule->anneal == PL_ANNEAL_NONE)
        return factor;
    double done = (double)(epoch - schedule->warmup) / (double)(schedule->epochs - schedule->warmup);
    double left = schedule->anneal == PL_ANNEAL_COSINE ? (1 + cos(M_PI * done)) / 2 : 1 - done;
    return factor * (schedule->floor + (1 - schedule->floor) * left);
}

/* A loss that is not a number is no new best. */
bool pl_schedule_validated(struct pl_schedule *schedule, double loss)
{
    if (!schedule->patience)
        return false;
    if (loss < schedule->best) {
        schedule->best = loss;
        schedule->stale = 0;
        return false;
    }
    if (++schedule->stale < (uint64_t)schedule->patience)
        return false;
    schedule->stale = 0;
    schedule->decays++;
    return true;
}

int64_t pl_schedule_next(const struct pl_schedule *schedule, int64_t epoch)
{
    if (schedule->anneal != PL_ANNEAL_NONE || epoch < schedule->warmup)
        return epoch + 1;
    if (schedule->every)
        return (epoch / schedule->every + 1) * schedule->every;
    for (size_t i = 0; i < schedule->milestone_count; i++)
        if (schedule->milestones[i] > epoch)
            return schedule->milestones[i];
    return INT64_MAX;
}
