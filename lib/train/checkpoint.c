/* Checkpoints: two files in the run's folder, written in turn. A name always stands for a whole file (it is written
 * under another name and renamed), and a digest tells whether it still is what was written. */
#include "train/network.h"
#include "train/safetensors.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORMAT "poula checkpoint 2"
#define RECORD "poula/record/"
#define EPOCHS "poula/epochs/"

enum { SLOTS = 2, STATES = 32, PROGRESS = 5, SUMS = 4 }; /* the last two: members of struct pl_progress */

/* The arrays that make up a checkpoint. Zero-initialise. */
struct list {
    struct pl_safetensor *tensors;
    size_t count, capacity;
    struct pl_pool pool; /* of names */
};

static void add(struct list *l, struct pl_safetensor tensor)
{
    void *block = l->tensors;
    pl_grow(&block, &l->capacity, l->count + 1, sizeof *l->tensors);
    l->tensors = block;
    l->tensors[l->count++] = tensor;
}

static const char *join(struct list *l, const char *prefix, const char *name)
{
    size_t before = strlen(prefix), length = strlen(name);
    char *joined = pl_pool_take(&l->pool, before + length + 1);
    memcpy(joined, prefix, before);
    memcpy(joined + before, name, length + 1);
    return joined;
}

static void release(struct list *l)
{
    free(l->tensors);
    pl_pool_release(&l->pool);
}

static void add_table(struct list *l, const struct pl_parameter *table, size_t count, const void *arena, const char *type)
{
    size_t size = !strcmp(type, "F32") ? sizeof(float) : sizeof(double);
    for (size_t i = 0; i < count; i++) {
        struct pl_safetensor t = {.name = table[i].name, .type = type, .dims = table[i].dims, .count = table[i].count,
                                  .data = (const char *)arena + table[i].offset * size};
        for (int k = 0; k < t.dims; k++)
            t.shape[k] = table[i].shape[k];
        add(l, t);
    }
}

/* Everything that training goes on from, where it lies: to be written, or to be read into. */
static void add_state(struct list *l, struct pl_network *n)
{
    struct pl_optim_array states[STATES];
    struct pl_progress *p = &n->progress;
    size_t count;
    const struct pl_parameter *table = pl_graph_parameters(n->graph, &count);
    add_table(l, table, count, n->theta, n->element == PL_FLOAT32 ? "F32" : "F64");
    table = pl_graph_statistics(n->graph, &count);
    add_table(l, table, count, n->statistics, "F64");
    count = pl_optim_state(n->optim, states, STATES);
    for (size_t i = 0; i < count && i < STATES; i++)
        add(l, pl_safetensor_list(join(l, "poula/optimizer/", states[i].name),
                                  states[i].kind == 'f' ? "F32" : states[i].kind == 'd' ? "F64" : "U64",
                                  states[i].data, states[i].count));
    add(l, pl_safetensor_list("poula/progress", "U64", &p->epoch, PROGRESS));
    add(l, pl_safetensor_list("poula/sums", "F64", &p->loss, SUMS));
    add(l, pl_safetensor_list("poula/schedule", "U64", &n->schedule.stale, 2));
    add(l, pl_safetensor_list("poula/schedule/best", "F64", &n->schedule.best, 1));
    if (n->recording.on)
        add(l, pl_safetensor_list("poula/shares", "F64", p->shares, PL_SHARES));
    if (n->recurrent)
        add(l, pl_safetensor_list("poula/recurrent", "F64", n->carried, pl_plan_state_length(n->recurrent)));
}

static void add_history(struct list *l, const struct pl_history *h)
{
    for (size_t i = 0; i < h->count; i++) {
        const struct pl_history_series *s = &h->series[i];
        add(l, pl_safetensor_list(join(l, EPOCHS, s->metric), "U64", s->epochs, s->count));
        add(l, pl_safetensor_list(join(l, RECORD, s->metric), "F64", s->values, s->count));
    }
}

static void name_slot(const struct pl_network *n, int slot, struct pl_text *path)
{
    pl_text_clear(path);
    pl_text_addf(path, "%s/checkpoint-%d.safetensors", n->request->folder, slot);
}

