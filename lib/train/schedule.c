/* Schedules of the learning rate: lambda times a warm-up, times a decline over the whole run, times a decay at fixed
 * epochs or where the loss stands still. All are 1 by default. */
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
     .help = "factor on lambda at every decay (with every, milestones or patience)",
     .idle_when = "every>=epochs or every>=iterations or patience>=epochs or patience>=record"},
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
     .range = "none cosine linear exponential polynomial sqrt onecycle",
     .help = "decline of lambda over the whole run"},
    {.key = "floor",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,1]",
     .help = "fraction of lambda that anneal ends at"},
    {.key = "warmup",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,1000000000000]",
     .help = "epochs in which lambda first rises to its value",
     .idle_when = "warmup=1 and anneal=none and unit=epoch"},
    {.key = "warmup_from",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,1]",
     .help = "fraction of lambda that it rises from",
     .idle_when = "warmup=1 and anneal=none and unit=epoch",
     .late = true},
    {.key = "unit",
     .type = PL_STRING,
     .initial = "epoch",
     .range = "epoch step fraction",
     .help =
         "what lengths are: epochs, each with one lambda; steps; epochs and fractions of them, each step with its own "
         "lambda",
     .idle_when = "problem=*",
     .late = true},
    {.key = "stable",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,1)",
     .help = "share of the time after the warm-up in which anneal (cosine, linear, exponential) leaves lambda as it is",
     .late = true},
    {.key = "cycle",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,1000000000000]",
     .help = "epochs after which anneal (cosine, linear, exponential) begins anew, 0: never",
     .late = true},
    {.key = "cycle_growth",
     .type = PL_INTEGER,
     .initial = "1",
     .range = "[1,1000]",
     .help = "how much longer each cycle is than the one before",
     .late = true},
    {.key = "offset",
     .type = PL_REAL,
     .initial = "1",
     .range = "(0,1e300]",
     .help = "b of anneal polynomial, (1 + t/b)^-exponent",
     .late = true},
    {.key = "exponent",
     .type = PL_REAL,
     .initial = "1",
     .range = "[0,1000]",
     .help = "exponent of anneal polynomial",
     .late = true},
};
const size_t pl_schedule_setting_count = sizeof pl_schedule_settings / sizeof *pl_schedule_settings;

#define PATIENCE(is_late, how_idle)                                                                                    \
    {                                                                                                                  \
        .key = "patience", .type = PL_INTEGER, .initial = "0", .range = "[0,1000000]", .late = is_late,                \
        .help = "epochs (of problems: recorded points) without a new lowest loss after which lambda decays, 0: none",  \
        .idle_when = how_idle                                                                                          \
    }

/* Apart, because a setting that other tasks had as well would change the key of each of their runs. */
const struct pl_setting pl_schedule_text_settings[] = {PATIENCE(false, "patience>=epochs")};
const size_t pl_schedule_text_setting_count = sizeof pl_schedule_text_settings / sizeof *pl_schedule_text_settings;

const struct pl_setting pl_schedule_patience_settings[] = {PATIENCE(true, "patience>=epochs or patience>=record")};
const size_t pl_schedule_patience_setting_count = sizeof pl_schedule_patience_settings /
                                                  sizeof *pl_schedule_patience_settings;

const struct pl_setting pl_schedule_told_settings[] = {
    {.key = "threshold",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,1)",
     .help = "by which share a loss must be below the lowest one to be a new one (with patience)",
     .idle_when = "patience=0",
     .late = true},
    {.key = "cooldown",
     .type = PL_INTEGER,
     .initial = "0",
     .range = "[0,1000000]",
     .help = "epochs after a decay that patience does not count",
     .idle_when = "patience=0",
     .late = true},
    {.key = "least_lambda",
     .aliases = "min_lr",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,inf)",
     .help = "learning rate below which patience does not take it",
     .idle_when = "patience=0",
     .late = true},
};
const size_t pl_schedule_told_setting_count = sizeof pl_schedule_told_settings / sizeof *pl_schedule_told_settings;

static int read_milestones(struct pl_course *course, const char *text, struct pl_error *err)
{
    json_t *list = json_loads(text, 0, NULL);
    if (!json_is_array(list)) {
        json_decref(list);
        return pl_fail(err, PL_EINPUT, "milestones must be a list of epochs, but is %.100s", text);
    }
    size_t count = json_array_size(list);
    course->milestones = count ? pl_new(count * sizeof *course->milestones) : NULL;
    int status = 0;
    for (size_t i = 0; i < count && !status; i++) {
        int64_t epoch = json_integer_value(json_array_get(list, i));
        if (epoch < 1 || (i && epoch <= course->milestones[i - 1]))
            status = pl_fail(err, PL_EINPUT, "milestones must be rising epochs from 1 on, but are %.100s", text);
        course->milestones[i] = epoch;
    }
    course->milestone_count = count;
    json_decref(list);
    return status;
}

