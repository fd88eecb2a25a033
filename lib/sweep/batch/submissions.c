/* Submissions as a list, and taking in all that are open. */
#include "sweep/batch/batch.h"
#include "sweep/batch/collect.h"

#include <stdlib.h>

static int take(void *self, const struct pl_submission *s)
{
    struct pl_submissions *list = self;
    void *all = list->all;
    pl_grow(&all, &list->capacity, list->count + 1, sizeof *list->all);
    list->all = all;
    struct pl_submission *copy = &list->all[list->count++];
    *copy = *s;
    copy->name = pl_pool_copy(&list->pool, s->name);
    copy->study = pl_pool_copy(&list->pool, s->study);
    copy->system = pl_pool_copy(&list->pool, s->system);
    copy->folder = pl_pool_copy(&list->pool, s->folder);
    copy->user = pl_pool_copy(&list->pool, s->user);
    copy->resources = pl_pool_copy(&list->pool, s->resources);
    copy->reading = s->reading ? pl_pool_copy(&list->pool, s->reading) : NULL;
    return 0;
}

int pl_submissions_read(struct pl_submissions *list, struct pl_store *store, bool open_only, struct pl_error *err)
{
    list->count = 0;
    pl_pool_clear(&list->pool);
    return pl_store_each_submission(store, open_only, take, list, err);
}

void pl_submissions_release(struct pl_submissions *list)
{
    free(list->all);
    pl_pool_release(&list->pool);
    *list = (struct pl_submissions){0};
}

int pl_batch_collect_all(struct pl_store *store, double seconds, struct pl_collected *collected, struct pl_error *err)
{
    struct pl_submissions list = {0};
    double until = pl_clock_steady() + seconds;
    int status = pl_submissions_read(&list, store, true, err);
    for (size_t i = 0; i < list.count && !status; i++) {
        double left = until - pl_clock_steady();
        if (seconds > 0 && left <= 0) {
            collected->more = true;
            break;
        }
        status = pl_batch_collect(store, &list.all[i], seconds > 0 ? left : 0, collected, err);
    }
    pl_submissions_release(&list);
    return status;
}
