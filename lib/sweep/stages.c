/* The stages of a sweep: what waits for the table of a study comes after that study. */
#include "sweep/batch/batch.h"

#include <stdlib.h>

struct stages {
    struct pl_store *store;
    struct pl_sweep_plan *plan;
    struct pl_sweep_options *options;
    const struct pl_sweep_between *between;
    struct pl_sweep_course *course;
    struct pl_sweep_needs needs; /* of studies that have waited */
};

/* Gives studies that waited for a table their settings; *advanced gets how many. */
static void advance(const struct stages *s, size_t *advanced)
{
    bool *waited = pl_new(s->plan->count + 1);
    struct pl_text problems = {0};
    struct pl_error err = {0};
    for (size_t i = 0; i < s->plan->count; i++)
        waited[i] = s->plan->studies[i].study->waiting;
    s->course->refused = pl_sweep_plan_advance(s->plan, s->store, advanced, &problems, &err);
    if (s->course->refused)
        s->between->refused(s->between->self, pl_text(&problems), &err);
    for (size_t i = 0; i < s->plan->count && !s->course->refused; i++) {
        const struct pl_study *study = s->plan->studies[i].study;
        if (waited[i] && !study->waiting && !s->between->chosen(s->between->self, study))
            s->course->held = true;
    }
    pl_text_release(&problems);
    free(waited);
}

/* Looks at data and memory of studies that waited for a table until now: others were looked at before. */
static int survey(struct stages *s, struct pl_error *err)
{
    pl_sweep_needs_release(&s->needs);
    s->needs = (struct pl_sweep_needs){0};
    int status = pl_sweep_plan_survey(s->plan, s->options->data_folder, s->options->threads, s->options->retry_failed,
                                      &s->needs, err);
    s->options->data = s->needs.data.length ? pl_text(&s->needs.data) : NULL;
    return status ? status : s->between->needs(s->between->self, &s->needs, s->options, err);
}

/* Runs of this sweep so far. */
static int64_t ran(const struct pl_sweep_plan *plan)
{
    int64_t runs = 0;
    for (size_t i = 0; i < plan->count; i++)
        runs += plan->studies[i].ran;
    return runs;
}

static int run(struct stages *s, struct pl_error *err)
{
    struct pl_sweep_course *course = s->course;
    const int64_t limit = s->options->limit;
    size_t advanced = 0;
    advance(s, &advanced);
    while (!course->held) {
        int status = advanced ? survey(s, err) : 0;
        if (!status)
            status = (s->options->batch ? pl_batch_run : pl_sweep_run)(s->store, s->plan, s->options,
                                                                       &course->stopped_by, err);
        if (status)
            return status;
        s->between->ran(s->between->self);
        advanced = 0;
        s->options->limit = limit ? limit - ran(s->plan) : 0;
        bool left = s->options->batch && s->options->batch->detach; /* nobody waits for what is submitted */
        if (!course->refused && !course->stopped_by && !left && (!limit || s->options->limit > 0))
            advance(s, &advanced);
        if (!advanced)
            break;
    }
    return 0;
}

int pl_sweep_run_stages(struct pl_store *store, struct pl_sweep_plan *plan, const struct pl_sweep_options *options,
                        const struct pl_sweep_between *between, struct pl_sweep_course *course, struct pl_error *err)
{
    struct pl_sweep_options own = *options;
    struct stages s = {.store = store, .plan = plan, .options = &own, .between = between, .course = course};
    *course = (struct pl_sweep_course){0};
    int status = run(&s, err);
    pl_sweep_needs_release(&s.needs);
    return status;
}
