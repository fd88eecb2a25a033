/* A spec file: its documents, its studies, and what they share. */
#include "spec/spec.h"

#include "base/share.h"
#include "spec/declare/declare.h"
#include "spec/declare/program.h"
#include "spec/declare/resources.h"
#include "spec/grid/axes.h"
#include "spec/grid/check.h"
#include "spec/grid/grid.h"
#include "spec/grid/link.h"
#include "spec/grid/override.h"
#include "spec/grid/range.h"
#include "spec/grid/rename.h"
#include "spec/grid/scale.h"
#include "spec/grid/seeds.h"
#include "spec/read/complaint.h"
#include "spec/read/content.h"
#include "spec/read/foreign.h"
#include "spec/read/node.h"
#include "spec/read/parse.h"
#include "spec/read/reader.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pl_spec {
    char *text, *name;
    struct pl_pool pool;
    struct pl_study *studies;
    size_t count, capacity;
};

/* A file while it is read. */
struct file {
    struct reader reader;
    struct pl_spec *spec;
    struct content *defaults;      /* or NULL */
    bool declarations;             /* only these: the grid may be what another poula accepts */
    const char *scale;             /* or NULL */
    struct scale_defaults *shared; /* what the defaults say of it */
    struct scaled {                /* names that scaled studies would have */
        const char *name;
        const struct node *at;
        struct scaled *next;
    } * scaled;
};

static void read_study(struct file *file, struct node *map);

static void add_default(struct file *file, struct node *value)
{
    struct reader *reader = &file->reader;
    if (value->kind != NODE_MAP) {
        pl_complain(&reader->complaints, value, "defaults must be a mapping of what studies share");
    } else if (file->defaults) {
        pl_complain(&reader->complaints, value, "defaults were already given; a file has them once");
    } else {
        file->defaults = pl_pool_new(reader->pool, 1, sizeof *file->defaults);
        pl_content_read(reader, value, CONTENT_DEFAULTS, file->defaults);
    }
}

/* Defaults act on all studies of the file, so they are read before any. */
static void read_defaults(struct file *file, struct node **documents, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct node *defaults = documents[i]->kind == NODE_MAP ? pl_node_find(documents[i], "defaults") : NULL;
        if (defaults)
            add_default(file, defaults);
    }
}

static void read_studies(struct file *file, const struct node *list)
{
    struct reader *reader = &file->reader;
    if (list->kind != NODE_LIST || !list->count) {
        pl_complain(&reader->complaints, list, "studies must be a list of studies, such as [{study: a, ...}, ...]");
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i]->kind != NODE_MAP)
            pl_complain(&reader->complaints, list->items[i], "a study must be a mapping that begins with study: NAME");
        else
            read_study(file, list->items[i]);
    }
}

/* A document is one study, or holds `studies:` and `defaults:`. */
static void read_document(struct file *file, struct node *document)
{
    struct reader *reader = &file->reader;
    if (document->kind != NODE_MAP) {
        pl_complain(&reader->complaints, document, "a spec must be a mapping that begins with study: NAME");
        return;
    }
    struct node *studies = pl_node_find(document, "studies");
    if (!studies && (pl_node_find(document, "study") || !pl_node_find(document, "defaults"))) {
        read_study(file, document);
        return;
    }
    for (size_t i = 0; i < document->count; i++) {
        const struct node *key = document->items[2 * i];
        if (strcmp(key->text, "defaults") && strcmp(key->text, "studies"))
            pl_complain(&reader->complaints, key, "beside studies and defaults there can be no %.100s", key->text);
    }
    if (studies)
        read_studies(file, studies);
}

static void read_name(struct file *file, struct pl_study *study, const struct content *content)
{
    struct reader *reader = &file->reader;
    if (!content->name) {
        pl_complain(&reader->complaints, content->map, "a study needs a name: study: NAME");
        return;
    }
    const char *name = pl_node_text(reader, content->name, "study");
    if (!name)
        return;
    if (!pl_name_is_legal(name)) {
        pl_complain(&reader->complaints, content->name,
                    "the name \"%.100s\" must be at most 100 letters, digits, _, - and ., and not begin with . or -",
                    name);
        return;
    }
    study->name = pl_scale_label(reader, name, "-", "");
    for (size_t i = 0; i + 1 < file->spec->count; i++)
        if (file->spec->studies[i].name && !strcmp(file->spec->studies[i].name, study->name))
            pl_complain(&reader->complaints, content->name, "there is already a study %s in this file", study->name);
}

