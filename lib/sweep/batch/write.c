/* Writing a submission: runs are claimed, and their orders put into a folder. All of it is one transaction, so that a
 * kill leaves either a submission that can be submitted or none. */
#include "sweep/batch/batch.h"
#include "sweep/batch/order_file.h"
#include "sweep/ledger.h"
#include "sweep/orders.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CLAIMS = 2048, ARRAY_MOST = 1000, NAME_MOST = 40 };

struct writer {
    struct pl_store *store;
    const struct pl_sweep_options *options;
    const struct pl_batch_request *request;
    struct pl_submission *submission;
    struct pl_ledger ledger;
    struct pl_orders orders;
    struct pl_text lines, file, path;  /* orders of the task at hand, the file it becomes, its name */
    int64_t task, in_task, runs, left; /* left: that may still be taken */
    bool made;                         /* the submission's folder */
};

/* A word for names of files and jobs: the study as far as it is plain, and something that nobody else has. */
static int make_name(const char *study, struct pl_text *name, struct pl_error *err)
{
    unsigned char random[4];
    for (const char *c = study; *c && name->length < NAME_MOST; c++)
        pl_text_add_char(name,
                         (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ? *c : '-');
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return pl_fail(err, PL_EIO, "cannot draw a random name: %s", strerror(errno));
    pl_text_addf(name, "-%02x%02x%02x%02x", random[0], random[1], random[2], random[3]);
    return 0;
}

static int write_file(const char *path, const struct pl_text *text, struct pl_error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    size_t done = 0;
    while (fd >= 0 && done < text->length) {
        ssize_t n = write(fd, text->text + done, text->length - done);
        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    int problem = done < text->length || fd < 0 ? errno : 0;
    if (fd >= 0 && close(fd) && !problem)
        problem = errno;
    return problem ? pl_fail(err, PL_EIO, "cannot write %s: %s", path, strerror(problem)) : 0;
}

/* The orders of a task are complete. */
static int close_task(struct writer *w, struct pl_error *err)
{
    if (!w->in_task)
        return 0;
    const struct pl_order_head head = {.submission = w->submission->name,
                                       .owner = w->orders.owner,
                                       .system = w->submission->system,
                                       .version = pl_version(),
                                       .task = w->task,
                                       .runs = w->in_task,
                                       .workers = w->request->workers,
                                       .threads = w->request->threads,
                                       .requeues = w->options->batch->requeues,
                                       .timeout = w->options->timeout,
                                       .warning = pl_batch_warning(&w->request->resources)};
    pl_text_clear(&w->file);
    pl_order_file_begin(&head, &w->file);
    pl_text_add_bytes(&w->file, pl_text(&w->lines), w->lines.length);
    pl_order_file_end(&w->file);
    pl_text_clear(&w->path);
    pl_order_file_path(w->submission->folder, w->task, &w->path);
    int status = write_file(pl_text(&w->path), &w->file, err);
    pl_text_clear(&w->lines);
    w->task++;
    w->in_task = 0;
    return status;
}

static int write_run(struct writer *w, const struct pl_claimed *run, struct pl_error *err)
{
    int status = 0;
    if (!w->in_task)
        status = pl_store_task_add(w->store, w->submission->id, w->task, err);
    if (!status)
        status = pl_store_task_run_add(w->store, w->submission->id, w->task, &run->claim, run->ending.program, err);
    pl_orders_write(&w->orders, run, 0, &w->lines);
    w->in_task++;
    w->runs++;
    if (!status && w->in_task == w->request->runs)
        status = close_task(w, err);
    return status;
}

static int write_runs(struct writer *w, struct pl_sweep_study *study, struct pl_error *err)
{
    size_t taken = 1;
    int status = 0;
    while (taken && w->left && !status) {
        size_t most = w->left < CLAIMS ? (size_t)w->left : CLAIMS;
        struct pl_claimed *run;
        status = pl_ledger_claim(&w->ledger, study, most, &taken, err);
        w->left -= (int64_t)taken;
        while ((run = pl_claimed_pop(&w->ledger.backlog))) {
            if (!status)
                status = write_run(w, run, err);
            pl_ledger_drop(&w->ledger, run);
        }
    }
    return status ? status : close_task(w, err);
}

void pl_batch_script_path(const char *folder, int64_t number, struct pl_text *path)
{
    pl_text_addf(path, "%s/array-%" PRId64 ".sh", folder, number);
}

int pl_batch_script(const struct pl_submission *submission, const struct pl_batch_request *request,
                    const struct pl_batch_options *options, const struct pl_array_info *info, struct pl_text *out,
                    struct pl_error *err)
{
    const struct pl_array array = {.name = info->name,
                                   .folder = submission->folder,
                                   .home = options->home,
                                   .program = options->program,
                                   .first = info->first,
                                   .count = info->count,
                                   .at_once = options->at_once,
                                   .warning = pl_batch_warning(&request->resources),
                                   .resources = &request->resources};
    return options->system->script(&array, out, err);
}

static int write_script(struct writer *w, const struct pl_array_info *array, struct pl_error *err)
{
    pl_text_clear(&w->path);
    pl_text_clear(&w->file);
    pl_batch_script_path(w->submission->folder, array->number, &w->path);
    int status = pl_batch_script(w->submission, w->request, w->options->batch, array, &w->file, err);
    return status ? status : write_file(pl_text(&w->path), &w->file, err);
}

static int plan_arrays(struct writer *w, struct pl_error *err)
{
    int64_t most = w->request->array_most > 0 && w->request->array_most < ARRAY_MOST ? w->request->array_most
                                                                                     : ARRAY_MOST;
    int status = 0;
    struct pl_text name = {0};
    for (int64_t first = 0, number = 0; first < w->task && !status; first += most, number++) {
        struct pl_array_info array = {.submission = w->submission->id, .number = number, .first = first};
        array.count = w->task - first < most ? w->task - first : most;
        pl_text_clear(&name);
        pl_text_addf(&name, "%s.%" PRId64, w->submission->name, number);
        array.name = pl_text(&name);
        status = pl_store_array_add(w->store, &array, err);
        if (!status)
            status = write_script(w, &array, err);
    }
    pl_text_release(&name);
    return status;
}

/* What was written must be there before the database says that it is. */
static int settle_folder(const char *folder, struct pl_error *err)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int problem = fd < 0 || syncfs(fd) ? errno : 0;
    if (fd >= 0)
        close(fd);
    return problem ? pl_fail(err, PL_EIO, "cannot write to %s: %s", folder, strerror(problem)) : 0;
}

static int write_all(struct writer *w, struct pl_sweep_study *study, struct pl_error *err)
{
    int status = pl_store_begin(w->store, err);
    if (status)
        return status;
    status = write_runs(w, study, err);
    if (!status && w->runs)
        status = plan_arrays(w, err);
    if (!status && w->runs)
        status = settle_folder(w->submission->folder, err);
    if (!status && w->runs)
        status = pl_store_submission_open(w->store, w->submission->id, w->task, w->runs, err);
    if (!status)
        status = pl_store_commit(w->store, err);
    if (status)
        pl_store_rollback(w->store);
    return status;
}

static void name_user(struct pl_pool *pool, struct pl_submission *submission)
{
    const struct passwd *entry = getpwuid(getuid());
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)getuid());
    submission->user = pl_pool_copy(pool, entry ? entry->pw_name : number);
}

