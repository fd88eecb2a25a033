/* From picks to tables. */
#include "spec/grid/link.h"

#include "spec/grid/hash.h"
#include "spec/grid/part.h"
#include "spec/grid/pick.h"
#include "spec/grid/walk.h"
#include "spec/read/complaint.h"
#include "spec/read/reader.h"
#include "spec/spec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- which table ---- */

static bool find_study(struct reader *reader, struct pick *pick, const struct pl_study *studies, size_t count)
{
    const char **names = pl_new((count + 1) * sizeof *names);
    size_t known = 0;
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        if (!studies[i].name)
            continue;
        names[known++] = studies[i].name;
        found = !strcmp(studies[i].name, pick->source);
        pick->pick.study = i;
    }
    if (found && pick->pick.study == pick->owner) {
        pl_complain(&reader->complaints, pick->from, "study %s cannot take its %s from itself", pick->from->text,
                    pick->pick.key);
        found = false;
    } else if (!found) {
        struct pl_text text = {0};
        pl_text_addf(&text, "from: there is no study \"%.100s\" in this file", pick->from->text);
        pl_hint(&text, pick->from->text, names, known);
        pl_complain(&reader->complaints, pick->from, "%s", pl_text(&text));
        pl_text_release(&text);
    }
    free(names);
    return found;
}

/* What to say when no table of the study, or more than one, chooses the setting. */
static void complain_table(struct reader *reader, const struct pick *pick, const struct pl_study *study, size_t found)
{
    const char *key = pick->pick.key;
    struct pl_text over = {0};
    size_t choosing = 0;
    for (size_t t = 0; t < study->table_count; t++) {
        const struct pl_names *names = &study->tables[t].choose.over;
        choosing += study->tables[t].choose.best > 0;
        for (size_t i = 0; i < names->count; i++)
            pl_text_addf(&over, "%s%s", over.length ? ", " : "", names->names[i]);
    }
    if (found)
        pl_complain(&reader->complaints, pick->from,
                    "from: %zu tables of study %s choose over %s; say which, as in table: TITLE", found, study->name,
                    key);
    else if (!choosing)
        pl_complain(&reader->complaints, pick->from,
                    "from: study %s has no table with select, such as select: {best: 1, over: %s}", study->name, key);
    else if (pick->title)
        pl_complain(&reader->complaints, pick->title_at, "table: study %s has no table \"%.100s\" with select over %s",
                    study->name, pick->title_at->text, key);
    else
        pl_complain(&reader->complaints, pick->from, "from: no table of study %s chooses over %s, only over %s",
                    study->name, key, pl_text(&over));
    pl_text_release(&over);
}

static bool find_table(struct reader *reader, struct pick *pick, const struct pl_study *study)
{
    size_t found = 0;
    for (size_t t = 0; t < study->table_count; t++) {
        const struct pl_table_spec *table = &study->tables[t];
        if (!pl_names_have(&table->choose.over, pick->pick.key) ||
            (pick->title && (!table->title || strcmp(table->title, pick->title))))
            continue;
        if (!found++)
            pick->pick.table = t;
    }
    if (found != 1) {
        complain_table(reader, pick, study, found);
        return false;
    }
    int most = study->tables[pick->pick.table].choose.best;
    if (pick->pick.place <= most)
        return true;
    pl_complain(&reader->complaints, pick->best, "best is %d, but the table of study %s chooses no more than %d",
                pick->pick.place, study->name, most);
    return false;
}

static void add_source(struct reader *reader, struct pl_study *study, size_t source, size_t count)
{
    if (!study->sources)
        study->sources = pl_pool_new(reader->pool, count, sizeof *study->sources);
    for (size_t i = 0; i < study->source_count; i++)
        if (study->sources[i] == source)
            return;
    study->sources[study->source_count++] = source;
}

/* Does a study lead to another one through what it takes? seen has a mark for each study. */
static bool leads_to(const struct pl_study *studies, size_t from, size_t to, bool *seen)
{
    if (from == to)
        return true;
    if (seen[from])
        return false;
    seen[from] = true;
    for (size_t i = 0; i < studies[from].source_count; i++)
        if (leads_to(studies, studies[from].sources[i], to, seen))
            return true;
    return false;
}

static void complain_circle(struct reader *reader, const struct pick *pick, const struct pl_study *studies,
                            size_t count)
{
    bool *seen = pl_new((count + 1) * sizeof *seen);
    if (leads_to(studies, pick->pick.study, pick->owner, seen))
        pl_complain(&reader->complaints, pick->from, "study %s takes settings from %s, which in turn waits for %s",
                    studies[pick->owner].name ? studies[pick->owner].name : "?", studies[pick->pick.study].name,
                    studies[pick->owner].name ? studies[pick->owner].name : "?");
    free(seen);
}

/* ---- runs for which nothing is chosen ---- */

/* The values that a table's groups have, as hashes. */
struct groups {
    const struct pl_table_spec *table;
    uint64_t (*hashes)[2];
    size_t count, capacity;
};