/* Are the names free that the study has in its scales? Studies may come later, so this is asked at the end. */
static void note_scales(struct file *file, const struct content *content, const char *name)
{
    const struct node *names[MOST_SCALES];
    for (int layer = 0; layer < 2 && name; layer++) {
        size_t count = pl_scale_names(&file->reader, layer ? content : file->defaults, names, MOST_SCALES);
        for (size_t i = 0; i < count; i++) {
            struct pl_text text = {0};
            struct scaled *scaled = pl_pool_new(file->reader.pool, 1, sizeof *scaled);
            pl_text_addf(&text, "%s-%s", name, names[i]->text);
            *scaled = (struct scaled){pl_pool_copy(file->reader.pool, pl_text(&text)), names[i], file->scaled};
            file->scaled = scaled;
            pl_text_release(&text);
        }
    }
}

static void check_scaled_names(struct file *file)
{
    for (const struct scaled *s = file->scaled; s; s = s->next)
        for (size_t i = 0; i < file->spec->count; i++)
            if (file->spec->studies[i].name && !strcmp(file->spec->studies[i].name, s->name))
                pl_complain(&file->reader.complaints, s->at,
                            "scale %s would give a study the name %s, which is another study's", s->at->text, s->name);
}

static void read_plain(struct file *file, struct pl_study *study, const struct content *content)
{
    struct reader *reader = &file->reader;
    const struct content *defaults = file->defaults;
    const struct node *timeout = content->timeout ? content->timeout : defaults ? defaults->timeout : NULL;
    if (content->description)
        study->description = (char *)pl_node_text(reader, content->description, "description");
    if (timeout)
        pl_timeout_read(reader, timeout, "timeout", &study->timeout);
    const struct node *epochs = content->epochs ? content->epochs : defaults ? defaults->epochs : NULL;
    if (epochs)
        pl_epochs_read(reader, study, epochs);
    if (!file->declarations)
        pl_resources_read(reader, defaults, content, study);
}

/* The grid and what is declared of a study, whose seeds are known. */
static void read_grid(struct file *file, struct pl_study *study, const struct content *content)
{
    struct reader *reader = &file->reader;
    study->grid = pl_pool_new(reader->pool, 1, sizeof *study->grid);
    study->grid->seeds = study->seeds;
    study->grid->seed_count = study->seed_count;
    int64_t *sorted = pl_pool_new(reader->pool, study->seed_count, sizeof *sorted);
    memcpy(sorted, study->seeds, study->seed_count * sizeof *sorted);
    pl_seeds_sort(sorted, study->seed_count);
    study->grid->sorted_seeds = sorted;
    /* Only what tables and figures need is asked of a spec that is read back for a report. */
    struct complaints kept = reader->complaints;
    if (file->declarations)
        reader->complaints = (struct complaints){.file = kept.file};
    pl_grid_read(reader, file->defaults, content, study->grid);
    pl_search_drawn(reader, study->grid->parts, study->grid->part_count, &study->grid->search);
    study->search = study->grid->search.key_count ? &study->grid->search : NULL;
    if (file->declarations) {
        pl_complaints_release(&reader->complaints);
        reader->complaints = kept;
    } else {
        pl_epochs_check(reader, study, content->epochs);
        pl_grid_check(reader, study, content->name ? content->name : content->map);
        if (!pl_complaint_count(&reader->complaints))
            pl_scale_check(reader);
    }
    if (!file->declarations)
        pl_reading_read(reader, file->defaults, content, study);
    pl_axes_read(reader, study);
    pl_scale_rename(reader, study);
    pl_declarations_read(reader, file->defaults, content, study, file->declarations);
}

