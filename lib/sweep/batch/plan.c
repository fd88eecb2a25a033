/* What tasks ask for, and how many runs each is given. */
#include "sweep/batch/batch.h"

#include <math.h>
#include <string.h>

static const double worth = 600;         /* seconds of work that make a task worth its start */
static const double safety = 2;          /* times the estimate that a task asks for */
static const double start = 300;         /* seconds that it asks for besides */
static const double spare_memory = 0.25; /* of the estimate, and so many bytes for the program itself: */
static const double own_memory = 256 << 20;
static const double quick = 0.3; /* seconds that a run of a problem is taken to need before one was timed */
enum { TASKS_UNKNOWN = 64, RUNS_MOST = 20000 };

/* Runs of a task. Where nobody knows how long one takes, some tens of tasks share them. */
static int64_t choose_runs(const struct pl_batch_request *request, double each, int64_t runs)
{
    double wanted = isnan(each) ? ceil((double)runs / TASKS_UNKNOWN)
                                : ceil(worth * (double)request->workers / fmax(each, 1e-3));
    wanted = fmax(wanted, (double)request->workers);
    return (int64_t)fmin(fmin(wanted, (double)(runs > 1 ? runs : 1)), RUNS_MOST);
}

/* What is not said: memory where poula knows what a run of its own takes, time where runs have been timed. */
static void estimate(struct pl_batch_request *request, uint64_t memory)
{
    struct pl_resources *r = &request->resources;
    request->memory_guessed = r->memory == 0 && memory > 0;
    if (request->memory_guessed)
        r->memory = ceil(((double)memory * (1 + spare_memory) * (double)request->workers + own_memory) / (1 << 20)) *
                    (1 << 20);
    request->time_guessed = r->time == 0 && !isnan(request->seconds);
    if (request->time_guessed) {
        double rounds = ceil((double)request->runs / (double)request->workers);
        r->time = 60 * ceil((safety * rounds * request->seconds + start) / 60);
    }
}

/* Analytic problems take thousandths of a second, so that nobody needs to have timed one. */
static bool is_quick(const struct pl_study *study)
{
    struct pl_walk *walk = pl_walk_new(study);
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t count;
    bool is = !pl_walk_next(walk, &settings, &seeds, &count) && pl_settings_find(settings, "problem") &&
              !pl_settings_find(settings, "command");
    pl_walk_free(walk);
    return is;
}

int pl_batch_plan(struct pl_batch_request *request, struct pl_store *store, const struct pl_sweep_study *study,
                  int64_t runs, const struct pl_batch_options *options, struct pl_error *err)
{
    static const struct pl_resources nothing;
    *request = (struct pl_batch_request){.seconds = NAN};
    pl_resources_copy(&request->resources, study->study->resources ? study->study->resources : &nothing);
    if (options->over)
        pl_resources_override(&request->resources, options->over);
    struct pl_resources *r = &request->resources;
    if (!r->cpus)
        r->cpus = 1;
    int status = study->sweep ? pl_store_seconds(store, study->sweep, &request->seconds, &request->measured, err) : 0;
    double each = isnan(request->seconds) && is_quick(study->study) ? quick : request->seconds;
    /* A device is not shared: as many workers as there are; without any, one to a core. */
    request->workers = r->gpus ? r->gpus : r->cpus;
    if (request->workers > r->cpus)
        request->workers = r->cpus;
    request->runs = options->runs_per_task ? options->runs_per_task : choose_runs(request, each, runs);
    if (request->workers > request->runs)
        request->workers = request->runs;
    request->threads = r->cpus / request->workers;
    estimate(request, options->memory);
    return status;
}

int64_t pl_batch_array_most(const struct pl_batch_limits *limits)
{
    bool lower = limits->submitted > 0 && (!limits->array || limits->submitted < limits->array);
    return lower ? limits->submitted : limits->array;
}

/* Long enough for a network to come to the end of a batch and write a checkpoint, and short beside the time. */
double pl_batch_warning(const struct pl_resources *resources)
{
    double time = resources->time;
    return time > 0 ? fmax(10, fmin(120, floor(time / 5))) : 120;
}

void pl_batch_request_release(struct pl_batch_request *request)
{
    pl_resources_release(&request->resources);
}

void pl_batch_request_describe(const struct pl_batch_request *request, struct pl_text *out)
{
    const struct pl_resources *r = &request->resources;
    pl_text_addf(out, "%lld cpu%s", (long long)r->cpus, r->cpus == 1 ? "" : "s");
    if (r->gpus)
        pl_text_addf(out, ", %lld gpu%s", (long long)r->gpus, r->gpus == 1 ? "" : "s");
    if (r->memory > 0) {
        pl_text_add(out, ", ");
        pl_memory_write(r->memory, out);
        pl_text_add(out, request->memory_guessed ? " (estimated)" : "");
    }
    if (r->time > 0) {
        pl_text_add(out, ", ");
        pl_duration_write(r->time, out);
    }
    if (request->time_guessed)
        pl_text_addf(out, " (estimated from %lld run%s)", (long long)request->measured,
                     request->measured == 1 ? "" : "s");
    if (r->partition)
        pl_text_addf(out, ", partition %s", r->partition);
    if (r->account)
        pl_text_addf(out, ", account %s", r->account);
    for (size_t i = 0; i < r->sbatch.count; i++)
        pl_text_addf(out, ", %s", r->sbatch.items[i]);
}
