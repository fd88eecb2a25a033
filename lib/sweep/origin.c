/* Which program the results of a plan's runs are of, and which of its runs are wanted anew. */
#include "sweep/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Results of one program where another one is wanted. */
struct change {
    int64_t older;
    const struct pl_program *now;
    bool accepted, differs;
    int64_t runs;
    double first, last; /* when they were started */
    char *how;
};

struct origins {
    struct pl_store *store;
    struct pl_programs *programs;
    struct change *changes; /* every pair that was met */
    size_t count, capacity;
};

static int judge(struct origins *o, struct change *change, struct pl_error *err)
{
    struct pl_program before;
    struct pl_text how = {0};
    int status = pl_store_program(o->store, change->older, &before, err);
    if (status)
        return status;
    change->differs = pl_program_differs(&before, change->now, &how);
    change->how = pl_text_take(&how);
    pl_store_program_release(&before);
    return change->differs ? pl_store_is_accepted(o->store, change->older, change->now, &change->accepted, err) : 0;
}

static int find_change(struct origins *o, int64_t older, const struct pl_program *now, struct change **found,
                       struct pl_error *err)
{
    for (size_t i = o->count; i-- > 0;)
        if (o->changes[i].older == older && o->changes[i].now == now) {
            *found = &o->changes[i];
            return 0;
        }
    void *list = o->changes;
    pl_grow(&list, &o->capacity, o->count + 1, sizeof *o->changes);
    o->changes = list;
    *found = &o->changes[o->count++];
    **found = (struct change){.older = older, .now = now};
    return judge(o, *found, err);
}

static void add_run(struct pl_changed *changed, int64_t run)
{
    void *list = changed->runs;
    pl_grow(&list, &changed->capacity, changed->count + 1, sizeof *changed->runs);
    changed->runs = list;
    changed->runs[changed->count++] = run;
}

static void add_pair(struct pl_changed *changed, const struct change *change)
{
    changed->pairs = pl_resize(changed->pairs, changed->pair_count + 1, sizeof *changed->pairs);
    changed->pairs[changed->pair_count++] = (struct pl_changed_pair){change->older, change->now};
}

static int check_run(struct origins *o, const struct pl_settings *settings, const char *canonical, const char *home,
                     int64_t seed, struct pl_changed *changed, struct pl_error *err)
{
    unsigned char key[PL_DIGEST_SIZE];
    struct pl_origin origin;
    struct change *change;
    pl_run_key(canonical, seed, key);
    int status = pl_store_origin(o->store, key, &origin, err);
    if (status)
        return status < 0 ? status : 0;
    if (!origin.program || (origin.status != PL_RUN_FINISHED && origin.status != PL_RUN_DIVERGED))
        return 0;
    const struct pl_program *now = pl_programs_of(o->programs, settings, home, seed);
    status = now ? find_change(o, origin.program, now, &change, err) : 1;
    if (status || !change->differs || change->accepted)
        return status < 0 ? status : 0;
    change->first = !change->runs || origin.started < change->first ? origin.started : change->first;
    change->last = !change->runs || origin.started > change->last ? origin.started : change->last;
    change->runs++;
    add_run(changed, origin.run);
    return 0;
}

static int check_study(struct origins *o, const struct pl_study *study, struct pl_changed *changed,
                       struct pl_error *err)
{
    struct pl_text canonical = {0};
    struct pl_walk *walk = pl_walk_new(study);
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t seed_count;
    int status = 0;
    while (!status && !pl_walk_next(walk, &settings, &seeds, &seed_count)) {
        if (!pl_settings_find(settings, "command"))
            break; /* a task of one kind is all that a study has */
        pl_text_clear(&canonical);
        pl_settings_write(settings, &canonical);
        for (size_t i = 0; i < seed_count && !status; i++)
            status = check_run(o, settings, pl_text(&canonical), study->home, seeds[i], changed, err);
    }
    pl_walk_free(walk);
    pl_text_release(&canonical);
    return status;
}

static void add_time(struct pl_text *out, double seconds)
{
    char text[PL_TIME_TEXT_SIZE];
    pl_text_add(out, pl_time_text(seconds, text));
}

static void describe(const struct change *change, struct pl_text *out)
{
    pl_text_addf(out, "%lld run%s of another program, started ", (long long)change->runs,
                 change->runs == 1 ? " is" : "s are");
    if (change->first < change->last - 1) {
        pl_text_add(out, "from ");
        add_time(out, change->first);
        pl_text_add(out, " to ");
        add_time(out, change->last);
    } else {
        pl_text_add(out, "at ");
        add_time(out, change->first);
    }
    pl_text_addf(out, ": %s\n", change->how);
}

/* Describes what was met, and lets go of it. */
static void conclude(struct origins *o, struct pl_changed *changed)
{
    enum { MOST_DESCRIBED = 10 };
    size_t described = 0, left = 0;
    for (size_t i = 0; i < o->count; i++) {
        const struct change *change = &o->changes[i];
        if (change->runs && described++ < MOST_DESCRIBED)
            describe(change, &changed->text);
        else if (change->runs)
            left++;
        if (change->runs)
            add_pair(changed, change);
        free(o->changes[i].how);
    }
    if (left)
        pl_text_addf(&changed->text, "and %zu other programs\n", left);
    free(o->changes);
}

