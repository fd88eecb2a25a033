/* What a mapping of the file says: a study, one of its cases, or the defaults of the file. */
#include "spec/read/content.h"

#include "spec/read/complaint.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"

#include <string.h>

enum { MOST_SETTINGS = 500 };

/* A key of the free section: what a trainer, a column of the database and an expression can bear. */
static bool is_free_key(const char *key)
{
    size_t length = strlen(key);
    if (!length || length > 60 || (key[0] >= '0' && key[0] <= '9') || !strcmp(key, "seed"))
        return false;
    for (const unsigned char *c = (const unsigned char *)key; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_' ||
              *c >= 0x80))
            return false;
    return true;
}

static void add_assignment(struct reader *reader, struct content *content, enum pl_section section,
                           struct node *key_node, struct node *value, bool parameter)
{
    struct assignment a = {
        .section = section, .spelling = key_node->text, .key_node = key_node, .value = value, .parameter = parameter};
    if (section == PL_SECTION_OPTIMIZER && !strcmp(a.spelling, "name"))
        a.spelling = "optimizer";
    a.key = a.spelling;
    if (parameter) {
        struct pl_error err;
        if (pl_train_check_parameter(a.spelling, &err)) {
            pl_complain(&reader->complaints, key_node, "%s", err.text);
            return;
        }
    } else if (section != PL_SECTION_SETTINGS) {
        a.setting = pl_reader_find(reader, a.spelling);
        a.key = a.setting ? a.setting->key : a.spelling;
    } else if (!is_free_key(a.spelling)) {
        pl_complain(&reader->complaints, key_node,
                    "\"%.60s\" cannot be the key of a setting: it must be letters, digits and _, and not \"seed\"",
                    a.spelling);
        return;
    }
    for (size_t i = 0; i < content->count; i++) {
        const struct assignment *other = &content->assignments[i];
        if (strcmp(other->key, a.key))
            continue;
        pl_complain(&reader->complaints, key_node, "%s and %s (line %u) are the same setting; give it once",
                    key_node->text, other->key_node->text, other->key_node->line);
        return;
    }
    content->assignments[content->count++] = a;
}

/* parameters: {mu: 0.9}, numbers of any name. */
static void read_parameters(struct reader *reader, struct content *content, const struct node *value)
{
    if (value->kind != NODE_MAP) {
        pl_complain(&reader->complaints, value,
                    "parameters must be a mapping of names that formulas use, such as {mu: 0.9}");
        return;
    }
    for (size_t i = 0; i < value->count; i++)
        add_assignment(reader, content, PL_SECTION_OPTIMIZER, value->items[2 * i], value->items[2 * i + 1], true);
}

static void read_section(struct reader *reader, struct content *content, enum pl_section section, struct node *key,
                         struct node *value)
{
    if (section == PL_SECTION_OPTIMIZER &&
        (value->kind == NODE_LIST || (value->kind == NODE_SCALAR && *value->text && !pl_node_is_null(value)))) {
        add_assignment(reader, content, section, key, value, false); /* optimizer: adam */
        return;
    }
    if (value->kind != NODE_MAP) {
        pl_complain(&reader->complaints, value, "%s must be a mapping of settings, such as %s", key->text,
                    section == PL_SECTION_TASK        ? "{problem: theta30, iterations: 1000}"
                    : section == PL_SECTION_OPTIMIZER ? "{name: adam, lambda: 0.001}"
                    : section == PL_SECTION_SCHEDULE  ? "{decay: 0.1, every: 150}"
                                                      : "{width: [64, 128]}");
        return;
    }
    for (size_t i = 0; i < value->count; i++)
        if (section == PL_SECTION_OPTIMIZER && !strcmp(value->items[2 * i]->text, "parameters"))
            read_parameters(reader, content, value->items[2 * i + 1]);
        else
            add_assignment(reader, content, section, value->items[2 * i], value->items[2 * i + 1], false);
}