/* Adds a study as it is written, or in a scale (NULL: none). */
static void add_study(struct file *file, struct node *map, const struct content *content, const char *scale)
{
    struct reader *reader = &file->reader;
    struct pl_spec *spec = file->spec;
    size_t shared = file->defaults ? file->defaults->map->size : 0;
    if (!pl_reader_works(reader, map, map->size + shared))
        return;
    reader->scale = scale ? pl_scale_read(reader, file->shared, file->defaults, content, scale) : NULL;
    if (scale && !reader->scale)
        return;
    void *list = spec->studies;
    pl_grow(&list, &spec->capacity, spec->count + 1, sizeof *spec->studies);
    spec->studies = list;
    reader->study = spec->count;
    struct pl_study *study = &spec->studies[spec->count++];
    *study = (struct pl_study){0};
    read_name(file, study, content);
    read_plain(file, study, content);
    pl_seeds_read(reader, file->defaults, content, study);
    read_grid(file, study, content);
    note_scales(file, content, study->name);
    reader->scale = NULL;
}

/* A database keeps the text of a spec, not the scale it was run in: the name of the study tells. A scale in which
 * nobody could run anything does not keep the others from being read. */
static void add_scaled(struct file *file, struct node *map, const struct content *content)
{
    struct reader *reader = &file->reader;
    struct complaints kept = reader->complaints;
    reader->complaints = (struct complaints){.file = kept.file};
    for (int layer = 0; layer < 2; layer++) {
        const struct node *names[MOST_SCALES], *shared = file->defaults ? file->defaults->scale : NULL;
        size_t count = pl_scale_names(reader, layer ? content : file->defaults, names, MOST_SCALES);
        for (size_t i = 0; i < count; i++) {
            if (layer && shared && shared->kind == NODE_MAP && pl_node_find(shared, names[i]->text))
                continue; /* added with those of the defaults */
            file->shared = pl_scale_read_defaults(reader, file->defaults, names[i]->text);
            add_study(file, map, content, names[i]->text);
        }
    }
    pl_complaints_release(&reader->complaints);
    reader->complaints = kept;
}

static void read_study(struct file *file, struct node *map)
{
    struct reader *reader = &file->reader;
    struct content content;
    pl_content_read(reader, map, CONTENT_STUDY, &content);
    add_study(file, map, &content, file->scale);
    if (file->declarations)
        add_scaled(file, map, &content);
}

static int parse(struct pl_spec **result, const char *text, size_t length, const char *name, const char *scale,
                 bool declarations, struct pl_text *problems, struct pl_error *err)
{
    struct pl_spec *spec = pl_new(sizeof *spec);
    struct file file = {.spec = spec, .declarations = declarations, .scale = scale};
    struct reader *reader = &file.reader;
    struct node **documents;
    size_t count;
    spec->text = pl_copy_bytes(text, length);
    spec->name = pl_copy(name);
    pl_reader_init(reader, spec->name, &spec->pool);
    pl_nodes_read(text, length, &spec->pool, &reader->complaints, &documents, &count);
    bool foreign = false;
    for (size_t i = 0; i < count && !foreign && !pl_complaint_count(&reader->complaints); i++)
        foreign = pl_is_foreign(reader, documents[i]);
    if (!foreign && (!pl_complaint_count(&reader->complaints) || count)) {
        read_defaults(&file, documents, count);
        if (scale)
            file.shared = pl_scale_read_defaults(reader, file.defaults, scale);
        for (size_t i = 0; i < count; i++)
            if (!pl_node_is_null(documents[i]))
                read_document(&file, documents[i]);
        if (!declarations)
            pl_picks_link(reader, spec->studies, spec->count);
        if (!spec->count && !pl_complaint_count(&reader->complaints))
            pl_complain(&reader->complaints, NULL, "there is no study in this file; a spec begins with study: NAME");
        if (!scale && !declarations)
            check_scaled_names(&file);
        if (scale && !pl_complaint_count(&reader->complaints))
            pl_scale_check_defaults(reader, file.shared);
    }
    size_t bad = pl_complaint_count(&reader->complaints);
    pl_complaints_write(&reader->complaints, problems);
    if (!bad) {
        *result = spec;
        return 0;
    }
    pl_spec_free(spec);
    return pl_fail(err, PL_EINPUT, "%s has %zu problem%s", name, bad, bad == 1 ? "" : "s");
}