/* ---- writing ---- */

void pl_checkpoint_write(struct pl_network *n)
{
    if (!n->request->folder)
        return;
    struct list list = {0};
    struct pl_settings metadata = {0};
    struct pl_text path = {0};
    struct pl_error err;
    char digest[2 * PL_DIGEST_SIZE + 1];
    name_slot(n, n->slot, &path);
    if (n->recurrent)
        pl_plan_state_get(n->recurrent, n->carried);
    add_state(&list, n);
    add_history(&list, &n->history);
    pl_safetensors_digest(list.tensors, list.count, digest);
    pl_network_describe(n, &metadata);
    pl_settings_set_string(&metadata, "format", FORMAT);
    pl_settings_set_string(&metadata, "digest", digest);
    pl_settings_set_string(&metadata, "isa", pl_isa_name(pl_host_isa()));
    int status = pl_folder_make(n->request->folder, &err);
    if (!status)
        pl_train_folder_mark(n->request);
    if (!status)
        status = pl_safetensors_write(pl_text(&path), &metadata, list.tensors, list.count, &err);
    if (status)
        pl_network_log(n, "no checkpoint was written: %s", err.text);
    else
        n->slot = SLOTS + 1 - n->slot;
    n->saved = pl_clock_steady();
    release(&list);
    pl_settings_release(&metadata);
    pl_text_release(&path);
}

/* ---- reading ---- */

/* Is the file a whole checkpoint of this run? */
static int examine(const struct pl_network *n, const char *path, struct pl_safetensors *file, struct pl_error *err)
{
    char digest[2 * PL_DIGEST_SIZE + 1];
    int status = pl_safetensors_read(file, path, err);
    if (status)
        return status;
    const struct pl_settings *m = &file->metadata;
    pl_safetensors_digest(file->tensors, file->count, digest);
    if (strcmp(pl_settings_string(m, "format", ""), FORMAT))
        status = pl_fail(err, PL_EVERSION, "%s is in format \"%.60s\", not \"%s\"", path,
                         pl_settings_string(m, "format", ""), FORMAT);
    else if (strcmp(pl_settings_string(m, "poula", ""), PL_VERSION))
        status = pl_fail(err, PL_EVERSION, "%s was written by poula %.60s, and this is %s", path,
                         pl_settings_string(m, "poula", ""), PL_VERSION);
    else if (strcmp(pl_settings_string(m, "key", ""), n->key))
        status = pl_fail(err, PL_EINPUT, "%s belongs to another run", path);
    else if (strcmp(pl_settings_string(m, "digest", ""), digest))
        status = pl_fail(err, PL_ECORRUPT, "%s was altered after it was written", path);
    if (status)
        pl_safetensors_release(file);
    return status;
}

/* Is a further than b? */
static bool is_later(const struct pl_safetensors *a, const struct pl_safetensors *b)
{
    uint64_t p[PROGRESS] = {0}, q[PROGRESS] = {0};
    pl_safetensors_copy(a, "poula/progress", "U64", PROGRESS, p, NULL);
    pl_safetensors_copy(b, "poula/progress", "U64", PROGRESS, q, NULL);
    return p[0] != q[0] ? p[0] > q[0] : p[1] > q[1];
}

/* Copies everything, or nothing when something does not fit. */
static int restore_state(struct pl_network *n, const struct pl_safetensors *file, struct pl_error *err)
{
    struct list list = {0};
    int status = 0;
    add_state(&list, n);
    for (size_t i = 0; i < list.count && !status; i++) {
        const struct pl_safetensor *to = &list.tensors[i], *from = pl_safetensors_find(file, to->name);
        if (!from || strcmp(from->type, to->type) || from->count != to->count)
            status = pl_fail(err, PL_ECORRUPT, "its tensor %s is not what this run needs", to->name);
    }
    for (size_t i = 0; i < list.count && !status; i++) {
        const struct pl_safetensor *to = &list.tensors[i];
        status = pl_safetensors_copy(file, to->name, to->type, to->count, (void *)(uintptr_t)to->data, err);
    }
    if (!status && n->recurrent)
        pl_plan_state_set(n->recurrent, n->carried);
    release(&list);
    return status;
}

