/* Schedules: of the learning rate, with a decay where the loss stands still, and of other numbers of the optimizer. */
#include "optim/optim.h"
#include "train/train_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static int check_lengths(const struct pl_schedule *schedule, struct pl_error *err)
{
    int status = pl_course_check_lengths(&schedule->course, NULL, schedule->unit, schedule->total, err);
    for (size_t i = 0; i < schedule->other_count && !status; i++)
        status = pl_course_check_lengths(&schedule->others[i].course, schedule->tunings[i].key, schedule->unit,
                                         schedule->total, err);
    return status;
}

/* Is any setting of its course there? */
static bool has_course(const struct pl_settings *settings, const char *key)
{
    const size_t length = strlen(key);
    for (size_t i = 0; i < settings->count; i++)
        if (!strncmp(settings->entries[i].key, key, length) && settings->entries[i].key[length] == '_')
            return true;
    return false;
}

static int add_other(struct pl_schedule *schedule, const struct pl_settings *settings, const struct pl_setting *setting,
                     struct pl_error *err)
{
    struct pl_scheduled *other = &schedule->others[schedule->other_count];
    int status = pl_course_read(&other->course, settings, setting->key, err);
    const struct pl_course *c = &other->course;
    const struct pl_value *value = pl_settings_find(settings, setting->key);
    const bool explored = schedule->explore > 0 && !strcmp(setting->key, "beta");
    if (!status && c->anneal == PL_ANNEAL_NONE && c->warmup == 0 && c->decay == 1 && !explored)
        return 0;
    if (!status && !value)
        status = pl_fail(err, PL_EINPUT, "the schedule changes %s, which is left out; give its value", setting->key);
    schedule->tunings[schedule->other_count++] = (struct pl_tuned){setting->key, 0}; /* has milestones to be freed */
    if (status)
        return status;
    other->value = pl_settings_need_real(settings, setting->key);
    return pl_course_check_values(c, setting, other->value, schedule->total, err);
}

/* Courses of the optimizer's other numbers. */
static int read_others(struct pl_schedule *schedule, const struct pl_settings *settings, struct pl_error *err)
{
    const struct pl_optimizer_info *info = pl_optim_find(pl_settings_string(settings, "optimizer", ""));
    int status = 0;
    if (!info)
        return 0;
    schedule->others = pl_new((info->setting_count + 1) * sizeof *schedule->others);
    schedule->tunings = pl_new((info->setting_count + 1) * sizeof *schedule->tunings);
    for (size_t i = 0; i < info->setting_count && !status; i++) {
        const struct pl_setting *setting = &info->settings[i];
        const bool explored = schedule->explore > 0 && !strcmp(setting->key, "beta");
        if (pl_setting_is_tunable(setting) && (explored || has_course(settings, setting->key)))
            status = add_other(schedule, settings, setting, err);
    }
    return status;
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
        .explore = pl_settings_real(settings, "explore", 0),
    };
    if (schedule->unit != PL_UNIT_STEP || pl_settings_find(settings, "iterations"))
        schedule->total = (double)epochs;
    int status = pl_course_read(&schedule->course, settings, NULL, err);
    if (!status)
        status = read_others(schedule, settings, err);
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
    for (size_t i = 0; i < schedule->other_count; i++)
        free(schedule->others[i].course.milestones);
    free(schedule->others);
    free(schedule->tunings);
    schedule->course.milestones = NULL;
    schedule->others = NULL;
    schedule->tunings = NULL;
    schedule->other_count = 0;
}

double pl_schedule_factor(const struct pl_schedule *schedule, struct pl_moment moment)
{
    const struct pl_course *s = &schedule->course;
    if (!schedule->decays || pow(s->decay, (double)schedule->decays) >= schedule->least)
        return pl_course_factor(s, schedule->total, schedule->decays, moment);
    return schedule->least * pl_course_factor(s, schedule->total, 0, moment);
}

const struct pl_tuned *pl_schedule_tunings(struct pl_schedule *schedule, struct pl_moment moment, size_t *count)
{
    const bool exploring = schedule->explore > 0 &&
                           pl_course_done(&schedule->course, schedule->total, moment) < schedule->explore;
    *count = schedule->other_count;
    for (size_t i = 0; i < schedule->other_count; i++) {
        const struct pl_scheduled *other = &schedule->others[i];
        struct pl_tuned *tuning = &schedule->tunings[i];
        double factor = pl_course_factor(&other->course, schedule->total, 0, moment);
        bool fixed = other->value == 0 || isinf(other->value);
        tuning->value = fixed ? other->value : other->value * factor;
        if (exploring && !strcmp(tuning->key, "beta"))
            tuning->value = INFINITY;
    }
    return schedule->tunings;
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
    int64_t next = pl_course_next(&schedule->course, schedule->total, at);
    for (size_t i = 0; i < schedule->other_count; i++) {
        int64_t other = pl_course_next(&schedule->others[i].course, schedule->total, at);
        next = other < next ? other : next;
    }
    return schedule->explore > 0 ? at + 1 : next;
}
