/* Runs of a study that are the same training under several keys, because they differ only in settings that change
 * nothing there (struct pl_setting, idle_when) or in the seed of a training that draws nothing; and settings that
 * change nothing in any run because of their own value, or though they are there only where somebody gives them. */
#include "spec/grid/grid.h"
#include "spec/grid/hash.h"
#include "spec/grid/part.h"
#include "spec/grid/walk.h"
#include "spec/spec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEYS = 32 };

/* A setting of the study that is idle somewhere, as one of its descriptors. */
struct idle {
    const struct pl_setting *setting; /* NULL: the seed */
    const char *optimizer;            /* that has it; NULL: another part of a run has */
};

/* The first run of each training. */
struct first {
    uint64_t hash[2];
    size_t row; /* of values; from 1 on, 0: the slot is free */
};

struct search {
    const struct pl_study_grid *grid;
    struct pl_walk *walk;
    const char *keys[MOST_KEYS]; /* that can be idle, the study's own ones */
    size_t key_count;
    struct own {
        const struct pl_setting *setting; /* the descriptor in the first run with a value that is no default */
        size_t given, idle;               /* runs with such a value; those in which it changes nothing */
    } own[MOST_KEYS];
    struct pl_entry *entries; /* room for the settings of a run */
    struct first *slots;
    size_t size;      /* a power of two */
    uint64_t *values; /* key_count hashes for each first run */
    size_t rows;
    struct idle found[MOST_KEYS];
    size_t found_count;
    uint64_t runs, repeated; /* visited; those that were another one's training */
};

static void add_keys(struct search *s, const struct part *part, const struct pl_setting *settings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < s->key_count && strcmp(s->keys[k], settings[i].key))
            k++;
        if (settings[i].idle_when && k == s->key_count && k < MOST_KEYS && pl_part_field(part, settings[i].key))
            s->keys[s->key_count++] = settings[i].key;
    }
}

/* In the order of the descriptors: of two whose conditions name one setting, that setting itself comes last. */
static void find_keys(struct search *s)
{
    for (size_t p = 0; p < s->grid->part_count; p++) {
        const struct part *part = &s->grid->parts[p];
        for (size_t v = 0; v < part->variant_count; v++)
            for (size_t i = 0; i < part->variants[v].schema.count && part->variants[v].good; i++)
                add_keys(s, part, part->variants[v].schema.parts[i].settings, part->variants[v].schema.parts[i].count);
    }
}

static void note_found(struct search *s, const struct pl_setting *setting, const char *optimizer)
{
    for (size_t i = 0; i < s->found_count; i++)
        if (s->found[i].setting == setting)
            return;
    if (s->found_count < MOST_KEYS)
        s->found[s->found_count++] = (struct idle){setting, optimizer};
}

static struct first *slot_of(struct search *s, const uint64_t hash[2])
{
    size_t i = hash[0] & (s->size - 1);
    while (s->slots[i].row && memcmp(s->slots[i].hash, hash, sizeof s->slots[i].hash))
        i = (i + 1) & (s->size - 1);
    return &s->slots[i];
}

static void replace(uint64_t hash[2], const char *key, const struct pl_value *old, const struct pl_value *new)
{
    uint64_t was[2], is[2];
    pl_value_hash(key, old, was);
    pl_value_hash(key, new, is);
    hash[0] += is[0] - was[0];
    hash[1] += is[1] - was[1];
}

/* Gives every setting that is idle its default, one after the other, since each may make another one idle. What is left
 * is the same for all runs of a training. hash is that of the settings, before and after. */
static void reset(const struct search *s, const struct pl_setting *const *settings, struct pl_settings *own,
                  uint64_t hash[2])
{
    bool done[MOST_KEYS] = {false}, more = true;
    while (more) {
        more = false;
        for (size_t k = 0; k < s->key_count; k++) {
            if (done[k] || !settings[k] || !pl_setting_is_idle(settings[k], own))
                continue;
            struct pl_value *value = (struct pl_value *)pl_settings_find(own, s->keys[k]), initial;
            struct pl_error err;
            if (settings[k]->initial && !pl_setting_read(settings[k], settings[k]->initial, &initial, &err)) {
                replace(hash, s->keys[k], value, &initial);
                *value = initial;
            }
            done[k] = more = true;
        }
    }
}

/* "warmup=1 and anneal=none", of warmup: is it its own value that can make the setting change nothing? */
static bool names_itself(const struct pl_setting *setting)
{
    size_t length;
    for (const char *at = setting->idle_when; (at = pl_next_word(at, &length)); at += length)
        if (strcspn(at, "!>= ") == strlen(setting->key) && !strncmp(at, setting->key, strlen(setting->key)))
            return true;
    return false;
}

static void count_own(struct own *own, const struct pl_setting *setting, const struct pl_settings *settings)
{
    struct pl_value initial;
    struct pl_error err;
    if ((!names_itself(setting) && !setting->sparse) || pl_setting_read(setting, setting->initial, &initial, &err) ||
        pl_value_equal(pl_settings_find(settings, setting->key), &initial))
        return;
    own->setting = setting;
    own->given++;
    own->idle += pl_setting_is_idle(setting, settings);
}

