/* schedule: how the learning rate changes in the course of a run, as factors on it. A factor is a function of the
 * moment and, with patience, of the losses that were told: a run that goes on from a checkpoint has the same ones. */
#ifndef PL_TRAIN_SCHEDULE_H
#define PL_TRAIN_SCHEDULE_H

#include "base/base.h"

/* When a factor is wanted, in the unit of the schedule's lengths: how much is done, and what is done until the next
 * change. Of whole epochs (or iterations, or steps) the e-th, from 0, is {e, 1}. */
struct pl_moment {
    double at, tick;
};

enum pl_unit {
    PL_UNIT_EPOCH,    /* lengths are epochs, and an epoch has one factor */
    PL_UNIT_STEP,     /* lengths are steps */
    PL_UNIT_FRACTION, /* lengths are epochs and parts of them, and each step has a factor */
};

enum pl_anneal {
    PL_ANNEAL_NONE,
    PL_ANNEAL_COSINE,
    PL_ANNEAL_LINEAR,
    PL_ANNEAL_EXPONENTIAL,
    PL_ANNEAL_POLYNOMIAL,
    PL_ANNEAL_SQRT,
    PL_ANNEAL_ONECYCLE
};

/* The course of one quantity. */
struct pl_course {
    enum pl_anneal anneal;
    bool mirrored; /* onecycle falls first, and comes back */
    double floor, warmup, warmup_from, stable, cycle, offset, exponent, decay;
    int64_t growth, every;
    int64_t *milestones;
    size_t milestone_count;
};

/* Its factor at a moment of a run of that length, after so many decays that no moment says. Formulas:
 * docs/schedules.md.
 */
double pl_course_factor(const struct pl_course *course, double total, uint64_t decays, struct pl_moment moment);
/* The first whole moment after this one at which the factor may differ; INT64_MAX: never. */
int64_t pl_course_next(const struct pl_course *course, double total, int64_t at);

/* How far it is in its decline, or in the cycle of it, in [0, 1); 0 in the warm-up. */
double pl_course_done(const struct pl_course *course, double total, struct pl_moment moment);

/* Reads and checks the course of a number of the optimizer, or of lambda (key NULL). Fails with PL_EINPUT; then too the
 * milestones are the caller's to free. */
int pl_course_read(struct pl_course *course, const struct pl_settings *settings, const char *key, struct pl_error *err);
/* Lengths are whole but with fractions, and no warm-up is longer than the run where that is known. */
int pl_course_check_lengths(const struct pl_course *course, const char *key, enum pl_unit unit, double total,
                            struct pl_error *err);
/* Do all values that it gives a setting lie in the setting's range? */
int pl_course_check_values(const struct pl_course *course, const struct pl_setting *setting, double value, double total,
                           struct pl_error *err);

/* The parts of a schema that courses of an optimizer's numbers bring, and those of all optimizers. */
struct pl_schema;
struct pl_schema_sources;
struct pl_optimizer_info;
void pl_course_schema(struct pl_schema *schema, const struct pl_optimizer_info *info);
void pl_course_sources(struct pl_schema_sources *sources);

struct pl_schedule {
    struct pl_course course; /* of the learning rate */
    struct pl_scheduled {
        double value;
        struct pl_course course;
    } * others;               /* numbers of the optimizer that have courses of their own, */
    struct pl_tuned *tunings; /* and their keys */
    size_t other_count;
    double explore;
    enum pl_unit unit;
    double total; /* the length of the run in its unit; 0: not known yet */
    /* of patience */
    int64_t patience, cooldown;
    double threshold, least; /* least: factor */
    /* What a checkpoint holds: losses since the best one or the last decay, decays by patience, losses that are still
     * passed over after one, the best loss. */
    uint64_t stale, decays, cooling;
    double best;
};

extern const struct pl_setting pl_schedule_settings[];
extern const size_t pl_schedule_setting_count;
/* Those of a schedule that is told losses. Patience of texts came with them; of other tasks it is late. */
extern const struct pl_setting pl_schedule_text_settings[];
extern const size_t pl_schedule_text_setting_count;
extern const struct pl_setting pl_schedule_patience_settings[];
extern const size_t pl_schedule_patience_setting_count;
extern const struct pl_setting pl_schedule_told_settings[];
extern const size_t pl_schedule_told_setting_count;

/* Reads and checks the settings of a run of so many epochs (or iterations). Its length in steps is given later. Fails
 * with PL_EINPUT. */
int pl_schedule_init(struct pl_schedule *schedule, const struct pl_settings *settings, int64_t epochs,
                     struct pl_error *err);
/* The length of the run in steps, for a schedule whose unit is the step. Fails with PL_EINPUT where it is too short. */
int pl_schedule_set_steps(struct pl_schedule *schedule, uint64_t steps, struct pl_error *err);
void pl_schedule_release(struct pl_schedule *schedule);
double pl_schedule_factor(const struct pl_schedule *schedule, struct pl_moment moment);
/* The optimizer's other scheduled numbers at a moment, for pl_optim_tune; they stay the schedule's. */
const struct pl_tuned *pl_schedule_tunings(struct pl_schedule *schedule, struct pl_moment moment, size_t *count);
/* Tells the newest validation loss, once an epoch. Returns whether lambda decays before the next one. */
bool pl_schedule_validated(struct pl_schedule *schedule, double loss);
/* The first whole moment after this one at which the factor may differ, decays by patience aside; INT64_MAX: never. */
int64_t pl_schedule_next(const struct pl_schedule *schedule, int64_t at);

#endif