int pl_spec_parse(struct pl_spec **spec, const char *text, size_t length, const char *name, struct pl_text *problems,
                  struct pl_error *err)
{
    return parse(spec, text, length, name, NULL, false, problems, err);
}

int pl_spec_parse_scaled(struct pl_spec **spec, const char *text, size_t length, const char *name, const char *scale,
                         struct pl_text *problems, struct pl_error *err)
{
    return parse(spec, text, length, name, scale, false, problems, err);
}

int pl_spec_parse_declarations(struct pl_spec **spec, const char *text, size_t length, const char *name,
                               struct pl_text *problems, struct pl_error *err)
{
    return parse(spec, text, length, name, NULL, true, problems, err);
}

/* Commands of an installed spec are found where it is installed. */
static void find_home(struct pl_spec *spec, const char *path)
{
    char *home = pl_share_home(path);
    for (size_t i = 0; home && i < spec->count; i++)
        spec->studies[i].home = pl_pool_copy(&spec->pool, home);
    free(home);
}

int pl_spec_load(struct pl_spec **spec, const char *path, const char *scale, struct pl_text *problems,
                 struct pl_error *err)
{
    struct pl_text text = {0};
    bool input = !strcmp(path, "-");
    int status = pl_file_read_any(path, LARGEST_FILE, &text, err);
    if (!status)
        status = pl_spec_parse_scaled(spec, pl_text(&text), text.length, input ? "standard input" : path, scale,
                                      problems, err);
    if (!status && !input)
        find_home(*spec, path);
    pl_text_release(&text);
    return status;
}

void pl_spec_free(struct pl_spec *spec)
{
    if (!spec)
        return;
    for (size_t i = 0; i < spec->count; i++)
        pl_grid_release(spec->studies[i].grid);
    free(spec->studies);
    free(spec->text);
    free(spec->name);
    pl_pool_release(&spec->pool);
    free(spec);
}

void pl_spec_unsettle(struct pl_spec *spec, size_t index)
{
    struct pl_study *study = &spec->studies[index];
    struct pl_study_grid *grid = study->grid;
    if (!grid->settled)
        return;
    free(grid->skip);
    grid->skip = grid->waiting_skip;
    grid->waiting_skip = NULL;
    free(grid->again); /* what repeats is known again when it is settled again */
    grid->again = NULL;
    grid->settled = false;
    grid->pick_value = NULL;
    study->configs = grid->waiting_configs;
    study->runs = grid->waiting_runs;
    study->waiting = true;
}

int pl_spec_settle(struct pl_spec *spec, size_t index, pl_pick_value *value, void *self, struct pl_text *problems,
                   struct pl_error *err)
{
    struct pl_study *study = &spec->studies[index], before = *study;
    struct pl_study_grid *grid = study->grid;
    struct reader reader = {0};
    unsigned char *skip = grid->skip;
    pl_reader_init(&reader, spec->name, &spec->pool);
    grid->skip = NULL;
    free(grid->again);
    grid->again = NULL;
    grid->pick_value = value;
    grid->pick_self = self;
    study->configs = study->runs = 0;
    study->waiting = false;
    pl_grid_check(&reader, study, grid->at);
    size_t bad = pl_complaint_count(&reader.complaints);
    pl_complaints_write(&reader.complaints, problems);
    if (!bad) {
        grid->settled = true;
        grid->waiting_skip = skip;
        grid->waiting_configs = before.configs;
        grid->waiting_runs = before.runs;
        return 0;
    }
    free(grid->skip);
    grid->skip = skip;
    grid->pick_value = NULL;
    *study = before;
    return pl_fail(err, PL_EINPUT, "%s: study %s has %zu problem%s", spec->name, study->name, bad, bad == 1 ? "" : "s");
}

const char *pl_spec_text(const struct pl_spec *spec)
{
    return spec->text;
}

size_t pl_spec_study_count(const struct pl_spec *spec)
{
    return spec->count;
}

const struct pl_study *pl_spec_study(const struct pl_spec *spec, size_t index)
{
    return &spec->studies[index];
}