/* Looks at one configuration with one seed, or with all of them at once. */
static void visit(struct search *s, const struct pl_settings *settings, int64_t seed, size_t runs)
{
    const struct part *part = &s->grid->parts[s->walk->position.part];
    const struct variant *variant = &part->variants[s->walk->position.variant];
    const struct pl_setting *found[MOST_KEYS] = {NULL};
    enum pl_section sections[MOST_KEYS] = {0};
    uint64_t hash[2], own[2], values[MOST_KEYS] = {0};
    const struct pl_value number = {PL_INTEGER, {.integer = seed}};
    struct pl_settings copy = {.entries = s->entries, .count = settings->count, .capacity = settings->count};
    memcpy(s->entries, settings->entries, settings->count * sizeof *s->entries);
    pl_walk_hash(s->walk, hash);
    pl_value_hash("seed", &number, own);
    hash[0] += own[0];
    hash[1] += own[1];
    for (size_t k = 0; k < s->key_count; k++) {
        const struct pl_value *value = pl_settings_find(settings, s->keys[k]);
        found[k] = value ? pl_schema_find(&variant->schema, s->keys[k], &sections[k]) : NULL;
        if (value)
            pl_value_hash(s->keys[k], value, own);
        values[k] = value ? own[0] : 0;
        if (found[k])
            count_own(&s->own[k], found[k], settings);
    }
    reset(s, found, &copy, hash);
    struct first *first = slot_of(s, hash);
    s->runs += runs;
    if (!first->row) {
        *first = (struct first){{hash[0], hash[1]}, ++s->rows};
        memcpy(s->values + first->row * s->key_count, values, s->key_count * sizeof *values);
        return;
    }
    s->repeated += runs;
    for (size_t k = 0; k < s->key_count; k++)
        if (found[k] && values[k] != s->values[first->row * s->key_count + k])
            note_found(s, found[k],
                       sections[k] == PL_SECTION_OPTIMIZER ? pl_settings_string(settings, "optimizer", NULL) : NULL);
}

static void search(struct search *s)
{
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t seed_count;
    while (s->rows < MOST_CHECKED && !pl_walk_next(s->walk, &settings, &seeds, &seed_count)) {
        bool drawn = pl_train_draws(settings);
        if (!seed_count)
            continue;
        if (!drawn) {
            visit(s, settings, 0, 1);
            s->runs += seed_count - 1;
            s->repeated += seed_count - 1;
            if (seed_count > 1)
                note_found(s, NULL, NULL);
        } else if (!s->grid->seed_exclusions) {
            visit(s, settings, 0, seed_count); /* the same ones at every point */
        } else {
            for (size_t i = 0; i < seed_count && s->rows < MOST_CHECKED; i++)
                visit(s, settings, seeds[i], 1);
        }
    }
}

/* "r of theopoula has no effect when eta=0, nor epsilon of msvag, nor the seed where nothing is drawn" */
static void describe(const struct search *s, struct pl_text *notes)
{
    for (size_t i = 0; i < s->found_count; i++) {
        const struct idle *idle = &s->found[i];
        pl_text_addf(notes, "%s%s", i ? ", nor " : "", idle->setting ? idle->setting->key : "the seed");
        if (idle->optimizer)
            pl_text_addf(notes, " of %s", idle->optimizer);
        pl_text_add(notes, i ? "" : " has no effect");
        if (!idle->setting)
            pl_text_add(notes, " where nothing is drawn");
        else if (strcmp(idle->setting->idle_when, "always"))
            pl_text_addf(notes, " when %s", idle->setting->idle_when);
    }
}

/* "s: warmup has no effect when warmup=1 and anneal=none", "momentum_anneal ... when momentum=0", where that is so in
 * every run that is not named already. */
static void describe_own(const struct search *s, const char *study, struct pl_text *notes)
{
    for (size_t k = 0; k < s->key_count; k++) {
        const struct own *own = &s->own[k];
        bool told = false;
        for (size_t i = 0; i < s->found_count; i++)
            told = told || s->found[i].setting == own->setting;
        if (own->given && own->idle == own->given && !told)
            pl_text_addf(notes, "%s: %s has no effect when %s\n", study, own->setting->key, own->setting->idle_when);
    }
}

static size_t most_entries(const struct pl_study_grid *grid)
{
    size_t most = 0;
    for (size_t p = 0; p < grid->part_count; p++)
        for (size_t v = 0; v < grid->parts[p].variant_count; v++)
            if (grid->parts[p].variants[v].settings.count > most)
                most = grid->parts[p].variants[v].settings.count;
    return most;
}

void pl_spec_idle_notes(const struct pl_study *study, struct pl_text *notes)
{
    struct search s = {.grid = study->grid, .size = 64};
    uint64_t runs = study->runs;
    if (study->waiting || !runs)
        return;
    find_keys(&s);
    while (s.size < 2 * (runs < MOST_CHECKED ? runs : MOST_CHECKED))
        s.size *= 2;
    s.slots = pl_new(s.size * sizeof *s.slots);
    s.values = pl_new(((runs < MOST_CHECKED ? runs : MOST_CHECKED) + 1) * (s.key_count + 1) * sizeof *s.values);
    s.entries = pl_new((most_entries(s.grid) + 1) * sizeof *s.entries);
    s.walk = pl_walk_new(study);
    search(&s);
    if (s.repeated) {
        pl_text_addf(notes, "%s: ", study->name ? study->name : "");
        describe(&s, notes);
        pl_text_addf(notes, ", so %s%llu of %llu runs %s the same training as another one, under another key\n",
                     s.runs < runs ? "at least " : "", (unsigned long long)s.repeated, (unsigned long long)runs,
                     s.repeated == 1 ? "is" : "are");
    }
    describe_own(&s, study->name ? study->name : "", notes);
    pl_walk_free(s.walk);
    free(s.entries);
    free(s.values);
    free(s.slots);
}