int pl_changed_find(struct pl_changed *changed, struct pl_store *store, struct pl_programs *programs,
                    const struct pl_sweep_source *sources, size_t count, struct pl_error *err)
{
    struct origins o = {.store = store, .programs = programs};
    int status = 0;
    for (size_t i = 0; i < count && !status; i++)
        for (size_t k = 0; k < pl_spec_study_count(sources[i].spec) && !status; k++)
            if (!pl_spec_study(sources[i].spec, k)->waiting)
                status = check_study(&o, pl_spec_study(sources[i].spec, k), changed, err);
    conclude(&o, changed);
    return status;
}

int pl_changed_find_in(struct pl_changed *changed, struct pl_store *store, struct pl_programs *programs,
                       const struct pl_study *study, struct pl_error *err)
{
    struct origins o = {.store = store, .programs = programs};
    int status = check_study(&o, study, changed, err);
    conclude(&o, changed);
    return status;
}

int pl_changed_accept(const struct pl_changed *changed, struct pl_store *store, struct pl_error *err)
{
    int status = 0;
    for (size_t i = 0; i < changed->pair_count && !status; i++) {
        int64_t newer;
        status = pl_store_put_program(store, changed->pairs[i].now, &newer, err);
        if (!status)
            status = pl_store_accept(store, changed->pairs[i].older, newer, err);
    }
    return status;
}

void pl_changed_release(struct pl_changed *changed)
{
    pl_text_release(&changed->text);
    free(changed->runs);
    free(changed->pairs);
    *changed = (struct pl_changed){0};
}

/* ---- forgetting ---- */

/* The folder goes out of the way, or the program would find itself done; what is in it is kept. */
int pl_sweep_put_folder_aside(struct pl_store *store, const char *folders, const char *owner, int64_t run,
                              struct pl_error *err)
{
    char name[32];
    struct pl_run_info info = {0};
    struct pl_text path = {0}, aside = {0};
    snprintf(name, sizeof name, "%lld", (long long)run);
    int status = pl_store_run_info(store, name, &info, err);
    if (!status) {
        pl_run_folder(folders, owner, run, info.key, info.attempts > 0, &path);
        pl_text_addf(&aside, "%s.attempt-%lld", pl_text(&path), (long long)info.attempts);
        enum pl_folder_state state = pl_train_folder_state(pl_text(&path), owner, info.key);
        if ((state == PL_FOLDER_OWN || state == PL_FOLDER_UNMARKED) && rename(pl_text(&path), pl_text(&aside)))
            status = pl_fail(err, PL_EIO, "cannot rename the folder %s to %s", pl_text(&path), pl_text(&aside));
    }
    pl_run_info_release(&info);
    pl_text_release(&path);
    pl_text_release(&aside);
    return status;
}

int pl_sweep_forget_runs(struct pl_store *store, const int64_t *runs, size_t count, const char *folders,
                         size_t *forgotten, struct pl_error *err)
{
    char owner[PL_STORE_TOKEN_SIZE];
    *forgotten = 0;
    int status = pl_store_token(store, owner, err);
    if (!status)
        status = pl_store_begin(store, err);
    if (status)
        return status;
    for (size_t i = 0; i < count && status >= 0; i++) {
        status = pl_store_forget(store, runs[i], err);
        if (!status)
            status = pl_sweep_put_folder_aside(store, folders, owner, runs[i], err);
        *forgotten += !status;
    }
    status = status < 0 ? status : pl_store_commit(store, err);
    if (status)
        pl_store_rollback(store);
    return status;
}

/* ---- conditions on runs ---- */

/* The setting that a key spells, or NULL. */
static const struct pl_value *find_spelled(const struct pl_settings *settings, const char *key)
{
    const struct pl_value *value = pl_settings_find(settings, key);
    size_t at = 0;
    for (const char *other; !value && (other = pl_train_key_of(key, &at));)
        value = pl_settings_find(settings, other);
    return value;
}

bool pl_where_holds(const struct pl_condition *where, size_t count, const struct pl_settings *settings, int64_t seed,
                    enum pl_status status, unsigned char *known)
{
    bool holds = true;
    for (size_t i = 0; i < count; i++) {
        struct pl_value own = {PL_INTEGER, {.integer = seed}};
        const struct pl_value *value = &own;
        if (!strcmp(where[i].key, "status"))
            own = (struct pl_value){PL_STRING, {.string = pl_status_name(status)}};
        else if (strcmp(where[i].key, "seed") != 0)
            value = find_spelled(settings, where[i].key);
        if (value)
            known[i] |= PL_SEEN | (value->type == PL_REAL || value->type == PL_INTEGER ? 0 : PL_SEEN_WORD);
        holds = holds && value && pl_condition_admits(&where[i], value);
    }
    return holds;
}