/* validated: patience is a setting of the task. */
static int check_decay(const struct pl_schedule *schedule, bool validated, struct pl_error *err)
{
    const struct pl_course *s = &schedule->course;
    const char *first = s->every ? "every" : s->milestone_count ? "milestones" : "patience";
    const char *second = schedule->patience ? "patience" : "milestones";
    int when = (s->every > 0) + (s->milestone_count > 0) + (schedule->patience > 0);
    if (when > 1)
        return pl_fail(err, PL_EINPUT, "%s and %s both say when lambda decays; give one of them", first, second);
    if (when && s->decay == 1)
        return pl_fail(err, PL_EINPUT, "%s says when lambda decays, but decay is 1; give decay", first);
    if (!when && s->decay != 1)
        return pl_fail(err, PL_EINPUT, "decay is %g, but neither every nor milestones%s says when lambda decays",
                       s->decay, validated ? " nor patience" : "");
    return 0;
}

static int check_decline(const struct pl_course *s, struct pl_error *err)
{
    const bool spans = s->anneal >= PL_ANNEAL_COSINE && s->anneal <= PL_ANNEAL_EXPONENTIAL;
    const bool onecycle = s->anneal == PL_ANNEAL_ONECYCLE;
    if (s->anneal == PL_ANNEAL_NONE && s->floor > 0)
        return pl_fail(err, PL_EINPUT, "floor is %g, but anneal is none, so nothing declines to it", s->floor);
    if ((s->anneal == PL_ANNEAL_EXPONENTIAL || onecycle) && s->floor == 0)
        return pl_fail(err, PL_EINPUT, "anneal %s ends at floor times lambda, so floor must be more than 0%s",
                       onecycle ? "onecycle" : "exponential", onecycle ? " (4e-6 in torch)" : "");
    if (s->stable > 0 && !spans)
        return pl_fail(err, PL_EINPUT, "stable is %g, but anneal is neither cosine nor linear nor exponential",
                       s->stable);
    if (s->cycle > 0 && !spans)
        return pl_fail(err, PL_EINPUT, "cycle is %g, but anneal is neither cosine nor linear nor exponential",
                       s->cycle);
    if (s->cycle > 0 && s->stable > 0)
        return pl_fail(err, PL_EINPUT, "cycle and stable exclude each other: a cycle has no stable part");
    if (s->cycle == 0 && s->growth != 1)
        return pl_fail(err, PL_EINPUT, "cycle_growth is %lld, but cycle is 0, so nothing begins anew",
                       (long long)s->growth);
    if ((s->offset != 1 || s->exponent != 1) && s->anneal != PL_ANNEAL_POLYNOMIAL)
        return pl_fail(err, PL_EINPUT, "%s is %g, but anneal is not polynomial", s->offset != 1 ? "offset" : "exponent",
                       s->offset != 1 ? s->offset : s->exponent);
    if (s->warmup_from > 0 && s->warmup == 0)
        return pl_fail(err, PL_EINPUT, "warmup_from is %g, but warmup is 0, so nothing rises from it", s->warmup_from);
    if (onecycle && (s->warmup == 0 || s->warmup_from == 0))
        return pl_fail(err, PL_EINPUT,
                       "anneal onecycle rises in the epochs of warmup from warmup_from times lambda, so both must be "
                       "more than 0 (0.3 of the run and 0.04 in torch)");
    return 0;
}

/* Lengths are whole but for fractions, and no warm-up is longer than the run where that is known. */
static int check_lengths(const struct pl_schedule *schedule, struct pl_error *err)
{
    const struct pl_course *s = &schedule->course;
    const char *what = schedule->unit == PL_UNIT_STEP ? "steps" : "epochs";
    if (schedule->unit != PL_UNIT_FRACTION && (s->warmup != floor(s->warmup) || s->cycle != floor(s->cycle)))
        return pl_fail(err, PL_EINPUT,
                       "%s is %g, but unit %s counts whole %s; with unit fraction epochs have fractions, and each step "
                       "a learning rate of its own",
                       s->warmup != floor(s->warmup) ? "warmup" : "cycle",
                       s->warmup != floor(s->warmup) ? s->warmup : s->cycle,
                       schedule->unit == PL_UNIT_STEP ? "step" : "epoch", what);
    if (schedule->total > 0 && s->warmup > schedule->total)
        return pl_fail(err, PL_EINPUT, "warmup is %.12g, but the run has %.12g %s", s->warmup, schedule->total, what);
    return 0;
}

