/* Runs that go on where shorter ones ended: networks of which the settings differ in `epochs` alone. */
#include "sweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct extending {
    struct pl_store *store;
    const char *folders;
    char token[PL_STORE_TOKEN_SIZE];
    int64_t *lengths; /* epochs of runs that there are, the most first */
    size_t length_count, length_capacity;
    struct pl_extended *extended;
    struct pl_text canonical;
    struct pl_error *err;
};

static int take_length(void *self, int64_t epochs)
{
    struct extending *x = self;
    void *list = x->lengths;
    pl_grow(&list, &x->length_capacity, x->length_count + 1, sizeof *x->lengths);
    x->lengths = list;
    x->lengths[x->length_count++] = epochs;
    return 0;
}

/* Finds a run by its settings and seed; 1 where there is none. */
static int find(struct extending *x, const struct pl_settings *settings, int64_t seed, unsigned char *key,
                struct pl_run_info *info)
{
    char hex[2 * PL_DIGEST_SIZE + 1];
    pl_text_clear(&x->canonical);
    pl_settings_write(settings, &x->canonical);
    pl_run_key(pl_text(&x->canonical), seed, key);
    int status = pl_store_find_run(x->store, key, NULL, NULL, x->err);
    if (status)
        return status;
    pl_digest_hex(key, PL_DIGEST_SIZE, hex);
    return pl_store_run_info(x->store, hex, info, x->err);
}

/* 0 when the run has got the checkpoint of the shorter one, 1 when that has none. */
static int adopt(struct extending *x, const struct pl_run_info *run, const struct pl_run_info *shorter,
                 const unsigned char *key, int64_t epochs)
{
    struct pl_text from = {0}, to = {0};
    pl_run_folder(x->folders, x->token, shorter->run, shorter->key, true, &from);
    pl_run_folder(x->folders, x->token, run->run, run->key, false, &to);
    int status = pl_train_adopt_checkpoint(pl_text(&from), shorter->key, pl_text(&to), x->token, run->key, x->err);
    if (!status)
        status = pl_store_set_source(x->store, run->run, key, (double)epochs, x->err);
    pl_text_release(&from);
    pl_text_release(&to);
    return status == PL_EMISSING ? 1 : status;
}

/* The longest finished run of fewer epochs. */
static int look(struct extending *x, const struct pl_settings *settings, int64_t epochs, int64_t seed,
                const struct pl_run_info *run)
{
    struct pl_settings other = {0};
    bool shorter_one = false;
    int status = 1;
    pl_settings_copy(&other, settings);
    for (size_t i = 0; i < x->length_count && status == 1; i++) {
        struct pl_run_info shorter = {0};
        unsigned char key[PL_DIGEST_SIZE];
        if (x->lengths[i] >= epochs)
            continue;
        pl_settings_set_integer(&other, "epochs", x->lengths[i]);
        status = find(x, &other, seed, key, &shorter);
        if (!status && shorter.status != PL_RUN_FINISHED) {
            status = 1;
        } else if (!status) {
            shorter_one = true;
            status = adopt(x, run, &shorter, key, x->lengths[i]);
        }
        pl_run_info_release(&shorter);
    }
    pl_settings_release(&other);
    x->extended->runs += !status;
    x->extended->kept_nothing += status == 1 && shorter_one;
    return status < 0 ? status : 0;
}

static int look_at_run(struct extending *x, const struct pl_settings *settings, int64_t seed)
{
    struct pl_run_info run = {0};
    unsigned char key[PL_DIGEST_SIZE];
    int64_t epochs = pl_settings_need_integer(settings, "epochs");
    int status = find(x, settings, seed, key, &run);
    if (!status && run.status == PL_RUN_PLANNED && !run.attempts) {
        /* A decline over the whole run is another one for another length: the shorter run was trained with that. */
        if (!pl_has_word("none polynomial sqrt", pl_settings_string(settings, "anneal", "none")))
            x->extended->annealed++;
        else
            status = look(x, settings, epochs, seed, &run);
    }
    pl_run_info_release(&run);
    return status < 0 ? status : 0;
}

static int extend_study(struct extending *x, const struct pl_study *study)
{
    struct pl_walk *walk = pl_walk_new(study);
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t seed_count;
    int status = 0;
    while (!status && !pl_walk_next(walk, &settings, &seeds, &seed_count)) {
        if (!pl_settings_find(settings, "dataset") || !pl_settings_find(settings, "epochs"))
            break; /* a task of one kind is all that a study has */
        for (size_t i = 0; i < seed_count && !status; i++)
            status = look_at_run(x, settings, seeds[i]);
    }
    pl_walk_free(walk);
    return status;
}

int pl_sweep_extend(struct pl_store *store, const struct pl_sweep_plan *plan, const char *folders,
                    struct pl_extended *extended, struct pl_error *err)
{
    struct extending x = {.store = store, .folders = folders, .extended = extended, .err = err};
    *extended = (struct pl_extended){0};
    int status = pl_store_token(store, x.token, err);
    if (!status)
        status = pl_store_each_length(store, take_length, &x, err);
    for (size_t i = 0; i < plan->count && !status; i++)
        if (!plan->studies[i].study->waiting)
            status = extend_study(&x, plan->studies[i].study);
    pl_text_release(&x.canonical);
    free(x.lengths);
    return status;
}