static int by_hash(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(uint64_t[2]));
}

/* Calls each for the settings that tell the groups of a table apart. */
static void each_key(const struct pl_table_spec *table, void (*each)(void *self, const char *key), void *self)
{
    const struct pl_names *names[] = {&table->rows, &table->columns};
    for (size_t n = 0; n < 2; n++)
        for (size_t i = 0; i < names[n]->count; i++)
            if (strcmp(names[n]->names[i], PL_RANK_KEY))
                each(self, names[n]->names[i]);
}

struct hashing {
    const struct pl_settings *settings;
    uint64_t hash[2];
    struct pl_text *words;
};

static void add_hash(void *self, const char *key)
{
    struct hashing *h = self;
    const struct pl_value *value = pl_settings_find(h->settings, key);
    uint64_t own[2] = {0, 0};
    if (value)
        pl_value_hash(key, value, own);
    h->hash[0] += own[0];
    h->hash[1] += own[1];
}

static void add_words(void *self, const char *key)
{
    struct hashing *h = self;
    const struct pl_value *value = pl_settings_find(h->settings, key);
    pl_text_addf(h->words, "%s%s%s", h->words->length ? ", " : "", value ? "" : "no ", key);
    if (value) {
        pl_text_add_char(h->words, '=');
        pl_value_write(value, h->words);
    }
}

static void read_groups(const struct pl_study *study, struct groups *groups)
{
    struct pl_walk *walk = pl_walk_new(study);
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t seed_count;
    while (!pl_walk_next(walk, &settings, &seeds, &seed_count)) {
        bool admitted = true;
        for (size_t i = 0; i < groups->table->where_count && admitted; i++)
            admitted = pl_condition_admits(&groups->table->where[i],
                                           pl_settings_find(settings, groups->table->where[i].key));
        if (!admitted)
            continue;
        struct hashing h = {.settings = settings};
        each_key(groups->table, add_hash, &h);
        void *list = groups->hashes;
        pl_grow(&list, &groups->capacity, groups->count + 1, sizeof *groups->hashes);
        groups->hashes = list;
        memcpy(groups->hashes[groups->count++], h.hash, sizeof h.hash);
    }
    pl_walk_free(walk);
    if (groups->count)
        qsort(groups->hashes, groups->count, sizeof *groups->hashes, by_hash);
}

/* Does the point at which a walk stands use the pick? */
static bool uses(const struct pl_walk *walk, const struct pick *pick)
{
    const struct part *part = &walk->grid->parts[walk->position.part];
    const struct variant *variant = &part->variants[walk->position.variant];
    for (size_t f = 0; f < part->field_count; f++) {
        const struct slot *slot = &variant->slots[f];
        if (slot->cells && slot->cells[slot->single ? 0 : walk->position.at[part->fields[f].dimension]].pick == pick)
            return true;
    }
    return false;
}

/* Complains of the first run of the study for which the table can choose nothing: better now than after the search. */
static void check_groups(struct reader *reader, const struct pick *pick, const struct pl_study *owner,
                         const struct pl_study *source)
{
    struct groups groups = {.table = &source->tables[pick->pick.table]};
    if (source->waiting || owner->configs > MOST_CHECKED || source->configs > MOST_CHECKED)
        return;
    read_groups(source, &groups);
    struct pl_walk *walk = pl_walk_new(owner);
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t seed_count;
    while (!pl_walk_next(walk, &settings, &seeds, &seed_count)) {
        struct pl_text words = {0};
        struct hashing h = {.settings = settings, .words = &words};
        if (!uses(walk, pick))
            continue;
        each_key(groups.table, add_hash, &h);
        if (groups.count && bsearch(h.hash, groups.hashes, groups.count, sizeof *groups.hashes, by_hash))
            continue;
        each_key(groups.table, add_words, &h);
        pl_complain(&reader->complaints, pick->at, "%s: the table of study %s has no configuration with %s",
                    pick->pick.key, source->name, words.length ? pl_text(&words) : "its conditions");
        pl_text_release(&words);
        break;
    }
    pl_walk_free(walk);
    free(groups.hashes);
}

void pl_picks_link(struct reader *reader, struct pl_study *studies, size_t count)
{
    for (struct pick *pick = reader->picks; pick && pl_reader_works(reader, pick->at, count); pick = pick->next)
        if (find_study(reader, pick, studies, count) && find_table(reader, pick, &studies[pick->pick.study])) {
            pick->linked = true;
            add_source(reader, &studies[pick->owner], pick->pick.study, count);
        }
    for (struct pick *pick = reader->picks; pick && !reader->tired; pick = pick->next)
        if (pick->linked)
            complain_circle(reader, pick, studies, count);
    if (pl_complaint_count(&reader->complaints))
        return;
    for (struct pick *pick = reader->picks; pick; pick = pick->next)
        check_groups(reader, pick, &studies[pick->owner], &studies[pick->pick.study]);
}