static void restore_history(struct pl_network *n, const struct pl_safetensors *file)
{
    for (size_t i = 0; i < file->count; i++) {
        const struct pl_safetensor *values = &file->tensors[i], *epochs;
        if (strncmp(values->name, RECORD, strlen(RECORD)) || strcmp(values->type, "F64"))
            continue;
        const char *metric = values->name + strlen(RECORD);
        struct pl_text name = {0};
        pl_text_addf(&name, "%s%s", EPOCHS, metric);
        epochs = pl_safetensors_find(file, pl_text(&name));
        for (size_t k = 0; epochs && epochs->count == values->count && k < values->count; k++) {
            uint64_t epoch;
            double value;
            memcpy(&epoch, (const char *)epochs->data + k * sizeof epoch, sizeof epoch);
            memcpy(&value, (const char *)values->data + k * sizeof value, sizeof value);
            pl_history_add(&n->history, metric, epoch, value);
        }
        pl_text_release(&name);
    }
}

/* What a kill in the middle of writing has left. */
static void sweep_folder(const struct pl_network *n)
{
    DIR *folder = opendir(n->request->folder);
    struct pl_text path = {0};
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        const char *end = strstr(entry->d_name, ".safetensors.");
        if (!end || (strncmp(entry->d_name, "checkpoint-", 11) && strncmp(entry->d_name, "weights.", 8)))
            continue;
        pl_text_clear(&path);
        pl_text_addf(&path, "%s/%s", n->request->folder, entry->d_name);
        unlink(pl_text(&path));
    }
    pl_text_release(&path);
    if (folder)
        closedir(folder);
}

static int go_on(struct pl_network *n, struct pl_safetensors *file, int slot)
{
    struct pl_error err;
    if (restore_state(n, file, &err)) {
        pl_network_log(n, "a checkpoint is not used: %s", err.text);
        return 1;
    }
    restore_history(n, file);
    n->slot = SLOTS + 1 - slot;
    const char *isa = pl_settings_string(&file->metadata, "isa", "");
    pl_network_log(n, "goes on from a checkpoint in epoch %llu, after %llu batches",
                   (unsigned long long)n->progress.epoch + 1, (unsigned long long)n->progress.batch);
    if (strcmp(isa, pl_isa_name(pl_host_isa())))
        pl_network_log(n, "the checkpoint was written with %s instructions, and this machine uses %s: the last bits of "
                          "what follows may differ", isa, pl_isa_name(pl_host_isa()));
    return 0;
}

int pl_checkpoint_load(struct pl_network *n)
{
    struct pl_safetensors files[SLOTS + 1] = {0};
    bool good[SLOTS + 1] = {0};
    int found = 1;
    if (!n->request->folder)
        return 1;
    sweep_folder(n);
    for (int slot = 1; slot <= SLOTS; slot++) {
        struct pl_text path = {0};
        struct pl_error err;
        name_slot(n, slot, &path);
        int status = examine(n, pl_text(&path), &files[slot], &err);
        good[slot] = !status;
        if (status && status != PL_EMISSING)
            pl_network_log(n, "a checkpoint is not used: %s", err.text);
        pl_text_release(&path);
    }
    while (found && (good[1] || good[2])) {
        int newest = !good[1] || (good[2] && is_later(&files[2], &files[1])) ? 2 : 1;
        good[newest] = false;
        found = go_on(n, &files[newest], newest);
    }
    for (int slot = 1; slot <= SLOTS; slot++)
        pl_safetensors_release(&files[slot]);
    return found;
}

void pl_checkpoint_remove(struct pl_network *n)
{
    struct pl_text path = {0};
    for (int slot = 1; slot <= SLOTS && n->request->folder; slot++) {
        name_slot(n, slot, &path);
        unlink(pl_text(&path));
    }
    pl_text_release(&path);
}
