/* A sweep on a cluster without a cluster: submitting with commands of Slurm that are stubs, and taking in journals that
 * are written here, by the order files, as tasks would write them. */
#include "bench/bench.h"

#include "sweep/batch/batch.h"
#include "sweep/batch/collect.h"
#include "sweep/batch/journal.h"
#include "sweep/batch/order_file.h"
#include "sweep/batch/record.h"
#include "sweep/protocol/protocol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VALUES = 10, CONFIGS = 250 };

static const char
    spec_text[] = "study: cluster\n"
                  "task: {problem: theta30, iterations: 200, record: 20}\n"
                  "optimizer: {name: theopoula, lambda: [0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005],"
                  " epsilon: [1, 0.3, 0.1, 0.03, 0.01], beta: [1e8, 1e9, 1e10, 1e11, 1e12]}\n"
                  "seeds: {from: 1, to: %lld}\n";

static double megabytes_of_process(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* ---- stubs ---- */

static int write_stub(const char *folder, const char *name, const char *body, struct pl_error *err)
{
    struct pl_text path = {0}, text = {0};
    pl_text_addf(&path, "%s/%s", folder, name);
    pl_text_addf(&text, "#!/bin/sh\n%s\n", body);
    int status = pl_file_write(pl_text(&path), pl_text(&text), text.length, err);
    chmod(pl_text(&path), 0755);
    pl_text_release(&path);
    pl_text_release(&text);
    return status;
}

/* Commands that answer at once, before those of the machine in PATH. */
static int put_stubs(const char *folder, struct pl_error *err)
{
    struct pl_text path = {0};
    const char *before = getenv("PATH");
    pl_text_addf(&path, "%s/bin", folder);
    int status = pl_folder_make(pl_text(&path), err);
    if (!status)
        status = write_stub(pl_text(&path), "sbatch", "echo 17", err);
    if (!status)
        status = write_stub(pl_text(&path), "squeue", ":", err);
    if (!status)
        status = write_stub(pl_text(&path), "scontrol", "echo 'MaxArraySize = 1001'", err);
    if (!status)
        status = write_stub(pl_text(&path), "sacctmgr", "exit 1", err);
    pl_text_addf(&path, ":%s", before ? before : "/usr/bin:/bin");
    setenv("PATH", pl_text(&path), 1);
    pl_text_release(&path);
    return status;
}

/* ---- journals ---- */

struct scribe {
    struct pl_series_list series;
    struct pl_text lines;
    struct pl_provenance node;
};

static void write_run(struct scribe *s, int64_t run)
{
    const struct pl_run_result result = {.outcome = PL_FINISHED, .bad_epoch = -1, .exit_code = -1};
    struct pl_random r = pl_random_stream((uint64_t)run, PL_STREAM_DATA);
    struct pl_series *series = &s->series.all[0];
    series->count = 0;
    for (int i = 0; i < VALUES; i++) {
        double epoch = 20.0 * (i + 1), value = (1 + 0.1 * pl_random_uniform(&r, 0, (uint64_t)i)) / (1 + i);
        pl_series_append(series, &epoch, &value, 1);
    }
    pl_event_write_start(run, 1.7e9, &s->lines);
    pl_event_write_points(run, &s->series, &s->lines);
    pl_event_write_end(run, &result, VALUES, 0.01, &s->lines);
}

static int write_journal(struct scribe *s, const char *folder, int64_t task, struct pl_error *err)
{
    struct pl_order_file file;
    struct pl_journal *journal;
    struct pl_journal_head head = {.task = task, .attempt = 1, .time = 1.7e9, .node = "node"};
    int64_t attempt;
    int status = pl_order_file_read(folder, task, &file, err);
    if (status)
        return status;
    snprintf(head.submission, sizeof head.submission, "%s", file.head.submission);
    pl_text_clear(&s->lines);
    pl_journal_head_write(&head, &s->lines);
    pl_event_write_ready(&s->node, &s->lines);
    for (int64_t i = 0; i < file.head.runs && !status; i++) {
        enum pl_message kind;
        int64_t run;
        status = pl_message_read(file.lines[i], strlen(file.lines[i]), &kind, &run, err);
        if (!status)
            write_run(s, run);
    }
    pl_task_over_write(PL_OVER_DONE, "", &s->lines);
    if (!status)
        status = pl_journal_create(folder, task, &attempt, &journal, err);
    if (!status) {
        pl_journal_add(journal, pl_text(&s->lines), s->lines.length);
        status = pl_journal_sync(journal, err);
        pl_journal_close(journal);
    }
    pl_order_file_release(&file);
    return status;
}

static int write_journals(const struct pl_submission *submission, struct pl_error *err)
{
    struct scribe s = {
        .node = {
            .host = "node", .cpu = "cpu", .isa = "base", .version = pl_version(), .compiler = "cc", .libraries = "c"}};
    int status = 0;
    pl_series_open(&s.series, "loss", PL_BY_EPOCH);
    for (int64_t task = 0; task < submission->tasks && !status; task++)
        status = write_journal(&s, submission->folder, task, err);
    pl_series_release(&s.series);
    pl_text_release(&s.lines);
    return status;
}

/* ---- the whole ---- */

struct cluster {
    struct pl_store *store;
    struct pl_spec *spec;
    struct pl_sweep_plan plan;
    struct pl_submissions open;
};

static int plan(struct cluster *c, const char *folder, int64_t runs, struct pl_sweep_source *source,
                struct pl_error *err)
{
    struct pl_text text = {0}, path = {0};
    struct pl_text problems = {0};
    pl_text_addf(&text, spec_text, (long long)((runs + CONFIGS - 1) / CONFIGS));
    pl_text_addf(&path, "%s/cluster.db", folder);
    int status = pl_spec_parse(&c->spec, pl_text(&text), text.length, "bench", &problems, err);
    *source = (struct pl_sweep_source){c->spec, "bench"};
    if (!status)
        status = pl_store_open(&c->store, pl_text(&path), PL_STORE_WRITE, err);
    if (!status)
        status = pl_sweep_plan_make(&c->plan, c->store, source, 1, NULL, NULL, err);
    pl_text_release(&text);
    pl_text_release(&path);
    pl_text_release(&problems);
    return status;
}

static int submit(struct cluster *c, const char *folder, int64_t runs_per_task, struct pl_error *err)
{
    struct pl_text jobs = {0};
    int stopped_by = 0;
    pl_text_addf(&jobs, "%s/jobs", folder);
    const struct pl_batch_options batch = {.system = &pl_batch_slurm,
                                           .runs_per_task = runs_per_task,
                                           .requeues = 1,
                                           .detach = true,
                                           .program = "/bin/false",
                                           .home = folder,
                                           .folders = pl_text(&jobs)};
    const struct pl_sweep_options options = {.executor = &pl_executor_local,
                                             .batch = &batch,
                                             .jobs = 1,
                                             .threads = 1,
                                             .folders = folder,
                                             .retry_reason = ""};
    int status = pl_batch_run(c->store, &c->plan, &options, &stopped_by, err);
    pl_text_release(&jobs);
    return status ? status : pl_submissions_read(&c->open, c->store, true, err);
}

int pl_bench_cluster(struct pl_bench_studies *studies, int64_t runs, int64_t runs_per_task,
                     struct pl_bench_cluster_time *time, struct pl_error *err)
{
    const char *folder = pl_bench_studies_folder(studies);
    struct cluster c = {0};
    struct pl_sweep_source source;
    struct pl_collected collected = {0};
    int status = put_stubs(folder, err);
    if (!status)
        status = plan(&c, folder, runs, &source, err);
    double begun = pl_clock_steady();
    if (!status)
        status = submit(&c, folder, runs_per_task, err);
    *time = (struct pl_bench_cluster_time){.submit = pl_clock_steady() - begun};
    time->submit_megabytes = megabytes_of_process();
    if (!status && c.open.count != 1)
        status = pl_fail(err, PL_ESTOPPED, "%zu submissions were made", c.open.count);
    if (!status) {
        time->runs = c.open.all[0].runs;
        time->tasks = c.open.all[0].tasks;
        status = write_journals(&c.open.all[0], err);
    }
    begun = pl_clock_steady();
    if (!status)
        status = pl_batch_collect_all(c.store, 0, &collected, err);
    time->collect = pl_clock_steady() - begun;
    time->megabytes = megabytes_of_process();
    if (!status && collected.ended != time->runs)
        status = pl_fail(err, PL_ESTOPPED, "%lld of %lld runs were taken in", (long long)collected.ended,
                         (long long)time->runs);
    pl_submissions_release(&c.open);
    pl_sweep_plan_release(&c.plan);
    pl_store_close(c.store);
    pl_spec_free(c.spec);
    return status;
}