/* Where a key that is no section goes. */
static struct node **place_for(struct content *content, const char *key)
{
    struct {
        const char *key;
        struct node **node;
    } places[] = {
        {"study", &content->name},
        {"description", &content->description},
        {"seeds", &content->seeds},
        {"timeout", &content->timeout},
        {"zip", &content->zip},
        {"exclude", &content->exclude},
        {"cases", &content->cases},
        {"metrics", &content->metrics},
        {"target", &content->target},
        {"tables", &content->tables},
        {"figures", &content->figures},
        {"scale", &content->scale},
        {"epochs", &content->epochs},
        {"resources", &content->resources},
        {"search", &content->search},
        {"stop", &content->stop},
        {"pattern", &content->reading.pattern},
        {"metrics_file", &content->reading.metrics_file},
        {"stderr", &content->reading.error_too},
        {"stall", &content->reading.stall},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (!strcmp(places[i].key, key))
            return places[i].node;
    return NULL;
}

static const char *const study_keys[] = {
    "study",        "description", "task",  "optimizer", "schedule", "settings", "seeds", "timeout",  "epochs",
    "zip",          "exclude",     "cases", "metrics",   "tables",   "figures",  "scale", "defaults", "pattern",
    "metrics_file", "stderr",      "stall", "resources", "search",   "target",   "stop"};
static const char *const case_keys[] = {"task", "optimizer", "schedule", "settings", "zip", "exclude"};
static const char *const default_keys[] = {"task",   "optimizer", "schedule",     "settings", "seeds",  "timeout",
                                           "epochs", "zip",       "exclude",      "metrics",  "tables", "figures",
                                           "scale",  "pattern",   "metrics_file", "stderr",   "stall",  "resources",
                                           "search", "target",    "stop"};

static void complain_key(struct reader *reader, const struct node *key, enum content_kind kind,
                         const char *const *legal, size_t count)
{
    struct pl_text text = {0};
    const char *what = kind == CONTENT_STUDY ? "a study" : kind == CONTENT_CASE ? "a case" : "defaults";
    const struct pl_setting *setting = pl_reader_find(reader, key->text);
    pl_text_addf(&text, "%s cannot have the key %.100s", what, key->text);
    if (setting)
        for (size_t i = 0; i < reader->sources->count; i++) {
            const struct pl_schema_part *part = &reader->sources->items[i].part;
            if (!part->count || setting < part->settings || setting > &part->settings[part->count - 1])
                continue;
            pl_text_addf(&text, "; it belongs in %s: {...}", pl_section_name(part->section));
            break;
        }
    else
        pl_hint(&text, key->text, legal, count);
    pl_complain(&reader->complaints, key, "%s", pl_text(&text));
    pl_text_release(&text);
}

static bool one_of(const char *word, const char *const *legal, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(legal[i], word))
            return true;
    return false;
}

/* Settings in the whole mapping, to size the list of assignments. */
static size_t count_settings(const struct node *map)
{
    size_t count = 0;
    for (size_t i = 0; i < map->count; i++) {
        const struct node *value = map->items[2 * i + 1];
        const struct node *parameters = pl_node_find(value, "parameters");
        count += value->kind == NODE_MAP ? value->count : 1;
        count += parameters ? parameters->count : 0;
    }
    return count;
}

void pl_content_read(struct reader *reader, struct node *map, enum content_kind kind, struct content *content)
{
    static const struct {
        const char *const *keys;
        size_t count;
    } legal[] = {
        [CONTENT_STUDY] = {study_keys, sizeof study_keys / sizeof *study_keys},
        [CONTENT_CASE] = {case_keys, sizeof case_keys / sizeof *case_keys},
        [CONTENT_DEFAULTS] = {default_keys, sizeof default_keys / sizeof *default_keys},
    };
    *content = (struct content){.map = map};
    size_t settings = count_settings(map);
    if (settings > MOST_SETTINGS) {
        pl_complain(&reader->complaints, map, "there are %zu settings here; at most %d are supported", settings,
                    MOST_SETTINGS);
        return;
    }
    content->assignments = pl_pool_new(reader->pool, settings, sizeof *content->assignments);
    for (size_t i = 0; i < map->count; i++) {
        struct node *key = map->items[2 * i], *value = map->items[2 * i + 1];
        if (!one_of(key->text, legal[kind].keys, legal[kind].count)) {
            complain_key(reader, key, kind, legal[kind].keys, legal[kind].count);
            continue;
        }
        struct node **place = place_for(content, key->text);
        if (place) {
            *place = value;
            continue;
        }
        for (int s = 0; s < PL_SECTION_COUNT; s++)
            if (!strcmp(pl_section_name((enum pl_section)s), key->text))
                read_section(reader, content, (enum pl_section)s, key, value);
    }
}