/* Enters the submission as one that is being written, and makes its folder. */
static int begin(struct writer *w, const struct pl_sweep_study *study, struct pl_pool *pool, struct pl_error *err)
{
    const struct pl_batch_options *batch = w->options->batch;
    struct pl_text name = {0}, path = {0}, resources = {0};
    int status = make_name(study->study->name, &name, err);
    pl_text_addf(&path, "%s/%s", batch->folders, pl_text(&name));
    pl_batch_request_describe(w->request, &resources);
    *w->submission = (struct pl_submission){.session = w->ledger.session,
                                            .sweep = study->sweep,
                                            .threads = w->request->threads,
                                            .created = pl_clock(),
                                            .name = pl_pool_copy(pool, pl_text(&name)),
                                            .study = study->study->name,
                                            .system = batch->system->name,
                                            .folder = pl_pool_copy(pool, pl_text(&path)),
                                            .resources = pl_pool_copy(pool, pl_text(&resources)),
                                            .reading = study->study->reading};
    name_user(pool, w->submission);
    if (!status)
        status = pl_store_submission_add(w->store, w->submission, &w->submission->id, err);
    if (!status)
        status = pl_folder_make(w->submission->folder, err);
    w->made = !status;
    pl_text_release(&name);
    pl_text_release(&path);
    pl_text_release(&resources);
    return status;
}

int pl_batch_write(struct pl_store *store, struct pl_sweep_plan *plan, size_t study,
                   const struct pl_sweep_options *options, const struct pl_batch_request *request,
                   struct pl_submission *submission, struct pl_pool *pool, struct pl_error *err)
{
    struct pl_sweep_study *of = &plan->studies[study];
    struct writer w = {.store = store, .options = options, .request = request, .submission = submission};
    w.left = options->limit ? options->limit : INT64_MAX;
    pl_ledger_init(&w.ledger, store, plan, options);
    int status = pl_ledger_join(&w.ledger, err);
    w.orders = (struct pl_orders){.options = options, .owner = w.ledger.owner};
    if (!status)
        status = begin(&w, of, pool, err);
    if (!status)
        status = write_all(&w, of, err);
    submission->tasks = w.task;
    submission->runs = w.runs;
    bool opened = !status && w.runs;
    if (!opened && w.made)
        pl_folder_remove(submission->folder);
    struct pl_error later = {0};
    if (!opened && w.ledger.session)
        pl_ledger_leave(&w.ledger, status ? &later : err);
    submission->state = opened ? PL_SUBMISSION_OPEN : PL_SUBMISSION_CLOSED;
    pl_ledger_release(&w.ledger);
    pl_text_release(&w.lines);
    pl_text_release(&w.file);
    pl_text_release(&w.path);
    return status ? status : !opened;
}
