/* The end of a submission. */
#include "sweep/batch/batch.h"
#include "sweep/batch/mark.h"
#include "sweep/batch/order_file.h"

#include <string.h>
#include <unistd.h>

struct ends {
    int64_t open;
    bool odd; /* a task did not end as it should: somebody may want to read why */
};

static int take(void *self, const struct pl_task_info *task)
{
    struct ends *ends = self;
    ends->open += !task->over;
    ends->odd = ends->odd || (task->reason && *task->reason);
    return 0;
}

/* A database may name any folder as that of a submission: one from elsewhere, or one that somebody has made. Only that
 * which has the submission's own orders is the submission's, to be written to and removed. */
static bool has_its_folder(struct pl_store *store, const struct pl_submission *submission)
{
    struct pl_order_file orders;
    struct pl_error none = {0};
    char token[PL_STORE_TOKEN_SIZE];
    if (*submission->folder != '/' || pl_store_token(store, token, &none) ||
        pl_order_file_read(submission->folder, 0, &orders, &none))
        return false;
    bool its = !strcmp(orders.head.owner, token) && !strcmp(orders.head.submission, submission->name);
    pl_order_file_release(&orders);
    return its;
}

int pl_batch_close(struct pl_store *store, const struct pl_submission *submission, struct pl_error *err)
{
    struct ends ends = {0};
    int status = pl_store_each_task(store, submission->id, take, &ends, err);
    if (status || ends.open)
        return status;
    status = pl_store_submission_close(store, submission->id, "its submission is over", err);
    if (!status && !ends.odd && has_its_folder(store, submission)) {
        struct pl_text parent = {0};
        pl_text_add(&parent, submission->folder);
        pl_folder_remove(submission->folder);
        pl_text_cut(&parent, (size_t)(strrchr(pl_text(&parent), '/') - pl_text(&parent)));
        rmdir(pl_text(&parent)); /* the last one takes the folder of folders with it */
        pl_text_release(&parent);
    }
    return status ? status : 1;
}

struct arrays {
    const struct pl_batch_system *system;
    struct pl_error *err;
};

static int cancel_array(void *self, const struct pl_array_info *array)
{
    const struct arrays *arrays = self;
    char id[PL_ARRAY_ID_SIZE];
    if (array->state == PL_ARRAY_SUBMITTED && array->job)
        return arrays->system->cancel(array->job, arrays->err);
    if (array->state != PL_ARRAY_ASKED)
        return 0;
    int found = arrays->system->find(array->name, id, arrays->err);
    return found ? (found < 0 ? found : 0) : arrays->system->cancel(id, arrays->err);
}

int pl_batch_cancel(struct pl_store *store, const struct pl_submission *submission,
                    const struct pl_batch_system *system, struct pl_error *err)
{
    static const char reason[] = "its submission was cancelled";
    struct arrays arrays = {system, err};
    if (has_its_folder(store, submission))
        pl_mark_cancelled(submission->folder, reason); /* tasks that start all the same find it */
    int status = pl_store_each_array(store, submission->id, cancel_array, &arrays, err);
    return status ? status : pl_store_submission_close(store, submission->id, reason, err);
}