static enum pl_anneal anneal_of(const char *word)
{
    static const char *const words[] = {
        [PL_ANNEAL_NONE] = "none",         [PL_ANNEAL_COSINE] = "cosine",
        [PL_ANNEAL_LINEAR] = "linear",     [PL_ANNEAL_EXPONENTIAL] = "exponential",
        [PL_ANNEAL_SQRT] = "sqrt",         [PL_ANNEAL_POLYNOMIAL] = "polynomial",
        [PL_ANNEAL_ONECYCLE] = "onecycle",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i]))
            return (enum pl_anneal)i;
    return PL_ANNEAL_NONE;
}

static int course_init(struct pl_course *course, const struct pl_settings *settings, struct pl_error *err)
{
    *course = (struct pl_course){
        .anneal = anneal_of(pl_settings_need_string(settings, "anneal")),
        .floor = pl_settings_need_real(settings, "floor"),
        .warmup = pl_settings_need_real(settings, "warmup"),
        .warmup_from = pl_settings_need_real(settings, "warmup_from"),
        .stable = pl_settings_need_real(settings, "stable"),
        .cycle = pl_settings_need_real(settings, "cycle"),
        .offset = pl_settings_need_real(settings, "offset"),
        .exponent = pl_settings_need_real(settings, "exponent"),
        .decay = pl_settings_need_real(settings, "decay"),
        .growth = pl_settings_need_integer(settings, "cycle_growth"),
        .every = pl_settings_need_integer(settings, "every"),
    };
    int status = read_milestones(course, pl_settings_need_string(settings, "milestones"), err);
    return status ? status : check_decline(course, err);
}

int pl_schedule_init(struct pl_schedule *schedule, const struct pl_settings *settings, int64_t epochs,
                     struct pl_error *err)
{
    const char *unit = pl_settings_need_string(settings, "unit");
    const double lambda = pl_settings_real(settings, "lambda", 1);
    const double least = pl_settings_real(settings, "least_lambda", 0);
    *schedule = (struct pl_schedule){
        .unit = *unit == 's'   ? PL_UNIT_STEP
                : *unit == 'f' ? PL_UNIT_FRACTION
                               : PL_UNIT_EPOCH,
        .patience = pl_settings_integer(settings, "patience", 0),
        .cooldown = pl_settings_integer(settings, "cooldown", 0),
        .threshold = pl_settings_real(settings, "threshold", 0),
        .least = least / lambda,
        .best = INFINITY,
    };
    if (schedule->unit != PL_UNIT_STEP || pl_settings_find(settings, "iterations"))
        schedule->total = (double)epochs;
    int status = course_init(&schedule->course, settings, err);
    if (!status)
        status = check_decay(schedule, pl_settings_find(settings, "patience"), err);
    if (!status && least > lambda)
        status = pl_fail(err, PL_EINPUT, "least_lambda is %g, but lambda begins at %g", least, lambda);
    return status ? status : check_lengths(schedule, err);
}

int pl_schedule_set_steps(struct pl_schedule *schedule, uint64_t steps, struct pl_error *err)
{
    schedule->total = (double)steps;
    return check_lengths(schedule, err);
}

void pl_schedule_release(struct pl_schedule *schedule)
{
    free(schedule->course.milestones);
    schedule->course.milestones = NULL;
}

double pl_schedule_factor(const struct pl_schedule *schedule, struct pl_moment moment)
{
    const struct pl_course *s = &schedule->course;
    if (!schedule->decays || pow(s->decay, (double)schedule->decays) >= schedule->least)
        return pl_course_factor(s, schedule->total, schedule->decays, moment);
    return schedule->least * pl_course_factor(s, schedule->total, 0, moment);
}

/* A loss that is not a number is no new best. */
bool pl_schedule_validated(struct pl_schedule *schedule, double loss)
{
    if (!schedule->patience)
        return false;
    bool better = loss < (schedule->threshold == 0 ? schedule->best : schedule->best * (1 - schedule->threshold));
    if (better)
        schedule->best = loss;
    schedule->stale = better ? 0 : schedule->stale + 1;
    if (schedule->cooling) {
        schedule->cooling--;
        schedule->stale = 0;
    }
    if (schedule->stale < (uint64_t)schedule->patience)
        return false;
    schedule->stale = 0;
    schedule->cooling = (uint64_t)schedule->cooldown;
    schedule->decays++;
    return true;
}

int64_t pl_schedule_next(const struct pl_schedule *schedule, int64_t at)
{
    return pl_course_next(&schedule->course, schedule->total, at);
}
